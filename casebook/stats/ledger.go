package stats

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"time"
)

const (
	// MaxNames bounds the names that a ledger holds. Endpoints are made up by
	// visitors; without a bound so would be the program's memory.
	MaxNames = 4096
	// Rest is the name that gathers what came under new names when a ledger
	// already held MaxNames.
	Rest = "rest"
)

// Total is what a name has gathered.
type Total struct {
	Count int
	Took  time.Duration // the sum of the times
}

// Options are what a ledger is made with; the zero value is a ledger that
// prints nothing.
type Options struct {
	// Print, unless it is nil, gets a line for each request: its name, quoted,
	// and its time. One record is one call of Write, and calls do not overlap:
	// a request that has been answered and counted waits for those before it.
	// A failure to print is said on standard error and costs the visitor nothing.
	Print io.Writer
	// Now reads a clock that never goes back. nil is the system's monotonic
	// clock, since the ledger was made.
	Now func() time.Duration
}

// Ledger counts and times requests by name, exactly, for any number of
// goroutines. Use NewLedger.
type Ledger struct {
	now func() time.Duration

	mu     sync.Mutex
	totals map[string]*Total // at most MaxNames and Rest

	printing sync.Mutex // not mu: a terminal holds up those who print, not the count and who reads it
	print    io.Writer
}

// NewLedger returns an empty ledger.
func NewLedger(o Options) *Ledger {
	if o.Now == nil {
		made := time.Now()
		o.Now = func() time.Duration { return time.Since(made) }
	}
	return &Ledger{now: o.Now, totals: make(map[string]*Total), print: o.Print}
}

// TimeGreeting writes the answer and returns how long that took.
func (l *Ledger) TimeGreeting(w http.ResponseWriter) time.Duration {
	start := l.now()
	Greet(w)
	return l.now() - start
}

// Add counts one request that took so long.
func (l *Ledger) Add(name string, took time.Duration) {
	l.mu.Lock()
	t := l.totals[name]
	if t == nil {
		t = l.open(name)
	}
	t.Count++
	t.Took += took
	l.mu.Unlock()
	if l.print != nil {
		l.printRecord(name, took)
	}
}

// AddBytes is Add for a name that is not a string yet. A name that the ledger
// knows never becomes one.
func (l *Ledger) AddBytes(name []byte, took time.Duration) {
	l.mu.Lock()
	t := l.totals[string(name)]
	if t == nil {
		t = l.open(string(name))
	}
	t.Count++
	t.Took += took
	l.mu.Unlock()
	if l.print != nil {
		l.printRecord(string(name), took)
	}
}

// open returns the total for a name that has none yet. mu is held.
func (l *Ledger) open(name string) *Total {
	if len(l.totals) >= MaxNames {
		name = Rest
		if t := l.totals[name]; t != nil {
			return t
		}
	}
	t := new(Total)
	l.totals[name] = t
	return t
}

func (l *Ledger) printRecord(name string, took time.Duration) {
	record := fmt.Appendf(nil, "name=%q took_ns=%d\n", name, took.Nanoseconds())
	l.printing.Lock()
	defer l.printing.Unlock()
	if _, err := l.print.Write(record); err != nil {
		fmt.Fprintln(os.Stderr, "stats: could not print a record:", err)
	}
}

// Totals returns a copy of all totals.
func (l *Ledger) Totals() map[string]Total {
	l.mu.Lock()
	defer l.mu.Unlock()
	totals := make(map[string]Total, len(l.totals))
	for name, t := range l.totals {
		totals[name] = *t
	}
	return totals
}
