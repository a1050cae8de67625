package hist

import (
	"iter"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func counts(h *Histogram) iter.Seq2[int, int64] {
	return func(yield func(int, int64) bool) {
		for b := range h.All() {
			if !yield(b.Index, b.Count) {
				return
			}
		}
	}
}

// What All and Exact give is all there is.
func TestRestore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := times(t, "times")
		h := of(all...)
		n, next := int64(0), int64(0)
		for b := range h.All() {
			if b.First < next || bucket(b.First) != b.Index || bucket(b.Last) != b.Index || b.First > 0 && bucket(b.First-1) == b.Index {
				t.Fatalf("bucket %+v after %d", b, next)
			}
			n, next = n+b.Count, b.Last+1
		}
		if n != h.Count() {
			t.Fatalf("the buckets hold %d of %d times", n, h.Count())
		}
		exact := h.Exact()
		got, err := Restore(counts(h), &exact)
		if err != nil {
			t.Fatal(err)
		}
		if *got != *h {
			t.Fatal("restored it is another")
		}
		coarse, err := Restore(counts(h), nil)
		if err != nil {
			t.Fatal(err)
		}
		if coarse.Count() != h.Count() || h.Count() > 0 && (coarse.Mean() < h.Mean() || coarse.Mean() > h.Mean()*(1+1.0/128)+1e-9) {
			t.Fatalf("without exact values the mean of %d times is %v, exactly %v", coarse.Count(), coarse.Mean(), h.Mean())
		}
	})
}

func TestRestoreRefuses(t *testing.T) {
	h := of(1000, 2000) // buckets 1000…1003 and 2000…2007
	for _, c := range []struct {
		exact Exact
		want  string
	}{
		{Exact{999, 2000, 0, 3000}, "smallest"},
		{Exact{1000, 2008, 0, 3000}, "largest"},
		{Exact{1000, 2000, 0, 2999}, "sum"},
		{Exact{1000, 2000, 0, 1003 + 2007 + 1}, "sum"},
		{Exact{1000, 2000, 1, 0}, "sum"},
		{Exact{-1, 2000, 0, 3000}, "smallest"},
	} {
		if _, err := Restore(counts(h), &c.exact); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want one about the %s", c.exact, err, c.want)
		}
	}
	if _, err := Restore(counts(h), &Exact{1003, 2007, 0, 1003 + 2007}); err != nil {
		t.Error(err)
	}
	for _, bad := range [][2]int64{{-1, 1}, {Buckets, 1}, {3, -1}} {
		if _, err := Restore(func(yield func(int, int64) bool) { yield(int(bad[0]), bad[1]) }, nil); err == nil {
			t.Errorf("bucket %d with %d times is accepted", bad[0], bad[1])
		} else if strings.Count(err.Error(), "out of range") > 1 {
			t.Error(err)
		}
	}
	many := func(yield func(int, int64) bool) { _ = yield(3, math.MaxInt64) && yield(4, 1) }
	if _, err := Restore(many, nil); err == nil {
		t.Error("2⁶³ times are accepted")
	}
}

func TestRecordMany(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ns, n := rapid.Int64().Draw(t, "ns"), rapid.Int64Range(0, 50).Draw(t, "n")
		one, many := of(7), of(7)
		for range n {
			one.Record(ns)
		}
		many.RecordMany(ns, n)
		if *one != *many {
			t.Fatalf("%d times %d: %+v, want %+v", n, ns, many.Exact(), one.Exact())
		}
	})
}
