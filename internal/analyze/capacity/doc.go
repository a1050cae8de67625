// Package capacity says what a service can bear from what it did at several
// concurrencies.
//
// It answers: how much is the best throughput and how sure is that; from which
// concurrency on is it reached; what keeps it from growing. Its input are
// levels: a number of clients that each wait for their answer, and the
// throughput that they got, once or several times.
//
// # The plateau
//
// The noise of one run is the standard deviation of runs of the same level about
// their mean, as a share of it, pooled over all levels; until enough runs were
// repeated, that of the equal slices of one run, divided by the root of their
// number. The plateau are the levels whose throughput lies within the noise, or a
// tolerance, of the best; its throughput is the mean of their runs, of at least
// twenty of neighbours where there are more, and its interval Student's with the
// pooled noise. The best level is not taken by itself: the largest of several noisy
// figures lies above the true one.
//
// # The law
//
// The universal scalability law (N. J. Gunther, Guerrilla Capacity Planning,
// Springer 2007, chapters 4 to 6) is
//
//	X(N) = λN / (1 + σ(N−1) + κN(N−1))
//
// with X the throughput of N clients in requests per second, λ that of one client,
// σ the share of the work that only one of them can do at a time (contention, no
// unit), and κ what each pair of them has to agree on (coherency, no unit). λ > 0,
// σ ≥ 0 and κ ≥ 0. With κ > 0 throughput is highest at N* = √((1−σ)/κ) and falls
// beyond it. With κ = 0 there is no peak: X rises towards λ/σ, which is Amdahl's
// law; with σ = 0 too it rises without end, and the levels hold nothing of a limit.
//
// It is fitted by least squares, each level weighted by the number of its runs
// divided by the square of its throughput, since noise grows with the figure. With
// c₀ = 1/λ, c₁ = σ/λ and c₂ = κ/λ the law is X = N/(c₀ + c₁(N−1) + c₂N(N−1)), so
// that all bounds say that a number is not negative: every set of them may lie on
// its bound, each set is solved by Levenberg and Marquardt's method, and the best
// is taken.
//
// The intervals are profile-likelihood ones (D. M. Bates and D. G. Watts,
// Nonlinear Regression Analysis and Its Applications, Wiley 1988, section 6.1): a
// value belongs to the interval of a coefficient when the sum of squares that is
// left with the coefficient held at this value, all others being fitted anew,
// exceeds the smallest by no more than s²·t². s² is the smallest sum divided by
// n − 3 for n levels, t the quantile of Student's distribution. They need not be
// symmetrical, end at a bound where the data allow it, and the one of N* may be
// open above: then a peak is not shown.
//
// # When it misleads
//
// With fewer than six levels three coefficients fit nearly anything. Where all
// levels lie below saturation σ and κ are read off a nearly straight line, and N*
// lies beyond all that was measured. A service with a hard limit, such as a pool of
// k workers, does not follow the law: it rises straight and then not at all, and a
// smooth curve cuts that corner; Fit compares what the curve leaves with the noise
// of the levels, and says so where it is more than 3 % too. All intervals suppose
// independent levels: a machine that slows down while the levels rise looks like
// coherency.
package capacity
