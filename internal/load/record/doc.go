// Package record counts the outcomes of a load's requests and computes a Result.
//
// It answers: how many requests ended, how, when, and after which time. Its input
// are outcomes, one for each request, with times in nanoseconds since the load's
// origin; the clock is the engine's. Each event loop writes into a Shard of its
// own, without a lock and without allocating; once a second a shard hands over
// its counts, and the seconds that all shards have passed are closed, in order.
//
// # The time of a request
//
// In a closed loop a request belongs to the time it ended: those that end within
// [Result.Start, Result.End) count, even if they began during the warm-up; those
// under way at the end do not. So the rate is right for slow and fast requests
// alike. With a number of requests (Plan.Requests) a request belongs to the time
// it was sent: exactly those sent after the warm-up count, and the load waits for
// all of them.
//
// In an open loop a request belongs to the time it was due, whenever it was sent
// and answered. Its response is still counted in the second and the bin of the
// response; responses after the end are in the last ones. Throughput excludes
// those, and includes the responses to requests left over from the warm-up
// (Result.Throughput).
//
// # The times
//
// Service time runs from the actual send to the end of the response and includes
// opening a connection if one was needed; response time runs from the intended
// send. Both histograms contain every complete response, whatever its status, and
// requests that timed out, with the time waited: omitting those would hide the
// worst. They do not contain requests that ended without a response for another
// reason, such as a refused connection, which took no service. A request that was
// never sent, because all connections were busy to the end of the load, has a
// response time and no service time.
//
// # When it misleads
//
// The quantiles of a second describe that second's requests alone: their mean is
// not a quantile of the load. To get one, merge the histograms of the intervals.
//
// Lateness charges the generator with the time from the moment a request was due
// and a connection free, whichever came last, to its send; the operating system
// and other programs on the machine contribute to it.
package record
