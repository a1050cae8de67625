package slicegrowth

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strings"

	"whet/internal/diagnose"
	"whet/internal/diagnose/syntax"
)

// variable is one slice of one call of a function.
type variable struct {
	declared ast.Node
	name     string
	loop     ast.Node // the outermost that it grows in
}

// growth is what the source says about a slice that grows.
type growth struct {
	variable
	typ   string   // for make
	from  string   // what it starts as
	first int      // elements that it starts with
	param bool     // it comes from the caller
	sizes []string // rounds of the loops it grows in, outermost first
	each  int      // elements appended each round, at most
	sum   bool     // the size is a sum over the outer loop's rounds, or of the parts' lengths
	parts bool     // slices of other lengths are appended
	exact bool     // nothing is left out: no condition, no break
}

// growthOf reads a statement that appends to a slice in a loop. ok is false
// where the final size is not known beforehand.
func growthOf(s *diagnose.Subject, st diagnose.Statement) (g growth, ok bool) {
	p := s.PackageOf(st.File)
	name, call := appended(st.Node)
	if p == nil || name == "" || st.Loop == nil || p.Builtin(call) != "append" || p.TypeOf(call) == nil {
		return g, false
	}
	fn := syntax.New(st.Func)
	from, ok := start(fn, st.Node, name)
	if !ok {
		return g, false
	}
	g = growth{variable: variable{from.node, name, nil}, typ: from.typ, from: from.text, first: from.first, param: from.param, exact: true}
	// From the statement outwards to where the variable starts.
	var loops []ast.Node
	for n := ast.Node(st.Node); n != nil && n != from.scope; n = fn.Parent(n) {
		switch p := fn.Parent(n).(type) {
		case *ast.ForStmt:
			if n == p.Body {
				loops = append(loops, p)
			}
		case *ast.RangeStmt:
			if n == p.Body {
				loops = append(loops, p)
			}
		case *ast.FuncLit:
			if p != st.Func {
				return g, false
			}
		}
	}
	if len(loops) == 0 {
		return g, false
	}
	slices.Reverse(loops)
	g.loop = loops[0]
	if g.typ == "" {
		g.typ = typeName(p.TypeOf(call))
	}
	var counters []string
	for _, loop := range loops {
		size, depends, ok := rounds(p, loop, name, counters)
		if !ok {
			return g, false
		}
		g.sum = g.sum || depends
		g.sizes = append(g.sizes, size)
		counters = append(counters, loopVariables(loop)...)
	}
	return g, g.readBody(fn, loops, counters)
}

// readBody looks at everything that is done to the variable in the loops.
func (g *growth) readBody(fn *syntax.Function, loops []ast.Node, counters []string) bool {
	ok := true
	innermost := loops[len(loops)-1]
	g.each, g.exact = perRound(bodyOf(innermost).List, g.name)
	ast.Inspect(g.loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			ok = ok && !syntax.Mentions(n, root(g.name))
			return false
		case *ast.AssignStmt:
			name, call := appended(n)
			if name != g.name {
				for _, l := range n.Lhs {
					if x := syntax.Name(l); x == g.name || x == root(g.name) {
						ok = false // set to something else
					}
				}
				return true
			}
			at := n
			g.exact = g.exact && chosenAlways(fn, at, innermost)
			if call.Ellipsis != token.NoPos {
				g.sum, g.parts = true, true
				ok = ok && len(call.Args) == 2 && fixedLength(call.Args[1])
			}
			ok = ok && around(fn, at) == innermost
		case *ast.UnaryExpr:
			if n.Op == token.AND && syntax.Name(n.X) == g.name {
				ok = false // somebody else may append
			}
		case *ast.BranchStmt:
			if n.Tok != token.CONTINUE || n.Label != nil {
				g.exact = g.exact && n.Tok == token.BREAK && n.Label == nil && inSwitch(fn, n)
			}
		}
		return ok
	})
	for _, loop := range loops[1:] {
		g.exact = g.exact && alwaysReached(fn, loop, around(fn, loop))
	}
	return ok
}

// bodyOf is what a loop repeats.
func bodyOf(loop ast.Node) *ast.BlockStmt {
	if loop, ok := loop.(*ast.RangeStmt); ok {
		return loop.Body
	}
	return loop.(*ast.ForStmt).Body
}

// appended reads "x = append(x, …)": the variable and the call.
func appended(n ast.Node) (string, *ast.CallExpr) {
	st, ok := n.(*ast.AssignStmt)
	if !ok || st.Tok != token.ASSIGN || len(st.Lhs) != 1 || len(st.Rhs) != 1 {
		return "", nil
	}
	call, ok := ast.Unparen(st.Rhs[0]).(*ast.CallExpr)
	if !ok || len(call.Args) < 2 {
		return "", nil
	}
	if fun, ok := call.Fun.(*ast.Ident); !ok || fun.Name != "append" {
		return "", nil
	}
	name := syntax.Name(st.Lhs[0])
	if name == "" || syntax.Name(call.Args[0]) != name {
		return "", nil
	}
	return name, call
}

func root(name string) string {
	name, _, _ = strings.Cut(name, ".")
	return name
}

// origin is where a slice starts from in a call of the function.
type origin struct {
	node, scope ast.Node
	typ, text   string
	first       int // elements that it starts with
	param       bool
}

// start finds where a slice starts. Only one that starts empty, as a literal, or
// comes from the caller is of interest: another may be a buffer that is reused.
func start(fn *syntax.Function, at ast.Node, name string) (origin, bool) {
	if strings.Contains(name, ".") {
		return resetBefore(fn, at, name)
	}
	d, ok := fn.Declaration(at, name)
	if !ok {
		return origin{}, false
	}
	o := origin{node: d.Node, scope: d.Scope}
	switch {
	case d.Param:
		if _, isSlice := d.Type.(*ast.ArrayType); !isSlice {
			return o, false
		}
		o.param, o.text, o.typ = true, "what the caller hands over", types.ExprString(d.Type)
		return o, !resliced(fn, at, d)
	case d.Value != nil:
		if o.text, o.typ, ok = empty(d.Value); !ok {
			o.text, o.typ, o.first, ok = listed(d.Value)
		}
	case d.Type != nil:
		o.text, o.typ = "nothing", types.ExprString(d.Type)
	default:
		return o, false // a loop's own variable
	}
	if !ok {
		return o, false
	}
	return o, !resliced(fn, at, d)
}

// resliced reports whether the variable is set to something else before the
// loop: a buffer, or what a call returns.
func resliced(fn *syntax.Function, at ast.Node, d syntax.Declaration) bool {
	for _, id := range fn.Uses(d) {
		st, ok := fn.Parent(id).(*ast.AssignStmt)
		if !ok || id.Pos() > at.Pos() || !slices.Contains(st.Lhs, ast.Expr(id)) {
			continue
		}
		if name, _ := appended(st); name == d.Ident.Name {
			continue
		}
		if len(st.Lhs) == len(st.Rhs) {
			if _, _, isEmpty := empty(st.Rhs[slices.Index(st.Lhs, ast.Expr(id))]); isEmpty {
				continue
			}
		}
		return true
	}
	return false
}

// resetBefore finds the statement that empties a field before the loop.
func resetBefore(fn *syntax.Function, at ast.Node, name string) (origin, bool) {
	for n := at; n != nil && n != fn.Node; n = fn.Parent(n) {
		block, ok := fn.Parent(n).(*ast.BlockStmt)
		if !ok {
			continue
		}
		i := slices.IndexFunc(block.List, func(st ast.Stmt) bool { return st == n })
		for _, st := range slices.Backward(block.List[:max(i, 0)]) {
			set, ok := st.(*ast.AssignStmt)
			if !ok || set.Tok != token.ASSIGN || len(set.Lhs) != 1 || len(set.Rhs) != 1 || syntax.Name(set.Lhs[0]) != name {
				continue
			}
			text, typ, ok := empty(set.Rhs[0])
			return origin{node: set, scope: block, text: text, typ: typ}, ok
		}
	}
	return origin{}, false
}

// empty reads a value that holds no elements.
func empty(e ast.Expr) (text, typ string, ok bool) {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return "nothing", "", e.Name == "nil"
	case *ast.CompositeLit:
		if at, ok := e.Type.(*ast.ArrayType); ok && at.Len == nil && len(e.Elts) == 0 {
			return "nothing", types.ExprString(e.Type), true
		}
	case *ast.CallExpr:
		switch fun := ast.Unparen(e.Fun).(type) {
		case *ast.ArrayType: // []T(nil)
			if id, ok := e.Args[0].(*ast.Ident); ok && fun.Len == nil && id.Name == "nil" {
				return "nothing", types.ExprString(fun), true
			}
		case *ast.Ident:
			if fun.Name != "make" || len(e.Args) < 2 || !isZero(e.Args[1]) {
				return "", "", false
			}
			typ := types.ExprString(e.Args[0])
			if len(e.Args) == 2 || isZero(e.Args[2]) {
				return "nothing", typ, true
			}
			return "a capacity of " + types.ExprString(e.Args[2]), typ, true
		}
	}
	return "", "", false
}

// listed reads a literal whose elements follow one another.
func listed(e ast.Expr) (text, typ string, first int, ok bool) {
	lit, ok := ast.Unparen(e).(*ast.CompositeLit)
	if !ok || len(lit.Elts) == 0 {
		return "", "", 0, false
	}
	at, ok := lit.Type.(*ast.ArrayType)
	if !ok || at.Len != nil || slices.ContainsFunc(lit.Elts, func(e ast.Expr) bool { _, keyed := e.(*ast.KeyValueExpr); return keyed }) {
		return "", "", 0, false
	}
	text = "a literal of one element"
	if first = len(lit.Elts); first > 1 {
		text = fmt.Sprintf("a literal of %d elements", first)
	}
	return text, types.ExprString(lit.Type), first, true
}

func isZero(e ast.Expr) bool {
	lit, ok := e.(*ast.BasicLit)
	return ok && lit.Value == "0"
}

// typeName writes a slice's type as another package would.
func typeName(t types.Type) string {
	return types.TypeString(types.Unalias(t), func(p *types.Package) string { return path.Base(p.Path()) })
}
