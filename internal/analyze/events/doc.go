// Package events finds what happened at a moment of a recording.
//
// It answers: when did the process stand still, collect by force, pause,
// restart, fail or get throttled, and did it grow all along. Input are the
// process's state, a row each 100 ms or so; the collector's cycles; and what
// the load saw.
//
// What is looked for, and when it speaks:
//
//   - A stall: no request was answered for 200 ms or longer, nor for three times
//     as long as such whiles usually last, and by chance, at the rate of the
//     rest, fewer than one recording in a thousand would show it (answers that
//     come by themselves leave a while of length L empty with probability
//     e^(−rate·L)). Without a load: the process used no CPU, but did before and
//     after.
//   - Growth of goroutines or of the live heap: the slope by Theil and Sen with
//     Sen's interval (package stat), from the medians of twelve parts of the
//     series, since neighbouring rows are alike. It speaks only when Kendall's
//     tau is at least 0.85 (37 of 40 pairs of parts rise) and the last third
//     still rises at least half as fast as the whole. Growth that ends, as while
//     a program warms up, and a single step do not.
//   - Failing requests: seconds whose share of failures lies, by Wilson's
//     interval at 99.9 %, above three times the usual share, or is all of them
//     though at other times they came through.
//   - Pauses of the collector of 5 ms or more: all of them in one event, and the
//     three longest from 50 ms on by themselves.
//   - Counters of the runtime and the control group that rise, and what the
//     collector printed.
//
// Each kind has at most ten events, the largest; one more sums up the rest.
//
// # When it misleads
//
// Everything is known to the step it was sampled with, and the texts say so. A
// cycle's moment is that of the runtime's start plus what was printed, so an
// error in the former shifts all cycles. A random walk can look like growth:
// about one in forty does, of a hundred steps. Growth need not be a leak: a
// program may be filling a table that it needs.
package events
