//go:build go1.26

package agent

import (
	"math"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/metrics"
	"runtime/trace"
	"strings"
	"testing"
	"time"
)

// A request past the bound makes a snapshot, and those that follow at once
// make no other.
func TestResponseTimeBound(t *testing.T) {
	a := begun(t, settings{flight: true, bounds: Bounds{ResponseTime: time.Nanosecond, Between: time.Hour}})
	h := a.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { burn(time.Millisecond) }))
	if w := ask(a.Handler(), "GET", prefix+"flight?saved=1"); w.Code != 404 {
		t.Errorf("before: %d", w.Code)
	}
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	await(t, "the snapshot", func() bool { return ask(a.Handler(), "GET", prefix+"flight?saved=1").Code == 200 })
	w := ask(a.Handler(), "GET", prefix+"flight?saved=1")
	if why := w.Header().Get("X-Whet-Reason"); !strings.HasPrefix(why, "a request took ") || !strings.HasSuffix(why, "more than the bound of 1ns") {
		t.Errorf("reason %q", why)
	}
	if checkTrace(t, "snapshot", w.Body.Bytes()) == 0 {
		t.Error("the snapshot has no events")
	}
	if !warned(a, "the flight recorder was saved: a request took") {
		t.Errorf("warnings %q", a.Warnings())
	}
	// The next wish is taken and passed over: the hour has not passed. Once the
	// one after it is taken, that is done.
	for i := 0; i < 2; i++ {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
		await(t, "the wish to be taken", func() bool { return len(a.flight.wanted) == 0 })
	}
	a.Stop()
	if a.flight.count != 1 {
		t.Errorf("%d snapshots, want 1", a.flight.count)
	}
}

func TestBounds(t *testing.T) {
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	n := runtime.NumGoroutine()
	for _, tt := range []struct {
		bounds Bounds
		want   string
	}{
		{Bounds{}, ""},
		{Bounds{Goroutines: n + 100}, ""},
		{Bounds{Goroutines: n - 1}, "goroutines, more than the bound of"},
		{Bounds{HeapBytes: math.MaxInt64}, ""},
		{Bounds{HeapBytes: 1}, "bytes, more than the bound of 1"},
	} {
		f := &flight{bounds: tt.bounds}
		if got := f.passed(heap); (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%+v: %q, want %q", tt.bounds, got, tt.want)
		}
	}
}

// Of snapshots only the latest are kept: in memory a few, and among the files
// some more.
func TestSnapshotsAreBounded(t *testing.T) {
	a := begun(t, settings{flight: true})
	for i := 0; i < maxSnapshots+2; i++ {
		a.flight.keep(strings.Repeat("x", i))
	}
	if n := len(a.flight.snapshots); n != maxSnapshots {
		t.Errorf("%d snapshots in memory, want %d", n, maxSnapshots)
	}
	if w := ask(a.Handler(), "GET", prefix+"flight?saved=1"); w.Header().Get("X-Whet-Reason") != strings.Repeat("x", maxSnapshots+1) {
		t.Errorf("the latest is %q", w.Header().Get("X-Whet-Reason"))
	}
	a.Stop()

	dir := t.TempDir()
	s := quick()
	s.cpu, s.traceLength = false, 0
	b := begun(t, settings{dir: dir, flight: true, continuous: s})
	for i := 0; i < maxFlights+2; i++ {
		b.flight.keep("why")
	}
	b.Stop()
	r := reportIn(t, dir)
	if n := count(r, "flight"); n != maxFlights || len(b.flight.snapshots) != 0 {
		t.Errorf("%d snapshots on disk, want %d; %d in memory", n, maxFlights, len(b.flight.snapshots))
	}
	for _, f := range r.Files {
		if f.Kind == "flight" {
			checkTrace(t, f.Name, readFile(t, dir, f.Name))
			break
		}
	}
}

// GET flight answers what is there now; the agent's traces may run beside it.
func TestFlightNow(t *testing.T) {
	a := begun(t, settings{dir: t.TempDir(), flight: true, continuous: quick()})
	w := ask(a.Handler(), "GET", prefix+"flight")
	if w.Code != 200 || checkTrace(t, "flight", w.Body.Bytes()) == 0 {
		t.Errorf("%d", w.Code)
	}
	a.Stop()
	if trace.IsEnabled() {
		t.Error("after Stop something still traces")
	}
}

// The program's own flight recorder costs the agent its own and nothing else.
func TestProgramHasAFlightRecorder(t *testing.T) {
	own := trace.NewFlightRecorder(trace.FlightRecorderConfig{})
	if err := own.Start(); err != nil {
		t.Fatal(err)
	}
	defer own.Stop()
	a := begun(t, settings{flight: true, bounds: Bounds{ResponseTime: 1}})
	if !warned(a, "no flight recorder: ") {
		t.Errorf("warnings %q", a.Warnings())
	}
	if w := ask(a.Wrap(a.Handler()), "GET", prefix+"flight"); w.Code != 404 {
		t.Errorf("%d", w.Code)
	}
	a.Stop()
	if !own.Enabled() {
		t.Error("the program's own recorder was stopped")
	}
}
