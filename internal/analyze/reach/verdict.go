package reach

import (
	"bytes"
	"maps"
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
)

// useOf tells by a function's name what calling it may do. The functions of the
// standard library that open what they are told to are here; those that read the
// system's own files are not.
func useOf(symbol string) use {
	pkg, name := "", symbol
	if i := strings.LastIndexByte(symbol, '/'); i >= 0 {
		pkg, name = symbol[:i+1], symbol[i+1:]
	}
	last, name, ok := strings.Cut(name, ".")
	if !ok {
		return 0
	}
	switch pkg + last {
	case "os":
		switch name {
		case "StartProcess":
			return starts
		case "Open", "OpenFile", "ReadFile", "Stat", "Lstat", "Readlink":
			return opens
		case "ReadDir", "DirFS", "CopyFS", "OpenRoot", "OpenInRoot", "(*File).ReadDir", "(*File).Readdir", "(*File).Readdirnames":
			return opens | lists
		}
	case "os/exec":
		return starts
	case "runtime/debug":
		if name == "ReadBuildInfo" {
			return tells
		}
	case "syscall", "golang.org/x/sys/unix", "golang.org/x/sys/windows":
		switch {
		case strings.HasPrefix(name, "ForkExec") || strings.HasPrefix(name, "Exec") || strings.HasPrefix(name, "StartProcess") || strings.HasPrefix(name, "CreateProcess"):
			return starts
		case strings.HasPrefix(name, "Open") || strings.HasPrefix(name, "CreateFile") || strings.HasPrefix(name, "Getdents") || strings.HasPrefix(name, "ReadDirent") || strings.Contains(name, "Syscall"):
			return opens | lists
		}
	case "io/ioutil", "path/filepath", "io/fs":
		switch name {
		case "ReadFile":
			return opens
		case "ReadDir", "Walk", "WalkDir", "Glob":
			return opens | lists
		}
	case "go/parser":
		switch name {
		case "ParseFile":
			return opens
		case "ParseDir":
			return opens | lists
		}
	case "go/build", "go/importer", "plugin":
		return starts
	case "html/template", "text/template":
		if strings.Contains(name, "ParseFiles") {
			return opens
		}
		if strings.Contains(name, "ParseGlob") || strings.Contains(name, "ParseFS") {
			return opens | lists
		}
	case "net/http":
		if name == "FileServer" || name == "ServeFile" || strings.HasSuffix(name, "TLS") {
			return opens | lists
		}
	case "crypto/tls":
		if name == "LoadX509KeyPair" {
			return opens
		}
	case "archive/zip", "debug/elf", "debug/macho", "debug/pe", "debug/plan9obj", "debug/buildinfo":
		if name == "Open" || name == "OpenReader" || name == "ReadFile" {
			return opens
		}
	}
	return 0
}

// Beside is what differs between the sides beside their code.
type Beside struct {
	// File is the name of one beside the package that differs; "": none does.
	File string
	// Files returns the names of files, without their directories, that a
	// benchmark might read. It is asked once, if at all.
	Files func() []string
	// BuildInfo: what the binaries say of themselves.
	BuildInfo bool
}

// verdict is that of what was reached.
func (w *walk) verdict(beside Beside) Verdict {
	switch {
	case w.why != "":
		return Verdict{Why: w.why}
	case w.uses&tells != 0 && beside.BuildInfo:
		return Verdict{Why: "it may read its build info"}
	case w.uses&starts != 0:
		return Verdict{Why: "it may start programs"}
	case w.uses&opens == 0:
		return Verdict{Same: true}
	}
	if beside.File != "" {
		return Verdict{Why: "it may read files, and " + beside.File + " differs"}
	}
	differ := beside.Files()
	if len(differ) > 0 && w.uses&lists != 0 {
		return Verdict{Why: "it may list directories, and " + differ[0] + " differs"}
	}
	if name := w.mentions(differ); name != "" {
		return Verdict{Why: "it may read the file " + name}
	}
	return Verdict{Same: true}
}

// mentions returns the first of the names that stands in what was reached of
// data outside of the standard library.
func (w *walk) mentions(names []string) string {
	if len(names) == 0 {
		return ""
	}
	found := make(map[string]bool)
	for n, b := range w.bits {
		d := w.t.defs[n]
		if b&visited == 0 || d.pkg == 0 {
			continue
		}
		o := w.t.object(d)
		if w.t.packages[d.pkg-1].trusted || o.Symbol(int(d.symbol)).IsText() {
			continue
		}
		data := o.Data(int(d.symbol))
		for _, name := range names {
			if bytes.Contains(data, []byte(name)) {
				found[name] = true
			}
		}
	}
	if all := slices.Sorted(maps.Keys(found)); len(all) > 0 {
		return all[0]
	}
	return ""
}

// change remembers a node as it is, before it changes.
func (w *walk) change(n node) {
	w.changed = append(w.changed, n)
	w.before = append(w.before, w.bits[n])
}

// mark is the state to come back to. What is known by node changes from it on
// in a way that reset undoes.
func (w *walk) mark() state {
	w.changed, w.before = w.changed[:0], w.before[:0]
	s := w.state
	s.queue, s.methods, s.weak = slices.Clone(s.queue), slices.Clone(s.methods), s.weak[:len(s.weak):len(s.weak)]
	s.called, s.named = maps.Clone(s.called), maps.Clone(s.named)
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
