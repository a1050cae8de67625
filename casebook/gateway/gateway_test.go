package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

// The bounds that messages name are the ones that are kept.
func TestMessages(t *testing.T) {
	for r, want := range map[Refusal]string{
		TooLarge: "1 MiB", TooDeep: "100 levels", LongName: "64 bytes", BadQua: "32 pairs or 2048 bytes",
	} {
		if !strings.Contains(r.Error(), want) {
			t.Errorf("%q does not say %q", r, want)
		}
	}
	if MaxBody != 1<<20 || MaxDepth != 100 || MaxName != 64 || MaxQua != 32 || MaxQuaBytes != 2048 {
		t.Error("a bound has changed and the messages have not")
	}
}

func TestRefusals(t *testing.T) {
	status := map[int]int{}
	seen := map[string]bool{}
	for r := range refusals {
		status[r.Status()]++
		if m := r.Error(); m == "" || seen[m] || strings.ContainsAny(m, "\"\\\n") || strings.HasSuffix(m, ".") {
			t.Errorf("refusal %d says %q", r, m)
		}
		seen[r.Error()] = true
		if Status(r) != r.Status() {
			t.Errorf("%v has status %d, want %d", r, Status(r), r.Status())
		}
	}
	if want := map[int]int{405: 1, 413: 1, 408: 1, 400: 8, 499: 1, 502: 2, 504: 1}; !maps.Equal(status, want) {
		t.Errorf("statuses are %v, want %v", status, want)
	}
	if Status(nil) != 200 || Status(io.ErrUnexpectedEOF) != 502 {
		t.Errorf("no error is %d and an unknown one %d, want 200 and 502", Status(nil), Status(io.ErrUnexpectedEOF))
	}
	w := httptest.NewRecorder()
	Refuse(w, WrongMethod)
	if got, want := w.Body.String(), `{"header":{"code":405,"message":"use POST"},"payload":null}`; got != want || w.Code != 405 || w.Header().Get("Allow") != "POST" {
		t.Errorf("%d %v %s, want %s", w.Code, w.Header(), got, want)
	}
}

func TestClientAddress(t *testing.T) {
	for _, address := range []string{"", "localhost:80", "/rpc", "ftp://localhost/", "http://", "http:///rpc", "http://localhost/?a=1", "http://localhost/#a", "http://local host/", "http://localhost:x/"} {
		if c, err := NewClient(address, time.Second); err == nil || !strings.HasPrefix(err.Error(), "read the address of the downstream: ") {
			t.Errorf("%q gives %v, %v", address, c, err)
		}
	}
}

// TestClient: what the downstream gets over HTTP, and that connections are used
// again.
func TestClient(t *testing.T) {
	type request struct {
		method, path, remote, contentType, body string
		query                                   url.Values
	}
	var got []request
	service := Service()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body strings.Builder
		r.Body = io.NopCloser(io.TeeReader(r.Body, &body))
		service.ServeHTTP(w, r)
		got = append(got, request{r.Method, r.URL.Path, r.RemoteAddr, r.Header.Get("Content-Type"), body.String(), r.URL.Query()})
	}))
	defer server.Close()
	c, err := NewClient(server.URL+"/rpc", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	call := Call{Business: "a&b=c\n", Qua: "os=ü&v=1 2", Session: "x#\x00", Payload: `{"a":1}`}
	for range 2 {
		answer, err := c.Call(t.Context(), call)
		if err != nil || answer != Answer {
			t.Fatalf("%q, %v", answer, err)
		}
	}
	for _, r := range got {
		if r.method != "POST" || r.path != "/rpc" || r.contentType != "application/json" || r.body != call.Payload || r.remote != got[0].remote ||
			len(r.query) != 3 || r.query.Get("business") != call.Business || r.query.Get("qua") != call.Qua || r.query.Get("session") != call.Session {
			t.Errorf("the downstream got %q", r)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Call(gone, call); !errors.Is(err, context.Canceled) {
		t.Errorf("a call that nobody waits for ends in %v", err)
	}
}

// A downstream's failure is told to the log, whose address is not, and no more
// of it than has room.
func TestCause(t *testing.T) {
	down := errors.New("connection refused")
	for _, tt := range []struct {
		err  error
		want string
	}{
		{DownstreamError(t.Context(), down), "connection refused"},
		{fmt.Errorf("call: %w", DownstreamError(t.Context(), fmt.Errorf("call: %w", &url.Error{Op: "Post", URL: "http://localhost/?qua=a", Err: down}))), "connection refused"},
		{DownstreamError(t.Context(), context.DeadlineExceeded), context.DeadlineExceeded.Error()},
		{DownstreamError(t.Context(), errors.New(strings.Repeat("x", 1000))), strings.Repeat("x", 256)},
		{DownstreamNonsense, ""}, {BodyError(down), ""}, {down, ""},
	} {
		if got := cause(tt.err); got != tt.want {
			t.Errorf("the cause of %v is %q, want %q", tt.err, got, tt.want)
		}
	}
	var log strings.Builder
	j := NewJournal(&log)
	j.Write(Call{}, DownstreamError(t.Context(), down))
	j.Write(Call{}, DownstreamNonsense)
	if got := log.String(); strings.Count(got, `"cause":`) != 1 || !strings.Contains(got, `"error":"the service behind the gateway failed","cause":"connection refused"`) {
		t.Errorf("the log is %s", got)
	}
}

// The largest payload that any stage makes of a body reaches the service, and
// no larger one.
func TestServiceBounds(t *testing.T) {
	for size, want := range map[int]int{3 * MaxBody: 200, 3*MaxBody + 1: 400} {
		w := httptest.NewRecorder()
		Service().ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(strings.Repeat("x", size))))
		if w.Code != want {
			t.Errorf("%d bytes are answered %d, want %d", size, w.Code, want)
		}
	}
}

// Global gives numbers of the whole range.
func TestGlobal(t *testing.T) {
	var r Random = Global{}
	var all int64
	seen := map[int]bool{}
	for range 2000 {
		n := r.Int63()
		if n < 0 {
			t.Fatalf("Int63 gives %d", n)
		}
		all |= n
		seen[r.Intn(62)] = true
	}
	if all != 1<<63-1 || len(seen) != 62 {
		t.Errorf("the bits %x and %d of 62 numbers came up", all, len(seen))
	}
}
