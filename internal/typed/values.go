package typed

import (
	"go/ast"
	"go/token"
	"go/types"
)

// FieldValues returns the values that a field is set to in its package, by assignments
// and in literals, in source order: a call if the value is one of the call's results.
func (p *Package) FieldValues(field *types.Var) (values []ast.Expr) {
	if p.Info == nil {
		return nil
	}
	for _, s := range p.variables().sets[field.Origin()] {
		if s.value != nil {
			values = append(values, s.value)
		}
	}
	return values
}

// Joins reports whether a node is a + that joins strings, not all of them constant.
func (p *Package) Joins(n ast.Node) bool {
	sum, ok := n.(*ast.BinaryExpr)
	return ok && sum.Op == token.ADD && p.Info.Types[sum].Value == nil && IsString(p.TypeOf(sum))
}

// Under returns a type's underlying type, where it is of one sort: a *types.Slice.
func Under[T types.Type](t types.Type) (under T, ok bool) {
	if t != nil {
		under, ok = t.Underlying().(T)
	}
	return under, ok
}
