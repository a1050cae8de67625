package explain

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"whet/internal/diagnose"
	"whet/internal/typed"
)

// allForOne is about a loop that looks at every element of a list to choose one of them.
func allForOne(s *diagnose.Subject, at *diagnose.Spot) (j diagnose.Judgement) {
	v := look(s, at)
	if v.pkg == nil || v.decl == nil || v.all() < leastShare {
		return j
	}
	if list := chosenFrom(v.pkg, v.decl, v.chain()); list != nil {
		in := new(diagnose.Sets)
		for line, sets := range v.lines {
			if v.LineAt(list.loop.Pos()) <= line && line <= v.LineAt(list.loop.End()) {
				in.Join(sets)
			}
		}
		return v.choice(list, in, v.File, v.heaviest(in), v.Function)
	}
	for _, o := range v.operations() {
		if o.depth > 1 {
			continue
		}
		if list := chosenFrom(o.pkg, o.decl, loopsOf(o.pkg, o.call)); list != nil {
			if j = v.choice(list, o.of, o.frame.File, o.frame.Line, v.functionOf(o)); j.Cause != "" {
				return j
			}
		}
	}
	return answer(s, at, inEachRound, keyedScan)
}

func (v *account) choice(list *choice, of *diagnose.Sets, file string, line int, function string) (j diagnose.Judgement) {
	if of.Len() == 0 || v.share(of) < leastShare {
		return j
	}
	over := types.ExprString(list.over)
	j.Cause = fmt.Sprintf("Each call examines all of %s to choose one element: the work grows with their number, and takes %s.", over, v.percent(of))
	j.Claim = v.claimAt(file, line, function, of, j.Cause,
		fmt.Sprintf("Keep %s in the order of choice, and stop at the first that fits; or keep an index, a heap or the last choice. If only the best element is needed, rule out candidates with a cheap test first.", over))
	return j
}

// chain returns the loops around the place's heaviest line, the innermost first.
func (v *account) chain() []ast.Node {
	st := v.Statement(v.File, v.heaviest(&v.Cost))
	if !st.Known {
		return nil
	}
	return loopsAround(v.pkg, st.Node)
}

func loopsOf(p *typed.Package, n ast.Node) (loops []ast.Node) {
	for loop := range p.Repeats(n) {
		loops = append(loops, loop)
	}
	return loops
}

// choice is a loop that chooses one of a list's elements.
type choice struct {
	loop ast.Node
	over ast.Expr
}

// chosenFrom returns the innermost of some loops, where it goes over all elements of a list that
// a parameter or receiver holds, sets an index or an element from outside to that of the
// round, in a branch, and never leaves; nil: it is none.
func chosenFrom(p *typed.Package, d *ast.FuncDecl, loops []ast.Node) *choice {
	if len(loops) == 0 {
		return nil
	}
	loop, body := loops[0], typed.LoopBody(loops[0])
	if body == nil {
		return nil
	}
	index, over := counter(p, loop)
	if index == nil || over == nil {
		return nil
	}
	if _, is := typed.Under[*types.Struct](typed.Element(p.TypeOf(over))); !is {
		return nil
	}
	chooses, leaves := false, false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ReturnStmt, *ast.FuncLit:
			leaves = true
		case *ast.BranchStmt:
			leaves = leaves || n.Tok != token.CONTINUE
		case *ast.AssignStmt:
			for i, to := range n.Lhs {
				if of := p.Var(to); n.Tok == token.ASSIGN && of != nil && i < len(n.Rhs) && p.Var(n.Rhs[i]) == index && of.Pos() < loop.Pos() {
					chooses = true
				}
			}
		}
		return true
	})
	if !chooses || leaves {
		return nil
	}
	return &choice{loop, over}
}

// counter returns the variable that counts a loop's rounds, and the list that it is an index of.
func counter(p *typed.Package, loop ast.Node) (index *types.Var, over ast.Expr) {
	switch loop := loop.(type) {
	case *ast.RangeStmt:
		index = p.Var(loop.Key)
		if over = goneOver(p, loop); typed.Element(p.TypeOf(over)) != nil {
			return index, over
		}
	case *ast.ForStmt:
		if is, ok := loop.Cond.(*ast.BinaryExpr); ok && is.Op == token.LSS {
			index = p.Var(is.X)
		}
	}
	body := typed.LoopBody(loop)
	if index == nil || body == nil {
		return nil, nil
	}
	ast.Inspect(body, func(n ast.Node) bool {
		if at, ok := n.(*ast.IndexExpr); ok && over == nil && p.Var(at.Index) == index {
			over = at.X
		}
		return over == nil
	})
	return index, over
}
