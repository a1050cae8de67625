package capture

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"whet/internal/format/metrics"
)

// What a real net/http/pprof tells is what the runtime says of itself, and
// everything else is unknown.
func TestMetricsOfStock(t *testing.T) {
	server := serve(t, stock("/debug/pprof/"))
	target := find(t, TargetOptions{Base: server.URL})
	target.pause = func(ctx context.Context, _ time.Duration) error { runtime.GC(); return ctx.Err() }
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	ctx, add, rows := until(t, 2)
	origin := time.Now()
	sampling, err := target.Metrics(ctx, origin, 100*time.Millisecond, add)
	if err != nil || sampling.Rows != 2 || sampling.Breaks+sampling.Restarts+sampling.Malformed != 0 || len(sampling.Warnings) != 0 {
		t.Fatalf("%+v, %v", sampling, err)
	}
	end := time.Since(origin)
	runtime.ReadMemStats(&after)
	for i, r := range *rows {
		if r.TimeNs < 0 || r.TimeNs > int64(end) || i > 0 && r.TimeNs <= (*rows)[i-1].TimeNs {
			t.Errorf("row %d at %d", i, r.TimeNs)
		}
		for name, c := range map[string]struct {
			got      *int64
			low, top uint64
		}{
			"alloc_bytes":   {r.AllocBytes, before.TotalAlloc, after.TotalAlloc},
			"alloc_objects": {r.AllocObjects, before.Mallocs, after.Mallocs},
			"gc_cycles":     {r.GCCycles, uint64(before.NumGC), uint64(after.NumGC)},
			"gc_forced":     {r.GCForced, uint64(before.NumForcedGC), uint64(after.NumForcedGC)},
			"gc_pause_ns":   {r.GCPauseNs, before.PauseTotalNs, after.PauseTotalNs},
			"runtime_bytes": {r.RuntimeBytes, before.Sys, after.Sys},
			"goroutines":    {r.Goroutines, 2, 1000},
			"heap_live":     {r.HeapLiveBytes, 1, after.Sys},
			"heap_goal":     {r.HeapGoalBytes, 1, 1 << 30},
			"heap_objects":  {r.HeapObjects, 1, after.Mallocs},
			"stack":         {r.StackBytes, 1, after.Sys},
		} {
			if name == "gc_pause_ns" && after.NumGC > pauseRing {
				continue
			}
			if c.got == nil || uint64(*c.got) < c.low || uint64(*c.got) > c.top {
				t.Errorf("row %d: %s is %v, want %d to %d", i, name, c.got, c.low, c.top)
			}
		}
		for name, p := range map[string]*int64{
			"runnable": r.Runnable, "threads": r.Threads, "rss": r.RSSBytes, "gc_cpu": r.GCCPUNs, "assist": r.GCAssistNs, "idle": r.GCIdleNs, "mutex": r.MutexWaitNs,
			"sched": r.SchedWaitNs, "user": r.UserCPUNs, "system": r.SystemCPUNs, "throttled": r.ThrottledNs, "read": r.ReadBytes, "written": r.WrittenBytes,
		} {
			if p != nil {
				t.Errorf("row %d: %s is %d, and nothing tells it", i, name, *p)
			}
		}
	}
	if a, b := (*rows)[0], (*rows)[1]; *b.GCForced <= *a.GCForced {
		t.Errorf("forced collections %d, then %d", *a.GCForced, *b.GCForced)
	}
}

// fakeServer reports the state that a test sets.
type fakeServer struct {
	mu         sync.Mutex
	clock      time.Time
	took       time.Duration // of each heap profile
	alloc      int64
	status     int // of answers, unless 0
	goroutines string
}

func (s *fakeServer) now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.clock
}

func (s *fakeServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch name := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]; {
	case s.status != 0:
		http.Error(w, "busy", s.status)
	case name == "heap":
		s.clock = s.clock.Add(s.took)
		fmt.Fprintf(w, "heap profile: 0: 0 [0: 0] @ heap/1048576\n\n# runtime.MemStats\n# TotalAlloc = %d\n", s.alloc)
	case name == "goroutine" && s.goroutines != "":
		fmt.Fprint(w, s.goroutines)
	default:
		http.NotFound(w, r)
	}
}

// The time between two questions grows with what answering costs.
func TestPollCostsLittle(t *testing.T) {
	for _, c := range []struct{ every, took, want time.Duration }{
		{100 * time.Millisecond, 0, time.Second},
		{100 * time.Millisecond, 10 * time.Millisecond, 990 * time.Millisecond},
		{100 * time.Millisecond, 100 * time.Millisecond, 4900 * time.Millisecond}, // 50 times 100 ms, less what it took
		{100 * time.Millisecond, 3 * time.Second, 7 * time.Second},
		{100 * time.Millisecond, 30 * time.Second, 0},
		{time.Minute, 10 * time.Millisecond, time.Minute - 10*time.Millisecond},
	} {
		s := &fakeServer{clock: time.Now()}
		target := find(t, TargetOptions{Base: serve(t, s).URL, Now: s.now})
		s.took = c.took
		var waited time.Duration
		target.pause = func(_ context.Context, d time.Duration) error { waited = d; return context.Canceled }
		var rows []metrics.Row
		if _, err := target.Metrics(t.Context(), s.now(), c.every, func(r metrics.Row) { rows = append(rows, r) }); err != nil || waited != c.want {
			t.Errorf("every %v, taking %v: waited %v, want %v: %v", c.every, c.took, waited, c.want, err)
		}
		if len(rows) != 1 || rows[0].TimeNs != int64(c.took/2) || rows[0].Goroutines != nil || rows[0].AllocBytes == nil {
			t.Errorf("rows %+v", rows)
		}
	}
}

func TestPollThroughTrouble(t *testing.T) {
	s := &fakeServer{clock: time.Now(), alloc: 100, goroutines: "goroutine profile: total 12\nmore"}
	target := find(t, TargetOptions{Base: serve(t, s).URL, Now: s.now})
	polls := 0
	target.pause = func(ctx context.Context, _ time.Duration) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		switch polls++; polls {
		case 1:
			s.status = http.StatusServiceUnavailable
		case 3: // it has failed twice, which is one break
			s.status, s.alloc = 0, 50 // a new process
		case 4:
			s.alloc, s.goroutines = 60, "goroutine profile: total 1" // half a line
		}
		return ctx.Err()
	}
	ctx, add, rows := until(t, 3)
	sampling, err := target.Metrics(ctx, s.now(), time.Second, add)
	if err != nil || sampling.Rows != 3 || sampling.Breaks != 1 || sampling.Restarts != 1 || len(sampling.Warnings) != 2 || !strings.Contains(sampling.Warnings[0], "503") {
		t.Errorf("%+v, %v", sampling, err)
	}
	var got []string
	for _, r := range *rows {
		n := "unknown"
		if r.Goroutines != nil {
			n = fmt.Sprint(*r.Goroutines)
		}
		got = append(got, fmt.Sprintf("%d %s", *r.AllocBytes, n))
	}
	if want := []string{"100 12", "50 12", "60 unknown"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A server that has neither page of use has no metrics.
func TestPollOfNothing(t *testing.T) {
	target := find(t, TargetOptions{Base: serve(t, stock("/debug/pprof/", "heap", "goroutine")).URL})
	if sampling, err := target.Metrics(t.Context(), time.Now(), time.Second, func(metrics.Row) {}); err == nil || sampling.Rows != 0 || !strings.Contains(err.Error(), ErrNotOffered.Error()) {
		t.Errorf("%+v, %v", sampling, err)
	}
}
