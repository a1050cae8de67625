// Package wire is HTTP/1.1 as bytes: it writes requests and recognises the end
// of an answer in what a connection delivers.
//
// It answers: which bytes ask for this Message, and how many of the bytes that
// came back are the answer, with which status, how long a body, and whether the
// connection may be used again. It does no input or output, keeps no clock, and
// runs on every system.
//
// The Parser takes an answer in pieces of any size. It keeps no answer: heads
// are looked at where they lie, bodies are counted and skipped. Only a line that
// a piece ends in is put aside until the rest of it comes, in memory that later
// answers use again. With a Sink it also hands out fields and body.
//
// What net/http's ReadResponse accepts and refuses is the reference (Go 1.26):
// tests feed the same bytes to both, split at every place, and a fuzz target
// goes on from there. Folded lines, bare line feeds in the head, several equal
// Content-Length, Transfer-Encoding beside Content-Length, HTTP/1.0 and so on
// mean the same here.
//
// On purpose different are:
//
//   - A status code is three digits and at least 100. net/http reads "+20" and
//     "099" as well.
//   - 101 is refused: no request of ours asks for another protocol, so what
//     follows is not HTTP. net/http hands the connection over.
//   - Other 1xx are skipped, as net/http's Transport does; ReadResponse returns
//     them.
//   - Heads, those of 1xx before an answer included, are at most 1 MiB long,
//     which is about where net/http's Transport gives up.
//   - The lines of trailers end in CRLF. net/http takes bare line feeds there,
//     if a blank line with CRLF follows somewhere in its buffer.
//   - A chunk's size line and a trailer are at most 4,096 bytes long with all
//     their line ends, as with net/http and its default buffer, whatever the
//     pieces are.
//   - Bytes that do not begin with "HTTP/" are refused at the first wrong byte,
//     not at the end of a line that may never come.
//
// # When it misleads
//
// Bytes is what the body held on the wire: an answer that is compressed counts
// compressed. Chunked bodies count without the chunks' own lines. Trailers are
// checked and dropped.
//
// The Parser says where an answer ends, not that the request was meant: bytes
// that follow an answer without having been asked for are left to the caller,
// which should give the connection up.
package wire
