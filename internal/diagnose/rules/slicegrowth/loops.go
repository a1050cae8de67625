package slicegrowth

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"whet/internal/typed"
)

// rounds says how often a loop goes round, if that is known before its first
// round. depends: the number differs from round to round of a loop around it,
// whose variables counters are.
func rounds(p *typed.Package, loop ast.Node, grows *variable, counters []*types.Var) (size string, depends, ok bool) {
	var limit ast.Expr
	var isLength bool
	switch loop := loop.(type) {
	case *ast.RangeStmt:
		known := false
		if limit = loop.X; p.TypeOf(limit) != nil {
			isLength, known = rangesOver(p.TypeOf(limit).Underlying())
		}
		if !known {
			return "", false, false
		}
	case *ast.ForStmt:
		if limit = limitOf(loop); limit == nil {
			return "", false, false
		}
	default:
		return "", false, false
	}
	if p.UsedIn(limit, grows.of) && strings.Contains(types.ExprString(limit), grows.name) {
		return "", false, false // it grows while it is read
	}
	size = types.ExprString(limit)
	if size == "b.N" {
		return "", false, false // a benchmark's own loop
	}
	if isLength {
		size = "len(" + size + ")"
	}
	depends = slices.ContainsFunc(counters, func(c *types.Var) bool { return p.UsedIn(limit, c) })
	return size, depends, true
}

// rangesOver reports whether the number of rounds over a value of a type is known
// before the first, and whether it is its length: channels and iterators have none.
func rangesOver(t types.Type) (length, known bool) {
	switch t := t.(type) {
	case *types.Slice, *types.Array, *types.Map, *types.Pointer: // to an array
		return true, true
	case *types.Basic:
		return typed.IsString(t), t.Info()&(types.IsString|types.IsInteger) != 0
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
	counter := nameOf(init.Lhs[0])
	cond, ok := loop.Cond.(*ast.BinaryExpr)
	if !ok || counter == "" || nameOf(cond.X) != counter {
		return nil
	}
	up := false
	switch post := loop.Post.(type) {
	case *ast.IncDecStmt:
		if nameOf(post.X) != counter {
			return nil
		}
		up = post.Tok == token.INC
	case *ast.AssignStmt:
		if len(post.Lhs) != 1 || nameOf(post.Lhs[0]) != counter {
			return nil
		}
		up = post.Tok == token.ADD_ASSIGN
		if !up && post.Tok != token.SUB_ASSIGN {
			return nil
		}
	default:
		return nil
	}
	limit := cond.Y
	switch {
	case up && (cond.Op == token.LSS || cond.Op == token.LEQ || cond.Op == token.NEQ):
	case !up && (cond.Op == token.GEQ || cond.Op == token.GTR):
		limit = init.Rhs[0]
	default:
		return nil
	}
	if !settled(limit) {
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
				ok = ok && (fun.Name == "len" || fun.Name == "cap" || fun.Name == "min" || fun.Name == "max" || fun.Name == "int")
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

// loopVariables are those that differ from round to round: the loop's own, and what
// its body declares.
func loopVariables(p *typed.Package, loop ast.Node) (out []*types.Var) {
	add := func(list ...ast.Expr) {
		for _, e := range list {
			if id, ok := e.(*ast.Ident); ok {
				if v := p.Var(id); v != nil {
					out = append(out, v)
				}
			}
		}
	}
	if loop, ok := loop.(*ast.RangeStmt); ok {
		add(loop.Key, loop.Value)
	}
	if loop, ok := loop.(*ast.ForStmt); ok {
		if init, ok := loop.Init.(*ast.AssignStmt); ok {
			add(init.Lhs...)
		}
	}
	ast.Inspect(loop, func(n ast.Node) bool {
		if st, ok := n.(*ast.AssignStmt); ok && st.Tok == token.DEFINE {
			add(st.Lhs...)
		}
		return true
	})
	return out
}

// fixedLength reports whether the length of an appended part can be asked for
// beforehand: it is no result of a call.
func fixedLength(p *typed.Package, e ast.Expr) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		if _, call := n.(*ast.CallExpr); call {
			ok = false
		}
		return ok
	})
	return ok && (p.Var(p.Base(e)) != nil || isLiteral(e))
}

func isLiteral(e ast.Expr) bool {
	_, ok := e.(*ast.BasicLit)
	return ok
}

// around returns the loop that a node lies in.
func around(p *typed.Package, n ast.Node) ast.Node {
	for n = p.Parent(n); n != nil; n = p.Parent(n) {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return n
		case *ast.FuncLit:
			return nil
		}
	}
	return nil
}

// alwaysReached reports whether every round of a loop comes by a node: it
// stands in the loop's own block, and no continue before it.
func alwaysReached(p *typed.Package, n, loop ast.Node) bool {
	block, ok := p.Parent(n).(*ast.BlockStmt)
	return ok && p.Parent(block) == loop && !continuesBefore(block, n.Pos())
}

// chosenAlways is alwaysReached for a statement in a branch: every round comes by
// the if statement, and what leaves the round stands in no branch before it.
func chosenAlways(p *typed.Package, n, loop ast.Node) bool {
	choice := choiceAround(p, n)
	block, ok := p.Parent(choice).(*ast.BlockStmt)
	return ok && p.Parent(block) == loop && !continuesBefore(block, n.Pos())
}

// choiceAround returns the outermost if statement in one of whose branches a
// node stands, as far as there is nothing but branches between them; the node
// itself where it stands in none.
func choiceAround(p *typed.Package, n ast.Node) ast.Node {
	for {
		block, ok := p.Parent(n).(*ast.BlockStmt)
		if !ok {
			return n
		}
		choice, ok := p.Parent(block).(*ast.IfStmt)
		if !ok {
			return n
		}
		for outer, ok := p.Parent(choice).(*ast.IfStmt); ok; outer, ok = p.Parent(choice).(*ast.IfStmt) {
			choice = outer // an else if
		}
		n = choice
	}
}

// continuesBefore reports whether a continue of a loop's own stands before a
// place in its block.
func continuesBefore(block *ast.BlockStmt, at token.Pos) bool {
	skips := false
	ast.Inspect(block, func(c ast.Node) bool {
		switch c := c.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.FuncLit:
			return false // a continue in there is its own
		case *ast.BranchStmt:
			skips = skips || c.Tok == token.CONTINUE && c.Pos() < at
		}
		return true
	})
	return skips
}

// perRound returns how many elements the statements of a block append to a slice
// at most, parts of other lengths not counted. same: it is as many whichever
// branches are taken.
func perRound(list []ast.Stmt, slice string) (most int, same bool) {
	same = true
	for _, st := range list {
		n, parts := appends(st, slice)
		switch choice, ok := st.(*ast.IfStmt); {
		case ok && n+parts > 0:
			var either bool
			n, either = eitherWay(choice, slice)
			same = same && either && parts == 0
		case !ok && n+parts > 0:
			_, plain := st.(*ast.AssignStmt)
			same = same && plain
		}
		most += n
	}
	return most, same
}

// eitherWay is perRound for an if statement.
func eitherWay(choice *ast.IfStmt, slice string) (most int, same bool) {
	then, same := perRound(choice.Body.List, slice)
	otherwise := 0
	switch e := choice.Else.(type) {
	case *ast.BlockStmt:
		var also bool
		otherwise, also = perRound(e.List, slice)
		same = same && also
	case *ast.IfStmt:
		var also bool
		otherwise, also = eitherWay(e, slice)
		same = same && also
	}
	return max(then, otherwise), same && then == otherwise
}

// appends counts the elements that are appended to a slice anywhere in a
// statement, and the parts.
func appends(st ast.Stmt, slice string) (elements, parts int) {
	ast.Inspect(st, func(n ast.Node) bool {
		if name, call := appended(n); name == slice && call != nil {
			if call.Ellipsis != token.NoPos {
				parts++
			} else {
				elements += len(call.Args) - 1
			}
		}
		return true
	})
	return elements, parts
}

// inSwitch reports whether a break without a label leaves a switch only.
func inSwitch(p *typed.Package, n ast.Node) bool {
	for n = p.Parent(n); n != nil; n = p.Parent(n) {
		switch n.(type) {
		case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			return true
		case *ast.ForStmt, *ast.RangeStmt:
			return false
		}
	}
	return false
}
