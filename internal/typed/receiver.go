package typed

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// Sharing is whether goroutines call a method of one value at the same time, as far as
// its source shows.
type Sharing int

const (
	NoReceiver Sharing = iota // a function, or a method of which nothing is known
	Shared                    // they may: it has locks, serves requests, or gets a copy
	Unshown                   // its source shows neither
	Alone                     // one at a time, and the value lives longer than the call
)

// Receiver returns the type that a declared method is of, and how its values are shared.
//
// A method of a pointer that sets a field of its receiver, itself or through
// methods that it calls on it, without a lock in the struct or taken by it, would be a data race
// if two goroutines called it: it is called by one at a time, and what a field
// keeps is safe there. That gains nothing where every value is made for one call:
// all that the package declares end with the function that does.
//
// It misleads where the lock is another value's that a method which it calls takes.
func (p *Package) Receiver(fn *ast.FuncDecl) (of *types.TypeName, sharing Sharing) {
	obj := p.Func(fn)
	if obj == nil || obj.Signature().Recv() == nil {
		return nil, NoReceiver
	}
	recv := obj.Signature().Recv()
	ptr, isPointer := types.Unalias(recv.Type()).(*types.Pointer)
	if !isPointer {
		return nil, Shared
	}
	named, _ := types.Unalias(ptr.Elem()).(*types.Named)
	if named == nil {
		return nil, NoReceiver
	}
	of = named.Obj()
	_, isStruct := named.Underlying().(*types.Struct)
	switch {
	case !isStruct || locks(named, lockSteps) || serves(obj) || p.takes(fn):
		return of, Shared
	case !p.sets(fn, make(map[*ast.FuncDecl]bool)):
		return of, Unshown
	case p.dies(named):
		return of, Shared
	}
	return of, Alone
}

// locks reports whether a struct has what goroutines share it by, itself or in what
// its fields are or hold: anything of package sync, or that can be locked.
func locks(of types.Type, steps int) bool {
	if named, ok := types.Unalias(of).(*types.Named); ok {
		if pkg := named.Obj().Pkg(); pkg != nil && (pkg.Path() == "sync" || pkg.Path() == "sync/atomic") {
			return true
		}
		if obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(named), false, nil, "Lock"); obj != nil {
			return true
		}
	}
	if steps == 0 {
		return false
	}
	switch t := of.Underlying().(type) {
	case *types.Pointer:
		return locks(t.Elem(), steps-1)
	case *types.Slice:
		return locks(t.Elem(), steps-1)
	case *types.Array:
		return locks(t.Elem(), steps-1)
	case *types.Map:
		return locks(t.Elem(), steps-1)
	case *types.Struct:
		for f := range t.Fields() {
			if locks(f.Type(), steps-1) {
				return true
			}
		}
	}
	return false
}

// lockSteps is how deep locks looks: a field, what it points to, and the fields of that.
const lockSteps = 4

// takes reports whether a method takes a lock, or waits at a channel, by its own
// statements: what it sets may be set by one goroutine after another.
func (p *Package) takes(fn *ast.FuncDecl) (found bool) {
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SendStmt, *ast.SelectStmt:
			found = true
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		}
		return !found
	})
	return found || p.Locks(fn.Body)
}

// Locks reports whether a method called Lock or RLock is called in a part of the source;
// nil: in none.
func (p *Package) Locks(n ast.Node) (found bool) {
	if n == nil {
		return false
	}
	ast.Inspect(n, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
			found = found || ok && (sel.Sel.Name == "Lock" || sel.Sel.Name == "RLock")
		}
		return !found
	})
	return found
}

// serves reports whether a method handles requests, which servers do side by side.
func serves(fn *types.Func) bool {
	for v := range fn.Signature().Params().Variables() {
		if strings.HasSuffix(v.Type().String(), "net/http.Request") {
			return true
		}
	}
	return false
}

// sets reports whether a method sets a field of its receiver, itself or through
// methods that it calls on it.
func (p *Package) sets(fn *ast.FuncDecl, seen map[*ast.FuncDecl]bool) bool {
	if seen[fn] || fn.Recv == nil || len(fn.Recv.List) != 1 || len(fn.Recv.List[0].Names) != 1 {
		return false
	}
	seen[fn] = true
	recv := p.Info.Defs[fn.Recv.List[0].Names[0]]
	return recv != nil && slices.ContainsFunc(p.Uses(recv), func(id *ast.Ident) bool {
		sel, ok := p.Parent(id).(*ast.SelectorExpr)
		if !ok || sel.X != id || p.Literal(id) != nil {
			return false
		}
		if call, ok := p.Parent(sel).(*ast.CallExpr); ok && call.Fun == sel {
			to := p.Reached(call)
			return to != nil && to.Package == p && p.sets(to.Decl, seen)
		}
		set, _ := p.written(sel)
		return set
	})
}

// dies reports whether all values of a struct that its package declares end with
// the function that does, and there are some.
func (p *Package) dies(of *types.Named) bool {
	made, ends := 0, 0
	is := func(t types.Type) bool {
		if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
			t = ptr.Elem()
		}
		named, ok := types.Unalias(t).(*types.Named)
		return ok && named.Origin() == of.Origin()
	}
	for _, f := range p.Files {
		if strings.HasSuffix(p.Frame(f), "_test.go") {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CompositeLit:
				if is(p.TypeOf(n)) {
					made++
				}
			case *ast.CallExpr:
				if p.Builtin(n) == "new" && is(p.TypeOf(n)) {
					made++
				}
			case *ast.ValueSpec:
				if len(n.Values) == 0 && n.Type != nil && is(p.TypeOf(n.Type)) {
					made += len(n.Names)
				}
			}
			if n == nil {
				return true
			}
			for v, value := range p.Declared(n) {
				if is(v.Type()) && !Global(v) && p.makes(value) {
					if over, _ := p.Ends(v); over || p.onlyAsked(v) {
						ends++
					}
				}
			}
			return true
		})
	}
	return made > 0 && ends == made
}

// onlyAsked reports whether nothing is done with a variable but to use its fields
// and call its methods, which may keep it: that is rare.
func (p *Package) onlyAsked(v *types.Var) bool {
	return !slices.ContainsFunc(p.Uses(v), func(id *ast.Ident) bool {
		sel, ok := p.Parent(id).(*ast.SelectorExpr)
		if !ok || sel.X != id {
			return true
		}
		unary, ok := p.Parent(sel).(*ast.UnaryExpr)
		return ok && unary.Op == token.AND
	})
}

// makes reports whether an expression, nil for a zero value, makes a struct anew.
func (p *Package) makes(value ast.Expr) bool {
	switch e := ast.Unparen(value).(type) {
	case nil, *ast.CompositeLit:
		return true
	case *ast.UnaryExpr:
		_, ok := ast.Unparen(e.X).(*ast.CompositeLit)
		return ok && e.Op == token.AND
	case *ast.CallExpr:
		return p.Builtin(e) == "new"
	}
	return false
}
