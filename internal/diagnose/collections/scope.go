package collections

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"whet/internal/typed"
)

// Ends reports whether nothing of a collection, nor of the maps and slices in
// it, can be reached after the call that made it has returned. followed is set if
// that depends on the source of several functions.
//
// For a local variable, every use must be one that passes nothing on, or must end as
// [typed.Package.Ends] follows it. For a field, its struct must be call-scoped: see
// [Package.callScoped].
func (p *Package) Ends(c *Collection) (ends, followed bool) {
	switch {
	case c.foreign || c.captured:
		return false, false
	case c.local && !c.handedOn:
		return true, false
	case c.local:
		// typed.Package.Ends takes methods for those of buffers.
		return !c.methods && p.localEnds(c), true
	case c.handedOn || c.Owner == nil:
		return false, false
	}
	return p.callScoped(c.Owner), true
}

// localEnds follows a variable that is handed on. What maps and slices in it
// share is not followed, nor are the addresses of parts of its elements.
func (p *Package) localEnds(c *Collection) bool {
	switch ElementOf(c.Var.Type()).Underlying().(type) {
	case *types.Map, *types.Slice, *types.Struct, *types.Array:
		return false
	}
	ends, _ := p.Package.Ends(c.Var)
	return ends
}

// callScoped reports whether every value of a struct type lives no longer than
// the call of some function of the package: the values are only ever in local
// variables, parameters and receivers, are handed to functions of the package
// itself, and are returned by functions that nobody outside can call.
//
// It looks at every expression of the type, or of a pointer to it, and at what
// stands around it; no value can get into a field, a variable of the package, a
// container, an interface, a channel or a goroutine but by such an expression.
func (p *Package) callScoped(t *types.Named) bool {
	if known, ok := p.scoped[t]; ok {
		return known
	}
	ok := t.Obj().Pkg() == p.Types && !t.Obj().Exported()
	for _, f := range p.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			ok = ok && p.callScopedAt(n, t)
			return ok
		})
	}
	p.scoped[t] = ok
	return ok
}

// callScopedAt looks at one node.
func (p *Package) callScopedAt(n ast.Node, t *types.Named) bool {
	switch n := n.(type) {
	case *ast.FuncDecl:
		return !n.Name.IsExported() || p.Func(n) != nil && !slices.ContainsFunc(slices.Collect(p.Func(n).Signature().Results().Variables()), func(v *types.Var) bool {
			return isOf(v.Type(), t)
		})
	case *ast.Ident:
		if v, ok := p.Info.Defs[n].(*types.Var); ok && isOf(v.Type(), t) {
			_, ranges := p.Parent(n).(*ast.RangeStmt)
			return v.IsField() || !ranges && !typed.Global(v) // what is put into a field is an expression
		}
	}
	e, ok := n.(ast.Expr)
	if !ok || p.Info.Types[e].IsType() || !isOf(p.Info.Types[e].Type, t) {
		return true
	}
	return p.isShortLived(e) && p.stays(e, t)
}

// isShortLived reports whether an expression takes its value from where it lives no
// longer than a call.
func (p *Package) isShortLived(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		v, ok := p.Info.ObjectOf(e).(*types.Var)
		return !ok || p.Definition(v) != nil && p.RunsNow(e, v) // nil, or a variable
	case *ast.ParenExpr, *ast.StarExpr, *ast.UnaryExpr, *ast.CompositeLit:
		return true
	case *ast.CallExpr:
		return p.called(e) != nil || p.Builtin(e) == "new"
	}
	return false
}

// stays reports whether an expression of the type is not handed to where its value may
// stay.
func (p *Package) stays(e ast.Expr, t *types.Named) bool {
	switch around := p.Parent(e).(type) {
	case *ast.ParenExpr, *ast.StarExpr, *ast.BinaryExpr, *ast.ExprStmt, *ast.Field:
		return true
	case *ast.UnaryExpr:
		return around.Op == token.AND
	case *ast.SelectorExpr: // a field, or a method that is called in this goroutine
		if _, field := p.Object(around).(*types.Var); field {
			return true
		}
		call, ok := p.Parent(around).(*ast.CallExpr)
		return ok && call.Fun == around && !p.Started(call)
	case *ast.CallExpr:
		to := p.parameter(around, e)
		return to != nil && isOf(to.Type(), t)
	case *ast.AssignStmt, *ast.ValueSpec:
		left, right := typed.Sides(around)
		i := slices.Index(right, e)
		return i < 0 || i < len(left) && p.holds(left[i], t)
	case *ast.ReturnStmt: // from a declared function with a result of the type
		fn, ok := p.FunctionAround(around.Pos()).(*ast.FuncDecl)
		if !ok || p.Func(fn) == nil {
			return false
		}
		i, results := slices.Index(around.Results, e), p.Func(fn).Signature().Results()
		return i < results.Len() && isOf(results.At(i).Type(), t)
	}
	return false
}

// holds: a variable of the type itself, of which callScopedAt asks whether it is a
// function's.
func (p *Package) holds(to ast.Expr, t *types.Named) bool {
	switch to := ast.Unparen(to).(type) {
	case *ast.Ident:
		return to.Name == "_" || isOf(p.Type(to), t)
	case *ast.StarExpr:
		return isOf(p.Type(to), t)
	}
	return false
}

// isOf reports whether a type is a struct type, or a pointer to it.
func isOf(t types.Type, of *types.Named) bool {
	if t == nil {
		return false
	}
	if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
		t = ptr.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Origin() == of.Origin()
}

// LivesIn reports whether a collection lives in calls of a function: a local
// variable in those of its own, a field in those of every function with a
// variable of its struct.
func (p *Package) LivesIn(c *Collection, fd *ast.FuncDecl) bool {
	if c.local {
		return p.Declaration(c.Var.Pos()) == fd
	}
	found := false
	ast.Inspect(fd, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && c.Owner != nil {
			v, ok := p.Info.Defs[id].(*types.Var)
			found = found || ok && isOf(v.Type(), c.Owner)
		}
		return !found
	})
	return found
}
