package busywaiting

import (
	"go/ast"
	"go/token"
	"strings"

	"whet/internal/typed"
)

// spinsIn reports whether all that a loop does is to look at what others change.
func spinsIn(pkg *typed.Package, loop *ast.ForStmt) bool {
	if loop.Init != nil || loop.Post != nil {
		return false // its rounds are counted
	}
	looks, idle := false, true
	visit := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			switch does(pkg, n) {
			case look:
				looks = true
			case something:
				idle = false
			}
		case *ast.SelectStmt:
			def := false
			for _, c := range n.Body.List {
				clause := c.(*ast.CommClause)
				def = def || clause.Comm == nil
				if clause.Comm == nil && len(clause.Body) > 0 && !yields(pkg, clause.Body) {
					idle = false
				}
				if clause.Comm != nil && !leaves(clause.Body) {
					idle = false // it works on what it gets
				}
			}
			idle = idle && def
			looks = true
			return false
		case *ast.IfStmt:
			if !leaves(n.Body.List) && !yields(pkg, n.Body.List) || n.Else != nil {
				idle = false
			}
			if n.Init != nil {
				idle = idle && loads(pkg, n.Init) && (looksAt(pkg, n.Cond) || !calls(n.Cond))
			} else {
				idle = idle && looksAt(pkg, n.Cond)
			}
			looks = true
			return false
		case *ast.SendStmt, *ast.GoStmt, *ast.DeferStmt, *ast.AssignStmt, *ast.IncDecStmt, *ast.ForStmt, *ast.RangeStmt, *ast.FuncLit, *ast.SwitchStmt, *ast.TypeSwitchStmt:
			idle = false
		case *ast.UnaryExpr:
			idle = idle && n.Op != token.ARROW
		}
		return idle
	}
	if loop.Cond != nil {
		ast.Inspect(loop.Cond, visit)
	}
	ast.Inspect(loop.Body, visit)
	return looks && idle
}

type deed int

const (
	something deed = iota
	look           // at what others change
	yield
)

// does says what a call in such a loop is.
func does(pkg *typed.Package, call *ast.CallExpr) deed {
	switch name := pkg.Called(call); {
	case name == "runtime.Gosched":
		return yield
	case strings.HasPrefix(name, "sync/atomic.") && strings.Contains(name, "Load"), strings.HasPrefix(name, "sync.(*") && strings.Contains(name, ").Try"), pkg.Builtin(call) == "len":
		return look
	case strings.HasPrefix(name, "sync/atomic.") && strings.Contains(name, "CompareAndSwap"):
		// A lock that is taken by hand; with values that were worked out it is the retry
		// of a step that somebody else made meanwhile.
		for _, arg := range call.Args[max(len(call.Args)-2, 0):] {
			if pkg.Info.Types[arg].Value == nil {
				return something
			}
		}
		return look
	}
	return something
}

// looksAt reports whether a condition calls nothing but what looks, and that.
func looksAt(pkg *typed.Package, e ast.Expr) bool {
	looks, only := false, true
	ast.Inspect(e, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			looks = looks || does(pkg, call) == look
			only = only && does(pkg, call) == look
		}
		return true
	})
	return looks && only
}

// loads reports whether a statement sets new variables to what it looks at, and no more.
func loads(pkg *typed.Package, st ast.Stmt) bool {
	set, ok := st.(*ast.AssignStmt)
	return ok && set.Tok == token.DEFINE && len(set.Rhs) == 1 && looksAt(pkg, set.Rhs[0])
}

func calls(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		_, is := n.(*ast.CallExpr)
		found = found || is
		return !found
	})
	return found
}

// leaves reports whether statements end in one that leaves the loop, after whatever.
func leaves(list []ast.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	switch last := list[len(list)-1].(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return last.Tok == token.BREAK || last.Tok == token.GOTO
	}
	return false
}

// yields reports whether statements do nothing but let others run.
func yields(pkg *typed.Package, list []ast.Stmt) bool {
	for _, st := range list {
		x, ok := st.(*ast.ExprStmt)
		if !ok {
			b, is := st.(*ast.BranchStmt)
			if is && b.Tok == token.CONTINUE {
				continue
			}
			return false
		}
		if call, is := x.X.(*ast.CallExpr); !is || does(pkg, call) != yield {
			return false
		}
	}
	return true
}
