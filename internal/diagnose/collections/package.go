package collections

import (
	"go/ast"
	"go/types"

	"whet/internal/diagnose"
	"whet/internal/typed"
)

// Package is one package of the user's own.
type Package struct {
	*typed.Package
	// Collections are the variables and fields of it that are maps or slices, in
	// the order of their first use.
	Collections []*Collection

	subject *diagnose.Subject
	known   map[*types.Var]*Collection
	owner   map[*types.Var]*types.Named // of fields
	lines   map[diagnose.SourceLine]*line
	stands  map[ast.Expr]bool // values that uses stand for
	scoped  map[*types.Named]bool
	runs    map[*ast.FuncLit]bool
	hands   []handed
}

// read reads a package and the uses of its collections; nil where nothing of it is
// typed.
func read(s *diagnose.Subject, path string) *Package {
	of := s.Program.Package(path)
	if of == nil || of.Types == nil {
		return nil
	}
	p := &Package{
		Package: of, subject: s,
		known: make(map[*types.Var]*Collection), owner: make(map[*types.Var]*types.Named), lines: make(map[diagnose.SourceLine]*line), stands: make(map[ast.Expr]bool), scoped: make(map[*types.Named]bool),
		runs: make(map[*ast.FuncLit]bool),
	}
	for _, obj := range of.Info.Defs {
		p.fields(obj)
	}
	for _, f := range of.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				p.identifier(of.Frame(f), id)
			}
			return true
		})
	}
	p.follow()
	for _, f := range of.Files {
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

// Own reports whether an object's source is the user's own, and at hand.
func (p *Package) Own(obj types.Object) bool {
	return obj.Pkg() != nil && p.subject.Program.Package(obj.Pkg().Path()) != nil
}

// Type returns an expression's type, nil where it is not known. Of "v, ok := m[k]"
// it is that of v.
func (p *Package) Type(e ast.Expr) types.Type {
	t := p.Info.TypeOf(e)
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
	for x, _ := p.Conversion(e); x != nil; x, _ = p.Conversion(e) {
		e = x
	}
	return ast.Unparen(e)
}

// Constant reports whether an expression has the same value each time: it is a
// constant, or a literal without elements.
func (p *Package) Constant(e ast.Expr) bool {
	if lit, ok := ast.Unparen(e).(*ast.CompositeLit); ok {
		return len(lit.Elts) == 0
	}
	return p.Info.Types[e].Value != nil
}

// Function returns the declared function around a node, nil outside of any.
func (p *Package) Function(n ast.Node) *ast.FuncDecl {
	for ; n != nil; n = p.Parent(n) {
		if fd, ok := n.(*ast.FuncDecl); ok {
			return fd
		}
	}
	return nil
}

func within(p *Package, n, outer ast.Node) bool {
	for ; n != nil; n = p.Parent(n) {
		if n == outer {
			return true
		}
	}
	return false
}
