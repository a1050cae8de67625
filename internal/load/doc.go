// Package load drives an HTTP service with a closed or an open loop, and says
// what came back and whether it can be believed.
//
// It answers: how many requests does the service complete, how long does each
// take, and what goes wrong. It is the one door for whoever wants load: options
// and their validation, the choice of the engine, the phases, the check of the
// generator itself, and the warnings. What is sent is package message's, what
// drives the connections an engine's (package engine says what it owes, fast
// and portable are two), and what became of each request goes into package
// record, which says to which moment a request belongs and which times there
// are.
//
// In a closed loop each of Options.Concurrency connections sends one request,
// reads the whole answer, and sends the next, as wrk does. With
// Options.Schedule the loop is open: requests are sent when they are due, over
// at most that many connections, and Result.Response holds what users would
// see: the time from when each was due. A plan that changes is led by its first
// rate during the warm-up, and begins after it.
//
// What is due during the warm-up and finds all connections busy is not sent. So
// what counts begins after what the service has been given, as many requests as
// there are connections at most, and not behind a queue of whet's own that a
// service which is too slow for the rate would need longer for than the load
// lasts. From there on every request that falls due is in the result once: as
// answered, as failed, or as never sent.
//
// Redirects are not followed: an answer of 3xx counts as an answer, as with
// wrk, and a warning says where it leads. Otherwise every request would cost
// the target two, and the figures would be of neither. (hey follows them.)
//
// No proxy is used, whatever the environment says. Compressed answers are not
// asked for, unless a header does.
//
// # When the generator was the bottleneck
//
// Result.Invalid says so, and whet load exits with 3, in three cases:
//
//   - A closed loop whose process used more than nine tenths of the processors
//     that it may use: the service had to wait for it. The same goes for an open
//     loop more than one in twenty of whose requests waited for a connection: a
//     generator that is late to take up answers makes them wait. Not so where the engine
//     found most requests with the service whenever it looked. (In a process
//     that answers itself, as in tests, nobody can tell whose time that was.)
//   - An open loop that sent more than one request in a hundred over a
//     millisecond late, where at p99 that lateness is more than half of the
//     response time.
//   - One failure in a hundred or more for want of file descriptors or ports.
//
// What was sent late is not the generator's doing where others had the processors:
// the target beside it, other programs, or whoever it was that its threads waited
// for by the kernel's account (/proc/self/task/*/schedstat), while it used half of
// its own at most. The reason says so then. A result of which it makes half of the
// response times is not valid all the same: it is not the service's.
//
// Processors that generator and target share are no proof by themselves, and are
// warned of where they were used up, or where there is only one; so are those that
// other programs used up. Who listens at the
// address is found in /proc, and so only on Linux and where this user may look;
// otherwise it is unknown, and Generator.Shared says that.
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
// users, who come at random: schedule.Schedule.Poisson does.
//
// With few connections an open loop's requests wait for one of them, as they
// would not if each user had one; Result.Waited counts those.
//
// Result.Generator.CPU is that of this process, so other work of ours during
// the load is in it.
package load
