package compare

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"whet/internal/stat"
)

// counted gives every slice the count of f, as allocations and as bytes.
func counted(rounds int, f func(round int, w Side) float64) Series {
	s := Series{Name: "BenchmarkX", Metrics: []Metric{MetricOf(NsPerOp), MetricOf(BytesPerOp), MetricOf(AllocsPerOp)}, Run: 1, Ended: true}
	slice := func(i int, w Side) Slice {
		v := f(i, w)
		return Slice{NsPerOp: 100, AllocsPerOp: v, BytesPerOp: v}
	}
	for i := range rounds {
		r := Round{Turn: Turn{Old: slice(i, Old), New: slice(i, New), AgainOf: Side(i % 2)}}
		r.Again = slice(i, r.AgainOf)
		s.Rounds = append(s.Rounds, r)
	}
	return s
}

// constantly returns a series whose counts never vary.
func constantly(rounds int, allocsOld, allocsNew, bytesOld, bytesNew float64) Series {
	s := counted(rounds, func(_ int, w Side) float64 { return []float64{allocsOld, allocsNew}[w] })
	for i := range s.Rounds {
		r := &s.Rounds[i]
		r.Old[BytesPerOp], r.New[BytesPerOp] = bytesOld, bytesNew
		r.Again[BytesPerOp] = []float64{bytesOld, bytesNew}[r.AgainOf]
	}
	return s
}

// Exact counts take a step of Holm's procedure: equal ones leave all of alpha to
// the time that is unchanged beside them, and a difference leaves it to that of
// another benchmark.
func TestExactCountsTakeSteps(t *testing.T) {
	o := Options{Alpha: 0.05, Margin: 0.02}
	near := func(name string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	rows := Judge([]Series{constantly(20, 60, 60, 4096, 4096)}, o)
	if rows[0].Verdict != NoChange || rows[1].Verdict != NoChange || rows[2].Verdict != NoChange {
		t.Fatalf("%+v", rows)
	}
	near("beside two equal counts", rows[0].ConfidenceRatio, 1-2*0.8*0.05) // two tests of one side each
	near("two equal counts", rows[1].ConfidenceRatio, 1-0.8*0.05/3)
	// 7 rounds one way: 2·2⁻⁷ = 0.0156 ≤ 0.8·0.05/2 < 2·2⁻⁶, and alpha/4 would be 0.01.
	middling := timed(around(103, 0.01, 7), around(100, 0, 7))
	middling.Name = "BenchmarkMiddling"
	if rows := Judge([]Series{middling, constantly(20, 60, 60, 4096, 4096)}, o); rows[0].Verdict != CannotTell {
		t.Errorf("beside equal counts: %+v", rows[0])
	}
	rows = Judge([]Series{middling, constantly(20, 60, 90, 4096, 8192)}, o)
	near("beside two counts that differ", rows[0].ConfidenceRatio, 1-0.8*0.05/2)
	if rows[0].Verdict != Faster || rows[2].Verdict != Slower || rows[3].Verdict != Slower {
		t.Errorf("beside counts that differ: %+v", rows)
	}
}

func TestCounts(t *testing.T) {
	fixed := func(old, new float64) func(int, Side) float64 {
		return func(_ int, w Side) float64 { return []float64{old, new}[w] }
	}
	for _, c := range []struct {
		name   string
		s      Series
		want   Verdict
		ratio  float64
		exact  bool
		within bool
	}{
		{"fewer", counted(20, fixed(25, 2)), Faster, 12.5, true, false},
		{"more", counted(20, fixed(2, 4)), Slower, 0.5, true, false},
		{"one more, and bytes as little", counted(20, fixed(2, 3)), CannotTell, 2.0 / 3, true, false},
		{"one in a thousand more", counted(20, fixed(1000, 1001)), NoChange, 1000.0 / 1001, true, true},
		{"two in a thousand more", counted(20, fixed(1000, 1002)), NoChange, 1000.0 / 1002, true, true}, // at most 1001/1002, which hardly matters
		{"forty in a thousand more", counted(20, fixed(1000, 1040)), Slower, 1000.0 / 1040, true, false},
		{"same", counted(20, fixed(7, 7)), NoChange, 1, true, false},
		{"same, many", counted(20, fixed(50, 50)), NoChange, 1, true, true}, // 51/50 is the margin
		{"none and none", counted(20, fixed(0, 0)), NoChange, 1, true, true},
		{"to none", counted(20, fixed(3, 0)), Faster, MaxRatio, true, false},
		{"from none", counted(20, fixed(0, 3)), Slower, 1 / MaxRatio, true, false},
		{"too few rounds", counted(3, fixed(25, 2)), CannotTell, 12.5, true, false}, // 5 slices of old, 4 of new: 2/C(9,4) = 0.0159
		{"four rounds", counted(4, fixed(25, 2)), CannotTell, 12.5, true, false},    // 2/C(12,6) = 0.0022 > 0.8·0.005/3 = 0.0013
		{"five rounds", counted(5, fixed(25, 2)), Faster, 12.5, true, false},        // 2/C(15,8) = 0.00031
		{"varies, clearly fewer", counted(20, func(i int, w Side) float64 {
			return []float64{100 + float64(i%3), 50}[w]
		}), Faster, 101.0 / 50, false, false},
		{"varies, around the same", counted(20, func(i int, w Side) float64 {
			return 1000 + float64((i+int(w))%3)
		}), NoChange, 1, false, true},
		{"varies, and differs by no more than the rounding", counted(20, func(i int, w Side) float64 {
			return []float64{10 + float64(i%2), 9 + float64(i%2)}[w]
		}), CannotTell, 10.5 / 9.5, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := one(t, c.s, defaults, AllocsPerOp)
			if r.Verdict != c.want || math.Abs(r.Ratio-c.ratio) > 3e-3*c.ratio || r.Exact != c.exact || r.WithinMargin != c.within || !r.Gates {
				t.Errorf("row = %+v", r)
			}
			if r.AllocsOld == nil || r.AllocsNew == nil || *r.AllocsOld != r.Old || *r.AllocsNew != r.New {
				t.Errorf("allocs_old and allocs_new = %v, %v of %+v", r.AllocsOld, r.AllocsNew, r)
			}
			if bytes := one(t, c.s, defaults, BytesPerOp); bytes.AllocsOld == nil || bytes.Verdict != c.want || bytes.Gates {
				t.Errorf("bytes = %+v", bytes)
			}
		})
	}
}

// A side that shows two values only in the slices that double it is not constant.
func TestAgainCountsToo(t *testing.T) {
	s := constantly(20, 10, 8, 640, 512)
	s.Rounds[6].Again[AllocsPerOp] = 11
	if r := one(t, s, defaults, AllocsPerOp); r.Exact || r.Verdict != Faster {
		t.Errorf("row = %+v", r)
	}
}

// What was said of a count while it did not vary is not withdrawn when it does.
func TestCountThatVariesLater(t *testing.T) {
	o := defaults
	o.Looks = []int{20, 40}
	s := constantly(40, 1, 1, 64, 64)
	s.Rounds[30].New[AllocsPerOp] = 2
	if r := one(t, s, o, AllocsPerOp); r.Verdict != NoChange || r.Look != 1 || !r.Exact || r.Rounds != 20 {
		t.Errorf("row = %+v", r)
	}
	s.Rounds[10].New[AllocsPerOp] = 2
	if r := one(t, s, o, AllocsPerOp); r.Verdict != CannotTell || r.Look != 2 || r.Exact {
		t.Errorf("row = %+v", r)
	}
}

// Counts that vary like times, in millions, so that the rounding hides nothing:
// all rows of a run together are wrong as rarely as alpha says.
func TestFamilyOfRows(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates many comparisons")
	}
	o := Options{Alpha: 0.05, Margin: 0.002}
	const runs = 150
	wrong := 0
	for i := range runs {
		m := newMachine(uint64(i))
		family := make([]Series, 3)
		for k := range family {
			s := Series{Name: string(rune('A' + k)), Metrics: []Metric{MetricOf(NsPerOp), MetricOf(BytesPerOp), MetricOf(AllocsPerOp)}, Run: 1, Ended: true, Rounds: m.rounds(20, 1)}
			for unit, rounds := range map[string][]Round{BytesPerOp: m.rounds(20, 1), AllocsPerOp: m.rounds(20, 1)} {
				for j := range rounds {
					to, from := &s.Rounds[j], &rounds[j]
					to.Old[unit], to.New[unit], to.Again[unit] = math.Floor(1e6*from.Old[NsPerOp]), math.Floor(1e6*from.New[NsPerOp]), math.Floor(1e6*from.Again[NsPerOp])
				}
			}
			family[k] = s
		}
		if anyDifferent(Judge(family, o)) {
			wrong++
		}
	}
	atMost(t, "called different", wrong, runs, 0.8*o.Alpha)
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
		{"1 and 1, bytes within the margin", [2]float64{1, 1}, [2]float64{1000, 1019}, NoChange, 0.5, 2, NoChange},
		{"1 and 1, bytes beyond it", [2]float64{1, 1}, [2]float64{1000, 1021}, CannotTell, 0.5, 2, Slower},
		{"1 and 1 of 8 bytes", [2]float64{1, 1}, [2]float64{8, 8}, NoChange, 0.5, 2, NoChange},
		{"1 and 1 of 16 bytes and one more", [2]float64{1, 1}, [2]float64{16, 17}, NoChange, 0.5, 2, CannotTell},
		{"1 and 1 of 16 bytes and two more", [2]float64{1, 1}, [2]float64{16, 18}, CannotTell, 0.5, 2, Slower},
		{"49 and 49, other bytes", [2]float64{49, 49}, [2]float64{4900, 6000}, CannotTell, 49.0 / 50, 50.0 / 49, Slower},
		{"50 and 50, other bytes", [2]float64{50, 50}, [2]float64{5000, 6000}, NoChange, 50.0 / 51, 51.0 / 50, Slower},
		{"none and none", [2]float64{0, 0}, [2]float64{0, 0}, NoChange, 1, 1, NoChange},
		{"none and none, but bytes", [2]float64{0, 0}, [2]float64{50, 5}, NoChange, 1 / MaxRatio, MaxRatio, Faster},
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
			r := one(t, s, defaults, AllocsPerOp)
			if r.Verdict != c.verdict || math.Abs(r.RatioLow-c.low) > 1e-12 || math.Abs(r.RatioHigh-c.high) > 1e-12 || !r.Exact {
				t.Errorf("allocations: %+v", r)
			}
			if (r.Verdict == CannotTell) != strings.HasPrefix(r.Reason, "counted in whole allocations, rounded down: old lies between ") {
				t.Errorf("reason: %q", r.Reason)
			}
			if r := one(t, s, defaults, BytesPerOp); r.Verdict != c.verdictOnBytes {
				t.Errorf("bytes: %+v", r)
			}
			// Exchanging the sides turns the verdict round.
			s = constantly(20, c.allocs[1], c.allocs[0], c.bytes[1], c.bytes[0])
			turned := map[Verdict]Verdict{Faster: Slower, Slower: Faster, NoChange: NoChange, CannotTell: CannotTell}
			if r := one(t, s, defaults, AllocsPerOp); r.Verdict != turned[c.verdict] {
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
		delete(s.Rounds[i].Old, BytesPerOp)
	}
	if r := one(t, s, defaults, AllocsPerOp); r.Verdict != CannotTell {
		t.Errorf("without bytes: %+v", r)
	}
	if r := one(t, constantly(3, 1, 1, 64, 64), defaults, AllocsPerOp); r.Verdict != CannotTell || !strings.Contains(r.Reason, "3 rounds") {
		t.Errorf("three rounds: %+v", r)
	}
	s = constantly(20, 1, 1, 64, 64)
	s.Invalid = "GOMAXPROCS differs"
	if r := one(t, s, defaults, AllocsPerOp); r.Verdict != CannotTell || r.Reason != s.Invalid {
		t.Errorf("invalid: %+v", r)
	}
}

// Bytes of the runtime's own, once a process, show among few iterations. However
// often they do, allocations that are none in whole ones are no change.
func TestStrayBytesSettleNoAllocations(t *testing.T) {
	for stray, want := range map[int]Verdict{1: NoChange, 6: NoChange, 14: NoChange} {
		s := constantly(20, 0, 0, 0, 0)
		for i := range stray {
			s.Rounds[i].New[BytesPerOp] = 113
			s.Rounds[i].Old[BytesPerOp] = float64(50 * (i % 2))
		}
		if r := one(t, s, defaults, AllocsPerOp); r.Verdict != want {
			t.Errorf("%d of 20 rounds with stray bytes: %+v", stray, r)
		}
	}
}

// Where both sides stay below one byte or one allocation an operation, nothing
// changed, though some slices show one: the ratio of 0 and 1 was 31.6x and its
// noise 50,000,000 %.
func TestBelowOne(t *testing.T) {
	for name, c := range map[string]struct {
		value  func(round int, w Side) float64
		rounds int
		want   Verdict
		below  bool
	}{
		"now and then one":       {func(i int, w Side) float64 { return []float64{0, float64(i % 4 / 3)}[w] }, 40, NoChange, true},
		"in turns":               {func(i int, _ Side) float64 { return float64(i % 2) }, 40, NoChange, true},
		"mostly one on a side":   {func(i int, w Side) float64 { return []float64{0, min(float64(i%10), 1)}[w] }, 40, NoChange, true},
		"once many":              {func(i int, w Side) float64 { return []float64{0, float64(i / 39 * 113)}[w] }, 40, NoChange, true},
		"always one on a side":   {func(_ int, w Side) float64 { return float64(w) }, 40, CannotTell, false},
		"too few rounds":         {func(i int, w Side) float64 { return []float64{0, float64(i % 2)}[w] }, 4, CannotTell, true},
		"many, half of the time": {func(i int, w Side) float64 { return []float64{0, float64(i % 2 * 113)}[w] }, 40, CannotTell, false},
	} {
		for _, unit := range []string{BytesPerOp, AllocsPerOp} {
			r := one(t, counted(c.rounds, c.value), defaults, unit)
			if r.Verdict != c.want || c.below && (r.Ratio != 1 || r.NoiseRatio != nil || r.PValue != 1 || r.Needed != nil) {
				t.Errorf("%s: %+v", name, r)
			}
		}
	}
}

// What varied and was found to differ stays so, though it stays below one later,
// and the other way round.
func TestBelowOneLater(t *testing.T) {
	o := defaults
	o.Looks = []int{20, 400}
	for want, first := range map[Verdict]float64{Slower: 50, NoChange: 0} {
		s := counted(400, func(i int, w Side) float64 {
			if i < 20 && w == New {
				return first + first*float64(i%2)
			}
			return max(0, float64(i%400-398)+float64(w)-1)
		})
		if first == 0 { // and is much later
			for i := 20; i < 400; i++ {
				s.Rounds[i].New[AllocsPerOp] = 50 + float64(i%2)
			}
		}
		if r := one(t, s, o, AllocsPerOp); r.Verdict != want {
			t.Errorf("want %s: %+v", want, r)
		}
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
			r := &s.Rounds[i]
			r.New[BytesPerOp] = math.Floor(c.bytes + c.spread*float64(i%3-1))
		}
		if r := one(t, s, defaults, AllocsPerOp); r.Verdict != c.want || !r.Exact {
			t.Errorf("%v bytes vary by %v: %+v", c.bytes, c.spread, r)
		}
		if r := one(t, s, defaults, BytesPerOp); r.Exact {
			t.Errorf("%v bytes vary by %v: %+v", c.bytes, c.spread, r)
		}
	}
}

// Package testing's rounding is undone: whatever fractions are cut off, the
// interval of constant counts holds the true ratio, and no verdict says the
// opposite of the truth when bytes are proportional to allocations.
func TestRoundingIsEnclosed(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates many comparisons")
	}
	rng := rand.New(rand.NewPCG(1, 9))
	for range 2000 {
		old, new := 6*rng.Float64(), 6*rng.Float64()
		const size = 640
		r := one(t, constantly(12, math.Floor(old), math.Floor(new), math.Floor(old*size), math.Floor(new*size)), defaults, AllocsPerOp)
		if ratio := old / new; !(r.RatioLow <= ratio && ratio <= r.RatioHigh) ||
			r.Verdict == Faster && ratio < 1 || r.Verdict == Slower && ratio > 1 || r.Verdict == NoChange && max(old, new) >= 1 && (ratio > 1.03 || ratio < 1/1.03) {
			t.Fatalf("%v allocations and %v: %+v", old, new, r)
		}
	}
}

// The same for counts that vary: old around 3.6, new around 3.1, of which
// testing shows 3 mostly. The intervals hold the true ratio of the medians.
func TestVaryingRoundedCounts(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates many comparisons")
	}
	rng := rand.New(rand.NewPCG(3, 9))
	const runs = 400
	held := 0
	for range runs {
		value := func(_ int, w Side) float64 { return math.Floor([]float64{3.6, 3.1}[w] + 0.5*rng.NormFloat64()) }
		r := one(t, counted(20, value), Options{Alpha: 0.05, Margin: 0.02}, AllocsPerOp)
		if r.RatioLow <= 3.6/3.1 && 3.6/3.1 <= r.RatioHigh {
			held++
		}
	}
	if high := stat.ClopperPearson(held, runs, 0.998).High; high < 0.95 {
		t.Errorf("the interval held the true ratio in %d of %d", held, runs)
	}
}

// All lots of a round that shows the values 40, 40 and 41, written out: the
// three slices' orders and the doubled side. Of them a third lies apart, and of n
// such rounds 2·6⁻ⁿ in one direction.
func TestSeparationByLot(t *testing.T) {
	values := [3]float64{40, 40, 41}
	apart, all := 0, 0
	for _, order := range [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		for _, doubled := range []Side{Old, New} {
			old, new, again := values[order[0]], values[order[1]], values[order[2]]
			all++
			if old != new && again == [2]float64{old, new}[doubled] {
				apart++
			}
		}
	}
	for _, c := range []struct {
		rounds int
		want   float64
	}{
		{1, 2.0 / 3},            // 2/C(3,1), of which 2·6⁻¹ is less
		{5, 2 / 6435.0},         // 2/C(15,7), of which 2·6⁻⁵ is less
		{8, 2 / math.Pow(6, 8)}, // of which 2/C(24,12) is less
		{12, 2 / math.Pow(6, 12)},
	} {
		f := figures{rounds: c.rounds}
		for i := range c.rounds {
			f.old, f.new = append(f.old, 40), append(f.new, 41)
			if i%2 == 0 {
				f.old = append(f.old, 40)
			} else {
				f.new = append(f.new, 41)
			}
		}
		if got := separation(&f); math.Abs(got/c.want-1) > 1e-12 {
			t.Errorf("%d rounds: %v, want %v", c.rounds, got, c.want)
		}
	}
	if 3*apart != all {
		t.Errorf("%d of %d lots lie apart", apart, all)
	}
}

// TestFewCountsHaveNoInterval: of too few rounds to be sure that a count never varies,
// its rounding is no interval; of five it is: 25 to 26 against 2 to 3.
func TestFewCountsHaveNoInterval(t *testing.T) {
	for n := 1; n <= 5; n++ {
		r := one(t, constantly(n, 25, 2, 800, 64), defaults, AllocsPerOp)
		low, high := 1/MaxRatio, MaxRatio
		if n == 5 {
			low, high = 25.0/3, 26.0/2
		}
		if r.RatioLow != low || r.RatioHigh != high || r.Ratio != 12.5 {
			t.Errorf("%d rounds: %v, %v to %v; want %v to %v", n, r.Ratio, r.RatioLow, r.RatioHigh, low, high)
		}
	}
}
