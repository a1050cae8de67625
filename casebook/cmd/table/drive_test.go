package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"whet/casebook/avatar"
	"whet/internal/loadresult"
)

// Every request is counted that was answered in time, and its body; the requests
// are sent in turn.
func TestDrive(t *testing.T) {
	var served, first atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		served.Add(1)
		switch r.URL.Path {
		case "/a":
			first.Add(1)
			io.WriteString(w, "12345")
		case "/bad":
			http.Error(w, "bad", http.StatusTeapot)
		case "/empty":
			w.WriteHeader(http.StatusNoContent)
		default:
			io.WriteString(w, "12345")
		}
	}))
	defer s.Close()
	d := drive{URLs: []string{s.URL + "/a", s.URL + "/b"}, Connections: 4, Duration: 200 * time.Millisecond}
	got, err := d.run(t.Context())
	for err == nil && got.Completed == 0 && d.Duration < 10*time.Second { // a busy machine
		served.Store(0)
		first.Store(0)
		d.Duration *= 3
		got, err = d.run(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	// Of each connection one request may be under way at the end.
	if n := served.Load(); got.Completed < 1 || got.Completed > n || n > got.Completed+4 {
		t.Errorf("%d were counted and %d served on 4 connections", got.Completed, n)
	}
	if got.Bytes != 5*got.Completed || got.Failed != 0 || got.Example != "" || got.Engine == "" {
		t.Errorf("%+v", got)
	}
	if rate := float64(got.Completed) / d.Duration.Seconds(); got.PerSecond < 0.999*rate || got.PerSecond > 1.001*rate {
		t.Errorf("%v a second, %v by arithmetic", got.PerSecond, rate)
	}
	if half := served.Load() / 2; first.Load() < half-4 || first.Load() > half+4 {
		t.Errorf("%d of %d requests were the first", first.Load(), served.Load())
	}
	// Almost all of it is warm-up: nothing of that is counted.
	served.Store(0)
	d.Warmup, d.Duration = time.Second, time.Nanosecond
	if got, err := d.run(t.Context()); err != nil || got.Completed > 4 || served.Load() < 5 {
		t.Errorf("%+v of %d, %v", got, served.Load(), err)
	}
	// Any answer but 200 is a failure, and so is none.
	d.Warmup, d.Duration = 0, 200*time.Millisecond
	for path, want := range map[string]string{"/bad": "418", "/empty": "204"} {
		d.URLs = []string{s.URL + path}
		if got, err := d.run(t.Context()); err != nil || got.Failed == 0 || got.Failed != got.Completed || !strings.Contains(got.Example, want) {
			t.Errorf("%s: %+v, %v", path, got, err)
		}
	}
	s.Close()
	if got, err := d.run(t.Context()); err != nil || got.Failed == 0 || got.Completed != 0 || !strings.Contains(got.Example, "refused") {
		t.Errorf("nobody listens: %+v, %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.run(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// The reason for which the figures are not the service's is told apart from what
// else is to be said, and of several kinds of failures the commonest.
func TestTold(t *testing.T) {
	start := time.Unix(0, 0)
	got := told(&loadresult.Result{
		Start: start, End: start.Add(2 * time.Second), Bytes: 77, Status: map[int]int64{200: 7, 404: 3},
		Errors: map[string]int64{loadresult.Reset: 2, loadresult.Status4xx: 3}, Examples: map[string]string{loadresult.Reset: "gone", loadresult.Status4xx: "not found"},
		Generator: loadresult.Generator{Engine: "epoll", Share: 0.97},
		Invalid:   "too slow", Warnings: []string{"too slow", "others were busy"},
	})
	want := driven{
		Completed: 10, PerSecond: 5, Bytes: 77, Failed: 5, Example: loadresult.Status4xx + ": not found",
		Engine: "epoll", Share: 0.97, Bottleneck: "too slow", Warnings: []string{"others were busy"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// What is asked for are many different pictures, by the names as they are.
func TestPictureURLs(t *testing.T) {
	var mu sync.Mutex
	seen := make(map[string]bool)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen[r.URL.Path] = true
	}))
	defer s.Close()
	u, err := url.Parse(s.URL + avatar.Path)
	if err != nil {
		t.Fatal(err)
	}
	d := drive{URLs: pictureURLs(u), Connections: 4, Duration: 500 * time.Millisecond}
	if got, err := d.run(t.Context()); err != nil || got.Failed > 0 || got.Completed < 64 {
		t.Fatalf("%+v, %v", got, err)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(seen) != 64 {
		t.Errorf("%d different pictures, want 64", len(seen))
	}
	for path := range seen {
		if !strings.HasPrefix(path, avatar.Path) || strings.Count(path, " ") != 1 {
			t.Errorf("%q", path)
		}
	}
}
