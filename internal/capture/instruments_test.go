package capture

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/pprof"
	runtimepprof "runtime/pprof"
	"strings"
	"sync"
	"testing"
	"time"

	google "github.com/google/pprof/profile"

	"whet/internal/recording"
)

// Every kind comes as what it is, from a real program.
func TestProfiles(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	server := serve(t, stock("/debug/pprof/"))
	target := find(t, TargetOptions{Base: server.URL})
	if err := target.Collect(t.Context()); err != nil {
		t.Error(err)
	}
	for kind, column := range columns {
		seconds := 0
		if kind == recording.KindCPU {
			seconds = 1
		}
		before := time.Now()
		f, err := target.Profile(t.Context(), kind, seconds)
		after := time.Now()
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		p, err := google.ParseData(f.Data)
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		found := false
		for _, v := range p.SampleType {
			found = found || v.Type == column
		}
		if !found {
			t.Errorf("%s: columns %v", kind, p.SampleType)
		}
		if f.Start.Before(before) || f.End.After(after) || f.End.Sub(f.Start) < time.Duration(seconds)*time.Second {
			t.Errorf("%s: from %v to %v, asked for at %v, there at %v", kind, f.Start, f.End, before, after)
		}
		// The program's own clock, which is ours here, agrees.
		if p.TimeNanos != 0 && (p.TimeNanos < f.Start.UnixNano() || p.TimeNanos > f.End.UnixNano()) {
			t.Errorf("%s: the program says %v, we %v to %v", kind, time.Unix(0, p.TimeNanos), f.Start, f.End)
		}
	}
	f, err := target.Trace(t.Context(), 1, 0)
	if err != nil || f.End.Sub(f.Start) < time.Second {
		t.Errorf("trace: %v", err)
	}
	for _, seconds := range []int{0, -1, longestSeconds + 1} {
		if _, err := target.Profile(t.Context(), recording.KindCPU, seconds); err == nil {
			t.Errorf("a CPU profile of %d s", seconds)
		}
		if _, err := target.Trace(t.Context(), seconds, 0); err == nil {
			t.Errorf("a trace of %d s", seconds)
		}
	}
	if _, err := target.Profile(t.Context(), recording.KindHeap, 1); err == nil {
		t.Error("a heap profile of 1 s")
	}
	if _, err := target.Profile(t.Context(), "../cmdline", 0); err == nil {
		t.Error("a profile of no kind")
	}
}

// A profile is written when its recording has ended, a trace while it lasts:
// the one ends where its answer begins, the other where it is whole.
func TestFetchedTimes(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	server := serve(t, stock("/debug/pprof/"))
	target := find(t, TargetOptions{Base: server.URL})
	begun := time.Now()
	readings := 0
	target.now = func() time.Time { // a clock that goes on when it is read
		readings++
		return begun.Add(time.Duration(readings) * time.Second)
	}
	// Read at the first question, and of each question at its start, at the
	// beginning of the answer and at its end.
	f, err := target.Profile(t.Context(), recording.KindThreads, 0)
	if err != nil || f.Start.Sub(begun) != 2*time.Second || f.End.Sub(begun) != 3*time.Second {
		t.Errorf("from %v to %v, %v", f.Start.Sub(begun), f.End.Sub(begun), err)
	}
	readings = 0
	if f, err = target.Trace(t.Context(), 1, 0); err != nil || f.Start.Sub(begun) != 2*time.Second || f.End.Sub(begun) != 4*time.Second {
		t.Errorf("from %v to %v, %v", f.Start.Sub(begun), f.End.Sub(begun), err)
	}
}

// Someone else has the CPU profiler; once it is free, the profile is taken,
// and says when.
func TestProfilerInUse(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	server := serve(t, stock("/debug/pprof/"))
	target := find(t, TargetOptions{Base: server.URL})
	if err := runtimepprof.StartCPUProfile(io.Discard); err != nil {
		t.Fatal(err)
	}
	stop := sync.OnceFunc(runtimepprof.StopCPUProfile)
	defer stop()
	var free time.Time
	waits := 0
	target.pause = func(_ context.Context, d time.Duration) error {
		if waits++; waits == 3 {
			stop()
			free = time.Now()
		}
		return nil
	}
	f, err := target.Profile(t.Context(), recording.KindCPU, 1)
	if err != nil || waits != 3 || f.Start.Before(free) {
		t.Errorf("after %d waits: %v", waits, err)
	}
}

// What stays in use is given up when the patience ends, by the clock.
func TestProfilerStaysInUse(t *testing.T) {
	for _, c := range []struct {
		name, text string
		status     int
		call       func(*Target) error
		want       string
	}{
		{"CPU", "Could not enable CPU profiling: cpu profiling already in use", http.StatusInternalServerError,
			func(t *Target) error { _, err := t.Profile(context.Background(), recording.KindCPU, 1); return err }, "program's CPU profiler for 5s"},
		{"agent", "cpu profiling already in use", http.StatusServiceUnavailable,
			func(t *Target) error { _, err := t.Profile(context.Background(), recording.KindCPU, 1); return err }, "program's CPU profiler for 5s"},
		{"trace", "Could not enable tracing: tracing is already enabled", http.StatusInternalServerError,
			func(t *Target) error { _, err := t.Trace(context.Background(), 1, 0); return err }, "program's tracer for 5s"},
	} {
		mux := http.NewServeMux()
		mux.Handle("/debug/pprof/threadcreate", pprof.Handler("threadcreate"))
		mux.HandleFunc("/debug/pprof/", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, c.text, c.status) })
		server := serve(t, mux)
		clock := time.Now()
		target := find(t, TargetOptions{Base: server.URL, Patience: 5 * time.Second, Now: func() time.Time { return clock }})
		waits := 0
		target.pause = func(_ context.Context, d time.Duration) error {
			waits++
			clock = clock.Add(d)
			return nil
		}
		// 5 s in steps of 250 ms.
		if err := c.call(target); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "already") || waits != 20 {
			t.Errorf("%s: after %d waits %v", c.name, waits, err)
		}
		target.patience, waits = -1, 0
		if err := c.call(target); err == nil || waits != 0 {
			t.Errorf("%s: without patience, after %d waits %v", c.name, waits, err)
		}
		target.pause = func(context.Context, time.Duration) error { return context.Canceled }
		target.patience = time.Second
		if err := c.call(target); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: cancelled: %v", c.name, err)
		}
	}
}

// Two at once on one program: one waits for the other, and both have a whole
// profile.
func TestTwoOnOneTarget(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	server := serve(t, stock("/debug/pprof/"))
	var all sync.WaitGroup
	for range 2 {
		target := find(t, TargetOptions{Base: server.URL})
		all.Go(func() {
			f, err := target.Profile(t.Context(), recording.KindCPU, 1)
			if err != nil {
				t.Error(err)
				return
			}
			p, err := google.ParseData(f.Data)
			// The runtime's own count starts a little after its profiler.
			if err != nil || p.DurationNanos < int64(time.Second/2) {
				t.Errorf("%d ns of profile: %v", p.DurationNanos, err)
			}
		})
	}
	all.Wait()
}

func packed(data string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, data)
	w.Close()
	return b.Bytes()
}

// What is no profile is refused in one line, however it comes.
func TestProfileRefuses(t *testing.T) {
	var heap bytes.Buffer
	if err := runtimepprof.Lookup("heap").WriteTo(&heap, 0); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		handle http.HandlerFunc
		want   string // "" is success
	}{
		{"as it should be", func(w http.ResponseWriter, _ *http.Request) { w.Write(heap.Bytes()) }, ""},
		{"packed once more by a proxy", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(packed(heap.String()))
		}, ""},
		{"its own packing named as the transport's", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(heap.Bytes())
		}, ""},
		{"not packed, as it says", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			io.WriteString(w, "plain text that is longer than a header of gzip")
		}, "marked as gzip but is not"},
		{"packed and cut", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			all := packed(heap.String())
			w.Write(all[:len(all)-20])
		}, "broke off after"},
		{"cut without a trace", func(w http.ResponseWriter, _ *http.Request) { w.Write(heap.Bytes()[:heap.Len()/2]) }, "cut off"},
		{"cut", func(w http.ResponseWriter, _ *http.Request) {
			w.Write(heap.Bytes()[:heap.Len()/2])
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, "broke off after"},
		{"damaged", func(w http.ResponseWriter, _ *http.Request) {
			bad := bytes.Clone(heap.Bytes())
			bad[len(bad)-6] ^= 1
			w.Write(bad)
		}, "checksum"},
		{"web page", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html><form>login") }, "is a web page"},
		{"login elsewhere", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://login.example/", http.StatusFound)
		}, "redirects to http://login.example: it may want a login"},
		{"text", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "goroutine profile: total 1\n") }, "debug=1"},
		{"another profile", func(w http.ResponseWriter, _ *http.Request) { runtimepprof.Lookup("goroutine").WriteTo(w, 0) }, "another profile, of [goroutine/count]"},
		{"nothing", func(http.ResponseWriter, *http.Request) {}, "is empty"},
		{"gone", http.NotFound, "does not offer it"},
		{"failing", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "out of memory", http.StatusBadGateway) }, "502 Bad Gateway: out of memory"},
		{"hanging", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "no answer within"},
		{"hanging in the middle", func(w http.ResponseWriter, r *http.Request) {
			w.Write(heap.Bytes()[:10])
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, "no answer within"},
	} {
		t.Run(c.name, func(t *testing.T) {
			mux := http.NewServeMux()
			mux.HandleFunc("/debug/pprof/heap", func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Query().Get("debug") == "1" {
					io.WriteString(w, "heap profile: ")
					return
				}
				if r.URL.Query().Get("debug") != "" {
					t.Errorf("asked for %s", r.URL)
				}
				c.handle(w, r)
			})
			server := serve(t, mux)
			target := find(t, TargetOptions{Base: server.URL})
			if strings.HasPrefix(c.name, "hanging") {
				target.grace = 50 * time.Millisecond
			}
			f, err := target.Profile(t.Context(), recording.KindHeap, 0)
			if c.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				if p, err := google.ParseData(f.Data); err != nil || len(p.SampleType) != 4 {
					t.Errorf("google/pprof reads it: %v", err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "fetch heap profile from http://") {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

func TestTraceRefuses(t *testing.T) {
	mux := http.NewServeMux()
	mux.Handle("/debug/pprof/threadcreate", pprof.Handler("threadcreate"))
	mux.HandleFunc("/debug/pprof/trace", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "no trace at all") })
	target := find(t, TargetOptions{Base: serve(t, mux).URL})
	if _, err := target.Trace(t.Context(), 1, 0); err == nil || !strings.Contains(err.Error(), "is not an execution trace") {
		t.Error(err)
	}
}
