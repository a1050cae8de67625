package hdrlog

import (
	"bytes"
	"fmt"
	"io"
	"math"

	"whet/internal/hist"
)

// ticks is how many rows a .hgrm has for each halving of the distance to 100 %.
const ticks = 5

// WritePercentiles writes the distribution of times in milliseconds as .hgrm,
// the text that HdrHistogram's plotters read. The last row and Max are the exact
// largest time, and Mean is exact, where HdrHistogram would give those of the
// buckets; the deviation is that of the buckets' middles.
func WritePercentiles(w io.Writer, h *hist.Histogram) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount", "1/(1-Percentile)")
	n := h.Count()
	row := func(value int64, quantile float64, seen int64) {
		inverse := fmt.Sprintf("%14.2f", 1/(1-quantile))
		if quantile == 1 {
			inverse = fmt.Sprintf("%14s", "inf")
		}
		fmt.Fprintf(&b, "%12.6f %14.12f %10d %s\n", milliseconds(float64(value)), quantile, seen, inverse)
	}
	var seen int64
	next := 0.0 // percent
	for bucket := range h.All() {
		seen += bucket.Count
		// As in HdrHistogram, a bucket has one row for each step of the scale that
		// it reaches.
		for next <= 100*float64(seen)/float64(n) {
			row(min(bucket.Last, h.Max()), next/100, seen)
			if seen == n {
				break // the row below ends it
			}
			halvings := math.Trunc(math.Log2(100/(100-next))) + 1
			after := next + 100/(ticks*math.Exp2(halvings))
			if after == next {
				after = math.Inf(1) // as near to 100 as a float64 is: some 2⁵⁰ times
			}
			next = after
		}
	}
	mean, deviation := 0.0, 0.0
	if n > 0 {
		row(h.Max(), 1, n)
		mean, deviation = h.Mean(), spread(h)
	}
	fmt.Fprintf(&b, "#[Mean    = %12.6f, StdDeviation   = %12.6f]\n", milliseconds(mean), milliseconds(deviation))
	fmt.Fprintf(&b, "#[Max     = %12.6f, Total count    = %12d]\n", milliseconds(float64(h.Max())), n)
	fmt.Fprintf(&b, "#[Buckets = %12d, SubBuckets     = %12d]\n", 56, 256)
	if _, err := b.WriteTo(w); err != nil {
		return fmt.Errorf("write percentiles: %w", err)
	}
	return nil
}

func milliseconds(ns float64) float64 { return ns / 1e6 }

// spread returns the standard deviation of the times, each in the middle of its
// bucket, around their mean.
func spread(h *hist.Histogram) float64 {
	mean, sum := h.Mean(), 0.0
	for b := range h.All() {
		d := float64(b.First)/2 + float64(b.Last)/2 - mean
		sum += d * d * float64(b.Count)
	}
	return math.Sqrt(sum / float64(h.Count()))
}
