package events

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"whet/internal/format/gctrace"
	"whet/internal/format/metrics"
)

// eventful returns a recording in which all sorts of things happen, or do not.
func eventful(t *rapid.T) Input {
	seed := rapid.Uint64().Draw(t, "seed")
	leak := rapid.Float64Range(0, 30).Draw(t, "leak")
	stallAt := rapid.Float64Range(1, 15).Draw(t, "stall")
	stallFor := rapid.Float64Range(0, 2).Draw(t, "for")
	rate := rapid.Float64Range(1, 2000).Draw(t, "rate")
	restart := rapid.IntRange(0, 300).Draw(t, "restart")
	withLoad := rapid.Bool().Draw(t, "load")
	r := rand.New(rand.NewPCG(seed, 1))

	stalled := func(s float64) bool { return s >= stallAt && s < stallAt+stallFor }
	in := Input{Rows: burning(20*sec, func(s float64) float64 {
		if stalled(s) {
			return 0
		}
		return 1 + r.Float64()/10
	})}
	for i := range in.Rows {
		row := &in.Rows[i]
		s := float64(row.TimeNs) / 1e9
		if i >= restart {
			row.PID = 9
		}
		row.Goroutines = n(int64(40 + leak*s + float64(r.IntN(10))))
		row.ThrottledNs = n(int64(math.Floor(s/7)) * 50 * ms)
		row.GCForced = n(int64(s / 4))
		row.GCPauseNs = n(int64(math.Floor(s/9)) * 8 * ms)
	}
	if rapid.Bool().Draw(t, "gctrace") {
		in.Cycles = cycles(40, 500*time.Millisecond, func(c *gctrace.Cycle, i int) {
			c.Forced = r.IntN(5) == 0
			c.LiveBytes = int64(50+int(leak)*i/10) * mib
			c.MarkTerm = time.Duration(r.ExpFloat64() * 2e6)
		})
		in.Cycles = later(100*ms, in.Cycles)
		in.OwnGC = []Span{{3 * sec, 4 * sec}}
	}
	if withLoad {
		in = load(in, 20*sec)
		in.Answers = answers(20*sec, seed, func(s float64) float64 {
			if stalled(s) {
				return 0
			}
			return rate
		})
		for i := range 20 {
			second := Second{StartNs: int64(i) * sec, LengthNs: sec, Requests: int64(rate)}
			if r.IntN(4) == 0 {
				second.Errors = second.Requests / 2
			}
			in.Seconds = append(in.Seconds, second)
		}
	}
	return in
}

// shifted moves a whole recording in time.
func shifted(in Input, by int64) Input {
	out := in
	out.Rows = append([]metrics.Row(nil), in.Rows...)
	for i := range out.Rows {
		out.Rows[i].TimeNs += by
	}
	out.Seconds = append([]Second(nil), in.Seconds...)
	for i := range out.Seconds {
		out.Seconds[i].StartNs += by
	}
	out.OwnGC = append([]Span(nil), in.OwnGC...)
	for i := range out.OwnGC {
		out.OwnGC[i].StartNs += by
		out.OwnGC[i].EndNs += by
	}
	out.Cycles = later(by, in.Cycles)
	if out.Load != (Span{}) {
		out.Load.StartNs += by
		out.Load.EndNs += by
	}
	return out
}

var momentIn = regexp.MustCompile(`\(at (-?[0-9.]+) s\)`)

// shiftedText shifts the moment that the text of several pauses names. Only
// whole hundredths of a second are shifted by, so that no rounding changes.
func shiftedText(text string, by int64) string {
	return momentIn.ReplaceAllStringFunc(text, func(s string) string {
		at, _ := strconv.ParseFloat(momentIn.FindStringSubmatch(s)[1], 64)
		return fmt.Sprintf("(at %.2f s)", math.Round(at*100+float64(by/hundredth))/100)
	})
}

const hundredth = 10 * ms

// Shifting all times shifts the events and changes nothing else.
func TestShift(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates many courses")
	}
	rapid.Check(t, func(t *rapid.T) {
		in := eventful(t)
		by := rapid.Int64Range(-100*sec/hundredth, 1000*sec/hundredth).Draw(t, "by") * hundredth
		want := Find(in)
		for i := range want {
			want[i].StartNs += by
			want[i].EndNs += by
			want[i].Text = shiftedText(want[i].Text, by)
		}
		if diff := cmp.Diff(want, Find(shifted(in, by))); diff != "" {
			t.Fatal(diff)
		}
	})
}

// Events lie within what was recorded, in order, each kind bounded, each value
// within its bounds, and the recording stays as it was.
func TestWellFormed(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates many courses")
	}
	rapid.Check(t, func(t *rapid.T) {
		in := eventful(t)
		before := shifted(in, 0)
		kinds := make(map[string]int)
		last := int64(math.MinInt64)
		for _, e := range Find(in) {
			kinds[e.Kind]++
			if e.StartNs < last || e.EndNs < e.StartNs || e.StartNs < -10*ms || e.EndNs > 21*sec || e.Text == "" || !(e.Low <= e.Value && e.Value <= e.High) {
				t.Fatalf("%+v after %d", e, last)
			}
			last = e.StartNs
		}
		if kinds[GCPause] > graveMost+1 {
			t.Fatalf("%d events of pauses", kinds[GCPause])
		}
		for kind, count := range kinds {
			if count > most+1 {
				t.Fatalf("%d events of kind %s", count, kind)
			}
		}
		if diff := cmp.Diff(before, in); diff != "" {
			t.Fatal(diff)
		}
	})
}

// Twice the goroutines are twice the slope, with twice its bounds.
func TestScaling(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates many courses")
	}
	rapid.Check(t, func(t *rapid.T) {
		in := eventful(t)
		factor := rapid.Int64Range(2, 50).Draw(t, "factor")
		scaled := shifted(in, 0)
		for i := range scaled.Rows {
			scaled.Rows[i].Goroutines = n(*in.Rows[i].Goroutines * factor)
		}
		a, b := of(Find(in), Goroutines), of(Find(scaled), Goroutines)
		if len(a) > len(b) {
			t.Fatalf("%+v scaled by %d is %+v", a, factor, b)
		}
		for _, e := range a {
			found := false
			for _, s := range b {
				near := func(x, y float64) bool { return math.Abs(x*float64(factor)-y) <= 1e-9*math.Abs(y) }
				found = found || s.StartNs == e.StartNs && near(e.Value, s.Value) && near(e.Low, s.Low) && near(e.High, s.High)
			}
			if !found {
				t.Fatalf("%+v scaled by %d is %+v", e, factor, b)
			}
		}
	})
}

func of(events []Event, kind string) []Event {
	var out []Event
	for _, e := range events {
		if e.Kind == kind {
			out = append(out, e)
		}
	}
	return out
}

// A recording may hold anything: no number in it makes Find panic or return a
// value outside of its bounds.
func FuzzFind(f *testing.F) {
	f.Add(int64(0), int64(1), int64(100), int64(5), int32(7), int64(10))
	f.Add(int64(math.MaxInt64), int64(math.MinInt64), int64(math.MaxInt64), int64(-1), int32(math.MinInt32), int64(math.MaxInt64))
	f.Add(int64(math.MinInt64), int64(math.MaxInt64), int64(math.MinInt64), int64(math.MaxInt64), int32(math.MaxInt32), int64(1))
	f.Add(int64(math.MaxInt64/8), int64(math.MaxInt64/16), int64(math.MaxInt64), int64(math.MaxInt64), int32(1), int64(math.MaxInt64/200))
	f.Fuzz(func(t *testing.T, start, step, a, b int64, count int32, bin int64) {
		in := Input{BinNs: bin, Load: Span{start, start + 100*step}, OwnGC: []Span{{a, b}}}
		for i := range int64(40) {
			v := n(a + i*b)
			in.Rows = append(in.Rows, metrics.Row{
				TimeNs: start + i*step, Goroutines: v, HeapLiveBytes: v, GCCycles: n(i), GCForced: v, GCPauseNs: v, UserCPUNs: v, SystemCPUNs: v, ThrottledNs: v,
			})
			in.Cycles = append(in.Cycles, gctrace.Cycle{N: i + 1, At: time.Duration(start + i*step), MarkTerm: time.Duration(a), Mark: time.Duration(b), LiveBytes: *v, Forced: i%7 == 0})
			in.Seconds = append(in.Seconds, Second{StartNs: start + i*step, LengthNs: step, Requests: a, Errors: b})
			in.Answers = append(in.Answers, count*int32(i%5))
		}
		for _, e := range Find(in) {
			if e.Text == "" || e.EndNs < e.StartNs || !(e.Low <= e.Value && e.Value <= e.High) {
				t.Fatalf("%+v", e)
			}
		}
	})
}
