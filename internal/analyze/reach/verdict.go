package reach

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"strings"
)

// use is what code does beside computing.
type use uint8

const (
	opens  use = 1 << iota // files by name
	lists                  // directories
	starts                 // programs
	tells                  // what it was built of
	places                 // which function and line of the source it runs
	counts                 // methods of types, or goes through them one by one
	stacks                 // the places of all goroutines
	self                   // how the program was called, which is the name of its file
)

// countsMethods reports whether a method of reflect.Type, in lower case, goes
// through the methods of a type one by one or counts them. It is called through the
// interface, or by its symbol where the compiler knows the type.
func countsMethods(name string) bool {
	switch name {
	case "nummethod", "implements", "assignableto", "convertibleto":
		return true
	}
	return false
}

// useOf tells by a symbol's name what referring to it may do. The functions of
// the standard library that open what they are told to are here; those that read
// the system's own files are not. Case does not count: the compiler inlines
// os.DirFS, say, and its caller refers to the type os.dirFS.
func useOf(symbol string) use {
	symbol, _, _ = strings.Cut(strings.TrimPrefix(strings.TrimPrefix(symbol, "go:itab."), "type:"), ",")
	symbol = strings.TrimSuffix(strings.TrimPrefix(symbol, "*"), "·f")
	pkg, name := "", symbol
	if i := strings.LastIndexByte(symbol, '/'); i >= 0 {
		pkg, name = symbol[:i+1], symbol[i+1:]
	}
	last, name, ok := strings.Cut(name, ".")
	if !ok {
		return 0
	}
	name = strings.ToLower(name)
	name = strings.TrimSuffix(name, "-fm") // of a method's value
	begins := func(prefixes ...string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
	}
	switch pkg + last {
	case "os":
		switch {
		case begins("startprocess", "executable"):
			return starts
		case begins("readdir", "(*file).readdir", "dirfs", "copyfs", "openroot", "openinroot"):
			return opens | lists
		case begins("open", "readfile", "stat", "lstat", "readlink"):
			return opens
		case name == "args":
			return self
		}
	case "os/exec", "net/http/cgi":
		return starts
	case "reflect":
		_, method, _ := strings.Cut(name, ".")
		if countsMethods(method) || begins("implements", "value.set", "value.convert", "value.canconvert", "value.call", "value.mapindex", "value.send", "value.trysend", "append", "select", "makefunc") {
			return counts
		}
	case "errors":
		if begins("as") {
			return counts
		}
	case "encoding/json":
		if begins("unmarshal", "newdecoder", "(*decoder)", "decoder", "(*decodestate)", "decodestate") {
			return counts
		}
	case "encoding/xml", "encoding/gob", "encoding/json/v2", "database/sql", "database/sql/driver", "net/rpc", "net/rpc/jsonrpc", "testing/quick": // they ask for each value
		return counts
	case "runtime":
		switch {
		case name == "stack" || !strings.HasSuffix(name, "rate") && begins("goroutineprofile", "memprofile", "blockprofile", "mutexprofile", "threadcreateprofile"):
			return places | stacks
		case begins("caller", "(*frames)", "funcforpc", "(*func)"):
			return places
		}
	case "runtime/pprof":
		if !begins("do", "with", "label", "set", "forlabels") {
			return places | stacks
		}
	case "runtime/trace":
		if name == "start" || begins("(*flightrecorder)", "newflightrecorder", "(*tracemultiplexer)") {
			return places | stacks
		}
	case "net/http/pprof":
		return places | stacks
	case "log":
		return places
	case "log/slog":
		if begins("newjsonhandler", "newtexthandler", "jsonhandler", "texthandler") || strings.HasSuffix(name, ".source") {
			return places
		}
	case "runtime/debug":
		switch {
		case begins("stack", "printstack"):
			return places
		case begins("readbuildinfo"):
			return tells
		}
	case "syscall", "golang.org/x/sys/unix", "golang.org/x/sys/windows":
		switch {
		case begins("forkexec", "exec", "startprocess", "createprocess"):
			return starts
		case begins("open", "createfile", "getdents", "readdirent", "stat", "lstat", "fstatat", "readlink", "access", "faccessat", "findfirstfile", "getfileattributes") || strings.Contains(name, "syscall"):
			return opens | lists
		}
	case "io/ioutil", "path/filepath", "io/fs":
		switch {
		case begins("readfile", "evalsymlinks", "walksymlinks"):
			return opens
		case begins("readdir", "walk", "glob"):
			return opens | lists
		}
	case "go/parser":
		switch {
		case begins("parsefile"):
			return opens
		case begins("parsedir"):
			return opens | lists
		}
	case "go/build", "go/importer", "plugin":
		return starts
	case "html/template", "text/template": // they ask for each value
		switch {
		case strings.Contains(name, "parsefiles"):
			return opens | counts
		case strings.Contains(name, "parseglob") || strings.Contains(name, "parsefs"):
			return opens | lists | counts
		}
		return counts
	case "net/http":
		if begins("file", "servefile", "newfiletransport", "dir") || strings.HasSuffix(name, "tls") {
			return opens | lists
		}
	case "crypto/tls":
		if begins("loadx509keypair") {
			return opens
		}
	case "archive/zip", "debug/elf", "debug/macho", "debug/pe", "debug/plan9obj", "debug/buildinfo":
		if begins("open", "readfile") {
			return opens
		}
	}
	return 0
}

// OtherDifferences are the differences between the sides other than code.
type OtherDifferences struct {
	// File is the name of a differing file beside the package; "": none.
	File string
	// Files returns the names of files, without their directories, that a benchmark
	// might read. It is called at most once.
	Files func() []string
	// BuildInfo reports a difference in the binaries' build info.
	BuildInfo bool
}

// verdict returns the verdict of what was reached.
func (w *walk) verdict(beside OtherDifferences) Verdict {
	switch {
	case w.why != "":
		return Verdict{Why: w.why}
	case w.uses&tells != 0 && beside.BuildInfo:
		return Verdict{Why: "it may read its build info, which differs"}
	case w.uses&places != 0 && (w.moved || w.mainMoved && (w.tellsBefore || w.uses&stacks != 0)):
		return Verdict{Why: "it may read its place in the source, which differs"}
	case w.uses&starts != 0:
		return Verdict{Why: "it may start programs"}
	case w.uses&opens == 0:
		return Verdict{Same: true}
	case w.uses&self != 0 || w.mentions([]string{"/proc/"}) != "":
		return Verdict{Why: "it may read the file of its own program"}
	}
	if beside.File != "" {
		return Verdict{Why: "it may read files, and " + beside.File + " differs"}
	}
	differ := beside.Files()
	if len(differ) > 0 && w.uses&lists != 0 {
		return Verdict{Why: "it may list directories, and " + differ[0] + " differs"}
	}
	if name := w.mentions(differ); name != "" {
		return Verdict{Why: "it may read the file " + name + ", which differs"}
	}
	return Verdict{Same: true}
}

// mentions returns the first of the names that stands in what was reached of
// data outside of the standard library. The ending, unless it is that of a source
// file, and a number before it may be put to it as the benchmark runs.
func (w *walk) mentions(names []string) string {
	if len(names) == 0 {
		return ""
	}
	s := w.t.search(names)
	look := func(n node) {
		if w.bits[n]&visited != 0 && !s.done[n] {
			s.done[n] = true
			s.look(w.t, n)
		}
	}
	if slices.Contains(w.searched, s) {
		for _, n := range w.changed { // the others were looked through
			look(n)
		}
	} else {
		w.searched = append(w.searched, s)
		for n := range w.bits {
			look(node(n))
		}
	}
	first := ""
	for n, found := range s.found {
		if w.bits[n]&visited != 0 && (first == "" || found < first) {
			first = found
		}
	}
	return first
}

// search is for names in data: each node is looked through once, whatever
// benchmarks reach it.
type search struct {
	names []string        // sorted
	stems []string        // of the names: what stands in data
	done  []bool          // by node
	found map[node]string // the first of the names, by node that has any
}

// search returns the one for these names.
func (t *Table) search(names []string) *search {
	key := strings.Join(names, "\x00")
	s := t.searches[key]
	if s == nil {
		s = &search{names: slices.Sorted(slices.Values(names)), found: make(map[node]string)}
		for _, name := range s.names {
			stem := name
			if ext := path.Ext(name); ext != ".go" && ext != name {
				stem = strings.TrimRight(strings.TrimSuffix(name, ext), "0123456789")
			}
			s.stems = append(s.stems, stem)
		}
		t.searches[key] = s
	}
	s.done = append(s.done, make([]bool, len(t.names)-len(s.done))...)
	return s
}

// look looks the data of a node through.
func (s *search) look(t *Table, n node) {
	d := t.defs[n]
	if d.pkg == 0 {
		return
	}
	o := t.object(d)
	if t.packages[d.pkg-1].trusted || o.Symbol(int(d.symbol)).IsText() {
		return
	}
	data := o.Data(int(d.symbol))
	if i := slices.IndexFunc(s.stems, func(stem string) bool { return hasName(data, stem) }); i >= 0 {
		s.found[n] = s.names[i]
	}
}

// hasName reports whether a name stands in data, and not as a part of a word. A verb of
// a format before it is none.
func hasName(data []byte, name string) bool {
	letter := func(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' || b >= 0x80 }
	for at := 0; ; at++ {
		i := bytes.Index(data[at:], []byte(name))
		if i < 0 {
			return false
		}
		at += i
		end := at + len(name)
		before := at > 0 && len(name) > 0 && letter(name[0]) && letter(data[at-1]) && !bytes.HasSuffix(bytes.TrimRight(data[:at-1], "+-# 0123456789.*[]"), []byte("%"))
		after := end < len(data) && len(name) > 0 && letter(name[len(name)-1]) && letter(data[end])
		if !before && !after {
			return true
		}
	}
}

// change remembers a node as it is, before it changes.
func (w *walk) change(n node) {
	w.changed = append(w.changed, n)
	w.before = append(w.before, w.bits[n])
}

// mark returns the state to come back to. What is known by node changes from it on
// in a way that reset undoes.
func (w *walk) mark() state {
	w.changed, w.before = w.changed[:0], w.before[:0]
	s := w.state
	s.queue, s.methods, s.weak = slices.Clone(s.queue), slices.Clone(s.methods), s.weak[:len(s.weak):len(s.weak)]
	s.called, s.named, s.asked, s.apart = slices.Clone(s.called), slices.Clone(s.named), slices.Clone(s.asked), maps.Clone(s.apart)
	return s
}

// reset comes back to it.
func (w *walk) reset(s state) {
	for i := len(w.changed) - 1; i >= 0; i-- {
		n, b := w.changed[i], w.before[i]
		w.bits[n] = b
		if b&reached == 0 && w.partner[n] != 0 {
			w.back[w.partner[n]], w.partner[n] = 0, 0
		}
	}
	w.state = s
}
