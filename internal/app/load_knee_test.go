package app

import (
	"testing"

	"whet/internal/load"
	"whet/internal/schedule"
	"whet/internal/search"
)

// Whatever the best throughput is and however many clients it took, the search for a
// rate asks for none, and for no number of connections, that a load refuses.
func TestRatesBehindTheKnee(t *testing.T) {
	for _, best := range []float64{0.3, 100, 70_000, 600_000, 2e6, 2e7} {
		o := ratesUpTo(best)
		if err := o.Validate(); err != nil {
			t.Errorf("%v/s: %v", best, err)
		}
		l := load.DefaultOptions()
		l.URL, l.Schedule = "http://127.0.0.1:1/", schedule.Constant(o.Most)
		if err := l.Validate(); err != nil {
			t.Errorf("%v/s: %v", best, err)
		}
	}
	if o := ratesUpTo(8000); o.From != 1000 || o.Least != 1 || o.Most != 16_000 {
		t.Errorf("from %v, within %v to %v", o.From, o.Least, o.Most)
	}
	for at, want := range map[float64]int{1: 64, 100: 400, 4096: load.MaxConcurrency} {
		s := &kneeSearch{l: newLoadFlags(loadFlagSet()), plan: &loadPlan{options: load.DefaultOptions()}}
		s.connections(&search.Knee{At: at})
		if got := s.plan.options.Concurrency; got != want {
			t.Errorf("%v clients: %d connections, want %d", at, got, want)
		}
	}
}
