package knowledge

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"whet/internal/typed"
)

// innermost returns the loop around a call in its function, nil where there is none. Of
// its first statement, and of what is ranged over, it is the loop farther out.
func (c *Call) innermost() ast.Stmt {
	for outer := range c.In.Repeats(c.CallExpr) {
		loop, _ := outer.(ast.Stmt)
		return loop
	}
	return nil
}

// keptByLoop holds where an argument is a variable whose elements the loop around
// the call does not change: it is only looked at there, by index, len, range and
// the same function. Of a list of fewer than 16 elements that is written out it does not.
func keptByLoop(i int) Condition {
	return arg(i, "is a variable that the loop only reads", func(c *Call, e ast.Expr) bool {
		v, loop := c.In.Var(e), c.innermost()
		if v == nil || loop == nil || typed.Global(v) || within(loop, v.Pos()) {
			return false
		}
		if list, ok := c.In.SetOnce(v).(*ast.CompositeLit); ok && len(list.Elts) < 16 {
			return false
		}
		return !slices.ContainsFunc(c.In.Uses(v), func(use *ast.Ident) bool {
			if within(loop, use.Pos()) {
				return !c.looks(use)
			}
			return c.pointed(use) || c.inLiteral(use, loop) && !c.looks(use)
		})
	})
}

// pointed reports whether the address of a variable, or of a part of it, is taken
// where it is used.
func (c *Call) pointed(use ast.Expr) bool {
	for n := c.In.Parent(use); ; n = c.In.Parent(n) {
		switch outer := n.(type) {
		case *ast.ParenExpr, *ast.SelectorExpr, *ast.IndexExpr:
		case *ast.UnaryExpr:
			return outer.Op == token.AND
		default:
			return false
		}
	}
}

// inLiteral reports whether an expression is in a function literal that a loop is
// not in: the loop may call that.
func (c *Call) inLiteral(e ast.Expr, loop ast.Node) bool {
	for n := c.In.Parent(e); n != nil && !inside(n, loop); n = c.In.Parent(n) {
		if _, ok := n.(*ast.FuncLit); ok {
			return true
		}
	}
	return false
}

// looks reports whether a use of a variable only reads what it holds.
func (c *Call) looks(use ast.Expr) bool {
	switch outer := c.In.Parent(use).(type) {
	case *ast.CallExpr:
		return c.In.Measured(use) || c.In.Called(outer) == c.Callee() && len(outer.Args) > 0 && outer.Args[0] == use
	case *ast.IndexExpr:
		return outer.X == use && !c.In.Written(use)
	case *ast.RangeStmt:
		return outer.X == use
	}
	return false
}

// grownByLoop holds where an argument is a variable from outside of the loop around
// the call, which the loop sets by append to itself.
func grownByLoop(i int) Condition {
	return arg(i, "is a slice from outside the loop, to which the loop appends", func(c *Call, e ast.Expr) bool {
		v, loop := c.In.Var(e), c.innermost()
		if v == nil || loop == nil || within(loop, v.Pos()) {
			return false
		}
		return slices.ContainsFunc(c.In.Uses(v), func(use *ast.Ident) bool {
			st, ok := c.In.Parent(use).(*ast.AssignStmt)
			if !ok || !within(loop, use.Pos()) || len(st.Lhs) != 1 || st.Lhs[0] != use {
				return false
			}
			call, ok := st.Rhs[0].(*ast.CallExpr)
			return ok && c.In.Builtin(call) == "append" && len(call.Args) > 0 && c.In.Var(call.Args[0]) == v
		})
	})
}

// quickLoop holds where the loop around a call goes over all of a slice, an array, a
// map or a text, asks the clock by this call alone, and calls nothing but package
// time and what the compiler writes out.
var quickLoop = Condition{"in a loop that ranges over all elements and calls only package time", func(c *Call) bool {
	loop, ok := c.innermost().(*ast.RangeStmt)
	if !ok {
		return false
	}
	over := c.In.TypeOf(loop.X)
	if over == nil {
		return false
	}
	switch over.Underlying().(type) {
	case *types.Chan, *types.Signature:
		return false
	case *types.Basic:
		if !typed.IsString(over) { // so many rounds may take any time
			return false
		}
	}
	quick, asks := true, 0
	ast.Inspect(loop.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			x, _ := c.In.Conversion(n)
			name := c.In.Called(n)
			if name == "time.Now" || name == "time.Since" || name == "time.Until" {
				asks++
			}
			quick = quick && (x != nil || c.In.Builtin(n) != "" && c.In.Builtin(n) != "panic" || strings.HasPrefix(name, "time.") && name != "time.Sleep")
		case *ast.UnaryExpr:
			quick = quick && n.Op != token.ARROW
		case *ast.SendStmt, *ast.SelectStmt, *ast.GoStmt, *ast.DeferStmt, *ast.ForStmt, *ast.RangeStmt, *ast.ReturnStmt:
			quick = false
		case *ast.BranchStmt: // which may end it by the time it took
			quick = quick && n.Tok == token.CONTINUE && n.Label == nil
		}
		return quick
	})
	return quick && asks == 1
}}

func within(n ast.Node, pos token.Pos) bool { return n.Pos() <= pos && pos < n.End() }

// method returns the method that is called on an expression where it stands, "" where
// none is.
func (c *Call) method(e ast.Expr) string {
	sel, ok := c.In.Parent(e).(*ast.SelectorExpr)
	if !ok || sel.X != e {
		return ""
	}
	if call, ok := c.In.Parent(sel).(*ast.CallExpr); ok && call.Fun == sel {
		return sel.Sel.Name
	}
	return ""
}

// asked holds where calls of some methods are all that sees the result.
func asked(methods ...string) Condition {
	return result("it is only used to call "+words(methods), func(c *Call, use ast.Expr) bool {
		return slices.Contains(methods, c.method(use))
	})
}

// receiverAsked holds where a method is called on a variable or field of which the
// package calls only some methods, and which it hands nowhere.
func receiverAsked(methods ...string) Condition {
	return Condition{"on its receiver the package calls only " + words(methods), func(c *Call) bool {
		v, _ := c.In.Object(c.receiver()).(*types.Var)
		if v == nil || v.Exported() && (v.IsField() || typed.Global(v)) {
			return false
		}
		if parameter, result := c.In.Named(v); parameter || result {
			return false
		}
		return !slices.ContainsFunc(c.In.Uses(v), func(id *ast.Ident) bool {
			e := ast.Expr(id)
			if sel, ok := c.In.Parent(id).(*ast.SelectorExpr); ok && sel.Sel == id {
				e = sel
			}
			if st, ok := c.In.Parent(e).(*ast.AssignStmt); ok && slices.Contains(st.Lhs, e) {
				return false
			}
			if kv, ok := c.In.Parent(e).(*ast.KeyValueExpr); ok && kv.Key == e {
				return false
			}
			return !slices.Contains(methods, c.method(e))
		})
	}}
}

// together holds where the function calls other functions too, for the same
// variable as first argument or receiver, and the variable is set once.
func together(callees ...string) Condition {
	return Condition{"the function calls " + strings.Join(callees, " and ") + " on the same variable too", func(c *Call) bool {
		v, body := c.subject(c.CallExpr), c.In.FunctionAround(c.Pos())
		if v == nil || body == nil || !c.setOnce(v) {
			return false
		}
		missing := slices.Clone(callees)
		ast.Inspect(body, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && c.subject(call) == v {
				missing = slices.DeleteFunc(missing, func(name string) bool { return name == c.In.Called(call) })
			}
			return true
		})
		return len(missing) == 0
	}}
}

// subject returns the variable that a call is about: its receiver's, or of a function
// that of its first argument.
func (c *Call) subject(call *ast.CallExpr) *types.Var {
	if sel, ok := call.Fun.(*ast.SelectorExpr); ok && c.In.Info.Selections[sel] != nil {
		return c.In.Var(sel.X)
	}
	if len(call.Args) == 0 {
		return nil
	}
	return c.In.Var(call.Args[0])
}

// setOnce reports whether a local variable never changes: it is a parameter that
// nothing sets, or is set where it is declared only.
func (c *Call) setOnce(v *types.Var) bool {
	if typed.Global(v) {
		return false
	}
	values, known := c.In.SetTo(v)
	return c.In.Parameter(v) > 0 || known && len(values) == 1
}

// perCall holds of a call that is not part of the program's start.
var perCall = Condition{"in a function that is called repeatedly, not when the program starts", func(c *Call) bool {
	fn, ok := c.In.Declaration(c.Pos()).(*ast.FuncDecl)
	return ok && fn.Name.Name != "init" && (fn.Name.Name != "main" || c.In.Name != "main")
}}

// alike holds where the first two arguments are of the same type, which has a
// property.
func alike(words string, is func(types.Type) bool) Condition {
	return Condition{"both arguments are " + words, func(c *Call) bool {
		a, b := c.argument(0), c.argument(1)
		if a == nil || b == nil {
			return false
		}
		t, u := c.In.TypeOf(a), c.In.TypeOf(b)
		return t != nil && u != nil && types.Identical(t, u) && is(t)
	}}
}

// sliceOf reports whether a type is a slice, of elements with a property.
func sliceOf(is func(types.Type) bool) func(types.Type) bool {
	return func(t types.Type) bool {
		s, ok := t.Underlying().(*types.Slice)
		return ok && is(s.Elem())
	}
}

// fromInteger holds where an argument is an integer that is converted in its place.
func fromInteger(i int) Condition {
	return arg(i, "is converted from an integer", func(c *Call, e ast.Expr) bool {
		x, _ := c.In.Conversion(e)
		return x != nil && c.In.Info.Types[x].Value == nil && typed.IsInteger(c.In.TypeOf(x))
	})
}

// madeOf holds where an argument is what a function returns for a constant number
// with a property.
func madeOf(i int, callee, words string, is func(int64) bool) Condition {
	return arg(i, "is "+callee+" of "+words, func(c *Call, e ast.Expr) bool {
		call := c.made(e)
		if call == nil || c.In.Called(call) != callee || len(call.Args) != 1 || !c.unchanged(e) {
			return false
		}
		v := c.In.Info.Types[call.Args[0]].Value
		if v == nil {
			return false
		}
		n, exact := constant.Int64Val(constant.ToInt(v))
		return exact && is(n)
	})
}

// unchanged reports whether an expression that is made by a call keeps the value it
// is made with: it stands there, or its variable is never handed to anything that
// could change it.
func (c *Call) unchanged(e ast.Expr) bool {
	v := c.In.Var(e)
	switch {
	case v == nil:
		return true
	case !typed.Global(v):
		return len(c.In.Uses(v)) == 1
	}
	return !v.Exported() && !slices.ContainsFunc(c.In.Uses(v), func(id *ast.Ident) bool {
		call, ok := c.In.Parent(id).(*ast.CallExpr)
		return !ok || call.Fun == id || c.In.Called(call) != c.Callee()
	})
}

// isNil holds if the i-th argument is the literal nil.
func isNil(i int) Condition {
	return arg(i, "is nil", func(c *Call, e ast.Expr) bool { return c.In.Info.Types[e].IsNil() })
}
