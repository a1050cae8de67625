package events

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"whet/internal/format/gctrace"
	"whet/internal/format/metrics"
	"whet/internal/quantity"
)

// gctraceStep is how finely the runtime prints a cycle's moment.
const gctraceStep = int64(time.Millisecond)

// forced finds the collections that the program asked for: from what the
// collector printed, and where lines of it are missing from the counter in the
// rows, if they have one.
func forced(in *Input, lives [][]metrics.Row) []Event {
	own := newOwn(in.OwnGC)
	if len(in.Cycles) > 0 && (whole(in) || !countsForced(in.Rows)) {
		var out []Event
		for i := range in.Cycles {
			c := &in.Cycles[i]
			start := int64(c.At)
			if !c.Forced || own.take(start, start+gctraceStep, 1) == 1 {
				continue
			}
			out = append(out, Event{
				Kind: ForcedGC, StartNs: start, EndNs: start + int64(c.Wall()), Value: 1, Low: 1, High: 1,
				Text: fmt.Sprintf("the program forced a collection: %s, of which %s stopped it",
					length(int64(c.Wall())), length(int64(c.Pause()))),
			})
		}
		return out
	}
	var out []Event
	for a, b := range neighbours(lives) {
		n, ok := rise(a.GCForced, b.GCForced)
		if !ok || n <= 0 {
			continue
		}
		if n -= own.take(a.TimeNs, b.TimeNs, n); n == 0 {
			continue
		}
		out = append(out, Event{
			Kind: ForcedGC, StartNs: a.TimeNs, EndNs: b.TimeNs, Value: float64(n), Low: float64(n), High: float64(n),
			Text: fmt.Sprintf("the program forced %s within these %s",
				quantity.Plural(int(n), "collection"), length(b.TimeNs-a.TimeNs)),
		})
	}
	return out
}

// neighbours returns the pairs of rows that follow each other in one life of the
// process.
func neighbours(lives [][]metrics.Row) iter.Seq2[*metrics.Row, *metrics.Row] {
	return func(yield func(a, b *metrics.Row) bool) {
		for _, rows := range lives {
			for i := 1; i < len(rows); i++ {
				if !yield(&rows[i-1], &rows[i]) {
					return
				}
			}
		}
	}
}

// whole reports that no cycle is missing between the first and the last.
func whole(in *Input) bool {
	for i := 1; i < len(in.Cycles); i++ {
		if in.Cycles[i].N != in.Cycles[i-1].N+1 {
			return false
		}
	}
	return true
}

func countsForced(rows []metrics.Row) bool {
	for i := range rows {
		if rows[i].GCForced != nil {
			return true
		}
	}
	return false
}

// sane drops cycles whose times cannot be.
func sane(cycles []gctrace.Cycle) []gctrace.Cycle {
	return slices.DeleteFunc(slices.Clone(cycles), func(c gctrace.Cycle) bool {
		return !usable(int64(c.At)) || slices.ContainsFunc([]time.Duration{c.SweepTerm, c.Mark, c.MarkTerm}, func(d time.Duration) bool {
			return d < 0 || !usable(int64(d))
		})
	})
}

func usable(ns int64) bool { return ns >= -farthest && ns <= farthest }

// ownCollections are the collections that whet itself requested.
type ownCollections struct {
	spans []Span
	taken []bool
}

func newOwn(spans []Span) *ownCollections {
	return &ownCollections{spans: spans, taken: make([]bool, len(spans))}
}

// originError is how far the runtime's start may be off: it is taken from the
// start of the process, some milliseconds before.
const originError = 20 * int64(time.Millisecond)

// take returns how many of n forced collections between two moments are
// whet's. Each span stands for one.
func (o *ownCollections) take(start, end, n int64) int64 {
	var mine int64
	for i, s := range o.spans {
		if mine < n && !o.taken[i] && s.StartNs-originError <= end && start <= s.EndNs+originError {
			o.taken[i] = true
			mine++
		}
	}
	return mine
}
