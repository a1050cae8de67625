package stat

import (
	"math"
	"slices"
)

// Trend is the direction, the steadiness and the slope of values over x.
type Trend struct {
	// Slope is the median of the slopes between all pairs of points with
	// different x, and Sen's interval for it.
	Slope Interval
	// Tau is Kendall's: the share of pairs that rise less the share that fall.
	// 1 where each value is larger than all before it. Pairs of equal values
	// count as neither, so a series that mostly stays does not come near 1.
	Tau float64
}

// TheilSen estimates the trend of y over x. With N pairs of different x, the
// slopes sorted as s(1) … s(N), z the normal quantile of 1−(1−confidence)/2 and
// C = z·√V, the interval runs from s((N−C)/2) to s((N+C)/2 + 1), rounded
// outwards. V is the variance of Kendall's S = N·Tau without a trend:
// V = (n(n−1)(2n+5) − Σ t(t−1)(2t+5))/18 for n points, the sum over groups of t
// equal y. Coverage is 0 where there are too few points for the confidence; the
// bounds are the least and the largest slope, then.
//
// The points must be independent of each other but for the trend: neighbours
// of a series that is sampled often are alike, and have to be put together
// before.
func TheilSen(x, y []float64, confidence float64) Trend {
	nan := Trend{Slope: Interval{Center: math.NaN(), Low: math.NaN(), High: math.NaN()}, Tau: math.NaN()}
	if len(x) != len(y) || !(confidence > 0 && confidence < 1) {
		return nan
	}
	var slopes []float64
	rise := 0
	for i := range x {
		for j := range i {
			if x[i] == x[j] {
				continue
			}
			s := (y[i] - y[j]) / (x[i] - x[j])
			if math.IsNaN(s) {
				return nan
			}
			slopes = append(slopes, s)
			switch {
			case s > 0:
				rise++
			case s < 0:
				rise--
			}
		}
	}
	if len(slopes) == 0 {
		return nan
	}
	slices.Sort(slopes)
	count := float64(len(slopes))
	c := math.Sqrt2 * math.Erfinv(confidence) * math.Sqrt(kendallVariance(y))
	low, high := int(math.Floor((count-c)/2)), int(math.Ceil((count+c)/2))+1
	t := Trend{Tau: float64(rise) / count, Slope: Interval{Center: QuantileSorted(slopes, 0.5), Coverage: confidence}}
	if low < 1 || high > len(slopes) {
		t.Slope.Coverage = 0
		low, high = 1, len(slopes)
	}
	t.Slope.Low, t.Slope.High = slopes[low-1], slopes[high-1]
	return t
}

// kendallVariance is V of TheilSen.
func kendallVariance(y []float64) float64 {
	term := func(n int) float64 { return float64(n) * float64(n-1) * float64(2*n+5) }
	v := term(len(y))
	for x := sorted(y); len(x) > 0; {
		t := 1
		for t < len(x) && x[t] == x[0] {
			t++
		}
		v -= term(t)
		x = x[t:]
	}
	return v / 18
}
