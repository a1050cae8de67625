package hist

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"math/bits"
)

// Buckets is the number of buckets of every histogram. Bucket i is index i of
// HdrHistogram's counts with a lowest value of 1 and two significant digits:
// the two layouts are one, so that counts pass between them unchanged.
const Buckets = buckets

// Index returns the bucket that a time belongs to, which is not negative.
func Index(ns int64) int { return bucket(ns) }

// Bucket is a bucket and how many times it holds.
type Bucket struct {
	Index       int
	First, Last int64 // the times it is for, both inclusive
	Count       int64
}

// All iterates over the buckets with counts, the shortest times first.
func (h *Histogram) All() iter.Seq[Bucket] {
	return func(yield func(Bucket) bool) {
		first := int64(0)
		for i, n := range h.counts {
			end := last(i)
			if n != 0 && !yield(Bucket{i, first, end, n}) {
				return
			}
			first = end + 1
		}
	}
}

// RecordMany adds a time n times; n is not negative.
func (h *Histogram) RecordMany(ns, n int64) {
	if n <= 0 {
		return
	}
	ns = max(0, ns)
	h.counts[bucket(ns)] += n
	if h.count == 0 {
		h.min, h.max = ns, ns
	} else {
		h.min, h.max = min(h.min, ns), max(h.max, ns)
	}
	h.count += n
	h.add(bits.Mul64(uint64(ns), uint64(n)))
}

// Exact has the exact figures of a histogram's times, beyond its buckets.
type Exact struct {
	Min, Max int64
	SumHigh  uint64 // the sum of all times is SumHigh·2⁶⁴ + SumLow
	SumLow   uint64
}

// Exact returns it; of an empty histogram all is 0.
func (h *Histogram) Exact() Exact { return Exact{h.min, h.max, h.sumHigh, h.sumLow} }

// Restore makes a histogram from the counts of its buckets, by their index. If exact is
// nil, the largest time of its bucket replaces the minimum, the maximum and every time
// in the sum: mean and maximum are then at most 1/128 too high. Exact values that
// contradict the buckets are refused.
func Restore(counts iter.Seq2[int, int64], exact *Exact) (*Histogram, error) {
	h := new(Histogram)
	var lowHigh, lowLow uint64 // the sum if every time were the first of its bucket
	for i, n := range counts {
		switch {
		case i < 0 || i >= buckets:
			return nil, fmt.Errorf("bucket %d is out of range: there are %d", i, buckets)
		case n < 0:
			return nil, fmt.Errorf("bucket %d holds %d times", i, n)
		case n > math.MaxInt64-h.count:
			return nil, errors.New("the count of times overflows an int64")
		}
		h.RecordMany(last(i), n)
		high, low := bits.Mul64(uint64(first(i)), uint64(n))
		var carry uint64
		lowLow, carry = bits.Add64(lowLow, low, 0)
		lowHigh += high + carry
	}
	if exact == nil || h.count == 0 {
		return h, nil
	}
	e := *exact
	switch {
	case e.Min < 0 || bucket(e.Min) != bucket(h.min):
		return nil, fmt.Errorf("the smallest time %d is not in the first bucket, which ends at %d", e.Min, h.min)
	case e.Max < e.Min || bucket(e.Max) != bucket(h.max):
		return nil, fmt.Errorf("the largest time %d is not in the last bucket, which ends at %d", e.Max, h.max)
	case less(e.SumHigh, e.SumLow, lowHigh, lowLow) || less(h.sumHigh, h.sumLow, e.SumHigh, e.SumLow):
		return nil, errors.New("the sum of all times does not fit the buckets")
	}
	h.min, h.max, h.sumHigh, h.sumLow = e.Min, e.Max, e.SumHigh, e.SumLow
	return h, nil
}

// first returns the smallest time of a bucket.
func first(bucket int) int64 {
	if bucket == 0 {
		return 0
	}
	return last(bucket-1) + 1
}

// less reports a < b of numbers of 128 bits.
func less(aHigh, aLow, bHigh, bLow uint64) bool {
	return aHigh < bHigh || aHigh == bHigh && aLow < bLow
}
