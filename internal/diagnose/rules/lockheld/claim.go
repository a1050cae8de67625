package lockheld

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"whet/internal/analyze/contention"
	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/finding"
	"whet/internal/quantity"
	"whet/internal/symbolname"
)

const (
	// needlessShare is the share of the CPU time under a lock that logging,
	// encoding and I/O must take: with less, the lock would be held for three
	// quarters of its time without them.
	needlessShare = 0.25
	// enoughHeld is how many CPU samples under a lock can show that share, and
	// that a call which the source has there is made at all.
	enoughHeld = 10
	// sureHeld is how many of them it takes to be sure of it.
	sureHeld = 30
	// listed bounds the lines that a remedy names.
	listed = 4
)

func (f *finder) claim(c *contendedSection) (diagnose.Claim, bool) {
	if c.waits || len(c.held) == 0 {
		return diagnose.Claim{}, false
	}
	u := f.under(c)
	held, needless := f.s.CPUSamples(u.held.Keep()), int64(0)
	for w := range u.heavy {
		needless += f.s.CPUSamples(u.heavy[w].Keep())
	}
	if len(u.ordered) == 0 || held >= enoughHeld && float64(needless) < needlessShare*float64(held) {
		return diagnose.Claim{}, false
	}
	confidence := finding.High
	switch {
	case held >= sureHeld:
	case held >= enoughHeld:
		confidence = finding.Medium
	case c.guardsWriter(u):
		return diagnose.Claim{}, false // there is nothing to move out, and nothing shows that the Write takes long
	case slices.ContainsFunc(u.ordered, func(op *operation) bool { return op.blocks() }):
		// It waits while it holds the lock, or the few samples miss what it
		// does. What is written there may also be a rare error's record.
		confidence = finding.Low
	default:
		return diagnose.Claim{}, false
	}
	if held >= enoughHeld {
		u.ordered = slices.DeleteFunc(u.ordered, func(op *operation) bool { return !op.runs })
	}
	return diagnose.Claim{
		Place: c.place(), Cost: diagnose.Samples{Mutex: c.delay.Keep()}, Confidence: confidence, Held: c.places(),
		Why: why(u), Remedy: remedy(c, u, f.loops(c, u)), Evidence: f.evidence(c, u),
	}, true
}

// blocks reports whether an operation can hold the lock without using the CPU.
func (op *operation) blocks() bool { return op.work == writes || op.work == logs || op.work == sleeps }

func why(u *lockedWork) string {
	var kinds []string
	for w := writes; w > cheap; w-- {
		if slices.ContainsFunc(u.ordered, func(op *operation) bool { return op.work == w }) {
			kinds = append(kinds, w.String())
		}
	}
	return fmt.Sprintf("The lock is held during %s, which needs no lock: all goroutines that want it queue until that is done too.", and(kinds))
}

func remedy(c *contendedSection, u *lockedWork, loops []Loop) string {
	var ops []string
	for _, op := range u.ordered {
		if len(ops) == listed {
			ops = append(ops, "and more")
			break
		}
		called := symbolname.Short(op.name)
		if op.via != "" {
			called += " in " + symbolname.Short(op.via)
		}
		ops = append(ops, fmt.Sprintf("line %d (%s: %s)", op.line, op.work, called))
	}
	text := fmt.Sprintf("Move out of the critical section: %s. Copy the data it needs into variables under the lock, unlock, then do it.", strings.Join(ops, ", "))
	if c.deferred {
		text += fmt.Sprintf(" The deferred Unlock holds the lock to the end of %s: unlock before line %d, or put the locked part into a function of its own.", c.function.Name, u.ordered[0].line)
	}
	if of := LoopsText(loops); of != "" {
		text += fmt.Sprintf(" The lock also covers other work, %s (of the CPU time under it): if that needs none of the guarded data, do it before Lock or on a copy.", of)
	}
	if slices.ContainsFunc(u.ordered, func(op *operation) bool { return op.work == writes || op.work == logs }) {
		text += " If the lock guards the writer itself, prepare the bytes before Lock and hold it for one Write, or let one goroutine write."
	}
	return text
}

func (f *finder) evidence(c *contendedSection, u *lockedWork) []finding.Evidence {
	s := f.s
	out := []finding.Evidence{{Kind: "mutex", Text: fmt.Sprintf("%s, charged to the unlocking line (%s)", f.waitedFor(&c.delay), lineList(c.unlocked))}}
	if wait, ok := f.waited(c); ok {
		out = append(out, finding.Evidence{Kind: "block", Text: fmt.Sprintf("goroutines waited at this line for %s in %s", quantity.Nanoseconds(float64(wait.DelayNs)), quantity.Plural(int(wait.Count), "wait"))})
	}
	does := "run while it is held"
	var parts []string
	for w := writes; w > cheap; w-- {
		if n := s.CPUSamples(u.heavy[w].Keep()); n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", w, quantity.Percent(float64(n)/float64(s.CPUSamples(u.held.Keep())))))
		}
	}
	if len(parts) > 0 {
		does += ": " + strings.Join(parts, ", ") + " of them"
	}
	out = append(out, s.CPUEvidence(u.held.Keep(), does)...)
	end := "the deferred Unlock runs as the function returns"
	if !c.deferred {
		unlocks := make(map[int]bool)
		for _, u := range c.unlocks {
			unlocks[u.first] = true
		}
		end = "it is unlocked in " + lineList(unlocks)
	}
	return append(out, finding.Evidence{Kind: "source", Text: fmt.Sprintf("%s is held from line %d until %s", c.which.text, c.lock.first, end)})
}

// waited returns what the block profile, which charges the waiter, says of the Lock
// statement.
func (f *finder) waited(c *contendedSection) (all contention.Site, ok bool) {
	s := f.s
	if s.Block == nil {
		return all, false
	}
	count, err := s.Block.TypeIndex("contentions")
	if err != nil {
		return all, false
	}
	own := func(frame *callstack.Frame) bool {
		if !s.Own(frame) {
			return false
		}
		locks, _ := half(s.Program.FuncOf(frame.Function))
		return !locks
	}
	for _, p := range contention.Sites(s.Block.Frames, s.BlockCol, count, s.Block.Keep(hot.Base), own) {
		if p.Kind == contention.Lock && p.File == c.function.File && c.lock.has(p.Line) {
			all.DelayNs += p.DelayNs
			all.Count += p.Count
		}
	}
	return all, all.Count > 0
}

func lineList(set map[int]bool) string {
	noun, out := "lines ", []string(nil)
	for _, l := range slices.Sorted(maps.Keys(set)) {
		out = append(out, fmt.Sprint(l))
	}
	if len(out) == 1 {
		noun = "line "
	}
	return noun + and(out)
}

func and(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}
