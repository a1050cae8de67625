package portable

import (
	"sync"
	"testing"
	"time"

	"whet/internal/load/engine"
	"whet/internal/schedule"
)

const ms = int64(time.Millisecond)

// every returns arrivals that are due so many times a second, until the end.
func every(rate float64, end time.Duration) *arrivals {
	return newArrivals(&engine.Job{Arrivals: schedule.Constant(rate), Duration: end}, 7)
}

// Every arrival is handed out once, whatever the moments at which the pacer
// wakes up, and none that is due at the end or after it.
func TestArrivals(t *testing.T) {
	a := every(1000, 100*time.Millisecond)
	var mu sync.Mutex
	got := make(map[int64]int)
	var takers sync.WaitGroup
	for range 7 {
		takers.Go(func() {
			for {
				due, ok := a.take()
				if !ok {
					return
				}
				mu.Lock()
				got[due]++
				mu.Unlock()
			}
		})
	}
	for _, c := range []struct{ at, wait int64 }{
		{0, ms}, {ms / 2, ms / 2}, {ms, ms}, {40 * ms, ms}, {40*ms + 1, ms - 1},
	} {
		if wait, done := a.release(c.at); done || int64(wait) != c.wait {
			t.Errorf("at %v: wait %v, done %v; want %v", c.at, wait, done, c.wait)
		}
	}
	if _, done := a.release(1000 * ms); !done {
		t.Error("arrivals go on after the end")
	}
	takers.Wait()
	if due, ok := a.take(); ok {
		t.Errorf("an arrival at %d was left", due)
	}
	for k := range int64(100) {
		if n := got[k*ms]; n != 1 {
			t.Errorf("arrival %d was handed out %d times", k, n)
		}
	}
	if len(got) != 100 {
		t.Errorf("%d arrivals", len(got))
	}
}

// What nobody took when the load was given up can still be taken, and nothing
// after.
func TestEnd(t *testing.T) {
	a := every(10, time.Second)
	a.release(450 * ms)
	if due, ok := a.take(); !ok || due != 0 {
		t.Errorf("%v %v", due, ok)
	}
	a.finish()
	for k := range int64(4) {
		if due, ok := a.take(); !ok || due != (k+1)*100*ms {
			t.Errorf("left at %d: %v", due, ok)
		}
	}
	if _, ok := a.take(); ok {
		t.Error("an arrival after the end")
	}
}

// Two clients and arrivals each 10 ms, after a warm-up of 100 ms. They take those
// of 0 and 10 ms; of the eight others of the warm-up one is left to each client
// that becomes free in it, at 35 ms: the next, of 40 ms. What counts is kept: the
// clients are busy until 150 ms, and then get those of 100 and 110 ms.
func TestWarmupLeavesNothing(t *testing.T) {
	a := newArrivals(&engine.Job{Arrivals: schedule.Constant(100), Warmup: 100 * time.Millisecond, Duration: time.Second}, 2)
	take := func(at, want int64) {
		t.Helper()
		a.release(at * ms)
		if due, ok := a.take(); !ok || due != want*ms {
			t.Errorf("at %d ms: got the arrival of %v (%v), want that of %d ms", at, time.Duration(due), ok, want)
		}
	}
	take(0, 0)
	take(10, 10)
	a.release(25 * ms)
	a.done(35 * ms)
	take(45, 40)
	for at := int64(50); at < 90; at += 7 {
		a.release(at * ms)
	}
	a.done(149 * ms)
	take(150, 100)
	a.done(150 * ms)
	take(150, 110)
	var left int64
	a.release(2000 * ms)
	for _, ok := a.take(); ok; _, ok = a.take() {
		left++
	}
	if left != 98 { // of the 100 in [100 ms, 1.1 s)
		t.Errorf("%d arrivals were left", left)
	}
}
