package capture

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"whet/internal/format/metrics"
)

// until collects rows and ends the reading after n of them.
func until(t *testing.T, n int) (context.Context, func(metrics.Row), *[]metrics.Row) {
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	var rows []metrics.Row
	return ctx, func(r metrics.Row) {
		if rows = append(rows, r); len(rows) >= n {
			cancel()
		}
	}, &rows
}

func ptr(n int64) *int64 { return &n }

// One stream after the other: a row, a damaged row, an end, an abort, a row of
// a new process. All rows come at their times on our clock.
func TestMetricsOfTheAgent(t *testing.T) {
	s, target := newStandIn(t)
	long := strings.Repeat("x", maxRow+1)
	parts := []func(w io.Writer){
		func(w io.Writer) {
			io.WriteString(w, `{"t_ns":3600000000000,"pid":7,"goroutines":4,"alloc_bytes":100}`+"\n"+`{"goroutines":5}`+"\nrubbish\n"+
				`{"t_ns":3600100000000,"pid":7,"goroutines":0,"alloc_bytes":100}`+"\n")
		},
		func(w io.Writer) {}, // ends without a row
		func(w io.Writer) {
			io.WriteString(w, `{"t_ns":3600200000000,"pid":7,"alloc_bytes":120}`+"\n"+`{"t_ns":36`)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		},
		func(w io.Writer) { io.WriteString(w, long+"\n") }, // the same break: no row came in between
		func(w io.Writer) { io.WriteString(w, `{"t_ns":5000000,"pid":8,"alloc_bytes":10}`+"\n") },
	}
	asked := 0
	s.metrics = func(w http.ResponseWriter, r *http.Request) {
		if got := r.URL.Query().Encode(); got != "every_ms=100&seconds=3600" {
			t.Errorf("asked for %s", got)
		}
		part := parts[min(asked, len(parts)-1)]
		asked++
		part(w)
	}
	var waits []time.Duration
	target.pause = func(_ context.Context, d time.Duration) error {
		waits = append(waits, d)
		if asked == 4 { // the stream will be that of another process, which began at clock's now
			s.restart(8)
		}
		return nil
	}
	ctx, add, rows := until(t, 4)
	origin := s.began.Add(time.Hour - 10*time.Millisecond)
	sampling, err := target.Metrics(ctx, origin, 100*time.Millisecond, add)
	if err != nil {
		t.Fatal(err)
	}
	// The agent's 3600 s are 10 ms on our clock. The new process began when the
	// world's clock stood there too.
	want := []metrics.Row{
		{TimeNs: 10e6, PID: 7, Goroutines: ptr(4), AllocBytes: ptr(100)},
		{TimeNs: 110e6, PID: 7, Goroutines: ptr(0), AllocBytes: ptr(100)},
		{TimeNs: 210e6, PID: 7, AllocBytes: ptr(120)},
		{TimeNs: 15e6, PID: 8, AllocBytes: ptr(10)},
	}
	if d := cmp.Diff(want, *rows); d != "" {
		t.Errorf("rows -want +got:\n%s", d)
	}
	warnings := sampling.Warnings
	sampling.Warnings = nil
	if d := cmp.Diff(Sampling{Rows: 4, Breaks: 2, Restarts: 1, Malformed: 2}, sampling); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	if len(warnings) != 3 || !strings.Contains(warnings[0], "stopped answering 2 times") || !strings.Contains(warnings[0], "ended too early") ||
		!strings.Contains(warnings[1], "restarted once") || !strings.Contains(warnings[2], "dropped: 2") {
		t.Errorf("%q", warnings)
	}
	if !slices.Equal(waits, []time.Duration{retryMetrics, retryMetrics, retryMetrics, retryMetrics}) {
		t.Errorf("waited %v", waits)
	}
}

// An answer that held all it was asked for is no break: the next is asked for
// at once.
func TestMetricsBeyondOneStream(t *testing.T) {
	s, target := newStandIn(t)
	s.metrics = func(w http.ResponseWriter, _ *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.clock = s.clock.Add(streamFor)
		fmt.Fprintf(w, `{"t_ns":%d}`+"\n", s.clock.Sub(s.began))
	}
	target.pause = func(context.Context, time.Duration) error { t.Error("waited"); return nil }
	ctx, add, rows := until(t, 3)
	sampling, err := target.Metrics(ctx, s.began, time.Second, add)
	if err != nil || sampling.Rows != 3 || sampling.Breaks != 0 || (*rows)[2].TimeNs != int64(time.Hour+3*streamFor) {
		t.Errorf("%+v, %v, %+v", sampling, err, *rows)
	}
}

// In a container a new process may have the old one's number, and have counted
// further before it is asked: the agent's origin tells them apart.
func TestMetricsOfATwin(t *testing.T) {
	s, target := newStandIn(t)
	asked := 0
	s.metrics = func(w http.ResponseWriter, _ *http.Request) {
		asked++
		fmt.Fprintf(w, `{"t_ns":5,"pid":7,"alloc_bytes":%d}`+"\n", asked)
	}
	target.pause = func(context.Context, time.Duration) error { s.restart(7); return nil }
	ctx, add, _ := until(t, 3)
	if sampling, err := target.Metrics(ctx, s.began, time.Second, add); err != nil || sampling.Rows != 3 || sampling.Restarts != 2 {
		t.Errorf("%+v, %v", sampling, err)
	}
}

// A stream that falls silent is given up.
func TestMetricsFallSilent(t *testing.T) {
	s, target := newStandIn(t)
	asked := 0
	s.metrics = func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, fmt.Sprintf(`{"t_ns":%d}`, asked)+"\n")
		if asked++; asked == 1 {
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}
	}
	target.grace = 500 * time.Millisecond
	target.pause = func(context.Context, time.Duration) error { return nil }
	ctx, add, _ := until(t, 2)
	sampling, err := target.Metrics(ctx, s.now(), time.Millisecond, add)
	// On a machine that is busy enough more than the one question goes unanswered.
	if err != nil || sampling.Rows != 2 || sampling.Breaks < 1 || !strings.Contains(sampling.Warnings[0], "within 50") {
		t.Errorf("%+v, %v", sampling, err)
	}
}

// Without a single row, the reason is an error and not a warning alone.
func TestMetricsThatNeverCome(t *testing.T) {
	s, target := newStandIn(t)
	ctx, cancel := context.WithCancel(t.Context())
	s.metrics = func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "too many requests", http.StatusServiceUnavailable)
	}
	target.pause = func(context.Context, time.Duration) error { cancel(); return nil }
	if sampling, err := target.Metrics(ctx, s.now(), time.Second, func(metrics.Row) {}); err == nil || !strings.Contains(err.Error(), "too many requests") || sampling.Breaks != 1 {
		t.Errorf("%+v, %v", sampling, err)
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := target.Metrics(done, s.now(), time.Second, func(metrics.Row) {}); err != nil {
		t.Errorf("ended before it began: %v", err)
	}
}

// FuzzRow: a row that is accepted has the time that it says, and reads the
// same when written again.
func FuzzRow(f *testing.F) {
	f.Add([]byte(`{"t_ns":5,"pid":1,"goroutines":4,"rss_bytes":null}`))
	f.Add([]byte(`{"goroutines":4}`))
	f.Add([]byte(`{"t_ns":9223372036854775807}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		row, ok := parseRow(line)
		if !ok {
			return
		}
		var says map[string]any
		if err := json.Unmarshal(line, &says); err != nil || row.TimeNs < 0 {
			t.Fatalf("accepted %q: %v", line, err)
		}
		out, err := json.Marshal(row)
		if err != nil {
			t.Fatal(err)
		}
		again, ok := parseRow(out)
		if d := cmp.Diff(row, again); !ok || d != "" {
			t.Errorf("%q: %s", line, d)
		}
	})
}
