// Package knee finds what a service can bear by measuring it at one level after
// the other.
//
// It answers two questions. Of a closed loop: how much is the best throughput, and
// which is the smallest concurrency that reaches it: the knee. Of an open loop:
// which is the highest rate at which the service still keeps its bounds. Its input
// is a function that drives one level for a while and says what came of it; there
// is neither a clock nor a network here.
//
// # Closed loop
//
// Concurrency is doubled from the first level until throughput has not risen by
// more than the tolerance for some levels, so that a service that gets slower past
// its peak shows it. Then the gaps on either side of the best level are halved, on a
// logarithmic scale, until its neighbours are as good as it is or lie next to it.
// Last the edge of the plateau is looked for, by bisection between the largest
// concurrency below and the smallest one within: a level is within where its
// throughput is lower than the plateau's by no more than the tolerance. It is
// measured again and again, and the plateau in between, until the difference lies
// on one side of the tolerance with 98 % confidence, or the most runs are done. So the noise decides how long it takes, and drift of the machine hits both.
// The noise is that of runs repeated at different times, pooled over levels
// (package capacity says how); as long as there are none, that of slices of a run.
// A drift that the repeated runs show is taken out (drift.go).
//
// The knee is the smallest concurrency within; the bracket says which level next
// to it is below. To the levels the universal scalability law is fitted.
//
// # Open loop
//
// The search begins at four fifths of the best throughput where that is known (Rates)
// and goes either way, in steps that grow, until the rate is known to be met at one and
// not at another. It is not met where the service breaks a bound, or
// falls behind: answers come later and later, by more of the span than half of the
// resolution and chance explain, or by four percent of it, and by more than a slow
// service varies.
// The range between the two is halved on a logarithmic scale until they are within
// 10 %, and both sides are measured again: one that turns out to be the other moves the
// range, up or down. Then the same is done until they are within the resolution. So a
// budget that ends early leaves a range that is coarse and confirmed, not one that is
// fine and rests on single runs. Where two runs of a side disagree a third decides, and
// the range in which rates flip is reported.
// After a rate at which requests failed a low rate is sent until the service keeps
// its bounds again, so that a backlog does not spoil the next figure.
//
// A quantile of few answers is chance (Enough says how many it takes: 299 for p99). A
// low rate is sent for longer, until they have come, or for a twentieth of the budget.
// Where a side of the bracket still has too few, in all its runs, that is said: it is
// undecided.
//
// # The budget
//
// A level lasts no longer than a fifteenth of the budget (Within). With half of 40 s
// each the two searches so have some ten runs of 1.3 s: the closed loop knows its best
// throughput about, the open one its limit to 10 % (TestRateWithinABudget), and
// the runs that are to tell less than that last longer, up to a sixth.
//
// # When it misleads
//
// A level lasts as long as the options say. What a service does only after minutes
// (a cache that fills, a collector that falls behind, a queue that grows slowly at
// nearly full load) is not in it: an overload of a share e adds e times the span to
// the response times and no more, so that a bound of b is broken only from
// e = b/span on. Drive the rate that was found for long before relying on it. The
// search supposes one peak: of two it finds one. Where the generator is the
// bottleneck its limit looks like the service's; levels say so, and the knee then is
// not valid. Throughput counts good answers only: a service that refuses quickly
// gets no better by it.
package knee
