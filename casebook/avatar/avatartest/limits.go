package avatartest

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"whet/casebook/avatar"
)

// exchange sends bytes to a server of the stage and reads one answer. The
// connection stays open for writing.
func exchange(t *testing.T, h http.Handler, request string) *http.Response {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle(avatar.Path, h)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	r, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	return r
}

// testTooLarge: a body over the bound is answered 413 before it is read to its
// end, whether its length is told or not.
func testTooLarge(t *testing.T, make New) {
	long := strings.Repeat("x", avatar.MaxBody+1)
	for what, rest := range map[string]string{
		"told":     "Content-Length: 1000000000\r\n\r\n" + long,
		"not told": "Transfer-Encoding: chunked\r\n\r\n100000\r\n" + long,
	} {
		log := new(Log)
		r := exchange(t, start(t, make, log, nil), "GET /avatar/Ann?size=16 HTTP/1.1\r\nHost: x\r\n"+rest)
		if checkRefused(t, r.StatusCode, r.Header, http.StatusRequestEntityTooLarge); !r.Close {
			t.Errorf("length %s: the connection is kept for the rest of the body", what)
		}
		if checkRefusals(t, log.Records(t), http.StatusRequestEntityTooLarge); len(log.Writes) != 1 {
			t.Errorf("length %s: %d log records of a refusal", what, len(log.Writes))
		}
	}
}

// testSlowBody: who announces a body and sends none is not waited for beyond
// the deadline; who sends it is answered.
func testSlowBody(t *testing.T, make New) {
	const head = "GET /avatar/Ann?size=16 HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n"
	h := start(t, make, io.Discard, func(o *avatar.Options) { o.Deadline = 20 * time.Millisecond })
	r := exchange(t, h, head+"abc")
	checkRefused(t, r.StatusCode, r.Header, http.StatusRequestTimeout)

	r = exchange(t, start(t, make, io.Discard, nil), head+"abcde")
	if r.StatusCode != http.StatusOK {
		t.Errorf("with its body the request is answered %s", r.Status)
	}
}

// testGone: nothing is drawn for a client that has gone, and nothing of it is
// kept; the next one is answered.
func testGone(t *testing.T, make New, traits Traits) {
	log := new(Log)
	h := start(t, make, log, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := ask(h, sized("Ann Lee", 16).WithContext(ctx))
	checkRefused(t, w.Status, w.header, http.StatusServiceUnavailable)
	checkRefusals(t, log.Records(t), http.StatusServiceUnavailable)
	if n := h.Cached(); n != 0 || len(log.Writes) != 1 {
		t.Errorf("%d bytes are kept of a picture that was not drawn; %d log records", n, len(log.Writes))
	}
	checkAnswer(t, ask(h, sized("Ann Lee", 16)), "Ann Lee", 16)
	if n := h.Cached(); (n > 0) != traits.Caches {
		t.Errorf("%d bytes are kept of a picture", n)
	}
}

// testDeadline: work that has passed its deadline is not carried on with. No
// machine draws a picture in a nanosecond.
func testDeadline(t *testing.T, make New) {
	h := start(t, make, io.Discard, func(o *avatar.Options) { o.Deadline = 1 })
	for range 2 {
		w := ask(h, sized("Ann Lee", avatar.MaxSize))
		checkRefused(t, w.Status, w.header, http.StatusServiceUnavailable)
	}
}

// testOptions: what makes no sense is refused.
func testOptions(t *testing.T, make New) {
	for what, set := range map[string]func(*avatar.Options){
		"Log is nil":       func(o *avatar.Options) { o.Log = nil },
		"CacheBytes is -1": func(o *avatar.Options) { o.CacheBytes = -1 },
		"Deadline is 0s":   func(o *avatar.Options) { o.Deadline = 0 },
		"Deadline is -1ns": func(o *avatar.Options) { o.Deadline = -1 },
	} {
		o := avatar.DefaultOptions(io.Discard)
		set(&o)
		if _, err := make(o); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("a stage is made although %s: %v", what, err)
		}
	}
}
