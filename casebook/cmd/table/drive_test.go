package main

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestReadAnswer(t *testing.T) {
	for _, tt := range []struct {
		text   string
		status int
		length int64
		rest   string
		err    string // part of it
	}{
		{"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcHTTP", 200, 3, "HTTP", ""},
		{"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", 200, 0, "", ""},
		{"HTTP/1.1 404 Not Found\r\nX: Content-Length: 9\r\nContent-Length:2\r\n\r\nno", 404, 2, "", ""},
		{"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab", 0, 0, "", "unexpected EOF"},
		{"HTTP/1.1 200 OK\r\nContent-Length: -3\r\n\r\nab", 0, 0, "", "its length is"},
		{"HTTP/1.1 200 OK\r\n\r\nab", 0, 0, "", "it does not tell its length"},
		{"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", 0, 0, "", "the server closes the connection"},
		{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n", 0, 0, "", "it comes in chunks"},
		{"HTTP/1.1 ok", 0, 0, "", "unexpected EOF"},
		{"SSH-2.0-x\r\n", 0, 0, "", `it begins with "SSH-2.0-x"`},
		{"HTTP/1.1 2xx OK\r\n", 0, 0, "", "its status is"},
		{"HTTP/1.1 200 OK\r\n" + strings.Repeat("A: b\r\n", 200), 0, 0, "", "more than 100 lines"},
		{"", 0, 0, "", "EOF"},
	} {
		r := bufio.NewReader(strings.NewReader(tt.text))
		a, err := readAnswer(r)
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%.60q: %+v, %v; want %q", tt.text, a, err, tt.err)
			}
			continue
		}
		rest, _ := io.ReadAll(r)
		if err != nil || a.status != tt.status || a.length != tt.length || string(rest) != tt.rest {
			t.Errorf("%.60q: %+v, %v, rest %q", tt.text, a, err, rest)
		}
	}
}

// What this reader and net/http both read, they read alike.
func FuzzReadAnswer(f *testing.F) {
	f.Add([]byte("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"))
	f.Add([]byte("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := readAnswer(bufio.NewReader(bytes.NewReader(text)))
		if err != nil || got.status != http.StatusOK {
			return
		}
		want, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(text)), nil)
		if err != nil {
			return
		}
		defer want.Body.Close()
		n, err := io.Copy(io.Discard, want.Body)
		if err == nil && (n != got.length || want.StatusCode != got.status) {
			t.Errorf("%d bytes and status %d, net/http reads %d and %d", got.length, got.status, n, want.StatusCode)
		}
	})
}

// Every request is counted that was answered in time, and its body; each
// connection begins with another request.
func TestDrive(t *testing.T) {
	var served, first, bad atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		served.Add(1)
		switch r.URL.Path {
		case "/a":
			first.Add(1)
			io.WriteString(w, "12345")
		case "/bad":
			bad.Add(1)
			http.Error(w, "bad", http.StatusTeapot)
		default:
			io.WriteString(w, "12345")
		}
	}))
	defer s.Close()
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	request := func(path string) []byte { return []byte("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n") }
	d := drive{Addr: u.Host, Requests: [][]byte{request("/a"), request("/b")}, Connections: 4, Duration: 200 * time.Millisecond}
	got, err := d.run()
	if err != nil {
		t.Fatal(err)
	}
	if n := served.Load(); got.Completed < 1 || got.Completed > n || n > got.Completed+4 {
		t.Errorf("%d were counted and %d served on 4 connections", got.Completed, n)
	}
	if got.Bytes != 5*got.Completed || got.Failed != 0 {
		t.Errorf("%+v", got)
	}
	if half := served.Load() / 2; first.Load() < half-4 || first.Load() > half+4 {
		t.Errorf("%d of %d requests were the first", first.Load(), served.Load())
	}
	// All of it is warm-up: nothing is counted.
	d.Warmup, d.Duration = 50*time.Millisecond, time.Nanosecond
	if got, err := d.run(); err != nil || got.Completed > 4 {
		t.Errorf("%+v, %v", got, err)
	}
	d.Requests, d.Warmup, d.Duration = [][]byte{request("/bad")}, 0, 20*time.Millisecond
	if got, err := d.run(); err != nil || got.Failed != bad.Load() || got.Failed == 0 || got.Example != "418" {
		t.Errorf("%+v of %d, %v", got, bad.Load(), err)
	}
	s.Close()
	if _, err := d.run(); err == nil {
		t.Error("nobody listens, and that is no error")
	}
	if _, err := (&drive{}).run(); err == nil || !strings.Contains(err.Error(), "there is nothing to do") {
		t.Error(err)
	}
}

// The requests are many different ones, and parse.
func TestAvatarRequests(t *testing.T) {
	seen := make(map[string]bool)
	for _, text := range avatarRequests("127.0.0.1:80", "/avatar/", 0) {
		r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(text)))
		if err != nil || r.Host != "127.0.0.1:80" || !strings.HasPrefix(r.URL.Path, "/avatar/") || strings.Count(r.URL.Path, " ") != 1 {
			t.Fatalf("%q: %v", text, err)
		}
		seen[r.URL.Path] = true
	}
	if len(seen) != 64 {
		t.Errorf("%d different requests, want 64", len(seen))
	}
}
