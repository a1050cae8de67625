package why

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"whet/internal/analyze/hot"
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
}

// function is a declared one. All variables of a file count as one called
// "init", since their literals have no other.
type function struct {
	name     string // "F", "(*T).M", "F[...]", as symbols have it behind the package
	path     string // import path, with "_test" for an external test
	file     string // base name
	first    position
	last     position
	literals []literal // in the order of the source
}

type position struct{ line, col int }

func (p position) before(q position) bool {
	return p.line < q.line || p.line == q.line && p.col < q.col
}

type literal struct {
	first, last position
	text        string // without the differences of white space
}

func newTree(t *gobench.Target) *tree {
	tr := &tree{
		finder:   &source.Finder{GOROOT: t.GOROOT, GOMODCACHE: t.GOMODCACHE},
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
		display, module := t.finder.Display(file)
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
func (t *tree) at(file string, p position) *function {
	importPath, base, ok := t.place(file)
	if !ok {
		return nil
	}
	pk := t.pkg(importPath)
	if pk == nil {
		return nil
	}
	for _, f := range pk.files[base] {
		if f.name != initName && !p.before(position{f.first.line, 0}) && p.line <= f.last.line {
			return f
		}
	}
	for _, f := range pk.files[base] {
		if f.name == initName && f.literalAt(p) >= 0 {
			return f
		}
	}
	return nil
}

// dir is where a package of the user's lies, "" when it is none.
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
	p := &pkg{functions: make(map[string][]*function), files: make(map[string][]*function)}
	for _, e := range entries[:min(len(entries), maxFiles)] {
		if filepath.Ext(e.Name()) != ".go" {
			continue
		}
		src, err := t.finder.Read(filepath.Join(dir, e.Name()))
		if err != nil {
			continue
		}
		for _, f := range functionsOf(src) {
			f.file = e.Name()
			f.path = importPath + f.path
			p.files[f.file] = append(p.files[f.file], f)
			p.functions[f.name] = append(p.functions[f.name], f)
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
		if other == nil && name != initName {
			other = f
		}
	}
	return other
}

// initName is the function of package variables.
const initName = "init"

// functionsOf reads a file's functions. Their path is "_test" for an external
// test and "" else.
func functionsOf(src []byte) []*function {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	suffix := ""
	if strings.HasSuffix(file.Name.Name, "_test") {
		suffix = "_test"
	}
	at := func(p token.Pos) position {
		q := fset.PositionFor(p, false)
		return position{q.Line, q.Column}
	}
	variables := &function{name: initName, path: suffix}
	var out []*function
	for _, d := range file.Decls {
		f := variables
		if fd, ok := d.(*ast.FuncDecl); ok {
			if fd.Body == nil {
				continue
			}
			f = &function{name: localName(fd), path: suffix, first: at(fd.Pos()), last: at(fd.End())}
			out = append(out, f)
		}
		ast.Inspect(d, func(n ast.Node) bool {
			if l, ok := n.(*ast.FuncLit); ok {
				text := src[fset.PositionFor(l.Pos(), false).Offset:fset.PositionFor(l.End(), false).Offset]
				f.literals = append(f.literals, literal{first: at(l.Pos()), last: at(l.End()), text: strings.Join(strings.Fields(string(text)), " ")})
			}
			return true
		})
	}
	if len(variables.literals) > 0 {
		out = append(out, variables)
	}
	return out
}

// localName is a function's symbol behind its package.
func localName(fd *ast.FuncDecl) string {
	name := fd.Name.Name
	if fd.Recv == nil || len(fd.Recv.List) == 0 {
		if fd.Type.TypeParams != nil {
			name += "[...]"
		}
		return name
	}
	typ, pointer := ast.Unparen(fd.Recv.List[0].Type), false
	if star, ok := typ.(*ast.StarExpr); ok {
		typ, pointer = ast.Unparen(star.X), true
	}
	generic := ""
	switch g := typ.(type) {
	case *ast.IndexExpr:
		typ, generic = g.X, "[...]"
	case *ast.IndexListExpr:
		typ, generic = g.X, "[...]"
	}
	recv := "?"
	if id, ok := typ.(*ast.Ident); ok {
		recv = id.Name + generic
	}
	if pointer {
		recv = "(*" + recv + ")"
	}
	return recv + "." + name
}

// literalAt is the index of the innermost literal around a position, -1
// outside all. The position where a literal begins is outside it.
func (f *function) literalAt(p position) int {
	best := -1
	for i, l := range f.literals { // an inner one comes later
		if l.first.before(p) && p.before(l.last) {
			best = i
		}
	}
	return best
}

// literalFrom is the index of the first literal that begins on a line.
func (f *function) literalFrom(line int) int {
	return slices.IndexFunc(f.literals, func(l literal) bool { return l.first.line == line })
}
