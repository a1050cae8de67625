package collections

import (
	"go/ast"
	"go/types"
	"slices"
)

// handed is a collection that is an argument of a function of the package itself.
type handed struct {
	from *Collection
	to   *types.Var // the parameter
}

// parameter returns the parameter that takes an argument of a call, nil where the
// function may be called by others too, or with what is not seen.
func (p *Package) parameter(call *ast.CallExpr, arg ast.Expr) *types.Var {
	fn := p.called(call)
	if fn == nil || fn.Signature().Variadic() || !p.calledHereOnly(fn.Origin()) {
		return nil
	}
	i, params := slices.Index(call.Args, arg), fn.Origin().Signature().Params()
	if i < 0 || i >= params.Len() || !IsCollection(params.At(i).Type()) {
		return nil
	}
	return params.At(i)
}

// receiver is parameter for the receiver of a method's call.
func (p *Package) receiver(call *ast.CallExpr) *types.Var {
	fn := p.called(call)
	if fn == nil || !p.calledHereOnly(fn.Origin()) {
		return nil
	}
	if recv := fn.Origin().Signature().Recv(); IsCollection(recv.Type()) {
		return recv
	}
	return nil
}

// calledHereOnly reports whether all calls of a function are those that are seen:
// it is not exported, no value of it is taken, no interface has a method of its
// name, and it is never started in a goroutine of its own.
func (p *Package) calledHereOnly(fn *types.Func) bool {
	if fn.Exported() || fn.Signature().Recv() != nil && p.inInterface(fn.Name()) {
		return false
	}
	return !slices.ContainsFunc(p.Uses(fn), func(id *ast.Ident) bool {
		var n ast.Expr = id
		if sel, ok := p.Parent(id).(*ast.SelectorExpr); ok {
			n = sel
		}
		call, ok := p.Parent(n).(*ast.CallExpr)
		return !ok || call.Fun != n || p.started(call)
	})
}

func (p *Package) inInterface(method string) bool {
	for _, obj := range p.Info.Defs {
		if fn, ok := obj.(*types.Func); ok && fn.Name() == method && fn.Signature().Recv() != nil && types.IsInterface(fn.Signature().Recv().Type()) {
			return true
		}
	}
	return false
}

// follow makes one collection of each that is handed to functions of the package
// and their parameters: where all that a parameter is ever given is one
// collection, what is done with it is done with that.
func (p *Package) follow() {
	into := make(map[*Collection]*Collection)
	root := func(c *Collection) *Collection {
		for into[c] != nil {
			c = into[c]
		}
		return c
	}
	for again := true; again; {
		again = false
		for _, c := range p.Collections {
			if c.param == nil || into[c] != nil || c.replaced() {
				continue
			}
			if from := p.onlySource(c, root); from != nil {
				into[c], again = from, true
			}
		}
	}
	for _, h := range p.hands {
		if to := p.known[h.to]; to == nil || root(to) != root(h.from) {
			h.from.handedOn = true
		}
	}
	for _, c := range p.Collections {
		c.foreign = c.foreign || c.param != nil && into[c] == nil
	}
	for _, c := range p.Collections {
		if into[c] == nil {
			continue
		}
		to := root(c)
		to.Uses = append(to.Uses, c.Uses...)
		to.foreign, to.handedOn, to.captured = to.foreign || c.foreign, to.handedOn || c.handedOn, to.captured || c.captured
		p.known[c.Var] = to
	}
	p.Collections = slices.DeleteFunc(p.Collections, func(c *Collection) bool { return into[c] != nil })
}

// replaced reports whether a parameter is set to another map or slice.
func (c *Collection) replaced() bool {
	return slices.ContainsFunc(c.Uses, func(u Use) bool {
		return u.Depth == 0 && (u.Kind == Make || u.Kind == Literal || u.Kind == Reset && u.Value != nil)
	})
}

// onlySource is the collection that a parameter is given, nil where there are
// several.
func (p *Package) onlySource(c *Collection, root func(*Collection) *Collection) *Collection {
	var source *Collection
	calls := 0
	for _, h := range p.hands {
		if h.to != c.Var {
			continue
		}
		calls++
		from := root(h.from)
		if from == c {
			continue // it calls itself
		}
		if source != nil && source != from {
			return nil
		}
		source = from
	}
	fn, ok := p.Info.Defs[p.Function(c.param).Name].(*types.Func)
	if !ok || calls != len(p.Uses(fn)) {
		return nil // something else is given too
	}
	return source
}

// isParameter reports whether a field of a signature is one of a declared
// function's parameters, or its receiver.
func (p *Package) isParameter(field *ast.Field) bool {
	list, ok := p.Parent(field).(*ast.FieldList)
	if !ok {
		return false
	}
	if fd, ok := p.Parent(list).(*ast.FuncDecl); ok {
		return fd.Recv == list
	}
	signature, ok := p.Parent(list).(*ast.FuncType)
	if !ok || signature.Params != list {
		return false
	}
	_, ok = p.Parent(signature).(*ast.FuncDecl)
	return ok
}
