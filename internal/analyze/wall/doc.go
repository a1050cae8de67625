// Package wall answers where the wall-clock time of goroutines and of requests
// went: running, or waiting for a processor, a lock, a channel, the network, a
// system call, or the collector. It reads execution traces.
//
// Every goroutine's life within a trace is divided into intervals of one state
// each, without gap or overlap, so that the states of a group sum to its time.
// The runtime's reason and the functions at the leaf of the stack give the kind
// of a wait. Goroutines of the runtime, of its tracer and profilers and of the
// agent are excluded.
//
// Goroutines that serve HTTP for net/http are divided into requests (see the type
// request), and each request belongs to a handler: the innermost function on any
// of its stacks that was called by a mux, a HandlerFunc, a known router or some
// ServeHTTP, so that requests through a middleware belong to their handlers, not
// to the middleware. Middleware that calls on without any of these is the handler
// itself. A request that an http.TimeoutHandler runs on a second goroutine has
// that goroutine's time instead of the wait for it. Other goroutines started by a
// handler count by their own root function: the request's time for them is its
// wait.
//
// It misleads:
//
//   - Running has no stack in a trace. The time between two events of a goroutine
//     belongs to the common part of their stacks, which is closer to the root
//     than the work was: a handler that computes without any event has its time
//     at net/http.(*conn).serve. The figures by state and by handler are right;
//     for running time by function use the CPU profile. CPU samples, which a
//     trace contains while a CPU profile is taken, correct this.
//   - A thread that the operating system does not schedule counts as running in
//     the trace. On a machine with other work, and in a throttled control group,
//     running and system calls include that time.
//   - A system call that does not wait, such as a write into a connection's
//     buffer, is work: see Group.SocketNs. The same holds for files in the page
//     cache.
//   - Files, pipes and terminals look alike: writes to standard error count as
//     disk.
//   - A goroutine that has waited since before the trace may have no stack until
//     it wakes: such a wait is "other", or has the kind that its waker shows.
//   - Requests longer than the traces are cut, and in no group. A warning gives
//     their number.
//   - Requests without a stack in a handler, such as quick ones, go to the only
//     handler there is, or to the one that has 99 of 100 of the others, or are a
//     group of their own.
package wall
