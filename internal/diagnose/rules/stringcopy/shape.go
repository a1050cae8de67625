package stringcopy

import (
	"go/ast"
	"go/token"
	"go/types"

	"whet/internal/diagnose"
	"whet/internal/diagnose/syntax"
	"whet/internal/typed"
)

// shape is what the source of a statement says about its copies.
type shape struct {
	concat      bool // + or += of strings
	concatLoop  bool // a variable from outside a loop grows in it
	beforeWrite bool // []byte(s) is an argument of a Write
	lookup      bool // string(b) is only compared or looked up
	converts    bool // a conversion between string and a slice
	allocates   bool // something else in it allocates too
}

// shapeOf reads a statement; without types it says nothing.
func shapeOf(s *diagnose.Subject, st diagnose.Statement) (sh shape) {
	p := s.PackageOf(st.File)
	if p == nil || st.Node == nil {
		return sh
	}
	if assign, ok := st.Node.(*ast.AssignStmt); ok && len(assign.Lhs) == 1 && len(assign.Rhs) == 1 {
		to, value := assign.Lhs[0], assign.Rhs[0]
		if typed.IsString(p.TypeOf(to)) && (assign.Tok == token.ADD_ASSIGN || assign.Tok == token.ASSIGN && startsWith(value, to)) {
			sh.concat = true
			sh.concatLoop = st.Loop != nil && !declaredIn(p, to, st.Loop)
		}
		if _, conv := p.Conversion(value); typed.IsString(conv) {
			sh.lookup = onlyLooksUp(p, p.Object(to))
		}
	}
	sh.allocates = setsMap(p, st.Node)
	syntax.Head(st.Node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			sh.allocates = true
			return false
		case *ast.BinaryExpr:
			sh.concat = sh.concat || n.Op == token.ADD && typed.IsString(p.TypeOf(n)) && p.Info.Types[n].Value == nil
		case *ast.CompositeLit:
			sh.allocates = true
		case *ast.CallExpr:
			switch p.Called(n) {
			case "make", "new", "append":
				sh.allocates = true
			}
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Write" {
				for _, arg := range n.Args {
					sh.beforeWrite = sh.beforeWrite || copies(p, arg) == toBytes
				}
			}
			sh.converts = sh.converts || copies(p, n) != none
		}
		return true
	})
	return sh
}

// copies tells what a conversion between a string and a slice of bytes or runes
// copies; none for anything else.
func copies(p *typed.Package, e ast.Expr) operation {
	x, to := p.Conversion(e)
	switch {
	case typed.IsString(to) && typed.Element(p.TypeOf(x)) != nil:
		return toString
	case typed.Element(to) != nil && typed.IsString(p.TypeOf(x)):
		return toBytes
	}
	return none
}

// setsMap reports whether a statement sets an element of a map: an allocation
// profile does not tell the map's growth from the statement's other blocks.
func setsMap(p *typed.Package, st ast.Stmt) bool {
	var set []ast.Expr
	switch n := st.(type) {
	case *ast.AssignStmt:
		set = n.Lhs
	case *ast.IncDecStmt:
		set = []ast.Expr{n.X}
	}
	for _, e := range set {
		if index, ok := ast.Unparen(e).(*ast.IndexExpr); ok && p.TypeOf(index.X) != nil && typed.Element(p.TypeOf(index.X)) == nil {
			return true
		}
	}
	return false
}

// startsWith reports whether e is "x + …".
func startsWith(e, x ast.Expr) bool {
	for {
		sum, ok := e.(*ast.BinaryExpr)
		if !ok || sum.Op != token.ADD {
			return false
		}
		if types.ExprString(sum.X) == types.ExprString(x) {
			return true
		}
		e = sum.X
	}
}

// declaredIn reports whether a variable is declared inside a loop's body, so that
// it starts anew in each iteration.
func declaredIn(p *typed.Package, e ast.Expr, loop ast.Stmt) bool {
	root := syntax.Root(e)
	if root == nil || p.Object(root) == nil {
		return false
	}
	body := loop
	switch l := loop.(type) {
	case *ast.ForStmt:
		body = l.Body
	case *ast.RangeStmt:
		body = l.Body
	}
	at := p.Object(root).Pos()
	return body.Pos() <= at && at < body.End()
}

// onlyLooksUp reports whether a variable is used only as an index, in
// comparisons and as a switch's tag: the compiler does these without a copy
// when the conversion stands in them itself. m[k] = v keeps the key.
func onlyLooksUp(p *typed.Package, obj types.Object) bool {
	uses := p.Uses(obj)
	for _, id := range uses {
		switch around := p.Parent(id).(type) {
		case *ast.IndexExpr:
			if set, ok := p.Parent(around).(*ast.AssignStmt); around.Index != id || ok && set.Lhs[0] == around {
				return false
			}
		case *ast.BinaryExpr:
			switch around.Op {
			case token.EQL, token.NEQ, token.LSS, token.GTR, token.LEQ, token.GEQ:
			default:
				return false
			}
		case *ast.SwitchStmt:
		default:
			return false
		}
	}
	return len(uses) > 0
}
