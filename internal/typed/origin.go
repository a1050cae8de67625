package typed

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// Var is the variable that an expression names, nil for anything else.
func (p *Package) Var(e ast.Expr) *types.Var {
	if id, ok := ast.Unparen(e).(*ast.Ident); ok {
		v, _ := p.Info.ObjectOf(id).(*types.Var)
		return v
	}
	return nil
}

// Root is the variable that x.f, x[i], x[i:j], *x or x itself begins with, nil
// where it is none.
func (p *Package) Root(e ast.Expr) *types.Var {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.SelectorExpr:
			if p.Info.Selections[x] == nil { // a package's
				return p.Var(x.Sel)
			}
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		default:
			return p.Var(x)
		}
	}
}

// UsedIn reports whether a node holds a use of an object.
func (p *Package) UsedIn(n ast.Node, obj types.Object) bool {
	return slices.ContainsFunc(p.Uses(obj), func(id *ast.Ident) bool { return within(n, id.Pos()) })
}

// Global reports whether a variable is a package's.
func Global(v *types.Var) bool { return v.Pkg() != nil && v.Parent() == v.Pkg().Scope() }

// Parameter is which parameter of a declared function a variable is that nothing
// else sets, counted from 1; 0: it is none.
func (p *Package) Parameter(v *types.Var) int {
	if s, ok := p.variables().once(v); ok && s.way == parameter {
		return s.param
	}
	return 0
}

// Written reports whether a part of what an expression stands for is set, or has
// its address taken, where it stands.
func (p *Package) Written(e ast.Expr) bool {
	n := ast.Node(e)
	for {
		outer := p.Parent(n)
		switch around := outer.(type) {
		case *ast.ParenExpr, *ast.SelectorExpr, *ast.StarExpr:
		case *ast.IndexExpr:
			if around.X != n {
				return false
			}
		case *ast.SliceExpr:
			if around.X != n {
				return false
			}
		case *ast.UnaryExpr:
			return around.Op == token.AND
		case *ast.IncDecStmt:
			return true
		case *ast.RangeStmt:
			return around.X != n
		case *ast.AssignStmt:
			return slices.Contains(around.Lhs, n.(ast.Expr))
		default:
			return false
		}
		n = outer
	}
}

// Plain reports whether equal values of a type are the same in every way: it is
// built of strings, booleans and numbers, and refers to nothing else.
func Plain(t types.Type) bool { return isPlain(t, maxNested) }

// Builtin is the name of the builtin function that a call is of, "" for any other.
func (p *Package) Builtin(c *ast.CallExpr) string {
	if id, ok := ast.Unparen(c.Fun).(*ast.Ident); ok && p.Info.Types[id].IsBuiltin() {
		return id.Name
	}
	return ""
}
