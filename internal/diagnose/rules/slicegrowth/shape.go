package slicegrowth

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/cfg"

	"whet/internal/diagnose"
	"whet/internal/quantity"
	"whet/internal/typed"
)

// variable is a slice of one call of a function.
type variable struct {
	of   *types.Var // that the name begins with
	name string
	loop ast.Node // the outermost that it grows in
}

// growth is what the source says about a slice that grows.
type growth struct {
	variable
	origin
	in    *typed.Package
	typ   string   // for make
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
	g.in, g.typ = p, types.TypeString(p.TypeOf(call), func(of *types.Package) string {
		if of == p.Types {
			return ""
		}
		return of.Name()
	})
	g.name, g.of = name, p.Var(p.Base(call.Args[0]))
	if g.of == nil || !g.start(&st) {
		return g, false
	}
	loops := g.loopsAround(&st)
	if len(loops) == 0 {
		return g, false
	}
	g.loop = loops[0]
	for _, loop := range loops {
		limit, size := g.rounds(loop)
		if size == "" {
			return g, false
		}
		g.sum = g.sum || declares(p, g.loop, limit)
		g.sizes = append(g.sizes, size)
	}
	if !g.onlyAppended(loops[len(loops)-1]) {
		return g, false
	}
	g.countRounds(st.Func, loops)
	return g, true
}

// loopsAround returns the loops of a statement's function that the variable outlives,
// outermost first.
func (g *growth) loopsAround(st *diagnose.Statement) (loops []ast.Node) {
	for n := ast.Node(st.Node); n != nil && n != st.Func && !within(n, g.node.Pos()); n = g.in.Parent(n) {
		switch outer := g.in.Parent(n).(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			if n == typed.LoopBody(outer) {
				loops = append(loops, outer)
			}
		}
	}
	slices.Reverse(loops)
	return loops
}

// onlyAppended reports whether the innermost loop appends parts of known lengths
// and elements, and nothing else is done to the variable in the loops. It notes the
// parts.
func (g *growth) onlyAppended(innermost ast.Node) bool {
	ok := true
	ast.Inspect(g.loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			ok = ok && !g.in.UsedIn(n, g.of)
			return false
		case *ast.AssignStmt:
			name, call := appended(n)
			if name != g.name { // then it may be set to something else
				ok = ok && !slices.ContainsFunc(n.Lhs, func(e ast.Expr) bool { return nameOf(e) == g.name || g.in.Var(e) == g.of })
				return ok
			}
			if call.Ellipsis != token.NoPos {
				g.sum, g.parts = true, true
				ok = ok && len(call.Args) == 2 && fixedLength(g.in, call.Args[1])
			}
			ok = ok && around(g.in, n) == innermost
		case *ast.UnaryExpr:
			ok = ok && (n.Op != token.AND || nameOf(n.X) != g.name) // somebody else may append
		}
		return ok
	})
	return ok
}

// countRounds counts what is appended each round, and whether every round of the
// loops around comes by the next one inside.
func (g *growth) countRounds(fn ast.Node, loops []ast.Node) {
	var body *ast.BlockStmt
	switch fn := fn.(type) {
	case *ast.FuncDecl:
		body = fn.Body
	case *ast.FuncLit:
		body = fn.Body
	}
	graph, innermost := g.in.Graph(body), loops[len(loops)-1]
	branches := false // a part in one is left out in another
	g.each, g.exact = eachRound(graph, innermost, func(b *cfg.Block) (n int) {
		for _, st := range b.Nodes {
			if name, call := appended(st); name == g.name {
				n += len(call.Args) - 1
				branches = branches || call.Ellipsis != token.NoPos && g.in.Parent(g.in.Parent(st)) != innermost
			}
		}
		return n
	})
	g.exact = g.exact && !branches
	for i, inner := range loops[1:] {
		n, always := eachRound(graph, loops[i], func(b *cfg.Block) int {
			if b.Stmt == inner && (b.Kind == cfg.KindForLoop || b.Kind == cfg.KindRangeLoop) {
				return 1
			}
			return 0
		})
		g.exact = g.exact && always && n == 1
	}
	if g.sum {
		g.sizes, g.each = []string{"n"}, 1
	}
}

// size writes how many elements there are in the end.
func (g *growth) size(times, and string) string {
	size := strings.Join(g.sizes, times)
	if g.each > 1 {
		size = fmt.Sprintf("%d%s%s", g.each, times, size)
	}
	if g.first > 0 {
		size = fmt.Sprintf("%d%s%s", g.first, and, size)
	}
	return size
}

// appended reads "x = append(x, …)": the variable and the call.
func appended(n ast.Node) (string, *ast.CallExpr) {
	st, ok := n.(*ast.AssignStmt)
	if !ok || st.Tok != token.ASSIGN || len(st.Lhs) != 1 || len(st.Rhs) != 1 {
		return "", nil
	}
	call, ok := ast.Unparen(st.Rhs[0]).(*ast.CallExpr)
	if !ok || len(call.Args) < 2 || nameOf(call.Fun) != "append" {
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

// around returns the loop that a node lies in.
func around(p *typed.Package, n ast.Node) ast.Node {
	for n = p.Parent(n); n != nil; n = p.Parent(n) {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return n
		}
	}
	return nil
}

// fixedLength reports whether the length of an appended part can be asked for
// beforehand: it is no result of a call.
func fixedLength(p *typed.Package, e ast.Expr) bool {
	calls := false
	ast.Inspect(e, func(n ast.Node) bool {
		_, call := n.(*ast.CallExpr)
		calls = calls || call
		return !calls
	})
	_, literal := e.(*ast.BasicLit)
	return !calls && (literal || p.Var(p.Base(e)) != nil)
}

// origin is where a slice starts from in a call of the function.
type origin struct {
	node  ast.Node // that declares or sets it
	from  string   // what it starts as
	first int      // elements that it starts with
	param bool     // it comes from the caller
}

// start finds where a slice starts. Only one that starts empty, as a literal, or
// comes from the caller is of interest: another may be a buffer that is reused.
func (g *growth) start(st *diagnose.Statement) bool {
	if strings.Contains(g.name, ".") {
		return g.resetBefore(st)
	}
	if !within(st.Func, g.of.Pos()) || g.in.Definition(g.of) == nil {
		return false
	}
	ok := false
	g.node, g.from = g.in.Parent(g.in.Definition(g.of)), nothing
	switch d := g.node.(type) {
	case *ast.Field:
		_, ok = d.Type.(*ast.ArrayType)
		if g.param = g.of.Kind() != types.ResultVar; g.param {
			g.from = "the caller's slice"
		}
	case *ast.AssignStmt, *ast.ValueSpec:
		for v, value := range g.in.Declared(d) {
			if v == g.of {
				ok = value == nil || g.startsAs(value)
			}
		}
	}
	return ok && !g.setBefore(st.Node)
}

// setBefore reports whether the variable is set to something else before the
// loop: a buffer, or what a call returns.
func (g *growth) setBefore(at ast.Node) bool {
	return slices.ContainsFunc(g.in.Uses(g.of), func(id *ast.Ident) bool {
		st, ok := g.in.Parent(id).(*ast.AssignStmt)
		if !ok || id.Pos() > at.Pos() || !slices.Contains(st.Lhs, ast.Expr(id)) {
			return false
		}
		if name, _ := appended(st); name == g.name {
			return false
		}
		emptied := growth{in: g.in}
		return len(st.Lhs) != len(st.Rhs) || !emptied.startsAs(st.Rhs[slices.Index(st.Lhs, ast.Expr(id))]) || emptied.first > 0
	})
}

// resetBefore finds the statement that empties a field before the loop.
func (g *growth) resetBefore(at *diagnose.Statement) bool {
	for n := ast.Node(at.Node); n != nil && n != at.Func; n = g.in.Parent(n) {
		block, ok := g.in.Parent(n).(*ast.BlockStmt)
		if !ok {
			continue
		}
		i := slices.IndexFunc(block.List, func(st ast.Stmt) bool { return st == n })
		for _, st := range slices.Backward(block.List[:i]) {
			if set, ok := st.(*ast.AssignStmt); ok && set.Tok == token.ASSIGN && len(set.Lhs) == 1 && nameOf(set.Lhs[0]) == g.name {
				g.node = set
				return g.startsAs(set.Rhs[0])
			}
		}
	}
	return false
}

const nothing = "nothing"

// startsAs reads a value that holds no elements, or those that a literal lists.
func (g *growth) startsAs(e ast.Expr) bool {
	g.from = nothing
	switch e := ast.Unparen(e).(type) {
	case *ast.CompositeLit:
		if g.first = len(e.Elts); g.first > 0 {
			g.from = "a literal of " + quantity.Plural(g.first, "element")
		}
		_, isSlice := typed.Under[*types.Slice](g.in.TypeOf(e))
		return isSlice && !slices.ContainsFunc(e.Elts, func(e ast.Expr) bool { _, keyed := e.(*ast.KeyValueExpr); return keyed })
	case *ast.CallExpr:
		isZero := func(e ast.Expr) bool { v := g.in.Info.Types[e].Value; return v != nil && constant.Sign(v) == 0 }
		if g.in.Builtin(e) != "make" || len(e.Args) < 2 || !isZero(e.Args[1]) {
			return false
		}
		if len(e.Args) > 2 && !isZero(e.Args[2]) {
			g.from = "a capacity of " + types.ExprString(e.Args[2])
		}
		return true
	}
	return g.in.Info.Types[e].IsNil()
}
