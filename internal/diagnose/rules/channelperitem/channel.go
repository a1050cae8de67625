package channelperitem

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"whet/internal/typed"
)

// maxSteps bounds how far a channel is followed to where it is made.
const maxSteps = 6

// makes returns the calls of make that an expression's channel may come from; !known where
// it may come from elsewhere.
func makes(pkg *typed.Package, e ast.Expr, steps int) (out []*ast.CallExpr, known bool) {
	if pkg == nil || steps == 0 {
		return nil, false
	}
	follow := func(in *typed.Package, values []ast.Expr) bool {
		for _, v := range values {
			more, known := makes(in, v, steps-1)
			if !known {
				return false
			}
			out = append(out, more...)
		}
		return len(values) > 0
	}
	switch e := pkg.Converted(e).(type) {
	case *ast.CallExpr:
		if pkg.Builtin(e) == "make" {
			return []*ast.CallExpr{e}, true
		}
		if to := pkg.Reached(e); to != nil {
			known = follow(to.Package, results(to.Decl.Body))
		}
	case *ast.Ident, *ast.SelectorExpr:
		v, ok := pkg.Object(e).(*types.Var)
		switch {
		case !ok:
		case v.IsField():
			known = follow(pkg, pkg.FieldValues(v))
		default:
			if parameter, _ := pkg.Named(v); parameter {
				known = follow(pkg, arguments(pkg, v))
			} else if values, all := pkg.SetTo(v); all {
				known = follow(pkg, values)
			}
		}
	}
	return out, known
}

// results returns the first results that a function's own return statements name.
func results(body *ast.BlockStmt) (out []ast.Expr) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			if len(n.Results) > 0 {
				out = append(out, n.Results[0])
			}
		}
		return true
	})
	return out
}

// arguments returns what calls in the package hand to a parameter; none where the function
// may be called from elsewhere.
func arguments(pkg *typed.Package, v *types.Var) (out []ast.Expr) {
	at := -1
	var calls []*ast.CallExpr
	switch fn := pkg.FunctionAround(v.Pos()).(type) {
	case *ast.FuncLit:
		at = position(pkg, fn.Type, v)
		if call, ok := pkg.Parent(fn).(*ast.CallExpr); ok && ast.Unparen(call.Fun) == fn {
			calls = append(calls, call)
		}
	case *ast.FuncDecl:
		at = position(pkg, fn.Type, v)
		if fn.Name.IsExported() && pkg.Name != "main" {
			return nil
		}
		for _, use := range pkg.Uses(pkg.Info.Defs[fn.Name]) {
			call, ok := pkg.Parent(use).(*ast.CallExpr)
			if sel, is := pkg.Parent(use).(*ast.SelectorExpr); is {
				call, ok = pkg.Parent(sel).(*ast.CallExpr)
			}
			if !ok {
				return nil
			}
			calls = append(calls, call)
		}
	}
	for _, call := range calls {
		if at < 0 || at >= len(call.Args) {
			return nil
		}
		out = append(out, call.Args[at])
	}
	return out
}

// position returns which parameter a variable is, -1: none.
func position(pkg *typed.Package, fn *ast.FuncType, v *types.Var) int {
	i := 0
	for _, field := range fn.Params.List {
		for _, name := range field.Names {
			if pkg.Info.Defs[name] == v {
				return i
			}
			i++
		}
	}
	return -1
}

// without reports whether all of make calls make what a channel e is, without a buffer.
func without(pkg *typed.Package, e ast.Expr, calls []*ast.CallExpr) bool {
	of, ok := typed.Under[*types.Chan](pkg.TypeOf(e))
	for _, c := range calls {
		if made, is := typed.Under[*types.Chan](pkg.TypeOf(c)); !ok || !is || !types.Identical(of.Elem(), made.Elem()) {
			return false
		}
		if len(c.Args) > 1 {
			if n := pkg.Info.Types[c.Args[1]].Value; n == nil || constant.Sign(n) != 0 {
				return false
			}
		}
	}
	return len(calls) > 0
}

// channelOf returns the channel that a statement sends on, or receives from; nil of others.
func channelOf(pkg *typed.Package, st ast.Stmt) (ch ast.Expr, sends bool) {
	switch st := st.(type) {
	case *ast.SendStmt:
		return st.Chan, true
	case *ast.RangeStmt:
		if t := pkg.TypeOf(st.X); t != nil {
			if _, ok := t.Underlying().(*types.Chan); ok {
				return st.X, false
			}
		}
		return nil, false
	}
	ast.Inspect(st, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.BlockStmt:
			return false
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				ch = n.X
			}
		}
		return ch == nil
	})
	return ch, false
}
