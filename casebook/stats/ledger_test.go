package stats

import (
	"maps"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestLedgerAdds(t *testing.T) {
	var out strings.Builder
	l := NewLedger(Options{Print: &out})
	l.Add("a", 3)
	l.AddBytes([]byte("a"), 4)
	l.AddBytes([]byte("b\n\""), 5)
	l.Add("", 0)
	want := map[string]Total{"a": {2, 7}, "b\n\"": {1, 5}, "": {1, 0}}
	if got := l.Totals(); !maps.Equal(got, want) {
		t.Errorf("totals are %v, want %v", got, want)
	}
	if want := "name=\"a\" took_ns=3\nname=\"a\" took_ns=4\nname=\"b\\n\\\"\" took_ns=5\nname=\"\" took_ns=0\n"; out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
	l.Totals()["a"] = Total{}
	if got := l.Totals(); !maps.Equal(got, want) {
		t.Errorf("who changes a copy changes the ledger: %v", got)
	}
}

// The bytes of a name are the caller's and may be used again.
func TestNamesAreCopied(t *testing.T) {
	l := NewLedger(Options{})
	name := []byte("ab")
	l.AddBytes(name, 1)
	copy(name, "cd")
	l.AddBytes(name, 2)
	if got, want := l.Totals(), (map[string]Total{"ab": {1, 1}, "cd": {1, 2}}); !maps.Equal(got, want) {
		t.Errorf("totals are %v, want %v", got, want)
	}
}

// What comes after MaxNames names is gathered, nothing is lost, and names that
// are there already go on counting.
func TestLedgerIsBounded(t *testing.T) {
	const more = 100
	for what, add := range map[string]func(l *Ledger, name string){
		"string": func(l *Ledger, name string) { l.Add(name, 2) },
		"bytes":  func(l *Ledger, name string) { l.AddBytes([]byte(name), 2) },
	} {
		l := NewLedger(Options{})
		for i := range MaxNames + more {
			add(l, "n"+strconv.Itoa(i))
		}
		if got := len(l.Totals()); got != MaxNames+1 {
			t.Errorf("%s: %d names, want %d", what, got, MaxNames+1)
		}
		if got, want := l.Totals()[Rest], (Total{more, 2 * more}); got != want {
			t.Errorf("%s: the rest is %v, want %v", what, got, want)
		}
		add(l, "n0")
		add(l, "n"+strconv.Itoa(MaxNames-1))
		add(l, "n"+strconv.Itoa(MaxNames))
		got := l.Totals()
		if got["n0"].Count != 2 || got["n"+strconv.Itoa(MaxNames-1)].Count != 2 || got[Rest].Count != more+1 {
			t.Errorf("%s: counts are %v, %v and %v", what, got["n0"], got["n"+strconv.Itoa(MaxNames-1)], got[Rest])
		}
	}
}

func TestLedgerConcurrently(t *testing.T) {
	const workers, rounds = 8, 500
	l := NewLedger(Options{})
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() {
			for j := range rounds {
				l.Add("s", time.Duration(j))
				l.AddBytes([]byte("s"), time.Duration(i))
				l.Totals()
			}
		})
	}
	wg.Wait()
	// 8 times 0 + 1 + … + 499, and 500 times 0 + 1 + … + 7.
	if got, want := l.Totals()["s"], (Total{2 * workers * rounds, 8*124_750 + 500*28}); got != want {
		t.Errorf("total is %v, want %v", got, want)
	}
}

// The time is that of the answer.
func TestTimeGreeting(t *testing.T) {
	clock := time.Duration(7)
	l := NewLedger(Options{Now: func() time.Duration { return clock }})
	w := &answer{moves: func() { clock += 12345 }}
	if took := l.TimeGreeting(w); took != 12345 || w.text != Greeting {
		t.Errorf("%q took %v, want %q and 12.345µs", w.text, took, Greeting)
	}
	if n := len(l.Totals()); n != 0 {
		t.Errorf("timing counted %d names", n)
	}
}

// Without a clock of its own a ledger has the system's.
func TestLedgerClock(t *testing.T) {
	l := NewLedger(Options{})
	var within time.Duration
	w := &answer{moves: func() {
		for start := time.Now(); within <= 0; {
			within = time.Since(start)
		}
	}}
	start := time.Now()
	took := l.TimeGreeting(w)
	if took < within || took > time.Since(start) {
		t.Errorf("took %v, want between %v and %v", took, within, time.Since(start))
	}
}

// answer moves a clock when it is written.
type answer struct {
	http.ResponseWriter
	moves func()
	text  string
}

func (a *answer) Write(b []byte) (int, error) {
	a.moves()
	a.text += string(b)
	return len(b), nil
}

// slow is a terminal that waits for somebody.
type slow struct{ writing, done chan struct{} }

func (s slow) Write(b []byte) (int, error) {
	s.writing <- struct{}{}
	<-s.done
	return len(b), nil
}

// The ledger can be read, and counts, while a record is printed. Whoever has a
// record to print after that waits, counted.
func TestPrintingDoesNotHoldUpTheCount(t *testing.T) {
	out := slow{make(chan struct{}), make(chan struct{})}
	l := NewLedger(Options{Print: out})
	const n = 3
	var done atomic.Int32
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			l.Add("a", 1)
			done.Add(1)
		})
	}
	<-out.writing
	for l.Totals()["a"] != (Total{n, n}) && t.Context().Err() == nil {
		runtime.Gosched()
	}
	if got := done.Load(); got != 0 {
		t.Errorf("%d requests are done while the first record is printed", got)
	}
	for i := range n {
		if i > 0 {
			<-out.writing
		}
		out.done <- struct{}{}
	}
	wg.Wait()
}
