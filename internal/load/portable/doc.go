// Package portable is the engine over net/http: for every operating system and
// for what the event loop does not speak.
//
// It answers what every engine does (see package engine). Each connection has a
// goroutine that sends one request, reads the whole answer, and sends the next.
//
// # When it misleads
//
// A request costs what net/http takes for it, some ten microseconds of a
// processor: on one core a few ten thousand requests a second are the
// generator's limit, not the service's.
//
// net/http sends a request again, unseen, if a kept connection turns out to be
// closed before the first byte of an answer and the method is idempotent. A
// service that closes connections shows that as time, not as errors.
package portable
