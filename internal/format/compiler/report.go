package compiler

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Report is the compiler's output about packages: its text, and its JSON if that was
// requested too.
type Report struct {
	Escapes  []Escape
	Leaks    []Leak
	Inlining []Inlining
	Checks   []Check
	Others   []Other
	// JSON reports whether bounds and nil checks, calls that were not inlined, and the
	// paths into inlined calls are known. Text has none of these.
	JSON bool
	// Cut: there was more than is kept.
	Cut bool

	escapes map[messageKey]int  // in Escapes
	appends map[Position]string // those of an append, by where it is
	leaks   map[messageKey]int  // in Leaks
	calls   map[callKey]int     // in Inlining
	checks  map[checkKey]int    // in Checks
	others  map[Other]int       // in Others
}

// Position is a place in the source. File is the compiler's name, or the one set by
// [Report.MapFiles]; Col counts bytes from 1, 0 is unknown.
type Position struct {
	File      string
	Line, Col int
}

func (p Position) String() string {
	if p.Col == 0 {
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// Compare orders positions by file, line and column.
func (p Position) Compare(q Position) int {
	return cmp.Or(strings.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Col, q.Col))
}

// Location is the location of a decision.
type Location struct {
	// Position is in the compiled function. For code of an inlined call it is the
	// position of the call.
	Position
	Package string // import path; "" unknown
	// Inlined lists the positions in inlined calls, outermost first: the last is that
	// of the code. It is empty for code at Position itself.
	Inlined []Position
}

// Written returns the position of the code itself.
func (p *Location) Written() Position {
	if n := len(p.Inlined); n > 0 {
		return p.Inlined[n-1]
	}
	return p.Position
}

// Escape is a value that is allocated on the heap.
type Escape struct {
	Location
	Function string // that it is compiled into, as the compiler prints it: "(*T).M"; "" unknown
	What     string // the expression or the variable
	Moved    bool   // a variable, which is moved to the heap
	Flow     []Flow // why: from the value to the heap
}

// Static reports whether the value is a literal constant, which is in the program's
// data: the compiler reports that it escapes, but nothing is allocated.
func (e *Escape) Static() bool {
	if e.Moved || e.What == "" {
		return false
	}
	switch c := e.What[0]; {
	case c == '"' || c == '`':
		return !strings.Contains(e.What, `" + `) && !strings.Contains(e.What, ` + "`)
	case c == '\'':
		return true
	case c >= '0' && c <= '9', c == '-' && len(e.What) > 1 && e.What[1] >= '0' && e.What[1] <= '9':
		return !strings.ContainsAny(e.What, " ([")
	}
	return e.What == "true" || e.What == "false" || e.What == "nil"
}

// Verdict returns the compiler's verdict in its own words.
func (e *Escape) Verdict() string {
	if e.Moved {
		return "moved to heap: " + e.What
	}
	return e.What + " escapes to heap"
}

// Cause returns the last step of the flow, the one that makes it end on the heap; ok is
// false where the compiler explained none.
func (e *Escape) Cause() (Step, bool) { return cause(e.Flow) }

func cause(flow []Flow) (Step, bool) {
	for _, f := range slices.Backward(flow) {
		if n := len(f.Steps); n > 0 {
			return f.Steps[n-1], true
		}
	}
	return Step{}, false
}

// Flow is an assignment in a value's flow, as the compiler prints it: To ← From.
type Flow struct {
	To, From string // "{heap}", "&x", "{storage for new(T)}"
	Steps    []Step
}

// Step is the reason of a flow.
type Step struct {
	Position
	Expr string // "Sink(&x)"
	Why  string // "call parameter"
}

// WhyCall is the reason of a step through a parameter of a call.
const WhyCall = "call parameter"

// Leak is a parameter whose pointee leaves the function.
type Leak struct {
	Location
	Function  string
	Parameter string
	To        string // "{heap}", or a result: "~r0"
	Derefs    int    // 0: the pointer itself leaves, 1: its pointee
	Flow      []Flow
}

// Cause returns the last step of the flow.
func (l *Leak) Cause() (Step, bool) { return cause(l.Flow) }

// Heap is the end of a flow that needs an allocation.
const Heap = "{heap}"

// Outcome is the outcome of an inlining decision.
type Outcome string

const (
	CanBeInlined    Outcome = "can-inline"    // the function declared here
	CannotBeInlined Outcome = "cannot-inline" // the function declared here
	CallInlined     Outcome = "inlined"       // the call here
	CallNotInlined  Outcome = "not-inlined"   // the call here
)

// Inlining is the inlining decision about a call, or about a function.
type Inlining struct {
	Location
	Outcome Outcome
	// Function is the one that is declared here, or that is called: "pkg.F" of another
	// package.
	Function string
	Reason   string // why it was not, "" unknown
	Cost     int    // -1: unknown
	Budget   int    // -1: unknown
}

// OfCall reports whether it is about a call, not about a declared function.
func (i *Inlining) OfCall() bool { return i.Outcome == CallInlined || i.Outcome == CallNotInlined }

// CheckKind is the kind of a run-time check.
type CheckKind string

const (
	IndexCheck CheckKind = "index" // an index, against a length
	SliceCheck CheckKind = "slice" // the bounds of a slice expression
	NilCheck   CheckKind = "nil"   // a pointer that the hardware would not catch
)

// Check is a check that the compiler did not eliminate.
type Check struct {
	Location
	Kind  CheckKind
	Times int // instances: of a generic function one for each shape
}

// Other is something that is known by its text alone.
type Other struct {
	Position
	Code string
	Text string
}

// messageKey, callKey and checkKey identify repeated messages.
type messageKey struct {
	Position
	what string
	to   string // of leaks
}

type callKey struct {
	Position
	outcome  Outcome
	function string
	inlined  string
}

type checkKey struct {
	Position
	kind    CheckKind
	inlined string
}

func way(inlined []Position) string {
	var b strings.Builder
	for _, p := range inlined {
		b.WriteString(p.String())
		b.WriteByte('\n')
	}
	return b.String()
}

// full reports whether no more is kept.
func (r *Report) full() bool {
	if len(r.Escapes)+len(r.Leaks)+len(r.Inlining)+len(r.Checks)+len(r.Others) >= maxDecisions {
		r.Cut = true
	}
	return r.Cut
}

func (r *Report) init() {
	if r.escapes == nil {
		r.escapes, r.leaks, r.appends = make(map[messageKey]int), make(map[messageKey]int), make(map[Position]string)
		r.calls, r.checks, r.others = make(map[callKey]int), make(map[checkKey]int), make(map[Other]int)
	}
}

// escape returns the escape of a value, which it adds; nil where no more is kept.
func (r *Report) escape(at Position, what string) *Escape {
	k := messageKey{at, what, ""}
	i, ok := r.escapes[k]
	if !ok {
		if r.full() {
			return nil
		}
		i = len(r.Escapes)
		r.escapes[k] = i
		r.Escapes = append(r.Escapes, Escape{Location: Location{Position: at}, What: what})
		if strings.HasPrefix(what, "append(") {
			r.appends[at] = what
		}
	}
	return &r.Escapes[i]
}

func (r *Report) leak(at Position, parameter, to string) *Leak {
	k := messageKey{at, parameter, to}
	i, ok := r.leaks[k]
	if !ok {
		if r.full() {
			return nil
		}
		i = len(r.Leaks)
		r.leaks[k] = i
		r.Leaks = append(r.Leaks, Leak{Location: Location{Position: at}, Parameter: parameter, To: to})
	}
	return &r.Leaks[i]
}

func (r *Report) inlining(n Inlining) {
	k := callKey{n.Position, n.Outcome, n.Function, way(n.Inlined)}
	if _, ok := r.calls[k]; ok || r.full() {
		return
	}
	r.calls[k] = len(r.Inlining)
	r.Inlining = append(r.Inlining, n)
}

func (r *Report) check(c Check) {
	k := checkKey{c.Position, c.Kind, way(c.Inlined)}
	if i, ok := r.checks[k]; ok {
		r.Checks[i].Times += c.Times
		return
	}
	if !r.full() {
		r.checks[k] = len(r.Checks)
		r.Checks = append(r.Checks, c)
	}
}

func (r *Report) other(o Other) {
	if _, ok := r.others[o]; ok || r.full() {
		return
	}
	r.others[o] = len(r.Others)
	r.Others = append(r.Others, o)
}

// Sort orders everything by position.
func (r *Report) Sort() {
	slices.SortStableFunc(r.Escapes, func(a, b Escape) int { return a.Compare(b.Position) })
	slices.SortStableFunc(r.Leaks, func(a, b Leak) int { return a.Compare(b.Position) })
	slices.SortStableFunc(r.Inlining, func(a, b Inlining) int { return a.Compare(b.Position) })
	slices.SortStableFunc(r.Checks, func(a, b Check) int { return a.Compare(b.Position) })
	slices.SortStableFunc(r.Others, func(a, b Other) int { return a.Compare(b.Position) })
	r.escapes, r.appends, r.leaks, r.calls, r.checks, r.others = nil, nil, nil, nil, nil, nil
}

// MapFiles gives every file another name. Nothing may be added to the report
// afterwards.
func (r *Report) MapFiles(name func(string) string) {
	known := make(map[string]string)
	to := func(p *Position) {
		n, ok := known[p.File]
		if !ok {
			n = name(p.File)
			known[p.File] = n
		}
		p.File = n
	}
	place := func(p *Location) {
		to(&p.Position)
		for i := range p.Inlined {
			to(&p.Inlined[i])
		}
	}
	flow := func(flow []Flow) {
		for i := range flow {
			for j := range flow[i].Steps {
				to(&flow[i].Steps[j].Position)
			}
		}
	}
	for i := range r.Escapes {
		place(&r.Escapes[i].Location)
		flow(r.Escapes[i].Flow)
	}
	for i := range r.Leaks {
		place(&r.Leaks[i].Location)
		flow(r.Leaks[i].Flow)
	}
	for i := range r.Inlining {
		place(&r.Inlining[i].Location)
	}
	for i := range r.Checks {
		place(&r.Checks[i].Location)
	}
	for i := range r.Others {
		to(&r.Others[i].Position)
	}
	r.Sort()
}

// Known reports whether Go 1.26 has the code: a newer compiler may have others.
func (o *Other) Known() bool {
	switch o.Code {
	case "copy", "iteration-variable-to-heap", "iteration-variable-to-stack", ": should not PGO devirtualize function":
		return true
	}
	return strings.HasPrefix(o.Code, "loop-modified-")
}
