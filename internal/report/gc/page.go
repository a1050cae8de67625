package gc

import (
	"fmt"

	"whet/internal/analyze/gc"
	"whet/internal/format/gctrace"
	"whet/internal/format/metrics"
	"whet/internal/printable"
	"whet/internal/quantity"
)

// Page is a log with its analysis.
type Page struct {
	Name string
	What string // "gctrace log", "runtime metrics"
	// Trace is the log with all its processes; nil: there is none, and Rows are what is
	// known.
	Trace *gctrace.Trace
	// Process is the one of them that Result is about; nil: none has a cycle.
	Process *gctrace.Process
	Rows    []metrics.Row
	Result  *gc.Result
	// Command says of a command that was run how it ended.
	Command *Command
	// Grown is who holds what a heap grew by, between two heap profiles; nil: there are
	// none.
	Grown    *Grown
	Warnings []string
}

// Command is a command that was run.
type Command struct {
	Line     string
	Status   string // "exit status 1"
	ExitCode int
	WallNs   int64
	CPUNs    int64
	Peak     int64 // resident memory; 0: unknown
}

// Grown is a heap that was looked at twice.
type Grown struct {
	FromNs, ToNs int64 // when
	BeforeBytes  int64 // in use
	AfterBytes   int64
	PeriodBytes  int64 // that one sample stands for
	Places       []GrownPlace
	OtherBytes   int64 // what grew elsewhere less what shrank
}

// GrownPlace is a line that allocated more of what is in use than before.
type GrownPlace struct {
	Function, File string
	Line           int
	BeforeBytes    int64
	AfterBytes     int64
	Callers        []string // up to the root
	// Owner is the innermost function of that stack outside of the standard library;
	// nil: there is none.
	Owner *Caller
}

// Caller is a line on a stack.
type Caller struct {
	Function, File string
	Line           int
}

// More returns the growth of the memory in use.
func (l *GrownPlace) More() int64 { return l.AfterBytes - l.BeforeBytes }

// Biggest returns the process of a log with the most cycles, of several the first; nil: the
// log is empty.
func Biggest(t *gctrace.Trace) *gctrace.Process {
	var best *gctrace.Process
	for _, p := range t.Processes {
		if best == nil || p.Cycles.Len() > best.Cycles.Len() {
			best = p
		}
	}
	return best
}

// about says what the page is about, beside its name.
func (p *Page) about() string {
	r := p.Result
	text := p.What
	if r.SpanNs() > 0 {
		text += fmt.Sprintf(", %s in %s", quantity.Plural(r.Cycles, "cycle"), span(r.SpanNs()))
	}
	if r.Procs > 0 {
		text += fmt.Sprintf(", GOMAXPROCS %d", r.Procs)
	}
	if p.Trace != nil && len(p.Trace.Processes) > 1 && p.Process != nil {
		text += fmt.Sprintf(", process %d of %d", p.Process.Number, len(p.Trace.Processes))
	}
	return text
}

// conclusions are sentences; of nothing that stands out one says how far that carries.
func (p *Page) conclusions() []gc.Conclusion {
	if len(p.Result.Conclusions) > 0 {
		return p.Result.Conclusions
	}
	r := p.Result
	text := "Whet gc found none of the problems it knows; there may still be something to gain."
	switch {
	case r.Cycles == 0 && len(r.Inits) == 0:
		text = "No GC cycle ran: there is nothing to conclude."
	case r.Cycles < gc.Fewest:
		text = fmt.Sprintf("%s: too few for conclusions.", quantity.Plural(r.Cycles, "cycle"))
	}
	return []gc.Conclusion{{Kind: "none", Text: text}}
}

func span(ns int64) string { return quantity.Nanoseconds(float64(ns)) }

func size(bytes int64) string { return quantity.Bytes(float64(bytes)) }

// figure is a line of the figures: what, and how much.
type figure struct{ name, text string }

// figures returns the figures of the text and the page.
func (p *Page) figures() []figure {
	r := p.Result
	var out []figure
	add := func(name, format string, args ...any) {
		out = append(out, figure{name, printable.Line(fmt.Sprintf(format, args...))})
	}
	if r.Cycles > 0 {
		text := fmt.Sprintf("%s a second", quantity.Count(r.RatePerS()))
		if r.Forced > 0 {
			text += fmt.Sprintf(", %d forced", r.Forced)
			if !r.Recorded {
				text += " by the program"
			}
		}
		if r.Missing > 0 {
			text += fmt.Sprintf(", %d more without a line", r.Missing)
		}
		add("cycles", "%s", text)
	}
	if h := r.Alive; h.Most > 0 {
		text := fmt.Sprintf("alive %s to %s (median %s), at last %s", size(h.Least), size(h.Most), size(h.Median), size(r.AliveNow))
		if r.Goal.Most > 0 {
			text += fmt.Sprintf("; goal %s to %s", size(r.Goal.Least), size(r.Goal.Most))
		}
		text += fmt.Sprintf("; at most %s, at %s", size(r.PeakBytes), span(r.PeakAtNs))
		if r.LimitBytes > 0 {
			text += fmt.Sprintf("; limit %s", size(r.LimitBytes))
		}
		add("heap", "%s", text)
	}
	if h := r.Objects; h.Most > 0 {
		text := fmt.Sprintf("%s to %s of objects (median %s)", size(h.Least), size(r.PeakBytes), size(h.Median))
		if r.Goal.Most > 0 {
			text += fmt.Sprintf("; goal %s to %s", size(r.Goal.Least), size(r.Goal.Most))
		}
		add("heap", "%s", text)
	}
	if r.AllocatedBytes > 0 {
		add("allocated", "about %s, %s a second", size(r.AllocatedBytes), quantity.Bytes(r.AllocatedPerS()))
	}
	if r.ProcessorNs > 0 {
		c := r.CPU
		text := fmt.Sprintf("%s of the processors' time", quantity.Percent(r.Share(c.Taken())))
		if p.Trace != nil {
			text += fmt.Sprintf(": workers %s, assists %s, stops of the world %s", quantity.Percent(r.Share(c.Background)), quantity.Percent(r.Share(c.Assist)), quantity.Percent(r.Share(c.Stops)))
		} else { // metrics do not tell stops apart
			text += fmt.Sprintf(": workers and stops of the world %s, assists %s", quantity.Percent(r.Share(c.Background)), quantity.Percent(r.Share(c.Assist)))
		}
		add("collector", "%s; idle processors mark for %s more", text, quantity.Percent(r.Share(c.Idle)))
	}
	switch n := r.Pauses.Count(); {
	case n > 0:
		add("pauses", "p50 %s, p99 %s, longest %s at %s; the world stands still for %s, %s of the time",
			span(r.Pauses.Quantile(0.5)), span(r.Pauses.Quantile(0.99)), span(r.LongestNs), span(r.LongestAt), span(r.PausedNs), quantity.Percent(r.PausedRatio()))
	case r.PausedNs > 0:
		add("pauses", "the world stands still for %s, %s of the time", span(r.PausedNs), quantity.Percent(r.PausedRatio()))
	}
	if len(r.Inits) > 0 {
		add("start-up", "%s initialize for %s and allocate %s in %s", quantity.Plural(len(r.Inits), "package"), span(r.InitNs), size(r.InitBytes), quantity.Plural(int(r.InitAllocs), "object"))
	}
	if c := p.Command; c != nil {
		text := fmt.Sprintf("%s after %s, %s of CPU time", c.Status, span(c.WallNs), span(c.CPUNs))
		if c.Peak > 0 {
			text += fmt.Sprintf(", resident memory at most %s", size(c.Peak))
		}
		add("command", "%s", text)
	}
	return out
}
