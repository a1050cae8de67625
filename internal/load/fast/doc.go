// Package fast is the engine for HTTP/1.1 on Linux: one event loop per processor,
// over non-blocking sockets, without a goroutine per connection.
//
// It implements engine.Engine for a job with one address and no cookies; the
// portable engine does everything else. Package message supplies the requests as
// bytes that package wire wrote; wire's parser reads the responses; package
// record counts the outcomes.
//
// # Design
//
// A loop owns its connections, and no other goroutine touches them: there are no
// locks and no allocations per request. conn.go and answer.go decide the next
// step of a connection (send, wait, reconnect, think, give up), timers.go when
// time passes, and open.go when an open loop sends. A transport moves the bytes:
// epoll reports that a socket is ready and the loop reads; io_uring reads by
// itself and reports the data. A transport decides nothing.
//
// A loop runs on a thread of its own, with the smallest timer slack, so that it
// wakes on time. epoll.go explains how it waits without blocking the runtime, or
// the runtime it.
//
// TLS is crypto/tls over a connection in memory: a handshake runs in a goroutine
// that the loop feeds; after it the loop itself calls crypto/tls, which returns
// "would block" where a socket would (tls.go).
//
// # Batches
//
// A closed loop with many busy connections collects responses for up to 100 µs
// before it looks again, instead of waking up for each (nap.go). The wait is at
// most a sixth of the service time, and there is none if few connections are
// busy, if responses are few, if the loop is open, or if it lengthens service
// times.
//
// # When it misleads
//
// A service time includes the loop's own work at the moment the response arrived,
// as with every tool that uses one thread for many connections. With batches it
// includes half a wait more, on average.
//
// A service time begins just before the system call that sends the request. Over
// epoll each request has its own call; over io_uring one call sends up to 64,
// which the kernel sends one after the other, some 3 µs each: a service time
// includes the requests before it, 25 µs on average with 64 connections, and at
// most 0.2 ms.
//
// A connection belongs to one loop. The loops take the arrivals of an open loop
// in turn, so all connections of one loop may be busy while another has free
// ones; each request still counts from its intended send.
//
// A request is sent once. If the service closes a kept connection while a request
// is on its way, the request has failed; net/http would silently send it again.
// Only a connection closed before anything was sent is opened again.
package fast
