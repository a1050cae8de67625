// Package knee finds the capacity of a service by measuring it at one level after
// the other.
//
// It answers two questions. For a closed loop: what is the best throughput, and
// which is the smallest concurrency that reaches it, the knee? For an open loop:
// which is the highest rate at which the service keeps its bounds? Its input is a
// function that drives one level for a period and returns the result; the package
// has neither a clock nor a network.
//
// # Closed loop
//
// Concurrency is doubled from the first level until throughput has not risen by
// more than the tolerance for some levels, so that a service that slows down past
// its peak shows it. Then the gaps on either side of the best level are halved,
// on a logarithmic scale, until its neighbors are as good or adjacent. Last, the
// edge of the plateau is found by bisection between the largest concurrency below
// and the smallest one within: a level is within if its throughput is lower than
// the plateau's by at most the tolerance. It is measured repeatedly, alternating
// with the plateau, until the difference is on one side of the tolerance with
// 98 % confidence, or the maximum number of runs is reached. So the noise decides
// how long it takes, and drift of the machine affects both. The noise is that of
// runs repeated at different times, pooled over levels (see package capacity);
// until there are any, that of slices of a run. A drift that the repeated runs
// show is subtracted (drift.go).
//
// The knee is the smallest concurrency within; the bracket names the adjacent
// level below. The universal scalability law is fitted to the levels.
//
// # Open loop
//
// The search begins at four fifths of the best throughput if that is known
// (Rates) and goes either way, in growing steps, until one rate is met and
// another is not. A rate is not met if the service breaks a bound, or falls
// behind: its response times grow, by more of the span than half of the
// resolution and chance explain, or by four percent of it, and by more than a
// slow service varies. The range between the two is halved on a logarithmic scale
// until they are within 10 %, and both sides are measured again: a side with the
// opposite result moves the range, up or down. Then the same is done until they
// are within the resolution. A budget that ends early thus leaves a range that is
// coarse but confirmed, not one that is fine but based on single runs. If two
// runs of a side disagree, a third decides, and the range with contradictory
// results is reported. After a rate with failed requests a low rate is sent until
// the service keeps its bounds again, so that a backlog does not affect the next
// figure.
//
// A quantile of few responses is chance (Enough returns the necessary number: 299
// for p99). A low rate is sent for longer, until it has that many, or for a
// twentieth of the budget. A side of the bracket that still has too few, in all
// its runs, is reported as undecided.
//
// # The budget
//
// A level lasts at most a fifteenth of the budget (Within). With half of 40 s
// each, the two searches have some ten runs of 1.3 s: the closed loop knows its
// best throughput approximately, the open one its limit to 10 %
// (TestRateWithinABudget), and the runs that must distinguish less than that last
// longer, up to a sixth.
//
// # When it misleads
//
// A level lasts as long as the options say. It does not show effects that take
// minutes (a cache that fills, a collector that falls behind, a queue that grows
// slowly at nearly full load): an overload of a share e adds only e times the
// span to the response times, so that a bound of b is broken only from e = b/span
// on. Drive the resulting rate for a long time before relying on it. The search
// assumes one peak: of two it finds one. If the generator is the bottleneck its
// limit looks like the service's; the levels record that, and the knee is then
// not valid. Throughput counts good responses only: a service does not improve it
// by refusing quickly.
package knee
