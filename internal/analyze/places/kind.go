package places

import (
	"slices"
	"strings"

	"whet/internal/symbolname"
)

// Kind is a sort of work.
type Kind string

const (
	Instructions Kind = "own instructions"
	Moved        Kind = "memory moved"
	Cleared      Kind = "memory cleared"
	Compared     Kind = "memory compared" // and searched
	Allocation   Kind = "allocation"
	Assist       Kind = "collector assist" // and write barriers
	Map          Kind = "map"
	Hashing      Kind = "hashing"
	Formatting   Kind = "formatting"
	Reflection   Kind = "reflection"
	Regexp       Kind = "regexp"
	Encoding     Kind = "encoding"
	Sorting      Kind = "sorting"
	Clock        Kind = "clock"
	Random       Kind = "random"
	Lock         Kind = "lock"
	Channel      Kind = "channel"
	Start        Kind = "goroutine start"
	Other        Kind = "other"
)

// SystemCall returns the kind of the system call of a name: "system call write".
func SystemCall(name string) Kind { return Kind(strings.TrimSpace("system call " + name)) }

// function is what a function's name says of the work it does.
type function struct {
	name, pkg  string
	kind       Kind // "": nothing
	malloc     bool
	assist     bool
	systemCall bool // the last Go function before the kernel
}

func functionOf(name string) function {
	f := function{name: name, pkg: symbolname.Package(name)}
	f.kind = kindOfFunction(name, f.pkg)
	f.malloc = isMalloc(name)
	f.assist = name == "runtime.gcAssistAlloc" || name == "runtime.deductAssistCredit" || isBarrier(name)
	f.systemCall = isSystemCall(name, f.pkg)
	return f
}

// kindOf decides on the functions below a line, leaf first.
func kindOf(below []*function) Kind {
	if len(below) == 0 {
		return Instructions
	}
	leaf := below[0]
	malloc := false
	for i, f := range below {
		switch {
		case f.assist:
			return Assist
		case f.malloc:
			malloc = true
		case f.systemCall:
			return SystemCall(systemCallName(below[i:]))
		}
	}
	switch {
	case malloc && strings.HasPrefix(leaf.name, "runtime.memclr"):
		return Cleared
	case malloc:
		return Allocation
	}
	for _, f := range slices.Backward(below) {
		if f.kind != "" {
			return f.kind
		}
	}
	// Growing a slice without a block from the allocator copies, or computes
	// the new capacity.
	if slices.ContainsFunc(below, func(f *function) bool { return f.name == "runtime.growslice" }) {
		return Allocation
	}
	return Other
}

func isMalloc(fn string) bool {
	return strings.HasPrefix(fn, "runtime.mallocgc") || fn == "runtime.newobject" || strings.HasPrefix(fn, "runtime.mallocinit")
}

func isBarrier(fn string) bool {
	return strings.HasPrefix(fn, "runtime.gcWriteBarrier") || fn == "gcWriteBarrier" || strings.HasPrefix(fn, "runtime.wbBuf") ||
		fn == "runtime.bulkBarrierPreWrite" || fn == "runtime.typedmemmove.func1"
}

// isSystemCall knows the last Go functions before the kernel.
func isSystemCall(fn, pkg string) bool {
	switch pkg {
	case "internal/runtime/syscall", "runtime/internal/syscall":
		return true
	case "syscall", "golang.org/x/sys/unix":
		name := fn[strings.LastIndexByte(fn, '.')+1:]
		return strings.HasPrefix(strings.ToLower(name), "rawsyscall") || strings.HasPrefix(strings.ToLower(name), "syscall")
	}
	return false
}

// systemCallName returns the name of the innermost function outside the calling
// machinery: write of syscall.write, epoll_wait of the runtime's poller.
func systemCallName(fromCall []*function) string {
	for _, f := range fromCall {
		name := f.name[strings.LastIndexByte(f.name, '.')+1:]
		if f.systemCall && !slices.Contains([]string{"EpollWait", "EpollCtl", "EpollCreate1", "Eventfd"}, name) {
			continue
		}
		switch f.pkg {
		case "syscall", "golang.org/x/sys/unix", "internal/syscall/unix", "internal/runtime/syscall", "runtime/internal/syscall":
			return strings.ToLower(name)
		}
		return ""
	}
	return ""
}

// exact are the runtime's functions with a kind, by the beginning of the name.
var runtimeKinds = []struct {
	prefix string
	kind   Kind
}{
	{"runtime.mapaccess", Map}, {"runtime.mapassign", Map}, {"runtime.mapdelete", Map}, {"runtime.mapclear", Map},
	{"runtime.mapiter", Map}, {"runtime.mapIter", Map}, {"runtime.makemap", Map}, {"runtime.mapclone", Map},
	{"runtime.memmove", Moved}, {"runtime.typedmemmove", Moved}, {"runtime.typedslicecopy", Moved},
	{"runtime.memclr", Cleared}, {"runtime.typedmemclr", Cleared},
	{"runtime.memequal", Compared}, {"runtime.cmpstring", Compared}, {"runtime.efaceeq", Compared}, {"runtime.ifaceeq", Compared},
	{"runtime.strequal", Compared}, {"runtime.interequal", Compared}, {"runtime.nilinterequal", Compared},
	{"runtime.memhash", Hashing}, {"runtime.strhash", Hashing}, {"runtime.typehash", Hashing}, {"runtime.nilinterhash", Hashing},
	{"runtime.interhash", Hashing}, {"runtime.f64hash", Hashing}, {"runtime.aeshash", Hashing},
	{"runtime.nanotime", Clock}, {"runtime.walltime", Clock}, {"runtime.time_now", Clock}, {"runtime.vdso", Clock},
	{"runtime.rand", Random}, {"runtime.cheaprand", Random}, {"runtime.fastrand", Random}, {"runtime.bootstrapRand", Random},
	{"runtime.lock2", Lock}, {"runtime.unlock2", Lock}, {"runtime.semacquire", Lock}, {"runtime.semrelease", Lock},
	{"runtime.sync_runtime_", Lock}, {"runtime.futex", Lock}, {"runtime.procyield", Lock},
	{"runtime.chan", Channel}, {"runtime.closechan", Channel}, {"runtime.select", Channel}, {"runtime.send", Channel}, {"runtime.recv", Channel},
	{"runtime.newproc", Start}, {"runtime.goexit0", Start},
}

// bare are functions of the runtime's assembly, which have no package.
var bareKinds = map[string]Kind{
	"memeqbody": Compared, "cmpbody": Compared, "indexbody": Compared, "indexbytebody": Compared, "countbody": Compared,
	"aeshashbody": Hashing,
}

// packageKinds are the packages whose every function is of one kind; those
// below them too where the path ends in a slash.
var packageKinds = []struct {
	path string
	kind Kind
}{
	{"internal/runtime/maps", Map},
	{"internal/bytealg", Compared},
	{"fmt", Formatting}, {"strconv", Formatting}, {"text/template", Formatting}, {"html/template", Formatting},
	{"reflect", Reflection}, {"internal/reflectlite", Reflection},
	{"regexp/", Regexp}, {"encoding/", Encoding}, {"internal/saferio", Encoding},
	{"hash/", Hashing}, {"crypto/md5", Hashing}, {"crypto/sha1", Hashing}, {"crypto/sha256", Hashing}, {"crypto/sha512", Hashing}, {"crypto/sha3", Hashing},
	{"crypto/hmac", Hashing}, {"crypto/internal/fips140/sha", Hashing}, {"crypto/internal/fips140/hmac", Hashing},
	{"sort", Sorting}, {"math/rand/", Random}, {"crypto/rand", Random}, {"internal/chacha8rand", Random},
	{"internal/sync", Lock},
}

// kindOfFunction returns the kind of work that a function of the library or the
// runtime does; "" where it says nothing of it.
func kindOfFunction(fn, pkg string) Kind {
	if k, ok := bareKinds[fn]; ok {
		return k
	}
	switch pkg {
	case "runtime":
		for _, e := range runtimeKinds {
			if strings.HasPrefix(fn, e.prefix) {
				return e.kind
			}
		}
		return ""
	case "sync":
		for _, receiver := range []string{"sync.(*Mutex).", "sync.(*RWMutex).", "sync.(*Cond).", "sync.(*WaitGroup).", "sync.(*rlocker)."} {
			if strings.HasPrefix(fn, receiver) {
				return Lock
			}
		}
		if strings.HasPrefix(fn, "sync.(*Map).") {
			return Map
		}
		return ""
	case "time":
		switch fn {
		case "time.Now", "time.Since", "time.Until", "time.now", "time.runtimeNow", "time.runtimeNano":
			return Clock
		case "time.Time.Format", "time.Time.AppendFormat", "time.Time.String", "time.Duration.String":
			return Formatting
		}
		return ""
	case "slices":
		name := strings.TrimPrefix(fn, "slices.")
		if strings.HasPrefix(name, "Sort") || strings.HasPrefix(name, "pdqsort") || strings.HasPrefix(name, "stable") || strings.HasPrefix(name, "insertionSort") || strings.HasPrefix(name, "heapSort") {
			return Sorting
		}
		return ""
	}
	for _, e := range packageKinds {
		path, below := strings.CutSuffix(e.path, "/")
		if pkg == path || below && strings.HasPrefix(pkg, e.path) || strings.HasPrefix(e.path, "crypto/internal/") && strings.HasPrefix(pkg, e.path) {
			return e.kind
		}
	}
	return ""
}

// isRuntime reports whether a package is part of the runtime.
func isRuntime(pkg string) bool {
	return pkg == "runtime" || strings.HasPrefix(pkg, "internal/runtime/") || strings.HasPrefix(pkg, "runtime/internal/")
}
