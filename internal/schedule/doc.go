// Package schedule plans when the requests of an open loop are due.
//
// It answers: at which moment since the origin is arrival n due? Its input is a
// plan of rates, as of -rate, and its answer a pure function of n, of the plan
// and, for arrivals at random, of a seed. There is no clock here: what a
// generator makes of the plan, and how late it is, is measured elsewhere.
//
// # Method
//
// A plan is a rate over time, r(t) in arrivals per second, that is constant or
// changes evenly in each of a few pieces. Λ(t) is its integral from 0 to t: the
// arrivals that are planned up to t. Arrival n, counted from 0, is due at the t
// with Λ(t) = n. That equation is solved in closed form, piece by piece:
//
//	constant rate a:              t = n / a
//	from a, by k per second:      a·t + k·t²/2 = n,  t = 2n / (a + √(a² + 2kn))
//
// where n counts from the piece's begin; this form of the root loses nothing by
// subtraction where k is small. Where Λ stands still, in a pause, the arrival is
// due when the pause is over.
//
// Poisson arrivals come of the same equation by time rescaling: if S₀ < S₁ < …
// are the arrivals of a Poisson process of rate 1, whose gaps are independent
// and exponential with mean 1, then the t with Λ(t) = Sₙ are those of a Poisson
// process whose rate is r(t) (Çinlar, Introduction to Stochastic Processes,
// 1975, chapter 4.7; the same theorem read backwards is the time-rescaling test
// of Brown and others, 2002). Gap n is a hash of the seed and n, so each of
// several loops that share a plan can reckon its own arrivals, and together they
// make just the arrivals of one.
//
// # How exact
//
// No error adds up: every due time is reckoned from the origin. It is the
// nanosecond next to the t with Λ(t) = n + εN, |ε| < 2⁻⁵⁰, where N are the
// arrivals up to the end of n's piece, or to n in the last one; moved by less than
// t·2⁻⁵⁰. For a constant or a rising rate that is less than 1 ns in all within
// the first five days. Where the rate falls to nothing ε weighs more, as a
// fraction of an arrival takes long there: the last one of a ramp from 10⁵/s to
// 0 over a minute may be a microsecond off. Counts are exact up to 2⁵³ arrivals.
//
// Poisson gaps are added up in an integer and a fraction, so that gap 10¹¹
// counts as finely as the first. Multiplication may be fused with addition on
// some processors, so equal seeds promise equal arrivals on processors of one
// kind.
//
// # When it misleads
//
// Evenly spaced arrivals wait for each other less than those of users, who come
// at random: quantiles of response time under Constant are too good for them.
// Poisson arrivals are independent of each other; users who reload a page that
// stalls are not. A count of Poisson arrivals varies: of 100 expected in a
// second, 80 or 120 are nothing special.
package schedule
