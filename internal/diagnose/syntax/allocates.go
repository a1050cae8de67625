package syntax

import (
	"go/ast"
	"go/token"
)

// Allocates reports whether a statement itself, without the blocks inside it,
// holds an expression that may need memory beside calls: a literal of a slice
// or map, a pointer to a literal, a function literal, joined strings.
func Allocates(st ast.Stmt) bool {
	found := false
	Head(st, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			found = true
			return false
		case *ast.CompositeLit:
			switch t := n.Type.(type) {
			case *ast.ArrayType:
				found = found || t.Len == nil
			case *ast.MapType:
				found = true
			}
		case *ast.UnaryExpr:
			if _, ok := ast.Unparen(n.X).(*ast.CompositeLit); ok {
				found = found || n.Op == token.AND
			}
		case *ast.BinaryExpr:
			found = found || n.Op == token.ADD && (isText(n.X) || isText(n.Y))
		}
		return !found
	})
	return found
}

func isText(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.BasicLit:
		return e.Kind == token.STRING
	case *ast.BinaryExpr:
		return e.Op == token.ADD && (isText(e.X) || isText(e.Y))
	}
	return false
}
