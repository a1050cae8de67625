package purity

import (
	"go/ast"
	"go/token"
	"go/types"

	"whet/internal/typed"
)

// readChanges enters the package variables and fields that functions write to
// after they were made, by whichever name.
func (j *Judge) readChanges() {
	j.changed = make(map[*types.Var]bool)
	filled := make(map[*types.Var]bool) // parameters whose elements a function sets
	each := func(visit func(f *function)) {
		for pkg := range j.s.Program.Packages {
			if pkg.Types == nil {
				continue
			}
			for fn := range pkg.Functions {
				if j.without != nil && j.without(fn) {
					continue
				}
				visit(&function{Package: pkg, decl: fn.Decl})
			}
		}
	}
	each(func(f *function) {
		f.eachWrite(func(target ast.Expr) {
			v, plain := f.Var(f.Base(target)), f.Var(target) != nil
			switch {
			case v != nil && typed.Global(v):
				if f.decl.Recv != nil || f.decl.Name.Name != "init" {
					j.change(f, target)
				}
			case v == nil || !j.made(f, v):
				j.change(f, target)
				if v == nil || plain {
					return
				}
				filled[v] = true
				values, _ := f.SetTo(v)
				for _, value := range values {
					j.through(f, value)
				}
			}
		})
		ast.Inspect(f.decl.Body, func(n ast.Node) bool {
			if u, ok := n.(*ast.UnaryExpr); ok && u.Op == token.AND {
				j.through(f, u) // somebody may write through it, as a decoder does
			}
			return true
		})
	})
	each(func(f *function) {
		ast.Inspect(f.decl.Body, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if fn := f.Function(call); fn != nil {
				params := fn.Origin().Signature().Params()
				for i := range min(params.Len(), len(call.Args)) {
					if filled[params.At(i)] {
						j.through(f, call.Args[i])
					}
				}
			}
			return true
		})
	})
}

// through enters what may be written by another name for it: a slice or map of
// a field or package variable, or its address.
func (j *Judge) through(f *function, value ast.Expr) {
	if u, ok := ast.Unparen(value).(*ast.UnaryExpr); ok && u.Op == token.AND {
		value = u.X
	}
	switch value.(type) {
	case *ast.CallExpr, *ast.CompositeLit:
	default:
		j.change(f, value)
	}
}

// change enters the variable and the fields on the way to what is written.
func (j *Judge) change(f *function, target ast.Expr) {
	for e := target; e != nil; e = f.Container(e) {
		if v, ok := f.Object(e).(*types.Var); ok && (v.IsField() || typed.Global(v)) {
			j.changed[v.Origin()] = true
		}
	}
}

// reads reports whether a function reads nothing that changes: no package
// variable, and no field of what is not new in its call.
func (j *Judge) reads(f *function) bool {
	if j.changed == nil {
		j.readChanges()
	}
	ok := true
	ast.Inspect(f.decl.Body, func(n ast.Node) bool {
		if id, is := n.(*ast.Ident); is {
			if v, is := f.Info.Uses[id].(*types.Var); is && j.changed[v.Origin()] {
				sel, selects := f.Parent(id).(*ast.SelectorExpr)
				ok = ok && v.IsField() && (!selects || j.fresh(f, sel.X))
			}
		}
		return ok
	})
	return ok
}

// eachWrite visits what the statements of a function assign to, or hand to a
// builtin that writes, but for plain names that := declares.
func (f *function) eachWrite(visit func(target ast.Expr)) {
	assigned := func(e ast.Expr, tok token.Token) {
		if id, plain := e.(*ast.Ident); e != nil && (!plain || tok != token.DEFINE && id.Name != "_") {
			visit(e)
		}
	}
	ast.Inspect(f.decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				assigned(l, n.Tok)
			}
		case *ast.IncDecStmt:
			visit(n.X)
		case *ast.RangeStmt:
			assigned(n.Key, n.Tok)
			assigned(n.Value, n.Tok)
		case *ast.CallExpr:
			switch f.Builtin(n) {
			case "copy", "clear", "delete", "append":
				if len(n.Args) == 0 {
					break // it does not type-check
				}
				visit(&ast.IndexExpr{X: n.Args[0]}) // its elements: a plain name is not set itself
			}
		}
		return true
	})
}

// function is one that is looked at, with what is new in its call.
type function struct {
	*typed.Package
	decl *ast.FuncDecl
	new  map[*types.Var]bool // parameters and receiver; false where they are not
}

// made reports whether what a local variable holds, or refers to, is new in the
// call.
func (j *Judge) made(f *function, v *types.Var) bool {
	if is, parameter := f.new[v]; parameter {
		return is
	}
	if j.visiting[v] {
		return true // as far as its other values are
	}
	j.visiting[v] = true
	defer delete(j.visiting, v)
	values, known := f.SetTo(v)
	for _, value := range values {
		known = known && j.fresh(f, value)
	}
	return known
}

// fresh is the same of an expression.
func (j *Judge) fresh(f *function, e ast.Expr) bool {
	if _, copied := ast.Unparen(e).(*ast.StarExpr); copied || typed.Plain(f.TypeOf(e)) {
		return true
	}
	return j.freshBase(f, e)
}

// freshBase is the same of what an expression begins with.
func (j *Judge) freshBase(f *function, e ast.Expr) bool {
	switch e := f.Base(e).(type) {
	case *ast.BasicLit, *ast.CompositeLit, *ast.FuncLit, *ast.BinaryExpr:
		return true
	case *ast.UnaryExpr:
		return e.Op != token.AND || j.freshBase(f, e.X)
	case *ast.TypeAssertExpr:
		return j.fresh(f, e.X)
	case *ast.CallExpr:
		return j.result(f, e)
	default:
		v := f.Var(e)
		return v == nil && f.Info.Types[e].IsNil() || v != nil && !typed.Global(v) && j.made(f, v)
	}
}

// result is the same of what a call gives: of a method it is new if its receiver is.
func (j *Judge) result(f *function, call *ast.CallExpr) bool {
	if f.Builtin(call) == "append" && len(call.Args) > 0 {
		return j.fresh(f, call.Args[0])
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || f.Info.Selections[sel] == nil || f.Called(call) == "sync.(*Pool).Get" {
		return true
	}
	return j.fresh(f, sel.X)
}
