package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/prove/rounds"
)

// turns measure the rounds of a group. A round is two blocks, and a block one
// slice of everything that the group runs, in an order drawn by lot. Comparisons
// that share a stage share its slices, which a case whose first stage takes ten
// seconds could not do without.
//
// What the intervals suppose holds for each comparison by itself: exchange the
// names of its two stages, and each order of either block turns into another one
// that was as likely, as does the lot of which side is the doubled one. So the
// difference of two equal stages is as likely to be d as −d, whatever drifts;
// and Holm's procedure, which stands over the comparisons, asks nothing of how
// they depend on each other.
type turns struct {
	lab         lab
	comparisons []comparison
	runs        []target
	lot         *rand.Rand
	blocks      int

	have map[target][]compare.Slice // of this round
	used map[side]int               // slices that it had of them
}

// side is one of a comparison.
type side struct {
	subject int
	new     bool
}

// newTurns begins the first round with the slices that getting ready took, its
// first block, where there are any.
func newTurns(l lab, g *group, had map[target]compare.Slice, lot *rand.Rand) *turns {
	t := &turns{lab: l, comparisons: g.comparisons, runs: g.targets(), lot: lot, blocks: 2}
	t.clear()
	for r, s := range had {
		t.have[r] = append(t.have[r], s)
	}
	return t
}

// targets are all that the comparisons want, each once.
func (g *group) targets() []target {
	var all []target
	for i := range g.comparisons {
		for _, new := range []bool{false, true} {
			if r := g.comparisons[i].target(new); !slices.Contains(all, r) {
				all = append(all, r)
			}
		}
	}
	return all
}

func (t *turns) clear() { t.have, t.used = make(map[target][]compare.Slice), make(map[side]int) }

// takes is the time of a round.
func (t *turns) takes() (sum time.Duration) {
	for _, r := range t.runs {
		sum += time.Duration(t.blocks) * t.lab.takes(r)
	}
	return sum
}

// first is the time that the first round still takes.
func (t *turns) first() time.Duration {
	sum := t.takes()
	for r, s := range t.have {
		sum -= time.Duration(len(s)) * t.lab.takes(r)
	}
	return sum
}

// Prepare measures a round.
func (t *turns) Prepare(ctx context.Context, round int, _ uint64, _ []int) error {
	if round > 1 {
		t.clear()
	}
	for block := range t.blocks {
		for _, i := range t.lot.Perm(len(t.runs)) {
			r := t.runs[i]
			if len(t.have[r]) > block {
				continue
			}
			s, err := t.lab.slice(ctx, r)
			if err != nil {
				return err
			}
			t.have[r] = append(t.have[r], s)
		}
	}
	return nil
}

// Slice hands out what Prepare measured. Of a single pair the doubled side is
// the same slice once more, which changes no ratio; one round says nothing of
// noise.
func (t *turns) Slice(_ context.Context, q rounds.SliceRequest) (compare.Slice, error) {
	s := side{q.Benchmark, q.Side == compare.New}
	have := t.have[t.comparisons[s.subject].target(s.new)]
	if len(have) == 0 {
		return nil, fmt.Errorf("%s was not measured in round %d", t.comparisons[s.subject].name(), q.Round)
	}
	n := min(t.used[s], len(have)-1)
	t.used[s]++
	return have[n], nil
}
