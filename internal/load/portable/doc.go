// Package portable is the engine over net/http: for every operating system and
// for everything that the event loop does not support.
//
// It implements the contract of package engine over HTTP/1.1 and over HTTP/2 with
// TLS or without (h2c), over TCP and Unix sockets, to any number of origins, with
// cookies. Each connection has a goroutine that sends one request, reads the
// whole response, and sends the next; with HTTP/2 it has one for each of its
// streams. With several origins each of the job's connections is one to each of
// them, opened when first needed.
//
// This package opens and closes connections, never net/http's pool (line.go), and
// it reuses one only after checking that no data followed the last response
// (socket.go).
//
// # When it misleads
//
// A request has the cost of net/http, some ten microseconds of a processor: on
// one core a few ten thousand requests a second are the generator's limit, not
// the service's. A connection takes some 30 KB.
//
// If a server allows fewer open streams than a connection has, requests wait, and
// service times include the wait. Streams opened before the server announced its
// limit fail if it refuses them: no request is sent twice.
//
// Response times include the time in which goroutines wake up one after the
// other: on a busy machine a request may be sent late, and counts as late. A
// service time begins when net/http gets the request; its goroutine for the
// connection has to wake up before it writes the request.
//
// Each connection looks up its host by itself: the time is part of opening the
// connection, and so of its first request.
package portable
