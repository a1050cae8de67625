package collections

import (
	"go/ast"
	"go/types"

	"whet/internal/diagnose"
	"whet/internal/typed"
)

// Package is a package of the user's own.
type Package struct {
	*typed.Package
	// Collections are the variables and fields of it that are maps or slices, in
	// the order of their first use.
	Collections []*Collection

	subject *diagnose.Subject
	owner   map[*types.Var]*types.Named // of fields
	known   map[*types.Var]*Collection
	lines   map[diagnose.SourceLine]*line
	stands  map[ast.Expr]bool // values that uses stand for
	scoped  map[*types.Named]bool
}

// read reads a package and the uses of its collections; nil where nothing of it is
// typed.
func read(s *diagnose.Subject, path string) *Package {
	of := s.Program.Package(path)
	if of == nil || of.Types == nil {
		return nil
	}
	p := &Package{
		Package: of, subject: s, owner: make(map[*types.Var]*types.Named), known: make(map[*types.Var]*Collection),
		lines: make(map[diagnose.SourceLine]*line), stands: make(map[ast.Expr]bool), scoped: make(map[*types.Named]bool),
	}
	for _, obj := range of.Info.Defs {
		if name, ok := obj.(*types.TypeName); ok {
			p.fields(name)
		}
	}
	for _, f := range of.Files {
		file := of.Frame(f)
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				p.identifier(file, id)
			}
			p.readLine(file, n)
			return true
		})
	}
	return p
}

// fields notes to which struct type fields belong.
func (p *Package) fields(name *types.TypeName) {
	named, ok := name.Type().(*types.Named)
	if !ok {
		return
	}
	if st, ok := typed.Under[*types.Struct](named); ok {
		for f := range st.Fields() {
			p.owner[f] = named
		}
	}
}

// Own reports whether an object's source is the user's own, and available.
func (p *Package) Own(obj types.Object) bool {
	return obj.Pkg() != nil && p.subject.Program.Package(obj.Pkg().Path()) != nil
}

// Type returns an expression's type, nil if unknown. For "v, ok := m[k]"
// it returns that of v.
func (p *Package) Type(e ast.Expr) types.Type {
	t := p.TypeOf(e)
	if tuple, ok := t.(*types.Tuple); ok && tuple.Len() > 0 {
		t = tuple.At(0).Type()
	}
	if t == types.Typ[types.Invalid] {
		return nil
	}
	return t
}

// Place returns a use as a place of a claim.
func (p *Package) Place(u Use) diagnose.Location {
	out := diagnose.Location{File: u.File, Line: u.Line, EndLine: u.Line}
	if fn, ok := p.Declaration(u.Node.Pos()).(*ast.FuncDecl); ok {
		out.Function = p.Symbol(fn)
	}
	return out
}

func isMap(t types.Type) bool {
	_, ok := typed.Under[*types.Map](t)
	return ok
}

// IsCollection reports whether a type is a map or a slice.
func IsCollection(t types.Type) bool { return ElementOf(t) != nil }

// ElementOf returns the element type of a map or slice, nil for any other type.
func ElementOf(t types.Type) types.Type {
	if m, ok := typed.Under[*types.Map](t); ok {
		return m.Elem()
	}
	if s, ok := typed.Under[*types.Slice](t); ok {
		return s.Elem()
	}
	return nil
}

// IsSet reports whether a map is used as a set: its values are bool or struct{}.
func IsSet(m *types.Map) bool {
	switch e := m.Elem().Underlying().(type) {
	case *types.Basic:
		return e.Info()&types.IsBoolean != 0
	case *types.Struct:
		return e.NumFields() == 0
	}
	return false
}
