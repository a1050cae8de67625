package run

import (
	"fmt"
	"strings"

	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/page"
	"whet/internal/symbolname"
)

// How much of a run is printed without being asked.
const (
	textEvents  = 20
	textGroups  = 6
	textWaiting = 8
	textRuns    = 10
)

// run writes what a program or a service has beside findings and profiles.
func (t *writer) run(p *Page, all bool) {
	t.program(p.Program, all)
	t.service(p.Service)
	t.wall(p.Wall, all)
	t.moment(p.Moment)
	t.waiting(p.Contention, all)
	t.events(p.Events, all)
	t.unknown(p.Unknown)
}

// left says how many rows were left out, if any.
func (t *writer) left(more int) {
	if more > 0 {
		t.Line("  ", t.Paint(page.Dim, fmt.Sprintf("… %s more with -all", quantity.Count(float64(more)))))
	}
}

// first returns how many of n rows are shown.
func first(n, limit int, all bool) int {
	if all {
		return n
	}
	return min(n, limit)
}

func (t *writer) program(p *Program, all bool) {
	if p == nil || len(p.Runs) == 0 {
		return
	}
	aside := printable.Line(p.Command)
	if len(p.Runs) > 1 {
		aside += fmt.Sprintf(", %s", quantity.Plural(len(p.Runs), "run"))
	}
	t.Heading("Program", aside)
	rows := [][]string{{"wall", "CPU", "user", "system", "peak memory", "", ""}}
	n := first(len(p.Runs), textRuns, all)
	for i := range p.Runs[:n] {
		r := &p.Runs[i]
		cells := r.cells()
		rows = append(rows, append(cells[:], printable.Line(r.Ending), r.note()))
	}
	t.Table(rows)
	t.left(len(p.Runs) - n)
}

func (t *writer) service(s *Service) {
	if s == nil {
		return
	}
	t.Heading("Under load", s.loop())
	const label = 17
	t.Hang(2, "requests", label, fmt.Sprintf("%s, %s", quantity.Count(float64(s.Requests)), s.rate("")))
	var times []string
	for _, f := range s.times() {
		if f.Name != "min" { // the interest is in the others
			times = append(times, f.Name+"\u00a0"+strings.ReplaceAll(f.Value, " ", "\u00a0"))
		}
	}
	if len(times) > 0 {
		t.Hang(2, "service time", label, strings.Join(times, "\u00a0· "))
	}
	used := s.cores()
	if s.CPUPerRequestNs != nil {
		used += ", " + s.perRequest() + " a request"
	}
	t.Hang(2, "server's CPU", label, used)
	if s.PeakBytes != nil {
		t.Hang(2, "peak memory", label, page.BytesOf(s.PeakBytes))
	}
	if s.GeneratorCPUNs != nil {
		t.Hang(2, "generator's CPU", label, page.Cores(s.GeneratorCPUNs, s.DurationNs))
	}
	if len(s.Errors) == 0 {
		t.Hang(2, "errors", label, "none")
	}
	for i, e := range s.Errors {
		name := ""
		if i == 0 {
			name = "errors"
		}
		text := fmt.Sprintf("%s %s", quantity.Count(float64(e.Count)), printable.Line(e.Kind))
		if e.Example != "" {
			text += ": " + printable.Line(e.Example)
		}
		t.Hang(2, name, label, text)
	}
}

// wall writes a line for each handler and goroutine kind, its states in order
// of their share.
func (t *writer) wall(w *Wall, all bool) {
	if w == nil || len(w.Groups) == 0 {
		return
	}
	t.Heading("Where the time goes", w.covered())
	if w.Text != "" {
		t.Hang(2, "", 0, printable.Line(w.Text))
		t.Line()
	}
	rows := [][]string{{"", "mean", "", ""}}
	n := first(len(w.Groups), textGroups, all)
	for i := range w.Groups[:n] {
		g := &w.Groups[i]
		rows = append(rows, []string{g.counted(), g.mean(), symbolname.Elide(g.name()), w.shares(g)})
	}
	t.Table(rows)
	t.left(len(w.Groups) - n)
}

// shares lists a group's states, largest first; what is below one in a hundred
// is left out.
func (w *Wall) shares(g *WallGroup) string {
	var parts []string
	for _, s := range w.heaviest(g) {
		if s.Ratio >= 0.01 {
			parts = append(parts, strings.ReplaceAll(quantity.Percent(s.Ratio)+" "+s.State, " ", "\u00a0"))
		}
	}
	return strings.Join(parts, ", ")
}

func (t *writer) waiting(places []Waiting, all bool) {
	if len(places) == 0 {
		return
	}
	t.Heading("Waiting for each other", waitingAside)
	rows := [][]string{{"delay", "a second", "waits", "for", "", ""}}
	n := first(len(places), textWaiting, all)
	for i := range places[:n] {
		p := &places[i]
		where := p.place()
		if p.Benchmark != "" {
			where += " in " + printable.Line(p.Benchmark)
		}
		rows = append(rows, []string{page.Ns(p.DelayNs), p.delayPerS(), quantity.Count(float64(p.Count)), printable.Line(p.Kind), symbolname.Elide(printable.Line(p.Function)), where})
	}
	t.Table(rows)
	t.left(len(places) - n)
}

const waitingAside = "from the block profile; waiting for the next job is left out"

func (t *writer) events(events []Event, all bool) {
	if len(events) == 0 {
		return
	}
	t.Heading("Events", "times are since the recording began")
	n := first(len(events), textEvents, all)
	label := 0
	for i := range events[:n] {
		label = max(label, min(page.Cells(events[i].when()), 24))
	}
	for i := range events[:n] {
		t.Hang(2, events[i].when(), label+2, events[i].sentence())
	}
	t.left(len(events) - n)
}

func (t *writer) unknown(list []Unknown) {
	if len(list) == 0 {
		return
	}
	t.Heading("Unknown", unknownAside)
	for _, u := range list {
		t.Hang(2, "", 0, printable.Line(u.What)+": "+printable.Line(u.Why))
		if u.How != "" {
			t.Hang(4, "to get it: ", 11, printable.Line(u.How))
		}
	}
}

const unknownAside = "not zero: the target does not offer it"
