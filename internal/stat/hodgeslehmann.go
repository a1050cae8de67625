package stat

import "math"

// Center returns the Hodges–Lehmann estimate of the centre: the median of all Walsh
// averages (J. L. Hodges and E. L. Lehmann, Annals of Mathematical Statistics
// 34 (1963), 598–611). It is NaN for no differences.
func (d Differences) Center() float64 {
	most := d.null.Most()
	switch {
	case most == 0:
		return math.NaN()
	case most%2 == 1:
		return d.walshRank((most + 1) / 2)
	}
	return d.walshRank(most/2)/2 + d.walshRank(most/2+1)/2
}

// Low returns a bound above the center with probability at most a: Low(a) > theta
// exactly if Greater(theta) ≤ a. It is −Inf if there are too few differences for that
// probability.
func (d Differences) Low(a float64) float64 {
	c := d.null.Critical(a)
	if c > d.null.Most() {
		return math.Inf(-1)
	}
	return d.walshRank(d.null.Most() - c + 1)
}

// High is Low's mirror image: High(a) < theta exactly where Less(theta) ≤ a.
func (d Differences) High(a float64) float64 {
	c := d.null.Critical(a)
	if c > d.null.Most() {
		return math.Inf(1)
	}
	return d.walshRank(c)
}

// Interval returns the estimate with the interval that the two-sided test does not
// reject. Its bounds are infinite where there are too few differences for the
// confidence.
func (d Differences) Interval(confidence float64) Interval {
	a := (1 - confidence) / 2
	return Interval{Center: d.Center(), Low: d.Low(a), High: d.High(a), Coverage: d.Coverage(a)}
}

// Coverage returns the probability that the centre lies between Low(a) and High(a)
// where no two differences are alike: 1 − 2a and more, as there are only so
// many Walsh averages to choose from.
func (d Differences) Coverage(a float64) float64 {
	return 1 - 2*d.null.AtLeast(d.null.Critical(a))
}

// walshRank returns the k-th smallest Walsh average, k from 1. There are n(n+1)/2 of
// them; instead of listing them it searches the smallest number, of all that
// a float64 can be, that k of them do not exceed.
func (d Differences) walshRank(k int) float64 {
	low, high := place(d.d[0]), place(d.d[len(d.d)-1])
	for low < high {
		mid := low + (high-low)/2
		if d.null.Most()-d.walsh(number(mid), false) >= k {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return number(low) + 0 // no −0
}

// place numbers the float64s in their order, and number is the float64 at a
// place.
func place(x float64) uint64 {
	b := math.Float64bits(x + 0) // −0 and 0 are one number
	if b>>63 == 1 {
		return ^b
	}
	return b | 1<<63
}

func number(place uint64) float64 {
	if place>>63 == 1 {
		return math.Float64frombits(place &^ (1 << 63))
	}
	return math.Float64frombits(^place)
}
