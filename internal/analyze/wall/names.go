package wall

import "strings"

// packageOf returns the import path in a linker symbol: what precedes the
// first point after the last slash, where type arguments do not count.
func packageOf(name string) string {
	head, _, _ := strings.Cut(name, "[")
	slash := strings.LastIndexByte(head, '/') + 1
	if dot := strings.IndexByte(head[slash:], '.'); dot >= 0 {
		return head[:slash+dot]
	}
	return head
}

// isStandard goes by the first element of the path: a module outside of the
// standard library has a point in it, or a name of its own.
func isStandard(pkg string) bool {
	first, _, _ := strings.Cut(pkg, "/")
	return standard[first]
}

var standard = set("archive", "bufio", "bytes", "cmp", "compress", "container", "context", "crypto", "database", "debug", "embed", "encoding",
	"errors", "expvar", "flag", "fmt", "go", "hash", "html", "image", "index", "internal", "io", "iter", "log", "maps", "math", "mime", "net", "os",
	"path", "plugin", "reflect", "regexp", "runtime", "slices", "sort", "strconv", "strings", "structs", "sync", "syscall", "testing", "text",
	"time", "unicode", "unique", "unsafe", "vendor", "weak", "type")

func isRuntime(pkg string) bool {
	return pkg == "runtime" || strings.HasPrefix(pkg, "internal/runtime")
}

// isMechanism recognises packages whose functions say how a goroutine waits and
// not for what.
func isMechanism(pkg string) bool {
	return pkg == "runtime" || pkg == "sync" || pkg == "syscall" || strings.HasPrefix(pkg, "internal/")
}

var parking = []string{"sync.runtime_", "internal/sync.runtime_", "internal/sync.(*Mutex).", "internal/poll.runtime_", "internal/poll.(*pollDesc)."}

// isParking recognises the frames between a place that waits and the scheduler.
func isParking(name string) bool {
	switch name {
	case "runtime.gopark", "runtime.goparkunlock", "runtime.netpollblock", "runtime.semacquire1", "runtime.chanrecv", "runtime.chansend":
		return true
	}
	return hasAnyPrefix(name, parking)
}

// wrapper cuts the name of the function that the compiler makes for a go
// statement with arguments.
func wrapper(name string) (function string, cut bool) {
	at := strings.LastIndex(name, ".gowrap")
	if at < 0 || strings.Trim(name[at+len(".gowrap"):], "0123456789") != "" {
		return name, false
	}
	return name[:at], true
}

// isLauncher recognises functions that begin a goroutine for the function they
// are given, and wrappers that the compiler makes for go statements.
func isLauncher(name string) bool {
	if _, ok := wrapper(name); ok {
		return true
	}
	return strings.HasPrefix(name, "sync.(*WaitGroup).Go.func") || strings.HasPrefix(name, "golang.org/x/sync/errgroup.(*Group).")
}
