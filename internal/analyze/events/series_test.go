package events

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"whet/internal/format/gctrace"
	"whet/internal/format/metrics"
)

const (
	ms  = int64(time.Millisecond)
	sec = int64(time.Second)
	mib = 1 << 20
)

func n(v int64) *int64 { return &v }

// rows makes one row each 100 ms from 0 to the length, that of 0 with it.
func rows(length int64, set func(r *metrics.Row, s float64)) []metrics.Row {
	var out []metrics.Row
	for t := int64(0); t <= length; t += 100 * ms {
		r := metrics.Row{TimeNs: t, PID: 7}
		set(&r, float64(t)/1e9)
		out = append(out, r)
	}
	return out
}

// goroutines makes rows of a number of goroutines over time in seconds.
func goroutines(length int64, at func(s float64) float64) []metrics.Row {
	return rows(length, func(r *metrics.Row, s float64) { r.Goroutines = n(int64(math.Round(at(s)))) })
}

// burning makes rows of a process that uses so many cores, as a function of
// time in seconds; summed up in steps of 10 ms.
func burning(length int64, cores func(s float64) float64) []metrics.Row {
	var used, done int64
	return rows(length, func(r *metrics.Row, s float64) {
		for ; done < r.TimeNs; done += 10 * ms {
			used += int64(cores(float64(done)/1e9) * float64(10*ms))
		}
		r.UserCPUNs, r.SystemCPUNs = n(used*3/4), n(used-used*3/4)
	})
}

// answers makes bins of 10 ms with rate(s) answers a second as a Poisson
// process.
func answers(length int64, seed uint64, rate func(s float64) float64) []int32 {
	r := rand.New(rand.NewPCG(seed, 1))
	out := make([]int32, length/(10*ms))
	for i := range out {
		out[i] = poisson(r, rate(float64(i)/100)/100)
	}
	return out
}

// poisson counts the events of a unit of time that come by themselves.
func poisson(r *rand.Rand, mean float64) int32 {
	k := int32(0)
	for t := r.ExpFloat64(); t < mean; t += r.ExpFloat64() {
		k++
	}
	return k
}

func constant(v float64) func(float64) float64 { return func(float64) float64 { return v } }

func cycles(count int, every time.Duration, set func(c *gctrace.Cycle, i int)) []gctrace.Cycle {
	out := make([]gctrace.Cycle, count)
	for i := range out {
		out[i] = gctrace.Cycle{N: int64(i + 1), At: time.Duration(i) * every, SweepTerm: 30 * time.Microsecond, Mark: time.Millisecond, MarkTerm: 20 * time.Microsecond, LiveBytes: 100 * mib}
		set(&out[i], i)
	}
	return out
}

func load(in Input, length int64) Input {
	in.Load, in.BinNs = Span{0, length}, 10*ms
	return in
}

// only fails unless the events are of one kind, and returns them.
func only(t *testing.T, events []Event, kind string, count int) []Event {
	t.Helper()
	for _, e := range events {
		if e.Kind != kind {
			t.Errorf("not asked for: %+v", e)
		}
		if !(e.Low <= e.Value && e.Value <= e.High) || e.StartNs > e.EndNs {
			t.Errorf("out of its bounds: %+v", e)
		}
	}
	if len(events) != count {
		t.Fatalf("%d events, want %d: %+v", len(events), count, events)
	}
	return events
}

// later moves cycles to a runtime that started at a moment.
func later(by int64, cycles []gctrace.Cycle) []gctrace.Cycle {
	cycles = slices.Clone(cycles)
	for i := range cycles {
		cycles[i].At += time.Duration(by)
	}
	return cycles
}
