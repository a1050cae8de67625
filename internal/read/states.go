package read

import (
	"cmp"
	"slices"

	"whet/internal/analyze/events"
	"whet/internal/diagnose"
	"whet/internal/format/metrics"
	"whet/internal/recording"
)

// addStates gives a subject the profiles of moments, and the course of what
// they count, of one benchmark or "" of a run.
func (a *Reading) addStates(s *diagnose.Subject, benchmark string) {
	s.Goroutines = a.snapshots(recording.KindGoroutine, benchmark, "goroutine")
	// Of a service the heap profiles are those before and after the load, each
	// after a collection; they stand in the allocs profiles.
	kind := recording.KindHeap
	if a.service != nil {
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
	case a.service != nil:
		in = c.between(0, c.end)
		in.Load = events.Span{StartNs: c.start, EndNs: c.end}
	case a.program != nil && len(a.program.Runs) > 0:
		runs := a.program.Runs
		last := runs[len(runs)-1]
		in = c.between(last.StartNs, last.EndNs)
	}
	s.LiveHeap = diagnose.Rise(events.HeapCourse(in))
	course := events.GoroutineCourse(in)
	if n := len(s.Goroutines); a.service != nil && !course.Known && n > 0 {
		in.Rows = withCounts(in.Rows, s.Goroutines)
		in.Load.EndNs = max(in.Load.EndNs, s.Goroutines[n-1].AtNs+1) // a target that is slow to answer does so after the load
		course = events.GoroutineCourse(in)
	}
	s.GoroutineCount = diagnose.Rise(course)
}

// snapshots reads profiles of moments in the order of time. Of those that count
// on, the difference is of no moment.
func (a *Reading) snapshots(kind, benchmark, column string) []diagnose.Snapshot {
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
		at := artifact.StartNs // writing many goroutines down takes its time
		if kind == recording.KindAllocs {
			at = artifact.EndNs // it began with the process
		}
		out = append(out, diagnose.Snapshot{AtNs: at, Classified: a.classify(p), Column: col})
	}
	slices.SortStableFunc(out, func(x, y diagnose.Snapshot) int { return cmp.Compare(x.AtNs, y.AtNs) })
	return out
}

// withCounts adds to rows how many goroutines the profiles of them hold: of a
// target that is polled there may be hardly another row.
func withCounts(rows []metrics.Row, snapshots []diagnose.Snapshot) []metrics.Row {
	out := slices.Clone(rows)
	for i := range snapshots {
		n := snapshots[i].Total(snapshots[i].Column)
		out = append(out, metrics.Row{TimeNs: snapshots[i].AtNs, Goroutines: &n})
	}
	slices.SortStableFunc(out, func(a, b metrics.Row) int { return cmp.Compare(a.TimeNs, b.TimeNs) })
	return out
}
