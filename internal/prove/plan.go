package prove

import (
	"fmt"
	"math/rand/v2"
	"time"

	"whet/internal/quantity"
)

// Slice lengths that are tried, longest first: a long slice averages more of
// the collector's cycles, and shorter ones allow more rounds.
var sliceLengths = [...]time.Duration{100 * time.Millisecond, 50 * time.Millisecond, 20 * time.Millisecond}

// longestSide bounds the slice of the slower side, as a multiple of the slice
// length, where the iterations are chosen for the faster one.
const longestSide = 3

// cost is what one benchmark takes on this machine.
type cost struct {
	oldNs, newNs float64       // per operation
	overhead     time.Duration // of one process: its start, the benchmark's set-up, its first iteration
}

// plan is fixed before the first round.
type plan struct {
	rounds     int
	slice      time.Duration
	iterations []int64 // of each benchmark, on both sides
}

// makePlan chooses the slice length and the number of rounds. It takes the
// longest slice that leaves room for enough rounds within the budget, twice
// as many as any verdict needs; with fewer, a single disturbed round
// decides the interval. When there is no such slice it takes the shortest.
// fixed is the number of rounds the user asked for, 0 for none.
func makePlan(costs []cost, budget time.Duration, needed, fixed int) plan {
	enough := max(min(2*needed, MaxRounds), needed)
	if fixed > 0 {
		enough = fixed
	}
	var p plan
	for _, length := range sliceLengths {
		p = plan{slice: length, iterations: make([]int64, len(costs))}
		var round time.Duration
		for i, c := range costs {
			p.iterations[i] = iterations(c, length)
			round += c.round(p.iterations[i])
		}
		p.rounds = int(budget / max(round, time.Microsecond))
		if p.rounds >= enough {
			break
		}
	}
	switch {
	case fixed > 0:
		p.rounds = fixed
	default:
		p.rounds = min(max(p.rounds, 1), max(MaxRounds, needed))
	}
	return p
}

// iterations is the number that both sides run: enough for the slower side to
// fill the slice, and more where the faster one would be too short to time, as
// long as the slower stays within longestSide slices.
func iterations(c cost, slice time.Duration) int64 {
	slow, fast := max(c.oldNs, c.newNs, minNs), max(min(c.oldNs, c.newNs), minNs)
	n := max(float64(slice)/slow, min(float64(slice)/2/fast, longestSide*float64(slice)/slow))
	return int64(min(max(n, 1), maxIterations))
}

const (
	minNs = 0.01 // per operation: what is optimised away altogether is no faster than this
	// Largest b.N: the testing package's own bound.
	maxIterations = 1e9
)

// round is the time one round of a benchmark takes: old twice and new once.
func (c cost) round(n int64) time.Duration {
	return 3*c.overhead + time.Duration(float64(n)*(2*c.oldNs+c.newNs))
}

func (p plan) describe(benchmarks int) string {
	return fmt.Sprintf("%s, %d rounds of 3 slices each (old, new, old again), about %v a slice", quantity.Plural(benchmarks, "benchmark"), p.rounds, p.slice)
}

// A slot is one slice of a round.
type slot int

const (
	slotOld slot = iota
	slotNew
	slotAgain
)

// side is the program that a slot runs.
func (s slot) side() side {
	if s == slotNew {
		return sideNew
	}
	return sideOld
}

// turn is one benchmark's part of a round.
type turn struct {
	benchmark int
	slots     [3]slot
}

// order draws the order of a round: of the n benchmarks, and of the three
// slices of each. It depends on the seed and the round's number alone.
func order(seed uint64, round, n int) []turn {
	rng := rand.New(rand.NewPCG(seed, uint64(round)))
	turns := make([]turn, n)
	for i, b := range rng.Perm(n) {
		turns[i] = turn{benchmark: b, slots: [3]slot{slotOld, slotNew, slotAgain}}
		rng.Shuffle(3, func(j, k int) { turns[i].slots[j], turns[i].slots[k] = turns[i].slots[k], turns[i].slots[j] })
	}
	return turns
}
