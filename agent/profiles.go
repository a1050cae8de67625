//go:build go1.26

package agent

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"strconv"
	"sync"
	"time"
)

const (
	maxTaking = time.Hour
	// Profiles and traces that are sent are held in memory until they are whole:
	// a slow reader of a trace would make the runtime hold it, without a bound.
	maxCPUBytes   = 64 << 20
	maxTraceBytes = 32 << 20 // a trace ends early there
)

var errTooLarge = errors.New("it exceeded its limit")

// buffer holds up to twice its limit; past the limit it says so once on full.
type buffer struct {
	mu    sync.Mutex
	data  bytes.Buffer
	limit int
	full  chan struct{} // holds one element from the limit on
	lost  bool
}

func newBuffer(limit int) *buffer { return &buffer{limit: limit, full: make(chan struct{}, 1)} }

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.data.Len()+len(p) > 2*b.limit {
		b.lost = true
		return 0, errTooLarge
	}
	b.data.Write(p)
	if b.data.Len() > b.limit {
		select {
		case b.full <- struct{}{}:
		default:
		}
	}
	return len(p), nil
}

// bytes returns what was written, unless some of it was lost.
func (b *buffer) bytes() ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.lost {
		return nil, errTooLarge
	}
	return b.data.Bytes(), nil
}

func (a *Agent) serveProfile(w http.ResponseWriter, r *http.Request, name string) error {
	switch name {
	case "profile":
		return a.serveCPU(w, r)
	case "trace":
		return a.serveTrace(w, r)
	}
	p := pprof.Lookup(name)
	if p == nil {
		return refuse(http.StatusNotFound, "this program has no profile %.60q", name)
	}
	query := r.URL.Query()
	if query.Has("seconds") {
		return refuse(http.StatusBadRequest, "seconds applies to profile and trace only: take %s twice and subtract", name)
	}
	debug := 0
	if text := query.Get("debug"); text != "" {
		var err error
		if debug, err = strconv.Atoi(text); err != nil || debug < 0 || debug > 2 {
			return refuse(http.StatusBadRequest, "debug=%.20q is not 0, 1 or 2", text)
		}
	}
	if gc, _ := strconv.Atoi(query.Get("gc")); name == "heap" && gc > 0 {
		runtime.GC()
	}
	allow(w, 0)
	if debug != 0 {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	} else {
		attachment(w, name)
	}
	// An error here is the client's connection: there is nobody to tell.
	_ = p.WriteTo(w, debug)
	return nil
}

func attachment(w http.ResponseWriter, name string) {
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s"`, name))
}

func (a *Agent) serveCPU(w http.ResponseWriter, r *http.Request) error {
	d, err := seconds(r.URL.Query(), "seconds", 30*time.Second, maxTaking)
	if err != nil {
		return err
	}
	if !a.cpu.CompareAndSwap(false, true) {
		return refuse(http.StatusServiceUnavailable, "Could not enable CPU profiling: cpu profiling already in use")
	}
	defer a.cpu.Store(false)
	// The agent's own profile steps aside for the one that was asked for.
	giveBack, err := a.continuous.lendCPU(r.Context())
	if err != nil {
		return refuse(http.StatusServiceUnavailable, "Could not enable CPU profiling: %v", err)
	}
	defer giveBack()
	buf := newBuffer(maxCPUBytes)
	if err := pprof.StartCPUProfile(buf); err != nil {
		return refuse(http.StatusServiceUnavailable, "Could not enable CPU profiling: %v", err)
	}
	a.wait(r, d, nil)
	pprof.StopCPUProfile()
	return send(w, "profile", buf)
}

func (a *Agent) serveTrace(w http.ResponseWriter, r *http.Request) error {
	d, err := seconds(r.URL.Query(), "seconds", time.Second, maxTaking)
	if err != nil {
		return err
	}
	// The agent's own traces last a second: it is worth waiting for their end.
	select {
	case a.tracing <- struct{}{}:
		defer func() { <-a.tracing }()
	case <-r.Context().Done():
		return refuse(http.StatusServiceUnavailable, "Could not enable tracing: %v", r.Context().Err())
	case <-a.stopping:
		return refuse(http.StatusServiceUnavailable, "the agent was stopped")
	}
	buf := newBuffer(maxTraceBytes)
	begin := time.Now()
	if err := trace.Start(buf); err != nil {
		return refuse(http.StatusServiceUnavailable, "Could not enable tracing: %v", err)
	}
	early := a.wait(r, d, buf.full)
	took := time.Since(begin)
	trace.Stop()
	if early {
		w.Header().Set("X-Whet-Warning", fmt.Sprintf("the trace ended after %.3f s: it reached the limit of %d bytes", took.Seconds(), maxTraceBytes))
	}
	return send(w, "trace", buf)
}

// wait waits until d has passed, the client has gone, the agent stops, or full
// has an element, which it reports.
func (a *Agent) wait(r *http.Request, d time.Duration, full <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.Context().Done():
	case <-a.stopping:
	case <-full:
		return true
	}
	return false
}

func send(w http.ResponseWriter, name string, buf *buffer) error {
	data, err := buf.bytes()
	if err != nil {
		return refuse(http.StatusInternalServerError, "take %s: %v of %d bytes: take a shorter one", name, err, buf.limit)
	}
	allow(w, 0)
	attachment(w, name)
	w.Write(data)
	return nil
}

// cpuProfiling reports whether the agent has the CPU profiler.
func (a *Agent) cpuProfiling() bool { return a.cpu.Load() || a.continuous.hasCPU() }
