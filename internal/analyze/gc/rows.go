package gc

import (
	"fmt"

	"whet/internal/analyze/events"
	"whet/internal/format/metrics"
	"whet/internal/quantity"
)

// OfRows returns the result for the collector of a process from its metrics, with procs
// processors; 0: unknown. If the process restarted it is that of the last life. Metrics
// have no single cycles: the live heap after one, single pauses and stops are unknown,
// and marking by idle processors is part of Background.
func OfRows(rows []metrics.Row, procs int) *Result {
	lives := metrics.Split(rows)
	r := &Result{Procs: procs}
	if len(lives) == 0 {
		return r
	}
	rows = lives[len(lives)-1]
	a, b := &rows[0], &rows[len(rows)-1]
	r.FromNs, r.ToNs = a.TimeNs, b.TimeNs
	rise := func(before, after *int64) int64 {
		if before == nil || after == nil {
			return 0
		}
		return max(*after-*before, 0)
	}
	r.Cycles, r.Forced = int(rise(a.GCCycles, b.GCCycles)), int(rise(a.GCForced, b.GCForced))
	r.AllocatedBytes = rise(a.AllocBytes, b.AllocBytes)
	r.PausedNs = rise(a.GCPauseNs, b.GCPauseNs)
	if a.GCCPUNs != nil && b.GCCPUNs != nil && a.GCIdleNs != nil && b.GCIdleNs != nil {
		r.ProcessorNs = float64(procs) * float64(r.SpanNs())
		r.CPU.Assist, r.CPU.Idle = rise(a.GCAssistNs, b.GCAssistNs), rise(a.GCIdleNs, b.GCIdleNs)
		r.CPU.Background = max(rise(a.GCCPUNs, b.GCCPUNs)-r.CPU.Assist-r.CPU.Idle, 0)
	}
	goals, objects := make(sizes), make(sizes)
	for i := range rows {
		row := &rows[i]
		if row.HeapGoalBytes != nil {
			goals.add(*row.HeapGoalBytes)
		}
		if row.HeapLiveBytes != nil {
			objects.add(*row.HeapLiveBytes)
			if *row.HeapLiveBytes > r.PeakBytes {
				r.PeakBytes, r.PeakAtNs = *row.HeapLiveBytes, row.TimeNs
			}
		}
	}
	r.Goal, r.Objects = goals.ranges(), objects.ranges()
	// The heap is at its least just after a cycle.
	w := &watch{rooms: sizes{max(r.Goal.Median-r.Objects.Least, 1<<20) >> 20: 1}}
	for _, e := range events.Find(events.Input{Rows: rows}) {
		if e.Kind == events.Heap {
			r.Conclusions = append(r.Conclusions, growing(e, fmt.Sprintf("%s of objects at the start, %s at the end", sizeOf(a.HeapLiveBytes), sizeOf(b.HeapLiveBytes))))
		}
	}
	for _, one := range []*Conclusion{assists(r), w.manyCycles(r)} {
		if one != nil {
			r.Conclusions = append(r.Conclusions, *one)
		}
	}
	if c := w.forced(r); c != nil {
		c.Evidence, c.FromNs, c.ToNs = nil, r.FromNs, r.ToNs // the metrics do not say which
		r.Conclusions = append(r.Conclusions, *c)
	}
	return r
}

func sizeOf(v *int64) string {
	if v == nil {
		return "an unknown amount"
	}
	return quantity.Bytes(float64(*v))
}
