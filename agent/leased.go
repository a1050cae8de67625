//go:build go1.26

package agent

import (
	"net/http"
	"sync"
	"time"
)

// leasedRecorder is a flight recorder that runs while clients ask for it. It costs
// as much as an execution trace, so it ends by itself when its clients are gone.
type leasedRecorder struct {
	mu     sync.Mutex
	flight *flight // nil: none
	asked  int     // how many asked for it and have not ended it
	until  time.Time
	ends   *time.Timer
	over   bool // the agent stops
}

const maxLent = 10 * time.Minute

// lend starts a flight recorder for some time, or lengthens the time of the one
// that was lent: others who asked for it count on theirs.
func (l *leasedRecorder) lend(a *Agent, d time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return false
	}
	until := time.Now().Add(d)
	switch {
	case l.flight == nil:
		f := startFlight(a)
		if f == nil {
			return false
		}
		l.flight, l.asked, l.until = f, 0, until
		l.ends = time.AfterFunc(d, func() { l.expire(f) })
	case until.After(l.until):
		l.until = until
		l.ends.Reset(d)
	}
	l.asked++
	return true
}

// expire ends the recorder f, unless its time was lengthened at the last moment.
func (l *leasedRecorder) expire(f *flight) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.flight == f && time.Until(l.until) <= 0 {
		l.endLocked()
	}
}

// end ends what was lent once nobody is left who asked for it.
func (l *leasedRecorder) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.flight == nil {
		return
	}
	if l.asked--; l.asked <= 0 {
		l.endLocked()
	}
}

func (l *leasedRecorder) endLocked() {
	l.ends.Stop()
	l.flight.stop()
	l.flight = nil
}

func (l *leasedRecorder) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
	if l.flight != nil {
		l.endLocked()
	}
}

func (l *leasedRecorder) now() *flight {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.flight
}

// recorder returns the flight recorder that runs, nil where none does.
func (a *Agent) recorder() *flight {
	if a.flight != nil {
		return a.flight
	}
	return a.lent.now()
}

// serveLend starts a flight recorder for some seconds, and with none gives it back:
// it ends once all have who asked for it. One that the program has already stays as it is.
func (a *Agent) serveLend(w http.ResponseWriter, r *http.Request) error {
	if a.flight == nil {
		if r.URL.Query().Get("seconds") == "0" {
			a.lent.end()
			return a.serveStatus(w, r)
		}
		d, err := seconds(r.URL.Query(), "seconds", 0, maxLent)
		if err != nil {
			return err
		}
		if d == 0 {
			return refuse(http.StatusBadRequest, "say for how long the flight recorder is to run, seconds=1 to %.0f; 0 gives it back", maxLent.Seconds())
		}
		if !a.lent.lend(a, d) {
			return refuse(http.StatusServiceUnavailable, "cannot start the flight recorder: the program may run its own")
		}
	}
	return a.serveStatus(w, r)
}
