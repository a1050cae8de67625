package schedule

import (
	"math"
	"time"
)

// Arrivals yields every step-th arrival of a plan. It is a pure function of the plan:
// two of them over the same plan are equal, and several that divide the arrivals yield
// together what one over all yields.
type Arrivals struct {
	s     Schedule
	n     int64 // the next arrival
	step  int64
	piece int // that holds it, or an earlier one

	// Of a Poisson plan: the sum of the unit gaps before arrival drawn, in two
	// parts, because a sum in one float64 would lose of each gap what a long run
	// has no digits for.
	drawn int64
	whole int64
	part  float64 // in [0, 1)
}

// Arrivals returns the arrivals first, first+step, first+2·step and so on, for
// a loop that shares the plan with others. A step below 1 counts as 1.
func (s Schedule) Arrivals(first, step int64) Arrivals {
	return Arrivals{s: s, n: max(first, 0), step: max(step, 1)}
}

// Next returns when the next of them is due since the origin, or math.MaxInt64 when
// the plan has no more. It does not allocate.
func (a *Arrivals) Next() time.Duration {
	if !a.s.Open() {
		return math.MaxInt64
	}
	var x float64
	if a.s.poisson {
		for a.drawn <= a.n {
			a.part += gap(a.s.seed, a.drawn)
			whole := math.Floor(a.part)
			a.whole += int64(whole)
			a.part -= whole
			a.drawn++
		}
	} else {
		a.whole = a.n
	}
	a.n += a.step
	x = float64(a.whole) + a.part
	for a.piece < len(a.s.pieces)-1 && a.s.pieces[a.piece+1].before <= x {
		a.piece++
	}
	return a.s.when(a.piece, x)
}

// gap returns the n-th gap of a Poisson process of rate 1: a number of the
// exponential distribution of mean 1, by inverting it.
func gap(seed uint64, n int64) float64 {
	// 53 bits, from 2⁻⁵³ to 1: never 0, which has no logarithm.
	u := float64(uniform(seed, n)>>11+1) * 0x1p-53
	return -math.Log(u)
}

// golden is the odd integer next to 2⁶⁴ divided by the golden ratio.
const golden = 0x9e3779b97f4a7c15

// uniform returns the n-th output of SplitMix64 started at a scrambled seed. Its
// state is a counter, so any output can be had without those before it.
func uniform(seed uint64, n int64) uint64 {
	return Scramble(Scramble(seed) + (uint64(n)+1)*golden)
}

// Scramble spreads neighbouring numbers over all 64 bits: the output function of SplitMix64 (Steele, Lea and Flood, Fast
// Splittable Pseudorandom Number Generators, 2014, with Stafford's constants).
func Scramble(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
