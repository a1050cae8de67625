package record

import (
	"slices"
	"testing"
	"time"
)

// TestWatch: 5, 20, 15, 40, 30 and 50 ms with a bound of 10 ms, where 40 ms is not
// taken: 20, 40, 30 and 50 are told of, and 15 is below the 20 before it.
func TestWatch(t *testing.T) {
	r := New(plan(time.Second))
	var told []int64
	r.Watch(10*ms, func(o *Outcome) bool {
		told = append(told, o.Took()/ms)
		return o.Took() != 40*ms
	})
	s := r.Shard()
	s.Record(answer(-ms, 500*ms)) // of the warm-up
	for i, took := range []int64{5, 20, 15, 40, 30, 50} {
		s.Record(answer(int64(100+i)*ms, took*ms))
	}
	s.Record(ended(200*ms, Outcome{Sent: 500 * ms, Kind: "connection refused"})) // without an answer there is no time
	if want := []int64{20, 40, 30, 50}; !slices.Equal(told, want) {
		t.Errorf("told of %v ms, want %v", told, want)
	}
}

// TestWatchOpen: an open loop's time runs from when the request was due.
func TestWatchOpen(t *testing.T) {
	p := plan(time.Second)
	p.Open = true
	r := New(p)
	s := r.Shard() // before the watch begins
	var took []int64
	r.Watch(10*ms, func(o *Outcome) bool { took = append(took, o.Took()); return true })
	s.Record(&Outcome{Due: warm + 10*ms, Sent: warm + 28*ms, End: warm + 30*ms, Status: 200})
	if !slices.Equal(took, []int64{20 * ms}) {
		t.Errorf("told of %v, want 20 ms", took)
	}
}
