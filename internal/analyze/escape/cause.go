package escape

import (
	"cmp"
	"go/ast"
	"go/parser"
	"slices"
	"strings"

	"whet/internal/format/compiler"
)

// Cause is a place that makes values of others escape: a parameter is kept there.
type Cause struct {
	Function  string // whose parameter leaks: as the compiler names it, with its package
	Parameter string // "" unknown
	compiler.Position
	Known  bool // the position: the function is of the packages that were asked about
	Expr   string
	Why    string
	Values int // that escape because of it
	Cost
}

// causes finds where parameters leak.
type causes struct {
	a     *analysis
	calls map[compiler.Position][]*compiler.Inlining
	leaks map[string][]*compiler.Leak // to the heap, by function
	index map[Cause]int
}

func newCauses(a *analysis, r *compiler.Report) *causes {
	c := &causes{a: a, calls: make(map[compiler.Position][]*compiler.Inlining), leaks: make(map[string][]*compiler.Leak), index: make(map[Cause]int)}
	for i := range r.Inlining {
		if n := &r.Inlining[i]; n.Outcome == compiler.CallNotInlined {
			c.calls[n.Position] = append(c.calls[n.Position], n)
		}
	}
	for i := range r.Leaks {
		if l := &r.Leaks[i]; l.To == compiler.Heap {
			name := l.Package + "." + l.Function
			c.leaks[name] = append(c.leaks[name], l)
		}
	}
	return c
}

// find gives each escape its cause.
func (c *causes) find(res *Result) {
	for i := range res.Escapes {
		e := &res.Escapes[i]
		step, ok := e.Escape.Cause()
		if !ok || step.Why != compiler.WhyCall {
			continue
		}
		found, ok := c.follow(e.Flow, step)
		if !ok {
			continue
		}
		n, seen := c.index[found]
		if !seen {
			n = len(res.Causes)
			c.index[found] = n
			res.Causes = append(res.Causes, found)
		}
		e.Cause = n
		of := &res.Causes[n]
		of.Values++
		of.add(&e.Cost)
	}
	order := make([]int, len(res.Causes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := &res.Causes[i], &res.Causes[j]
		return cmp.Or(b.Cost.compare(&a.Cost), cmp.Compare(b.Values, a.Values), cmp.Compare(a.Function, b.Function), a.Compare(b.Position))
	})
	sorted, place := make([]Cause, len(order)), make([]int, len(order))
	for to, from := range order {
		sorted[to], place[from] = res.Causes[from], to
	}
	for i := range res.Escapes {
		if e := &res.Escapes[i]; e.Cause >= 0 {
			e.Cause = place[e.Cause]
		}
	}
	res.Causes = sorted
}

// follow goes from a call through the parameters that leak, to where the last does.
func (c *causes) follow(flow []compiler.Flow, step compiler.Step) (Cause, bool) {
	var out Cause
	found := false
	seen := make(map[string]bool)
	for step.Why == compiler.WhyCall {
		callee := c.callee(step)
		if callee == "" || seen[callee] {
			break
		}
		seen[callee] = true
		out, found = Cause{Function: callee}, true
		leak := c.parameter(callee, flow, step)
		if leak == nil {
			break
		}
		out.Parameter = leak.Parameter
		next, ok := leak.Cause()
		if !ok {
			out.Position, out.Known = leak.Position, true
			break
		}
		out.Position, out.Known, out.Expr, out.Why = next.Position, true, next.Expr, next.Why
		step, flow = next, leak.Flow
	}
	return out, found
}

// callee is the function that a step calls; "" where nothing says which.
func (c *causes) callee(step compiler.Step) string {
	name, _ := called(step.Expr)
	for _, n := range c.calls[step.Position] {
		if _, last, _ := cutLast(n.Function, "."); cutArguments(last) == name && name != "" {
			return n.Function
		}
	}
	return ""
}

// parameter is the one of a function through which a value that flows into the call of
// a step leaks; nil where that is not known.
func (c *causes) parameter(function string, flow []compiler.Flow, step compiler.Step) *compiler.Leak {
	leaks := c.leaks[function]
	if len(leaks) < 2 {
		if len(leaks) == 1 {
			return leaks[0]
		}
		return nil
	}
	_, args := called(step.Expr)
	last := flow[len(flow)-1]
	value := strings.TrimLeft(last.From, "&*")
	value = strings.TrimSuffix(strings.TrimPrefix(value, "{storage for "), "}")
	if n := len(last.Steps); n > 1 {
		value = last.Steps[n-2].Expr
	}
	at := slices.Index(args, value)
	names := c.parameters(leaks[0])
	if at < 0 || len(names) == 0 {
		return leaks[0]
	}
	if method := len(names) > len(args); method {
		at += len(names) - len(args) // the receiver
	}
	at = min(at, len(names)-1)
	for _, l := range leaks {
		if l.Parameter == names[at] {
			return l
		}
	}
	return leaks[0]
}

// parameters are the names of the parameters of the function that a leak is of.
func (c *causes) parameters(l *compiler.Leak) []string {
	for _, fn := range c.a.file(l.File).functions {
		if fn.Name == l.Function && fn.First.Line <= l.Line && l.Line <= fn.Last.Line {
			return fn.Parameters
		}
	}
	return nil
}

// called takes the text of a call apart: the last part of the function's name, and the
// arguments.
func called(expr string) (name string, args []string) {
	e, err := parser.ParseExpr(expr)
	call, ok := e.(*ast.CallExpr)
	if err != nil || !ok {
		before, _, _ := strings.Cut(expr, "(")
		_, last, _ := cutLast(before, ".")
		return cutArguments(last), nil
	}
	text := func(n ast.Node) string { return expr[n.Pos()-1 : n.End()-1] }
	for _, a := range call.Args {
		args = append(args, text(a))
	}
	_, last, _ := cutLast(cutArguments(text(call.Fun)), ".")
	return last, args
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return "", s, false
}

// cutArguments leaves the type arguments of a name out.
func cutArguments(name string) string {
	name, _, _ = strings.Cut(name, "[")
	return name
}
