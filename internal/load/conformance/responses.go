package conformance

import (
	"net/http"
	"strings"

	"whet/internal/loadresult"
)

// responseCase is a response of a server and the result that a load must report for
// it.
type responseCase struct {
	name   string
	text   string
	method string // "": GET
	ends   bool   // the server ends what it sends after it
	resets bool   // the server resets the connection after it

	status int    // of a whole answer; 0: it is none
	bytes  int64  // of its body that came
	kind   string // "": it did not fail
	// once says that the connection is not to be used again.
	once bool
}

// answers returns what any engine must read, whatever way it comes in pieces. Where
// the standard's letter and net/http differ, net/http is followed: its users
// are those who read the figures.
func answers() []responseCase {
	const head = "HTTP/1.1 200 OK\r\n"
	long := strings.Repeat("0123456789abcdef", 5000)
	return []responseCase{
		{name: "length", text: head + "Content-Length: 5\r\n\r\nhello", status: 200, bytes: 5},
		{name: "length 0", text: head + "Content-Length: 0\r\n\r\n", status: 200},
		{name: "long", text: head + "Content-Length: 80000\r\n\r\n" + long, status: 200, bytes: 80000},
		{name: "length twice alike", text: head + "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello", status: 200, bytes: 5},
		{name: "names in any case", text: "HTTP/1.1 200 OK\r\ncOnTeNt-LeNgTh:5\r\nCONNECTION: Keep-Alive\r\n\r\nhello", status: 200, bytes: 5},
		{name: "spaces around values", text: head + "Content-Length: \t 5 \t\r\nX:\r\nY:  \r\n\r\nhello", status: 200, bytes: 5},
		{name: "bare line feeds", text: "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello", status: 200, bytes: 5},
		{name: "no reason", text: "HTTP/1.1 200\r\nContent-Length: 5\r\n\r\nhello", status: 200, bytes: 5},
		{name: "empty reason", text: "HTTP/1.1 200 \r\nContent-Length: 5\r\n\r\nhello", status: 200, bytes: 5},
		{name: "status nobody knows", text: "HTTP/1.1 299 Odd, but so\r\nContent-Length: 5\r\n\r\nhello", status: 299, bytes: 5},
		{name: "redirect", text: "HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n", status: 302},
		{name: "404", text: "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone", status: 404, bytes: 4, kind: loadresult.Status4xx},
		{name: "500", text: "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 4\r\n\r\noops", status: 500, bytes: 4, kind: loadresult.Status5xx},
		{name: "large head", text: head + "X-Large: " + long + "\r\nContent-Length: 5\r\n\r\nhello", status: 200, bytes: 5},
		{name: "many fields", text: head + strings.Repeat("X-Field: value\r\n", 500) + "Content-Length: 5\r\n\r\nhello", status: 200, bytes: 5},

		{name: "chunked", text: head + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n", status: 200, bytes: 11},
		{name: "chunked, nothing", text: head + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", status: 200},
		{name: "chunked, extensions", text: head + "Transfer-Encoding: chunked\r\n\r\n5;name=value\r\nhello\r\n6;a;b=\"c\"\r\n world\r\n0;last\r\n\r\n", status: 200, bytes: 11},
		{name: "chunked, trailers", text: head + "Transfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n5\r\nhello\r\n0\r\nX-Sum: 1234\r\n\r\n", status: 200, bytes: 5},
		{name: "chunked, hexadecimal of any case", text: head + "Transfer-Encoding: Chunked\r\n\r\n00000A\r\n0123456789\r\nf\r\n0123456789abcde\r\n0\r\n\r\n", status: 200, bytes: 25},
		{name: "chunked, body that looks like an answer", text: head + "Transfer-Encoding: chunked\r\n\r\n26\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n\r\n0\r\n\r\n", status: 200, bytes: 38},

		{name: "continue first", text: "HTTP/1.1 100 Continue\r\n\r\n" + head + "Content-Length: 5\r\n\r\nhello", status: 200, bytes: 5},
		{name: "early hints first", text: "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n" + head + "Content-Length: 5\r\n\r\nhello", status: 200, bytes: 5},
		{name: "204", text: "HTTP/1.1 204 No Content\r\n\r\n", status: 204},
		{name: "304 with the length of what is not sent", text: "HTTP/1.1 304 Not Modified\r\nContent-Length: 1234\r\n\r\n", status: 304},
		{name: "304 chunked", text: "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n", status: 304},
		{name: "HEAD", method: http.MethodHead, text: head + "Content-Length: 1234\r\n\r\n", status: 200},
		{name: "HEAD chunked", method: http.MethodHead, text: head + "Transfer-Encoding: chunked\r\n\r\n", status: 200},
		{name: "HEAD without length", method: http.MethodHead, text: head + "\r\n", status: 200},

		{name: "close", text: head + "Connection: close\r\nContent-Length: 5\r\n\r\nhello", status: 200, bytes: 5, ends: true, once: true},
		{name: "close, left open", text: head + "Connection: close\r\nContent-Length: 5\r\n\r\nhello", status: 200, bytes: 5, once: true},
		{name: "close among others", text: head + "Connection: x, Close\r\nContent-Length: 5\r\n\r\nhello", status: 200, bytes: 5, ends: true, once: true},
		{name: "until the end", text: head + "\r\nhello, world", status: 200, bytes: 12, ends: true, once: true},
		{name: "until the end, nothing", text: head + "\r\n", status: 200, ends: true, once: true},
		{name: "until the end, long", text: head + "Connection: close\r\n\r\n" + long, status: 200, bytes: 80000, ends: true, once: true},
		{name: "HTTP/1.0", text: "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello", status: 200, bytes: 5, ends: true, once: true},
		{name: "HTTP/1.0 until the end", text: "HTTP/1.0 200 OK\r\n\r\nhello", status: 200, bytes: 5, ends: true, once: true},
		{name: "HTTP/1.0 kept", text: "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\nhello", status: 200, bytes: 5},
		{name: "a later version's number", text: "HTTP/2.0 200 OK\r\nContent-Length: 5\r\n\r\nhello", status: 200, bytes: 5},
		{name: "a later version's number, close", text: "HTTP/2.0 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello", status: 200, bytes: 5, once: true},

		{name: "no HTTP", text: "220 mail.example ESMTP\r\n", kind: loadresult.BadAnswer, ends: true, once: true},
		{name: "no HTTP, left open", text: "220 mail.example ESMTP\r\n", kind: loadresult.BadAnswer, once: true},
		{name: "no HTTP, half a line", text: "220 mail.example", kind: loadresult.BadAnswer, ends: true, once: true},
		{name: "no HTTP, half a line, left open", text: "220 mail.example", kind: loadresult.BadAnswer, once: true},
		{name: "status of two digits", text: "HTTP/1.1 20 OK\r\n\r\n", kind: loadresult.BadAnswer, once: true},
		{name: "status of letters", text: "HTTP/1.1 two OK\r\n\r\n", kind: loadresult.BadAnswer, once: true},
		{name: "version nobody speaks", text: "HTTP/one 200 OK\r\n\r\n", kind: loadresult.BadAnswer, once: true},
		{name: "field without a colon", text: head + "nonsense\r\n\r\n", kind: loadresult.BadAnswer, once: true},
		{name: "length below 0", text: head + "Content-Length: -5\r\n\r\nhello", kind: loadresult.BadAnswer, once: true},
		{name: "length with a sign", text: head + "Content-Length: +5\r\n\r\nhello", kind: loadresult.BadAnswer, once: true},
		{name: "length of letters", text: head + "Content-Length: five\r\n\r\nhello", kind: loadresult.BadAnswer, once: true},
		{name: "length beyond 63 bits", text: head + "Content-Length: 9223372036854775808\r\n\r\nhello", kind: loadresult.BadAnswer, once: true},
		{name: "two lengths", text: head + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello", kind: loadresult.BadAnswer, once: true},
		{name: "encoding nobody knows", text: head + "Transfer-Encoding: zip\r\n\r\nhello", kind: loadresult.BadAnswer, once: true},
		{name: "chunk without a size", text: head + "Transfer-Encoding: chunked\r\n\r\nhello\r\n0\r\n\r\n", kind: loadresult.BadAnswer, once: true},
		{name: "chunk longer than it says", text: head + "Transfer-Encoding: chunked\r\n\r\n2\r\nhello\r\n0\r\n\r\n", bytes: 2, kind: loadresult.BadAnswer, once: true},
		{name: "chunk beyond 64 bits", text: head + "Transfer-Encoding: chunked\r\n\r\n10000000000000000\r\nhello", kind: loadresult.BadAnswer, once: true},
		{name: "switching protocols", text: "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n", kind: loadresult.BadAnswer, once: true},
		{name: "head beyond 1 MiB", text: head + strings.Repeat("X-Field: "+long[:1000]+"\r\n", 1100), kind: loadresult.BadAnswer, once: true},
		{name: "line beyond 1 MiB", text: head + "X-Field: " + strings.Repeat(long, 20), kind: loadresult.BadAnswer, once: true},

		{name: "no answer", text: "", kind: loadresult.Reset, ends: true, once: true},
		{name: "end within the status line", text: "HTTP/1.1 20", kind: loadresult.Reset, ends: true, once: true},
		{name: "end within the head", text: head + "Content-Le", kind: loadresult.Reset, ends: true, once: true},
		{name: "end after continue", text: "HTTP/1.1 100 Continue\r\n\r\n", kind: loadresult.Reset, ends: true, once: true},
		{name: "end before the body", text: head + "Content-Length: 5\r\n\r\n", kind: loadresult.ShortBody, ends: true, once: true},
		{name: "end within the body", text: head + "Content-Length: 100\r\n\r\n0123456789", bytes: 10, kind: loadresult.ShortBody, ends: true, once: true},
		{name: "end within a chunk", text: head + "Transfer-Encoding: chunked\r\n\r\n10\r\nhello", bytes: 5, kind: loadresult.ShortBody, ends: true, once: true},
		{name: "end between chunks", text: head + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", bytes: 5, kind: loadresult.ShortBody, ends: true, once: true},
		{name: "end before the trailers' end", text: head + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX-Sum: 1\r\n", bytes: 5, kind: loadresult.ShortBody, ends: true, once: true},
		{name: "reset", text: "", kind: loadresult.Reset, resets: true, once: true},
	}
}
