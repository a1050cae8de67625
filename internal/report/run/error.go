package run

import (
	"fmt"
	"math"

	"whet/internal/analyze/hot"
	"whet/internal/report/page"
	"whet/internal/stat"
)

// errorConfidence is that of the intervals printed beside shares of samples.
const errorConfidence = 0.95

// samplingError returns the Wilson interval for a share of n samples: of the CPU
// profile, or of allocations where not every one is counted.
//
// It treats each sample as drawn on its own, with the same chance of falling
// into the place. The profiler's ticks are nearly that where a program does the
// same work many times within their 10 ms. The interval is too short where one
// call runs for many ticks (they then fall together), and where work keeps time
// with the timer. It holds what sampling alone leaves open: not what another
// run would do, nor what the profiler misses or charges to a neighbour. A sample
// of allocations stands for about as many bytes as any other; objects much
// larger than the rate are all seen, and their share is better known than this.
func samplingError(ratio float64, n int64) (stat.Interval, bool) {
	if n < 1 || !(ratio >= 0 && ratio <= 1) {
		return stat.Interval{}, false
	}
	size := int(min(n, math.MaxInt32)) // more would not make it shorter in print
	return stat.Wilson(int(math.Round(ratio*float64(size))), size, errorConfidence), true
}

// cumError returns the confidence interval of a function's cum share. For waits it
// is unknown, since the number of samples in a scaled-up value is.
func (p *Profile) cumError(cum int64) (stat.Interval, bool) {
	n := p.AllocSamples
	if p.Kind == "cpu" {
		n = p.Samples[hot.Base]
	}
	if p.base() <= 0 {
		return stat.Interval{}, false
	}
	return samplingError(page.Share(cum, p.base()), n)
}

// counted reports whether the shares of the profile have an error.
func (p *Profile) counted() bool {
	_, ok := p.cumError(0)
	return ok
}

// points prints half the width of an interval in percentage points. Near 0 and
// 1 the interval reaches further to one side; the JSON has both ends.
func points(iv stat.Interval) string {
	half := 100 * (iv.High - iv.Low) / 2
	if half < 0.05 {
		return "<0.1"
	}
	return fmt.Sprintf("%.1f", half)
}

// plusMinus returns the cell of a top table beside cum; "" where there is no error.
func (p *Profile) plusMinus(cum int64) string {
	iv, ok := p.cumError(cum)
	if !ok {
		return ""
	}
	return points(iv)
}
