package collections

import (
	"errors"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"whet/internal/diagnose"
	"whet/internal/symbolname"
)

// Package is the source of one package of the user's own, with its types as far
// as they are known.
type Package struct {
	Path string
	// Collections are the variables and fields of it that are maps or slices, in
	// the order of their first use.
	Collections []*Collection

	subject *diagnose.Subject
	types   *types.Package
	info    *types.Info
	parent  map[ast.Node]ast.Node
	file    map[*ast.File]string // as the frames have it
	known   map[*types.Var]*Collection
	owner   map[*types.Var]*types.Named // of fields
	lines   map[diagnose.SourceLine]*line
	stands  map[ast.Expr]bool // values that uses stand for
	scoped  map[*types.Named]bool
	defined map[types.Object]*ast.Ident
	used    map[types.Object][]*ast.Ident // without what defines them
	runs    map[*ast.FuncLit]bool
	hands   []handed
}

// checker type-checks packages of the user's own.
type checker struct {
	subject *diagnose.Subject
	files   map[string][]string // frames' files by package
	done    map[string]*types.Package
}

func newChecker(s *diagnose.Subject) *checker {
	c := &checker{subject: s, files: make(map[string][]string), done: make(map[string]*types.Package)}
	for _, file := range slices.Sorted(maps.Keys(s.Calls)) {
		if calls := s.Calls[file]; len(calls) > 0 {
			path := symbolname.Package(calls[0].In)
			c.files[path] = append(c.files[path], file)
		}
	}
	return c
}

var errNotOwn = errors.New("not the user's own")

// Import returns the declarations of a package of the user's own. For any other
// it fails, and the type checker goes on without.
func (c *checker) Import(path string) (*types.Package, error) {
	if p, ok := c.done[path]; ok {
		if p == nil {
			return nil, errNotOwn // or a test's cycle
		}
		return p, nil
	}
	c.done[path] = nil
	if len(c.files[path]) == 0 {
		return nil, errNotOwn
	}
	p, _ := c.check(path, true, nil)
	if p == nil {
		return nil, errNotOwn
	}
	c.done[path] = p
	return p, nil
}

// check reads a package. Errors are expected: most of what it imports is not
// there.
func (c *checker) check(path string, declarationsOnly bool, info *types.Info) (*types.Package, map[*ast.File]string) {
	names := make(map[*ast.File]string)
	var files []*ast.File
	var fset *token.FileSet // of any of them: they have one
	for _, name := range c.files[path] {
		if of, f := c.subject.Parsed(name); f != nil {
			fset = of
			files = append(files, f)
			names[f] = name
		}
	}
	if len(files) == 0 {
		return nil, nil
	}
	conf := types.Config{Importer: c, IgnoreFuncBodies: declarationsOnly, FakeImportC: true, Error: func(error) {}}
	return typed(&conf, path, fset, files, info), names
}

// typed runs the type checker. It is made for code that compiles, and what a
// recording holds is half of a program, or anything: where it fails on it, the
// package is not known.
func typed(conf *types.Config, path string, fset *token.FileSet, files []*ast.File, info *types.Info) (p *types.Package) {
	defer func() {
		if recover() != nil {
			p = nil
		}
	}()
	p, _ = conf.Check(path, fset, files, info) // its errors are what is not there
	return p
}

// read reads a package and the uses of its collections; nil where none of its
// source is at hand.
func (c *checker) read(path string) *Package {
	p := &Package{
		Path: path, subject: c.subject, parent: make(map[ast.Node]ast.Node),
		known: make(map[*types.Var]*Collection), owner: make(map[*types.Var]*types.Named), lines: make(map[diagnose.SourceLine]*line), stands: make(map[ast.Expr]bool), scoped: make(map[*types.Named]bool), defined: make(map[types.Object]*ast.Ident),
		used: make(map[types.Object][]*ast.Ident), runs: make(map[*ast.FuncLit]bool),
		info: &types.Info{
			Types: make(map[ast.Expr]types.TypeAndValue), Defs: make(map[*ast.Ident]types.Object), Uses: make(map[*ast.Ident]types.Object),
		},
	}
	p.types, p.file = c.check(path, false, p.info)
	if p.types == nil {
		return nil
	}
	for id, obj := range p.info.Defs {
		if obj != nil {
			p.defined[obj] = id
			p.fields(obj)
		}
	}
	for id, obj := range p.info.Uses {
		if fn, ok := obj.(*types.Func); ok {
			obj = fn.Origin()
		}
		p.used[obj] = append(p.used[obj], id)
	}
	files := slices.SortedFunc(maps.Keys(p.file), func(a, b *ast.File) int {
		return slices.Index(c.files[path], p.file[a]) - slices.Index(c.files[path], p.file[b])
	})
	for _, f := range files {
		p.parents(f)
	}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				p.identifier(p.file[f], id)
			}
			return true
		})
	}
	p.follow()
	for _, f := range files {
		p.readLines(f)
	}
	return p
}

// fields notes to which struct type fields belong.
func (p *Package) fields(obj types.Object) {
	name, ok := obj.(*types.TypeName)
	if !ok || name.IsAlias() {
		return
	}
	named, ok := name.Type().(*types.Named)
	if !ok {
		return
	}
	if st, ok := named.Underlying().(*types.Struct); ok {
		for f := range st.Fields() {
			p.owner[f] = named
		}
	}
}

func (p *Package) parents(f *ast.File) {
	var open []ast.Node
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil {
			open = open[:len(open)-1]
			return true
		}
		if len(open) > 0 {
			p.parent[n] = open[len(open)-1]
		}
		open = append(open, n)
		return true
	})
}

// Parent returns the node around n.
func (p *Package) Parent(n ast.Node) ast.Node { return p.parent[n] }

// Object returns what an identifier stands for, nil where it is not known.
func (p *Package) Object(id *ast.Ident) types.Object { return p.info.ObjectOf(id) }

// Type returns an expression's type, nil where it is not known. Of "v, ok := m[k]"
// it is that of v.
func (p *Package) Type(e ast.Expr) types.Type {
	t := p.info.TypeOf(e)
	if tuple, ok := t.(*types.Tuple); ok && tuple.Len() > 0 {
		t = tuple.At(0).Type()
	}
	if t == nil || t == types.Typ[types.Invalid] {
		return nil
	}
	return t
}

// Converted returns what an expression converts, or the expression.
func (p *Package) Converted(e ast.Expr) ast.Expr {
	for {
		call, ok := ast.Unparen(e).(*ast.CallExpr)
		if !ok || len(call.Args) != 1 || !p.info.Types[call.Fun].IsType() {
			return ast.Unparen(e)
		}
		e = call.Args[0]
	}
}

// Constant reports whether an expression has the same value each time: it is a
// constant, or a literal without elements.
func (p *Package) Constant(e ast.Expr) bool {
	if lit, ok := ast.Unparen(e).(*ast.CompositeLit); ok {
		return len(lit.Elts) == 0
	}
	return p.info.Types[e].Value != nil
}

// Function returns the declared function around a node, nil outside of any.
func (p *Package) Function(n ast.Node) *ast.FuncDecl {
	for ; n != nil; n = p.parent[n] {
		if fd, ok := n.(*ast.FuncDecl); ok {
			return fd
		}
	}
	return nil
}

func within(p *Package, n, outer ast.Node) bool {
	for ; n != nil; n = p.parent[n] {
		if n == outer {
			return true
		}
	}
	return false
}
