// Package wall answers where the wall-clock time of goroutines and of requests
// went: running, waiting for a processor, for a lock, a channel, the network, a
// system call, the collector. It reads execution traces.
//
// Every goroutine's life within a trace is cut into intervals of one state
// each, without gap or overlap, so that the states of a group add up to its
// time. What a waiting goroutine waits for follows from the runtime's reason
// and from the functions at the leaf of its stack. Goroutines of the runtime,
// of its tracer and profilers and of the agent are left out.
//
// Goroutines that serve HTTP for net/http are cut into requests (see the type
// request), and each request belongs to a handler: the innermost function on
// any of its stacks that a mux, a HandlerFunc, a known router or something's
// ServeHTTP called, so that requests through a middleware are their handlers',
// not the middleware's. Middleware that calls on without any of these is the
// handler itself. A request that an http.TimeoutHandler runs on a second
// goroutine has that goroutine's time instead of the wait for it. Other
// goroutines that a handler starts count by their own root function: what the
// request spends on them is its wait for them.
//
// It misleads:
//
//   - Running has no stack in a trace. The time between two events of a
//     goroutine goes to what their stacks share, which lies nearer to the root
//     than the work did: a handler that computes without any event has its time
//     at net/http.(*conn).serve. Per state and per handler the figures are
//     right; per function those of running are the CPU profile's business.
//     CPU samples, which a trace has while a CPU profile is taken, mend this.
//   - A thread that the operating system does not schedule runs for the trace.
//     On a machine with other work, and in a throttled control group, running
//     and system calls contain that time.
//   - A system call that does not wait, as a write into a connection's buffer,
//     is work: see Group.SocketNs. The same holds for files in the page cache.
//   - Files, pipes and terminals look alike: what goes to standard error counts
//     as disk.
//   - A goroutine that waited since before the trace may have no stack until it
//     wakes: such a wait is other, or what the one who woke it shows.
//   - Requests longer than the traces are cut, and in no group. A warning says
//     how many.
//   - Requests that no stack shows in a handler, as quick ones, go to the only
//     handler there is, or to the one that has 99 of 100 of the others, or are a
//     group of their own.
package wall
