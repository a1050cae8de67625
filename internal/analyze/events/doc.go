// Package events finds notable moments of a recording.
//
// It answers: when did the process stall, collect by force, pause, restart, fail
// or get throttled, and did it grow throughout. Input are the process's state, a
// row each 100 ms or so; the collector's cycles; and the results of the load.
//
// It reports:
//
//   - A stall: no request was answered for 200 ms or longer, nor for three times
//     the usual length of such gaps, and by chance, at the rate of the rest,
//     fewer than one recording in a thousand would have it (independent responses
//     leave a gap of length L with probability e^(−rate·L)). Without a load: the
//     process used no CPU, but did before and after.
//   - Growth of goroutines or of the live heap: the slope by Theil and Sen with
//     Sen's interval (package stat), from the medians of twelve parts of the
//     series, because neighboring rows are alike. It is reported only if
//     Kendall's tau is at least 0.85 (37 of 40 pairs of parts rise) and the last
//     third still rises at least half as fast as the whole. Growth that ends, as
//     during the warm-up of a program, and a single step do not count.
//   - Failing requests: seconds with a share of failures that is, by Wilson's
//     interval at 99.9 %, above three times the usual share, or is 100 % although
//     requests succeeded at other times.
//   - Pauses of the collector of 5 ms or more: all of them in one event, and the
//     three longest from 50 ms on separately.
//   - Counters of the runtime and the control group that rise, and the
//     collector's log.
//
// Each kind has at most ten events, the largest; one more summarizes the rest.
//
// # When it misleads
//
// All times have the resolution of the samples, and the texts say so. A cycle's
// time is that of the runtime's start plus the printed offset, so an error in the
// former shifts all cycles. A random walk can look like growth: about one in
// forty does, of a hundred steps. Growth need not be a leak: a program may be
// filling a table that it needs.
package events
