package tables

import (
	"fmt"
	"math"
	"strconv"

	"whet/internal/stat"
)

// decide reads all tests of the run together and gives the verdicts.
func (r *Result) decide() {
	var family []*Comparison
	var p []float64
	for t := range r.Tables {
		for _, row := range r.Tables[t].Rows {
			for _, cell := range row.Cells {
				switch {
				case cell == nil || cell.Comparison == nil || cell.Comparison.Exact:
				case cell.Comparison.Constant:
					r.Constant++
				default:
					family = append(family, cell.Comparison)
					p = append(p, min(cell.Comparison.P, 1))
				}
			}
		}
	}
	r.Comparisons = len(family)
	for i, adjusted := range stat.Holm(p) {
		family[i].PHolm = adjusted
		// One comparison is read alone whatever the method: nothing changes.
		if r.Options.Adjust == Holm && len(family) > 1 {
			family[i].decideBy(adjusted, len(family))
		}
	}
	for t := range r.Tables {
		table := &r.Tables[t]
		for _, row := range table.Rows {
			for _, cell := range row.Cells {
				if cell != nil && cell.Comparison != nil {
					cell.Comparison.judge(table.Direction, r.Options.Margin)
				}
			}
		}
	}
}

// decideBy lets a p-value, that of one test among m, decide. How many samples a
// difference needs to be seen depends on m too: benchmath's answer, for one
// test alone, would send the user to measure too little.
func (c *Comparison) decideBy(p float64, m int) {
	c.Test.P = p
	c.Warnings = nil
	if p <= c.Test.Alpha || smallest(c.Test.N1, c.Test.N2)*float64(m) <= c.Test.Alpha {
		return
	}
	warning := fmt.Sprintf("need %s samples to detect a difference at alpha level %v", needed(c.Test.Alpha/float64(m)), c.Test.Alpha)
	if m > 1 {
		warning += fmt.Sprintf(" among %d comparisons", m)
	}
	c.Warnings = []string{warning}
}

// smallest returns the least p-value of the U-test: two of all the ways to divide
// n1+n2 values without ties, those that leave all of a side below the other,
// 2/C(n1+n2, n1).
func smallest(n1, n2 int) float64 {
	p := 2.0
	for i := 1; i <= min(n1, n2); i++ {
		p *= float64(i) / float64(max(n1, n2)+i)
	}
	return min(p, 1)
}

// manySamples ends the search for how many are needed.
const manySamples = 50

func needed(alpha float64) string {
	for n := 2; n <= manySamples; n++ {
		if smallest(n, n) <= alpha {
			return ">= " + strconv.Itoa(n)
		}
	}
	return "> " + strconv.Itoa(manySamples)
}

// judge gives the verdict.
func (c *Comparison) judge(d Direction, margin float64) {
	switch {
	case c.Test.P > c.Test.Alpha:
		c.Verdict = Undecided
		return
	case c.Base == c.Center && c.Exact:
		c.Verdict = Equal
		return
	case c.Base == c.Center:
		// The samples differ and their medians don't.
		c.Verdict = Different
	case d == Unknown:
		c.Verdict = Different
	case (c.Center > c.Base) == (d == Higher):
		c.Verdict = Better
	default:
		c.Verdict = Worse
	}
	if c.Within = math.Abs(c.Delta()) < margin; c.Within {
		c.Warnings = append(c.Warnings, fmt.Sprintf("within the margin of %s%%", strconv.FormatFloat(margin*100, 'g', -1, 64)))
	}
}

// Slower is a comparison that a gate stops at.
type Slower struct {
	Table *Table
	Row   *Row
	Col   int
	*Comparison
}

// Gate finds the units that became worse by at least a share of the first column's
// value, except differences within the margin. It considers time and allocations per
// operation, and units with a declared direction. Checked is the number of comparisons
// that could have failed: those that samples of their size can decide at all.
func (r *Result) Gate(least float64) (slower []Slower, checked int) {
	for i := range r.Tables {
		t := &r.Tables[i]
		if t.Unit != "sec/op" && t.Unit != "allocs/op" && !t.Declared || t.Direction == Unknown {
			continue
		}
		for j := range t.Rows {
			for col, cell := range t.Rows[j].Cells {
				if cell == nil || cell.Comparison == nil {
					continue
				}
				c := cell.Comparison
				if r.decidable(c) {
					checked++
				}
				if c.Verdict == Worse && !c.Within && math.Abs(c.Delta()) >= least {
					slower = append(slower, Slower{t, &t.Rows[j], col, c})
				}
			}
		}
	}
	return slower, checked
}

// decidable reports whether a comparison could have come out as significant.
func (r *Result) decidable(c *Comparison) bool {
	m := 1
	if r.Options.Adjust == Holm {
		m = max(r.Comparisons, 1)
	}
	return c.Exact || smallest(c.Test.N1, c.Test.N2)*float64(m) <= c.Test.Alpha || c.Verdict == Better || c.Verdict == Worse
}
