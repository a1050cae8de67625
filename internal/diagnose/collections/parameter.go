package collections

import (
	"go/ast"
	"go/types"
	"slices"
)

// source returns the variable that a parameter or a receiver has its collection from,
// where that is the same one in every call: what is done with it is done with that.
// For any other variable it is the variable itself.
func (p *Package) source(v *types.Var) *types.Var {
	var sources []*types.Var
	seen := make(map[*types.Var]bool)
	var visit func(v *types.Var)
	visit = func(v *types.Var) {
		if seen[v] {
			return
		}
		seen[v] = true
		given := p.givenTo(v)
		if given == nil {
			sources = append(sources, v)
		}
		for _, from := range given {
			visit(from)
		}
	}
	visit(v)
	if len(sources) == 1 {
		return sources[0]
	}
	return v
}

// givenTo returns the collections that the calls of a function give to one of its
// parameters, or its receiver; nil where not all calls are seen, one gives something
// else, or the parameter is set to something else.
func (p *Package) givenTo(v *types.Var) (from []*types.Var) {
	decl, ok := p.Declaration(v.Pos()).(*ast.FuncDecl)
	if !ok || p.Func(decl) == nil || p.setAnew(v) {
		return nil
	}
	fn := p.Func(decl)
	sig := fn.Signature()
	receiver, at := v == sig.Recv(), slices.Index(slices.Collect(sig.Params().Variables()), v)
	if !receiver && at < 0 || fn.Exported() || sig.Variadic() || sig.Recv() != nil && p.inInterface(fn.Name()) {
		return nil
	}
	for _, id := range p.Uses(fn) {
		fun := p.Operand(id)
		call, ok := p.Parent(fun).(*ast.CallExpr)
		if !ok || call.Fun != fun || p.Started(call) || p.MethodExpression(call) {
			return nil
		}
		arg := p.Container(fun)
		if !receiver && at < len(call.Args) {
			arg = call.Args[at]
		}
		given := p.collectionIn(arg)
		if given == nil {
			return nil
		}
		from = append(from, given)
	}
	return from
}

// setAnew reports whether a variable is set by its name.
func (p *Package) setAnew(v *types.Var) bool {
	return slices.ContainsFunc(p.Uses(v), func(id *ast.Ident) bool {
		st, ok := p.Parent(id).(*ast.AssignStmt)
		return ok && slices.Contains(st.Lhs, ast.Expr(id))
	})
}

// inInterface reports whether an interface of the package has a method of a name.
func (p *Package) inInterface(method string) bool {
	for _, obj := range p.Info.Defs {
		if fn, ok := obj.(*types.Func); ok && fn.Name() == method && fn.Signature().Recv() != nil && types.IsInterface(fn.Signature().Recv().Type()) {
			return true
		}
	}
	return false
}

// collectionIn returns the variable or field that an expression names, or slices; nil for
// any other.
func (p *Package) collectionIn(e ast.Expr) *types.Var {
	for {
		sliced, ok := ast.Unparen(e).(*ast.SliceExpr)
		if !ok {
			break
		}
		e = sliced.X
	}
	if v, ok := p.Object(e).(*types.Var); ok && IsCollection(v.Type()) {
		return v.Origin()
	}
	return nil
}

// receives reports whether a parameter or receiver, nil for none, is always given one
// collection.
func (p *Package) receives(v *types.Var, c *Collection) bool {
	return v != nil && IsCollection(v.Type()) && p.collection(v) == c
}

// called returns the function of the package itself that a call calls in this goroutine,
// nil for any other.
func (p *Package) called(call *ast.CallExpr) *types.Func {
	if fn := p.Reached(call); fn != nil && fn.Package == p.Package && !p.Started(call) {
		return fn.Object
	}
	return nil
}

// parameter takes an argument of a call of a function of the package itself, nil where
// it is handed to any other.
func (p *Package) parameter(call *ast.CallExpr, arg ast.Expr) *types.Var {
	fn, i := p.called(call), slices.Index(call.Args, arg)
	if fn == nil || i < 0 || i >= fn.Signature().Params().Len() {
		return nil
	}
	return fn.Signature().Params().At(i)
}

// receiver returns the receiver of the package's own method that a call calls, nil for any other.
func (p *Package) receiver(call *ast.CallExpr) *types.Var {
	if fn := p.called(call); fn != nil {
		return fn.Signature().Recv()
	}
	return nil
}
