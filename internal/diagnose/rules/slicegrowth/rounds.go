package slicegrowth

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/cfg"

	"whet/internal/typed"
)

// rounds writes how often a loop goes round, if that is known before its first
// round; "" otherwise.
func (g *growth) rounds(loop ast.Node) (limit ast.Expr, size string) {
	isLength := false
	switch loop := loop.(type) {
	case *ast.RangeStmt:
		known := false
		if isLength, known = rangesOver(g.in.TypeOf(loop.X)); known {
			limit = loop.X
		}
	case *ast.ForStmt:
		limit = limitOf(loop)
	}
	if limit == nil {
		return nil, ""
	}
	size = types.ExprString(limit)
	if size == "b.N" || g.in.UsedIn(limit, g.of) && strings.Contains(size, g.name) {
		return nil, "" // a benchmark's own loop, or it grows while it is read
	}
	if isLength {
		size = "len(" + size + ")"
	}
	return limit, size
}

// rangesOver reports whether the number of rounds over a value of a type is known
// before the first, and whether it is its length: channels and iterators have none.
func rangesOver(t types.Type) (length, known bool) {
	if t == nil {
		return false, false
	}
	switch u := t.Underlying().(type) {
	case *types.Slice, *types.Array, *types.Map, *types.Pointer: // to an array
		return true, true
	case *types.Basic:
		return typed.IsString(u), u.Info()&(types.IsString|types.IsInteger) != 0
	}
	return false, false
}

// limitOf returns what a counter runs up to, or down from, in "for i := a; i <
// b; i++". It is nil where the loop does not count, or where the limit may
// change on the way.
func limitOf(loop *ast.ForStmt) ast.Expr {
	init, ok := loop.Init.(*ast.AssignStmt)
	if !ok || len(init.Lhs) != 1 || len(init.Rhs) != 1 {
		return nil
	}
	cond, compares := loop.Cond.(*ast.BinaryExpr)
	post, counts := loop.Post.(*ast.IncDecStmt)
	counter := nameOf(init.Lhs[0])
	if !compares || !counts || counter == "" || nameOf(cond.X) != counter || nameOf(post.X) != counter {
		return nil
	}
	limit, compared := cond.Y, []token.Token{token.LSS, token.LEQ, token.NEQ}
	if post.Tok == token.DEC {
		limit, compared = init.Rhs[0], []token.Token{token.GEQ, token.GTR}
	}
	if !slices.Contains(compared, cond.Op) || !settled(limit) {
		return nil
	}
	return limit
}

// settled reports whether an expression has the same value before the loop as
// in it, as far as its shape says.
func settled(e ast.Expr) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		if call, is := n.(*ast.CallExpr); is {
			switch fun := call.Fun.(type) {
			case *ast.Ident:
				ok = ok && slices.Contains([]string{"len", "cap", "min", "max", "int"}, fun.Name)
			case *ast.SelectorExpr:
				ok = ok && fun.Sel.Name == "Len" && len(call.Args) == 0
			default:
				ok = false
			}
		}
		return ok
	})
	return ok
}

// declares reports whether a loop declares a variable of an expression, which then
// differs from round to round.
func declares(p *typed.Package, loop ast.Node, e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			v := p.Var(id)
			found = found || v != nil && within(loop, v.Pos())
		}
		return !found
	})
	return found
}

// round follows the ways through one round of a loop.
type round struct {
	loop   ast.Node
	count  func(*cfg.Block) int  // what is counted in a block
	ways   map[*cfg.Block]counts // of those that were met
	broken bool                  // the loop may be left for what follows it, or for one around it
}

// counts are what the ways from a block to the next round count, at least and at
// most. ends: there is none.
type counts struct {
	least, most int
	ends        bool
}

// eachRound counts in the rounds of a loop of a function's graph. always: each round
// counts as much, whichever way it takes, and there are as many as the loop says.
func eachRound(graph *cfg.CFG, loop ast.Node, count func(*cfg.Block) int) (most int, always bool) {
	r := &round{loop: loop, count: count, ways: make(map[*cfg.Block]counts)}
	for _, b := range graph.Blocks {
		if b.Stmt == loop && (b.Kind == cfg.KindForBody || b.Kind == cfg.KindRangeBody) {
			c := r.from(b)
			return c.most, c.least == c.most && !c.ends && !r.broken
		}
	}
	return 0, false
}

// from follows the ways from a block, but for those back to the head of a loop
// inside.
func (r *round) from(b *cfg.Block) counts {
	if c, met := r.ways[b]; met {
		return c
	}
	all := counts{ends: true}
	r.ways[b] = all
	for _, next := range b.Succs {
		c := counts{}
		switch {
		case next.Stmt == r.loop && next.Kind != cfg.KindForDone && next.Kind != cfg.KindRangeDone:
		case next.Stmt != r.loop && next.Stmt != nil && within(typed.LoopBody(r.loop), next.Stmt.Pos()):
			c = r.from(next)
		default:
			r.broken = true
		}
		if all.ends {
			all = c
		} else if !c.ends {
			all.least, all.most = min(all.least, c.least), max(all.most, c.most)
		}
	}
	n := r.count(b)
	all.least, all.most = all.least+n, all.most+n
	r.ways[b] = all
	return all
}
