package conformance

import (
	"net"
	"net/http"
	"path/filepath"
	"sync/atomic"
	"testing"

	"whet/internal/load/message"
	"whet/internal/loadresult"
)

// answers checks that an engine reads what servers say.
func (s *runner) answers(t *testing.T) {
	for _, a := range answers() {
		t.Run(a.name, func(t *testing.T) { s.whole(t, &a, 6) })
	}
	for _, a := range answers() {
		if len(a.text) < 150 && !a.resets {
			t.Run("split/"+a.name, func(t *testing.T) { s.split(t, &a) })
		}
	}
	t.Run("byte by byte", s.trickle)
	t.Run("more than the answer", s.surplus)
	t.Run("no HTTP after an answer", s.noHTTPAfter)
}

// request returns what an answer is to.
func (a *responseCase) request(address string) message.Target {
	return message.Target{Method: a.method, URL: "http://" + address + "/"}
}

// finish does what comes after the answer, and reports whether the connection
// goes on.
func (a *responseCase) finish(c *conn) bool {
	switch {
	case a.resets:
		c.reset()
	case a.ends:
		return c.end("")
	case a.once:
		c.last()
	}
	return !a.once
}

// whole sends an answer in one piece.
func (s *runner) whole(t *testing.T, a *responseCase, requests int64) {
	server := answering(t, func(c *conn, _ *serverRequest) bool { return c.give(a.text) && a.finish(c) })
	got := s.drive(t, t.Context(), job(t, "tcp", server.addr(), requests, a.request(server.addr())), server)
	s.right(t, a, got, server, requests)
}

// right checks what a load made of answers that were all the same.
func (s *runner) right(t *testing.T, a *responseCase, got outcome, server *server, requests int64) {
	t.Helper()
	got.all(t, requests, a.status, a.kind)
	if got.Bytes != requests*a.bytes {
		t.Errorf("%d bytes of bodies, %d were sent", got.Bytes, requests*a.bytes)
	}
	if n := server.requests.Load(); n != requests {
		t.Errorf("the server got %d requests, %d were to be sent", n, requests)
	}
	switch n := server.connections.Load(); {
	case a.once && n < requests || server.again.Load() > 0:
		t.Errorf("%d connections, of which %d were used again after an answer that was the last", n, server.again.Load())
	case !a.once && a.kind == "" && n > 2+int64(spare(2)):
		t.Errorf("%d connections: they were to be kept", n)
	}
}

// split sends an answer in two pieces, split at every byte, over a Unix socket,
// where the server sees whether the first was read.
func (s *runner) split(t *testing.T, a *responseCase) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	requests := int64(len(a.text) + 1)
	server := listenOn(t, l, each(func(c *conn, q *serverRequest) bool {
		at := int(q.nth)
		if !c.send(a.text[:at]) {
			return false
		}
		c.drained()
		return c.give(a.text[at:]) && a.finish(c)
	}))
	j := job(t, "unix", path, requests, a.request("split.example"))
	if a.kind != "" {
		j.Connections = len(a.text) + 1 // a connection pauses after a failure
	}
	s.right(t, a, s.drive(t, t.Context(), j, server), server, requests)
}

// trickle sends answers byte by byte, each of them read before the next.
func (s *runner) trickle(t *testing.T) {
	const text = "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n10\r\n0123456789abcdef\r\n0\r\nX-Sum: 7\r\n\r\n"
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	server := listenOn(t, l, each(func(c *conn, q *serverRequest) bool {
		for i := range len(text) - 1 {
			if !c.send(text[i : i+1]) {
				return false
			}
			c.drained()
		}
		return c.give(text[len(text)-1:])
	}))
	got := s.drive(t, t.Context(), job(t, "unix", path, 4, message.Target{URL: "http://trickle.example/"}), server)
	s.right(t, &responseCase{status: 200, bytes: 21}, got, server, 4)
}

// surplus sends more than the answer in the same piece. The answer counts; what
// is after it is nobody's, and the connection cannot be used again.
func (s *runner) surplus(t *testing.T) {
	for name, a := range map[string]*responseCase{
		"garbage":        {text: sized("hello") + "garbage", status: 200, bytes: 5, once: true},
		"a line":         {text: sized("hello") + "\r\n", status: 200, bytes: 5, once: true},
		"another answer": {text: sized("hello") + sized("another"), status: 200, bytes: 5, once: true},
		"body to a HEAD": {text: sized("hello"), method: "HEAD", status: 200, once: true},
		"body of a 204":  {text: "HTTP/1.1 204 No Content\r\n\r\nhello", status: 204, once: true},
		"body of a 304":  {text: "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\nhello", status: 304, once: true},
		"after chunks":   {text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n" + sized("another"), status: 200, bytes: 5, once: true},
		"after a length": {text: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhello", status: 200, bytes: 2, once: true},
	} {
		// Often: bytes after a response may show up too late.
		t.Run(name, func(t *testing.T) { s.whole(t, a, 150) })
	}
}

// noHTTPAfter answers the first request of each connection, and says something
// else to the second, with the end after it.
func (s *runner) noHTTPAfter(t *testing.T) {
	var other atomic.Int64
	server := answering(t, func(c *conn, _ *serverRequest) bool {
		if c.asked == 1 {
			return c.give(sized("hello"))
		}
		other.Add(1)
		return c.end("garbage")
	})
	got := s.drive(t, t.Context(), server.to(20), server)
	if got.Requests != 20 || got.Status[http.StatusOK] != server.answers.Load() || got.Failed() != other.Load() || got.Errors[loadresult.BadAnswer] != other.Load() {
		t.Errorf("%d requests, status %v, errors %v %q; the server gave %d answers and %d others", got.Requests, got.Status, got.Errors, got.Examples, server.answers.Load(), other.Load())
	}
}
