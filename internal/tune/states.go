package tune

import (
	"cmp"
	"slices"

	"whet/internal/analyze/events"
	"whet/internal/diagnose"
	"whet/internal/recording"
)

// addStates gives a subject the profiles of moments, and the course of what
// they count, of one benchmark or "" of a run.
func (a *analysis) addStates(s *diagnose.Subject, benchmark string) {
	s.Goroutines = a.snapshots(recording.KindGoroutine, benchmark, "goroutine")
	// Of a service the heap profiles are those before and after the load, each
	// behind a collection; they stand in the allocs profiles.
	kind := recording.KindHeap
	if a.rec.Service != nil {
		kind = recording.KindAllocs
	}
	s.Heap = a.snapshots(kind, benchmark, "inuse_space")
	if leaked := a.snapshots(recording.KindLeaked, benchmark, "goroutineleak"); len(leaked) > 0 {
		s.Proven = &leaked[len(leaked)-1]
	}
	i := slices.IndexFunc(a.courses, func(c *course) bool { return c.benchmark == benchmark })
	if i < 0 {
		return
	}
	c := a.courses[i]
	in := c.between(c.start, c.end)
	switch {
	case a.rec.Service != nil:
		in = c.between(0, c.end)
		in.Load = events.Span{StartNs: c.start, EndNs: c.end}
	case a.rec.Program != nil && len(a.rec.Program.Runs) > 0:
		runs := a.rec.Program.Runs
		last := runs[len(runs)-1]
		in = c.between(last.StartNs, last.EndNs)
	}
	s.GoroutineCount = diagnose.Rise(events.GoroutineCourse(in))
	s.LiveHeap = diagnose.Rise(events.HeapCourse(in))
}

// snapshots reads profiles of moments in the order of time. Of those that count
// on, the difference is of no moment.
func (a *analysis) snapshots(kind, benchmark, column string) []diagnose.Snapshot {
	var out []diagnose.Snapshot
	for _, artifact := range a.rec.Artifacts {
		if artifact.Kind != kind || artifact.Benchmark != benchmark || kind == recording.KindAllocs && artifact.Part == "" {
			continue
		}
		p, err := a.readProfile(artifact)
		if err != nil {
			a.warn("%v", err)
			continue
		}
		col, err := p.TypeIndex(column)
		if err != nil {
			a.warn("%s: %v", artifact.Path, err)
			continue
		}
		// What was taken at one moment ended then; cumulative ones began with
		// the process.
		out = append(out, diagnose.Snapshot{AtNs: artifact.EndNs, Classified: a.classify(p), Column: col})
	}
	slices.SortStableFunc(out, func(x, y diagnose.Snapshot) int { return cmp.Compare(x.AtNs, y.AtNs) })
	return out
}
