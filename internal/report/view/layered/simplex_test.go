package layered

import (
	"errors"
	"math/rand/v2"
	"testing"
)

// cheapest tries all numbers up to most.
func cheapest(n int, edges []constraint, most int) int {
	x := make([]int, n)
	best := -1
	var try func(v int)
	try = func(v int) {
		if v == n {
			if cost, ok := costOf(x, edges); ok && (best < 0 || cost < best) {
				best = cost
			}
			return
		}
		for x[v] = 0; x[v] <= most; x[v]++ {
			try(v + 1)
		}
	}
	try(0)
	return best
}

func costOf(x []int, edges []constraint) (int, bool) {
	cost := 0
	for _, e := range edges {
		if x[e.to]-x[e.from] < e.length {
			return 0, false
		}
		cost += e.weight * (x[e.to] - x[e.from])
	}
	return cost, true
}

// constraints makes a connected problem whose edges lead from lower to higher
// numbers.
func constraints(rng *rand.Rand, n, edges, length int) []constraint {
	var out []constraint
	for i := 1; i < n; i++ {
		out = append(out, constraint{from: int32(rng.IntN(i)), to: int32(i), length: rng.IntN(length + 1), weight: rng.IntN(6)})
	}
	for range edges {
		a, b := rng.IntN(n), rng.IntN(n)
		if a > b {
			a, b = b, a
		}
		if a < b {
			out = append(out, constraint{from: int32(a), to: int32(b), length: rng.IntN(length + 1), weight: rng.IntN(6)})
		}
	}
	return out
}

func TestSimplexBesideBruteForce(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 17))
		edges := constraints(rng, 5, 6, 2)
		x, err := minimise(5, edges, 1000)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := costOf(x, edges)
		if want := cheapest(5, edges, 8); !ok || got != want {
			t.Fatalf("seed %d: %v costs %d (all constraints kept: %v), the least is %d; %+v", seed, x, got, ok, want, edges)
		}
	}
}

// Large problems are held against steps away from what was found: none may be
// cheaper.
func TestSimplexEndsAtAnOptimum(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser, or writes large pages")
	}
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 19))
		edges := constraints(rng, 400, 1200, 40)
		x, err := minimise(400, edges, 1_000_000)
		if err != nil {
			t.Fatal(err)
		}
		cost, ok := costOf(x, edges)
		if !ok {
			t.Fatalf("seed %d: a constraint is broken", seed)
		}
		// Each node moved alone, or with all that hang on it without slack.
		for v := range x {
			for _, by := range []int{-1, 1} {
				moved := append([]int(nil), x...)
				push(moved, edges, int32(v), by)
				if c, ok := costOf(moved, edges); !ok || c < cost {
					t.Fatalf("seed %d: node %d moved by %d: cost %d instead of %d (constraints kept: %v)", seed, v, by, c, cost, ok)
				}
			}
		}
		again, err := minimise(400, edges, 1_000_000)
		if err != nil {
			t.Fatal(err)
		}
		for v := range x {
			if x[v] != again[v] {
				t.Fatalf("seed %d: node %d is at %d, then at %d", seed, v, x[v], again[v])
			}
		}
	}
}

// push moves a node, and whatever stands in its way.
func push(x []int, edges []constraint, v int32, by int) {
	x[v] += by
	for _, e := range edges {
		if x[e.to]-x[e.from] >= e.length {
			continue
		}
		if e.from == v {
			push(x, edges, e.to, by)
		} else if e.to == v {
			push(x, edges, e.from, by)
		}
	}
}

func TestSimplexWithoutExchangesKeepsConstraints(t *testing.T) {
	edges := constraints(rand.New(rand.NewPCG(1, 23)), 300, 900, 30)
	x, err := minimise(300, edges, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := costOf(x, edges); !ok {
		t.Error("a constraint is broken")
	}
}

func TestSimplexRefusesCircles(t *testing.T) {
	if _, err := minimise(2, []constraint{{from: 0, to: 1}, {from: 1, to: 0}}, 10); !errors.Is(err, errCycle) {
		t.Errorf("two constraints against each other: %v", err)
	}
}
