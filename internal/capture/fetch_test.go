package capture

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"strings"
	"testing"
	"time"

	google "github.com/google/pprof/profile"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestProfileURL(t *testing.T) {
	for _, c := range []struct {
		target  string
		seconds int
		want    string
		record  time.Duration
	}{
		{"http://h:6060", 0, "http://h:6060/debug/pprof/profile?seconds=30", 30 * time.Second},
		{"http://h:6060/", 5, "http://h:6060/debug/pprof/profile?seconds=5", 5 * time.Second},
		{"https://h/debug/pprof", 5, "https://h/debug/pprof/profile?seconds=5", 5 * time.Second},
		{"https://h/debug/pprof/", 0, "https://h/debug/pprof/profile?seconds=30", 30 * time.Second},
		{"http://h/debug/pprof/profile?seconds=7", 5, "http://h/debug/pprof/profile?seconds=7", 7 * time.Second},
		{"http://h/admin/debug/pprof/profile", 0, "http://h/admin/debug/pprof/profile?seconds=30", 30 * time.Second},
		{"http://h/debug/pprof/heap", 0, "http://h/debug/pprof/heap", 0},
		{"http://h/debug/pprof/heap?gc=1", 9, "http://h/debug/pprof/heap?gc=1&seconds=9", 9 * time.Second},
		{"http://[::1]:6060", 1, "http://[::1]:6060/debug/pprof/profile?seconds=1", time.Second},
	} {
		u, record, err := ProfileURL(c.target, c.seconds)
		if err != nil {
			t.Errorf("%s: %v", c.target, err)
			continue
		}
		if u.String() != c.want || record != c.record {
			t.Errorf("%s: %s for %v, want %s for %v", c.target, u, record, c.want, c.record)
		}
	}
	for _, bad := range []string{"", "localhost:6060", "ftp://h", "http://", "http://u:secret@h:port", "http://u:secret@h/?seconds=soon", "http://h/?seconds=-1", "http://u:secret@%zz"} {
		if u, _, err := ProfileURL(bad, 0); err == nil {
			t.Errorf("%q: accepted as %s", bad, u)
		} else if strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	for _, seconds := range []int{-1, longestSeconds + 1} {
		if _, _, err := ProfileURL("http://h", seconds); err == nil {
			t.Errorf("%d seconds: accepted", seconds)
		}
	}
}

func TestFetchFromARealProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	server := httptest.NewServer(mux)
	defer server.Close()
	for path, want := range map[string]string{"/debug/pprof/heap": "inuse_space", "/debug/pprof/goroutine": "goroutine", "/": "cpu"} {
		data, err := FetchProfile(t.Context(), server.URL+path, FetchOptions{Seconds: map[bool]int{true: 1}[path == "/"]})
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		p, err := google.ParseData(data)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if got := p.SampleType[len(p.SampleType)-1].Type; got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

func TestFetchSendsWhatItWasGiven(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		fmt.Fprintf(w, "%s %s:%s %s %s %s", r.URL, user, password, r.Header.Get("X-Token"), r.Host, r.Method)
	}))
	defer server.Close()
	target := strings.Replace(server.URL, "http://", "http://me:secret@", 1)
	data, err := FetchProfile(t.Context(), target, FetchOptions{Seconds: 3, Header: http.Header{"x-token": {"abc"}, "Host": {"inner.example"}}})
	if want := "/debug/pprof/profile?seconds=3 me:secret abc inner.example GET"; err != nil || string(data) != want {
		t.Errorf("%q, %v, want %q", data, err, want)
	}
}

// A body that the server packed for us arrives as it is meant: profiles are
// packed by themselves.
func TestFetchKeepsTheProfilePacked(t *testing.T) {
	var packed bytes.Buffer
	zw := gzip.NewWriter(&packed)
	io.WriteString(zw, "profile")
	zw.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Write(packed.Bytes())
	}))
	defer server.Close()
	data, err := FetchProfile(t.Context(), server.URL, FetchOptions{})
	if err != nil || !bytes.Equal(data, packed.Bytes()) {
		t.Errorf("%q, %v", data, err)
	}
}

func TestFetchExplainsFailure(t *testing.T) {
	for _, c := range []struct {
		name   string
		handle http.HandlerFunc
		want   string
	}{
		{"no page", http.NotFound, "no such page (404)"},
		{"login", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "go away", http.StatusUnauthorized) }, "requires a login (401"},
		{"forbidden", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "go away", http.StatusForbidden) }, "requires a login (403"},
		{"in use", func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "Could not enable CPU profiling:\x1b[2J cpu profiling already in use", http.StatusInternalServerError)
		}, "500 Internal Server Error: Could not enable CPU profiling:[2J cpu profiling already in use"},
		{"error page", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadGateway)
			io.WriteString(w, "<html><body>oops")
		}, "answered 502 Bad Gateway"},
		{"page", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "\n <!DOCTYPE HTML><p>hello") }, "is a web page"},
		{"page by type", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			io.WriteString(w, "hello")
		}, "is a web page"},
		{"empty", func(http.ResponseWriter, *http.Request) {}, "is empty"},
		{"too long", func(w http.ResponseWriter, _ *http.Request) { w.Write(make([]byte, 2<<20)) }, "longer than 1 MiB"},
		{"broken off", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			w.Write(make([]byte, 10))
		}, "broke off after 10 bytes"},
		{"endless redirect", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/again", http.StatusFound) }, "redirects"},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := httptest.NewServer(c.handle)
			defer server.Close()
			target := strings.Replace(server.URL, "http://", "http://me:secret@", 1)
			data, err := FetchProfile(t.Context(), target, FetchOptions{MaxBytes: 1 << 20})
			if err == nil {
				t.Fatalf("no error, %d bytes", len(data))
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%q, want %q", err, c.want)
			}
			if s := err.Error(); strings.ContainsAny(s, "\n\x1b") || strings.Contains(s, "secret") || !strings.HasPrefix(s, "fetch profile http://me:xxxxx@") {
				t.Errorf("%q", s)
			}
		})
	}
}

func TestFetchFromNowhere(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	if _, err := FetchProfile(t.Context(), "http://"+address, FetchOptions{}); err == nil || !strings.Contains(err.Error(), "connection refused: is the program running") {
		t.Errorf("nobody listens: %v", err)
	}

	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	if _, err := FetchProfile(t.Context(), strings.Replace(plain.URL, "http:", "https:", 1), FetchOptions{}); err == nil || !strings.Contains(err.Error(), "write http://") {
		t.Errorf("https to http: %v", err)
	}
}

func TestFetchEnds(t *testing.T) {
	asked := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case asked <- struct{}{}:
		default:
		}
		<-r.Context().Done() // a program that never answers
	}))
	defer server.Close()

	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-asked
		cancel()
	}()
	if _, err := FetchProfile(ctx, server.URL, FetchOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	// heap takes no time of its own, so that the grace is all there is.
	_, err := FetchProfile(t.Context(), server.URL+"/debug/pprof/heap", FetchOptions{Grace: 20 * time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), "no answer 20ms after") {
		t.Errorf("no answer: %v", err)
	}
}
