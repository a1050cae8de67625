package events

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"whet/internal/format/gctrace"
	"whet/internal/format/metrics"
	"whet/internal/quantity"
)

// Kinds of events.
const (
	ForcedGC   = "forced-gc"
	Stall      = "stall"
	Goroutines = "goroutine-leak"
	Heap       = "heap-growth"
	GCPause    = "gc-pause"
	Throttled  = "throttled"
	Restart    = "restart"
	Errors     = "errors"
)

// Event is something that happened at a moment, or over a while.
type Event struct {
	Kind           string
	StartNs, EndNs int64 // equal for a moment
	// Value and its bounds. By kind: for stall, gc-pause and throttled its length in
	// nanoseconds, for several pauses their sum; for goroutine-leak goroutines per
	// second; for heap-growth bytes per second; for forced-gc and restart their number;
	// for errors the share of failed requests.
	Value, Low, High float64
	Text             string // one sentence, without StartNs, which is printed separately
}

// Span is a while; the zero value is none.
type Span struct{ StartNs, EndNs int64 }

func (s Span) holds(ns int64) bool { return s == Span{} || s.StartNs <= ns && ns < s.EndNs }

// Second is a second of a load.
type Second struct {
	StartNs, LengthNs int64
	Requests, Errors  int64 // requests that ended, and of them failed
}

// Input is the measurements of one target. All times are on one clock. The search
// skips missing inputs.
type Input struct {
	Rows []metrics.Row // in order of time

	Cycles []gctrace.Cycle // At is on that clock too, and not since the runtime's start
	// OwnGC are the whiles in which whet itself asked for a collection: one
	// forced cycle in each is not the program's.
	OwnGC []Span

	// Load is when the load was on, after its warm-up. Growth and stalls are
	// looked for in it alone; zero: everywhere.
	Load    Span
	Seconds []Second
	// Answers counts whole answers in bins of BinNs from Load.StartNs on.
	Answers []int32
	BinNs   int64
}

// most is how many events of one kind are told apart.
const most = 10

// Find returns the events in order of time.
func Find(in Input) []Event {
	in.Rows, in.Cycles = ordered(in.Rows), sane(in.Cycles)
	lives, restarts := split(in.Rows)

	found := [][]Event{
		restarts,
		forced(&in, lives),
		pauses(&in, lives),
		throttled(lives),
		stalls(&in, lives),
		growth(&in, lives),
		failures(in.Seconds),
	}
	var out []Event
	for _, events := range found {
		out = append(out, bounded(events)...)
	}
	slices.SortStableFunc(out, func(a, b Event) int { return cmp.Compare(a.StartNs, b.StartNs) })
	return out
}

// bounded keeps the largest events of one kind and sums up the rest: in one
// event over all of them, with the value of their largest.
func bounded(events []Event) []Event {
	if len(events) <= most {
		return events
	}
	slices.SortStableFunc(events, func(a, b Event) int { return cmp.Compare(b.Value, a.Value) })
	rest := events[most]
	for _, e := range events[most:] {
		rest.StartNs, rest.EndNs = min(rest.StartNs, e.StartNs), max(rest.EndNs, e.EndNs)
	}
	rest.Text = fmt.Sprintf("%s more, the largest of them: %s",
		quantity.Count(float64(len(events)-most)), rest.Text)
	return append(events[:most:most], rest)
}

// farthest bounds times, so that no difference of two overflows: 36 years.
const farthest = math.MaxInt64 / 8

// ordered drops rows whose time does not follow on the one before, which a
// clock that was set back or a damaged recording gives.
func ordered(rows []metrics.Row) []metrics.Row {
	out := make([]metrics.Row, 0, len(rows))
	for _, r := range rows {
		if r.TimeNs < -farthest || r.TimeNs > farthest || len(out) > 0 && r.TimeNs <= out[len(out)-1].TimeNs {
			continue
		}
		out = append(out, r)
	}
	return out
}

// split cuts the rows where one process follows another.
func split(rows []metrics.Row) (lives [][]metrics.Row, restarts []Event) {
	lives = metrics.Split(rows)
	for i := 1; i < len(lives); i++ {
		before, after := &lives[i-1][len(lives[i-1])-1], &lives[i][0]
		why := "its counters ran backwards" // in a container every process may have the same number
		if before.PID != 0 && after.PID != 0 && before.PID != after.PID {
			why = fmt.Sprintf("process %d became %d", before.PID, after.PID)
		}
		restarts = append(restarts, Event{
			Kind: Restart, StartNs: before.TimeNs, EndNs: after.TimeNs, Value: 1, Low: 1, High: 1,
			Text: fmt.Sprintf("the process restarted within these %s: %s; counters from before and after are not compared",
				length(after.TimeNs-before.TimeNs), why),
		})
	}
	return lives, restarts
}

func length(ns int64) string { return quantity.Nanoseconds(float64(ns)) }

// rise returns how far a counter rose; not known where either end is not.
func rise(before, after *int64) (int64, bool) {
	if before == nil || after == nil {
		return 0, false
	}
	return *after - *before, true
}
