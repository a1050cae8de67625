package lockheld

import (
	"cmp"
	"fmt"
	"go/ast"
	"maps"
	"slices"

	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/quantity"
	"whet/internal/typed"
)

const (
	// loopShare is the share of the CPU time under a lock from which a loop is named.
	loopShare = 0.1
	// loopSamples is how many samples that is at least.
	loopSamples = 5
	// loopsListed bounds them.
	loopsListed = 2
)

// Loop is a loop of the user's own that runs while a lock is held.
type Loop struct {
	At    string  // file and line, for people
	Share float64 // of the CPU time while the lock is held
}

// loops returns the loops that take most of the CPU time under a lock, beside what is logged,
// encoded and written. Each sample counts for one: of the section's loops and those of
// the user's own functions below it, the first on the way down.
func (f *finder) loops(c *contendedSection, u *lockedWork) (out []Loop) {
	held := f.s.CPUSamples(u.held.Keep())
	if held == 0 {
		return nil
	}
	found := make(map[diagnose.SourceLine]*diagnose.Set)
	diagnose.EachBase(f.s.CPU, f.s.CPUColumn, func(sample *callstack.Stacks, stack []callstack.FrameID) {
		i := sample.Index()
		if !u.held.Has(i) || slices.ContainsFunc(u.heavy[:], func(set diagnose.Set) bool { return set.Has(i) }) {
			return
		}
		at := slices.IndexFunc(stack, func(id callstack.FrameID) bool {
			frame := f.s.CPU.Frame(id)
			return frame.File == c.function.File && c.held[frame.Line]
		})
		for _, id := range slices.Backward(stack[:at+1]) {
			frame := f.s.CPU.Frame(id)
			if !f.s.Own(frame) {
				return
			}
			line, ok := f.loopAt(frame)
			if !ok || id == stack[at] && !c.held[line] { // the lock is taken in its rounds
				continue
			}
			of := diagnose.SourceLine{File: frame.File, Line: line}
			if found[of] == nil {
				found[of] = new(diagnose.Set)
			}
			found[of].Add(i)
			return
		}
	})
	for _, at := range slices.SortedFunc(maps.Keys(found), func(a, b diagnose.SourceLine) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	}) {
		n := f.s.CPUSamples(found[at].Keep())
		if share := float64(n) / float64(held); n >= loopSamples && share >= loopShare {
			out = append(out, Loop{f.s.At(diagnose.Location{File: at.File, Line: at.Line}), share})
		}
	}
	slices.SortStableFunc(out, func(a, b Loop) int { return cmp.Compare(b.Share, a.Share) })
	return out[:min(len(out), loopsListed)]
}

// loopAt returns the first line of the innermost loop around a frame's line.
func (f *finder) loopAt(frame *callstack.Frame) (line int, ok bool) {
	st := f.s.Statement(frame.File, frame.Line)
	var loop ast.Node = st.Loop
	if typed.LoopBody(st.Node) != nil {
		loop = st.Node
	}
	if typed.LoopBody(loop) == nil {
		return 0, false
	}
	return f.s.LineAt(loop.Pos()), true
}

// LoopsText names loops with their shares: "40 % of it in the loop at x.go:12"; "" for
// none.
func LoopsText(loops []Loop) string {
	var parts []string
	for _, l := range loops {
		parts = append(parts, fmt.Sprintf("%s of it in the loop at %s", quantity.Percent(l.Share), l.At))
	}
	return and(parts)
}
