package timeline

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestBinsWrittenOut: a processor runs class 1 in the first quarter, class 2 in the
// second half of the third.
func TestBinsWrittenOut(t *testing.T) {
	const span = Points * 1000 // so that the finest level is the first
	b := New(Options{Window: Window{0, span}, Classes: map[string]uint8{"a": 1, "b": 2}, States: 3, Procs: 1})
	b.Add(&Interval{FromNs: 0, ToNs: span / 4, Start: "a", Proc: 3})
	b.Add(&Interval{FromNs: span/2 + span/8, ToNs: span/2 + span/4, Start: "b", Proc: 3})
	got := b.Finish()
	if len(got.Procs) != 1 || got.Procs[0].Number != 3 || len(got.Procs[0].Levels) != 1 || got.BinNs != 1000 {
		t.Fatalf("%+v", got.Procs)
	}
	for i, bin := range got.Procs[0].Levels[0] {
		want := Bin{}
		switch {
		case i < Points/4:
			want = Bin{255, 1}
		case i >= Points*5/8 && i < Points*3/4:
			want = Bin{255, 2}
		}
		if bin != want {
			t.Fatalf("bin %d: %+v, want %+v", i, bin, want)
		}
	}
}

// TestSums: whatever the intervals, courses and bins hold their time.
func TestSums(t *testing.T) {
	for seed := range uint64(5) {
		random := rand.New(rand.NewPCG(seed, 2))
		const span, procs, states = int64(5e9), 2, 4
		b := New(Options{Window: Window{100, 100 + span}, Classes: map[string]uint8{"a": 1}, States: states, Procs: procs, Keep: []Window{{0, 1 << 62}}, Most: 1 << 20})
		var want [states]float64
		var ran [procs]float64
		total := 0
		for p := range int32(procs) {
			for at := int64(100); at < 100+span; total++ {
				end := at + 1 + random.Int64N(20e6)
				b.Add(&Interval{FromNs: at, ToNs: end, Start: "a", Proc: p, Goroutine: int64(p)})
				want[0] += float64(min(end, 100+span) - at)
				ran[p] += float64(min(end, 100+span) - at)
				state := uint8(1 + random.IntN(states-1))
				from := at - random.Int64N(1e9)
				b.Add(&Interval{FromNs: from, ToNs: end, State: state, Proc: -1})
				want[state] += float64(min(end, 100+span) - max(from, 100))
				at = end + random.Int64N(5e6)
			}
		}
		got := b.Finish()
		for s, c := range got.States {
			sum := 0.0
			for _, v := range c {
				sum += v
			}
			if sum *= float64(span) / Points; math.Abs(sum-want[s]) > 1e-6*want[s] {
				t.Errorf("seed %d: state %d has %v ns, want %v", seed, s, sum, want[s])
			}
		}
		for i, p := range got.Procs {
			if len(p.Levels[0]) != Points || len(p.Levels) < 3 {
				t.Fatalf("levels of %d bins: %d", len(p.Levels[0]), len(p.Levels))
			}
			for l, level := range p.Levels {
				sum, width := 0.0, float64(got.BinNs)*math.Pow(step, float64(len(p.Levels)-1-l))
				for _, bin := range level {
					sum += float64(bin.Fill) / 255 * width
				}
				// A bin is rounded to one part in 255, up to it where nearly nothing ran.
				if math.Abs(sum-ran[i]) > .01*ran[i] {
					t.Errorf("seed %d: processor %d level %d has %v ns, want %v", seed, i, l, sum, ran[i])
				}
			}
		}
		if len(got.Intervals) != 2*total {
			t.Errorf("%d intervals kept, of %d", len(got.Intervals), 2*total)
		}
	}
}

// TestWindows: all that touches what is left of a window is kept, and nothing else.
func TestWindows(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 9))
	var all []Interval
	for end := int64(1); end < 100000; end += 1 + random.Int64N(20) {
		all = append(all, Interval{FromNs: max(0, end-1-random.Int64N(300)), ToNs: end, Goroutine: int64(random.IntN(50)), State: 2, Proc: -1})
	}
	b := New(Options{Window: Window{0, 100000}, States: 3, Procs: 1, Keep: []Window{{1000, 5000}, {20000, 90000}, {95000, 96000}}, Most: 1500})
	for i := range all {
		b.Add(&all[i])
	}
	got := b.Finish()
	if len(got.Windows) != 3 || got.Windows[0] != (Window{1000, 5000}) || got.Windows[1].ToNs >= 90000 || got.Windows[1].ToNs < 21000 {
		t.Fatalf("%+v", got.Windows)
	}
	want := 0
	for _, i := range all {
		for _, w := range got.Windows {
			if i.FromNs < w.ToNs && i.ToNs > w.FromNs {
				want++
				break
			}
		}
	}
	if len(got.Intervals) != want || want > 1700 {
		t.Errorf("%d intervals kept, %d are in the windows", len(got.Intervals), want)
	}
	for k := 1; k < len(got.Intervals); k++ {
		if x, y := got.Intervals[k-1], got.Intervals[k]; x.Goroutine > y.Goroutine || x.Goroutine == y.Goroutine && x.FromNs > y.FromNs {
			t.Fatalf("not in order: %+v, %+v", x, y)
		}
	}
}

// TestBounded: a hostile source has many processors, and many stops.
func TestBounded(t *testing.T) {
	b := New(Options{Window: Window{0, 1e12}, States: 1, Procs: 1})
	for p := range int32(1000) {
		b.Add(&Interval{FromNs: 5, ToNs: 6, Proc: p})
	}
	for i := range int64(maxRanges + 10) {
		b.Add(&Interval{Kind: Stop, FromNs: i, ToNs: i + 1})
	}
	b.Add(&Interval{Kind: Heap, FromNs: -5, ToNs: -5, Value: 7})
	b.Add(&Interval{Kind: Heap, FromNs: 1e12, ToNs: 1e12, Value: 7})
	got := b.Finish()
	bins := 0
	for _, p := range got.Procs {
		for _, l := range p.Levels {
			bins += len(l)
		}
	}
	if bins > 8*maxBins || got.RangesLeft != 10 || len(got.Stops) != maxRanges || got.Heap[Points-1] != 7 {
		t.Errorf("%d bins, %d stops and %d left, heap %v", bins, len(got.Stops), got.RangesLeft, got.Heap[Points-1])
	}
}
