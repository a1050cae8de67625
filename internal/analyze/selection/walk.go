package selection

import "whet/internal/callstack"

// Walk goes through the samples that are left, in the profile's order. Samples
// whose Value and Divisor are zero are left out, as pprof leaves them out.
type Walk struct {
	// Path is the sample's stack, root first. Next changes only what stands
	// behind the first Shared steps: those are the steps of the sample before.
	Path           []Step
	Shared         int
	Value, Divisor int64 // the Divisor is 0 without Options.Mean

	s      *Selection
	c      *callstack.Cursor
	buffer []Step
	levels []int32 // steps up to the location at a depth
	fresh  int     // locations at the root end for which levels holds
	valid  int     // steps at the root end that are as in Path
}

// Walk returns a walk over all samples. Walks are independent of each other.
func (s *Selection) Walk() *Walk {
	return &Walk{s: s, c: s.profile.Cursor(s.columns...), levels: make([]int32, 1)}
}

// Next goes to the next sample and reports whether there is one.
func (w *Walk) Next() bool {
	if !w.c.Next() {
		return false
	}
	w.fresh = min(w.fresh, w.c.Shared)
	at := w.levels[w.fresh]
	w.valid = min(w.valid, int(at))
	w.buffer = w.buffer[:at]
	w.levels = w.levels[:w.fresh+1]
	for _, id := range w.c.Path[w.fresh:] {
		l := &w.s.places[id]
		w.buffer = append(w.buffer, w.s.steps[l.first:l.end]...)
		w.levels = append(w.levels, int32(len(w.buffer)))
	}
	w.fresh = len(w.c.Path)
	w.Shared = min(w.valid, len(w.Path))
	w.Path = w.buffer
	w.valid = len(w.Path)
	w.Value = w.c.Value(0)
	if len(w.s.columns) > 1 {
		w.Divisor = w.c.Value(1)
	}
	return true
}

// Labels returns the sample's labels that are to be shown. The label
// pprof::base=true, which marks the samples of a DiffBase, is among them.
func (w *Walk) Labels() []callstack.Label { return w.s.profile.Labels(w.c.LabelSet()) }

// Source returns which of the sources the sample comes from: of several with
// one role, the first.
func (w *Walk) Source() int { return 0 }

// Sample returns the sample's number in Selection.Profile.
func (w *Walk) Sample() int { return w.c.Index() }
