package escape

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"whet/internal/analyze/escape"
	"whet/internal/format/compiler"
	"whet/internal/quantity"
)

// Page is a page to print.
type Page struct {
	Result    *escape.Result
	Packages  []string
	GoVersion string // of the compiler; "" unknown
	Tests     bool
	Recording string // whose costs stand beside the decisions; "" none
	Warnings  []string
	Limits    []escape.Limit // what functions are held to; nil: nothing
	Broken    []escape.Broken
	Base      string          // the revision that Changes are since; "" none
	Changes   []escape.Change // what is decided otherwise
	OldName   func(string) string
	// Name is a file as it is shown, and OldName one of the base.
	Name func(file string) string
}

// Filter chooses what is printed.
type Filter struct {
	Escapes, Inlining, Checks bool           // none: all
	Function                  *regexp.Regexp // nil: all
	All                       bool           // also show decisions that need no change: inlined calls, constants, parameters
}

// Failed says what of that which was asked for does not hold; "" nothing.
func (p *Page) Failed() string {
	worse := 0
	for _, c := range p.Changes {
		if c.Kind.Worse() {
			worse++
		}
	}
	switch {
	case len(p.Broken) > 0:
		return quantity.Plural(len(p.Broken), "limit") + " broken: " + brokenWords(&p.Broken[0])
	case worse > 0:
		return quantity.Plural(worse, "decision") + " worse than in " + p.Base
	}
	return ""
}

func brokenWords(b *escape.Broken) string { return b.Limit.Function + ": " + b.Text }

var changeNames = map[escape.ChangeKind]string{
	escape.NewEscape: "new on the heap", escape.GoneEscape: "no longer on the heap",
	escape.LostInline: "no longer inlined", escape.GainedInline: "now inlined",
	escape.NewCheck: "new check", escape.GoneCheck: "check gone",
}

// place returns where a change stands: what is gone, in the base.
func (p *Page) place(c *escape.Change) compiler.Position {
	at := c.Location.Position
	if c.Kind == escape.GoneEscape || c.Kind == escape.GoneCheck {
		at.File = p.OldName(at.File)
		return at
	}
	at.File = p.Name(at.File)
	return at
}

// changeWords say what changed.
func changeWords(c *escape.Change) string {
	words := changeNames[c.Kind] + ": " + c.What
	if c.Added {
		words += " (the function is new)"
	}
	return words
}

// Apply leaves only what the filter chooses in the page.
func (f Filter) Apply(p *Page) {
	r := p.Result
	keep := func(function string) bool { return f.Function == nil || f.Function.MatchString(function) }
	some := f.Escapes || f.Inlining || f.Checks
	r.Escapes = slices.DeleteFunc(r.Escapes, func(e escape.Escape) bool { return some && !f.Escapes || !keep(e.Site.Function) })
	r.Leaks = slices.DeleteFunc(r.Leaks, func(l escape.Leak) bool { return some && !f.Escapes || !keep(l.Site.Function) })
	r.Inlining = slices.DeleteFunc(r.Inlining, func(n escape.Inlining) bool { return some && !f.Inlining || !keep(n.Site.Function) })
	r.SortCauses()
	p.Changes = slices.DeleteFunc(p.Changes, func(c escape.Change) bool {
		of := map[escape.ChangeKind]bool{escape.NewEscape: f.Escapes, escape.GoneEscape: f.Escapes, escape.LostInline: f.Inlining, escape.GainedInline: f.Inlining, escape.NewCheck: f.Checks, escape.GoneCheck: f.Checks}
		return some && !of[c.Kind] || !keep(c.Function)
	})
	r.Checks = slices.DeleteFunc(r.Checks, func(c escape.Check) bool { return some && !f.Checks || !keep(c.Function) })
	if f.Function != nil && p.Base == "" && len(r.Escapes)+len(r.Leaks)+len(r.Inlining)+len(r.Checks) == 0 {
		p.Warnings = append(p.Warnings, "no selected decision concerns a function that matches "+f.Function.String())
	}
}

// row is a decision for text.
type row struct {
	kind  string
	at    compiler.Location
	words string
	site  *escape.Site
	minor bool // needs no change
}

// rows are all decisions, in the order of the document.
func (p *Page) rows() []row {
	var out []row
	r := p.Result
	for i := range r.Escapes {
		e := &r.Escapes[i]
		out = append(out, row{"escape", e.Location, p.escapeWords(e), &e.Site, e.Static()})
	}
	for i := range r.Inlining {
		n := &r.Inlining[i]
		minor := n.Outcome == compiler.CanBeInlined || n.Outcome == compiler.CallInlined || n.Outcome == compiler.CallNotInlined && n.Inlining.Cost < 0
		out = append(out, row{string(n.Outcome), n.Location, inliningWords(n), &n.Site, minor})
	}
	for i := range r.Checks {
		c := &r.Checks[i]
		out = append(out, row{"check", c.Location, checkWords(c), &c.Site, false})
	}
	for i := range r.Leaks {
		l := &r.Leaks[i]
		out = append(out, row{"leak", l.Location, leakWords(l), &l.Site, true})
	}
	return out
}

// escapeWords say what escapes and why.
func (p *Page) escapeWords(e *escape.Escape) string {
	words := e.Verdict()
	switch step, ok := e.Escape.Cause(); {
	case e.Static():
		words += ": a constant, not allocated"
	case !ok:
	case step.Expr == e.What:
		words += ": " + step.Why
	default:
		words += ": " + step.Why + ": " + step.Expr
	}
	if e.Cause >= 0 {
		words += "; " + p.causeWords(&p.Result.Causes[e.Cause])
	}
	return words
}

// causeWords say where a parameter leaks.
func (p *Page) causeWords(c *escape.Cause) string {
	of := "a parameter"
	if c.Parameter != "" {
		of = c.Parameter
	}
	words := of + " of " + c.Function + " leaks"
	if c.Known {
		words += " at " + compiler.Position{File: p.Name(c.File), Line: c.Line, Col: c.Col}.String()
		if c.Expr != "" {
			words += ": " + c.Expr + " (" + c.Why + ")"
		}
	}
	return words
}

func inliningWords(n *escape.Inlining) string {
	switch n.Outcome {
	case compiler.CanBeInlined:
		if n.Inlining.Cost < 0 {
			return "can be inlined"
		}
		return "can be inlined, cost " + quantity.Count(float64(n.Inlining.Cost))
	case compiler.CannotBeInlined:
		return "cannot be inlined: " + n.Reason
	case compiler.CallInlined:
		return "call of " + n.Inlining.Function + " is inlined"
	}
	return "call of " + cmp.Or(n.Inlining.Function, "a function") + " is not inlined: " + n.Reason
}

var checkNames = map[compiler.CheckKind]string{
	compiler.IndexCheck: "index is checked against the length",
	compiler.SliceCheck: "bounds of the slice are checked",
	compiler.NilCheck:   "pointer is checked for nil",
}

func checkWords(c *escape.Check) string {
	words := checkNames[c.Kind]
	if c.Times > 1 {
		words += ", in " + quantity.Plural(c.Times, "instance")
	}
	return words
}

func leakWords(l *escape.Leak) string {
	what := "parameter " + l.Parameter
	if l.Derefs > 0 {
		what = "what parameter " + l.Parameter + " points to"
	}
	to := "to the heap"
	if l.To != compiler.Heap {
		to = "to result " + l.To
	}
	words := what + " leaks " + to
	if step, ok := l.Leak.Cause(); ok {
		words += ": " + step.Why + ": " + step.Expr
	}
	return words
}

// group is the decisions of one function.
type group struct {
	function string
	rows     []row
	bytes    int64
	cpu      int64
	known    bool
}

// groups returns the groups of the page, the dearest function first where costs are known, else
// in the order of the source.
func (p *Page) groups(all bool) (out []*group, left int) {
	by := make(map[string]*group)
	for _, r := range p.rows() {
		if (r.minor || r.site.Foreign) && !all {
			left++
			continue
		}
		name := r.site.Function
		if name == "" {
			name = p.Name(r.at.File)
		}
		g := by[name]
		if g == nil {
			g = &group{function: name}
			by[name] = g
			out = append(out, g)
		}
		if slices.ContainsFunc(g.rows, func(o row) bool {
			return o.at.Position == r.at.Position && o.words == r.words && way(&o.at) == way(&r.at)
		}) {
			continue // of another shape of a generic function
		}
		g.rows = append(g.rows, r)
		if b := r.site.AllocBytes; b != nil {
			g.bytes += *b / int64(max(r.site.Shared, 1))
			g.known = true
		}
		if ns := r.site.CPUNs; ns != nil {
			g.cpu += *ns
			g.known = true
		}
	}
	for _, g := range out {
		slices.SortStableFunc(g.rows, func(a, b row) int {
			return cmp.Or(cmp.Compare(cost(b.site.AllocBytes), cost(a.site.AllocBytes)), cmp.Compare(cost(b.site.CPUNs), cost(a.site.CPUNs)), a.at.Compare(b.at.Position))
		})
	}
	slices.SortStableFunc(out, func(a, b *group) int {
		first := func(g *group) compiler.Position { return g.rows[0].at.Position }
		return cmp.Or(cmp.Compare(b.bytes, a.bytes), cmp.Compare(b.cpu, a.cpu), first(a).Compare(first(b)))
	})
	return out, left
}

// way returns where a row's code is written, where that is elsewhere.
func way(at *compiler.Location) compiler.Position {
	if len(at.Inlined) == 0 {
		return compiler.Position{}
	}
	return at.Written()
}

func cost(v *int64) int64 {
	if v == nil {
		return 0
	}
	return *v
}

// count says how many of each kind there are.
func (p *Page) count() string {
	r := p.Result
	constants, refused, functions := 0, 0, 0
	for i := range r.Escapes {
		if r.Escapes[i].Static() {
			constants++
		}
	}
	for i := range r.Inlining {
		switch r.Inlining[i].Outcome {
		case compiler.CallNotInlined:
			refused++
		case compiler.CannotBeInlined:
			functions++
		}
	}
	parts := []string{
		quantity.Plural(len(r.Escapes)-constants, "value") + " allocated on the heap",
		quantity.Plural(functions, "function") + " not inlined",
	}
	if r.JSON {
		parts = append(parts, quantity.Plural(refused, "call")+" not inlined", quantity.Plural(len(r.Checks), "check")+" left")
	}
	return strings.Join(parts, ", ")
}
