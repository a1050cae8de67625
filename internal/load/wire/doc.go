// Package wire is HTTP/1.1 as bytes: it writes requests and recognizes the end of
// a response in the data of a connection.
//
// It answers: which bytes encode this Message, and which of the received bytes
// are the response, with which status and length of the body, and whether the
// connection may be used again. It does no input or output, keeps no clock, and
// runs on every system.
//
// The Parser takes a response in pieces of any size. It does not store the
// response: it reads heads in place, and counts and skips bodies. It buffers only
// a line that continues in the next piece, in memory that later responses reuse.
// With a Sink it also passes on fields and body.
//
// The reference is net/http's ReadResponse (Go 1.26), which defines what is
// accepted and refused: tests feed the same bytes to both, split at every
// position, and a fuzz target extends them. Folded lines, bare line feeds in the
// head, several equal Content-Length, Transfer-Encoding beside Content-Length,
// HTTP/1.0 and so on have the same meaning here.
//
// It differs on purpose:
//
//   - A status code is three digits and at least 100. net/http also reads "+20"
//     and "099".
//   - 101 is refused: whet never asks for another protocol, so the following data
//     is not HTTP. net/http hands the connection over.
//   - Other 1xx are skipped, as net/http's Transport does; ReadResponse returns
//     them.
//   - Heads, including those of 1xx before a response, are at most 1 MiB long,
//     which is about where net/http's Transport gives up.
//   - The lines of trailers end in CRLF. net/http accepts bare line feeds there,
//     if a blank line with CRLF follows somewhere in its buffer.
//   - A chunk's size line and a trailer are at most 4,096 bytes long with all
//     their line ends, as with net/http and its default buffer, whatever the
//     pieces are.
//   - Bytes that do not begin with "HTTP/" are refused at the first wrong byte,
//     not at the end of a line that may never come.
//
// # When it misleads
//
// Bytes is the size of the body on the wire: a compressed response counts
// compressed. Chunked bodies count without the chunks' own lines. Trailers are
// checked and dropped.
//
// The Parser finds the end of a response, not its request: the caller gets bytes
// that follow a response without a request, and should close the connection.
package wire
