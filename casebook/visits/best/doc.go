// Package best is the visit counter with nothing left to allocate: the same
// answers, the same log records, no call of the heap once a name is known.
//
// What it does beyond package final, each for the share it had of what was
// left:
//
//   - The query is read in place (query.go) instead of through url.Values.
//     That is a second implementation of net/url's rules, held to them by the
//     table and by fuzzing against the other stages; whatever is unusual
//     (a body, a form that somebody has parsed, an escaped key, many pairs)
//     goes the way of http.Request.FormValue. A request read in place keeps a
//     nil Form: a handler that runs after this one has to parse it itself.
//   - The log record is appended by hand (journal.go), byte for byte what
//     zerolog writes with its default settings, with the time formatted once
//     a second.
//   - The Content-Type header is one slice, shared by all answers.
//   - A known name is counted through a pointer: one look-up, and its bytes
//     never become a string. The count is kept in decimal (tally.go).
//
// The price is code that the log library and net/http would otherwise have
// kept right. It pays in a handler that does little else, and nowhere else.
//
// Records of concurrent requests may stand in the log in another order than
// their counts.
package best
