package knowledge

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"whet/internal/symbolname"
	"whet/internal/typed"
)

// around returns the loop of the same function around a call, nil where there is none,
// and whether every round makes the call, but for those that end before it.
func (c *Call) around() (loop ast.Stmt, always bool) {
	always = true
	for n, outer := ast.Node(c.CallExpr), c.In.Parent(c.CallExpr); outer != nil; n, outer = outer, c.In.Parent(outer) {
		switch outer := outer.(type) {
		case *ast.FuncLit, *ast.FuncDecl:
			return nil, false
		case *ast.IfStmt:
			always = always && (n == outer.Init || n == outer.Cond)
		case *ast.CaseClause, *ast.CommClause:
			always = false
		case *ast.ForStmt:
			if n != outer.Init {
				return outer, always
			}
		case *ast.RangeStmt:
			if n != outer.X {
				return outer, always
			}
		}
	}
	return nil, false
}

// batch returns the loop around a call, where that goes over what is there already and
// waits for nothing in its rounds: what it writes can be kept back until its end.
func (c *Call) batch() ast.Stmt {
	loop, _ := c.around()
	switch l := loop.(type) {
	case *ast.RangeStmt:
		t := c.In.TypeOf(l.X)
		if t == nil {
			return nil
		}
		if _, waits := t.Underlying().(*types.Chan); waits {
			return nil
		}
	case *ast.ForStmt:
		if next, ok := l.Cond.(*ast.CallExpr); l.Post == nil && !(ok && slices.Contains([]string{"bufio.(*Scanner).Scan", "database/sql.(*Rows).Next"}, c.In.Called(next))) {
			return nil
		}
	default:
		return nil
	}
	waits := false
	ast.Inspect(loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectStmt:
			waits = true
		case *ast.UnaryExpr:
			waits = waits || n.Op == token.ARROW
		case *ast.CallExpr:
			waits = waits || c.In.Called(n) == "time.Sleep"
		}
		return !waits
	})
	if waits {
		return nil
	}
	return loop
}

// inBatch holds in a loop over what is there already.
var inBatch = Condition{"in a loop over existing elements, which does not block", func(c *Call) bool { return c.batch() != nil }}

// eachRound holds where every round of such a loop makes the call.
var eachRound = Condition{"in every round of a loop over existing elements, which does not block", func(c *Call) bool {
	_, always := c.around()
	return always && c.batch() != nil
}}

// before reports whether an expression begins with a variable that is declared
// outside of the loop around the call.
func (c *Call) before(e ast.Expr) bool {
	loop, _ := c.around()
	v := c.In.Var(c.In.Base(e))
	if v == nil || loop == nil {
		return false
	}
	def := c.In.Definition(v)
	return def == nil || def.Pos() < loop.Pos() || def.Pos() >= loop.End()
}

// receiverBefore holds where a method's receiver was made before the loop.
var receiverBefore = Condition{"its receiver was made before the loop", func(c *Call) bool {
	x := c.receiver()
	return x != nil && c.before(x)
}}

// openBefore holds where an argument is a file that was opened before the loop.
func openBefore(i int) Condition {
	return arg(i, "is an *os.File opened before the loop", func(c *Call, e ast.Expr) bool {
		return typeName(c.In.TypeOf(e)) == file && c.before(e)
	})
}

// file is the type of files.
const file = "*os.File"

// receiverOver holds where a method's receiver is what one of some functions makes
// of a value of a type: "*os.File".
func receiverOver(typ string, callees ...string) Condition {
	return Condition{"it is called on the result of " + words(callees) + " of a value of type " + typ, func(c *Call) bool {
		x := c.receiver()
		if x == nil {
			return false
		}
		call := c.made(x)
		return call != nil && slices.Contains(callees, c.In.Called(call)) && len(call.Args) > 0 && typeName(c.In.TypeOf(call.Args[0])) == typ
	}}
}

// receiverNever holds where a method's receiver is a variable of the function, no
// parameter, whose fields and methods of some names are not used.
func receiverNever(names ...string) Condition {
	return Condition{words(names) + " of its receiver is not used", func(c *Call) bool {
		v := c.receiverVar()
		if v == nil || typed.Global(v) {
			return false
		}
		given, _ := c.In.Named(v)
		return !given && !slices.ContainsFunc(c.In.Uses(v), func(id *ast.Ident) bool {
			sel, ok := c.In.Parent(id).(*ast.SelectorExpr)
			return !ok || slices.Contains(names, sel.Sel.Name)
		})
	}}
}

// receiverVar returns the variable that a method is called on, nil where it is called on
// anything else.
func (c *Call) receiverVar() *types.Var {
	if x := c.receiver(); x != nil {
		return c.In.Var(x)
	}
	return nil
}

// piece holds where an argument is a text or a line made in its place, and not a
// block that something filled.
func piece(i int) Condition {
	return arg(i, "is a string, or built in place", func(c *Call, e ast.Expr) bool {
		if call := c.made(e); call != nil {
			if x, _ := c.In.Conversion(call); x != nil {
				return typed.IsString(c.In.TypeOf(x))
			}
			return c.In.Builtin(call) == "append" || slices.Contains([]string{"fmt.Append", "fmt.Appendf", "fmt.Appendln", "strconv.AppendInt",
				"encoding/json.Marshal", "fmt.Sprint", "fmt.Sprintf", "fmt.Sprintln", "strconv.Itoa", "bufio.(*Scanner).Text"}, c.In.Called(call))
		}
		_, literal := e.(*ast.CompositeLit)
		return literal || typed.IsString(c.In.TypeOf(e)) || c.room(e, 512)
	})
}

// room reports whether an expression is a slice of at most most elements, as far as
// its declaration tells: of an array, or made with a constant length.
func (c *Call) room(e ast.Expr, most int64) bool {
	if cut, ok := ast.Unparen(e).(*ast.SliceExpr); ok {
		if array, ok := typed.Under[*types.Array](c.In.TypeOf(cut.X)); ok {
			return array.Len() <= most
		}
		e = cut.X
	}
	call := c.made(e)
	if call == nil || c.In.Builtin(call) != "make" || len(call.Args) < 2 {
		return false
	}
	n, ok := c.integer(call.Args[1])
	return ok && n <= most
}

// integer returns an expression's constant value.
func (c *Call) integer(e ast.Expr) (int64, bool) {
	v := c.In.Info.Types[e].Value
	if v == nil {
		return 0, false
	}
	return constant.Int64Val(constant.ToInt(v))
}

// small holds where an argument is a buffer of at most most bytes.
func small(i int, most int64) Condition {
	return arg(i, "is a small buffer of constant size", func(c *Call, e ast.Expr) bool { return c.room(e, most) })
}

// steadyLast holds where the last argument does not change in the loop.
var steadyLast = Condition{"the last argument does not change either", func(c *Call) bool {
	last := c.argument(len(c.Args) - 1)
	return last != nil && c.steady(last)
}}

// thenRead holds where the loop reads or writes the file that a method is called on.
var thenRead = Condition{"Read or Write of the same file, or io.ReadFull, follows in the loop", func(c *Call) bool {
	return c.does(c.receiver(), c.End(), "Read", "Write")
}}

// inOrder holds where the loop does not move the offset of the file that a method is
// called on, or that an argument is.
var inOrder = Condition{"the loop does not call Seek on it", func(c *Call) bool {
	x := c.receiver()
	if x == nil && len(c.Args) > 0 {
		x = c.Args[0]
	}
	return !c.does(x, token.NoPos, "Seek")
}}

// does reports whether the loop around the call calls a method of a variable, by its
// name, after a position; io.ReadFull reads.
func (c *Call) does(x ast.Expr, behind token.Pos, methods ...string) bool {
	loop, _ := c.around()
	if x == nil || loop == nil || c.In.Var(x) == nil {
		return false
	}
	return slices.ContainsFunc(c.In.Uses(c.In.Var(x)), func(id *ast.Ident) bool {
		switch outer := c.In.Parent(id).(type) {
		case *ast.SelectorExpr:
			return inside(loop, id) && id.Pos() > behind && slices.Contains(methods, outer.Sel.Name)
		case *ast.CallExpr:
			return inside(loop, id) && id.Pos() > behind && slices.Contains(methods, "Read") && c.In.Called(outer) == "io.ReadFull"
		}
		return false
	})
}

// noAnswer holds where the loop's rounds read nothing, which may be the answer to
// what they write.
var noAnswer = Condition{"no round reads a reply", func(c *Call) bool {
	loop, _ := c.around()
	if loop == nil {
		return false
	}
	reads := false
	ast.Inspect(loop, func(n ast.Node) bool {
		if f, ok := loop.(*ast.ForStmt); ok && n == f.Cond {
			return false
		}
		if call, ok := n.(*ast.CallExpr); ok {
			name := symbolname.Parse(c.In.Called(call)).Name
			reads = reads || strings.HasPrefix(name, "Read") || slices.Contains([]string{"Decode", "Scan", "Recv", "Receive", "Wait"}, name)
		}
		return !reads
	})
	return !reads
}}
