package events

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"whet/internal/format/metrics"
	"whet/internal/quantity"
)

const (
	// longPause is what a pause must last to be told of; the texts say it too. The collector's pauses
	// usually last some tens of microseconds.
	longPause = int64(5 * time.Millisecond)
	// From gravePause on a pause is an event of its own, if it is among the
	// graveMost longest.
	gravePause = int64(50 * time.Millisecond)
	graveMost  = 3
)

// pauses finds how often and for how long the collector stopped the program:
// one event for all long pauses together, so that a program with many does not
// hide what else happened, and one for each grave one.
func pauses(in *Input, lives [][]metrics.Row) []Event {
	single, found := "the collector stopped the program for %s in one cycle", cyclePauses(in)
	if len(in.Cycles) == 0 {
		single, found = "the collector stopped the program for about %s in all within one sample, by the runtime's own estimate", rowPauses(lives)
	}
	if len(found) == 0 {
		return nil
	}
	byLength := slices.Clone(found)
	slices.SortStableFunc(byLength, func(a, b Event) int { return cmp.Compare(b.Value, a.Value) })
	var out []Event
	for i, e := range byLength {
		if i < graveMost && e.Value >= float64(gravePause) || len(found) == 1 {
			e.Text = fmt.Sprintf(single, quantity.Nanoseconds(e.Value))
			out = append(out, e)
		}
	}
	if len(found) == 1 {
		return out
	}
	all := Event{Kind: GCPause, StartNs: found[0].StartNs, EndNs: found[0].EndNs}
	for _, e := range found {
		all.StartNs, all.EndNs = min(all.StartNs, e.StartNs), max(all.EndNs, e.EndNs)
		all.Value, all.Low, all.High = all.Value+e.Value, all.Low+e.Low, all.High+e.High
	}
	longest := byLength[0]
	if len(in.Cycles) > 0 {
		all.Text = fmt.Sprintf("the collector stopped the program %s times for 5 ms or more: %s at most (at %.2f s), %s in all",
			quantity.Count(float64(len(found))), quantity.Nanoseconds(longest.Value), float64(longest.StartNs)/1e9, quantity.Nanoseconds(all.Value))
	} else {
		all.Text = fmt.Sprintf("the collector stopped the program for about 5 ms or more in each of %s samples: %s at most (at %.2f s), %s in all, by the runtime's own estimate",
			quantity.Count(float64(len(found))), quantity.Nanoseconds(longest.Value), float64(longest.StartNs)/1e9, quantity.Nanoseconds(all.Value))
	}
	return append(out, all)
}

// cyclePauses returns the cycles that stopped the program for long.
func cyclePauses(in *Input) []Event {
	var out []Event
	for i := range in.Cycles {
		c := &in.Cycles[i]
		start, pause := int64(c.At), int64(c.Pause())
		if pause < longPause {
			continue
		}
		// Each of the two parts is printed with two digits, rounded down.
		out = append(out, Event{
			Kind: GCPause, StartNs: start, EndNs: start + int64(c.Wall()),
			Value: float64(pause), Low: float64(pause), High: float64(pause) * 1.1,
		})
	}
	return out
}

// rowPauses returns the steps between rows in which the collector stopped the
// program for long.
func rowPauses(lives [][]metrics.Row) []Event {
	var out []Event
	for a, b := range neighbours(lives) {
		n, ok := rise(a.GCPauseNs, b.GCPauseNs)
		if !ok || n < longPause {
			continue
		}
		step := b.TimeNs - a.TimeNs
		out = append(out, Event{
			Kind: GCPause, StartNs: a.TimeNs, EndNs: b.TimeNs,
			Value: float64(min(n, step)), Low: 0, High: float64(step), // it is an estimate
		})
	}
	return out
}
