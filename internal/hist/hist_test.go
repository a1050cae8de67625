package hist

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Every bucket begins where the one before it ends, and is at most 1/128 of
// its smallest time wide. Together they cover all of 0 … MaxInt64.
func TestBuckets(t *testing.T) {
	next := int64(0)
	for i := range buckets {
		end := last(i)
		if bucket(next) != i || bucket(end) != i || end < next {
			t.Fatalf("bucket %d: %d is in %d, %d in %d", i, next, bucket(next), end, bucket(end))
		}
		if next > 0 && float64(end-next) > float64(next)/128 {
			t.Fatalf("bucket %d from %d to %d is wider than 1/128", i, next, end)
		}
		if next < 256 && end != next {
			t.Fatalf("bucket %d from %d to %d: times below 256 ns have one each", i, next, end)
		}
		if i == buckets-1 {
			if end != math.MaxInt64 {
				t.Fatalf("the last bucket ends at %d", end)
			}
			break
		}
		next = end + 1
	}
}

// The figures in the comments of bucket and last.
func TestWrittenOut(t *testing.T) {
	if got := bucket(1000); got != 506 {
		t.Errorf("1000 is in bucket %d", got)
	}
	if got := last(506); got != 1003 {
		t.Errorf("bucket 506 ends at %d", got)
	}
	var h Histogram
	for ns := int64(1); ns <= 1000; ns++ {
		h.Record(ns)
	}
	// Rank ⌈0.5·1000⌉ = 500: k = 8, 500>>1 = 250, the bucket holds 500 and 501.
	// Rank 990: k = 9, 990>>2 = 247, it holds 988 … 991.
	// Rank 999: 999>>2 = 249, it holds 996 … 999. The bucket of 1000 ends at
	// 1003, but no time is above 1000.
	for _, c := range []struct {
		q    float64
		want int64
	}{{0, 1}, {0.0001, 1}, {0.001, 1}, {0.0011, 2}, {0.25, 250}, {0.5, 501}, {0.99, 991}, {0.999, 999}, {0.9999, 1000}, {1, 1000}} {
		if got := h.Quantile(c.q); got != c.want {
			t.Errorf("Quantile(%v) = %d, want %d", c.q, got, c.want)
		}
	}
	hundred := new(Histogram)
	for ns := range int64(100) {
		hundred.Record(ns + 1)
	}
	if got := hundred.Quantile(0.07); got != 7 {
		t.Errorf("Quantile(0.07) of 1 … 100 = %d", got)
	}
	if h.Count() != 1000 || h.Min() != 1 || h.Max() != 1000 || h.Mean() != 500.5 {
		t.Errorf("count %d, min %d, max %d, mean %v", h.Count(), h.Min(), h.Max(), h.Mean())
	}
}

func TestEmptyAndBad(t *testing.T) {
	var h Histogram
	if h.Quantile(0.5) != 0 || h.Min() != 0 || h.Max() != 0 || h.Count() != 0 || !math.IsNaN(h.Mean()) {
		t.Error("an empty histogram knows something")
	}
	h.Record(-7)
	if h.Count() != 1 || h.Max() != 0 || h.Mean() != 0 {
		t.Error("a negative time is not 0")
	}
	h.Record(100)
	for _, q := range []float64{-0.1, 1.1, math.NaN(), math.Inf(1)} {
		if got := h.Quantile(q); got != 0 {
			t.Errorf("Quantile(%v) = %d", q, got)
		}
	}
	// 2·(2⁶³−1) + 100 does not fit an int64; the mean of the four is a quarter.
	h.Record(math.MaxInt64)
	h.Record(math.MaxInt64)
	if want := (math.Ldexp(1, 64) + 98) / 4; h.Mean() != want {
		t.Errorf("mean %v, want %v", h.Mean(), want)
	}
	// A third and fourth pass 2⁶⁴.
	h.Record(math.MaxInt64)
	h.Record(math.MaxInt64)
	if want := math.Ldexp(1, 65) / 6; math.Abs(h.Mean()-want) > want*1e-15 {
		t.Errorf("mean %v, want %v", h.Mean(), want)
	}
	h.Reset()
	if h != (Histogram{}) {
		t.Error("Reset leaves something")
	}
}

// times draws from all orders of magnitude alike.
func times(t *rapid.T, label string) []int64 {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) int64 {
		return rapid.Int64Range(0, math.MaxInt64).Draw(t, "ns") >> rapid.IntRange(0, 62).Draw(t, "shift")
	}), 0, 300).Draw(t, label)
}

func of(times ...int64) *Histogram {
	h := new(Histogram)
	for _, ns := range times {
		h.Record(ns)
	}
	return h
}

// Against sorting: the answer is the time of that rank, or at most 1/128 more,
// and the sum is that of whole numbers of any size.
func TestAgainstSorting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := times(t, "times")
		h := of(all...)
		if h.Count() != int64(len(all)) {
			t.Fatalf("%d of %d times", h.Count(), len(all))
		}
		if len(all) == 0 {
			return
		}
		slices.Sort(all)
		if h.Min() != all[0] || h.Max() != all[len(all)-1] {
			t.Fatalf("min %d, max %d of %v", h.Min(), h.Max(), all)
		}
		sum := new(big.Int)
		for _, ns := range all {
			sum.Add(sum, big.NewInt(ns))
		}
		mean, _ := new(big.Rat).SetFrac(sum, big.NewInt(int64(len(all)))).Float64()
		if math.Abs(h.Mean()-mean) > mean*1e-15 {
			t.Fatalf("mean %v, want %v", h.Mean(), mean)
		}
		// q = k/1000 of n times: the rank in whole numbers.
		k := rapid.IntRange(0, 1000).Draw(t, "thousandths")
		rank := max(1, (k*len(all)+999)/1000)
		exact, got := all[rank-1], h.Quantile(float64(k)/1000)
		if got < exact || got-exact > exact/128 {
			t.Fatalf("Quantile(%d/1000) of %d times = %d, exactly %d", k, len(all), got, exact)
		}
	})
}

// Merging is as if all had been recorded in one place, in any order.
func TestMerge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := times(t, "a"), times(t, "b"), times(t, "c")
		want := of(slices.Concat(a, b, c)...)

		left := of(a...)
		left.Merge(of(b...))
		left.Merge(of(c...))
		right := of(c...)
		right.Merge(of(b...))
		right.Merge(of(a...))
		if *left != *want || *right != *want {
			t.Fatal("merging differs from recording")
		}
	})
}

func TestNoAllocation(t *testing.T) {
	h := new(Histogram)
	if n := testing.AllocsPerRun(100, func() { h.Record(12345); h.Quantile(0.5) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkRecord(b *testing.B) {
	h := new(Histogram)
	for i := range b.N {
		h.Record(int64(i))
	}
}
