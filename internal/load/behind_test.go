package load

import (
	"strings"
	"testing"
	"time"

	"whet/internal/load/engine"
	"whet/internal/load/record"
	"whet/internal/schedule"
)

// A service that takes 500 a second, one each 2 ms, and a plan that goes up to
// 1,000/s by 30/s each second. At 13.3 s as much is due as it takes; the fifteenth
// second is the first in which 95 % of what is due, 0.95 · 535, are more. A service
// that is slow and not behind, with a second for each answer and no end of clients,
// is never said to be.
func TestFellBehind(t *testing.T) {
	for _, c := range []struct {
		name   string
		plan   schedule.Schedule
		took   time.Duration
		many   bool // requests at a time
		warmup time.Duration
		length time.Duration
		want   string // "": nothing is said
	}{
		{"ramp", schedule.Ramp(100, 1000, 30*time.Second), 2 * time.Millisecond, false, 0, 30 * time.Second, "at 520 a second, 14s after the start"},
		{"ramp after a warm-up", schedule.Ramp(100, 1000, 30*time.Second), 2 * time.Millisecond, false, 5 * time.Second, 30 * time.Second, "at 520 a second, 14s after the start"},
		{"at random", schedule.Ramp(100, 1000, 30*time.Second).Poisson(3), 2 * time.Millisecond, false, 0, 30 * time.Second, "s after the start: in each second"},
		{"steps", schedule.Steps([]schedule.Step{{Rate: 200, For: 10 * time.Second}, {Rate: 600, For: 20 * time.Second}}), 2 * time.Millisecond, false, 0, 30 * time.Second, "at 600 a second, 10s after"},
		{"caught up", schedule.Steps([]schedule.Step{{Rate: 600, For: time.Second}, {Rate: 100, For: 29 * time.Second}}), 2 * time.Millisecond, false, 0, 30 * time.Second, ""},
		{"slow", schedule.Ramp(100, 5000, 30*time.Second), time.Second, true, 0, 30 * time.Second, ""},
		{"slow, a few", schedule.Ramp(1, 5, 30*time.Second), time.Second, true, 0, 30 * time.Second, ""},
		{"slow and short, after a warm-up", schedule.Ramp(1000, 2000, time.Second), 100 * time.Millisecond, true, time.Second, time.Second, ""},
		{"constant", schedule.Constant(600), 2 * time.Millisecond, false, 0, 30 * time.Second, ""},
	} {
		r := record.New(record.Plan{Origin: epoch, Warmup: c.warmup, Duration: c.length, Open: true})
		s := r.Shard()
		led := c.plan.Led(c.warmup)
		a := led.Arrivals(0, 1)
		var free int64
		for due := a.Next(); due < c.warmup+c.length; due = a.Next() {
			o := record.Outcome{Due: int64(due), Free: free, Sent: int64(due), Status: 200}
			if !c.many {
				o.Sent = max(int64(due), free)
			}
			o.End = o.Sent + int64(c.took)
			free = o.End
			s.Record(&o)
		}
		res := r.Finish(max(free, int64(c.warmup+c.length)), false)
		o := &Options{Schedule: c.plan}
		w := &warner{res: res, options: o, job: &engine.Job{Arrivals: led}}
		w.fellBehind()
		if got := strings.Join(res.Warnings, "\n"); !strings.Contains(got, c.want) || (c.want == "") != (got == "") {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		res.Warnings, res.Invalid = nil, "the generator was the bottleneck"
		if w.fellBehind(); len(res.Warnings) > 0 {
			t.Errorf("%s: %q of a load that is not valid", c.name, res.Warnings)
		}
	}
}
