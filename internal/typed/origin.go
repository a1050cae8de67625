package typed

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// Var returns the variable that an expression names, a field not being one; nil for
// anything else.
func (p *Package) Var(e ast.Expr) *types.Var {
	if sel, ok := ast.Unparen(e).(*ast.SelectorExpr); ok && p.Info.Selections[sel] != nil {
		return nil
	}
	v, _ := p.Object(e).(*types.Var)
	return v
}

// Container returns the x of x.f, x[i], x[i:j] and *x; nil for anything else, as for
// pkg.Name.
func (p *Package) Container(e ast.Expr) ast.Expr {
	switch x := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		if p.Info.Selections[x] != nil {
			return x.X
		}
	case *ast.IndexExpr:
		return x.X
	case *ast.SliceExpr:
		return x.X
	case *ast.StarExpr:
		return x.X
	}
	return nil
}

// Base returns the innermost container of an expression: x of x.f[i].
func (p *Package) Base(e ast.Expr) ast.Expr {
	for x := p.Container(e); x != nil; x = p.Container(e) {
		e = x
	}
	return ast.Unparen(e)
}

// Definition returns the name that declares an object, nil where it has none in the
// package, as the variable of a type switch.
func (p *Package) Definition(obj types.Object) *ast.Ident {
	if p.defined == nil {
		p.defined = make(map[types.Object]*ast.Ident)
		for id, obj := range p.Info.Defs {
			if obj != nil { // of a package clause, or a type switch
				p.defined[obj] = id
			}
		}
	}
	return p.defined[origin(obj)]
}

// Named reports whether a variable, nil for none, is a parameter or receiver, or a
// result, of a function or a literal.
func (p *Package) Named(v *types.Var) (parameter, result bool) {
	if v == nil {
		return false, false
	}
	return v.Kind() == types.ParamVar || v.Kind() == types.RecvVar, v.Kind() == types.ResultVar
}

// SetTo returns the values that a variable is set to by its name: of a range statement
// what it goes over, of several results their call. Zero values are not written.
// known is false where others come from a caller, or from a type switch.
func (p *Package) SetTo(v *types.Var) (values []ast.Expr, known bool) {
	def := p.Definition(v)
	if parameter, _ := p.Named(v); parameter || def == nil {
		return nil, false
	}
	for _, id := range append([]*ast.Ident{def}, p.Uses(v)...) {
		if st, ok := p.Parent(id).(*ast.RangeStmt); ok && st.X != id {
			values = append(values, st.X)
		}
		to, list := Sides(p.Parent(id))
		if i := slices.Index(to, ast.Expr(id)); i >= 0 && len(list) > 0 {
			values = append(values, list[min(i, len(list)-1)])
		}
	}
	return values, true
}

// Literal returns the innermost function literal around a node, nil where there is none.
func (p *Package) Literal(n ast.Node) *ast.FuncLit {
	for n = p.Parent(n); n != nil; n = p.Parent(n) {
		if lit, ok := n.(*ast.FuncLit); ok {
			return lit
		}
	}
	return nil
}

// UsedIn reports whether a node contains a use of an object.
func (p *Package) UsedIn(n ast.Node, obj types.Object) bool {
	return slices.ContainsFunc(p.Uses(obj), func(id *ast.Ident) bool { return within(n, id.Pos()) })
}

// Global reports whether a variable is a package's.
func Global(v *types.Var) bool { return v.Pkg() != nil && v.Parent() == v.Pkg().Scope() }

// Parameter returns the number, from 1, of the parameter of a declared function that a
// variable is, if nothing else sets it; else 0.
func (p *Package) Parameter(v *types.Var) int {
	if s, ok := p.variables().once(v); ok && s.way == parameter {
		return s.param
	}
	return 0
}

// Written reports whether a part of what an expression stands for is set, or has
// its address taken, where it stands.
func (p *Package) Written(e ast.Expr) bool {
	set, addressed := p.written(e)
	return set || addressed
}

func (p *Package) written(e ast.Expr) (set, addressed bool) {
	n := ast.Node(e)
	for {
		outer := p.Parent(n)
		switch around := outer.(type) {
		case *ast.ParenExpr, *ast.SelectorExpr, *ast.StarExpr:
		case *ast.IndexExpr:
			if around.X != n {
				return false, false
			}
		case *ast.SliceExpr:
			if around.X != n {
				return false, false
			}
		case *ast.UnaryExpr:
			return false, around.Op == token.AND
		case *ast.IncDecStmt:
			return true, false
		case *ast.RangeStmt:
			return around.X != n, false
		case *ast.AssignStmt:
			return slices.Contains(around.Lhs, n.(ast.Expr)), false
		default:
			return false, false
		}
		n = outer
	}
}

// Plain reports whether equal values of a type are the same in every way: it is
// built of strings, booleans and numbers, and refers to nothing else.
func Plain(t types.Type) bool {
	left := maxParts
	return isPlain(t, &left)
}

// Builtin returns the name of the builtin function that a call is of, "" for any other.
func (p *Package) Builtin(c *ast.CallExpr) string {
	if id, ok := ast.Unparen(c.Fun).(*ast.Ident); ok && p.Info.Types[id].IsBuiltin() {
		return id.Name
	}
	return ""
}

// Results returns the places that see a call's first result: the call itself, or where
// the variable is used that is declared with it, and may be set to something else
// there; nil where that is nowhere.
func (p *Package) Results(call *ast.CallExpr) (uses []ast.Expr) {
	st, ok := p.Parent(call).(*ast.AssignStmt)
	if !ok || len(st.Rhs) != 1 {
		return []ast.Expr{call}
	}
	v := p.Var(st.Lhs[0])
	if v == nil || Global(v) || p.Definition(v) != st.Lhs[0] {
		return nil
	}
	for _, id := range p.Uses(v) {
		uses = append(uses, id)
	}
	return uses
}

// Measured reports whether len is all that sees an expression.
func (p *Package) Measured(e ast.Expr) bool {
	call, ok := p.Parent(e).(*ast.CallExpr)
	return ok && p.Builtin(call) == "len"
}
