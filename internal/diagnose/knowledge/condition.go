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

// Call is a call to which a row may apply.
type Call struct {
	typed.Site
	loop bool // a loop of the function is around its statement
}

// Condition is the condition on a call for a row to claim it. The zero value holds
// for every call.
type Condition struct {
	words string
	is    func(*Call) bool
}

// Words returns a condition that other code decides, for the documentation.
func Words(words string) Condition { return Condition{words: words} }

// String returns the condition in words: "argument 2 is a constant of one byte".
func (c Condition) String() string { return c.words }

func (c Condition) holds(call *Call) bool { return c.is == nil || c.is(call) }

// all holds where each of several conditions does.
func all(list ...Condition) Condition {
	return Condition{join(list, ", and "), func(c *Call) bool {
		return !slices.ContainsFunc(list, func(one Condition) bool { return !one.holds(c) })
	}}
}

// either holds where one of several conditions does.
func either(list ...Condition) Condition {
	return Condition{"either " + join(list, ", or "), func(c *Call) bool {
		return slices.ContainsFunc(list, func(one Condition) bool { return one.holds(c) })
	}}
}

func join(list []Condition, by string) string {
	var words []string
	for _, c := range list {
		words = append(words, c.words)
	}
	return strings.Join(words, by)
}

// not holds where a condition does not; words say so.
func not(one Condition, words string) Condition {
	return Condition{words, func(c *Call) bool { return !one.holds(c) }}
}

// inLoop holds of a call that a loop of its function makes again and again.
var inLoop = Condition{"in a loop", func(c *Call) bool { return c.loop }}

// argument returns the i-th argument, counted from 0; nil where the call has none, or
// gives several by one expression.
func (c *Call) argument(i int) ast.Expr {
	if i < 0 || i >= len(c.Args) || len(c.Args) == 1 && c.isTuple() || c.Ellipsis.IsValid() && i == len(c.Args)-1 {
		return nil
	}
	return ast.Unparen(c.Args[i])
}

func (c *Call) isTuple() bool {
	_, ok := c.In.TypeOf(c.Args[0]).(*types.Tuple)
	return ok
}

// ordinal names an argument for people.
func ordinal(i int) string {
	return "the " + []string{"first", "second", "third", "fourth", "fifth"}[i] + " argument"
}

// arg holds where an argument has a property, which words name: "is a string".
func arg(i int, words string, is func(c *Call, e ast.Expr) bool) Condition {
	return Condition{ordinal(i) + " " + words, func(c *Call) bool {
		e := c.argument(i)
		return e != nil && is(c, e)
	}}
}

// args holds where the call has a number of arguments.
func args(n int, words string) Condition {
	return Condition{words, func(c *Call) bool { return len(c.Args) == n && !c.Ellipsis.IsValid() }}
}

// ofType holds where an argument's type is one by its name: "[]byte",
// "bytes.Buffer". A constant has the type that it is used as.
func ofType(i int, names ...string) Condition {
	return arg(i, "is of type "+strings.Join(names, " or "), func(c *Call, e ast.Expr) bool {
		return slices.Contains(names, typeName(c.In.TypeOf(e)))
	})
}

// underlying holds where an argument's type is built on one: "string", "int".
func underlying(i int, words string, is func(types.Type) bool) Condition {
	return arg(i, words, func(c *Call, e ast.Expr) bool {
		t := c.In.TypeOf(e)
		return t != nil && is(t)
	})
}

// typeName writes a type with the paths of its packages.
func typeName(t types.Type) string {
	if t == nil {
		return ""
	}
	return types.TypeString(types.Unalias(t), nil)
}

// value returns an argument's constant, nil where it is none.
func (c *Call) value(i int) constant.Value {
	if e := c.argument(i); e != nil {
		return c.In.Info.Types[e].Value
	}
	return nil
}

// text returns an argument that is the same text for the whole run.
func (c *Call) text(i int) (string, bool) {
	e := c.argument(i)
	if e == nil {
		return "", false
	}
	f := c.In.Fixed(e)
	if !f.Always() || f.Value == nil {
		return "", false
	}
	return *f.Value, true
}

// texts holds where an argument is always one text that has a property.
func texts(i int, words string, is func(string) bool) Condition {
	return Condition{ordinal(i) + " " + words, func(c *Call) bool {
		s, ok := c.text(i)
		return ok && is(s)
	}}
}

// textIs holds where an argument is always one of some texts.
func textIs(i int, list ...string) Condition {
	var quoted []string
	for _, s := range list {
		if s == "" {
			s = `""`
		}
		quoted = append(quoted, "`"+s+"`")
	}
	return texts(i, "is "+strings.Join(quoted, " or "), func(s string) bool { return slices.Contains(list, s) })
}

// number holds where an argument is a constant number with a property.
func number(i int, words string, is func(int64) bool) Condition {
	return Condition{ordinal(i) + " " + words, func(c *Call) bool {
		v := c.value(i)
		if v == nil {
			return false
		}
		n, exact := constant.Int64Val(constant.ToInt(v))
		return exact && is(n)
	}}
}

// fixed holds where an argument has the same value whenever the call is made.
func fixed(i int) Condition {
	return arg(i, "is the same in every call", func(c *Call, e ast.Expr) bool { return c.In.Fixed(e).Always() })
}

// steady holds where an argument does not change in the loop around the call, or
// never does.
func steady(i int) Condition {
	return arg(i, "does not change in the loop", (*Call).steady)
}

func (c *Call) steady(e ast.Expr) bool {
	f := c.In.Fixed(e)
	return f.Always() || f.By == typed.FixedLoop
}

// made returns the call that an expression is the result of: itself, or that of a
// variable that is set once; nil where there is none.
func (c *Call) made(e ast.Expr) *ast.CallExpr {
	if v := c.In.Var(e); v != nil {
		if values, known := c.In.SetTo(v); known && len(values) == 1 {
			e = values[0]
		}
	}
	call, _ := ast.Unparen(e).(*ast.CallExpr)
	return call
}

// resultOf holds where an argument is what one of some functions returns, by
// itself or through a variable that nothing else sets.
func resultOf(i int, callees ...string) Condition {
	return arg(i, "is the result of "+words(callees), func(c *Call, e ast.Expr) bool {
		call := c.made(e)
		return call != nil && slices.Contains(callees, c.In.Called(call))
	})
}

// converted holds where an argument is converted in its place, from one type to
// another by their names: "[]byte", "string".
func converted(i int, from, to string) Condition {
	return arg(i, "is converted from "+from+" to "+to, func(c *Call, e ast.Expr) bool {
		x, t := c.In.Conversion(e)
		return x != nil && isNamed(t, to) && isNamed(c.In.TypeOf(x), from) && c.In.Info.Types[x].Value == nil
	})
}

func isNamed(t types.Type, name string) bool {
	return t != nil && (typeName(t) == name || typeName(t.Underlying()) == name)
}

// receiver returns the receiver of a method call, nil for other calls.
func (c *Call) receiver() ast.Expr {
	if sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok && c.In.Info.Selections[sel] != nil && !c.In.MethodExpression(c.CallExpr) {
		return ast.Unparen(sel.X)
	}
	return nil
}

// receiverMade holds where a method's receiver is what one of some functions
// returns, by itself or through a variable that nothing else sets.
func receiverMade(callees ...string) Condition {
	return Condition{"it is called on the result of " + words(callees), func(c *Call) bool {
		x := c.receiver()
		if x == nil {
			return false
		}
		call := c.made(x)
		return call != nil && slices.Contains(callees, c.In.Called(call))
	}}
}

// result holds where every use of a call's first result has a property.
func result(words string, is func(c *Call, use ast.Expr) bool) Condition {
	return Condition{words, func(c *Call) bool {
		uses := c.In.Results(c.CallExpr)
		return len(uses) > 0 && !slices.ContainsFunc(uses, func(use ast.Expr) bool { return !is(c, use) })
	}}
}

// resultOnce is [result] of one use, in the same round of all loops: a call that is
// made there in its stead is made no more often.
func resultOnce(words string, is func(c *Call, use ast.Expr) bool) Condition {
	one := result(words, is)
	return Condition{"its only use is that " + words, func(c *Call) bool {
		return len(c.In.Results(c.CallExpr)) == 1 && one.is(c) && c.sameRound(c.In.Results(c.CallExpr)[0])
	}}
}

// sameRound reports whether no loop and no function literal is around a use of the
// result that is not around the call.
func (c *Call) sameRound(use ast.Expr) bool {
	for outer := range c.In.Repeats(use) {
		return inside(outer, c.CallExpr)
	}
	return true
}

// counted holds where len is all that sees the result.
var counted = result("only its length is used", func(c *Call, use ast.Expr) bool { return c.In.Measured(use) })

// ranged holds where a loop that does not use the index is all that sees the result.
var ranged = resultOnce("a loop ranges over it, without its index", func(c *Call, use ast.Expr) bool {
	loop, ok := c.In.Parent(use).(*ast.RangeStmt)
	if !ok || ast.Unparen(loop.X) != use {
		return false
	}
	key, _ := loop.Key.(*ast.Ident)
	return loop.Key == nil || key != nil && key.Name == "_"
})

// passed holds where the result is handed to one of some functions alone.
func passed(callees ...string) Condition {
	return resultOnce("it is an argument of "+words(callees), func(c *Call, use ast.Expr) bool {
		call, ok := c.In.Parent(use).(*ast.CallExpr)
		return ok && slices.Contains(call.Args, use) && slices.Contains(callees, c.In.Called(call))
	})
}

// convertedTo holds where the result is converted to a type and not used otherwise.
func convertedTo(to string) Condition {
	return resultOnce("it is converted to "+to, func(c *Call, use ast.Expr) bool {
		call, ok := c.In.Parent(use).(*ast.CallExpr)
		if !ok {
			return false
		}
		x, t := c.In.Conversion(call)
		return x == use && isNamed(t, to)
	})
}

// appended holds where the bytes of the result are appended to others.
var appended = resultOnce("it is appended to bytes (append(b, …...))", func(c *Call, use ast.Expr) bool {
	call, ok := c.In.Parent(use).(*ast.CallExpr)
	return ok && c.In.Builtin(call) == "append" && call.Ellipsis.IsValid() && len(call.Args) == 2 && call.Args[1] == use
})

// compared holds where == or != with something is all that sees the result; other
// says what may stand on the other side, nil anything.
func compared(how string, other func(c *Call, e ast.Expr) bool) Condition {
	return result(how, func(c *Call, use ast.Expr) bool {
		e, ok := c.In.Parent(use).(*ast.BinaryExpr)
		if !ok || e.Op != token.EQL && e.Op != token.NEQ {
			return false
		}
		x := e.Y
		if x == use {
			x = e.X
		}
		return c.setHere(use) && (other == nil || other(c, x))
	})
}

// setHere reports whether a use of a call's result can be of nothing else.
func (c *Call) setHere(use ast.Expr) bool {
	v := c.In.Var(use)
	if v == nil {
		return true
	}
	values, known := c.In.SetTo(v)
	return known && len(values) == 1
}

// comparedNumber holds where the result is compared with a number, by operators
// and numbers written as in Go: "== 0", "> -1".
func comparedNumber(words string, list ...string) Condition {
	return result(words, func(c *Call, use ast.Expr) bool {
		e, ok := c.In.Parent(use).(*ast.BinaryExpr)
		if !ok || e.X != use || c.In.Info.Types[e.Y].Value == nil {
			return false
		}
		return slices.Contains(list, e.Op.String()+" "+c.In.Info.Types[e.Y].Value.ExactString())
	})
}

// early holds where the first elements of the result are all that is used, by a
// constant index of at most most.
func early(most int64) Condition {
	return result("only its first elements are used, by constant indexes", func(c *Call, use ast.Expr) bool {
		return c.element(use, most)
	})
}

// element reports whether an expression is read by a constant index of at most most.
func (c *Call) element(use ast.Expr, most int64) bool {
	ix, ok := c.In.Parent(use).(*ast.IndexExpr)
	if !ok || ix.X != use || c.In.Written(use) || c.In.Info.Types[ix.Index].Value == nil {
		return false
	}
	n, exact := constant.Int64Val(constant.ToInt(c.In.Info.Types[ix.Index].Value))
	return exact && n <= most
}

// words joins names for people.
func words(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}
