// Package capacity estimates the capacity of a service from its throughput at
// several concurrencies.
//
// It answers: what is the best throughput, and how certain is it; from which
// concurrency on is it reached; what limits its growth. Its input are levels: a
// number of clients that each wait for their response, and their throughput,
// measured once or several times.
//
// # The plateau
//
// The noise of one run is the standard deviation of runs of the same level about
// their mean, as a share of it, pooled over all levels; until enough runs were
// repeated, it is that of the equal slices of one run, divided by the root of
// their number. The plateau consists of the levels whose throughput is within the
// noise, or a tolerance, of the best; its throughput is the mean of their runs,
// of at least twenty from neighboring levels if there are more, and its interval
// is Student's with the pooled noise. The best level alone is not used: the
// largest of several noisy figures is above the true one.
//
// # The law
//
// The universal scalability law (N. J. Gunther, Guerrilla Capacity Planning,
// Springer 2007, chapters 4 to 6) is
//
//	X(N) = λN / (1 + σ(N−1) + κN(N−1))
//
// with X the throughput of N clients in requests per second, λ that of one
// client, σ the share of the work that only one of them can do at a time
// (contention, no unit), and κ the cost of agreement between each pair of them
// (coherency, no unit). λ > 0, σ ≥ 0 and κ ≥ 0. With κ > 0 throughput is highest
// at N* = √((1−σ)/κ) and falls beyond it. With κ = 0 there is no peak: X rises
// towards λ/σ, which is Amdahl's law; with σ = 0 too it rises without end, and
// the levels do not show a limit.
//
// It is fitted by least squares, each level weighted by the number of its runs
// divided by the square of its throughput, because noise grows with the figure.
// With c₀ = 1/λ, c₁ = σ/λ and c₂ = κ/λ the law is X = N/(c₀ + c₁(N−1) +
// c₂N(N−1)), so that all bounds require a number not to be negative: every subset
// of them may be at its bound, each subset is solved by Levenberg and Marquardt's
// method, and the best is taken.
//
// The intervals are profile-likelihood ones (D. M. Bates and D. G. Watts,
// Nonlinear Regression Analysis and Its Applications, Wiley 1988, section 6.1): a
// value belongs to the interval of a coefficient if the residual sum of squares
// with the coefficient fixed at this value, and all others fitted again, exceeds
// the smallest by no more than s²·t². s² is the smallest sum divided by n − 3 for
// n levels, t the quantile of Student's distribution. They need not be
// symmetrical, end at a bound where the data allow it, and that of N* may be open
// above: then the data show no peak.
//
// # When it misleads
//
// With fewer than six levels three coefficients fit nearly anything. If all
// levels are below saturation, σ and κ are read from a nearly straight line, and
// N* is beyond all measured levels. A service with a hard limit, such as a pool
// of k workers, does not follow the law: its throughput rises straight and then
// stops, and a smooth curve cuts that corner; Fit compares the residuals with the
// noise of the levels, and reports a deviation of more than 3 % too. All
// intervals assume independent levels: a machine that slows down while the levels
// rise looks like coherency.
package capacity
