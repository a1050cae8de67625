package hist

import (
	"math"
	"math/bits"
)

const (
	// partBits is the logarithm of the parts each power of two is cut into.
	partBits = 7
	parts    = 1 << partBits
	// Times below parts have a bucket each. Each of the 63−partBits powers of
	// two above has parts buckets: 128 + 56·128 = 7,296 in all, 57 KiB.
	buckets = parts + (63-partBits)*parts
)

// Histogram counts times. The zero value is empty and ready. It is not safe for
// concurrent use, and large: pass pointers.
type Histogram struct {
	counts   [buckets]int64
	count    int64
	sumHigh  uint64 // the exact sum of all times is sumHigh·2⁶⁴ + sumLow
	sumLow   uint64
	min, max int64 // valid when count > 0
}

// bucket returns the index of the bucket that holds ns, which is not negative.
//
// With k = ⌊log₂ ns⌋ ≥ 7, ns>>(k−7) keeps its eight leading bits: 128 to 255.
// The bucket is 128·(k−7) + those bits, so k = 7 follows on 127, the last time
// below 128. Example: 1000 has k = 9, 1000>>2 = 250, bucket 128·2 + 250 = 506.
func bucket(ns int64) int {
	shift := bits.Len64(uint64(ns)|parts) - 1 - partBits
	return shift*parts + int(ns>>shift)
}

// last returns the largest time of a bucket: the inverse of bucket. Example: 506 has
// shift 506/128 − 1 = 2 and leading bits 506 − 128·2 = 250; it ends before
// 251<<2 = 1004.
func last(bucket int) int64 {
	shift := max(0, bucket/parts-1)
	return int64(uint64(bucket-shift*parts+1)<<shift - 1)
}

// Record adds one time in nanoseconds. A negative one, which only a clock that
// was set back can give, counts as 0.
func (h *Histogram) Record(ns int64) {
	ns = max(0, ns)
	h.counts[bucket(ns)]++
	if h.count == 0 {
		h.min, h.max = ns, ns
	} else {
		h.min, h.max = min(h.min, ns), max(h.max, ns)
	}
	h.count++
	h.add(0, uint64(ns))
}

// Merge adds all times of o, which stays as it is.
func (h *Histogram) Merge(o *Histogram) {
	if o.count == 0 {
		return
	}
	if h.count == 0 {
		h.min, h.max = o.min, o.max
	} else {
		h.min, h.max = min(h.min, o.min), max(h.max, o.max)
	}
	for i, n := range o.counts {
		h.counts[i] += n
	}
	h.count += o.count
	h.add(o.sumHigh, o.sumLow)
}

func (h *Histogram) add(high, low uint64) {
	var carry uint64
	h.sumLow, carry = bits.Add64(h.sumLow, low, 0)
	h.sumHigh += high + carry
}

// Reset empties the histogram.
func (h *Histogram) Reset() { *h = Histogram{} }

// Count returns the number of times recorded.
func (h *Histogram) Count() int64 { return h.count }

// Min returns the smallest time; 0 when there is none.
func (h *Histogram) Min() int64 { return h.min }

// Max returns the largest time; 0 when there is none.
func (h *Histogram) Max() int64 { return h.max }

// Mean returns the sum of all times, which is kept exactly, divided by their
// number; NaN when there is none.
func (h *Histogram) Mean() float64 {
	if h.count == 0 {
		return math.NaN()
	}
	return (math.Ldexp(float64(h.sumHigh), 64) + float64(h.sumLow)) / float64(h.count)
}

// Quantile returns the ⌈q·n⌉-th smallest of the n times, ranks from 1, or at most
// 1/128 more: the largest time of its bucket, as far as that many nanoseconds
// were seen at all. Quantile(0) is Min and Quantile(1) is Max. It is 0 when
// there is no time, or for a q outside [0,1].
func (h *Histogram) Quantile(q float64) int64 {
	switch {
	case h.count == 0 || !(q >= 0 && q <= 1):
		return 0
	case q == 0:
		return h.min
	}
	// Most q are decimal fractions that a float64 misses by up to 2⁻⁵³ of
	// itself, and the product rounds once more: 0.07·100 is
	// 7.000000000000001, whose rank is 7, not 8.
	product := q * float64(h.count) * (1 - 0x1p-51)
	rank := min(h.count, max(1, int64(math.Ceil(product))))
	var seen int64
	for i, n := range h.counts {
		if seen += n; seen >= rank {
			return min(last(i), h.max)
		}
	}
	return h.max
}
