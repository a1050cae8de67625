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

// pair holds where the first two elements of the result, and how many there are, is
// all that is used.
var pair = result("only its two elements and their number are used", func(c *Call, use ast.Expr) bool {
	return c.In.Measured(use) || c.element(use, 1)
})

// few holds where elements by a constant index of at most most, of which there is
// one, and comparisons of their number with constants are all that is used.
func few(most int64) Condition {
	only := result("only its first elements, by constant indexes, and its length are used", func(c *Call, use ast.Expr) bool {
		return c.element(use, most) || c.sized(use)
	})
	is := only.is
	only.is = func(c *Call) bool {
		return is(c) && slices.ContainsFunc(c.In.Results(c.CallExpr), func(use ast.Expr) bool { return !c.In.Measured(use) })
	}
	return only
}

// sized reports whether an expression's length is compared with a constant.
func (c *Call) sized(use ast.Expr) bool {
	if !c.In.Measured(use) {
		return false
	}
	n := c.In.Parent(use)
	by, ok := c.In.Parent(n).(*ast.BinaryExpr)
	return ok && by.X == n && c.In.Info.Types[by.Y].Value != nil && by.Op.Precedence() == token.EQL.Precedence()
}

// rangedWith is [ranged], with the index or without.
var rangedWith = resultOnce("a loop ranges over it", func(c *Call, use ast.Expr) bool {
	loop, ok := c.In.Parent(use).(*ast.RangeStmt)
	return ok && ast.Unparen(loop.X) == use
})

// last holds where the last element of the result is all that is used.
var last = result("only its last element is used (p[len(p)-1])", func(c *Call, use ast.Expr) bool {
	if c.In.Measured(use) {
		minus := c.In.Parent(c.In.Parent(use))
		ix, ok := c.In.Parent(minus).(*ast.IndexExpr)
		return ok && ix.Index == minus && c.isLast(ix)
	}
	ix, ok := c.In.Parent(use).(*ast.IndexExpr)
	return ok && ix.X == use && c.isLast(ix) && !c.In.Written(use)
})

// isLast reports whether an expression is p[len(p)-1] of a variable.
func (c *Call) isLast(ix *ast.IndexExpr) bool {
	minus, ok := ast.Unparen(ix.Index).(*ast.BinaryExpr)
	if !ok || minus.Op != token.SUB || !c.isInt(minus.Y, 1) {
		return false
	}
	n, ok := minus.X.(*ast.CallExpr)
	return ok && c.In.Builtin(n) == "len" && len(n.Args) == 1 && c.In.Var(ix.X) != nil && c.In.Var(ix.X) == c.In.Var(n.Args[0])
}

func (c *Call) isInt(e ast.Expr, n int64) bool {
	v := c.In.Info.Types[e].Value
	return v != nil && constant.Compare(constant.ToInt(v), token.EQL, constant.MakeInt64(n))
}

// tested holds where all that is asked of the result is whether it is nil or empty.
var tested = result("it is only tested for nil or emptiness", func(c *Call, use ast.Expr) bool { return c.emptiness(use) })

// emptiness reports whether an expression, or its length, is compared with nothing.
func (c *Call) emptiness(use ast.Expr) bool {
	e := use
	if c.In.Measured(use) {
		e = c.In.Parent(use).(*ast.CallExpr)
	}
	by, ok := c.In.Parent(e).(*ast.BinaryExpr)
	switch {
	case !ok || by.X != e:
		return false
	case e == use:
		return (by.Op == token.EQL || by.Op == token.NEQ) && c.In.Info.Types[by.Y].IsNil()
	case c.isInt(by.Y, 0):
		return by.Op == token.EQL || by.Op == token.NEQ || by.Op == token.GTR
	}
	return c.isInt(by.Y, 1) && (by.Op == token.LSS || by.Op == token.GEQ)
}

// whole holds where the first element of the result, and whether there is one, is
// all that is used.
var whole = result("only its first element, and whether there is one, is used", func(c *Call, use ast.Expr) bool {
	return c.emptiness(use) || c.element(use, 0)
})

// written holds where a call that writes the text is all that sees it.
var written = resultOnce("it is passed to WriteString, or as bytes to Write", func(c *Call, use ast.Expr) bool {
	call, ok := c.In.Parent(use).(*ast.CallExpr)
	if !ok {
		return false
	}
	if x, t := c.In.Conversion(call); x == use && isNamed(t, "[]byte") {
		by, ok := c.In.Parent(call).(*ast.CallExpr)
		return ok && len(by.Args) == 1 && by.Args[0] == call && c.writes(by, "Write")
	}
	return len(call.Args) == 2 && call.Args[1] == use && c.In.Called(call) == "io.WriteString" || len(call.Args) == 1 && call.Args[0] == use && c.writes(call, "WriteString")
})

// writes reports whether a call is of a method by its name, of what has Write too.
func (c *Call) writes(call *ast.CallExpr, name string) bool {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != name || c.In.Info.Selections[sel] == nil || c.In.MethodExpression(call) {
		return false
	}
	m, _, _ := types.LookupFieldOrMethod(c.In.TypeOf(sel.X), true, nil, "Write")
	_, ok = m.(*types.Func)
	return ok
}

// keyed holds where maps, as their key, are all that see the result.
var keyed = result("it is only used as a map key", func(c *Call, use ast.Expr) bool {
	switch by := c.In.Parent(use).(type) {
	case *ast.IndexExpr:
		_, ok := typed.Under[*types.Map](c.In.TypeOf(by.X))
		return ok && by.Index == use
	case *ast.CallExpr:
		return c.In.Builtin(by) == "delete" && len(by.Args) == 2 && by.Args[1] == use
	}
	return false
})

// plain holds where all arguments from one on are numbers, strings or booleans
// without methods that package fmt would call.
func plain(from int) Condition {
	return Condition{"its values are numbers, strings or booleans", func(c *Call) bool {
		return len(c.Args) > from && !c.Ellipsis.IsValid() && !slices.ContainsFunc(c.Args[from:], func(e ast.Expr) bool { return !typed.IsBasic(c.In.TypeOf(e)) })
	}}
}

// same holds where all arguments are the same in every call, or in every round of
// the loop around it, which does not end with the call.
var same = Condition{"its arguments are the same in every call, or in every round of the loop", func(c *Call) bool {
	once := false
	for i := range c.Args {
		e := c.argument(i)
		if e == nil {
			return false
		}
		f := c.In.Fixed(e)
		if !f.Always() && f.By != typed.FixedLoop {
			return false
		}
		once = once || !f.Always()
	}
	return len(c.Args) > 0 && (!once || c.loop && !c.leaves())
}}

// leaves reports whether the function or the loop ends in a block around the call
// that the loop has.
func (c *Call) leaves() bool {
	for n := c.In.Parent(c.CallExpr); n != nil; n = c.In.Parent(n) {
		var list []ast.Stmt
		switch n := n.(type) {
		case *ast.ReturnStmt:
			return true
		case *ast.ForStmt, *ast.RangeStmt, *ast.FuncLit:
			return false
		case *ast.BlockStmt:
			list = n.List
		case *ast.CaseClause:
			list = n.Body
		case *ast.CommClause:
			list = n.Body
		}
		if len(list) == 0 {
			continue
		}
		switch end := list[len(list)-1].(type) {
		case *ast.ReturnStmt:
			return true
		case *ast.BranchStmt:
			if end.Tok != token.CONTINUE {
				return true
			}
		case *ast.ExprStmt:
			if call, ok := end.X.(*ast.CallExpr); ok && (c.In.Builtin(call) == "panic" || slices.Contains([]string{"os.Exit", "log.Fatal", "log.Fatalf"}, c.In.Called(call))) {
				return true
			}
		}
	}
	return false
}

// isObject holds where an argument is a function or variable of a package, by its
// name: "unicode.IsSpace".
func isObject(i int, names ...string) Condition {
	return arg(i, "is "+words(names), func(c *Call, e ast.Expr) bool {
		obj := c.In.Object(e)
		return obj != nil && obj.Pkg() != nil && obj.Parent() == obj.Pkg().Scope() && slices.Contains(names, obj.Pkg().Path()+"."+obj.Name())
	})
}

// format holds where a format is constant and each of its verbs is one of some.
func format(i int, verbs string) Condition {
	return texts(i, "is a format of plain %"+strings.Join(strings.Split(verbs, ""), " %"), func(s string) bool {
		some := false
		for rest := s; ; some = true {
			_, after, found := strings.Cut(rest, "%")
			if !found {
				return some
			}
			if after == "" || !strings.Contains(verbs, after[:1]) {
				return false
			}
			rest = after[1:]
		}
	})
}

// pointers holds where all arguments from one on are pointers to numbers or strings
// without methods.
func pointers(from int) Condition {
	return Condition{"it reads into numbers and strings", func(c *Call) bool {
		return len(c.Args) > from && !c.Ellipsis.IsValid() && !slices.ContainsFunc(c.Args[from:], func(e ast.Expr) bool {
			p, ok := typed.Under[*types.Pointer](c.In.TypeOf(e))
			return !ok || !typed.IsBasic(p.Elem()) || types.NewMethodSet(p).Lookup(nil, "Scan") != nil
		})
	}}
}

// hasMethod holds where an argument's type has a method without parameters that
// returns a string, and package fmt would ask no other.
func hasMethod(i int, name string) Condition {
	return arg(i, "has the method "+name, func(c *Call, e ast.Expr) bool {
		t := c.In.TypeOf(e)
		if t == nil || typeName(t) == "reflect.Value" { // fmt writes what it holds
			return false
		}
		methods := types.NewMethodSet(t)
		m := methods.Lookup(nil, name)
		if m == nil || methods.Lookup(nil, "Format") != nil || name != "Error" && methods.Lookup(nil, "Error") != nil {
			return false
		}
		sig, ok := m.Obj().Type().(*types.Signature)
		return ok && sig.Params().Len() == 0 && sig.Results().Len() == 1 && types.Identical(sig.Results().At(0).Type(), types.Typ[types.String])
	})
}

// bytesAt holds where an argument is bytes that package fmt asks no method of.
func bytesAt(i int) Condition {
	return arg(i, "is a []byte or an array of bytes", func(c *Call, e ast.Expr) bool {
		t := c.In.TypeOf(e)
		if t == nil || types.NewMethodSet(t).Len() > 0 {
			return false
		}
		if a, ok := typed.Under[*types.Array](t); ok {
			return isNamed(a.Elem(), "byte") || isNamed(a.Elem(), "uint8")
		}
		return isNamed(t, "[]byte")
	})
}
