package constantwork

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/diagnose/repeated"
	"whet/internal/diagnose/syntax"
	"whet/internal/finding"
	"whet/internal/quantity"
	"whet/internal/symbolname"
)

// html/template works out the escaping of a template at its first execution.
// Of one that is parsed in every call each execution may be the first, so that
// this work goes with the parsing, although it is done at another statement.

const htmlTemplate = "html/template."

// escaping is the work of first executions by the place that parses the
// template.
type escaping struct {
	s      *diagnose.Subject
	places []*repeated.Place
	of     map[*repeated.Place]*escaped
	// unknown: some of it is that of templates that cannot be traced to a place.
	unknown diagnose.Set
}

type escaped struct{ cpu, mem diagnose.Set }

func readEscaping(s *diagnose.Subject, places []*repeated.Place) *escaping {
	e := &escaping{s: s, of: make(map[*repeated.Place]*escaped)}
	for _, p := range places {
		if isHTML(p) {
			e.places = append(e.places, p)
		}
	}
	if len(e.places) == 0 {
		return e
	}
	e.walk(s.CPU, s.CPUColumn, func(x *escaped) *diagnose.Set { return &x.cpu })
	e.walk(s.Allocs, s.AllocCol, func(x *escaped) *diagnose.Set { return &x.mem })
	return e
}

func isHTML(p *repeated.Place) bool {
	return slices.ContainsFunc(p.Names, func(n string) bool { return strings.HasPrefix(n, htmlTemplate) })
}

func (e *escaping) walk(c *hot.Classified, col int, of func(*escaped) *diagnose.Set) {
	diagnose.EachBase(c, col, func(sample *callstack.Stacks, stack []callstack.FrameID) {
		at := executes(c, stack)
		if at < 0 {
			return
		}
		p := e.parsedBy(c, stack, at)
		if p == nil {
			if c == e.s.CPU {
				e.unknown.Add(sample.Index())
			}
			return
		}
		if e.of[p] == nil {
			e.of[p] = &escaped{}
		}
		of(e.of[p]).Add(sample.Index())
	})
}

// executes returns the index of the frame that executes a template which is
// escaped for that, -1 where none is.
func executes(c *hot.Classified, stack []callstack.FrameID) int {
	for at := 2; at < len(stack); at++ {
		switch c.Frame(stack[at-1]).Function {
		case htmlTemplate + "(*Template).Execute", htmlTemplate + "(*Template).ExecuteTemplate":
			switch c.Frame(stack[at-2]).Function {
			case htmlTemplate + "(*Template).escape", htmlTemplate + "(*Template).lookupAndEscapeTemplate":
				return at
			}
			return -1
		}
	}
	return -1
}

// parsedBy finds the place that parsed the template which the frame at an index
// of the stack executes: nil unless the source shows it to be new in this call.
func (e *escaping) parsedBy(c *hot.Classified, stack []callstack.FrameID, at int) *repeated.Place {
	callee := c.Frame(stack[at-1]).Function
	receiver := func(call *ast.CallExpr) ast.Expr {
		if sel, ok := call.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == symbolname.Parse(callee).Name {
			return sel.X
		}
		return nil
	}
	for ; at < len(stack); at++ {
		frame := c.Frame(stack[at])
		if !e.s.Own(frame) {
			return nil
		}
		st := e.s.StatementOf(frame, callee)
		if !st.Known || st.Func == nil {
			return nil
		}
		template := only(st.Node, receiver)
		if template == nil {
			return nil
		}
		id, ok := ast.Unparen(template).(*ast.Ident)
		if !ok {
			return e.at(st.File, st.First, st.Last, "") // parsed and executed in one expression
		}
		fn := syntax.New(st.Func)
		d, ok := fn.Declaration(st.Node, id.Name)
		if !ok {
			return nil
		}
		if !d.Param {
			return e.declared(fn, st, d)
		}
		// Handed in: the caller's frame tells of it.
		index := parameter(fn, d.Ident)
		if index < 0 {
			return nil
		}
		callee = frame.Function
		name := symbolname.Parse(callee).Name
		receiver = func(call *ast.CallExpr) ast.Expr {
			if calls(call, name) && index < len(call.Args) {
				return call.Args[index]
			}
			return nil
		}
	}
	return nil
}

// declared finds the place among the declaration of a local variable, what it
// is called to parse afterwards, and the function that the declaration calls.
func (e *escaping) declared(fn *syntax.Function, st diagnose.Statement, d syntax.Declaration) *repeated.Place {
	made := e.s.Statement(st.File, e.s.LineOf(st.File, d.Node))
	for _, p := range e.places {
		if p.At.File != st.File || p.At.Func != st.Func || p.At.Node == nil {
			continue
		}
		uses := slices.ContainsFunc(fn.Uses(d), func(id *ast.Ident) bool { return fn.Within(id, p.At.Node) })
		if p.At.First == made.First && p.At.Last == made.Last || uses {
			return p
		}
	}
	typed, _ := e.s.StatementCalls(made)
	for _, call := range typed {
		if p := e.at("", 0, 0, call.Callee); p != nil {
			return p
		}
	}
	return nil
}

// at returns the place in a statement, or in a function.
func (e *escaping) at(file string, first, last int, function string) *repeated.Place {
	for _, p := range e.places {
		if function != "" && p.Function == function || function == "" && p.At.File == file && p.At.First == first && p.At.Last == last {
			return p
		}
	}
	return nil
}

// only returns what of finds in the calls of a statement, where it is one
// expression.
func only(st ast.Stmt, of func(*ast.CallExpr) ast.Expr) (found ast.Expr) {
	n := 0
	syntax.Head(st, func(node ast.Node) bool {
		if call, ok := node.(*ast.CallExpr); ok {
			if e := of(call); e != nil {
				found = e
				n++
			}
		}
		return true
	})
	if n != 1 {
		return nil
	}
	return found
}

// calls reports whether a call is that of a function or method by a name.
func calls(call *ast.CallExpr, name string) bool {
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		return fun.Name == name
	case *ast.SelectorExpr:
		return fun.Sel.Name == name
	}
	return false
}

// parameter returns the index of a parameter, -1 for the receiver.
func parameter(fn *syntax.Function, id *ast.Ident) int {
	i := 0
	for _, field := range fn.Type().Params.List {
		for _, name := range field.Names {
			if name == id {
				return i
			}
			i++
		}
	}
	return -1
}

// add counts the escaping among a claim's cost, or says that it could not.
func (e *escaping) add(c *diagnose.Claim, p *repeated.Place) {
	if !isHTML(p) {
		return
	}
	if x := e.of[p]; x != nil {
		cpu, mem := p.Spared(e.s.CPU, e.s.CPUColumn, &x.cpu), p.Spared(e.s.Allocs, e.s.AllocCol, &x.mem)
		c.Cost = repeated.Union(c.Cost, diagnose.Samples{CPU: x.cpu.Keep(), Allocs: x.mem.Keep()})
		c.Avoidable = repeated.Union(c.Avoidable, diagnose.Samples{CPU: cpu.Keep(), Allocs: mem.Keep()})
		if keep := x.cpu.Keep(); keep != nil {
			c.Evidence = append(c.Evidence, finding.Evidence{Kind: "cpu", Text: fmt.Sprintf("%d of %d base samples more work out the escaping at the first execution of what was parsed", e.s.CPUSamples(keep), e.s.BaseCPUSamples())})
		}
		if keep := x.mem.Keep(); e.s.AllocShare(keep) > 0 {
			c.Evidence = append(c.Evidence, finding.Evidence{Kind: "allocs", Text: fmt.Sprintf("%s of the base's allocated bytes more for that", quantity.Percent(e.s.AllocShare(keep)))})
		}
		return
	}
	if keep := e.unknown.Keep(); keep != nil {
		c.Remedy += " How much of that is this template's does not show here, and the figures leave it out: the gain may be larger than they say."
		c.Evidence = append(c.Evidence, finding.Evidence{Kind: "cpu", Text: fmt.Sprintf("%d of %d base samples work out the escaping of templates at their first execution; those of this one are not to be told from others'", e.s.CPUSamples(keep), e.s.BaseCPUSamples())})
	}
}
