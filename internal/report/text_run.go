package report

import (
	"fmt"
	"strings"

	"whet/internal/quantity"
)

// How much of a run is printed without being asked.
const (
	textEvents  = 20
	textGroups  = 6
	textWaiting = 8
	textRuns    = 10
)

// run writes what a program or a service has beside findings and profiles.
func (t *textWriter) run(p *Page, all bool) {
	t.program(p.Program, all)
	t.service(p.Service)
	t.wall(p.Wall, all)
	t.waiting(p.Contention, all)
	t.events(p.Events, all)
	t.unknown(p.Unknown)
}

func (t *textWriter) program(p *Program, all bool) {
	if p == nil || len(p.Runs) == 0 {
		return
	}
	aside := clean(p.Command)
	if len(p.Runs) > 1 {
		aside += fmt.Sprintf(", %s", quantity.Plural(len(p.Runs), "run"))
	}
	t.heading("Program", shorten(aside, t.width-10))
	rows := [][]string{{"wall", "CPU", "user", "system", "peak memory", "", ""}}
	for i := range p.Runs {
		if i == textRuns && !all {
			break
		}
		r := &p.Runs[i]
		peak := "unknown"
		if r.PeakBytes != nil {
			peak = quantity.Bytes(float64(*r.PeakBytes))
		}
		note := ""
		if r.Missing != "" {
			note = "no profiles: " + clean(r.Missing)
		}
		rows = append(rows, []string{ns(r.WallNs), ns(r.CPUNs), ns(r.UserCPUNs), ns(r.SystemCPUNs), peak, clean(r.Ending), note})
	}
	t.table(rows)
	if more := len(p.Runs) - textRuns; more > 0 && !all {
		t.line("  ", t.paint(dim, fmt.Sprintf("… %s more: -all shows them", quantity.Plural(more, "run"))))
	}
}

func ns(v int64) string { return quantity.Nanoseconds(float64(v)) }

func (t *textWriter) service(s *Service) {
	if s == nil {
		return
	}
	t.heading("Under load", fmt.Sprintf("closed loop, %s, %s, behind the warm-up", quantity.Plural(s.Concurrency, "connection"), ns(s.DurationNs)))
	const label = 16
	t.hang(2, "requests", label, fmt.Sprintf("%s, %s a second", quantity.Count(float64(s.Requests)), quantity.Count(s.ThroughputPerS)))
	if s.MaxNs > 0 {
		t.hang(2, "service time", label, fmt.Sprintf("mean %s · p50 %s · p90 %s · p99 %s · p99.9 %s · max %s",
			quantity.Nanoseconds(s.MeanNs), ns(s.P50Ns), ns(s.P90Ns), ns(s.P99Ns), ns(s.P999Ns), ns(s.MaxNs)))
	}
	t.hang(2, "server's CPU", label, s.cpu())
	if s.PeakBytes != nil {
		t.hang(2, "peak memory", label, quantity.Bytes(float64(*s.PeakBytes)))
	}
	if s.GeneratorCPUNs != nil && s.DurationNs > 0 {
		t.hang(2, "generator's CPU", label, fmt.Sprintf("%s cores", quantity.Count(float64(*s.GeneratorCPUNs)/float64(s.DurationNs))))
	}
	if len(s.Errors) == 0 {
		t.hang(2, "errors", label, "none")
	}
	for i, e := range s.Errors {
		name := ""
		if i == 0 {
			name = "errors"
		}
		text := fmt.Sprintf("%s %s", quantity.Count(float64(e.Count)), clean(e.Kind))
		if e.Example != "" {
			text += ": " + clean(e.Example)
		}
		t.hang(2, name, label, text)
	}
}

// cpu says what a server used of the machine.
func (s *Service) cpu() string {
	if s.CPUNs == nil || s.DurationNs <= 0 {
		return "unknown"
	}
	text := fmt.Sprintf("%s cores", quantity.Count(float64(*s.CPUNs)/float64(s.DurationNs)))
	if s.CPUPerRequestNs != nil {
		text += fmt.Sprintf(", %s a request", quantity.Nanoseconds(*s.CPUPerRequestNs))
	}
	return text
}

// wall writes a line for each handler and goroutine kind, its states in order
// of their share.
func (t *textWriter) wall(w *Wall, all bool) {
	if w == nil || len(w.Groups) == 0 {
		return
	}
	t.heading("Where the time goes", fmt.Sprintf("of goroutines, from %s of execution trace", ns(w.CoveredNs)))
	if w.Text != "" {
		t.hang(2, "", 0, clean(w.Text))
	}
	rows := [][]string{{"", "mean", "", ""}}
	for i := range w.Groups {
		if i == textGroups && !all {
			break
		}
		g := &w.Groups[i]
		rows = append(rows, []string{g.counted(), g.mean(), clean(g.Name), w.shares(g)})
	}
	t.table(rows)
	if more := len(w.Groups) - textGroups; more > 0 && !all {
		t.line("  ", t.paint(dim, fmt.Sprintf("… %s more kinds of goroutines: -all shows them", quantity.Count(float64(more)))))
	}
}

func (g *WallGroup) counted() string {
	if g.Handler {
		return quantity.Plural(int(g.Count), "request")
	}
	return quantity.Plural(int(g.Count), "goroutine")
}

func (g *WallGroup) mean() string {
	if g.Count <= 0 {
		return "–"
	}
	return quantity.Nanoseconds(float64(g.TotalNs) / float64(g.Count))
}

// shares lists a group's states, largest first; what is below one in a hundred
// is left out.
func (w *Wall) shares(g *WallGroup) string {
	var parts []string
	for _, i := range w.order(g) {
		if g.Ns[i]*100 < g.TotalNs {
			break
		}
		parts = append(parts, quantity.Percent(share(g.Ns[i], g.TotalNs))+" "+clean(w.States[i]))
	}
	return strings.Join(parts, ", ")
}

// order is the group's states by time, falling.
func (w *Wall) order(g *WallGroup) []int {
	var order []int
	for i := range min(len(g.Ns), len(w.States)) {
		at := len(order)
		for at > 0 && g.Ns[order[at-1]] < g.Ns[i] {
			at--
		}
		order = append(order[:at], append([]int{i}, order[at:]...)...)
	}
	return order
}

func (t *textWriter) waiting(places []Waiting, all bool) {
	if len(places) == 0 {
		return
	}
	t.heading("Waiting for each other", "from the block profile; waiting for the next job is left out")
	rows := [][]string{{"delay", "a second", "waits", "for", "", ""}}
	for i := range places {
		if i == textWaiting && !all {
			break
		}
		p := &places[i]
		per := "–"
		if p.PerS > 0 {
			per = quantity.Nanoseconds(p.PerS * 1e9)
		}
		rows = append(rows, []string{ns(p.DelayNs), per, quantity.Count(float64(p.Count)), p.Kind, clean(p.Function), p.where()})
	}
	t.table(rows)
}

// where is a place that waits, and the benchmark it was seen in.
func (w *Waiting) where() string {
	text := fmt.Sprintf("%s:%d", clean(w.File), w.Line)
	if w.Benchmark != "" {
		text += " in " + clean(w.Benchmark)
	}
	return text
}

func (t *textWriter) events(events []Event, all bool) {
	if len(events) == 0 {
		return
	}
	t.heading("Events", "times are since the recording began")
	for i := range events {
		if i == textEvents && !all {
			t.line("  ", t.paint(dim, fmt.Sprintf("… %s more: -all shows them", quantity.Count(float64(len(events)-i)))))
			break
		}
		e := &events[i]
		text := clean(e.Text)
		if e.Benchmark != "" {
			text = clean(e.Benchmark) + ": " + text
		}
		t.hang(2, e.when(), 18, text)
	}
}

// when is the moment of an event, or its while.
func (e *Event) when() string {
	if e.EndNs > e.StartNs {
		return fmt.Sprintf("%.2f–%.2f s", float64(e.StartNs)/1e9, float64(e.EndNs)/1e9)
	}
	return fmt.Sprintf("%.2f s", float64(e.StartNs)/1e9)
}

func (t *textWriter) unknown(list []Unknown) {
	if len(list) == 0 {
		return
	}
	t.heading("Unknown", "the target does not offer it; nothing here is zero")
	for _, u := range list {
		t.hang(2, "", 0, clean(u.What)+": "+clean(u.Why))
		if u.How != "" {
			t.hang(4, "to get it: ", 11, clean(u.How))
		}
	}
}
