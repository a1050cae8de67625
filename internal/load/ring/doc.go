// Package ring implements Linux's io_uring by raw system calls, to the extent
// that a load generator needs it: connecting, receiving and sending over sockets.
//
// It gives many socket operations to the kernel with one call, and returns their
// results. Operations are written into a queue shared by kernel and process; one
// call submits all of them and waits for completions, which are read from a
// second shared queue without a call.
//
// It uses these features, each with the kernel version that introduced it:
//
//   - Work caused by completions is deferred until the thread asks for them, and
//     one thread submits (6.1). Nothing interrupts that thread.
//   - Sockets are registered: an operation names a slot, and the kernel looks up
//     no file. The slot is the only reference to a socket; the process has no
//     descriptor for it.
//   - A receive is armed once and completes repeatedly, each time into one of a
//     set of buffers that the kernel chooses when data arrives (6.0). An idle
//     connection uses no memory.
//   - A send may complete silently: only a failure is reported (5.17).
//   - Waiting for several completions, but for at least one no longer than some
//     microseconds (6.12). On older kernels Ring.Batches is false.
//
// New fails with ErrUnavailable if the kernel is older, or forbids io_uring
// (kernel.io_uring_disabled, the seccomp profiles of container runtimes); the
// error says which. The only remedy is epoll.
//
// The memory model is that of io_uring(7): heads and tails of the queues are
// loaded with acquire and stored with release semantics, for which sync/atomic
// stands in.
//
// # When it misleads
//
// The kernel reads the memory of an operation after the call that submits it,
// unknown to the garbage collector: the arguments of Send and Connect must stay
// reachable and unchanged until the operation is over. Each documents when that
// is.
//
// The CPU time of a send or receive is spent in the call that submits or waits,
// so a profile shows all of it there.
package ring
