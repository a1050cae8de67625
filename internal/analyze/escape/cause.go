package escape

import (
	"cmp"
	"go/ast"
	"go/parser"
	"path"
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
	known map[string]string           // functions, by the last element of their package's path and their name: their full name
	leaks map[string][]*compiler.Leak // to the heap, by function
	index map[Cause]int
}

func newCauses(a *analysis, r *compiler.Report) *causes {
	c := &causes{a: a, known: make(map[string]string), leaks: make(map[string][]*compiler.Leak), index: make(map[Cause]int)}
	for i := range r.Inlining {
		if n := &r.Inlining[i]; !n.OfCall() {
			c.know(n.Package, n.Function)
		}
	}
	for i := range r.Leaks {
		l := &r.Leaks[i]
		c.know(l.Package, l.Function)
		if name := l.Package + "." + l.Function; l.To == compiler.Heap {
			c.leaks[name] = append(c.leaks[name], l)
		}
	}
	return c
}

// know enters a function under its full name, and under the one that it has in other
// packages, unless two have that.
func (c *causes) know(pkg, function string) {
	full := pkg + "." + function
	c.known[full] = full
	short := path.Base(pkg) + "." + function
	if other, ok := c.known[short]; ok && other != full {
		full = ""
	}
	c.known[short] = full
}

// find gives each escape its cause.
func (c *causes) find(res *Result) {
	for i := range res.Escapes {
		e := &res.Escapes[i]
		step, ok := e.Escape.Cause()
		if !ok || step.Why != compiler.WhyCall {
			continue
		}
		found, ok := c.follow(e.Package, e.Flow, step)
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
	}
	res.SortCauses()
}

// SortCauses counts the remaining escapes of each cause, sorts the causes by cost, the
// largest first, and drops those without an escape.
func (res *Result) SortCauses() {
	for i := range res.Causes {
		res.Causes[i].Values, res.Causes[i].Cost = 0, Cost{}
	}
	for i := range res.Escapes {
		if e := &res.Escapes[i]; e.Cause >= 0 {
			res.Causes[e.Cause].Values++
			res.Causes[e.Cause].add(&e.Cost)
		}
	}
	var order []int
	for i := range res.Causes {
		if res.Causes[i].Values > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := &res.Causes[i], &res.Causes[j]
		return cmp.Or(b.Cost.compare(&a.Cost), cmp.Compare(b.Values, a.Values), cmp.Compare(a.Function, b.Function), a.Compare(b.Position))
	})
	sorted, place := make([]Cause, len(order)), make([]int, len(res.Causes))
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
func (c *causes) follow(pkg string, flow []compiler.Flow, step compiler.Step) (Cause, bool) {
	var out Cause
	found := false
	seen := make(map[string]bool)
	for step.Why == compiler.WhyCall {
		callee := c.callee(pkg, step)
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
		pkg, flow, step = leak.Package, leak.Flow, next
	}
	return out, found
}

// callee returns the function that a step in a package calls; "" where it is not one of the
// packages that were asked about, or where nothing says which: a method of an interface,
// or the value of a variable.
func (c *causes) callee(pkg string, step compiler.Step) string {
	name, _ := called(step.Expr)
	if full := c.known[pkg+"."+name]; full != "" {
		return full
	}
	if inside, ok := strings.CutPrefix(name, "(*"); ok { // (*q.T).M
		q, rest, ok := strings.Cut(inside, ".")
		if !ok {
			return ""
		}
		return c.known[q+".(*"+rest]
	}
	return c.known[name]
}

// parameter returns the one of a function through which a value that flows into the call of
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
	at = min(at, len(names)-1)
	for _, l := range leaks {
		if l.Parameter == names[at] {
			return l
		}
	}
	return leaks[0]
}

// parameters returns the names of the parameters of the function that a leak is of.
func (c *causes) parameters(l *compiler.Leak) []string {
	for _, fn := range c.a.file(l.File).functions {
		if fn.Name == l.Function && fn.First.Line <= l.Line && l.Line <= fn.Last.Line {
			return fn.Parameters
		}
	}
	return nil
}

// called takes the text of a call apart: the function's name, and the arguments.
func called(expr string) (name string, args []string) {
	e, err := parser.ParseExpr(expr)
	call, ok := e.(*ast.CallExpr)
	if err != nil || !ok {
		name, _, _ = strings.Cut(expr, "(")
		return name, nil
	}
	text := func(n ast.Node) string { return expr[n.Pos()-1 : n.End()-1] }
	for _, a := range call.Args {
		args = append(args, text(a))
	}
	return text(call.Fun), args
}
