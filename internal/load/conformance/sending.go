package conformance

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"whet/internal/load/message"
	"whet/internal/loadresult"
)

// sending checks that what comes to a server is what was to be sent.
func (s *runner) sending(t *testing.T) {
	t.Run("request", s.request)
	t.Run("bodies", s.bodies)
	t.Run("templates", s.templates)
	t.Run("early answers", s.early)
	t.Run("early answers, then closed", s.earlyClosed)
	t.Run("nobody reads", s.unread)
}

// request compares a request with what was to be sent, byte by byte where the
// standard leaves no choice.
func (s *runner) request(t *testing.T) {
	var wrong atomic.Pointer[string]
	expect := func(q *serverRequest, right bool, what string) {
		if !right {
			text := fmt.Sprintf("%s: %s %s %s, Host %s, %v", what, q.Method, q.RequestURI, q.Proto, q.Host, q.Header)
			wrong.CompareAndSwap(nil, &text)
		}
	}
	server := answering(t, func(c *conn, q *serverRequest) bool {
		h := q.Header
		expect(q, q.Method == http.MethodPatch, "method")
		expect(q, q.RequestURI == "/a%2Fb//c;d?q=%7B%22&empty=&q=2", "target")
		expect(q, q.Proto == "HTTP/1.1", "version")
		expect(q, q.Host == "name.example", "host")
		expect(q, h.Get("X-One") == "1" && strings.Join(h["X-Two"], "|") == "a|b, c", "fields")
		expect(q, h.Get("User-Agent") == "whet", "user agent")
		expect(q, h.Get("Accept-Encoding") == "", "compression that was not asked for")
		expect(q, q.ContentLength == 4 && len(q.TransferEncoding) == 0 && string(q.body) == "body", "body")
		expect(q, !q.Close, "keep-alive")
		return c.give(sized("hello"))
	})
	j := job(t, "tcp", server.addr(), 10, message.Target{
		Method: http.MethodPatch, URL: "http://" + server.addr() + "/a%2Fb//c;d?q=%7B%22&empty=&q=2", Body: []byte("body"),
		Header: []message.Field{{Name: "host", Value: "name.example"}, {Name: "x-one", Value: "1"}, {Name: "X-Two", Value: "a"}, {Name: "X-Two", Value: "b, c"}},
	})
	got := s.drive(t, t.Context(), j, server)
	got.all(t, 10, http.StatusOK, "")
	if text := wrong.Load(); text != nil {
		t.Error(*text)
	}
}

// bodies go up and come down, of no bytes to ten million.
func (s *runner) bodies(t *testing.T) {
	for _, size := range []int{0, 1, 4095, 4096, 65536, 1 << 20, 10_000_000} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			body := make([]byte, size)
			for i := range body {
				body[i] = byte(i * 7 >> 3)
			}
			sum := sha256.Sum256(body)
			down := sized(string(body))
			var wrong atomic.Int64
			server := answering(t, func(c *conn, q *serverRequest) bool {
				if sha256.Sum256(q.body) != sum {
					wrong.Add(1)
				}
				return c.give(down)
			})
			requests := int64(12)
			if size > 1<<20 {
				requests = 3
			}
			j := job(t, "tcp", server.addr(), requests, message.Target{Method: http.MethodPost, URL: "http://" + server.addr() + "/", Body: body, Literal: true})
			got := s.drive(t, t.Context(), j, server)
			got.all(t, requests, http.StatusOK, "")
			server.counted(t, requests, 2)
			if wrong.Load() != 0 || got.Bytes != requests*int64(size) {
				t.Errorf("%d of %d bodies came wrong; %d bytes came back of %d", wrong.Load(), requests, got.Bytes, requests*int64(size))
			}
		})
	}
}

// templates make every request another one; each comes once and whole.
func (s *runner) templates(t *testing.T) {
	var seen [500]atomic.Int64
	var wrong atomic.Int64
	server := answering(t, func(c *conn, q *serverRequest) bool {
		var n, again int
		var word string
		if _, err := fmt.Sscanf(q.RequestURI, "/item/%d", &n); err != nil || n < 0 || n >= len(seen) {
			wrong.Add(1)
			return c.give(sized("hello"))
		}
		seen[n].Add(1)
		if _, err := fmt.Sscanf(string(q.body), "%s %d", &word, &again); err != nil || len(word) != 1000+again%10 || q.Header.Get("X-Id") == "" {
			wrong.Add(1)
		}
		// Every third is answered before a client could think that its request was
		// read, so that what is still sent of one must not become the next.
		return c.give(sized("hello"))
	})
	j := job(t, "tcp", server.addr(), 400, message.Target{
		Method: http.MethodPost, URL: "http://" + server.addr() + "/item/{{seq}}",
		Header: []message.Field{{Name: "X-Id", Value: "{{uuid}}"}},
		Body:   []byte("{{string 1000}} 0"),
	})
	j.Connections = 7
	got := s.drive(t, t.Context(), j, server)
	got.all(t, 400, http.StatusOK, "")
	var once int
	for i := range seen {
		if seen[i].Load() == 1 {
			once++
		}
	}
	if wrong.Load() > 0 || once != 400 {
		t.Errorf("%d requests were wrong, %d numbers of 400 came once", wrong.Load(), once)
	}
}

// early answers before the body was sent, and reads the rest: the answer
// counts.
func (s *runner) early(t *testing.T) {
	const size = 4 << 20
	var whole atomic.Int64
	server := listen(t, func(c *conn) {
		for {
			q := c.readHead()
			if q == nil || !c.give("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n") {
				return
			}
			q.count(c)
			if n, err := io.Copy(io.Discard, q.Request.Body); n == size && err == nil {
				whole.Add(1)
			} else {
				return
			}
		}
	})
	j := job(t, "tcp", server.addr(), 8, message.Target{Method: http.MethodPut, URL: "http://" + server.addr() + "/", Body: bytes.Repeat([]byte("x"), size), Literal: true})
	got := s.drive(t, t.Context(), j, server)
	got.all(t, 8, http.StatusRequestEntityTooLarge, loadresult.Status4xx)
	if n := server.requests.Load(); n != 8 {
		t.Errorf("the server got %d requests of 8", n)
	}
}

// earlyClosed answers before the body was sent and ends the connection, as
// servers do that take no such body: what is left of the request cannot be sent,
// but whether the answer or the end was seen first is chance.
func (s *runner) earlyClosed(t *testing.T) {
	server := listen(t, func(c *conn) {
		if q := c.readHead(); q != nil {
			q.count(c)
			c.give("HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
		}
	})
	j := job(t, "tcp", server.addr(), 8, message.Target{Method: http.MethodPut, URL: "http://" + server.addr() + "/", Body: bytes.Repeat([]byte("x"), 4<<20), Literal: true})
	got := s.drive(t, t.Context(), j, server)
	if got.Requests != 8 || got.Errors[loadresult.Status4xx]+got.Errors[loadresult.Reset] != 8 || got.Status[413] != got.Errors[loadresult.Status4xx] {
		t.Errorf("%d requests, status %v, errors %v %q", got.Requests, got.Status, got.Errors, got.Examples)
	}
	if n := server.requests.Load(); n != 8 {
		t.Errorf("the server got %d requests of 8", n)
	}
}

// unread sends to a server that reads the head and no more: the timeout ends a
// request that cannot be sent.
func (s *runner) unread(t *testing.T) {
	server := listen(t, func(c *conn) {
		if q := c.readHead(); q != nil {
			q.count(c)
			<-c.driven // who does not read does not see the other side go
		}
	})
	j := job(t, "tcp", server.addr(), 4, message.Target{Method: http.MethodPut, URL: "http://" + server.addr() + "/", Body: bytes.Repeat([]byte("x"), 10_000_000), Literal: true})
	j.Timeout = shortTimeout
	got := s.drive(t, t.Context(), j, server)
	got.all(t, 4, 0, loadresult.TimedOut)
}
