//go:build go1.26

package agent

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"runtime/metrics"
	"runtime/trace"
	"sync"
	"time"
)

const (
	flightAge      = 5 * time.Second
	flightBytes    = 8 << 20  // of the recorder's window, as a hint
	maxFlightBytes = 16 << 20 // of a snapshot, half of what it may really have
	maxSnapshots   = 4        // in memory, where no files are written
	maxFlights     = 16       // on disk
	lookEvery      = time.Second
)

// flight keeps a flight recorder and makes snapshots when a bound is passed.
type flight struct {
	agent  *Agent
	bounds Bounds
	wanted chan string // why; holds one element: what comes meanwhile is the same trouble
	quit   chan struct{}

	mu        sync.Mutex // held while a snapshot is written, and over Stop
	recorder  *trace.FlightRecorder
	snapshots []snapshot // the latest, where no files are written
	count     int
}

// snapshot is a trace that a bound made the agent keep.
type snapshot struct {
	why  string
	at   int64
	data []byte
}

// startFlight returns nil when the runtime has no flight recorder to give.
func startFlight(a *Agent) *flight {
	f := &flight{
		agent: a, bounds: a.settings.bounds, wanted: make(chan string, 1), quit: make(chan struct{}),
		recorder: trace.NewFlightRecorder(trace.FlightRecorderConfig{MinAge: flightAge, MaxBytes: flightBytes}),
	}
	if err := f.recorder.Start(); err != nil {
		a.notes.add("no flight recorder: %v", err)
		return nil
	}
	if f.bounds.any() {
		a.work("the flight recorder", f.watch)
	}
	return f
}

// want asks for a snapshot and does not wait for it.
func (f *flight) want(why string) {
	select {
	case f.wanted <- why:
	default:
	}
}

// watch looks at the bounds and makes snapshots, at most one in each interval.
func (f *flight) watch() {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	var last time.Time
	for {
		why := ""
		select {
		case <-f.quit:
			return
		case why = <-f.wanted:
		case <-ticker.C:
			why = f.passed(heap)
		}
		if why == "" || !last.IsZero() && time.Since(last) < f.bounds.Between {
			continue
		}
		last = time.Now()
		f.keep(why)
	}
}

// passed says which bound is passed, "" if none.
func (f *flight) passed(heap []metrics.Sample) string {
	if n := runtime.NumGoroutine(); f.bounds.Goroutines > 0 && n > f.bounds.Goroutines {
		return fmt.Sprintf("there are %d goroutines, more than the bound of %d", n, f.bounds.Goroutines)
	}
	metrics.Read(heap)
	if n, ok := number(heap[0].Value); ok && f.bounds.HeapBytes > 0 && n > f.bounds.HeapBytes {
		return fmt.Sprintf("the heap has %d bytes, more than the bound of %d", n, f.bounds.HeapBytes)
	}
	return ""
}

// keep makes a snapshot and keeps it.
func (f *flight) keep(why string) {
	at := f.agent.since()
	data, err := f.take()
	if err != nil {
		f.agent.notes.add("%v", err)
		return
	}
	f.agent.notes.add("the flight recorder was saved: %s", why)
	f.mu.Lock()
	name := fmt.Sprintf("flight-%03d.trace", f.count%maxFlights)
	f.count++
	if f.agent.continuous == nil {
		f.snapshots = append(f.snapshots, snapshot{why, at, data})
		if len(f.snapshots) > maxSnapshots {
			f.snapshots = append([]snapshot(nil), f.snapshots[1:]...)
		}
	}
	f.mu.Unlock()
	if c := f.agent.continuous; c != nil {
		start := max(at-int64(flightAge), 0)
		c.check(c.files.write(name, "flight", start, func(w io.Writer) error {
			_, err := w.Write(data)
			return err
		}))
	}
}

// take returns what the recorder holds now.
func (f *flight) take() ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	buf := newBuffer(maxFlightBytes)
	if _, err := f.recorder.WriteTo(buf); err != nil {
		return nil, fmt.Errorf("save the flight recorder: %w", err)
	}
	return buf.bytes()
}

func (f *flight) stop() {
	if f == nil {
		return
	}
	close(f.quit)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.recorder.Stop()
}

// serveFlight answers what the recorder holds now, or with ?saved=1 the latest
// snapshot that a bound has made.
func (a *Agent) serveFlight(w http.ResponseWriter, r *http.Request) error {
	f := a.recorder()
	if f == nil {
		return refuse(http.StatusNotFound, "no flight recorder runs: set Config.FlightRecorder or a bound, or ask for one with POST flight?seconds=N")
	}
	if r.URL.Query().Get("saved") == "" {
		data, err := f.take()
		if err != nil {
			return err
		}
		return answerFlight(w, data)
	}
	f.mu.Lock()
	n := len(f.snapshots)
	var last snapshot
	if n > 0 {
		last = f.snapshots[n-1]
	}
	f.mu.Unlock()
	if n == 0 {
		return refuse(http.StatusNotFound, "no snapshot in memory: no bound was exceeded, or the agent wrote the snapshots to its files")
	}
	w.Header().Set("X-Whet-Reason", last.why)
	w.Header().Set("X-Whet-Time-Ns", fmt.Sprint(last.at))
	return answerFlight(w, last.data)
}

func answerFlight(w http.ResponseWriter, data []byte) error {
	allow(w, 0)
	attachment(w, "flight")
	w.Write(data)
	return nil
}
