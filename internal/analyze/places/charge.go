package places

import (
	"whet/internal/callstack"
	"whet/internal/symbolname"
)

// Role is the ownership of a frame's code.
type Role uint8

const (
	Foreign Role = iota // a library's or the runtime's
	Own                 // under study
	Test                // of a test's file, or of a benchmark's own body
	Support             // of a package for tests: its work for own code is the tests' work
)

// Line is a source line of one function, as the profile's frames have it.
type Line struct {
	Function string
	File     string
	Line     int
}

// Cost is the cost charged to one line.
type Cost struct {
	line    Line
	Value   int64            // in the column's unit
	Callees map[string]int64 // by name as the source has it; "" is the line itself
	Kinds   map[Kind]int64
}

// Charges are a profile's samples by place.
type Charges struct {
	Total    int64 // of all samples that were charged
	Lines    map[Line]*Cost
	Tests    int64            // the work of tests and of the benchmark itself
	Packages map[string]int64 // cost that no own line caused, by package; "runtime" if nothing else is on the stack

	at     []*Cost // by sample; nil where no line was charged
	of     *callstack.Frames
	role   func(*callstack.Frame) Role
	frames []frameInfo // by id; filled when a frame is first met
}

// frameInfo is what a frame's function says of itself. Stacks share frames by
// the thousand, so each name is read once.
type frameInfo struct {
	known bool
	role  Role
	function
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
func Charge(p *callstack.Frames, t int, keep callstack.Keep, role func(*callstack.Frame) Role) *Charges {
	c := &Charges{Lines: make(map[Line]*Cost), Packages: make(map[string]int64),
		at: make([]*Cost, p.Len()), of: p, role: role, frames: make([]frameInfo, p.NumFrames())}
	for s := p.Stacks(keep, t); s.Next(); {
		v, at := s.Value(t), c.read(s.Stack)
		c.Total += v
		switch at.role {
		case Test:
			c.Tests += v
		case Foreign:
			c.Packages[at.pkg] += v
		case Own:
			cost := c.Lines[at.line]
			if cost == nil {
				cost = &Cost{line: at.line, Callees: make(map[string]int64), Kinds: make(map[Kind]int64)}
				c.Lines[at.line] = cost
			}
			c.at[s.Index()] = cost
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
	if c.at[i] == nil {
		return Line{}, false
	}
	return c.at[i].line, true
}

// frame returns what is known of a frame.
func (c *Charges) frame(id callstack.FrameID) *frameInfo {
	f := &c.frames[id]
	if !f.known {
		frame := c.of.Frame(id)
		*f = frameInfo{known: true, role: c.role(frame), function: functionOf(frame.Function)}
	}
	return f
}

// read finds whom a stack (leaf first) is charged to.
func (c *Charges) read(stack []callstack.FrameID) charged {
	test := false
	for i, id := range stack {
		switch c.frame(id).role {
		case Own:
			f := c.of.Frame(id)
			below := c.below(stack[:i])
			return charged{role: Own, line: Line{f.Function, f.File, f.Line}, callee: symbolname.Elide(callee(below)), kind: kindOf(below)}
		case Test:
			test = true
		case Support:
			return charged{role: Test}
		}
	}
	if test {
		return charged{role: Test}
	}
	for i := len(stack) - 1; i >= 0; i-- {
		if f := c.frame(stack[i]); f.pkg != "" && !isRuntime(f.pkg) {
			return charged{pkg: f.pkg}
		}
	}
	return charged{pkg: "runtime"}
}

// below returns the functions below a line, leaf first, without what only
// interrupted it: the runtime's preemption is no call of the line's.
func (c *Charges) below(stack []callstack.FrameID) []*function {
	out := make([]*function, len(stack))
	for i, id := range stack {
		out[i] = &c.frame(id).function
	}
	return withoutSignal(out)
}

func withoutSignal(below []*function) []*function {
	for i := len(below) - 1; i >= 0; i-- {
		switch below[i].name {
		case "runtime.asyncPreempt", "runtime.sigpanic", "runtime.sigtramp", "runtime.sigreturn__sigaction":
			return below[i+1:]
		}
	}
	return below
}
