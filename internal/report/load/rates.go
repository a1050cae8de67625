package load

import (
	"fmt"
	"math"
	"slices"
	"time"

	"whet/internal/document"
	"whet/internal/loadresult"
	"whet/internal/quantity"
	"whet/internal/report/page"
	"whet/internal/schedule"
)

// rateSegment is a part of an open loop whose rate changes: whole seconds on end
// of one planned rate, or some of a ramp.
type rateSegment struct {
	from, to time.Duration // since the start
	planned  float64       // arrivals a second, on average
	answered float64       // a second
	errors   float64       // share of the requests that ended in it
	ended    int64         // of which errors are a share
	// Response times of what ended in it: p50 and p99 are those of the second in
	// which they were longest, for quantiles of seconds do not add up.
	times   loadresult.Quantiles
	lagging bool // less was answered than was due, by more than chance explains
}

// rampParts is into how many parts ramps are cut.
const rampParts = 10

// rates returns the stretches of a run; nil where its rate does not change.
func (run *Run) rates() []rateSegment {
	r := run.Result
	plan, err := schedule.Parse(run.Plan.Rate, run.Plan.Duration)
	if !r.Open || err != nil || plan.Span() == 0 {
		return nil
	}
	n := len(r.Seconds)
	first, last := make([]float64, n), make([]float64, n) // rates of each second
	changing := 0
	for i := range r.Seconds {
		at := r.Seconds[i].Start.Sub(r.Start)
		first[i], last[i] = plan.Rate(at), plan.Rate(at+r.Seconds[i].Length-1)
		if first[i] != last[i] {
			changing++
		}
	}
	each := (changing + rampParts - 1) / rampParts
	var out []rateSegment
	for from := 0; from < n; {
		to := from + 1
		for to < n && (last[from] == first[from] && first[to] == first[from] && last[to] == first[from] ||
			last[from] != first[from] && last[to] != first[to] && to-from < each) {
			to++
		}
		out = append(out, newStretch(run, plan, r.Seconds[from:to]))
		from = to
	}
	return out
}

func newStretch(run *Run, plan schedule.Schedule, seconds []loadresult.Second) rateSegment {
	r := run.Result
	last := &seconds[len(seconds)-1]
	s := rateSegment{from: seconds[0].Start.Sub(r.Start), to: last.Start.Sub(r.Start) + last.Length}
	var answered, came, failed, ended int64
	for i := range seconds {
		second := &seconds[i]
		answered += second.Answered - second.Behind
		came += second.Came()
		failed += second.Errors
		ended += second.Requests
		q := second.Response
		s.times = loadresult.Quantiles{P50: max(s.times.P50, q.P50), P99: max(s.times.P99, q.P99), Max: max(s.times.Max, q.Max)}
	}
	length := (s.to - s.from).Seconds()
	if length <= 0 {
		return s
	}
	due := plan.Planned(s.to) - plan.Planned(s.from)
	s.planned, s.answered = due/length, float64(came)/length
	s.errors, s.ended = float64(failed)/float64(max(ended, 1)), ended
	took := time.Duration(r.Service.Quantile(0.5))
	s.lagging = loadresult.Short(plan.Planned(s.to-took)-plan.Planned(s.from-took), run.Plan.Poisson, answered)
	return s
}

// ratesNote stands beside the heading of the table.
const ratesNote = "p50 and p99 are those of the slowest second of each"

// rates is the table of what became of each rate.
func (t *writer) rates(run *Run) {
	stretches := run.rates()
	if len(stretches) == 0 {
		return
	}
	t.Heading("Rates", ratesNote)
	rows := [][]string{slices.Concat([]string{""}, rateColumns, []string{""})}
	for i := range stretches {
		s := &stretches[i]
		rows = append(rows, slices.Concat([]string{s.span()}, s.cells(), []string{s.note()}))
	}
	t.Labelled(rows)
}

var rateColumns = []string{"planned", "answered", "errors", "p50", "p99", "max"}

// cells returns the cells of rateColumns.
func (s *rateSegment) cells() []string {
	cells := []string{quantity.Count(s.planned), quantity.Count(s.answered), "–", "–", "–", "–"}
	if s.ended > 0 {
		cells[2] = quantity.Percent(s.errors)
	}
	if q := s.times; q.Max > 0 {
		cells[3], cells[4], cells[5] = page.Ns(int64(q.P50)), page.Ns(int64(q.P99)), page.Ns(int64(q.Max))
	}
	return cells
}

// span says when it was.
func (s *rateSegment) span() string {
	return fmt.Sprintf("%s to %s s", inSeconds(s.from), inSeconds(s.to))
}

func (s *rateSegment) note() string {
	if s.lagging {
		return "behind"
	}
	return ""
}

func newRatesView(name string, run *Run) (v tableView, ok bool) {
	stretches := run.rates()
	v = tableView{Run: name, Columns: rateColumns, More: page.More(len(stretches), loadSeconds)}
	for i := range stretches[:min(len(stretches), loadSeconds)] {
		s := &stretches[i]
		v.Rows = append(v.Rows, tableRow{s.span(), s.note(), s.cells()})
	}
	return v, len(v.Rows) > 0
}

// inSeconds returns a moment as a number of seconds.
func inSeconds(d time.Duration) string {
	return fmt.Sprint(math.Round(d.Seconds()*100) / 100)
}

// json has the response times of the slowest second.
func (s *rateSegment) json() document.Object {
	return document.Object{"t_ns", s.from, "length_ns", s.to - s.from, "planned_per_s", s.planned, "throughput_per_s", s.answered, "error_ratio", s.errors,
		"slowest_second_ns", quantilesOrNull(s.times), "behind", s.lagging}
}
