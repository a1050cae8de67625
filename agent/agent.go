//go:build go1.26

package agent

import (
	"context"
	"fmt"
	"net/http"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"time"
)

// Agent measures the program it runs in. All its methods may be called from
// any goroutine, and on an agent that does nothing.
type Agent struct {
	settings settings
	inert    string    // why it does nothing; "": it works
	origin   time.Time // 0 ns of all its times

	notes      *notes
	dials      dials
	continuous *continuous    // nil: nothing is taken unless asked for
	flight     *flight        // nil: none
	lent       leasedRecorder // while somebody wants one
	door       *door          // nil: no address of its own
	signals    *signals       // nil: none

	cpu      atomic.Bool   // a request takes a CPU profile
	tracing  chan struct{} // holds one element while the agent traces
	slots    chan struct{} // one element for each request in work
	started  chan struct{} // closed when all parts were started
	stopping chan struct{} // closed when Stop begins
	ended    chan struct{} // closed when everything has stopped
	steps    atomic.Int64  // files written so far
	once     sync.Once
	tasks    sync.WaitGroup
}

// There is one set of profilers in a process, so there is one agent.
var present struct {
	sync.Mutex
	agent *Agent
}

// Start starts an agent. It always returns one: what cannot be done is logged,
// and the rest is done. While an agent runs, a further Start returns one that
// does nothing and says so.
func Start(c Config) *Agent {
	return start(c.settings())
}

func start(s settings) *Agent {
	a := &Agent{
		settings: s, origin: time.Now(), notes: newNotes(s.log),
		tracing: make(chan struct{}, 1), slots: make(chan struct{}, maxRequests),
		started: make(chan struct{}), stopping: make(chan struct{}), ended: make(chan struct{}),
	}
	present.Lock()
	defer present.Unlock()
	if first := present.agent; first != nil {
		a.inert = fmt.Sprintf("an agent already runs in this program, since %s: this one does nothing; use that one, or stop it first",
			first.origin.Format(time.RFC3339))
		a.notes.add("%s", a.inert)
		return a
	}
	present.agent = a
	// Profiles tell the agent's goroutines from the program's by this label,
	// which goroutines hand on to those they start.
	pprof.Do(context.Background(), pprof.Labels("whet", "agent"), func(context.Context) { a.begin() })
	close(a.started)
	return a
}

// begin starts the parts of an agent, each of which may fail alone.
func (a *Agent) begin() {
	a.dials.set(a.settings.rates)
	if a.settings.continuous != nil {
		a.continuous = startContinuous(a)
	}
	if a.settings.flight {
		a.flight = startFlight(a)
	}
	if a.settings.listen != "" || a.settings.socket != "" {
		a.door = openDoor(a)
	}
	if len(a.settings.signals) > 0 {
		a.signals = watchSignals(a)
	}
}

// Stop ends all that the agent does, writes the recording if there is one, and
// puts the profiles' rates back. Only the first call does anything; the others
// wait for it. It takes a few seconds at most.
func (a *Agent) Stop() { a.end("stop", stopLimit) }

// stopLimit bounds what a program waits for its own Stop.
const stopLimit = 10 * time.Second

// end stops the agent and waits until limit has passed since it last wrote a file:
// it abandons an agent that hangs, but not one that a busy machine slows down.
func (a *Agent) end(how string, limit time.Duration) {
	a.once.Do(func() {
		close(a.stopping)
		if a.inert != "" {
			a.notes.close()
			close(a.ended)
			return
		}
		go a.finish(how)
	})
	ticks := time.NewTicker(limit)
	defer ticks.Stop()
	steps := a.steps.Load()
	awaitEnd(a.ended, ticks.C, func() bool {
		before := steps
		steps = a.steps.Load()
		return steps != before
	})
}

// awaitEnd returns at the end, or at a tick before which there was no progress.
func awaitEnd(ended <-chan struct{}, ticks <-chan time.Time, progress func() bool) {
	for {
		select {
		case <-ended:
			return
		case <-ticks:
			if !progress() {
				return
			}
		}
	}
}

// finish does the work of end on a goroutine that end may abandon. A step that
// fails does not prevent the others.
func (a *Agent) finish(how string) {
	defer close(a.ended)
	<-a.started // a signal may end what Start has not finished yet
	for _, step := range []func(){
		a.signals.stop,
		// The rows end first: what the agent does from here on is not the program's.
		func() { a.continuous.finish(how) },
		a.flight.stop,
		a.lent.stop,
		a.door.close,
		a.tasks.Wait,
		a.dials.restore,
	} {
		func() {
			defer a.recovered("stopping")
			step()
		}()
	}
	present.Lock()
	present.agent = nil
	present.Unlock()
	a.notes.close()
}

// Warnings returns the errors so far, one line each.
func (a *Agent) Warnings() []string { return a.notes.all() }

// Wrap returns a handler that calls h, and makes a snapshot of the flight
// recorder when a request takes longer than Bounds.ResponseTime.
func (a *Agent) Wrap(h http.Handler) http.Handler {
	bound := a.settings.bounds.ResponseTime
	if a.flight == nil || bound <= 0 {
		return h
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begin := time.Now()
		defer func() {
			if took := time.Since(begin); took > bound {
				a.flight.want(fmt.Sprintf("a request took %v, more than the bound of %v", took.Round(time.Microsecond), bound))
			}
		}()
		h.ServeHTTP(w, r)
	})
}

// since returns the time on the agent's clock.
func (a *Agent) since() int64 { return int64(time.Since(a.origin)) }

// work runs one of the agent's own goroutines. A panic in it ends that part of
// the agent and nothing else.
func (a *Agent) work(what string, f func()) {
	a.tasks.Add(1)
	go func() {
		defer a.tasks.Done()
		defer a.recovered(what)
		f()
	}()
}

func (a *Agent) recovered(what string) {
	if p := recover(); p != nil {
		a.notes.add("%s failed and is off: %v", what, p)
	}
}
