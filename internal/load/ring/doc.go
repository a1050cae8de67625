// Package ring is Linux's io_uring by raw system calls, as far as a load
// generator needs it: connecting, receiving and sending over sockets.
//
// It answers: how are many socket operations given to the kernel with one call,
// and what became of them. Operations are written into a queue that kernel and
// process share; one call submits all of them and waits for completions, which
// are read from a second shared queue without a call.
//
// What it uses, and since when the kernel has it:
//
//   - Work that completions cause is put off until the thread asks for them, and
//     one thread submits (6.1). Nothing interrupts that thread.
//   - Sockets are registered: an operation names a slot, and the kernel looks up
//     no file. The slot is all there is of a socket; the process has no
//     descriptor for it.
//   - A receive is armed once and completes again and again, each time into one
//     of a set of buffers that the kernel chooses when there is something to put
//     in (6.0). An idle connection holds no memory.
//   - A send may be told to complete in silence: only a failure is reported
//     (5.17).
//   - Waiting for several completions, but for at least one no longer than some
//     microseconds (6.12). On older kernels New says in Ring.Batches that it
//     cannot.
//
// New fails with ErrUnavailable where the kernel is older, or forbids io_uring
// (kernel.io_uring_disabled, the seccomp profiles of container runtimes); the
// error says which. Nothing else is to be done about it than using epoll.
//
// The memory model is that of io_uring(7): heads and tails of the queues are
// loaded with acquire and stored with release semantics, for which sync/atomic
// stands in.
//
// # When it misleads
//
// The kernel reads the memory of an operation after the call that submits it, and
// the collector knows nothing of that: what Send and Connect are given must stay
// reachable and unchanged until the operation is over. Each says when that is.
//
// CPU time of a send or receive is spent in the call that submits or waits, so a
// profile shows all of it there.
package ring
