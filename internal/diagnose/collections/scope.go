package collections

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// Ends reports whether nothing of a collection, nor of the maps and slices in
// it, can be reached when the call that made it has returned. followed: that
// rests on the source of several functions.
//
// Of a local variable every use must be one that hands nothing on, or must end as
// [typed.Package.Ends] follows it. Of a field, its struct must be call-scoped: see
// [Package.callScoped].
func (p *Package) Ends(c *Collection) (ends, followed bool) {
	switch {
	case c.foreign || c.captured:
		return false, false
	case c.Local() && !c.handedOn:
		return true, false
	case c.Local():
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
	return ends && c.Var.Kind() == types.LocalVar
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
		if !ok {
			break
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				ok = ok && !(n.Name.IsExported() && p.gives(n, t))
			case ast.Expr:
				if tv, typed := p.Info.Types[n]; typed && !tv.IsType() && isOf(tv.Type, t) {
					ok = ok && p.stays(n, t)
				}
			}
			if id, is := n.(*ast.Ident); is {
				if v, is := p.Info.Defs[id].(*types.Var); is && isOf(v.Type(), t) {
					ok = ok && p.holds(id, v)
				}
			}
			return ok
		})
	}
	p.scoped[t] = ok
	return ok
}

// gives reports whether a function has a result of the type.
func (p *Package) gives(fd *ast.FuncDecl, t *types.Named) bool {
	fn, ok := p.Info.Defs[fd.Name].(*types.Func)
	if !ok {
		return true
	}
	for v := range fn.Signature().Results().Variables() {
		if isOf(v.Type(), t) {
			return true
		}
	}
	return false
}

// holds reports whether a variable that is declared holds a value no longer than
// its function's call.
func (p *Package) holds(id *ast.Ident, v *types.Var) bool {
	if v.IsField() {
		return true // what is put into it is an expression
	}
	if p.Function(id) == nil {
		return false
	}
	_, ranges := p.Parent(id).(*ast.RangeStmt)
	return !ranges
}

// stays reports whether an expression of the type neither takes its value from
// where it may stay nor hands it there.
func (p *Package) stays(e ast.Expr, t *types.Named) bool {
	switch e := e.(type) {
	case *ast.Ident:
		v, ok := p.Info.ObjectOf(e).(*types.Var)
		if !ok {
			break // nil
		}
		declared := p.Definition(v.Origin())
		if declared == nil || p.capturedAt(e, declared) {
			return false
		}
	case *ast.ParenExpr, *ast.StarExpr, *ast.UnaryExpr, *ast.CompositeLit:
	case *ast.CallExpr:
		if fn := p.called(e); fn == nil && p.Called(e) != "new" {
			return false
		}
	default:
		return false
	}
	switch around := p.Parent(e).(type) {
	case *ast.ParenExpr, *ast.StarExpr, *ast.BinaryExpr, *ast.ExprStmt, *ast.Field:
		return true
	case *ast.UnaryExpr:
		return around.Op == token.AND
	case *ast.SelectorExpr:
		return p.selects(around)
	case *ast.CallExpr:
		return p.takesArgument(around, e, t)
	case *ast.AssignStmt:
		if slices.Contains(around.Lhs, e) {
			return true
		}
		i := slices.Index(around.Rhs, e)
		return i >= 0 && i < len(around.Lhs) && p.keeps(around.Lhs[i], t)
	case *ast.ValueSpec:
		i := slices.Index(around.Values, e)
		return i < 0 || i < len(around.Names) && p.keeps(around.Names[i], t)
	case *ast.ReturnStmt:
		return p.returns(around, e, t)
	}
	return false
}

// selects: a field, or a method that is called in this goroutine.
func (p *Package) selects(sel *ast.SelectorExpr) bool {
	switch p.Info.Uses[sel.Sel].(type) {
	case *types.Var:
		return true
	case *types.Func:
		call, ok := p.Parent(sel).(*ast.CallExpr)
		return ok && call.Fun == sel && !p.started(call)
	}
	return false
}

func (p *Package) started(call *ast.CallExpr) bool {
	_, ok := p.Parent(call).(*ast.GoStmt)
	return ok
}

// called returns the function of the package itself that a call calls, nil for
// any other and for a method expression.
func (p *Package) called(call *ast.CallExpr) *types.Func {
	var id *ast.Ident
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		id = fun
	case *ast.SelectorExpr:
		if p.Info.Types[fun.X].IsType() {
			return nil
		}
		id = fun.Sel
	default:
		return nil
	}
	fn, ok := p.Info.Uses[id].(*types.Func)
	if !ok || fn.Pkg() != p.Types || p.declaredFunc(fn) == nil {
		return nil
	}
	return fn
}

// declaredFunc returns the identifier of a function's declaration; nil for an
// interface's method.
func (p *Package) declaredFunc(fn *types.Func) *ast.Ident {
	id := p.Definition(fn.Origin())
	if id == nil {
		return nil
	}
	if _, ok := p.Parent(id).(*ast.FuncDecl); !ok {
		return nil
	}
	return id
}

// takesArgument: the package's own function, with a parameter of the type.
func (p *Package) takesArgument(call *ast.CallExpr, e ast.Expr, t *types.Named) bool {
	fn := p.called(call)
	if fn == nil || p.started(call) {
		return false
	}
	i := slices.Index(call.Args, e)
	params := fn.Signature().Params()
	return i >= 0 && i < params.Len() && isOf(params.At(i).Type(), t)
}

// keeps: a variable of the type itself; whether it is a function's holds says.
func (p *Package) keeps(to ast.Expr, t *types.Named) bool {
	id, ok := ast.Unparen(to).(*ast.Ident)
	if !ok {
		star, ok := ast.Unparen(to).(*ast.StarExpr)
		return ok && isOf(p.Type(star), t)
	}
	if id.Name == "_" {
		return true
	}
	v, ok := p.Info.ObjectOf(id).(*types.Var)
	return ok && isOf(v.Type(), t)
}

// returns: a declared function with a result of the type.
func (p *Package) returns(st *ast.ReturnStmt, e ast.Expr, t *types.Named) bool {
	for n := p.Parent(st); n != nil; n = p.Parent(n) {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.FuncDecl:
			fn, ok := p.Info.Defs[n.Name].(*types.Func)
			if !ok {
				return false
			}
			i, results := slices.Index(st.Results, e), fn.Signature().Results()
			return i >= 0 && i < results.Len() && isOf(results.At(i).Type(), t)
		}
	}
	return false
}

// isOf reports whether a type is a struct type, or a pointer to it.
func isOf(t types.Type, of *types.Named) bool {
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
	if c.declared != nil {
		return p.Function(c.declared) == fd
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
