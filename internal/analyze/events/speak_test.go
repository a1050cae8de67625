package events

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"whet/internal/format/gctrace"
	"whet/internal/format/metrics"
)

// A leak of ten goroutines a second on top of 40, for 20 s: 240 at the end. The
// rows are cut into twelve parts of 16 or 17; the medians of the first and the
// last lie 0.8 s from either end: 48 and 232.
func TestLeak(t *testing.T) {
	e := only(t, Find(Input{Rows: goroutines(20*sec, func(s float64) float64 { return 40 + 10*s })}), Goroutines, 1)[0]
	if math.Abs(e.Value-10) > 0.1 || e.StartNs != 0 || e.EndNs != 20*sec {
		t.Errorf("%+v", e)
	}
	if want := "goroutines rose steadily by 10 a second (95 % interval "; !strings.HasPrefix(e.Text, want) || !strings.HasSuffix(e.Text, ", from 48 to 232 over 20.0 s") {
		t.Error(e.Text)
	}
}

// With the coming and going of 64 connections on top the slope is inside its
// interval about as often as that says, and nearly always noticed.
func TestLeakInNoise(t *testing.T) {
	const runs = 200
	found, held := 0, 0
	for seed := range uint64(runs) {
		r := rand.New(rand.NewPCG(seed, 3))
		in := Input{Rows: goroutines(20*sec, func(s float64) float64 { return 40 + 10*s + float64(r.IntN(65)) })}
		for _, e := range Find(in) {
			found++
			if e.Low <= 10 && 10 <= e.High {
				held++
			}
		}
	}
	// Three standard deviations of a share of 0.95 in 200 runs are 0.046.
	if found < runs*98/100 || float64(held) < 0.904*float64(found) {
		t.Errorf("%d of %d found, %d of them hold the true slope", found, runs, held)
	}
}

// The load's phase alone is looked at, and the process's warm-up is not.
func TestLeakUnderLoad(t *testing.T) {
	in := Input{Load: Span{10 * sec, 30 * sec}, Rows: goroutines(40*sec, func(s float64) float64 { return 40 + 5*max(0, min(s, 30)-10) })}
	e := only(t, Find(in), Goroutines, 1)[0]
	if math.Abs(e.Value-5) > 0.05 || e.StartNs != 10*sec || e.EndNs != 30*sec-100*ms {
		t.Errorf("%+v", e)
	}
}

// A heap that keeps 2 MiB a second, as 40 cycles in 20 s print it: rounded down
// to whole MiB.
func TestHeapGrowth(t *testing.T) {
	in := Input{Cycles: later(5*sec, cycles(41, 500*time.Millisecond, func(c *gctrace.Cycle, i int) { c.LiveBytes = int64(20+i) * mib }))}
	e := only(t, Find(in), Heap, 1)[0]
	if math.Abs(e.Value-2*mib) > 0.01*mib || e.StartNs != 5*sec || e.EndNs != 25*sec || !strings.Contains(e.Text, "by 2 MiB a second") {
		t.Errorf("%+v", e)
	}

	// The same from rows, of which each tenth is the first after a cycle; in
	// between the heap grows by 50 MiB that are dead.
	var gc int64
	in = Input{Rows: rows(20*sec, func(r *metrics.Row, s float64) {
		step := r.TimeNs / (100 * ms) % 10
		if step == 0 {
			gc++
		}
		r.GCCycles, r.HeapLiveBytes = n(gc), n(int64((20+2*s+5*float64(step))*mib))
	})}
	e = only(t, Find(in), Heap, 1)[0]
	if math.Abs(e.Value-2*mib) > 0.01*mib {
		t.Errorf("%+v", e)
	}
}

// A cycle in each step, and as much again dead as lives at most, by chance: the
// least of 16 rows is about live·(1 + 1/17), where the median would be half too
// much.
func TestHeapGrowthInGarbage(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	in := Input{Rows: rows(20*sec, func(row *metrics.Row, s float64) {
		row.GCCycles, row.HeapLiveBytes = n(row.TimeNs), n(int64((50+10*s)*(1+r.Float64())*mib))
	})}
	e := only(t, Find(in), Heap, 1)[0]
	if e.Value < 9*mib || e.Value > 12*mib {
		t.Errorf("%+v", e)
	}
}

// 20 s with ten answers each 10 ms, none from 7.00 s to 7.35 s: 35 empty bins.
// The last answer before and the first after lie anywhere in the bins beside
// them, so it lasted 36 bins give or take one, from half a bin before the first. The other 1,965 bins have 19,650 answers, 1,000 a
// second: 360 in 360 ms. The load began 3 s after the origin.
func TestStall(t *testing.T) {
	in := load(Input{}, 20*sec)
	for i := range 2000 {
		count := int32(10)
		if i >= 700 && i < 735 {
			count = 0
		}
		in.Answers = append(in.Answers, count)
	}
	in.Load = Span{3 * sec, 23 * sec}
	in.Rows = burning(30*sec, func(s float64) float64 {
		if s >= 10 && s < 10.35 {
			return 0.01
		}
		return 0.9
	})
	e := only(t, Find(in), Stall, 1)[0]
	if e.StartNs != 10*sec-5*ms || e.EndNs != 10*sec+355*ms || e.Value != float64(360*ms) || e.Low != float64(350*ms) || e.High != float64(370*ms) {
		t.Errorf("%+v", e)
	}
	if want := "no request was answered for 360 ms ± 10.0 ms (its start is known to ± 5.00 ms), where 360 were expected; the process used 0.01 cores meanwhile"; e.Text != want {
		t.Error(e.Text)
	}
}

// Wherever within the bins a stall of 200 ms lies, it is found, and its true
// length and start lie within what is printed.
func TestStallAnywhere(t *testing.T) {
	for offset := int64(0); offset < 10*ms; offset += ms / 2 {
		bins := make([]int32, 2000)
		start, end := 5*sec+offset, 5*sec+offset+200*ms
		for at := int64(0); at < 20*sec; at += ms / 4 {
			if at < start || at >= end {
				bins[at/(10*ms)]++
			}
		}
		e := only(t, Find(load(Input{Answers: bins}, 20*sec)), Stall, 1)[0]
		if e.Low > float64(200*ms) || e.High < float64(200*ms) || math.Abs(float64(e.StartNs-start)) > float64(5*ms) {
			t.Errorf("at %d: %+v", start, e)
		}
	}
}

// The service never answers again: the stall lasts to the end.
func TestStallToTheEnd(t *testing.T) {
	in := load(Input{Answers: answers(20*sec, 1, func(s float64) float64 {
		if s >= 15 {
			return 0
		}
		return 1000
	})}, 20*sec)
	e := only(t, Find(in), Stall, 1)[0]
	if e.StartNs != 15*sec-5*ms || e.Value != float64(5*sec+5*ms) || !strings.HasPrefix(e.Text, "no request was answered in the last 5.00 s ± 5.00 ms of the load") {
		t.Errorf("%+v", e)
	}
}

// A process without a load: busy on 1.5 cores but for 3.04 s to 3.64 s. Rows lie
// each 100 ms, so five steps are empty; of the step before 0.06 are, of the one
// after 0.04.
func TestIdleStall(t *testing.T) {
	in := Input{Rows: burning(10*sec, func(s float64) float64 {
		if s >= 3.04 && s < 3.64 {
			return 0
		}
		return 1.5
	})}
	e := only(t, Find(in), Stall, 1)[0]
	if math.Abs(float64(e.StartNs-3040*ms)) > float64(ms) || math.Abs(e.Value-float64(600*ms)) > float64(ms) || e.Low != e.Value-float64(100*ms) {
		t.Errorf("%+v", e)
	}

	// The sampler stands still with the process: no rows from 3.0 to 3.7 s.
	all := in.Rows
	in.Rows = nil
	for _, r := range all {
		if r.TimeNs <= 3*sec || r.TimeNs >= 3700*ms {
			in.Rows = append(in.Rows, r)
		}
	}
	e = only(t, Find(in), Stall, 1)[0]
	if math.Abs(e.Value-float64(600*ms)) > float64(ms) {
		t.Errorf("%+v", e)
	}
}

func TestForcedGC(t *testing.T) {
	in := Input{Cycles: later(2*sec, cycles(20, time.Second, func(c *gctrace.Cycle, i int) {
		c.Forced = i == 4 || i == 9
		if i == 9 {
			c.Mark = 7 * time.Millisecond
		}
	}))}
	// whet asks for a heap profile 11.010 s after the origin, and the cycle
	// lies at 2 s + 9 s = 11 s: within what the start of the runtime is known.
	in.OwnGC = []Span{{11*sec + 10*ms, 11*sec + 40*ms}}
	e := only(t, Find(in), ForcedGC, 1)[0]
	if e.StartNs != 6*sec || e.EndNs != 6*sec+1050*ms/1000 || !strings.Contains(e.Text, "forced a collection: 1.05 ms, of which 50.0 µs stopped it") {
		t.Errorf("%+v", e)
	}

	// Two cycles in one of whet's own whiles: it asked for one.
	twice := in
	twice.Cycles = later(2*sec, cycles(20, 10*time.Millisecond, func(c *gctrace.Cycle, i int) { c.Forced = i < 2 }))
	twice.OwnGC = []Span{{2 * sec, 2*sec + 30*ms}}
	if e := only(t, Find(twice), ForcedGC, 1)[0]; e.StartNs != 2*sec+10*ms {
		t.Errorf("%+v", e)
	}

	// Two calls within one row's step, one of them whet's.
	var forced int64
	byRows := rows(10*sec, func(r *metrics.Row, s float64) {
		if r.TimeNs == 3*sec {
			forced += 2
		}
		r.GCForced = n(forced)
	})
	e = only(t, Find(Input{Rows: byRows, OwnGC: []Span{{2950 * ms, 2960 * ms}}}), ForcedGC, 1)[0]
	if e.StartNs != 2900*ms || e.EndNs != 3*sec || e.Value != 1 || e.Text != "the program forced 1 collection within these 100 ms" {
		t.Errorf("%+v", e)
	}
	// A line of the log is lost: the rows know.
	in.Cycles = append(in.Cycles[:4:4], in.Cycles[5:]...)
	in.Rows = byRows
	if got := only(t, Find(in), ForcedGC, 1)[0]; got.StartNs != 2900*ms || got.Value != 2 {
		t.Errorf("%+v", got)
	}
}

func TestPause(t *testing.T) {
	in := Input{Cycles: later(sec, cycles(20, time.Second, func(c *gctrace.Cycle, i int) {
		if i == 3 {
			c.SweepTerm, c.MarkTerm = 11*time.Millisecond, 4*time.Millisecond
		}
	}))}
	e := only(t, Find(in), GCPause, 1)[0]
	if e.StartNs != 4*sec || e.Value != float64(15*ms) || math.Abs(e.High-16.5e6) > 1 || e.Text != "the collector stopped the program for 15.0 ms in one cycle" {
		t.Errorf("%+v", e)
	}
	in = Input{Rows: rows(10*sec, func(r *metrics.Row, s float64) {
		r.GCPauseNs = n(int64(s * 1e6))
		if s >= 5 {
			*r.GCPauseNs += 12 * ms
		}
	})}
	e = only(t, Find(in), GCPause, 1)[0]
	if e.StartNs != 4900*ms || e.Value != 12.1*float64(ms) {
		t.Errorf("%+v", e)
	}
}

// Nine long pauses are one event: 1 × 54 ms + 8 × 9.6 ms = 130.8 ms. The one of
// 54 ms is one more.
func TestPauses(t *testing.T) {
	in := Input{Cycles: later(sec, cycles(20, time.Second, func(c *gctrace.Cycle, i int) {
		switch {
		case i == 7:
			c.SweepTerm, c.MarkTerm = 50*time.Millisecond, 4*time.Millisecond
		case i >= 3 && i <= 11:
			c.SweepTerm, c.MarkTerm = 9*time.Millisecond, 600*time.Microsecond
		}
	}))}
	found := only(t, Find(in), GCPause, 2)
	all := found[0]
	if all.StartNs != 4*sec || all.EndNs != 12*sec+10600*int64(time.Microsecond) || math.Abs(all.Value-130.8e6) > 1 ||
		all.Text != "the collector stopped the program 9 times for 5 ms or more: 54.0 ms at most (at 8.00 s), 131 ms in all" {
		t.Errorf("%+v", all)
	}
	if e := found[1]; e.StartNs != 8*sec || e.Value != 54e6 || e.Text != "the collector stopped the program for 54.0 ms in one cycle" {
		t.Errorf("%+v", e)
	}

	// Twenty of 60 ms and more: the three longest, and all.
	in = Input{Cycles: later(sec, cycles(20, time.Second, func(c *gctrace.Cycle, i int) {
		c.MarkTerm = time.Duration(60+i) * time.Millisecond
	}))}
	found = only(t, Find(in), GCPause, 4)
	for i, e := range found[1:] {
		if e.StartNs != int64(18+i)*sec {
			t.Errorf("%+v", e)
		}
	}

	// The runtime's estimate: 12 ms in a step, twice.
	in = Input{Rows: rows(10*sec, func(r *metrics.Row, s float64) {
		r.GCPauseNs = n(0)
		for _, at := range []float64{3, 5} {
			if s >= at {
				*r.GCPauseNs += 12 * ms
			}
		}
	})}
	if e := only(t, Find(in), GCPause, 1)[0]; e.StartNs != 2900*ms || e.EndNs != 5*sec || e.Value != 24e6 || e.High != 200e6 ||
		!strings.HasPrefix(e.Text, "the collector stopped the program for about 5 ms or more in each of 2 samples: 12.0 ms at most (at 2.90 s), 24.0 ms in all") {
		t.Errorf("%+v", e)
	}
}

// Throttled for 20 ms in each 100 ms from 2 s to 4 s, and once more at 8 s:
// 400 ms in 2 s, 30 ms in 0.1 s.
func TestThrottled(t *testing.T) {
	in := Input{Rows: rows(10*sec, func(r *metrics.Row, s float64) {
		r.ThrottledNs = n(int64(math.Round(max(0, min(s, 4)-2) * 0.2 * 1e9)))
		if s >= 8 {
			*r.ThrottledNs += 30 * ms
		}
	})}
	e := only(t, Find(in), Throttled, 2)
	if e[0].StartNs != 2*sec || e[0].EndNs != 4*sec || e[0].Value != float64(400*ms) || !strings.Contains(e[0].Text, "throttled the process for 400 ms, summed over processors, within 2.00 s") {
		t.Errorf("%+v", e[0])
	}
	if e[1].StartNs != 7900*ms || e[1].Value != float64(30*ms) {
		t.Errorf("%+v", e[1])
	}
}

func TestRestart(t *testing.T) {
	in := Input{Rows: burning(10*sec, constant(0.5))}
	for i := range in.Rows[50:] {
		in.Rows[50+i].PID = 8
		in.Rows[50+i].GCForced = n(40)
		in.Rows[50+i].ThrottledNs = n(sec)
	}
	e := only(t, Find(in), Restart, 1)[0]
	if e.StartNs != 4900*ms || e.EndNs != 5*sec || !strings.Contains(e.Text, "process 7 became 8") {
		t.Errorf("%+v", e)
	}
	// The number of the process is not known, or is that of its predecessor, as
	// in a container.
	for _, pid := range []int64{0, 1} {
		in = Input{Rows: burning(10*sec, constant(0.5))}
		for i := range in.Rows {
			in.Rows[i].PID = pid
			if i >= 50 {
				*in.Rows[i].UserCPUNs -= *in.Rows[49].UserCPUNs
			}
		}
		e = only(t, Find(in), Restart, 1)[0]
		if e.StartNs != 4900*ms || !strings.Contains(e.Text, "its counters ran backwards") {
			t.Errorf("%+v", e)
		}
	}
	// Each life leaks for itself.
	in = Input{Rows: goroutines(20*sec, func(s float64) float64 { return 10 * math.Mod(s, 10) })}
	for i := range in.Rows[100:] {
		in.Rows[100+i].PID = 8
	}
	kinds := ""
	for _, e := range Find(in) {
		kinds += e.Kind + " "
		if e.Kind == Goroutines && math.Abs(e.Value-10) > 0.2 {
			t.Errorf("%+v", e)
		}
	}
	if kinds != "goroutine-leak restart goroutine-leak " {
		t.Error(kinds)
	}
}

func seconds(requests int64, errors ...int64) []Second {
	var out []Second
	for i, e := range errors {
		out = append(out, Second{StartNs: int64(i) * sec, LengthNs: sec, Requests: requests, Errors: e})
	}
	return out
}

func TestErrors(t *testing.T) {
	// Seconds 3 and 4: 300 and 112 of 1,000 each, 412 of 2,000 together.
	e := only(t, Find(Input{Seconds: seconds(1000, 0, 1, 0, 300, 112, 0, 2, 0)}), Errors, 1)[0]
	if e.StartNs != 3*sec || e.EndNs != 5*sec || e.Value != 0.206 || e.Text != "412 of 2,000 requests failed (20.6 %) within 2.00 s, usually 0 %" {
		t.Errorf("%+v", e)
	}
	// A server that dies after one second of eight, and one that answered half
	// wrong before.
	e = only(t, Find(Input{Seconds: seconds(100, 0, 100, 100, 100, 100, 100, 100, 100)}), Errors, 1)[0]
	if e.StartNs != sec || e.EndNs != 8*sec || e.Value != 1 {
		t.Errorf("%+v", e)
	}
	e = only(t, Find(Input{Seconds: seconds(100, 9, 12, 10, 60, 8, 11)}), Errors, 1)[0]
	if e.StartNs != 3*sec {
		t.Errorf("%+v", e)
	}
}

// Twelve forced collections: ten by themselves, two in one event.
func TestBounded(t *testing.T) {
	in := Input{Cycles: cycles(30, time.Second, func(c *gctrace.Cycle, i int) { c.Forced = i < 12 })}
	e := only(t, Find(in), ForcedGC, 11)
	if last := e[10]; last.StartNs != 10*sec || last.EndNs < 11*sec || !strings.HasPrefix(last.Text, "2 more, the largest of them: the program forced ") {
		t.Errorf("%+v", last)
	}
}
