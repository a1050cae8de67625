package read

import (
	"math"

	"whet/internal/analyze/events"
	"whet/internal/format/metrics"
	"whet/internal/loadresult"
	"whet/internal/quantity"
	runreport "whet/internal/report/run"
)

func percent(part, whole int64) string {
	if whole <= 0 {
		return quantity.Percent(0)
	}
	return quantity.Percent(float64(part) / float64(whole))
}

// series returns the metrics that a page draws over time.
func (c *course) series() []runreport.Series {
	var out []runreport.Series
	add := func(name, unit string, value func(before, row *metrics.Row) float64) {
		s := runreport.Series{Benchmark: c.benchmark, Name: name, Unit: unit}
		known := false
		for i := range c.rows {
			row := &c.rows[i]
			v := math.NaN()
			if i > 0 && c.rows[i-1].PID == row.PID {
				v = value(&c.rows[i-1], row)
			}
			known = known || !math.IsNaN(v)
			s.TimeNs, s.Value = append(s.TimeNs, row.TimeNs), append(s.Value, v)
		}
		if known {
			out = append(out, s)
		}
	}
	state := func(of func(*metrics.Row) *int64) func(_, row *metrics.Row) float64 {
		return func(_, row *metrics.Row) float64 { return known(of(row)) }
	}
	rate := func(of func(*metrics.Row) *int64, scale float64) func(before, row *metrics.Row) float64 {
		return func(before, row *metrics.Row) float64 {
			d := known(of(row)) - known(of(before))
			if row.TimeNs <= before.TimeNs || d < 0 {
				return math.NaN()
			}
			return d * scale / float64(row.TimeNs-before.TimeNs)
		}
	}
	add("CPU", "cores", func(before, row *metrics.Row) float64 {
		return rate(func(r *metrics.Row) *int64 { return r.UserCPUNs }, 1)(before, row) + rate(func(r *metrics.Row) *int64 { return r.SystemCPUNs }, 1)(before, row)
	})
	// The heap with its goal, and what the collector found alive.
	heap := len(out)
	add("heap objects", "bytes", state(func(r *metrics.Row) *int64 { return r.HeapLiveBytes }))
	add("heap goal", "bytes", state(func(r *metrics.Row) *int64 { return r.HeapGoalBytes }))
	if alive := c.alive(); len(alive.TimeNs) > 0 && len(out) > heap {
		out = append(out, alive)
	}
	if len(out) > heap+1 {
		for i := range out[heap:] {
			s := &out[heap+i]
			s.Chart, s.Line = "heap", map[string]string{"heap objects": "objects", "heap goal": "goal"}[s.Name]
			if s.Line == "" {
				s.Line = s.Name
			}
		}
	}
	add("collections", "per second", rate(func(r *metrics.Row) *int64 { return r.GCCycles }, 1e9))
	add("resident memory", "bytes", state(func(r *metrics.Row) *int64 { return r.RSSBytes }))
	add("allocated", "bytes per second", rate(func(r *metrics.Row) *int64 { return r.AllocBytes }, 1e9))
	add("goroutines", "count", state(func(r *metrics.Row) *int64 { return r.Goroutines }))
	add("waiting for a processor", "count", state(func(r *metrics.Row) *int64 { return r.Runnable }))
	add("waiting for locks", "goroutines", rate(func(r *metrics.Row) *int64 { return r.MutexWaitNs }, 1))
	return out
}

// alive returns what the collector found alive at the end of each cycle.
func (c *course) alive() runreport.Series {
	s := runreport.Series{Benchmark: c.benchmark, Name: "alive after cycles", Unit: "bytes", Apart: true}
	for i := range c.gc {
		cycle := &c.gc[i]
		s.TimeNs, s.Value = append(s.TimeNs, int64(cycle.At+cycle.Wall())), append(s.Value, float64(cycle.LiveBytes))
	}
	return s
}

func known(v *int64) float64 {
	if v == nil {
		return math.NaN()
	}
	return float64(*v)
}

// findEvents looks for events in what the page is about: what whet does itself
// before and after, as asking for a collection, is none. Runs of a program are
// looked at one by one.
func (c *course) findEvents(a *Reading) {
	if a.program != nil {
		for _, run := range a.program.Runs {
			c.events = append(c.events, events.Find(c.between(run.StartNs, run.EndNs))...)
		}
		return
	}
	in := c.between(c.start, c.end)
	in.Load = events.Span{StartNs: c.start, EndNs: c.end}
	if a.service != nil { // a recording from elsewhere may lack it
		for _, span := range a.service.OwnGC {
			in.OwnGC = append(in.OwnGC, events.Span(span))
		}
	}
	if c.load != nil {
		for _, s := range c.run.Result.Seconds {
			in.Seconds = append(in.Seconds, events.Second{StartNs: c.load.TimeNs(&s), LengthNs: int64(s.Length), Requests: s.Requests, Errors: s.Errors})
		}
		in.Answers, in.BinNs = c.run.Result.Answers, int64(loadresult.Bin)
	}
	c.events = events.Find(in)
}

// between returns what was seen of the target itself from start to end.
func (c *course) between(start, end int64) events.Input {
	var in events.Input
	for _, row := range c.rows {
		if row.TimeNs >= start && row.TimeNs <= end {
			in.Rows = append(in.Rows, row)
		}
	}
	// An agent ends its rows, then collects once before it writes the heap:
	// that cycle is not the program's.
	if n := len(in.Rows); n > 0 {
		end = min(end, in.Rows[n-1].TimeNs)
	}
	for _, cycle := range c.gc {
		if at := int64(cycle.At); at >= start && at <= end {
			in.Cycles = append(in.Cycles, cycle)
		}
	}
	return in
}
