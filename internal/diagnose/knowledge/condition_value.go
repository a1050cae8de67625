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

// lookedAt holds where a text or bytes are only looked at, where a twin for the
// other type does the same: measured, compared, indexed, or handed to one of some
// functions.
func lookedAt(words string, by ...string) Condition {
	return result(words, func(c *Call, use ast.Expr) bool {
		if !c.setHere(use) {
			return false
		}
		switch outer := c.In.Parent(use).(type) {
		case *ast.BinaryExpr:
			return outer.Op == token.EQL || outer.Op == token.NEQ
		case *ast.IndexExpr:
			return outer.X == use && !c.In.Written(use)
		case *ast.CallExpr:
			if x, to := c.In.Conversion(outer); x == use {
				return isNamed(to, "[]byte")
			}
			return c.In.Measured(use) || slices.Contains(by, c.In.Called(outer))
		}
		return false
	})
}

// lookers are functions that look at a text and have a twin for bytes.
var lookers = []string{"strings.Contains", "strings.ContainsAny", "strings.ContainsRune", "strings.Count", "strings.EqualFold", "strings.HasPrefix", "strings.HasSuffix",
	"strings.Index", "strings.IndexAny", "strings.IndexByte", "strings.IndexFunc", "strings.IndexRune", "strings.LastIndex", "strings.LastIndexByte",
	"regexp.(*Regexp).MatchString", "unicode/utf8.RuneCountInString", "unicode/utf8.ValidString",
	"bufio.(*Writer).WriteString", "bytes.(*Buffer).WriteString", "strings.(*Builder).WriteString", "os.(*File).WriteString"}

// stored holds where an argument is what a package variable or a field of the
// method's receiver holds, converted or cut, or decoded from PEM.
func stored(i int) Condition {
	return arg(i, "is held by a package variable or a field of the method's receiver", func(c *Call, e ast.Expr) bool { return c.isStored(e, 8) })
}

func (c *Call) isStored(e ast.Expr, steps int) bool {
	if steps == 0 {
		return false
	}
	e = ast.Unparen(e)
	if x, _ := c.In.Conversion(e); x != nil {
		return c.isStored(x, steps-1)
	}
	switch x := e.(type) {
	case *ast.SliceExpr:
		return c.isStored(x.X, steps-1)
	case *ast.StarExpr:
		return c.isStored(x.X, steps-1)
	case *ast.CallExpr:
		return c.In.Called(x) == "encoding/pem.Decode" && len(x.Args) == 1 && c.isStored(x.Args[0], steps-1)
	case *ast.SelectorExpr:
		if c.In.Info.Selections[x] != nil {
			return c.isReceiver(x.X) || c.isStored(x.X, steps-1)
		}
	}
	v := c.In.Var(e)
	if v == nil || typed.Global(v) {
		return v != nil
	}
	values, known := c.In.SetTo(v)
	return known && len(values) == 1 && c.isStored(values[0], steps-1)
}

// isReceiver reports whether an expression is the receiver of the method around the
// call.
func (c *Call) isReceiver(e ast.Expr) bool {
	v := c.In.Var(e)
	fn, ok := c.In.Declaration(c.Pos()).(*ast.FuncDecl)
	return ok && v != nil && fn.Recv != nil && len(fn.Recv.List) == 1 && len(fn.Recv.List[0].Names) == 1 && c.In.Info.Defs[fn.Recv.List[0].Names[0]] == v
}

// elementOf holds where an argument is an element, or of an element, of a list that
// a package variable or the method's receiver holds, which a loop goes over.
func elementOf(i int) Condition {
	return arg(i, "is an element of a list held by a package variable or a field of the method's receiver", func(c *Call, e ast.Expr) bool {
		v := c.In.Var(c.In.Base(e))
		if v == nil || typed.Global(v) || c.In.Definition(v) == nil {
			return false
		}
		loop, ok := c.In.Parent(c.In.Definition(v)).(*ast.RangeStmt)
		return ok && loop.Value == c.In.Definition(v) && c.isStored(loop.X, 8)
	})
}

// varying holds where an argument is not always the same: constant-work speaks
// about those that are.
func varying(i int) Condition {
	return arg(i, "is not a constant", func(c *Call, e ast.Expr) bool { return !c.In.Fixed(e).Always() })
}

// decoded returns the local variable whose address an argument is.
func (c *Call) decoded(i int) (*types.Var, *ast.UnaryExpr) {
	ref, ok := c.argument(i).(*ast.UnaryExpr)
	if !ok || ref.Op != token.AND {
		return nil, nil
	}
	v := c.In.Var(ref.X)
	if v == nil || typed.Global(v) {
		return nil, nil
	}
	return v, ref
}

// keysOnly holds where an argument is the address of a map[string]any of which
// some constant keys are all that is read, as values of one type.
func keysOnly(i int) Condition {
	return Condition{ordinal(i) + " is the address of a map[string]any, of which the program only reads values of constant keys, by type assertions or comparisons", func(c *Call) bool {
		v, ref := c.decoded(i)
		if v == nil {
			return false
		}
		m, ok := typed.Under[*types.Map](v.Type())
		if !ok || !typed.IsString(m.Key()) || !emptyInterface(m.Elem()) {
			return false
		}
		read := 0
		for _, id := range c.In.Uses(v) {
			if ast.Unparen(ref.X) == id {
				continue
			}
			ix, ok := c.In.Parent(id).(*ast.IndexExpr)
			if !ok || ix.X != id || c.In.Info.Types[ix.Index].Value == nil || c.In.Written(id) {
				return false
			}
			switch c.In.Parent(ix).(type) {
			case *ast.TypeAssertExpr, *ast.BinaryExpr:
			default:
				return false // what is handed on as it is may be encoded again
			}
			read++
		}
		return read > 0
	}}
}

func emptyInterface(t types.Type) bool {
	i, ok := typed.Under[*types.Interface](t)
	return ok && i.Empty()
}

// intoMap holds where an argument is the address of a map of any by strings.
func intoMap(i int) Condition {
	return Condition{ordinal(i) + " is the address of a map[string]any", func(c *Call) bool {
		ref, ok := c.argument(i).(*ast.UnaryExpr)
		if !ok || ref.Op != token.AND {
			return false
		}
		m, ok := typed.Under[*types.Map](c.In.TypeOf(ref.X))
		return ok && typed.IsString(m.Key()) && emptyInterface(m.Elem())
	}}
}

// madeOfStruct holds where an argument is what a call made of a struct, by itself or by
// its address.
func madeOfStruct(i int) Condition {
	return Condition{"it is made of a struct", func(c *Call) bool {
		made := c.made(c.argument(i))
		if made == nil || len(made.Args) == 0 {
			return false
		}
		t := c.In.TypeOf(made.Args[0])
		if to, ok := typed.Under[*types.Pointer](t); ok {
			t = to.Elem()
		}
		_, is := typed.Under[*types.Struct](t)
		return is
	}}
}

// dropped holds where an argument is the address of a variable of type any that
// nothing else sees.
func dropped(i int) Condition {
	return Condition{ordinal(i) + " is the address of a variable of type any that nothing else uses", func(c *Call) bool {
		v, _ := c.decoded(i)
		return v != nil && emptyInterface(v.Type()) && len(c.In.Uses(v)) == 1
	}}
}

// written returns the composite literal that an expression is, or that the variable was
// set to that it names; of its address too.
func (c *Call) written(e ast.Expr) *ast.CompositeLit {
	if v := c.In.Var(e); v != nil {
		if values, known := c.In.SetTo(v); known && len(values) == 1 {
			e = values[0]
		}
	}
	e = ast.Unparen(e)
	if ref, ok := e.(*ast.UnaryExpr); ok && ref.Op == token.AND {
		e = ast.Unparen(ref.X)
	}
	lit, _ := e.(*ast.CompositeLit)
	return lit
}

// constantKeys holds where an argument is a literal of a map whose keys are
// constants.
func constantKeys(i int) Condition {
	return all(onlyHereOrWritten(i), arg(i, "is a map literal with constant keys", func(c *Call, e ast.Expr) bool {
		lit := c.written(e)
		if lit == nil || len(lit.Elts) == 0 {
			return false
		}
		t, isMap := types.Unalias(c.In.TypeOf(lit)).(*types.Map)
		return isMap && typed.IsString(t.Key()) && !slices.ContainsFunc(lit.Elts, func(e ast.Expr) bool {
			kv, ok := e.(*ast.KeyValueExpr)
			return !ok || !isTag(c.In.Info.Types[kv.Key].Value)
		})
	}))
}

// isTag reports whether a constant key can be the name in a field's tag.
func isTag(key constant.Value) bool {
	if key == nil || key.Kind() != constant.String {
		return false
	}
	name := constant.StringVal(key)
	return name != "" && name != "-" && !strings.ContainsAny(name, ",\"'`\\")
}

// onlyHereOrWritten holds where an argument is written there, or a variable that
// nothing but this call sees.
func onlyHereOrWritten(i int) Condition {
	return arg(i, "is used for nothing else", func(c *Call, e ast.Expr) bool {
		v := c.In.Var(e)
		return v == nil || !typed.Global(v) && len(c.In.Uses(v)) == 1
	})
}

// again holds where the function makes the same call on the same thing once more,
// beside this call or around it, and nothing changes that between the two: it is
// handed nowhere, and no call is made of one of the methods that change it. Of it and
// its fields only these and those that read are called; asks are what may be called
// on the results, nil where these cannot change.
func again(change, read, asks []string) Condition {
	return Condition{"the function calls it on the same value more than once, and nothing in between changes that value", func(c *Call) bool {
		x, body := c.receiver(), c.In.FunctionAround(c.Pos())
		if x == nil || body == nil {
			return false
		}
		v := c.In.Var(c.In.Base(x))
		if v == nil || typed.Global(v) || slices.ContainsFunc(c.In.Uses(v), func(id *ast.Ident) bool {
			return c.In.Written(id) || !c.onlyCalled(id, slices.Concat(change, read))
		}) {
			return false
		}
		asked := func(call *ast.CallExpr) bool {
			return asks == nil || !slices.ContainsFunc(c.In.Results(call), func(use ast.Expr) bool { return !slices.Contains(asks, c.method(use)) })
		}
		var changes []ast.Node
		var others []*ast.CallExpr
		ast.Inspect(body, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
			switch {
			case !ok || c.In.Var(c.In.Base(sel.X)) != v:
			case slices.Contains(change, sel.Sel.Name):
				changes = append(changes, call)
			case call != c.CallExpr && asked(call) && c.In.Called(call) == c.Callee() && types.ExprString(sel.X) == types.ExprString(x):
				others = append(others, call)
			}
			return true
		})
		return asked(c.CallExpr) && slices.ContainsFunc(others, func(o *ast.CallExpr) bool {
			return (inside(c.block(c.CallExpr), o) || inside(c.block(o), c.CallExpr)) && !slices.ContainsFunc(changes, func(at ast.Node) bool {
				return min(o.Pos(), c.Pos()) < at.Pos() && at.Pos() < max(o.Pos(), c.Pos()) || c.loopOfOne(at, o)
			})
		})
	}}
}

// onlyCalled reports whether a use of a variable calls one of some methods of it or
// of a field, or reads a text or number there.
func (c *Call) onlyCalled(id *ast.Ident, methods []string) bool {
	e := ast.Expr(id)
	for {
		sel, ok := c.In.Parent(e).(*ast.SelectorExpr)
		if !ok || sel.X != e {
			return e != id && typed.IsBasic(c.In.TypeOf(e))
		}
		if name := c.method(e); name != "" {
			return slices.Contains(methods, name)
		}
		e = sel
	}
}

// loopOfOne reports whether a loop or a function literal around a change has one of
// the call and another in it and not both.
func (c *Call) loopOfOne(change ast.Node, other *ast.CallExpr) bool {
	for n := c.In.Parent(change); n != nil; n = c.In.Parent(n) {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.FuncLit:
			if inside(n, c.CallExpr) != inside(n, other) {
				return true
			}
		}
	}
	return false
}

// block returns the innermost list of statements around a node.
func (c *Call) block(n ast.Node) ast.Node {
	for n = c.In.Parent(n); n != nil; n = c.In.Parent(n) {
		switch n.(type) {
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
			return n
		}
	}
	return nil
}

func inside(outer, n ast.Node) bool {
	return outer != nil && outer.Pos() <= n.Pos() && n.End() <= outer.End()
}

// named reports whether all that is asked of a file's information is its name and
// whether it is a directory or a regular file, or whether it is nil.
func (c *Call) named(v types.Object) bool {
	return !slices.ContainsFunc(c.In.Uses(v), func(id *ast.Ident) bool {
		switch outer := c.In.Parent(id).(type) {
		case *ast.BinaryExpr:
			return !c.In.Info.Types[outer.Y].IsNil()
		case *ast.SelectorExpr:
			call, _ := c.In.Parent(outer).(*ast.CallExpr)
			if call == nil {
				return true
			}
			if outer.Sel.Name == "Mode" {
				of, ok := c.In.Parent(call).(*ast.SelectorExpr)
				return !ok || of.Sel.Name != "IsRegular" && of.Sel.Name != "IsDir"
			}
			return outer.Sel.Name != "Name" && outer.Sel.Name != "IsDir"
		}
		return true
	})
}

// listNamed holds where the result is a list of which loops ask the names and the
// kinds alone.
var listNamed = result("only the names and kinds of its elements are used, in loops", func(c *Call, use ast.Expr) bool {
	loop, ok := c.In.Parent(use).(*ast.RangeStmt)
	if !ok || loop.X != use {
		return c.In.Measured(use)
	}
	id, ok := loop.Value.(*ast.Ident)
	return loop.Value == nil || ok && c.In.Info.Defs[id] != nil && c.named(c.In.Info.Defs[id])
})

// fieldsOnly holds where indexes, len and range are all that see the result, a list.
var fieldsOnly = result("only its elements and its length are used", func(c *Call, use ast.Expr) bool {
	switch outer := c.In.Parent(use).(type) {
	case *ast.IndexExpr:
		return outer.X == use && !c.In.Written(use)
	case *ast.RangeStmt:
		return outer.X == use
	}
	return c.In.Measured(use)
})

// specialised holds of a call before which its function takes elements of slices of
// several types: the call is for the types that remain.
var specialised = Condition{"after trying slices of several types", func(c *Call) bool {
	fn, ok := c.In.Declaration(c.Pos()).(*ast.FuncDecl)
	if !ok {
		return false
	}
	var elements []types.Type
	ast.Inspect(fn, func(n ast.Node) bool {
		ix, ok := n.(*ast.IndexExpr)
		if !ok || ix.Pos() > c.Pos() || c.In.TypeOf(ix.X) == nil {
			return true
		}
		s, ok := c.In.TypeOf(ix.X).Underlying().(*types.Slice)
		if ok && !slices.ContainsFunc(elements, func(t types.Type) bool { return types.Identical(t, s.Elem()) }) {
			elements = append(elements, s.Elem())
		}
		return true
	})
	return len(elements) > 1
}}
