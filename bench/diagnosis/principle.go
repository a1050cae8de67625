package main

import (
	"cmp"
	"fmt"
	"slices"

	"whet/bench/ledger"
)

// reach is how far a principle of waste goes in the corpus.
type reach struct {
	cases, programs int // speed-ups that follow it; of these programs and services
	known, third    int // of these measured, and of the third look
	right           causeScore
	rightThird      causeScore
}

func (r *reach) add(c *Case, row Row, measured bool, judged map[claimKey]string) {
	r.cases++
	if c.Kind != kindBenchmark {
		r.programs++
	}
	if !measured {
		return
	}
	r.known++
	r.right.add(c, &row, judged)
	if c.half() == halfThird {
		r.third++
		r.rightThird.add(c, &row, judged)
	}
}

// byPrinciple says of each principle of waste how many speed-ups follow it, and for how
// many of those that were measured the right cause stands among three claims.
func byPrinciple(all []Case, rows map[string]Row, judged map[claimKey]string) ledger.Table {
	of, sum := make(map[string]*reach), new(reach)
	for _, p := range principles {
		of[p] = new(reach)
	}
	for i := range all {
		c := &all[i]
		if c.Kind == kindTuned {
			continue
		}
		row, measured := rows[c.Name]
		of[c.Principle].add(c, row, measured, judged)
		sum.add(c, row, measured, judged)
	}
	t := ledger.Table{Head: []string{"principle", "speed-ups", "of these programs and services", "right cause among three claims", "of the third look"}}
	line := func(name string, r *reach) {
		t.Rows = append(t.Rows, []string{name, fmt.Sprint(r.cases), fmt.Sprint(r.programs), share(r.right.Cause, r.known), share(r.rightThird.Cause, r.third)})
	}
	for _, p := range slices.SortedStableFunc(slices.Values(principles), func(a, b string) int { return cmp.Compare(of[b].cases, of[a].cases) }) {
		line(p, of[p])
	}
	line("all", sum)
	return t
}
