package tables

import (
	"cmp"
	"math"
	"slices"
)

// sort puts the rows into the order asked for; equal ones keep the
// projection's.
func (t *Table) sort(o Options) {
	var less func(a, b *Row) int
	switch o.Sort {
	case ByName:
		less = func(a, b *Row) int { return cmp.Compare(a.Name, b.Name) }
	case ByDelta:
		less = func(a, b *Row) int { return cmp.Compare(t.gain(a), t.gain(b)) }
	default:
		if o.Reverse {
			slices.Reverse(t.Rows)
		}
		return
	}
	slices.SortStableFunc(t.Rows, func(a, b Row) int {
		if o.Reverse {
			return less(&b, &a)
		}
		return less(&a, &b)
	})
}

// gain returns how much better a row became, in its first column that is compared:
// below 0 for worse, 0 for a difference that is none. Of a unit whose
// direction nobody declared, less counts as better, as in old benchstat.
func (t *Table) gain(r *Row) float64 {
	for _, cell := range r.Cells {
		if cell == nil || cell.Comparison == nil {
			continue
		}
		c := cell.Comparison
		if c.Verdict == Undecided || c.Verdict == Equal {
			return 0
		}
		size := math.Abs(c.Delta())
		if c.Center > c.Base != (t.Direction == Higher) {
			return -size
		}
		return size
	}
	return 0
}
