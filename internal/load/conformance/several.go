package conformance

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"whet/internal/load/engine"
	"whet/internal/load/message"
)

// hosts sends a mix to several servers, one of which speaks TLS and one of which
// closes.
func (s *runner) hosts(t *testing.T) {
	ca := newAuthority(t)
	plain := answering(t, always(sized("plain")))
	closing := answering(t, func(c *conn, _ *serverRequest) bool {
		c.give("HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
		c.last()
		return false
	})
	safe := secure(t, serverConfig(ca), each(always(sized("safe"))))
	j := job(t, "tcp", "", 300,
		message.Target{URL: "http://" + plain.addr() + "/a"},
		message.Target{URL: "http://" + closing.addr() + "/b"},
		message.Target{URL: "https://" + safe.addr() + "/c"},
		message.Target{URL: "http://" + plain.addr() + "/d"},
	)
	j.Addresses = []engine.Address{
		{Network: "tcp", Dial: plain.addr()}, {Network: "tcp", Dial: closing.addr()},
		{Network: "tcp", Dial: safe.addr(), TLS: ca.trusted()},
	}
	j.Connections = 3
	got := s.drive(t, t.Context(), j, plain, closing, safe)
	plain.counted(t, 150, 3)
	closing.counted(t, 75, 75)
	safe.counted(t, 75, 3)
	if got.Requests != 300 || got.Status[http.StatusOK] != 225 || got.Status[http.StatusNotFound] != 75 || got.Bytes != 150*5+75*4 {
		t.Errorf("%d requests, status %v, errors %v %q, %d bytes", got.Requests, got.Status, got.Errors, got.Examples, got.Bytes)
	}
}

// cookies are kept by each connection for itself, and a server that gives new
// ones without end does not make it send ever more.
func (s *runner) cookies(t *testing.T) {
	t.Run("a user for each connection", func(t *testing.T) {
		var users, strangers, wrong atomic.Int64
		server := answering(t, func(c *conn, q *serverRequest) bool {
			name, err := q.Cookie("user")
			set := ""
			if err != nil {
				strangers.Add(1)
				set = fmt.Sprintf("Set-Cookie: user=%d; Path=/; HttpOnly\r\nSet-Cookie: elsewhere=1; Path=/elsewhere\r\n", users.Add(1))
			} else if name.Value != fmt.Sprint(name.Value) || len(q.Cookies()) != 2 || q.Header.Get("Cookie") == "" || !strings.Contains(q.Header.Get("Cookie"), "given=1") {
				wrong.Add(1)
			}
			return c.give("HTTP/1.1 200 OK\r\n" + set + "Content-Length: 0\r\n\r\n")
		})
		j := job(t, "tcp", server.addr(), 100, message.Target{
			URL: "http://" + server.addr() + "/here", Header: []message.Field{{Name: "Cookie", Value: "given=1"}},
		})
		j.Connections, j.Cookies = 4, true
		got := s.drive(t, t.Context(), j, server)
		got.all(t, 100, http.StatusOK, "")
		if n := strangers.Load(); n < 1 || n > 4 || wrong.Load() > 0 {
			t.Errorf("%d requests without a cookie of 4 connections, %d with others than they were given", n, wrong.Load())
		}
	})
	t.Run("over new connections", func(t *testing.T) {
		var strangers atomic.Int64
		server := answering(t, func(c *conn, q *serverRequest) bool {
			if _, err := q.Cookie("user"); err != nil {
				strangers.Add(1)
			}
			return c.give("HTTP/1.1 200 OK\r\nSet-Cookie: user=1\r\nContent-Length: 0\r\n\r\n")
		})
		j := server.to(30)
		j.Connections, j.Cookies, j.KeepAlive = 1, true, false
		got := s.drive(t, t.Context(), j, server)
		got.all(t, 30, http.StatusOK, "")
		if strangers.Load() != 1 {
			t.Errorf("%d requests of one user came without the cookie", strangers.Load())
		}
	})
	t.Run("not asked for", func(t *testing.T) {
		var sent atomic.Int64
		server := answering(t, func(c *conn, q *serverRequest) bool {
			if len(q.Cookies()) > 0 {
				sent.Add(1)
			}
			return c.give("HTTP/1.1 200 OK\r\nSet-Cookie: user=1\r\nContent-Length: 0\r\n\r\n")
		})
		got := s.drive(t, t.Context(), server.to(20), server)
		got.all(t, 20, http.StatusOK, "")
		if sent.Load() > 0 {
			t.Errorf("%d requests came with cookies", sent.Load())
		}
	})
	t.Run("without end", func(t *testing.T) {
		var most atomic.Int64
		server := answering(t, func(c *conn, q *serverRequest) bool {
			most.Store(max(most.Load(), int64(len(q.Cookies()))))
			return c.give(fmt.Sprintf("HTTP/1.1 200 OK\r\nSet-Cookie: name%d=%s\r\nContent-Length: 0\r\n\r\n", q.nth, strings.Repeat("x", 100)))
		})
		j := server.to(500)
		j.Connections, j.Cookies = 1, true
		got := s.drive(t, t.Context(), j, server)
		got.all(t, 500, http.StatusOK, "")
		if n := most.Load(); n < 20 || n > 200 {
			t.Errorf("%d cookies in one request", n)
		}
	})
}
