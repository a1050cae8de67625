package typed

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// Sharing says whether goroutines call a method of one value at the same time, as
// far as its source shows.
type Sharing int

const (
	NoReceiver Sharing = iota // a function, or a method of which nothing is known
	Shared                    // they may: it has locks, serves requests, or gets a copy
	Unshown                   // its source shows neither
	Alone                     // one at a time, and the value lives longer than the call
)

// Receiver is the type that a declared method is of, and how its values are shared.
//
// A method of a pointer that sets a field of its receiver, itself or through
// methods that it calls on it, without a lock in the struct, would be a data race
// if two goroutines called it: it is called by one at a time, and what a field
// keeps is safe there. That gains nothing where every value is made for one call:
// all that the package declares end with the function that does.
//
// It misleads where the lock is another value's that the method itself takes.
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
	fields, isStruct := named.Underlying().(*types.Struct)
	switch {
	case !isStruct || locks(fields) || serves(obj):
		return of, Shared
	case !p.sets(fn, make(map[*ast.FuncDecl]bool)):
		return of, Unshown
	case p.dies(named):
		return of, Shared
	}
	return of, Alone
}

// locks reports whether a struct has what goroutines share it by.
func locks(of *types.Struct) bool {
	for f := range of.Fields() {
		t := types.Unalias(f.Type())
		if ptr, ok := t.(*types.Pointer); ok {
			t = types.Unalias(ptr.Elem())
		}
		if named, ok := t.(*types.Named); ok && named.Obj().Pkg() != nil && (named.Obj().Pkg().Path() == "sync" || named.Obj().Pkg().Path() == "sync/atomic") {
			return true
		}
	}
	return false
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
		return p.assigned(sel)
	})
}

// assigned reports whether a part of what an expression stands for is set, which
// taking its address alone does not.
func (p *Package) assigned(e ast.Expr) bool {
	n := ast.Node(e)
	for {
		outer := p.Parent(n)
		switch around := outer.(type) {
		case *ast.ParenExpr, *ast.SelectorExpr, *ast.StarExpr:
		case *ast.IndexExpr:
			if around.X != n {
				return false
			}
		case *ast.IncDecStmt:
			return true
		case *ast.AssignStmt:
			return around.Tok != token.DEFINE && slices.Contains(around.Lhs, n.(ast.Expr))
		default:
			return false
		}
		n = outer
	}
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
