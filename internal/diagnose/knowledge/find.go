package knowledge

import (
	"cmp"
	"go/ast"
	"go/types"
	"go/version"
	"slices"
	"strings"
	"sync"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/finding"
	"whet/internal/symbolname"
	"whet/internal/typed"
)

// claimsKey is what a subject keeps its claims by.
type claimsKey struct{}

// byCallee are the rows of each function.
var byCallee = sync.OnceValue(func() map[string][]*Row {
	rows := make(map[string][]*Row)
	for _, r := range Table() {
		for _, name := range r.Callees {
			rows[name] = append(rows[name], &r)
		}
	}
	return rows
})

// callSite is a statement that calls a function of the table.
type callSite struct {
	statement diagnose.Statement
	function  string // around the statement
	callee    string
	cost      diagnose.Sets
	memory    diagnose.Sets // what the runtime does for the function itself
}

// claims asks all rows about a subject and returns what they claim, by cause.
func claims(s *diagnose.Subject) map[string][]diagnose.Claim {
	out := make(map[string][]diagnose.Claim)
	if s.Program == nil {
		return out
	}
	for _, p := range callSites(s) {
		sites := slices.DeleteFunc(s.Sites(p.statement), func(c typed.Site) bool { return c.Callee() != p.callee })
		if len(sites) == 0 {
			continue
		}
		for _, r := range byCallee()[p.callee] {
			if r.holds(&p.statement, sites) {
				if c, ok := p.claim(s, r); ok {
					out[r.Cause] = append(out[r.Cause], c)
					break
				}
			}
		}
	}
	return out
}

// called are functions of profiles, as [typed.Package.Called] names what leads to
// them: a conversion, the method of an interface.
var called = map[string]string{
	"reflect.(*rtype).FieldByName": "reflect.Type.FieldByName", "reflect.(*rtype).MethodByName": "reflect.Type.MethodByName",
	"runtime.slicebytetostring": "string([]byte)", "runtime.stringtoslicebyte": "[]byte(string)", "runtime.stringtoslicerune": "[]rune(string)",
}

type callSiteKey struct {
	diagnose.SourceLine
	callee string
}

func callSites(s *diagnose.Subject) (found []*callSite) {
	at := make(map[callSiteKey]*callSite)
	seen := make(map[callSiteKey]*callSite) // by the line of the call; nil where it is no place
	converted := make(map[diagnose.SourceLine]string)
	s.EachSample(func(c *hot.Classified, sample *callstack.Stacks, stack []callstack.FrameID) {
		own := slices.IndexFunc(stack, func(id callstack.FrameID) bool { return s.Own(c.Frame(id)) })
		if own < 0 || own == 0 && (c != s.Allocs || diagnose.BoxSized(sample.Labels())) {
			return
		}
		frame, callee := c.Frame(stack[own]), ""
		line := diagnose.SourceLine{File: frame.File, Line: frame.Line}
		if own == 0 {
			var known bool
			if callee, known = converted[line]; !known {
				callee = conversionAt(s, frame)
				converted[line] = callee
			}
		} else {
			callee = symbolname.Elide(c.Frame(stack[own-1]).Function)
			callee = cmp.Or(called[callee], callee)
		}
		if byCallee()[callee] == nil {
			return
		}
		p, known := seen[callSiteKey{line, callee}]
		if !known {
			if !s.Loops.InBenchmark(frame.File, frame.Line) {
				st := s.StatementOf(frame, callee)
				key := callSiteKey{st.At(), callee}
				if p = at[key]; p == nil {
					p = &callSite{statement: st, function: frame.Function, callee: callee}
					at[key] = p
					found = append(found, p)
				}
			}
			seen[callSiteKey{line, callee}] = p
		}
		if p == nil {
			return
		}
		p.cost.Of(s, c).Add(sample.Index())
		if takesMemory(c, stack[:max(own-1, 0)], c == s.Allocs) {
			p.memory.Of(s, c).Add(sample.Index())
		}
	})
	return found
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

// holds reports whether a row speaks about all calls of a statement.
func (r *Row) holds(st *diagnose.Statement, sites []typed.Site) bool {
	return !slices.ContainsFunc(sites, func(c typed.Site) bool {
		v := c.In.Types.GoVersion()
		return r.Go != "" && v != "" && version.Compare(v, r.Go) < 0 || !r.When.holds(&Call{Site: c, loop: st.Loop != nil})
	})
}

func (p *callSite) claim(s *diagnose.Subject, r *Row) (diagnose.Claim, bool) {
	c := diagnose.Claim{
		Place: p.statement.Place(p.function), Cost: p.cost.Samples(), Confidence: r.Confidence, Row: r.ID,
		Why:    symbolname.Short(p.callee) + " " + r.Cost + ", " + cause(r.Cause).Unneeded + ".",
		Remedy: r.Instead,
	}
	switch r.Goes {
	case Memory:
		if c.Avoidable = p.memory.Samples(); p.memory.Len() == 0 {
			return c, false
		}
	case Measured, Time:
		if g := GainOf(r.ID); g != nil {
			c.Removed = g.Removed()
		}
		if r.Goes == Time {
			c.Removed.Bytes = 0
		}
		if c.Removed == (diagnose.Removed{}) {
			return c, false
		}
	}
	c.Evidence = append(s.CPUEvidence(c.Cost.CPU, "are in "+symbolname.Short(p.callee)), s.AllocEvidence(c.Cost.Allocs)...)
	if cause(r.Cause).Square {
		c.Evidence = append(c.Evidence, SquareEvidence(s)...)
	}
	return c, true
}

// SquareEvidence names the benchmark that would show whether a cost grows with the square
// of a length; none where the benchmarks have lengths already, or there are none.
func SquareEvidence(s *diagnose.Subject) []finding.Evidence {
	if sized(s.Benchmark) {
		return nil
	}
	return []finding.Evidence{{Kind: "source", Text: "a benchmark of two lengths would show whether time grows with the square of the length: " +
		s.Benchmark + "/n=100 and " + s.Benchmark + "/n=1000, with b.Run"}}
}

// sized reports whether a number is in the name of a sub-benchmark, which may be a
// length, or the name is that of no benchmark.
func sized(benchmark string) bool {
	name, sub, _ := strings.Cut(benchmark, "/")
	return !strings.HasPrefix(name, "Benchmark") || strings.ContainsAny(sub, "0123456789")
}

// conversionAt returns the conversion that the blocks are of which a frame's statement
// takes itself, beside boxed values: a profile of allocations leaves the runtime's
// frames out. It is "" where something else in it may take memory too.
func conversionAt(s *diagnose.Subject, frame *callstack.Frame) (found string) {
	st := s.Statement(frame.File, frame.Line)
	pkg := s.PackageOf(st.File)
	if st.Node == nil || pkg == nil {
		return ""
	}
	other := false
	st.Head(func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.CompositeLit, *ast.GoStmt, *ast.DeferStmt:
			other = true
		case *ast.BinaryExpr:
			other = other || pkg.Joins(n)
		case *ast.AssignStmt:
			other = other || slices.ContainsFunc(n.Lhs, func(to ast.Expr) bool {
				ix, ok := to.(*ast.IndexExpr)
				if ok {
					_, ok = typed.Under[*types.Map](pkg.TypeOf(ix.X))
				}
				return ok
			})
		}
		return true
	})
	for _, site := range s.Sites(st) {
		callee := site.Callee()
		x, _ := pkg.Conversion(site.CallExpr)
		sig, _ := typed.Under[*types.Signature](pkg.TypeOf(site.Fun))
		switch {
		case x != nil && byCallee()[callee] != nil && (found == "" || found == callee):
			found = callee
		case x != nil, slices.Contains([]string{"make", "new", "append"}, callee), sig != nil && sig.Variadic():
			other = true
		}
	}
	if other {
		return ""
	}
	return found
}
