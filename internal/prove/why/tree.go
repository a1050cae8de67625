package why

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/format/gosource"
	"whet/internal/gobench"
	"whet/internal/source"
)

// maxFiles of a package are read.
const maxFiles = 4000

// tree is the source of one side: the modules that the user owns.
type tree struct {
	finder   *source.Finder
	own      []gobench.OwnModule
	loops    hot.Loops
	looked   map[string]bool     // files of frames that loops were looked for in
	packages map[string]*pkg     // by import path, nil where there is none
	places   map[string][]string // package and base name of a frame's file
}

// pkg is the functions of one directory, those of its tests included.
type pkg struct {
	functions map[string][]*function // by name: build tags may choose among several
	files     map[string][]*function
	sources   map[string][]*gosource.Function // of files, by base name
}

// function is a declared one.
type function struct {
	*gosource.Function
	path string // import path, with "_test" for an external test
	file string // base name
}

func newTree(t *gobench.Target) *tree {
	tr := &tree{
		finder:   &source.Finder{GOROOT: t.GOROOT, GOMODCACHE: t.GOMODCACHE, Workspace: t.Workspace},
		own:      t.Own,
		looked:   make(map[string]bool),
		packages: make(map[string]*pkg), places: make(map[string][]string),
	}
	for _, m := range t.Own {
		tr.finder.Modules = append(tr.finder.Modules, source.Module{Path: m.Path, Dir: m.Dir, Main: true})
	}
	return tr
}

// place returns the import path and the base name of one of the user's files,
// given as a frame or the compiler names it.
func (t *tree) place(file string) (importPath, base string, ok bool) {
	have, seen := t.places[file]
	if !seen {
		display, module := t.finder.InModule(file)
		if slices.ContainsFunc(t.own, func(m gobench.OwnModule) bool { return m.Path == module }) {
			if module == source.StandardLibrary {
				have = []string{path.Dir(strings.TrimPrefix(display, "$GOROOT/src/")), path.Base(display)}
			} else {
				have = []string{path.Join(module, path.Dir(display)), path.Base(display)}
			}
		}
		t.places[file] = have
	}
	if have == nil {
		return "", "", false
	}
	return have[0], have[1], true
}

// addLoops looks for measured loops in a file of the user's.
func (t *tree) addLoops(file string) {
	if t.looked[file] {
		return
	}
	t.looked[file] = true
	if _, _, ok := t.place(file); !ok {
		return
	}
	if src, err := t.finder.Read(file); err == nil {
		// A file that does not parse has no loops: Classified.LoopsKnown says so.
		_ = t.loops.AddFile(file, src)
	}
}

// at returns the function that a line of one of the user's files lies in, nil
// where that is not known.
func (t *tree) at(file string, p gosource.Position) *function {
	importPath, base, ok := t.place(file)
	if !ok {
		return nil
	}
	pk := t.pkg(importPath)
	if pk == nil {
		return nil
	}
	at := gosource.At(pk.sources[base], p)
	i := slices.IndexFunc(pk.files[base], func(f *function) bool { return f.Function == at })
	if i < 0 {
		return nil
	}
	return pk.files[base][i]
}

// dir returns where a package of the user's lies, "" when it is none.
func (t *tree) dir(importPath string) string {
	best, length := "", -1
	for _, m := range t.own {
		rest, ok := strings.CutPrefix(importPath+"/", m.Path+"/")
		if m.Path == source.StandardLibrary {
			rest, ok = importPath, true
		}
		if ok && len(m.Path) > length && filepath.IsLocal(filepath.Join(".", filepath.FromSlash(rest))) {
			best, length = filepath.Join(m.Dir, filepath.FromSlash(rest)), len(m.Path)
		}
	}
	return best
}

// pkg reads the package with that import path, nil where there is none.
func (t *tree) pkg(importPath string) *pkg {
	if p, ok := t.packages[importPath]; ok {
		return p
	}
	t.packages[importPath] = nil
	dir := t.dir(importPath)
	if dir == "" {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	p := &pkg{functions: make(map[string][]*function), files: make(map[string][]*function), sources: make(map[string][]*gosource.Function)}
	for _, e := range entries[:min(len(entries), maxFiles)] {
		if filepath.Ext(e.Name()) != ".go" {
			continue
		}
		src, err := t.finder.Read(filepath.Join(dir, e.Name()))
		if err != nil {
			continue
		}
		functions, external := gosource.Functions(src)
		in := importPath
		if external {
			in += "_test"
		}
		p.sources[e.Name()] = functions
		for _, f := range functions {
			fn := &function{f, in, e.Name()}
			p.files[fn.file] = append(p.files[fn.file], fn)
			p.functions[fn.Name] = append(p.functions[fn.Name], fn)
		}
	}
	if len(p.files) == 0 {
		return nil
	}
	t.packages[importPath] = p
	return p
}

// find returns the function of that name, of the named file rather than of
// another, nil where there is none.
func (t *tree) find(importPath, name, file string) *function {
	dir, external := strings.CutSuffix(importPath, "_test")
	p := t.pkg(dir)
	if p == nil {
		return nil
	}
	var other *function
	for _, f := range p.functions[name] {
		if strings.HasSuffix(f.path, "_test") != external {
			continue
		}
		if f.file == file {
			return f
		}
		if other == nil && name != gosource.Init {
			other = f
		}
	}
	return other
}
