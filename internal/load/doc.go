// Package load drives an HTTP service with a closed or an open loop, and records
// what came back.
//
// It answers: how many requests does the service complete with a fixed number
// of clients, how long does each take, and what goes wrong. Each of
// Options.Concurrency clients sends one request, reads the whole answer, and
// sends the next, as wrk does. The same address is asked again and again over
// connections that are kept.
//
// A request belongs to the moment it ended: those that end within
// [Result.Start, Result.End) count, also when they began during the warm-up;
// those still under way at the end do not, and Result.InFlight says how many
// they were. So the rate is right for slow and fast requests alike.
//
// Service time runs from just before a request is given to net/http until the
// end of its answer's body, and so includes making a connection where one was
// needed. The histogram holds every whole answer whatever its status, and
// requests that timed out, at the time they were waited for: leaving those out
// would hide the worst. It does not hold requests that ended without an answer
// for another reason, such as a refused connection, which took no service.
//
// Redirects are not followed: an answer of 3xx counts as an answer, as with
// wrk, and a warning says where it leads. Otherwise every request would cost
// the target two, and the figures would be of neither. (hey follows them.)
//
// HTTP/1.1 is spoken; no proxy is used, whatever the environment says.
// Compressed answers are not asked for, unless Options.Header does.
//
// With Options.Rate the loop is open: requests are sent when they are due,
// evenly spaced, over at most Concurrency connections, and Result.Response holds
// what users would see: the time from when each was due. There a request belongs
// to the moment it was due, and the load waits for the answers behind its end.
// See the essay in open.go.
//
// # When it misleads
//
// A closed loop waits: while the service stalls, no request is sent, so a stall
// of a second is seen by at most Concurrency requests. Users do not wait for
// each other. Quantiles of service time under a closed loop are too good for
// that reason, and must not be read as response times.
//
// An open loop is no better than its generator. What it sent late is counted in
// Result.LateSends, and stands in the response times; more than one in a hundred
// is warned of. Evenly spaced arrivals wait for each other less than those of
// users, who come at random.
//
// Generator and service share a machine if the address is local, and then
// share its processors: Result.GeneratorCPU says what was taken. It counts all
// of this process, so other work of ours during the load is in it.
//
// net/http sends a request again, unseen, if a kept connection turns out to be
// closed before the first byte of an answer and the method is idempotent. A
// service that closes connections shows that as time, not as errors.
package load
