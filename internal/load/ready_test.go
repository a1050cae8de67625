package load

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func discard() *log.Logger { return log.New(io.Discard, "", 0) }

// A server that accepts before it can answer is waited for.
func TestReadyLate(t *testing.T) {
	var tries atomic.Int64
	s := quiet(t, func(w http.ResponseWriter, _ *http.Request) {
		if tries.Add(1) < 3 {
			c, _, _ := w.(http.Hijacker).Hijack()
			c.Close()
		}
	})
	if err := Ready(context.Background(), options(s.URL), time.Minute, nil); err != nil || tries.Load() != 3 {
		t.Errorf("%v after %d", err, tries.Load())
	}
}

// 503 is waited out, and any other answer ends the wait.
func TestReadyBusy(t *testing.T) {
	var n atomic.Int64
	s := quiet(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/always" || n.Add(1) < 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		w.WriteHeader(http.StatusInternalServerError)
	})
	if err := Ready(context.Background(), options(s.URL), time.Minute, nil); err != nil || n.Load() != 3 {
		t.Errorf("%v after %d", err, n.Load())
	}
	if err := Ready(context.Background(), options(s.URL+"/always"), 100*time.Millisecond, nil); err != nil {
		t.Error(err)
	}
}

func TestNeverReady(t *testing.T) {
	if testing.Short() {
		t.Skip("drives a load")
	}
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = discard()
	secure.StartTLS()
	defer secure.Close()
	s := quiet(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/hang":
			<-r.Context().Done()
		case "/garbage":
			c, _, _ := w.(http.Hijacker).Hijack()
			io.WriteString(c, "\x1b[2Jhello\r\n")
			c.Close()
		}
	})
	for _, c := range []struct {
		url     string
		timeout time.Duration
		limit   time.Duration
		want    string
	}{
		{"http://me:secret@" + closed.Addr().String() + "/", time.Minute, 500 * time.Millisecond, "not ready within 500ms: dial tcp 127.0.0.1:"},
		{s.URL + "/hang", 20 * time.Millisecond, time.Second, "not ready within 1s: no answer within the timeout"},
		{s.URL + "/hang", time.Minute, 50 * time.Millisecond, "not ready within 50ms: no answer came"},
		{s.URL + "/garbage", time.Minute, 500 * time.Millisecond, "malformed HTTP"},
		{secure.URL, time.Minute, time.Hour, "its certificate is not accepted"},
		{strings.Replace(s.URL, "http:", "https:", 1), time.Minute, 500 * time.Millisecond, "not ready within 500ms: tls: "},
	} {
		o := options(c.url)
		o.Timeout = c.timeout
		var words string
		err := Ready(context.Background(), o, c.limit, func(last string) { words = last })
		if strings.Contains(c.url, closed.Addr().String()) && words != "connection refused" {
			t.Errorf("%s: while it waits it says %q", c.url, words)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.ContainsAny(err.Error(), "\n\x1b") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v, want %s", c.url, err, c.want)
		}
	}
}

func TestReadyCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	s := quiet(t, func(w http.ResponseWriter, r *http.Request) {
		cancel(io.ErrNoProgress) // the server process ended, say
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	err := Ready(ctx, options(s.URL), time.Hour, nil)
	if err == nil || !strings.Contains(err.Error(), io.ErrNoProgress.Error()) {
		t.Error(err)
	}
}
