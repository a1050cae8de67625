// Package fast is the engine for HTTP/1.1 on Linux: one event loop for each
// processor, over non-blocking sockets, without a goroutine for a connection.
//
// It answers what engine.Engine asks, for a job with one address and no
// cookies; the portable engine does everything else. What is sent comes from
// package message as bytes that package wire wrote; what comes back is read by
// wire's parser; what became of each request goes to package record.
//
// # How it is built
//
// A loop owns its connections, and nobody else touches them: no lock is taken
// and nothing is allocated for a request. What a connection does next (send,
// wait, reconnect, think, give up) is decided in conn.go and answer.go, when
// time passes in timers.go, when an open loop sends in open.go. How bytes reach
// the kernel is a transport: epoll tells when a socket is ready and the loop
// reads; io_uring reads by itself and tells what came. A transport decides
// nothing.
//
// A loop runs on a thread of its own, with the timer slack at its least, so that
// it wakes when it asked to. How it waits without being in the way of the
// runtime, or the runtime in its way, says epoll.go.
//
// TLS is crypto/tls over a connection that holds bytes in memory: a handshake
// runs in a goroutine that the loop feeds, and after it the loop calls crypto/tls
// itself, which says "would block" where a socket would (tls.go).
//
// # Batches
//
// A closed loop with many connections busy collects answers for up to 100 µs
// before it looks again, instead of being woken for each (nap.go). The wait is at
// most a sixth of the service time, and there is none where few connections are
// busy, where answers are few, where the loop is open, or where service times are
// longer for it.
//
// # When it misleads
//
// A service time holds what the loop itself was busy with when the answer came,
// as with every tool that uses one thread for many connections. With batches it
// holds half of one more, on average.
//
// It begins just before the system call that sends the request. Over epoll that is
// a call of its own; over io_uring it is one for up to 64 requests, which the kernel
// sends one after the other, some 3 µs each: a service time is too long by that of
// the requests before it, 25 µs on average with 64 connections, and 0.2 ms at most.
//
// A connection belongs to one loop. Arrivals of an open loop are dealt out to
// the loops in turns, so one loop's connections may all be busy while another's
// are free; each still counts from when it was due.
//
// A request is sent once. One that is on its way over a kept connection when the
// service closes that has failed, where net/http would send it again, unseen;
// only what was closed before anything was sent is made anew.
package fast
