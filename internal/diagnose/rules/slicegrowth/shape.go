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
	"whet/internal/typed"
)

// variable is one slice of one call of a function.
type variable struct {
	declared ast.Node
	of       *types.Var // that the name begins with
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
	of := p.Var(p.Base(call.Args[0]))
	from, ok := start(p, &st, of, name)
	if !ok || of == nil {
		return g, false
	}
	g = growth{variable: variable{from.node, of, name, nil}, typ: from.typ, from: from.text, first: from.first, param: from.param, exact: true}
	// From the statement outwards to where the variable starts.
	var loops []ast.Node
	for n := ast.Node(st.Node); n != nil && !within(n, from.pos); n = p.Parent(n) {
		switch outer := p.Parent(n).(type) {
		case *ast.ForStmt:
			if n == outer.Body {
				loops = append(loops, outer)
			}
		case *ast.RangeStmt:
			if n == outer.Body {
				loops = append(loops, outer)
			}
		case *ast.FuncLit:
			if outer != st.Func {
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
	var counters []*types.Var
	for _, loop := range loops {
		size, depends, ok := rounds(p, loop, &g.variable, counters)
		if !ok {
			return g, false
		}
		g.sum = g.sum || depends
		g.sizes = append(g.sizes, size)
		counters = append(counters, loopVariables(p, loop)...)
	}
	return g, g.readBody(p, loops)
}

// readBody looks at everything that is done to the variable in the loops.
func (g *growth) readBody(p *typed.Package, loops []ast.Node) bool {
	ok := true
	innermost := loops[len(loops)-1]
	g.each, g.exact = perRound(bodyOf(innermost).List, g.name)
	ast.Inspect(g.loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			ok = ok && !p.UsedIn(n, g.of)
			return false
		case *ast.AssignStmt:
			name, call := appended(n)
			if name != g.name {
				for _, l := range n.Lhs {
					if nameOf(l) == g.name || p.Var(l) == g.of {
						ok = false // set to something else
					}
				}
				return true
			}
			at := n
			g.exact = g.exact && chosenAlways(p, at, innermost)
			if call.Ellipsis != token.NoPos {
				g.sum, g.parts = true, true
				ok = ok && len(call.Args) == 2 && fixedLength(p, call.Args[1])
			}
			ok = ok && around(p, at) == innermost
		case *ast.UnaryExpr:
			if n.Op == token.AND && nameOf(n.X) == g.name {
				ok = false // somebody else may append
			}
		case *ast.BranchStmt:
			if n.Tok != token.CONTINUE || n.Label != nil {
				g.exact = g.exact && n.Tok == token.BREAK && n.Label == nil && inSwitch(p, n)
			}
		}
		return ok
	})
	for _, loop := range loops[1:] {
		g.exact = g.exact && alwaysReached(p, loop, around(p, loop))
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
	name := nameOf(st.Lhs[0])
	if name == "" || nameOf(call.Args[0]) != name {
		return "", nil
	}
	return name, call
}

// nameOf writes x or x.f.g; "" for anything else.
func nameOf(e ast.Expr) string {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		if x := nameOf(e.X); x != "" {
			return x + "." + e.Sel.Name
		}
	}
	return ""
}

func within(n ast.Node, pos token.Pos) bool { return n.Pos() <= pos && pos < n.End() }

// origin is where a slice starts from in a call of the function.
type origin struct {
	node      ast.Node
	pos       token.Pos
	typ, text string
	first     int // elements that it starts with
	param     bool
}

// start finds where a slice starts. Only one that starts empty, as a literal, or
// comes from the caller is of interest: another may be a buffer that is reused.
func start(p *typed.Package, st *diagnose.Statement, v *types.Var, name string) (o origin, ok bool) {
	if strings.Contains(name, ".") {
		return resetBefore(p, st, name)
	}
	if v == nil || !within(st.Func, v.Pos()) || p.Definition(v) == nil {
		return o, false
	}
	o = origin{node: p.Parent(p.Definition(v)), pos: v.Pos()}
	switch d := o.node.(type) {
	case *ast.Field:
		_, isSlice := d.Type.(*ast.ArrayType)
		o.text, o.typ, ok = "nothing", types.ExprString(d.Type), true
		if v.Kind() != types.ResultVar {
			o.param, o.text, ok = true, "what the caller hands over", isSlice
		}
	case *ast.AssignStmt, *ast.ValueSpec:
		for of, value := range p.Declared(d) {
			spec, _ := d.(*ast.ValueSpec)
			switch {
			case of != v:
				continue
			case value == nil:
				o.text, o.typ, ok = "nothing", types.ExprString(spec.Type), true
				continue
			}
			if o.text, o.typ, ok = empty(value); !ok {
				o.text, o.typ, o.first, ok = listed(value)
			}
		}
	}
	return o, ok && !resliced(p, st.Node, v)
}

// resliced reports whether the variable is set to something else before the
// loop: a buffer, or what a call returns.
func resliced(p *typed.Package, at ast.Node, v *types.Var) bool {
	return slices.ContainsFunc(p.Uses(v), func(id *ast.Ident) bool {
		st, ok := p.Parent(id).(*ast.AssignStmt)
		if !ok || id.Pos() > at.Pos() || !slices.Contains(st.Lhs, ast.Expr(id)) {
			return false
		}
		if name, _ := appended(st); name == v.Name() {
			return false
		}
		isEmpty := false
		if len(st.Lhs) == len(st.Rhs) {
			_, _, isEmpty = empty(st.Rhs[slices.Index(st.Lhs, ast.Expr(id))])
		}
		return !isEmpty
	})
}

// resetBefore finds the statement that empties a field before the loop.
func resetBefore(p *typed.Package, at *diagnose.Statement, name string) (origin, bool) {
	for n := ast.Node(at.Node); n != nil && n != at.Func; n = p.Parent(n) {
		block, ok := p.Parent(n).(*ast.BlockStmt)
		if !ok {
			continue
		}
		i := slices.IndexFunc(block.List, func(st ast.Stmt) bool { return st == n })
		for _, st := range slices.Backward(block.List[:max(i, 0)]) {
			set, ok := st.(*ast.AssignStmt)
			if !ok || set.Tok != token.ASSIGN || len(set.Lhs) != 1 || len(set.Rhs) != 1 || nameOf(set.Lhs[0]) != name {
				continue
			}
			text, typ, ok := empty(set.Rhs[0])
			return origin{node: set, pos: set.Pos(), text: text, typ: typ}, ok
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
