package search

import (
	"context"
	"math"
	"testing"
	"time"
)

func off(got, want float64) float64 { return math.Abs(got/want - 1) }

// Servers of known capacity, each with 20 seeds: at least 19 knees within 5 % of
// the true one, in throughput and in concurrency, with a noise of 2.5 % between
// runs and as much within them.
func TestKneeOfKnownServers(t *testing.T) {
	for _, c := range []struct {
		name     string
		server   func(seed uint64) *server
		capacity float64
		at       float64
	}{
		{"pool of 8", func(seed uint64) *server { return pool(seed, 8, 0.02) }, 400, 8 * (1 + 0.0001/0.02)},
		{"pool of 5", func(seed uint64) *server { return pool(seed, 5, 0.01) }, 500, 5 * 1.01},
		{"pool of 27", func(seed uint64) *server { return pool(seed, 27, 0.05) }, 540, 27},
		{"a lock and work beside it", func(seed uint64) *server { return locked(seed, 0.002, 0.018) }, 500, 10},
		{"a lock alone", func(seed uint64) *server { return locked(seed, 0.002, 20e-6) }, 500, 1.01},
		{"slower past 12", func(seed uint64) *server { return slowed(seed, 12, 0.03, 0.02) }, 400, 12},
		{"slower past 21", func(seed uint64) *server { return slowed(seed, 21, 0.05, 0.03) }, 420, 21},
	} {
		t.Run(c.name, func(t *testing.T) {
			hits, runs := 0, 0
			var spent time.Duration
			for seed := range uint64(20) {
				k, err := Find(context.Background(), Closed(), c.server(seed).closed)
				if err != nil {
					t.Fatal(err)
				}
				for _, l := range k.Levels {
					runs += len(l.Runs)
				}
				spent += k.Spent
				if k.Complete && off(k.At, c.at) <= 0.05 && off(k.Plateau.Throughput.Center, c.capacity) <= 0.05 && off(k.Throughput, c.capacity) <= 0.05 {
					hits++
				} else {
					t.Logf("seed %d: %s; complete %v %q", seed, k, k.Complete, k.Warnings)
				}
			}
			t.Logf("%d of 20, %d runs and %v each", hits, runs/20, spent/20)
			if hits < 19 {
				t.Errorf("%d of 20 within 5 %%", hits)
			}
		})
	}
}
