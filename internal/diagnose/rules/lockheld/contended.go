package lockheld

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/finding"
	"whet/internal/quantity"
)

// Lock is a lock that others waited for, for rules about the waiting itself.
type Lock struct {
	Place diagnose.Place // of the Lock statement; of Inside, where the user's own code calls
	Delay diagnose.Set   // samples of the mutex profile
	// Name is the locked expression, "" where no critical section was found.
	Name string
	// Inside is the function of somebody else's that holds the lock, "" where
	// the user's own does.
	Inside string
	Read   bool             // RLock
	Held   []diagnose.Place // lines, nil without a section
	Under  diagnose.Set     // base samples of the CPU profile while it is held
	// Evidence says how long others waited, and what ran meanwhile.
	Evidence []finding.Evidence
}

// Locks returns the locks that others waited for, in the order of the source.
// Those that workers hold while they wait for their next job are left out: who
// waits for them has nothing to do either.
func Locks(s *diagnose.Subject) (out []Lock) {
	f := newFinder(s)
	for _, c := range f.order {
		if c.waits {
			continue
		}
		under := f.under(c)
		out = append(out, Lock{Place: c.place(), Delay: c.delay, Name: c.which.text, Read: c.read, Held: c.places(), Under: under.held, Evidence: f.evidence(c, under)})
	}
	places := slices.SortedFunc(maps.Keys(f.rest), func(a, b diagnose.Place) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Function, b.Function))
	})
	for _, p := range places {
		u := f.rest[p]
		out = append(out, Lock{Place: p, Delay: u.delay, Inside: u.inside, Evidence: []finding.Evidence{{Kind: "mutex", Text: f.waitedFor(u.delay.Keep())}}})
	}
	return out
}

// unplaced are waits whose critical section is not in the source at hand.
type unplaced struct {
	inside string
	delay  diagnose.Set
}

// leave puts a wait without a section to the innermost line of the user's own
// code. The frames begin above those that unlock.
func (f *finder) leave(sample int, frames []callstack.FrameID) {
	for i, id := range frames {
		frame := f.s.Mutex.Frame(id)
		if !f.s.Own(frame) {
			continue
		}
		st := f.s.Statement(frame.File, frame.Line)
		p := st.Place(frame.Function)
		u := f.rest[p]
		if u == nil {
			u = &unplaced{}
			f.rest[p] = u
		}
		if i > 0 {
			u.inside = f.s.Mutex.Frame(frames[0]).Function
		}
		u.delay.Add(sample)
		return
	}
}

// waitedFor is a sentence on how long others waited for a lock.
func (f *finder) waitedFor(keep diagnose.Keep) string {
	s := f.s
	delay := sum(s.Mutex, s.MutexCol, keep)
	text := fmt.Sprintf("others waited %s for this lock", quantity.Nanoseconds(float64(delay)))
	if col, err := s.Mutex.TypeIndex("contentions"); err == nil {
		text += " in " + quantity.Plural(int(sum(s.Mutex, col, keep)), "wait")
	}
	if s.MutexIterations > 0 {
		text += fmt.Sprintf(", %s for each %s", quantity.Nanoseconds(float64(delay)/float64(s.MutexIterations)), s.Iteration())
	}
	if s.Procs > 0 {
		text += ", on " + quantity.Plural(s.Procs, "processor")
	}
	return text
}
