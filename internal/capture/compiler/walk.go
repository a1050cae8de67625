package compiler

import (
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/packages"

	format "whet/internal/format/compiler"

	"whet/internal/symbolname"
)

// walker collects the calls of one package's files.
type walker struct {
	pkg    *packages.Package
	prefix string            // of the package's symbols
	wanted map[string]string // files; nil: all
	inits  int               // functions called init so far
	vars   variables
}

// around is what encloses a call.
type around struct {
	in      string   // the declared function, as the linker names it
	loop    ast.Node // innermost for statement, or nil
	literal bool     // a function literal lies between
}

func newWalker(p *packages.Package, wanted map[string]string) *walker {
	return &walker{pkg: p, prefix: symbolname.Escape(p.PkgPath), wanted: wanted, vars: variablesOf(p)}
}

// skip passes over a file, but counts its init functions.
func (w *walker) skip(f *ast.File) {
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
			w.inits++
		}
	}
}

// file adds the calls of f to found, by absolute file name. Line directives
// count, as they do in profiles.
func (w *walker) file(f *ast.File, found map[string][]format.Call) {
	for _, d := range f.Decls {
		in := w.prefix + ".init" // initialisers of variables
		if fn, ok := d.(*ast.FuncDecl); ok {
			in = w.declared(fn)
		}
		w.walk(d, around{in: in}, found)
	}
}

// declared is the name the linker gives to a declared function.
func (w *walker) declared(fn *ast.FuncDecl) string {
	if fn.Recv == nil && fn.Name.Name == "init" {
		w.inits++
		return initName(w.prefix, w.inits-1)
	}
	if obj, ok := w.pkg.TypesInfo.Defs[fn.Name].(*types.Func); ok {
		return symbol(obj)
	}
	return w.prefix + "." + fn.Name.Name
}

// walk visits n.
func (w *walker) walk(n ast.Node, at around, found map[string][]format.Call) {
	visit := func(n ast.Node, at around) {
		if n != nil {
			w.walk(n, at, found)
		}
	}
	ast.Inspect(n, func(c ast.Node) bool {
		inside := at
		switch c := c.(type) {
		case *ast.CallExpr:
			w.call(c, at, found)
		case *ast.FuncLit:
			inside.literal = true
			visit(c.Body, inside)
			return false
		case *ast.ForStmt:
			// The first statement runs once; all else each time round.
			inside.loop = c
			if c.Init != nil {
				visit(c.Init, at)
			}
			if c.Cond != nil {
				visit(c.Cond, inside)
			}
			if c.Post != nil {
				visit(c.Post, inside)
			}
			visit(c.Body, inside)
			return false
		case *ast.RangeStmt:
			w.ranged(c, at, found)
			inside.loop = c
			visit(c.X, at)
			for _, e := range []ast.Expr{c.Key, c.Value} {
				if e != nil {
					visit(e, inside)
				}
			}
			visit(c.Body, inside)
			return false
		}
		return true
	})
}

// position returns a node's line and its file; wanted is false for a file that
// nobody asked for.
func (w *walker) position(n ast.Node) (name string, line int, wanted bool) {
	pos := w.pkg.Fset.Position(n.Pos())
	name = pos.Filename
	if !filepath.IsAbs(name) {
		// A relative name in a line directive is relative to its file.
		if f := w.pkg.Fset.File(n.Pos()); f != nil {
			name = filepath.Join(filepath.Dir(f.Name()), name)
		}
	}
	name = filepath.Clean(name)
	_, wanted = w.wanted[name]
	return name, pos.Line, wanted || w.wanted == nil
}

// ranged notes what a range statement goes over: its underlying type, which
// says whether the number of rounds is known before the first.
func (w *walker) ranged(r *ast.RangeStmt, at around, found map[string][]format.Call) {
	name, line, wanted := w.position(r)
	t := w.pkg.TypesInfo.TypeOf(r.X)
	if !wanted || t == nil {
		return
	}
	found[name] = append(found[name], format.Call{
		Line: line, EndLine: w.pkg.Fset.Position(r.X.End()).Line, In: at.in, Callee: format.Range,
		Args: []string{typeName(t.Underlying())}, Basic: []bool{isBasic(t.Underlying())}, InLoop: at.loop != nil,
	})
}

func (w *walker) call(c *ast.CallExpr, at around, found map[string][]format.Call) {
	name, line, wanted := w.position(c)
	if !wanted {
		return
	}
	info := w.pkg.TypesInfo
	call := format.Call{
		Line: line, EndLine: w.pkg.Fset.Position(c.Rparen).Line,
		In: at.in, Callee: callee(info, c), InLoop: at.loop != nil,
		Args: []string{}, Basic: []bool{},
	}
	add := func(t types.Type, spread string) {
		call.Args = append(call.Args, typeName(t)+spread)
		call.Basic = append(call.Basic, spread == "" && isBasic(t))
	}
	layout := func(t types.Type) {
		call.Pointee = append(call.Pointee, w.pointee(t))
		call.Plain = append(call.Plain, isPlain(t, maxNested))
	}
	for i, arg := range c.Args {
		t := info.TypeOf(arg)
		if tuple, ok := t.(*types.Tuple); ok { // f(g())
			for v := range tuple.Variables() {
				add(v.Type(), "")
				layout(v.Type())
			}
			continue
		}
		spread := ""
		if c.Ellipsis != token.NoPos && i == len(c.Args)-1 {
			spread = "..."
		}
		add(t, spread)
		if info.Types[arg].IsType() { // make(T, n)
			t = nil
		}
		layout(t)
	}
	if !slices.ContainsFunc(call.Pointee, func(n int64) bool { return n != 0 }) {
		call.Pointee = nil
	}
	if !slices.Contains(call.Plain, true) {
		call.Plain = nil
	}
	call.Format = constantFormat(info, c)
	call.Fixed = w.vars.arguments(c, at)
	call.Recv = w.vars.receiver(c)
	found[name] = append(found[name], call)
}
