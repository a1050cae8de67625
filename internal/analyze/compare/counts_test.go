package compare

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"whet/internal/stat"
)

// constantly is a series whose counts never vary.
func constantly(rounds int, allocsOld, allocsNew, bytesOld, bytesNew float64) Series {
	s := Series{Name: "BenchmarkX"}
	old := Slice{NsPerOp: 100, AllocsPerOp: ptr(allocsOld), BytesPerOp: ptr(bytesOld)}
	for range rounds {
		s.Rounds = append(s.Rounds, Round{Old: old, Again: old, New: Slice{NsPerOp: 100, AllocsPerOp: ptr(allocsNew), BytesPerOp: ptr(bytesNew)}})
	}
	return s
}

// What the two counts, each rounded down, say together.
func TestRoundedCounts(t *testing.T) {
	for _, c := range []struct {
		name           string
		allocs, bytes  [2]float64
		verdict        Verdict // on allocations
		low, high      float64
		verdictOnBytes Verdict
	}{
		// 1.95 and 1.05 allocations of 64 bytes.
		{"1 and 1, half the bytes", [2]float64{1, 1}, [2]float64{124, 67}, CannotTell, 0.5, 2, Faster},
		{"1 and 1, the same bytes", [2]float64{1, 1}, [2]float64{64, 64}, NoChange, 0.5, 2, NoChange},
		{"1 and 1, bytes within the margin", [2]float64{1, 1}, [2]float64{1000, 1019}, NoChange, 0.5, 2, Slower}, // though hardly
		{"1 and 1, bytes beyond it", [2]float64{1, 1}, [2]float64{1000, 1021}, CannotTell, 0.5, 2, Slower},
		{"1 and 1 of 8 bytes", [2]float64{1, 1}, [2]float64{8, 8}, NoChange, 0.5, 2, NoChange},
		{"1 and 1 of 16 bytes and one more", [2]float64{1, 1}, [2]float64{16, 17}, NoChange, 0.5, 2, CannotTell},
		{"1 and 1 of 16 bytes and two more", [2]float64{1, 1}, [2]float64{16, 18}, CannotTell, 0.5, 2, Slower},
		{"49 and 49, other bytes", [2]float64{49, 49}, [2]float64{4900, 6000}, CannotTell, 49.0 / 50, 50.0 / 49, Slower},
		{"50 and 50, other bytes", [2]float64{50, 50}, [2]float64{5000, 6000}, NoChange, 50.0 / 51, 51.0 / 50, Slower},
		{"none and none", [2]float64{0, 0}, [2]float64{0, 0}, NoChange, 1, 1, NoChange},
		{"none and none, but bytes", [2]float64{0, 0}, [2]float64{50, 5}, CannotTell, 1 / MaxRatio, MaxRatio, Faster},
		{"none and none, as many bytes", [2]float64{0, 0}, [2]float64{12, 12}, NoChange, 1 / MaxRatio, MaxRatio, NoChange},
		// 2.00 and 1.99, or 2.99 and 1.00.
		{"2 and 1, the same bytes", [2]float64{2, 1}, [2]float64{128, 128}, CannotTell, 1, 3, NoChange},
		{"2 and 1, half the bytes", [2]float64{2, 1}, [2]float64{128, 64}, Faster, 1, 3, Faster},
		{"2 and 1, more bytes", [2]float64{2, 1}, [2]float64{128, 256}, CannotTell, 1, 3, Slower},
		{"1 and 2, twice the bytes", [2]float64{1, 2}, [2]float64{64, 128}, Slower, 1.0 / 3, 1, Slower},
		{"1 to none", [2]float64{1, 0}, [2]float64{64, 0}, Faster, 1, MaxRatio, Faster},
		{"from none to 1", [2]float64{0, 1}, [2]float64{0, 64}, Slower, 1 / MaxRatio, 1, Slower},
		{"3 and 1, more bytes", [2]float64{3, 1}, [2]float64{128, 256}, Faster, 1.5, 4, Slower},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := constantly(20, c.allocs[0], c.allocs[1], c.bytes[0], c.bytes[1])
			r := one(t, s, 1, defaults, Allocs)
			if r.Verdict != c.verdict || math.Abs(r.RatioLow-c.low) > 1e-12 || math.Abs(r.RatioHigh-c.high) > 1e-12 || !r.Exact {
				t.Errorf("allocations: %+v", r)
			}
			if (r.Verdict == CannotTell) != strings.HasPrefix(r.Reason, "counted in whole allocations, rounded down: old lies between ") {
				t.Errorf("reason: %q", r.Reason)
			}
			if r := one(t, s, 1, defaults, Bytes); r.Verdict != c.verdictOnBytes {
				t.Errorf("bytes: %+v", r)
			}
			// Exchanging the sides turns the verdict round.
			s = constantly(20, c.allocs[1], c.allocs[0], c.bytes[1], c.bytes[0])
			turned := map[Verdict]Verdict{Faster: Slower, Slower: Faster, NoChange: NoChange, CannotTell: CannotTell}
			if r := one(t, s, 1, defaults, Allocs); r.Verdict != turned[c.verdict] {
				t.Errorf("the other way round: %+v", r)
			}
		})
	}
}

// Where bytes are not reported, nothing settles small counts; where too few
// rounds or an invalid series forbid a verdict, agreeing bytes give none.
func TestCountsAreNotSettled(t *testing.T) {
	s := constantly(20, 1, 1, 64, 64)
	for i := range s.Rounds {
		s.Rounds[i].Old.BytesPerOp = nil
	}
	if r := one(t, s, 1, defaults, Allocs); r.Verdict != CannotTell {
		t.Errorf("without bytes: %+v", r)
	}
	if r := one(t, constantly(3, 1, 1, 64, 64), 1, defaults, Allocs); r.Verdict != CannotTell || !strings.Contains(r.Reason, "3 rounds") {
		t.Errorf("three rounds: %+v", r)
	}
	s = constantly(20, 1, 1, 64, 64)
	s.Invalid = "GOMAXPROCS differs"
	if r := one(t, s, 1, defaults, Allocs); r.Verdict != CannotTell || r.Reason != s.Invalid {
		t.Errorf("invalid: %+v", r)
	}
}

// Bytes that vary settle allocations by their interval.
func TestVaryingBytesSettleAllocations(t *testing.T) {
	for _, c := range []struct {
		bytes, spread float64
		want          Verdict
	}{
		{1000, 3, NoChange}, {1000, 300, CannotTell}, {64, 0.5, NoChange},
		{16, 0.5, NoChange}, // 15 and 16 in turns: 16.2, say, where a process sets up more or less
		{16, 4, CannotTell},
	} {
		s := constantly(20, 1, 1, c.bytes, c.bytes)
		for i := range s.Rounds {
			s.Rounds[i].New.BytesPerOp = ptr(math.Floor(c.bytes + c.spread*float64(i%3-1)))
		}
		if r := one(t, s, 1, defaults, Allocs); r.Verdict != c.want || !r.Exact {
			t.Errorf("%v bytes vary by %v: %+v", c.bytes, c.spread, r)
		}
		if r := one(t, s, 1, defaults, Bytes); r.Exact {
			t.Errorf("%v bytes vary by %v: %+v", c.bytes, c.spread, r)
		}
	}
}

// Package testing's rounding is undone: whatever fractions are cut off, the
// interval of constant counts holds the true ratio, and no verdict says the
// opposite of the truth when bytes are proportional to allocations.
func TestRoundingIsEnclosed(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	for range 5000 {
		old, new := 6*rng.Float64(), 6*rng.Float64()
		const size = 640
		r := one(t, constantly(12, math.Floor(old), math.Floor(new), math.Floor(old*size), math.Floor(new*size)), 1, defaults, Allocs)
		if ratio := old / new; !(r.RatioLow <= ratio && ratio <= r.RatioHigh) ||
			r.Verdict == Faster && ratio < 1 || r.Verdict == Slower && ratio > 1 || r.Verdict == NoChange && (ratio > 1.03 || ratio < 1/1.03) {
			t.Fatalf("%v allocations and %v: %+v", old, new, r)
		}
	}
}

// The same for counts that vary: old around 3.6, new around 3.1, of which
// testing shows 3 mostly. The intervals hold the true ratio of the medians.
func TestVaryingRoundedCounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	const runs = 1000
	held := 0
	for range runs {
		value := func(mean float64) *float64 { return ptr(math.Floor(mean + 0.5*rng.NormFloat64())) }
		r := one(t, counted(20, func(int) (*float64, *float64, *float64) { return value(3.6), value(3.6), value(3.1) }), 1, Options{Alpha: 0.05, Margin: 0.02}, Allocs)
		if r.RatioLow <= 3.6/3.1 && 3.6/3.1 <= r.RatioHigh {
			held++
		}
	}
	if high := stat.ClopperPearson(held, runs, 0.998).High; high < 0.95 {
		t.Errorf("the interval held the true ratio in %d of %d", held, runs)
	}
}

// Families of benchmarks whose counts vary like times: any false verdict, on
// any of the three rows, is as rare as alpha says.
func TestFamilyOfRows(t *testing.T) {
	m := newMachine(5)
	o := Options{Alpha: 0.05, Margin: 0.02}
	const runs = 1000
	wrong := 0
	for range runs {
		family := make([]Series, 4)
		for i := range family {
			family[i] = m.series(20, 1)
			a, b := m.series(20, 1), m.series(20, 1)
			for j := range family[i].Rounds {
				r := &family[i].Rounds[j]
				for _, p := range []struct{ to, allocs, bytes *Slice }{
					{&r.Old, &a.Rounds[j].Old, &b.Rounds[j].Old}, {&r.Again, &a.Rounds[j].Again, &b.Rounds[j].Again}, {&r.New, &a.Rounds[j].New, &b.Rounds[j].New},
				} {
					// In millions, so that the rounding hides nothing.
					p.to.AllocsPerOp, p.to.BytesPerOp = ptr(math.Floor(1e6*p.allocs.NsPerOp)), ptr(math.Floor(1e6*p.bytes.NsPerOp))
				}
			}
		}
		for _, r := range Compare(family, 4, o) {
			if r.RatioLow > 1 || r.RatioHigh < 1 {
				wrong++
				break
			}
		}
	}
	if low := stat.ClopperPearson(wrong, runs, 0.998).Low; low > o.Alpha {
		t.Errorf("in %d of %d families an interval missed the truth: more than alpha %v", wrong, runs, o.Alpha)
	}
	if wrong == 0 {
		t.Error("no interval ever missed: the simulation does not test it")
	}
}

func TestRoundsThatVerdictsNeed(t *testing.T) {
	for _, c := range []struct{ benchmarks, fewest, needed int }{
		{1, 5, 11},  // 2/C(15,5) = 0.00067 ≤ 0.005/3 < 2/C(12,4)
		{10, 6, 14}, // 2/C(18,6) = 0.00011 ≤ 0.005/30 < 2/C(15,5)
	} {
		if f, n := defaults.FewestRounds(c.benchmarks), defaults.RoundsNeeded(c.benchmarks); f != c.fewest || n != c.needed {
			t.Errorf("%d benchmarks: %d rounds for counts and %d for times, want %d and %d", c.benchmarks, f, n, c.fewest, c.needed)
		}
	}
	if got := defaults.Confidence(2); math.Abs(got-(1-0.005/6)) > 1e-15 {
		t.Errorf("confidence of 2 benchmarks, 6 rows: %v", got)
	}
}
