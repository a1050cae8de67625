// Package engine is the contract between a load and what drives its
// connections.
//
// It answers: what is to be sent, when, over what, and for how long (Job); and
// how an answer is told from a wrong one (Check). An Engine takes a Job and
// writes what became of each request into the job's recorder.
//
// # What an engine owes
//
// A closed loop keeps Connections requests under way (Connections times Streams
// with HTTP/2): each connection sends the next one once the last is answered and
// the think time is over. It ends at Warmup+Duration by the job's clock and cuts
// off what is under way.
//
// An open loop sends request k when Arrivals says, over whichever connection is
// free, and in order: what is due longest is sent first. What was due before
// Warmup+Duration is still sent and waited for after that, at most Timeout; then
// all that is unanswered or unsent is recorded as timed out: what is unsent at that
// moment, and what is unanswered with its Timeout, also where less of it has passed.
// So every arrival that was due after the warm-up is recorded once, and no timeout
// stands in the times with less than it is. One that is due during the warm-up and
// finds no connection free is let go: a queue of the warm-up's own would have to be
// worked off in the time that counts.
//
// Job.Take is asked before each request, and Job.Requests is kept so: an engine
// that gets no for an answer sends no more, waits for what is under way, and
// returns. Where it fails in a closed loop since its connection was refused,
// Job.Again may say that it is to be tried once more, after the pause and without
// another Take.
//
// A request may take Timeout, with the making of its connection; then it is
// recorded as timed out, End at least Timeout after Sent, and its connection
// closed. Whatever else fails is recorded with its kind; where no answer came,
// a closed loop's connection waits before it tries again, 5 ms at first and twice as
// long each time up to 100 ms, so that a refused connection does not make the engine
// spin. An open loop goes on with what is due: its schedule is all that holds it up,
// and users who are refused do not wait for each other either.
//
// A request is sent once. Only where nothing of it was written, since a kept
// connection was closed before, does it go over another one. Otherwise it failed,
// also where HTTP/2 says that the service did nothing about it: what the service
// saw is what is recorded.
//
// Where ctx ends, the engine cuts everything off at once. Report.InFlight says
// how many requests were under way at whichever end it was. Nothing is left
// open when Drive returns.
//
// # When it misleads
//
// An engine that cannot send as fast as it should shows that in the lateness of
// an open loop. A closed loop has no such mark: there the front compares the
// processor time that the process used with what it had.
package engine
