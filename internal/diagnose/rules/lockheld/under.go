package lockheld

import (
	"cmp"
	"slices"
	"strings"

	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/symbolname"
)

// operation is one call under the lock that needs no lock.
type operation struct {
	work work
	name string // what is called there, or at the end of the program's own calls
	via  string // the program's own function that leads to it, "" for a direct call
	line int
	runs bool // samples of the CPU profile show it
}

// underLock is what a section does while it holds its lock.
type underLock struct {
	held    diagnose.Set // base samples of the CPU profile
	heavy   [writes + 1]diagnose.Set
	needs   diagnose.Set // all of heavy
	byLine  map[int]*operation
	ordered []*operation // by line
}

// under reads the typed calls and the CPU samples of a section.
func (f *finder) under(c *contended) *underLock {
	u := &underLock{byLine: make(map[int]*operation)}
	for _, call := range f.s.Calls[c.section.function.File] {
		if !c.held[call.Line] {
			continue
		}
		if w := workOfCall(call.Callee, call.Args); w != cheap {
			u.note(call.Line, w, call.Callee, "")
			continue
		}
		if w, name := f.reach(call.Callee, ownCallsDown, make(map[string]bool)); w != cheap {
			u.note(call.Line, w, name, call.Callee)
		}
	}
	diagnose.EachBase(f.s.CPU, f.s.CPUColumn, func(sample *callstack.Stacks, stack []callstack.FrameID) { f.sampled(u, c, sample.Index(), stack) })
	for _, op := range u.byLine {
		u.ordered = append(u.ordered, op)
	}
	slices.SortFunc(u.ordered, func(a, b *operation) int { return cmp.Compare(a.line, b.line) })
	return u
}

// ownCallsDown is how many of the program's own functions a call under the
// lock is followed through.
const ownCallsDown = 4

// reach finds the work that a function of the program's own does.
func (f *finder) reach(callee string, depth int, seen map[string]bool) (work, string) {
	if depth == 0 || seen[callee] {
		return cheap, ""
	}
	seen[callee] = true
	best, name := cheap, ""
	for _, call := range f.helpers.in[callee] {
		w, n := workOfCall(call.Callee, call.Args), call.Callee
		if w == cheap {
			w, n = f.reach(call.Callee, depth-1, seen)
		}
		if w > best || w == best && w != cheap && makes(name) {
			best, name = w, n
		}
	}
	return best, name
}

func (u *underLock) note(line int, w work, name, via string) *operation {
	op := u.byLine[line]
	if op == nil {
		op = &operation{line: line}
		u.byLine[line] = op
	}
	if w > op.work || w == op.work && !makes(name) {
		op.work, op.name, op.via = w, name, via
	}
	return op
}

// makes reports whether a function only makes what does the work: a remedy
// names the one that works, if there is one.
func makes(fn string) bool {
	return strings.HasPrefix(symbolname.Parse(fn).Name, "New") || strings.HasPrefix(symbolname.Parse(fn).Name, "With")
}

// sampled puts one CPU sample to what it does under the lock.
func (f *finder) sampled(u *underLock, c *contended, i int, stack []callstack.FrameID) {
	at := slices.IndexFunc(stack, func(id callstack.FrameID) bool {
		frame := f.s.CPU.Frame(id)
		return frame.File == c.section.function.File && c.held[frame.Line]
	})
	if at < 0 {
		return
	}
	below := at - 1
	for below >= 0 && strings.Contains(f.s.CPU.Frame(stack[below]).Function, ".deferwrap") {
		below--
	}
	if below >= 0 {
		if fn := f.s.CPU.Frame(stack[below]).Function; isLock(fn) || isUnlock(fn) {
			return // a deferred Unlock runs on the line that returns
		}
	}
	u.held.Add(i)
	line := f.s.CPU.Frame(stack[at]).Line
	for k := at - 1; k >= 0; k-- {
		fn := f.s.CPU.Frame(stack[k]).Function
		w := workOf(fn)
		if w == cheap {
			continue
		}
		u.heavy[w].Add(i)
		u.needs.Add(i)
		op := f.operationAt(u, c, line)
		if op == nil {
			op = u.note(line, w, fn, "")
		}
		op.runs = true
		return
	}
}

// operationAt is the operation of the statement around a line: a call over
// several lines is charged to any of them.
func (f *finder) operationAt(u *underLock, c *contended, line int) *operation {
	if op := u.byLine[line]; op != nil {
		return op
	}
	st := f.s.Statement(c.section.function.File, line)
	for l := st.First; st.Known && l <= st.Last; l++ {
		if op := u.byLine[l]; op != nil {
			return op
		}
	}
	return nil
}
