package diagnose

import (
	"go/ast"
	"go/types"
)

// TakesAny reports whether a function of the user's own, or a method of an
// interface, takes any number of values of any type, by the name the linker gives
// it; an interface's is "package.Interface.Method".
func (s *Subject) TakesAny(name string) bool {
	if s.Program == nil {
		return false
	}
	fn := s.Program.Object(name)
	if fn == nil || !fn.Signature().Variadic() {
		return false
	}
	params := fn.Signature().Params()
	last, ok := params.At(params.Len() - 1).Type().(*types.Slice)
	if !ok {
		return false
	}
	it, ok := last.Elem().Underlying().(*types.Interface)
	return ok && it.Empty()
}

// LinkerName returns "F", "T.M" or "(*T).M".
func LinkerName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	t := d.Recv.List[0].Type
	star, pointer := t.(*ast.StarExpr)
	if pointer {
		t = star.X
	}
	switch x := t.(type) {
	case *ast.IndexExpr:
		t = x.X
	case *ast.IndexListExpr:
		t = x.X
	}
	id, ok := t.(*ast.Ident)
	switch {
	case !ok:
		return d.Name.Name
	case pointer:
		return "(*" + id.Name + ")." + d.Name.Name
	}
	return id.Name + "." + d.Name.Name
}
