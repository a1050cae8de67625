package source

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// readTree reads what the go.work and go.mod at or above a directory say of
// modules: which the user works on, which are replaced, which are vendored.
func (r *Resolver) readTree(dir string) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return
	}
	root := above(dir, "go.mod")
	work := "" // the directory of the workspace's file
	file := os.Getenv("GOWORK")
	switch {
	case file == "off":
	case filepath.IsAbs(file):
		work = filepath.Dir(file)
	default:
		if work = above(dir, "go.work"); work != "" {
			file = filepath.Join(work, "go.work")
		}
	}
	if work != "" {
		data, err := readSmall(file)
		if err != nil {
			r.warnings = append(r.warnings, err.Error())
			work = ""
		}
		f := parseMod(data)
		var used []string
		for _, use := range f.uses {
			at := filepath.FromSlash(use)
			if !filepath.IsAbs(at) {
				at = filepath.Join(work, at)
			}
			used = append(used, at)
		}
		// As the go command: a module outside of the workspace above it stands
		// alone.
		if root != "" && !slices.Contains(used, root) {
			work = ""
		} else {
			for _, at := range used {
				r.readModule(at, false)
			}
			r.Workspace = work
			r.replace(f, work)
			r.readVendor(work)
		}
	}
	if work == "" && root != "" {
		r.readModule(root, true)
		r.readVendor(root)
	}
}

// above returns the nearest directory at or above dir that holds a file.
func above(dir, name string) string {
	for {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// readModule adds the user's module in a directory. What it replaces counts in
// a workspace, too.
func (r *Resolver) readModule(dir string, alone bool) {
	data, err := readSmall(filepath.Join(dir, "go.mod"))
	if err != nil {
		r.warnings = append(r.warnings, err.Error())
		return
	}
	f := parseMod(data)
	if f.module == "" {
		r.warnings = append(r.warnings, fmt.Sprintf("%s names no module", filepath.Join(dir, "go.mod")))
		return
	}
	r.Modules = slices.DeleteFunc(r.Modules, func(m Module) bool { return m.Path == f.module })
	r.Modules = append(r.Modules, Module{Path: f.module, Dir: dir, Main: true})
	if alone {
		for _, q := range f.requires {
			r.setModule(Module{Path: q.path, Version: q.version, Dir: r.cached(q.path, q.version)})
		}
	}
	r.replace(f, dir)
}

func (r *Resolver) replace(f modFile, dir string) {
	for _, p := range f.replaces {
		m := Module{Path: p.old.path, Version: p.old.version, Replaced: true}
		if i := slices.IndexFunc(r.Modules, func(have Module) bool { return have.Path == m.Path }); i >= 0 {
			if have := r.Modules[i].Version; m.Version != "" && have != "" && have != m.Version {
				continue // another version is replaced
			} else if m.Version == "" {
				m.Version = have
			}
		}
		switch {
		case !isDir(p.new.path):
			m.Dir = r.cached(p.new.path, p.new.version)
		case filepath.IsAbs(filepath.FromSlash(p.new.path)):
			m.Dir = filepath.FromSlash(p.new.path)
		default:
			m.Dir = filepath.Join(dir, filepath.FromSlash(p.new.path))
		}
		r.setModule(m)
	}
}

// readVendor adds what modules.txt lists: "# example.com/m v1.2.3".
func (r *Resolver) readVendor(root string) {
	data, err := readSmall(filepath.Join(root, "vendor", "modules.txt"))
	if err != nil {
		return // not vendored
	}
	r.VendorDir = filepath.Join(root, "vendor")
	for line := range strings.Lines(string(data)) {
		rest, ok := strings.CutPrefix(line, "# ")
		if !ok {
			continue
		}
		fields := strings.Fields(rest)
		if len(fields) < 2 || fields[1] == "=>" {
			continue
		}
		// The copy in vendor is what is built, also of what is replaced.
		at := filepath.Join(r.VendorDir, filepath.FromSlash(fields[0]))
		if filepath.IsLocal(filepath.FromSlash(fields[0])) {
			r.setModule(Module{Path: fields[0], Version: fields[1], Dir: at, Replaced: true})
		}
	}
}

// modFile is what matters here of a go.mod or go.work.
type modFile struct {
	module   string
	uses     []string
	requires []modVersion
	replaces []replacement
}

type modVersion struct{ path, version string }

type replacement struct{ old, new modVersion }

// parseMod reads the lines and blocks of a go.mod or go.work. Lines it does
// not know are none of its business.
func parseMod(data []byte) modFile {
	var f modFile
	block := ""
	for line := range strings.Lines(string(data)) {
		words := modWords(line)
		switch {
		case len(words) == 0:
		case block != "" && words[0] == ")":
			block = ""
		case block != "":
			f.add(block, words)
		case len(words) == 2 && words[1] == "(":
			block = words[0]
		default:
			f.add(words[0], words[1:])
		}
	}
	return f
}

func (f *modFile) add(verb string, words []string) {
	version := func(words []string) modVersion {
		v := modVersion{path: words[0]}
		if len(words) > 1 {
			v.version = words[1]
		}
		return v
	}
	switch {
	case len(words) == 0:
	case verb == "module":
		f.module = words[0]
	case verb == "use":
		f.uses = append(f.uses, words[0])
	case verb == "require":
		f.requires = append(f.requires, version(words))
	case verb == "replace":
		if i := slices.Index(words, "=>"); i > 0 && i+1 < len(words) {
			f.replaces = append(f.replaces, replacement{version(words[:i]), version(words[i+1:])})
		}
	}
}

// modWords splits a line into words, which may be quoted, up to a comment.
func modWords(line string) []string {
	var out []string
	for {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "//") {
			return out
		}
		if line[0] == '"' || line[0] == '`' {
			quoted, err := strconv.QuotedPrefix(line)
			if err != nil {
				return out
			}
			word, err := strconv.Unquote(quoted)
			if err != nil {
				return out
			}
			out, line = append(out, word), line[len(quoted):]
			continue
		}
		end := strings.IndexAny(line, " \t\r\n\"`")
		if end < 0 {
			end = len(line)
		}
		if c := strings.Index(line[:end], "//"); c > 0 {
			return append(out, line[:c])
		}
		out, line = append(out, line[:end]), line[end:]
	}
}
