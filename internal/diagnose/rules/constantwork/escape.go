package constantwork

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/diagnose/repeated"
	"whet/internal/finding"
	"whet/internal/quantity"
	"whet/internal/typed"
)

// html/template works out the escaping of a template at its first execution.
// Of one that is parsed in every call each execution may be the first, so that
// this work goes with the parsing, although it is done at another statement.

const htmlTemplate = "html/template."

// escaping is the work of first executions by the place that parses the
// template.
type escaping struct {
	s      *diagnose.Subject
	places []*repeated.CallSite
	of     map[*repeated.CallSite]*diagnose.Sets
	// unknown: some of it is that of templates that cannot be traced to a place.
	unknown diagnose.Set
}

func readEscaping(s *diagnose.Subject, places []*repeated.CallSite) *escaping {
	e := &escaping{s: s, of: make(map[*repeated.CallSite]*diagnose.Sets)}
	for _, p := range places {
		if isHTML(p) {
			e.places = append(e.places, p)
		}
	}
	if len(e.places) == 0 {
		return e
	}
	s.EachSample(func(c *hot.Classified, sample *callstack.Stacks, stack []callstack.FrameID) {
		at := executes(c, stack)
		if at < 0 {
			return
		}
		switch p := e.parsedBy(c, stack, at); {
		case p == nil && c == s.CPU:
			e.unknown.Add(sample.Index())
		case p != nil:
			if e.of[p] == nil {
				e.of[p] = &diagnose.Sets{}
			}
			e.of[p].Of(s, c).Add(sample.Index())
		}
	})
	return e
}

func isHTML(p *repeated.CallSite) bool {
	return slices.ContainsFunc(p.Names, func(n string) bool { return strings.HasPrefix(n, htmlTemplate) })
}

// executes returns the index of the frame that executes a template which is
// escaped for that, -1 where none is.
func executes(c *hot.Classified, stack []callstack.FrameID) int {
	is := func(at int, names ...string) bool {
		name, ok := strings.CutPrefix(c.Frame(stack[at]).Function, htmlTemplate+"(*Template).")
		return ok && slices.Contains(names, name)
	}
	for at := 2; at < len(stack); at++ {
		if is(at-1, "Execute", "ExecuteTemplate") {
			if is(at-2, "escape", "lookupAndEscapeTemplate") {
				return at
			}
			break
		}
	}
	return -1
}

// parsedBy finds the place that parsed the template which the frame at an index
// of the stack executes: nil unless the source shows it to be new in this call.
func (e *escaping) parsedBy(c *hot.Classified, stack []callstack.FrameID, at int) *repeated.CallSite {
	callee, param := c.Frame(stack[at-1]).Function, 0 // 0: it is the receiver
	for ; at < len(stack) && e.s.Own(c.Frame(stack[at])); at++ {
		st := e.s.StatementOf(c.Frame(stack[at]), callee)
		calls := slices.DeleteFunc(e.s.Sites(st), func(call typed.Site) bool { return call.Callee() != callee })
		if len(calls) != 1 || param > len(calls[0].Args) {
			return nil
		}
		pkg := calls[0].In
		var template ast.Expr
		if sel, ok := ast.Unparen(calls[0].Fun).(*ast.SelectorExpr); ok {
			template = sel.X
		}
		if param > 0 {
			template = calls[0].Args[param-1]
		}
		v := pkg.Var(template)
		switch {
		case v == nil: // parsed and executed in one expression
			return e.first(func(p *repeated.CallSite) bool { return p.At.At() == st.At() })
		case typed.Global(v):
			return nil
		}
		if param = pkg.Parameter(v); param == 0 {
			return e.declared(pkg, st, v)
		}
		callee = c.Frame(stack[at]).Function // handed in: the caller's frame tells of it
	}
	return nil
}

// declared finds the place among the declaration of a local variable, what it
// is called to parse afterwards, and the function that the declaration calls.
func (e *escaping) declared(pkg *typed.Package, st diagnose.Statement, v *types.Var) *repeated.CallSite {
	made := e.s.Statement(st.File, e.s.LineAt(v.Pos()))
	if p := e.first(func(p *repeated.CallSite) bool {
		return p.At.File == st.File && p.At.Func == st.Func && p.At.Node != nil && (p.At.At() == made.At() || pkg.UsedIn(p.At.Node, v))
	}); p != nil {
		return p
	}
	calls := e.s.Sites(made)
	return e.first(func(p *repeated.CallSite) bool {
		return slices.ContainsFunc(calls, func(c typed.Site) bool { return c.Callee() == p.Function })
	})
}

// first returns the first place that is the one, nil where none is.
func (e *escaping) first(is func(*repeated.CallSite) bool) *repeated.CallSite {
	if i := slices.IndexFunc(e.places, is); i >= 0 {
		return e.places[i]
	}
	return nil
}

// add counts the escaping among a claim's cost, or says that it could not.
func (e *escaping) add(c *diagnose.Claim, p *repeated.CallSite) {
	if !isHTML(p) {
		return
	}
	if x := e.of[p]; x != nil {
		of := x.Samples()
		c.Cost, c.Avoidable = c.Cost.Union(of), c.Avoidable.Union(p.Spared(x))
		c.Evidence = append(c.Evidence, e.s.CPUEvidence(of.CPU, "more add the escaping at the first execution of the parsed template")...)
		if share := e.s.AllocShare(of.Allocs); share > 0 {
			c.Evidence = append(c.Evidence, finding.Evidence{Kind: "allocs", Text: quantity.Percent(share) + " more of the base's allocated bytes for that"})
		}
	} else if keep := e.unknown.Keep(); keep != nil {
		c.Remedy += " The samples do not tell this template's share of that from other templates', so it is not counted: the gain may be larger than reported."
		c.Evidence = append(c.Evidence, e.s.CPUEvidence(keep, "add the escaping to templates at their first execution; the samples do not tell which template")...)
	}
}
