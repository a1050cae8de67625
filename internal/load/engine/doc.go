// Package engine is the contract between a load and the engine that drives its
// connections.
//
// It defines the work: what is sent, when, over what, and for how long (Job); and
// the check of a response (Check). An Engine takes a Job and writes the outcome
// of each request into the job's recorder.
//
// # The duties of an engine
//
// A closed loop keeps Connections requests under way (Connections times Streams
// with HTTP/2): each connection sends the next one after the response to the last
// and the think time. The loop ends at Warmup+Duration by the job's clock and
// cuts off requests under way.
//
// An open loop sends request k at the time given by Arrivals, over any free
// connection, and in order: the request due longest is sent first. Requests due
// before Warmup+Duration are still sent and waited for after that, for at most
// Timeout; then all that are unanswered or unsent are recorded as timed out: an
// unsent one at that moment, an unanswered one with its full Timeout, even if
// less of it has passed. So every arrival due after the warm-up is recorded once,
// and no timeout counts with less than its time. An arrival that is due during
// the warm-up and finds no connection free is dropped: the measured time would
// otherwise have to work off the queue of the warm-up.
//
// An engine calls Job.Take before each request, which keeps Job.Requests: after a
// refusal the engine sends no more, waits for requests under way, and returns. If
// a request of a closed loop failed because its connection was refused, Job.Again
// may allow another try, after the pause and without another Take.
//
// A request, including its connection, may take Timeout; then it is recorded as
// timed out, End at least Timeout after Sent, and its connection closed. Other
// failures are recorded with their kind; after a failure without a response, a
// connection of a closed loop waits before it tries again, 5 ms at first and
// twice as long each time up to 100 ms, so that a refused connection does not
// make the engine spin. An open loop continues with the next due request: only
// its schedule delays it, because users who are refused do not wait for each
// other either.
//
// A request is sent once. Only if nothing of it was written, because a kept
// connection had been closed, is it sent over another one. Otherwise it failed,
// even if HTTP/2 says that the service did not process it: the recorded requests
// are those that the service saw.
//
// When ctx ends, the engine cuts everything off at once. Report.InFlight is the
// number of requests under way at the end, whatever its cause. Nothing is left
// open when Drive returns.
//
// # When it misleads
//
// An engine that cannot send as fast as planned shows that in the lateness of an
// open loop. A closed loop has no such sign: there package load compares the
// processor time of the process with the available time.
package engine
