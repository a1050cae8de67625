package schedule

import (
	"math"
	"slices"
	"time"
)

// MaxRate is the highest rate: one arrival a nanosecond, which is as finely as
// times are counted. Constructors take more for MaxRate; Parse refuses it.
const MaxRate = 1e9

// maxSpan bounds the time that the pieces of a plan take, so that times after
// them still fit a Duration.
const maxSpan = time.Duration(1) << 61

// Schedule is a plan of arrivals. The zero value has none.
type Schedule struct {
	pieces  []piece // one after the other from 0; the last goes on for ever
	given   int     // pieces that were asked for; the rest is the last rate going on
	poisson bool
	seed    uint64
}

// piece is a stretch in which the rate changes evenly, or not at all. It holds
// the arrivals n with before <= n < the next piece's before.
type piece struct {
	from, to float64       // arrivals per second at its begin and its end
	start    time.Duration // since the origin
	length   time.Duration // of the last piece: without meaning
	before   float64       // arrivals planned before start
}

// Step is a stretch of constant rate.
type Step struct {
	Rate float64 // arrivals per second
	For  time.Duration
}

// Constant returns a plan of evenly spaced arrivals, the first at 0. A rate that is
// not above 0 plans none.
func Constant(perSecond float64) Schedule {
	return build([]leg{{from: perSecond, to: perSecond}})
}

// Ramp returns a plan whose rate goes evenly from one to another, and stays there.
func Ramp(from, to float64, over time.Duration) Schedule {
	return build([]leg{{from, to, over}})
}

// Steps returns a plan of one constant rate after the other. The last one stays.
func Steps(steps []Step) Schedule {
	legs := make([]leg, len(steps))
	for i, s := range steps {
		legs[i] = leg{s.Rate, s.Rate, s.For}
	}
	return build(legs)
}

// leg is a piece as it was asked for.
type leg struct {
	from, to float64
	length   time.Duration // 0: for ever
}

func build(legs []leg) Schedule {
	var s Schedule
	var at time.Duration
	var before float64
	var last float64
	for _, l := range legs {
		p := piece{from: bounded(l.from), to: bounded(l.to), start: at, length: min(max(l.length, 0), maxSpan-at), before: before}
		last = p.to
		if p.length == 0 {
			continue
		}
		s.pieces = append(s.pieces, p)
		at += p.length
		before += p.arrivals()
	}
	s.given = len(s.pieces)
	s.pieces = append(s.pieces, piece{from: last, to: last, start: at, before: before})
	if !slices.ContainsFunc(s.pieces, func(p piece) bool { return p.from > 0 || p.to > 0 }) {
		return Schedule{}
	}
	return s
}

// bounded returns a rate that can be planned with.
func bounded(rate float64) float64 {
	if !(rate > 0) { // also what is no number
		return 0
	}
	return min(rate, MaxRate)
}

// Poisson returns the same plan with random arrivals: their expected rate is that of s
// at every moment, and arrivals in disjoint intervals are independent. Equal seeds give
// equal arrivals.
func (s Schedule) Poisson(seed uint64) Schedule {
	s.poisson, s.seed = s.Open(), seed
	return s
}

// Open reports whether there are any arrivals, which makes a load an open loop.
func (s Schedule) Open() bool { return len(s.pieces) > 0 }

// Random reports whether arrivals come at random.
func (s Schedule) Random() bool { return s.poisson }

// Span returns the time until the rate no longer changes: the duration of a ramp,
// and of all steps together. It is 0 for a constant rate.
func (s Schedule) Span() time.Duration {
	if !s.Open() {
		return 0
	}
	return s.pieces[len(s.pieces)-1].start
}

// Rate returns the planned rate at a moment since the origin, in arrivals per second.
func (s Schedule) Rate(elapsed time.Duration) float64 {
	if !s.Open() || elapsed < 0 {
		return 0
	}
	p := s.pieces[s.during(elapsed)]
	if p.from == p.to {
		return p.from
	}
	done := float64(elapsed-p.start) / float64(p.length)
	return p.from*(1-done) + p.to*done
}

// At returns when arrival n, counted from 0, is due since the origin. It is
// math.MaxInt64 for an arrival that the plan does not have. Of a Poisson plan it
// takes time in proportion to n: go through such a plan with Arrivals.
func (s Schedule) At(n int64) time.Duration {
	if !s.Open() || n < 0 {
		return math.MaxInt64
	}
	if s.poisson {
		a := s.Arrivals(n, 1)
		return a.Next()
	}
	return s.when(s.holding(float64(n)), float64(n))
}

// Before returns the number of arrivals that are due before a moment since the origin:
// At(n) < elapsed for just the n below it. Of a Poisson plan it takes time in
// proportion to their number.
func (s Schedule) Before(elapsed time.Duration) int64 {
	if !s.Open() || elapsed <= 0 {
		return 0
	}
	if s.poisson {
		a := s.Arrivals(0, 1)
		var n int64
		for a.Next() < elapsed {
			n++
		}
		return n
	}
	n := int64(s.expected(elapsed))
	// Rounding may have gone either way.
	for n > 0 && s.At(n-1) >= elapsed {
		n--
	}
	for s.At(n) < elapsed {
		n++
	}
	return n
}

// expected returns the integral of the rate up to a moment.
func (s Schedule) expected(elapsed time.Duration) float64 {
	p := s.pieces[s.during(elapsed)]
	t := (elapsed - p.start).Seconds()
	if p.from == p.to {
		return p.before + p.from*t
	}
	return p.before + t*(p.from+p.slope()*t/2)
}

// during returns the piece that holds a moment.
func (s Schedule) during(elapsed time.Duration) int {
	i := len(s.pieces) - 1
	for i > 0 && s.pieces[i].start > elapsed {
		i--
	}
	return i
}

// holding returns the piece that holds the point at which x arrivals are planned. A
// point between two pieces belongs to the later one: an arrival at the end of a
// piece, which is followed by a pause, comes when the pause is over.
func (s Schedule) holding(x float64) int {
	i := len(s.pieces) - 1
	for i > 0 && s.pieces[i].before > x {
		i--
	}
	return i
}

// when returns the moment at which x arrivals are planned, x being in piece i.
func (s Schedule) when(i int, x float64) time.Duration {
	p := &s.pieces[i]
	t := p.invert(x-p.before) * float64(time.Second)
	if !(t < float64(math.MaxInt64-p.start)) { // also of a rate of 0
		return math.MaxInt64
	}
	return p.start + time.Duration(math.Round(t))
}

// slope is by how much the rate changes, per second and second.
func (p *piece) slope() float64 { return (p.to - p.from) / p.length.Seconds() }

// arrivals returns how many are planned in a piece that has an end.
func (p *piece) arrivals() float64 { return (p.from + p.to) / 2 * p.length.Seconds() }

// invert returns the time, in seconds since the piece's begin, at which x >= 0
// arrivals of it are planned: the solution t of from·t + slope·t²/2 = x.
func (p *piece) invert(x float64) float64 {
	if p.from == p.to {
		return x / p.from
	}
	if x == 0 { // and perhaps from is, too
		return 0
	}
	// Rounding may have the root of what is just below 0 at the end of a rate
	// that falls to nothing.
	return 2 * x / (p.from + math.Sqrt(max(p.from*p.from+2*p.slope()*x, 0)))
}
