package places

import (
	"whet/internal/callstack"
)

// Role says whose code a frame is.
type Role uint8

const (
	Foreign Role = iota // a library's or the runtime's
	Own                 // under study
	Test                // of a test's file, or of a benchmark's own body
)

// Line is a source line of one function, as the profile's frames have it.
type Line struct {
	Function string
	File     string
	Line     int
}

// Cost is what one line is charged with.
type Cost struct {
	Value   int64            // in the column's unit
	Callees map[string]int64 // by name as the source has it; "" is the line itself
	Kinds   map[Kind]int64
}

// Charges are a profile's samples by place.
type Charges struct {
	Total    int64 // of all samples that were charged
	Lines    map[Line]*Cost
	Tests    int64            // the work of tests and of the benchmark itself
	Packages map[string]int64 // what no own line asked for, by package; "runtime" where nothing else is on the stack

	stacks map[callstack.StackID]charged
	of     *callstack.Profile
}

// charged is what is known of one stack.
type charged struct {
	line   Line
	role   Role   // Own: line holds; Test, or Foreign with pkg
	pkg    string // import path
	callee string
	kind   Kind
}

// Charge charges the samples of column t that keep selects (nil: all).
func Charge(p *callstack.Profile, t int, keep callstack.Keep, role func(*callstack.Frame) Role) *Charges {
	c := &Charges{Lines: make(map[Line]*Cost), Packages: make(map[string]int64), stacks: make(map[callstack.StackID]charged), of: p}
	for i := range p.Len() {
		v := p.Value(t, i)
		if v == 0 || keep != nil && !keep(i) {
			continue
		}
		at, ok := c.stacks[p.StackID(i)]
		if !ok {
			at = read(p, p.Stack(i), role)
			c.stacks[p.StackID(i)] = at
		}
		c.Total += v
		switch at.role {
		case Test:
			c.Tests += v
		case Foreign:
			c.Packages[at.pkg] += v
		case Own:
			cost := c.Lines[at.line]
			if cost == nil {
				cost = &Cost{Callees: make(map[string]int64), Kinds: make(map[Kind]int64)}
				c.Lines[at.line] = cost
			}
			cost.Value += v
			cost.Callees[at.callee] += v
			cost.Kinds[at.kind] += v
		}
	}
	return c
}

// Of returns the line that sample i was charged to; ok is false where that is
// none, or where the sample was not charged.
func (c *Charges) Of(i int) (line Line, ok bool) {
	at, ok := c.stacks[c.of.StackID(i)]
	return at.line, ok && at.role == Own
}

// read finds whom a stack (leaf first) is charged to.
func read(p *callstack.Profile, stack []callstack.FrameID, role func(*callstack.Frame) Role) charged {
	test := false
	for i, id := range stack {
		f := p.Frame(id)
		switch role(f) {
		case Own:
			below := frames(p, stack[:i])
			return charged{role: Own, line: Line{f.Function, f.File, f.Line}, callee: callee(below), kind: kindOf(below)}
		case Test:
			test = true
		}
	}
	if test {
		return charged{role: Test}
	}
	for i := len(stack) - 1; i >= 0; i-- {
		if pkg := packageOf(p.Frame(stack[i]).Function); pkg != "" && !isRuntime(pkg) {
			return charged{pkg: pkg}
		}
	}
	return charged{pkg: "runtime"}
}

// frames returns the names of the functions below a line, leaf first, without
// what only interrupted it: the runtime's preemption is no call of the line's.
func frames(p *callstack.Profile, stack []callstack.FrameID) []string {
	out := make([]string, 0, len(stack))
	for _, id := range stack {
		out = append(out, p.Frame(id).Function)
	}
	for i := len(out) - 1; i >= 0; i-- {
		switch out[i] {
		case "runtime.asyncPreempt", "runtime.sigpanic", "runtime.sigtramp", "runtime.sigreturn__sigaction":
			return out[i+1:]
		}
	}
	return out
}
