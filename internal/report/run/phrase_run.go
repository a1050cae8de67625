package run

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/page"
)

// The words that the terminal and the browser share about programs and
// services.

// subject names what the page is about: "the program", "the service", or
// "benchmark" where there may be several.
func (p *Page) subject() string {
	switch {
	case p.Service != nil:
		return "the service"
	case p.Program != nil:
		return "the program"
	case p.Lone:
		return "the profile"
	}
	return "benchmark"
}

// single reports whether the page is about one program, service or profile, which needs
// no name to be told from others.
func (p *Page) single() bool { return p.Service != nil || p.Program != nil || p.Lone }

// of says what a profile of the page is of.
func (p *Page) of(pr *Profile) string {
	switch {
	case pr.Benchmark != "":
		return printable.Line(pr.Benchmark)
	case p.single():
		return p.subject()
	}
	return "all benchmarks"
}

// loop says how the load was driven.
func (s *Service) loop() string {
	return fmt.Sprintf("closed loop, %s, %s, after the warm-up", quantity.Plural(s.Concurrency, "connection"), page.Ns(s.DurationNs))
}

// failed returns the number of requests that failed.
func (s *Service) failed() float64 {
	n := 0.0
	for _, e := range s.Errors {
		n += float64(e.Count)
	}
	return n
}

// times returns the service times by name, "" where no request was answered.
func (s *Service) times() []page.Fact {
	if s.MaxNs <= 0 {
		return nil
	}
	return []page.Fact{
		{Name: "mean", Value: quantity.Nanoseconds(s.MeanNs)}, {Name: "min", Value: page.Ns(s.MinNs)}, {Name: "p50", Value: page.Ns(s.P50Ns)}, {Name: "p90", Value: page.Ns(s.P90Ns)},
		{Name: "p99", Value: page.Ns(s.P99Ns)}, {Name: "p99.9", Value: page.Ns(s.P999Ns)}, {Name: "max", Value: page.Ns(s.MaxNs)},
	}
}

// cores returns the CPU that the target used.
func (s *Service) cores() string {
	used := page.Cores(s.CPUNs, s.DurationNs)
	if s.CPUSampled {
		used += " by its CPU profile"
	}
	return used
}

// perRequest returns the target's CPU time a request.
func (s *Service) perRequest() string {
	if s.CPUPerRequestNs == nil {
		return "unknown"
	}
	return quantity.Nanoseconds(*s.CPUPerRequestNs)
}

// rate returns the throughput: responses of any status. It adds the requests that
// ended without a response, since the counts differ by them.
func (s *Service) rate(what string) string {
	rate := quantity.Count(s.ThroughputPerS)
	if s.unanswered() {
		return rate + what + " answered a second"
	}
	return rate + what + " a second"
}

// unanswered reports whether one request in a hundred or more had no answer.
func (s *Service) unanswered() bool {
	return 0.99*float64(s.Requests) > s.ThroughputPerS*float64(s.DurationNs)/1e9
}

// short returns the service's throughput and service time on one line.
func (s *Service) short() string {
	text := s.rate(" requests")
	if s.MaxNs > 0 {
		text += ", p99 of the service time " + page.Ns(s.P99Ns)
	}
	switch failed := s.failed(); failed {
	case 0:
		return text + ", no errors"
	case 1:
		return text + ", 1 error"
	default:
		return text + ", " + quantity.Count(failed) + " errors"
	}
}

// note says that a run left no profiles.
func (r *Run) note() string {
	if r.Missing == "" {
		return ""
	}
	return "no profiles: " + printable.Line(r.Missing)
}

// cells returns a run's wall, CPU, user and system time and its peak memory.
func (r *Run) cells() [5]string {
	return [5]string{page.Ns(r.WallNs), page.Ns(r.CPUNs), page.Ns(r.UserCPUNs), page.Ns(r.SystemCPUNs), page.BytesOf(r.PeakBytes)}
}

// covered says what the figures of Wall are from.
func (w *Wall) covered() string {
	return fmt.Sprintf("of goroutines, from %s of execution trace", page.Ns(w.CoveredNs))
}

func (g *WallGroup) name() string {
	return cmp.Or(printable.Line(g.Name), "start unknown")
}

func (g *WallGroup) counted() string {
	if g.Handler {
		return quantity.Plural(int(g.Count), "request")
	}
	if g.Count <= 0 { // those there were are counted under another name
		return "goroutines"
	}
	return quantity.Plural(int(g.Count), "goroutine")
}

// mean returns the time of one; of an unknown number it is unknown.
func (g *WallGroup) mean() string {
	if g.Count <= 0 {
		return "–"
	}
	return quantity.Nanoseconds(float64(g.TotalNs) / float64(g.Count))
}

// statePart is what one state has of a group's time.
type statePart struct {
	State string
	Ratio float64
}

// parts returns the states that a group was in, in the order of Wall.States. Their
// shares are of TotalNs, which they add up to: a goroutine is in one state at
// any time.
func (w *Wall) parts(g *WallGroup) []statePart {
	sum := 0.0
	for i := range min(len(g.Ns), len(w.States)) {
		sum += max(float64(g.Ns[i]), 0)
	}
	sum = max(sum, float64(g.TotalNs)) // a damaged recording may say more
	var out []statePart
	for i := range min(len(g.Ns), len(w.States)) {
		if g.Ns[i] > 0 {
			out = append(out, statePart{printable.Line(w.States[i]), float64(g.Ns[i]) / sum})
		}
	}
	return out
}

// heaviest is parts, largest first.
func (w *Wall) heaviest(g *WallGroup) []statePart {
	out := w.parts(g)
	slices.SortStableFunc(out, func(a, b statePart) int { return cmp.Compare(b.Ratio, a.Ratio) })
	return out
}

// place is file:line of a place that waits.
func (w *Waiting) place() string {
	if w.File == "" {
		return "file not known"
	}
	return fmt.Sprintf("%s:%d", printable.Line(w.File), w.Line)
}

// delayPerS returns how long goroutines waited there in a second of the recording.
func (w *Waiting) delayPerS() string {
	if !(w.PerS > 0) || math.IsInf(float64(w.PerS), 0) {
		return "–"
	}
	return quantity.Nanoseconds(float64(w.PerS) * 1e9)
}

// when returns the moment of an event, or its while.
func (e *Event) when() string {
	start, end := fmt.Sprintf("%.2f", float64(e.StartNs)/1e9), fmt.Sprintf("%.2f", float64(e.EndNs)/1e9)
	if e.EndNs > e.StartNs && start != end {
		return start + "–" + end + " s"
	}
	return start + " s"
}

// sentence returns an event's text, with the benchmark it is of.
func (e *Event) sentence() string {
	if e.Benchmark != "" {
		return printable.Line(e.Benchmark) + ": " + printable.Line(e.Text)
	}
	return printable.Line(e.Text)
}

// brief returns what a service did under load, in a line each, beside the verdict.
func (p *Page) brief() (out []page.Fact) {
	if p.Service == nil {
		return nil
	}
	out = append(out, page.Fact{Name: "Load", Value: p.Service.short()})
	if p.Wall != nil && p.Wall.Text != "" {
		out = append(out, page.Fact{Name: "Time", Value: printable.Line(p.Wall.Text)})
	}
	if m := p.Moment; m != nil && m.Request != nil {
		out = append(out, page.Fact{Name: worst, Value: m.short()})
	}
	return out
}

// worst is the name of the worst moment in brief.
const worst = "Worst"

// machine returns what the figures depend on first: which machine, and what else it did.
func (p *Page) machine() string {
	var parts []string
	for _, name := range []string{"machine", "load"} {
		if i := slices.IndexFunc(p.Facts, func(f page.Fact) bool { return f.Name == name }); i >= 0 {
			parts = append(parts, printable.Line(p.Facts[i].Value))
		}
	}
	return strings.Join(parts, "; ")
}

// MostlyFails says that most requests failed, and of what: then the target's cost is
// that of failing. "" where they did not.
func (s *Service) MostlyFails() string {
	var failed int64
	for _, e := range s.Errors {
		failed += e.Count
	}
	if s.Requests <= 0 || failed*2 < s.Requests {
		return ""
	}
	e := &s.Errors[0]
	text := fmt.Sprintf("%s of the requests failed, most with %s", quantity.Percent(float64(failed)/float64(s.Requests)), printable.Line(e.Kind))
	if e.Example != "" {
		text += " (" + printable.Line(e.Example) + ")"
	}
	return text + ": the figures mostly describe failures; lower -c"
}
