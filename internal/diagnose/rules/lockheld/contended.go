package lockheld

import (
	"fmt"
	"slices"

	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/finding"
	"whet/internal/quantity"
)

// Lock is a contended lock, for rules about the waiting itself.
type Lock struct {
	Place diagnose.Location // of the Lock statement; of Inside, where the user's own code calls
	Delay diagnose.Set      // samples of the mutex profile
	// Name is the locked expression, "" where no critical section was found.
	Name string
	// Inside is the library function that holds the lock, "" if the user's
	// own does.
	Inside string
	Read   bool                // RLock
	Held   []diagnose.Location // lines, nil without a section
	Under  diagnose.Set        // base samples of the CPU profile while it is held
	Loops  []Loop              // that run then, the longest first
	// Evidence gives the waiting time, and the work under the lock.
	Evidence []finding.Evidence
}

// Locks returns the contended locks, those with a critical section
// first. Those that workers hold while they wait for their next job are left out:
// goroutines that wait for them have no work either.
func Locks(s *diagnose.Subject) (out []Lock) {
	f := newFinder(s)
	for _, c := range f.order {
		if !c.waits {
			u := f.under(c)
			out = append(out, Lock{Place: c.place(), Delay: c.delay, Name: c.which.text, Read: c.read, Held: c.places(), Under: u.held, Loops: f.loops(c, u), Evidence: f.evidence(c, u)})
		}
	}
	for _, l := range f.rest {
		l.Evidence = []finding.Evidence{{Kind: "mutex", Text: f.waitedFor(&l.Delay)}}
		out = append(out, *l)
	}
	return out
}

// leave puts a wait without a section to the innermost line of the user's own
// code. The frames begin above those that unlock.
func (f *finder) leave(sample int, frames []callstack.FrameID) {
	at := slices.IndexFunc(frames, func(id callstack.FrameID) bool { return f.s.Own(f.s.Mutex.Frame(id)) })
	if at < 0 {
		return
	}
	frame := f.s.Mutex.Frame(frames[at])
	st := f.s.Statement(frame.File, frame.Line)
	p := st.Place(frame.Function)
	i := slices.IndexFunc(f.rest, func(l *Lock) bool { return l.Place == p })
	if i < 0 {
		i = len(f.rest)
		f.rest = append(f.rest, &Lock{Place: p})
	}
	if at > 0 {
		f.rest[i].Inside = f.s.Mutex.Frame(frames[0]).Function
	}
	f.rest[i].Delay.Add(sample)
}

// waitedFor returns a sentence on how long others waited for a lock.
func (f *finder) waitedFor(delayed *diagnose.Set) string {
	s := f.s
	delay := s.Mutex.Sum(s.MutexCol, delayed.Has)
	text := fmt.Sprintf("other goroutines waited %s for this lock", quantity.Nanoseconds(float64(delay)))
	if col, err := s.Mutex.TypeIndex("contentions"); err == nil {
		text += " in " + quantity.Plural(int(s.Mutex.Sum(col, delayed.Has)), "wait")
	}
	if s.MutexIterations > 0 {
		text += fmt.Sprintf(", %s for each %s", quantity.Nanoseconds(float64(delay)/float64(s.MutexIterations)), s.Iteration())
	}
	if s.Procs > 0 {
		text += ", on " + quantity.Plural(s.Procs, "processor")
	}
	return text
}
