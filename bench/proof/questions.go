package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"whet/internal/prove/benchmarks"
)

// question is what a trial asks.
type question string

const (
	same  question = "same"  // the same binary on both sides
	tree  question = "tree"  // the same source in another tree
	added question = "added" // the source and an unrelated function
	slow3 question = "slow3" // 3 % more work
	slow1 question = "slow1" // 1 % more work, margin 0.5 %

	// Of four benchmarks, as somebody asks who works on a package: margin 1 %.
	few   question = "few"   // the source and an unrelated function
	slow2 question = "slow2" // 2 % more work
)

// units returns how many an operation of the new side does.
func (q question) units() int {
	switch q {
	case slow3:
		return 103
	case slow2:
		return 102
	case slow1:
		return 101
	}
	return plainUnits
}

// identical reports whether the question is one of those that are asked for
// false verdicts, of which there are to be many comparisons in little time.
func (q question) identical() bool { return q == same || q == tree || q == added }

// planted reports whether the sides differ in their work.
func (q question) planted() bool { return q.units() != plainUnits }

// margin returns what a user would ask for who looks for so small a change.
func (q question) margin() float64 {
	switch q {
	case slow1:
		return 0.005
	case few, slow2:
		return 0.01
	}
	return 0.02
}

// kinds are the benchmarks of the mix; each is there in two sizes.
var kinds = []string{"Arithmetic", "Memory", "Map", "Allocation", "Sort", "Text", "Parallel", "Syscall"}

const sizes = 2

// larger is the pattern of what go test is asked, too: a run of it takes more
// than a second.
const larger = "./^large$"

// pattern returns what -bench is set to: all benchmarks, or, for 3 %, one size of
// each kind, for four benchmarks one size of four kinds, and for so small a
// slowdown as 1 % both sizes of one kind, drawn by lot: nobody has the time to
// look for it in everything.
func (c cell) pattern(rng *rand.Rand) string {
	switch {
	case c.blocks:
		return larger
	case c.question == slow3:
		return "./^" + []string{"small", "large"}[rng.IntN(sizes)] + "$"
	case c.question == few, c.question == slow2:
		var four []string
		for _, k := range rng.Perm(len(kinds))[:4] {
			four = append(four, kinds[k])
		}
		return "^Benchmark(" + strings.Join(four, "|") + ")$/^" + []string{"small", "large"}[rng.IntN(sizes)] + "$"
	case c.question == slow1:
		return "^Benchmark" + kinds[rng.IntN(len(kinds))] + "$"
	}
	return "."
}

// budget of one proof and the rounds it is asked for, 0 for what the budget
// allows. For planted slowdowns they are prove's defaults: with eight
// benchmarks less than what go test would need for twenty runs of a second a
// side. For what is identical the rounds are fixed at a few more than
// any verdict needs, and the budget leaves room for them on a busy machine; a
// proof that had fewer all the same is not counted.
func (q question) budget() (d time.Duration, rounds int) {
	if q.identical() {
		return 2 * time.Minute, 17
	}
	o := benchmarks.DefaultOptions()
	return o.Budget, o.Rounds
}

// cell is a number of trials of one kind.
type cell struct {
	question question
	blocks   bool // ask go test and benchstat, too
	trials   int
}

// longest is about what a trial takes: builds and tests come on top of the
// budget, and go test needs some 13 s for ten runs of a second and finding
// their iterations, for each side of eight benchmarks.
func (c cell) longest() time.Duration {
	d, _ := c.question.budget()
	d += 20 * time.Second
	if c.blocks {
		d += 4 * time.Minute
	}
	return d
}

// cells returns the suite in full. With sixteen benchmarks each, a third of the
// identical sides is 176 comparisons, so that a proof which had too few rounds
// may be missing; longest has what each takes.
func cells() []cell {
	return []cell{
		{same, false, 10}, {tree, false, 11}, {added, false, 11},
		{slow3, false, 13}, {slow1, false, 25}, {few, false, 12}, {slow2, false, 12},
		{same, true, 1}, {added, true, 1}, {slow3, true, 2},
	}
}

// left returns how long what is missing of cells takes, at most.
func left(cells []cell, trials []Trial) (d time.Duration) {
	for _, c := range cells {
		d += time.Duration(max(c.trials-c.done(trials), 0)) * c.longest()
	}
	return d
}

// done returns the number of trials of a cell that are kept.
func (c cell) done(trials []Trial) (n int) {
	for _, t := range trials {
		if t.Question == c.question && (t.Blocks != nil) == c.blocks {
			n++
		}
	}
	return n
}

// only are the values of -only.
var only = []string{"identical", "slow3", "slow2", "slow1", "few", "blocks", "coverage"}

// chosen returns the cells that -only names; "" is all.
func chosen(name string) ([]cell, error) {
	var out []cell
	for _, c := range cells() {
		switch {
		case name == "",
			name == "blocks" && c.blocks,
			name == "identical" && c.question.identical() && !c.blocks,
			name == string(c.question) && !c.blocks && !c.question.identical():
			out = append(out, c)
		}
	}
	if len(out) == 0 && name != "coverage" {
		return nil, fmt.Errorf("-only %s: there are %v", name, only)
	}
	return out, nil
}

// next returns the cell of which the smallest share is done, and whether that
// trial has other load: every second one does. ok is false when all are done.
func next(cells []cell, trials []Trial) (c cell, loaded, ok bool) {
	least := 1.0
	for _, one := range cells {
		done := one.done(trials)
		if share := float64(done) / float64(one.trials); share < least {
			least, c, loaded, ok = share, one, done%2 == 1, true
		}
	}
	return c, loaded, ok
}
