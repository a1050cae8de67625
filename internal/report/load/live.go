package load

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"whet/internal/hist"
	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/page"
)

// Live is the progress of a load.
type Live struct {
	Target    string
	Loop      string // "closed loop, 64 connections"
	WarmingUp bool
	Elapsed   time.Duration // of the phase
	Of        time.Duration // its planned length
	Requests  int64         // that ended in this phase
	Wanted    int64         // of the load; 0: as many as the time holds
	Failed    int64         // in this phase
	Open      bool
	// Times are those of all seconds that were closed: response times of an open
	// loop, service times of a closed one; nil before there is one.
	Times  *hist.Histogram
	Errors map[string]int64

	last     *hist.Histogram // of the last second
	answered float64         // in it, per second
	planned  *float64        // for it
}

// Add takes a second that was closed; the view keeps what it needs of it.
func (l *Live) Add(s *LoadInterval) {
	h := new(hist.Histogram)
	times := s.Service
	if l.Open {
		times = s.Response
	}
	h.Merge(times)
	if l.Times == nil {
		l.Times = new(hist.Histogram)
	}
	l.Times.Merge(h)
	l.last, l.planned = h, s.Planned
	l.answered = s.Throughput()
	for kind, n := range s.Kinds {
		if l.Errors == nil {
			l.Errors = make(map[string]int64)
		}
		l.Errors[kind] += n
	}
}

// Lines returns the view on a terminal of so many columns: always as many lines while
// the kinds of errors stay the same, none of them as wide as the terminal.
func (l *Live) Lines(width int, color bool) []string {
	t := page.Text{Width: max(width-1, 20), Color: color}
	put := func(s page.Style, text string) {
		text = page.Cut(text, t.Width)
		if s != "" {
			text = t.Paint(s, text)
		}
		t.Line(text)
	}
	put(page.Bold, printable.Line(l.Target)+"  "+l.Loop)
	put(page.Cyan, l.progress(t.Width))
	put("", l.rate())
	name := "service time"
	if l.Open {
		name = "response time"
	}
	columns := liveColumns(t.Width)
	head := fmt.Sprintf("%-15s", name)
	for _, c := range columns {
		head += fmt.Sprintf("%10s", c.name)
	}
	put(page.Dim, head)
	put("", liveTimes("last second", l.last, columns))
	put("", liveTimes("so far", l.Times, columns))
	put(l.alarm(), l.failures())
	return strings.Split(strings.TrimSuffix(string(t.Bytes()), "\n"), "\n")
}

// progress returns a bar, how much is done and what is left.
func (l *Live) progress(width int) string {
	ratio, done, left := 0.0, "", ""
	switch {
	case l.WarmingUp:
		return fmt.Sprintf("warming up, %v of %v", l.Elapsed.Round(100*time.Millisecond), l.Of)
	case l.Wanted > 0:
		ratio = float64(l.Requests) / float64(l.Wanted)
		done = fmt.Sprintf("%s of %s", quantity.Count(float64(l.Requests)), quantity.Plural(int(l.Wanted), "request"))
		if l.Requests > 0 {
			rest := time.Duration(float64(l.Elapsed) * (1/ratio - 1))
			left = fmt.Sprintf(", about %v left", max(rest, 0).Round(time.Second))
		}
	default:
		ratio = float64(l.Elapsed) / float64(max(l.Of, 1))
		done = fmt.Sprintf("%v of %v", l.Elapsed.Round(time.Second), l.Of)
		left = fmt.Sprintf(", %v left", max(l.Of-l.Elapsed, 0).Round(time.Second))
		if l.Elapsed > l.Of {
			left = ", waiting for the last answers"
		}
	}
	text := done + left
	return page.Bar(ratio, max(min(width-page.Cells(text)-2, 40), 1)) + "  " + text
}

// rate returns the last second's against the plan.
func (l *Live) rate() string {
	if l.last == nil {
		return "requests       " + quantity.Count(float64(l.Requests))
	}
	text := fmt.Sprintf("throughput     %s a second", quantity.Count(l.answered))
	if l.planned != nil {
		text += fmt.Sprintf(" of %s planned", quantity.Count(*l.planned))
	}
	return text + fmt.Sprintf(", %s so far", quantity.Plural(int(l.Requests), "request"))
}

func (l *Live) failures() string {
	if l.Failed == 0 {
		return "errors         none"
	}
	var parts []string
	rest := l.Failed
	for _, kind := range kinds(l.Errors) {
		parts = append(parts, fmt.Sprintf("%s %s", quantity.Count(float64(l.Errors[kind])), printable.Line(kind)))
		rest -= l.Errors[kind]
	}
	// Kinds are told of as their second is closed.
	if len(parts) > 0 && rest > 0 {
		parts = append(parts, quantity.Count(float64(rest))+" just now")
	}
	text := fmt.Sprintf("errors         %s", quantity.Count(float64(l.Failed)))
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	return text
}

// liveColumn is a column of the table of times.
type liveColumn struct {
	name string
	of   func(h *hist.Histogram) string
}

// liveColumns returns those that a terminal has room for; what matters least goes
// first.
func liveColumns(width int) []liveColumn {
	at := func(name string, q float64) liveColumn {
		return liveColumn{name, func(h *hist.Histogram) string { return page.Ns(h.Quantile(q)) }}
	}
	columns := []liveColumn{
		{"mean", func(h *hist.Histogram) string { return quantity.Nanoseconds(h.Mean()) }},
		at("p50", 0.5), at("p90", 0.9), at("p99", 0.99), at("p99.9", 0.999),
		{"max", func(h *hist.Histogram) string { return page.Ns(h.Max()) }},
	}
	for _, spare := range []string{"mean", "p90", "p99.9", "p50"} {
		if 15+10*len(columns) > width {
			columns = slices.DeleteFunc(columns, func(c liveColumn) bool { return c.name == spare })
		}
	}
	return columns
}

// liveTimes returns the times of a row of the table; none is a dash.
func liveTimes(name string, h *hist.Histogram, columns []liveColumn) string {
	text := fmt.Sprintf("%-15s", name)
	for _, c := range columns {
		cell := "–"
		if h != nil && h.Count() > 0 {
			cell = c.of(h)
		}
		text += fmt.Sprintf("%*s", 10, cell)
	}
	return text
}

// alarm returns the style of the line about errors.
func (l *Live) alarm() page.Style {
	if l.Failed > 0 {
		return page.Yellow
	}
	return page.Dim
}
