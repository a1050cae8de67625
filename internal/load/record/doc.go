// Package record counts what became of the requests of a load and makes a
// Result of it.
//
// It answers: how many requests ended, how, when, and after which time. Input
// are outcomes, one for each request, with times in nanoseconds since the
// load's origin; the clock is the engine's. Each event loop writes into a
// Shard of its own, without a lock and without allocating; once a second a
// shard hands over what it has, and the seconds that all shards have passed are
// closed, in order.
//
// # To which moment a request belongs
//
// In a closed loop a request belongs to the moment it ended: those that end
// within [Result.Start, Result.End) count, also when they began during the
// warm-up; those still under way at the end do not. So the rate is right for
// slow and fast requests alike. With a number of requests (Plan.Requests) a
// request belongs to the moment it was sent: exactly those that were sent
// after the warm-up count, and the load waits for all of them.
//
// In an open loop a request belongs to the moment it was due, whenever it was
// sent and answered; the second and the bin that its answer is counted in are
// still those of the answer, where those after the end fall into the last;
// throughput leaves those out and holds what the warm-up left to be answered
// (Result.Throughput).
//
// # Which times
//
// Service time runs from the actual send to the end of the answer and holds
// the making of a connection where one was needed; response time runs from the
// moment the request was due. Both histograms hold every whole answer, whatever
// its status, and requests that timed out, at the time they were waited for:
// leaving those out would hide the worst. They do not hold requests that ended
// without an answer for another reason, such as a refused connection, which
// took no service. A request that was never sent, because all connections were
// busy to the end of the load, has a response time and no service time.
//
// # When it misleads
//
// The quantiles of a second rest on that second's requests alone: their mean is
// no quantile of the load. Whoever wants one merges the histograms of intervals.
//
// Lateness blames the generator for what passes between the moment a request
// was due and a connection was free for it, whichever came last, and its
// sending; the operating system and other programs on the machine share that
// blame.
package record
