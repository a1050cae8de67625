package load

import (
	"math"
	"slices"
	"strconv"

	"whet/internal/loadresult"
	"whet/internal/quantity"
	"whet/internal/report/page"
)

// readSamples is how many values of a line the page carries beside its drawing:
// all of a load of twelve minutes.
const readSamples = 720

// timeline draws what happened in each second. A single run has its
// quantiles in one chart; of several each quantile has one, with a line a run. A
// line takes two seconds: where no run is that long there is nothing to draw.
func timeline(runs []Run) *page.Timeline {
	x := page.NewAxis()
	if !slices.ContainsFunc(runs, func(run Run) bool { return len(run.Result.Seconds) > 1 }) {
		return nil
	}
	for i := range runs {
		r := runs[i].Result
		for k := range r.Seconds {
			at := int64(r.Seconds[k].Start.Sub(r.Start))
			x.Add(at)
			x.Add(at + int64(r.Seconds[k].Length))
		}
	}
	if !(x.To > x.From) {
		return nil
	}
	v := &page.Timeline{Ticks: x.Ticks(), Read: readSamples}
	if len(runs) == 1 {
		drawRun(v, &runs[0], x)
		return v
	}
	var rate, failed []page.Line
	var p50, p99, most []page.Line
	errors := false
	for i := range runs {
		run := &runs[i]
		c := linesOf(run.Result)
		line := func(samples []page.Sample) page.Line {
			return page.Line{Class: runClass(i), Name: run.name(i), Samples: samples}
		}
		rate, failed = append(rate, line(c.answered)), append(failed, line(c.failed))
		p50, p99, most = append(p50, line(c.p50)), append(p99, line(c.p99)), append(most, line(c.most))
		errors = errors || run.Result.Failed() > 0
	}
	v.Draw("answers", "per second", "each second", "high", false, x, rate)
	if errors {
		v.Draw("errors", "per second", "", "low", false, x, failed)
	}
	v.Draw("p50", "nanoseconds", "of each second's times, logarithmic", "high", true, x, p50)
	v.Draw("p99", "nanoseconds", "logarithmic", "high", true, x, p99)
	v.Draw("longest", "nanoseconds", "logarithmic", "high", true, x, most)
	return v
}

// drawRun draws a single run.
func drawRun(v *page.Timeline, run *Run, x page.Axis) {
	r := run.Result
	c := linesOf(r)
	_, name := times(r)
	lines := []page.Line{{Class: "run1", Name: "answered", Samples: c.answered}}
	if r.Open {
		lines = append([]page.Line{{Class: "plan", Name: "planned", Samples: c.due}}, lines...)
	}
	if r.Failed() > 0 {
		lines = append(lines, page.Line{Class: "line-bad", Name: "failed", Samples: c.failed})
	}
	v.Draw("requests", "per second", "each second", "high", false, x, lines)
	v.Draw(name, "nanoseconds", "each second, logarithmic", "high", true, x, []page.Line{
		{Class: "line-max", Name: "max", Samples: c.most}, {Class: "line-p99", Name: "p99", Samples: c.p99}, {Class: "run1", Name: "p50", Samples: c.p50},
	})
	if due, inTime := planned(r); r.Open && inTime < due {
		v.Draw("sent late", "count", "after their second", "low", false, x, []page.Line{{Class: "line-bad", Name: "", Samples: c.behind}})
	}
}

// loadLines are a run's seconds as lines.
type loadLines struct{ answered, failed, due, behind, p50, p99, most []page.Sample }

func linesOf(r *loadresult.Result) loadLines {
	var c loadLines
	for i := range r.Seconds {
		s := &r.Seconds[i]
		at := int64(s.Start.Sub(r.Start) + s.Length/2)
		add := func(to *[]page.Sample, v float64) { *to = append(*to, page.Sample{T: at, V: v}) }
		add(&c.answered, rateOf(s, s.Came()))
		add(&c.failed, rateOf(s, s.Errors))
		add(&c.due, rateOf(s, s.Due))
		add(&c.behind, float64(s.Due-s.InTime))
		q := loadresult.Quantiles{P50: s.P50, P99: s.P99, Max: s.Max}
		if r.Open {
			q = s.Response
		}
		time := func(ns int64) float64 {
			if ns <= 0 { // no request ended
				return math.NaN()
			}
			return float64(ns)
		}
		add(&c.p50, time(int64(q.P50)))
		add(&c.p99, time(int64(q.P99)))
		add(&c.most, time(int64(q.Max)))
	}
	return c
}

// rateOf returns a count of a second by its length.
func rateOf(s *loadresult.Second, n int64) float64 {
	if s.Length <= 0 {
		return math.NaN()
	}
	return float64(n) / s.Length.Seconds()
}

func newSecondsView(name string, r *loadresult.Result) secondsView {
	v := secondsView{Run: name, Columns: []string{"from", "answers/s", "errors/s"}, More: page.More(len(r.Seconds), loadSeconds)}
	if r.Open {
		v.Columns = append(v.Columns, "due", "sent in it", "response p50", "p99", "max")
	}
	v.Columns = append(v.Columns, "service p50", "p99", "max")
	for i := range r.Seconds[:min(len(r.Seconds), loadSeconds)] {
		s := &r.Seconds[i]
		row := []string{
			strconv.FormatFloat(s.Start.Sub(r.Start).Seconds(), 'f', -1, 64) + " s",
			quantity.Count(rateOf(s, s.Came())), quantity.Count(rateOf(s, s.Errors)),
		}
		if r.Open {
			row = append(row, quantity.Count(float64(s.Due)), quantity.Count(float64(s.InTime)),
				page.Answered(int64(s.Response.P50)), page.Answered(int64(s.Response.P99)), page.Answered(int64(s.Response.Max)))
		}
		v.Rows = append(v.Rows, append(row, page.Answered(int64(s.P50)), page.Answered(int64(s.P99)), page.Answered(int64(s.Max))))
	}
	return v
}
