package wall

import (
	"fmt"
	"math"
	"time"

	"whet/internal/callstack"
)

// Window is a part of a trace: a time of it, whose end is 0 for the trace's, and the
// only goroutines that count, none for all.
type Window struct {
	FromNs, ToNs int64
	Goroutines   []int64
}

// Profile reads one trace for the profile of a part of it (see [Result]). Intervals
// over an edge are cut there; the state of a goroutine, and its handler, come from the
// whole trace. It also returns warnings.
func Profile(t Trace, w Window) (*callstack.Frames, []string, error) {
	if w.ToNs == 0 {
		w.ToNs = math.MaxInt64
	}
	a := newAnalysis()
	a.window = &w
	if len(w.Goroutines) > 0 {
		a.only = make(map[int64]bool)
		for _, id := range w.Goroutines {
			a.only[id] = true
		}
	}
	summary, err := a.read(t)
	switch end := time.Duration(summary.EndNs); {
	case err != nil:
		return nil, nil, fmt.Errorf("analyze wall-clock time: %s: %w", t.Name, err)
	case summary.EndNs < w.FromNs:
		return nil, nil, fmt.Errorf("%s: the execution trace ends at %v, before the window begins", t.Name, end)
	}
	a.result.CoveredNs = min(summary.EndNs, w.ToNs) - w.FromNs
	a.whole, a.cut = 0, 0 // of the whole trace
	a.builder.Profile().TimeNanos = summary.WallNs
	for _, text := range summary.Warnings {
		a.warn(t.Name, text)
	}
	a.conclude()
	if a.only != nil && a.result.Profile.Len() == 0 {
		return nil, nil, fmt.Errorf("%s: no goroutine %d in the trace, or in its window", t.Name, w.Goroutines[0])
	}
	return a.result.Profile, a.result.Warnings, nil
}

// within reports that a moment counts.
func (a *analysis) within(ns int64) bool {
	return a.window == nil || ns >= a.window.FromNs && ns <= a.window.ToNs
}

// counts returns how much of a goroutine's interval counts, and whether it does at all.
func (a *analysis) counts(g *goroutine, from, to int64) (int64, bool) {
	if a.window == nil {
		return to - from, true
	}
	from, to = max(from, a.window.FromNs), min(to, a.window.ToNs)
	return to - from, to > from && (a.only == nil || a.only[g.id])
}
