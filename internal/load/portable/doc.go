// Package portable is the engine over net/http: for every operating system and
// for what the event loop does not speak.
//
// It answers what every engine does (see package engine), over HTTP/1.1 and over
// HTTP/2 with TLS or without (h2c), over TCP and Unix sockets, to any number of
// origins, with cookies. Each connection has a goroutine that sends one request,
// reads the whole answer, and sends the next; with HTTP/2 it has one for each of
// its streams. With several origins each of the job's connections is one to each
// of them, made when it is first needed.
//
// Connections are made and closed by this package and never by net/http's pool
// (line.go), and one is not used again before it is known that nothing came
// behind the last answer (socket.go).
//
// # When it misleads
//
// A request costs what net/http takes for it, some ten microseconds of a
// processor: on one core a few ten thousand requests a second are the
// generator's limit, not the service's. A connection takes some 30 KB.
//
// A server that lets fewer streams be open than a connection has is waited for,
// and the wait stands in the service times. Streams that were opened before it
// said so fail where it refuses them: nothing that went out is sent again.
//
// Response times hold that goroutines wake up one after the other: on a busy
// machine a request may be sent late, and is counted so. A service time begins
// when a request is given to net/http, whose goroutine for the connection has to
// wake up before it writes it.
//
// Each connection looks up its host by itself: that is part of the time in which
// it is made, and so of its first request's.
package portable
