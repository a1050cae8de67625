// Package load drives an HTTP service with a closed or an open loop, and reports
// the results and whether they are valid.
//
// It answers: how many requests does the service complete, how long does each
// take, and what fails. It is the only entry point for other packages: options
// and their validation, the choice of the engine, the phases, the check of the
// generator itself, and the warnings. Package message makes the requests, an
// engine drives the connections (package engine defines the contract, fast and
// portable implement it), and package record counts the results; it defines the
// time to which a request belongs and the times that are measured.
//
// In a closed loop each of Options.Concurrency connections sends one request,
// reads the whole response, and sends the next, as wrk does. With
// Options.Schedule the loop is open: requests are sent when they are due, over at
// most that many connections, and Result.Response is the time that users would
// see: from the intended send of each. During the warm-up a schedule that changes
// runs at its first rate, and begins after it.
//
// A request that is due during the warm-up is dropped if all connections are
// busy. The measurement therefore begins with at most as many requests under way
// as there are connections, and not with a queue of whet's own, which a service
// too slow for the rate might never work off. Every request due after the warm-up
// is in the result once: answered, failed, or never sent.
//
// Redirects are not followed: a 3xx response counts as a response, as with wrk,
// and a warning gives its location. Otherwise every request would cost the target
// two, and the figures would describe neither. (hey follows them.)
//
// No proxy is used, even if the environment names one. Compressed responses are
// requested only by an explicit header.
//
// # When the generator was the bottleneck
//
// Result.Invalid says so, and whet load exits with 3, in three cases:
//
//   - A closed loop whose process used more than nine tenths of its available
//     processors: the service had to wait for it. The same holds for an open loop
//     if more than one request in twenty waited for a connection: a generator
//     that reads responses late makes requests wait. Exception: whenever the
//     engine looked, most requests were with the service. (In a process that
//     serves the responses itself, as in tests, the two cannot be separated.)
//   - An open loop that sent more than one request in a hundred over a
//     millisecond late, if at p99 the lateness is more than half of the response
//     time.
//   - One failure in a hundred or more for lack of file descriptors or ports.
//
// Lateness is not the generator's fault if others used the processors: the target
// beside it, other programs, or unknown ones, if the kernel's account says that
// its threads waited (/proc/self/task/*/schedstat), while it used at most half of
// its own. The reason then says so. A result with lateness of half of the
// response times or more is still not valid: it does not describe the service.
//
// Processors that generator and target share prove nothing by themselves; a
// warning reports them if they were saturated, or if there is only one. So it
// does for processors saturated by other programs. The process that listens at
// the address is found in /proc, so only on Linux and with permission; otherwise
// it is unknown, and Generator.Shared says that.
//
// # When it misleads
//
// A closed loop waits: while the service stalls, no request is sent, so at most
// Concurrency requests see a stall of a second. Users do not wait for each other.
// Quantiles of service time in a closed loop are therefore too good, and must not
// be read as response times.
//
// An open loop is only as good as its generator. Result.LateSends counts late
// sends, and response times include the delay; a warning reports more than one in
// a hundred. Evenly spaced arrivals wait for each other less than those of users,
// who come at random: schedule.Schedule.Poisson models these.
//
// With few connections the requests of an open loop wait for one of them, which
// they would not if each user had one; Result.Waited counts those.
//
// Result.Generator.CPU is that of this process, including other work of it during
// the load.
package load
