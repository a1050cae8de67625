package stringcopy

import (
	"go/ast"
	"go/token"

	"whet/internal/diagnose"
	"whet/internal/diagnose/syntax"
)

// isString reports whether the source shows that an expression of a statement
// is a string: + and += are those of numbers too. What is not understood is no
// string.
func isString(st diagnose.Statement, e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.BasicLit:
		return e.Kind == token.STRING
	case *ast.BinaryExpr:
		return e.Op == token.ADD && (isString(st, e.X) || isString(st, e.Y))
	case *ast.CallExpr:
		return isConversion(e, "string")
	case *ast.Ident:
		d, ok := syntax.New(st.Func).Declaration(st.Node, e.Name)
		if !ok {
			return false
		}
		if id, isName := d.Type.(*ast.Ident); isName {
			return id.Name == "string"
		}
		return d.Type == nil && d.Value != nil && (isText(d.Value) || isConversion(d.Value, "string"))
	}
	return false
}

// setsMap reports whether a statement sets an element of what may be a map: an
// allocation profile does not tell the map's growth from the statement's other
// blocks.
func setsMap(st diagnose.Statement) bool {
	var set []ast.Expr
	switch n := st.Node.(type) {
	case *ast.AssignStmt:
		set = n.Lhs
	case *ast.IncDecStmt:
		set = []ast.Expr{n.X}
	}
	for _, e := range set {
		if index, ok := ast.Unparen(e).(*ast.IndexExpr); ok && !isSlice(st, index.X) {
			return true
		}
	}
	return false
}

// isSlice reports whether the source shows that an expression is a slice or an
// array.
func isSlice(st diagnose.Statement, e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return false
	}
	d, ok := syntax.New(st.Func).Declaration(st.Node, id.Name)
	if !ok {
		return false
	}
	typ := d.Type
	switch value := d.Value.(type) {
	case *ast.CompositeLit:
		typ = value.Type
	case *ast.CallExpr:
		if fun, ok := value.Fun.(*ast.Ident); ok && fun.Name == "make" && len(value.Args) > 0 {
			typ = value.Args[0]
		}
	}
	_, ok = typ.(*ast.ArrayType)
	return ok
}

// sumsBeside reports whether an assignment holds a + beside those that make up
// what its variable grows by: in an index, or in a call's arguments.
func sumsBeside(assign *ast.AssignStmt) bool {
	grows := make(map[ast.Node]bool)
	for e := ast.Unparen(assign.Rhs[0]); ; {
		sum, ok := e.(*ast.BinaryExpr)
		if !ok || sum.Op != token.ADD {
			break
		}
		grows[sum] = true
		e = ast.Unparen(sum.X)
	}
	found := false
	ast.Inspect(assign, func(n ast.Node) bool {
		sum, ok := n.(*ast.BinaryExpr)
		found = found || ok && sum.Op == token.ADD && !grows[n]
		return !found
	})
	return found
}
