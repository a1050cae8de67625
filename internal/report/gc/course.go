package gc

import (
	"math"
	"time"

	"whet/internal/format/gctrace"
	"whet/internal/report/page"
)

// mostSamples bounds the values of a line before it is drawn: of more cycles the least
// and the greatest value of each step are kept.
const mostSamples = 8000

// steps is into how many parts the time is cut for the rate of cycles.
const steps = 120

// line gathers the values of a line.
type line struct {
	x       page.Axis
	samples []page.Sample
	thin    bool
	step    int
	open    bool
	low, up page.Sample
}

func newLine(x page.Axis, n int) *line { return &line{x: x, thin: n > mostSamples} }

func (l *line) add(t int64, v float64) {
	if !l.thin {
		l.samples = append(l.samples, page.Sample{T: t, V: v})
		return
	}
	s := page.Sample{T: t, V: v}
	step := int(l.x.At(t) * mostSamples / 2)
	if l.open && step == l.step {
		if !(v >= l.low.V) {
			l.low = s
		}
		if !(v <= l.up.V) {
			l.up = s
		}
		return
	}
	l.flush()
	l.open, l.step, l.low, l.up = true, step, s, s
}

func (l *line) flush() {
	if !l.open {
		return
	}
	first, second := l.low, l.up
	if second.T < first.T {
		first, second = second, first
	}
	l.samples = append(l.samples, first)
	if first.T != second.T {
		l.samples = append(l.samples, second)
	}
	l.open = false
}

func (l *line) of(class, name string) page.Line {
	l.flush()
	return page.Line{Class: class, Name: name, Samples: l.samples, Whole: true}
}

// timeline draws the charts: of the log's cycles, or of the metrics.
func (p *Page) timeline() *page.Timeline {
	x := page.NewAxis()
	switch {
	case p.Process != nil && p.Process.Cycles.Len() > 0:
		x.Add(p.Result.FromNs)
		x.Add(p.Result.ToNs)
		v := &page.Timeline{Ticks: x.Ticks(), Read: readValues}
		p.draw(v, x)
		return v
	case len(p.Rows) > 1:
		x.Add(p.Rows[0].TimeNs)
		x.Add(p.Rows[len(p.Rows)-1].TimeNs)
		v := &page.Timeline{Ticks: x.Ticks(), Read: readValues}
		p.drawRows(v, x)
		return v
	}
	return nil
}

// readValues is how many values of a line the page carries for the mouse.
const readValues = 240

func (p *Page) draw(v *page.Timeline, x page.Axis) {
	n := p.Process.Cycles.Len()
	of := func() *line { return newLine(x, n) }
	before, after, alive, goal, limit := of(), of(), of(), of(), of()
	pauses, marks := of(), of()
	stops, workers, assists, idle := of(), of(), of(), of()
	rate, forced := make([]float64, steps), make([]float64, steps)
	width := (x.To - x.From) / steps
	ended := int64(x.From)
	for _, c := range p.Process.Cycles.All() {
		at, end := int64(c.At), int64(c.At+c.Wall())
		before.add(at, float64(c.StartBytes))
		after.add(end, float64(c.EndBytes))
		alive.add(end, float64(c.LiveBytes))
		if c.GoalBytes != gctrace.NoGoal {
			goal.add(at, float64(c.GoalBytes))
		} else {
			goal.add(at, math.NaN())
		}
		pauses.add(at, float64(c.Pause()))
		marks.add(at, float64(c.Mark))
		span := float64(max(end, ended)-ended) * float64(c.Procs)
		ended = max(end, ended)
		share := func(ns time.Duration) float64 {
			if span <= 0 {
				return math.NaN()
			}
			return min(float64(ns)/span, 1) * 100
		}
		stops.add(end, share(c.SweepTermCPU+c.MarkTermCPU))
		workers.add(end, share(c.BackgroundCPU))
		assists.add(end, share(c.AssistCPU))
		idle.add(end, share(c.IdleCPU))
		step := min(int(x.At(at)*steps), steps-1)
		rate[step]++
		if c.Forced {
			forced[step]++
		}
	}
	heap := []page.Line{before.of("line-third", "before"), after.of("line-p99", "after"), alive.of("line", "alive"), goal.of("line-max", "goal")}
	if p.Result.LimitBytes > 0 {
		limit.add(int64(x.From), float64(p.Result.LimitBytes))
		limit.add(int64(x.From/2+x.To/2), float64(p.Result.LimitBytes))
		limit.add(int64(x.To), float64(p.Result.LimitBytes))
		heap = append(heap, limit.of("line-bad", "limit"))
	}
	v.Draw("heap", "bytes", "at each cycle", "high", false, x, heap)
	v.Draw("collector", "% of processors", "since the cycle before", "high", false, x, []page.Line{
		workers.of("line", "workers"), assists.of("line-bad", "assists"), stops.of("line-p99", "stops"), idle.of("line-max", "idle processors"),
	})
	v.Draw("pauses", "nanoseconds", "both stops of a cycle", "low", false, x, []page.Line{pauses.of("line", "")})
	v.Draw("marking", "nanoseconds", "the program runs on", "low", false, x, []page.Line{marks.of("line", "")})
	if width > 0 && n >= steps/10 {
		cycles, asked := newLine(x, 0), newLine(x, 0)
		any := false
		for i := range rate {
			at := int64(x.From + (float64(i)+0.5)*width)
			cycles.add(at, rate[i]*1e9/width)
			asked.add(at, forced[i]*1e9/width)
			any = any || forced[i] > 0
		}
		lines := []page.Line{cycles.of("line", "all")}
		if any {
			lines = append(lines, asked.of("line-bad", "forced"))
		}
		v.Draw("cycles", "per second", "", "low", false, x, lines)
	}
}

// drawRows draws the metrics.
func (p *Page) drawRows(v *page.Timeline, x page.Axis) {
	of := func() *line { return newLine(x, len(p.Rows)) }
	objects, goal, resident, rate, forced, taken, assists := of(), of(), of(), of(), of(), of(), of()
	known := func(n *int64) float64 {
		if n == nil {
			return math.NaN()
		}
		return float64(*n)
	}
	for i := range p.Rows {
		r := &p.Rows[i]
		objects.add(r.TimeNs, known(r.HeapLiveBytes))
		goal.add(r.TimeNs, known(r.HeapGoalBytes))
		resident.add(r.TimeNs, known(r.RSSBytes))
		if i == 0 {
			continue
		}
		b := &p.Rows[i-1]
		d := float64(r.TimeNs - b.TimeNs)
		if d <= 0 {
			continue
		}
		rate.add(r.TimeNs, max(known(r.GCCycles)-known(b.GCCycles), 0)*1e9/d)
		forced.add(r.TimeNs, max(known(r.GCForced)-known(b.GCForced), 0)*1e9/d)
		procs := float64(max(p.Result.Procs, 1))
		taken.add(r.TimeNs, max(known(r.GCCPUNs)-known(r.GCIdleNs)-known(b.GCCPUNs)+known(b.GCIdleNs), 0)/d/procs*100)
		assists.add(r.TimeNs, max(known(r.GCAssistNs)-known(b.GCAssistNs), 0)/d/procs*100)
	}
	v.Draw("heap", "bytes", "", "high", false, x, []page.Line{objects.of("line", "objects"), goal.of("line-max", "goal"), resident.of("line-p99", "resident")})
	v.Draw("collector", "% of processors", "", "high", false, x, []page.Line{taken.of("line", "all"), assists.of("line-bad", "assists")})
	v.Draw("cycles", "per second", "", "low", false, x, []page.Line{rate.of("line", "all"), forced.of("line-bad", "forced")})
}
