package events

import (
	"fmt"
	"slices"

	"whet/internal/format/metrics"
	"whet/internal/quantity"
	"whet/internal/stat"
)

const (
	// A process is busy when it usually uses this many cores; then a step in
	// which it used less than idleRatio of the usual is idle.
	busyCores = 0.2
	idleRatio = 0.05
)

// step is the time between two rows.
type step struct {
	Span
	cores float64
}

func (s step) length() int64 { return s.EndNs - s.StartNs }

// idle finds stalls of a process that no load tells of: it used no CPU for a
// while, but did before and after. A step in which it stood still for a part
// is told by what it used: at the usual rate that takes cores/usual of the
// step.
func idle(in *Input, rows []metrics.Row) []Event {
	steps := cpuSteps(in, rows)
	if len(steps) < 4 {
		return nil
	}
	var lengths, cores []float64
	for _, s := range steps {
		lengths = append(lengths, float64(s.length()))
		cores = append(cores, s.cores)
	}
	// The median step is busy where the process is busy most of the time: one
	// that sleeps between jobs stands still by design.
	usual, usualStep := stat.Median(cores), stat.Median(lengths)
	if usual < busyCores {
		return nil
	}
	stood := func(i int) float64 { // nanoseconds of a step without work
		if i < 0 || i >= len(steps) {
			return 0
		}
		return float64(steps[i].length()) * max(0, 1-steps[i].cores/usual)
	}
	still := func(i int) bool {
		return steps[i].cores < idleRatio*usual || float64(steps[i].length()) >= 2*usualStep && stood(i) >= float64(shortestStall)
	}

	var out []Event
	for i := 0; i < len(steps); i++ {
		if !still(i) {
			continue
		}
		first := i
		for i+1 < len(steps) && still(i+1) {
			i++
		}
		// At either end of the rows nobody knows what came before or after.
		if first == 0 || i == len(steps)-1 {
			continue
		}
		// The neighbours are part of it as far as they did nothing.
		before, after := stood(first-1), stood(i+1)
		inside := 0.0
		for k := first; k <= i; k++ {
			inside += stood(k)
		}
		l := before + inside + after
		if l < max(float64(shortestStall), 2*usualStep) {
			continue
		}
		start := steps[first].StartNs - int64(before)
		out = append(out, Event{
			Kind: Stall, StartNs: start, EndNs: start + int64(l), Value: l, Low: max(0, l-usualStep), High: l + usualStep,
			Text: fmt.Sprintf("the process used next to no CPU for %s ± %s (its start is known to ± %s), where it usually uses %s cores",
				quantity.Nanoseconds(l), quantity.Nanoseconds(usualStep), quantity.Nanoseconds(usualStep), quantity.Count(round(usual))),
		})
	}
	return out
}

// cpuSteps returns the steps between rows that know the CPU time.
func cpuSteps(in *Input, rows []metrics.Row) []step {
	known := slices.DeleteFunc(slices.Clone(rows), func(r metrics.Row) bool {
		_, ok := cpu(&r)
		return !ok || !in.Load.holds(r.TimeNs)
	})
	var out []step
	for i := 1; i < len(known); i++ {
		a, _ := cpu(&known[i-1])
		b, _ := cpu(&known[i])
		at := Span{known[i-1].TimeNs, known[i].TimeNs}
		out = append(out, step{at, float64(b-a) / float64(at.EndNs-at.StartNs)})
	}
	return out
}
