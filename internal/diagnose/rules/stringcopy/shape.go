package stringcopy

import (
	"go/ast"
	"go/token"
	"strings"

	"whet/internal/diagnose"
	"whet/internal/diagnose/syntax"
)

// shape is what the syntax of a statement says about its copies.
type shape struct {
	concat      bool // + of operands that the source shows to be strings
	grows       bool // s += x or s = s + x, of whatever type
	growsText   bool // the same, and the source shows that s is a string
	concatLoop  bool // a variable from outside a loop grows in it
	otherSum    bool // a + elsewhere than in what a variable grows by: f(a + b)
	beforeWrite bool // []byte(s) is an argument of a Write
	lookup      bool // string(b) is only compared or looked up
	converts    bool // a conversion between string and a slice
	allocates   bool // something else in it allocates too
}

// shapeOf reads a statement. Without source or typed calls the parts that need
// them stay false.
func shapeOf(s *diagnose.Subject, st diagnose.Statement) shape {
	var sh shape
	calls, _ := s.StatementCalls(st)
	for _, c := range calls {
		switch c.Callee {
		case "string([]byte)", "[]byte(string)", "string([]rune)", "[]rune(string)":
			sh.converts = true
		}
	}
	if st.Node == nil {
		return sh
	}
	if assign, ok := st.Node.(*ast.AssignStmt); ok && len(assign.Lhs) == 1 && len(assign.Rhs) == 1 {
		grows := assign.Tok == token.ADD_ASSIGN || assign.Tok == token.ASSIGN && startsWith(assign.Rhs[0], assign.Lhs[0])
		if grows {
			sh.grows = true
			sh.growsText = isString(st, assign.Lhs[0]) || isString(st, assign.Rhs[0])
			sh.concat = sh.growsText
			sh.concatLoop = st.Loop != nil && !declaredIn(assign.Lhs[0], st.Loop)
			sh.otherSum = sumsBeside(assign)
		}
		if id, ok := assign.Lhs[0].(*ast.Ident); ok && isConversion(assign.Rhs[0], "string") {
			sh.lookup = onlyLooksUp(id, st.Func)
		}
	}
	sh.allocates = setsMap(st)
	syntax.Head(st.Node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			sh.allocates = true
			return false
		case *ast.BinaryExpr:
			sh.concat = sh.concat || n.Op == token.ADD && (isText(n.X) || isText(n.Y))
		case *ast.CompositeLit:
			sh.allocates = true
		case *ast.CallExpr:
			switch fun := n.Fun.(type) {
			case *ast.Ident:
				sh.allocates = sh.allocates || fun.Name == "make" || fun.Name == "new" || fun.Name == "append"
			case *ast.SelectorExpr:
				if fun.Sel.Name == "Write" {
					for _, arg := range n.Args {
						sh.beforeWrite = sh.beforeWrite || isByteConversion(arg)
					}
				}
			}
			sh.converts = sh.converts || isByteConversion(n)
		}
		return true
	})
	return sh
}

func isText(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Kind == token.STRING
	case *ast.ParenExpr:
		return isText(e.X)
	case *ast.BinaryExpr:
		return e.Op == token.ADD && (isText(e.X) || isText(e.Y))
	}
	return false
}

func isByteConversion(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return false
	}
	at, ok := call.Fun.(*ast.ArrayType)
	if !ok || at.Len != nil {
		return false
	}
	id, ok := at.Elt.(*ast.Ident)
	return ok && (id.Name == "byte" || id.Name == "uint8" || id.Name == "rune")
}

func isConversion(e ast.Expr, typ string) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return false
	}
	id, ok := call.Fun.(*ast.Ident)
	return ok && id.Name == typ
}

// startsWith reports whether e is "x + …".
func startsWith(e, x ast.Expr) bool {
	for {
		b, ok := e.(*ast.BinaryExpr)
		if !ok || b.Op != token.ADD {
			break
		}
		if sameName(b.X, x) {
			return true
		}
		e = b.X
	}
	return false
}

func sameName(a, b ast.Expr) bool {
	x, y := nameOf(a), nameOf(b)
	return x != "" && x == y
}

// nameOf renders x or x.f.g; "" for anything else.
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		if x := nameOf(e.X); x != "" {
			return x + "." + e.Sel.Name
		}
	}
	return ""
}

// declaredIn reports whether a variable is declared inside a loop, so that it
// starts anew in each iteration.
func declaredIn(lhs ast.Expr, loop ast.Stmt) bool {
	name, _, _ := strings.Cut(nameOf(lhs), ".")
	if name == "" {
		return false
	}
	body := loopBody(loop)
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				for _, l := range n.Lhs {
					id, ok := l.(*ast.Ident)
					found = found || ok && id.Name == name
				}
			}
		case *ast.ValueSpec:
			for _, id := range n.Names {
				found = found || id.Name == name
			}
		}
		return !found
	})
	return found
}

func loopBody(loop ast.Stmt) ast.Node {
	switch l := loop.(type) {
	case *ast.ForStmt:
		return l.Body
	case *ast.RangeStmt:
		return l.Body
	}
	return loop
}

// onlyLooksUp reports whether a variable is used only as an index, in
// comparisons and as a switch's tag: the compiler does these without a copy
// when the conversion stands in them itself.
func onlyLooksUp(id *ast.Ident, fn ast.Node) bool {
	uses, lookups := 0, 0
	isUse := func(e ast.Expr) bool {
		x, ok := e.(*ast.Ident)
		return ok && x.Name == id.Name
	}
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if n.Name == id.Name && n != id {
				uses++
			}
		case *ast.IndexExpr:
			if isUse(n.Index) {
				lookups++
			}
		case *ast.BinaryExpr:
			switch n.Op {
			case token.EQL, token.NEQ, token.LSS, token.GTR, token.LEQ, token.GEQ:
				if isUse(n.X) {
					lookups++
				}
				if isUse(n.Y) {
					lookups++
				}
			}
		case *ast.SwitchStmt:
			if n.Tag != nil && isUse(n.Tag) {
				lookups++
			}
		case *ast.AssignStmt:
			// m[k] = v keeps the key: that copy is needed.
			for _, l := range n.Lhs {
				if ix, ok := l.(*ast.IndexExpr); ok && isUse(ix.Index) {
					lookups--
				}
			}
		}
		return true
	})
	return uses > 0 && uses == lookups
}
