package results

import (
	"go/ast"
	"slices"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/finding"
	"whet/internal/symbolname"
	"whet/internal/typed"
)

// Search is what a rule looks for.
type Search struct {
	// Function reports whether a function, by its linker name, is one of the rule's.
	Function func(name string) bool
	// Use reports whether a use of the result is of the rule's kind: the call
	// itself, or a variable that holds it; see [typed.Package.Results].
	Use func(of *typed.Package, use ast.Expr) bool
	// All reports whether nothing of a function's work stays. What else is
	// avoidable is the memory that the runtime takes for the function itself.
	All func(name string) bool
}

// Place is a statement that makes such results.
type Place struct {
	diagnose.Statement
	Function  string // around the statement
	Callee    string // that makes the results
	Calls     []typed.Site
	Cost      diagnose.Sets
	Avoidable diagnose.Sets
}

// Find returns the places that have something to avoid.
func Find(s *diagnose.Subject, search Search) (found []*Place) {
	at := make(map[diagnose.SourceLine]*Place)
	s.EachSample(func(c *hot.Classified, sample *callstack.Stacks, stack []callstack.FrameID) {
		own := slices.IndexFunc(stack, func(id callstack.FrameID) bool { return s.Own(c.Frame(id)) })
		if own < 1 {
			return
		}
		frame, callee := c.Frame(stack[own]), c.Frame(stack[own-1]).Function
		if !search.Function(callee) || s.Loops.InBenchmark(frame.File, frame.Line) {
			return
		}
		st := s.StatementOf(frame, callee)
		p := at[st.At()]
		if p == nil {
			p = &Place{Statement: st, Function: frame.Function, Callee: callee}
			at[st.At()] = p
		}
		if p.Callee == callee {
			p.Cost.Of(s, c).Add(sample.Index())
			if search.All(callee) || takesMemory(c, stack[:own-1], c == s.Allocs) {
				p.Avoidable.Of(s, c).Add(sample.Index())
			}
		}
	})
	for _, p := range at {
		p.Calls = slices.DeleteFunc(s.Sites(p.Statement), func(c typed.Site) bool { return c.Callee() != p.Callee })
		if p.Avoidable.Len() > 0 && len(p.Calls) > 0 && !slices.ContainsFunc(p.Calls, func(c typed.Site) bool { return !search.only(c) }) {
			found = append(found, p)
		}
	}
	return found
}

// only reports whether all uses of a call's result are of the rule's kind.
func (s *Search) only(c typed.Site) bool {
	uses := c.In.Results(c.CallExpr)
	return len(uses) > 0 && !slices.ContainsFunc(uses, func(use ast.Expr) bool { return !s.Use(c.In, use) })
}

// takesMemory reports whether a sample takes memory for a function's own result;
// below are the frames from the leaf to what it calls. The runtime's are not in a
// profile of allocations.
func takesMemory(c *hot.Classified, below []callstack.FrameID, allocs bool) bool {
	i := len(below) - 1
	for i >= 0 && symbolname.Parse(c.Frame(below[i]).Function).Name == "genSplit" {
		i--
	}
	return i < 0 && allocs || i >= 0 && diagnose.OfRuntime(c.Frame(below[i]).Function)
}

// Claim is a claim about the place. why and remedy are the rule's.
func (p *Place) Claim(s *diagnose.Subject, why, remedy string) diagnose.Claim {
	c := diagnose.Claim{
		Place: p.Statement.Place(p.Function), Cost: p.Cost.Samples(), Avoidable: p.Avoidable.Samples(), Confidence: finding.High,
		Why: symbolname.Short(p.Callee) + " " + why, Remedy: remedy,
	}
	c.Evidence = append(s.CPUEvidence(c.Cost.CPU, "are in "+symbolname.Short(p.Callee)), s.AllocEvidence(c.Cost.Allocs)...)
	return c
}
