package lockheld

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// guardsWriter reports whether a section does what the remedy asks for of a
// lock that guards a writer: one Write of what was made ready before, on a
// writer that is kept beside the lock, and besides at most what follows an
// error.
func (c *contended) guardsWriter(u *underLock) bool {
	writes := 0
	direct := make(map[int]bool) // lines of such a Write
	failing := make(map[int]bool)
	looped := false
	ast.Inspect(c.section.function.Node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			looped = looped || c.held[c.section.function.Line(n.Pos())]
		case *ast.IfStmt:
			if cond, ok := n.Cond.(*ast.BinaryExpr); ok && types.ExprString(cond.Y) == "nil" {
				for l := c.section.function.Line(n.Body.Lbrace) + 1; l <= c.section.function.Line(n.Body.Rbrace); l++ {
					failing[l] = true
				}
			}
		case *ast.CallExpr:
			line := c.section.function.Line(n.Pos())
			if !c.held[line] || !c.besideLock(n) {
				return true
			}
			writes++
			direct[line] = true
		}
		return true
	})
	return writes == 1 && !looped && !slices.ContainsFunc(u.ordered, func(op *operation) bool { return !direct[op.line] && !failing[op.line] })
}

// besideLock reports whether a call is x.w.Write where the lock is x.mu.
func (c *contended) besideLock(call *ast.CallExpr) bool {
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || method.Sel.Name != "Write" {
		return false
	}
	writer, ok := method.X.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	owner := c.section.key // of an embedded lock
	if i := strings.LastIndexByte(owner, '.'); i >= 0 {
		owner = owner[:i]
	}
	return types.ExprString(writer.X) == owner
}
