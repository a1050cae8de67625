package compare

import (
	"cmp"
	"math"
	"slices"

	"whet/internal/stat"
)

// Two families of tests run side by side, each with an error of its own over the
// whole run: "the sides are equal" with Options.Alpha, and "the sides differ by the
// margin or more" with NoChangeAlpha, one of each for every row. Within a family with the
// error e Holm's procedure runs on the sequential p-values: with m hypotheses, sorted
// by p, the j-th is rejected if it and all before it are below e/(m−j+1). A sequential
// p-value can only fall as looks are added, so that what is rejected once stays rejected.
//
// A row is tested at one look k at the level of its own step, l = e·w(k)/(m−j+1) for one
// that is rejected at step j, and the step after the last, e·w(k)/(m−r), for the others
// when r are. Its interval has the level l in the first family, whose test has two
// sides, and 2l in the other, whose two tests have one side each. So the interval of a row
// that is called different excludes 1, being at the level that its test passed,
// and that of a row which is not holds 1 at every look, as no look passed the
// level of step r+1. The same goes for the margin in the other family. Where a
// row is open in both families, the wider of the two intervals holds 1 and
// reaches beyond the margin at once, and is shown. Where it lies within the
// margin and no difference was found, its level in that family may be so much
// larger than in the other that the interval excludes 1 by itself; it is
// stretched to 1 then, as nothing says that 1 is wrong.
//
// Each interval by itself holds the true ratio with at least 1 − alpha, and that of a row
// without a change with 1 − 2·NoChangeAlpha, summed over the looks: which look is shown, and
// at which step, is chosen by the figures. That all of them do together is not promised: Holm's
// procedure buys its power with exactly that (K. Strassburger and F. Bretz,
// Statistics in Medicine 27 (2008), 4914–4927). What is promised of all
// together is that nothing equal is called different, and that nothing that
// differs by the margin is called unchanged, each but for its error.

// claim is what a family of tests says of one row.
type claim struct {
	alpha      float64   // of the family
	widths     float64   // level of its interval, in levels of its test: 1 of a test of two sides, 2 of one side
	p, weights []float64 // by look
	divisor    float64   // of alpha: m − j + 1 at step j; that of the step after the last where it is not rejected
	stage      int       // look of the run at which it was rejected, from 1; 0: it was not
	by         int       // the row's own look, from 0, that passed then
	holm       float64   // adjusted p-value
}

func (c *claim) add(p float64, f *figures) {
	if f.exact || f.below {
		p = 1
	}
	c.p, c.weights = append(c.p, p), append(c.weights, f.weight)
}

func (c *claim) sequential() float64 { return stat.SequentialP(c.p, c.weights) }

// level returns the level of the test of a look.
func (c *claim) level(look int) float64 { return c.alpha * c.weights[look] / c.divisor }

// interval returns the level of the interval of a look.
func (c *claim) interval(look int) float64 { return c.level(look) * c.widths }

// families returns the claims of all rows.
func (j *judge) families() [2][]*claim {
	var out [2][]*claim
	for i := range j.rows {
		out[0], out[1] = append(out[0], &j.rows[i].different), append(out[1], &j.rows[i].same)
	}
	return out
}

// test runs Holm's procedure on a family, look after look, so that it is known
// which rejection came first.
func (j *judge) test(family []*claim) {
	stages := 1
	for _, c := range family {
		stages = max(stages, len(c.p))
	}
	for stage := 1; stage <= stages; stage++ {
		j.holm(family, stage)
	}
	adjusted := make([]float64, j.m) // hypotheses without a row have p = 1
	for i := range adjusted {
		adjusted[i] = 1
		if i < len(family) {
			adjusted[i] = family[i].sequential()
		}
	}
	for i, p := range stat.Holm(adjusted)[:len(family)] {
		family[i].holm = p
	}
}

// holm is one run of the procedure, on the looks up to a stage. The p-values
// of the looks are held against their levels themselves, and not the sequential
// ones against alpha/(m−j+1): so the rounding of a division cannot come between
// a test and its interval.
func (j *judge) holm(family []*claim, stage int) {
	upTo := func(c *claim) int { return min(stage, len(c.p)) }
	order := slices.Clone(family)
	slices.SortStableFunc(order, func(a, b *claim) int {
		return cmp.Compare(stat.SequentialP(a.p[:upTo(a)], a.weights), stat.SequentialP(b.p[:upTo(b)], b.weights))
	})
	rejecting := true
	divisor := float64(j.m)
	for _, c := range order {
		c.divisor = divisor
		by := c.latest(upTo(c))
		if rejecting = rejecting && by >= 0; !rejecting {
			continue
		}
		if c.stage == 0 {
			c.stage, c.by = stage, by
		}
		divisor--
	}
}

// latest returns the last of the first looks that is below its level, −1 for none.
func (c *claim) latest(looks int) int {
	k := looks - 1
	for k >= 0 && !c.passes(k) {
		k--
	}
	return k
}

func (c *claim) passes(look int) bool { return c.p[look] <= c.level(look) }

// verdict is the result for a row, with the look and the interval that decided it.
type verdict struct {
	Verdict
	look      int     // from 1; 0: there was none
	low, high float64 // of the logarithm of the ratio
	level     float64
}

// verdict puts both families together. Who came first decides: a verdict is
// never withdrawn. Both at one look is "no change", of a difference that is
// there and lies within the margin.
func (j *judge) verdict(s *comparison) verdict {
	if v, ok := s.exactVerdict(); ok {
		return v
	}
	d, n := s.different.stage, s.same.stage
	switch {
	case len(s.at) == 0 || s.at[len(s.at)-1].rounds == 0:
		return verdict{Verdict: CannotTell, low: math.Inf(-1), high: math.Inf(1)}
	case d > 0 && (n == 0 || d < n):
		return j.changed(s)
	case n > 0:
		return j.unchanged(s)
	}
	last := len(s.at) - 1
	v := verdict{Verdict: CannotTell, look: last + 1, level: min(s.different.interval(last), s.same.interval(last))}
	v.low, v.high = s.at[last].bounds(v.level)
	return v
}

// changed shows the latest look at which the interval excludes 1 on the side
// that the first rejection had it.
func (j *judge) changed(s *comparison) verdict {
	c := &s.different
	faster := s.at[c.by].faster()
	k := len(s.at) - 1
	for k > c.by && !(c.passes(k) && s.at[k].faster() == faster) {
		k--
	}
	v := verdict{Verdict: Slower, look: k + 1, level: c.interval(k)}
	v.low, v.high = s.at[k].bounds(v.level)
	if faster {
		v.Verdict = Faster
	}
	return v
}

// unchanged shows the latest look at which the interval lies within the margin.
// Where a difference was found as well, the narrower of both intervals lies
// within the margin too and excludes 1 if that look found the difference.
func (j *judge) unchanged(s *comparison) verdict {
	k := max(s.same.latest(len(s.at)), s.same.by)
	v := verdict{Verdict: NoChange, look: k + 1, level: s.same.interval(k)}
	if s.different.stage > 0 {
		v.level = max(v.level, s.different.interval(k))
	}
	v.low, v.high = s.at[k].bounds(v.level)
	if s.different.stage == 0 {
		v.low, v.high = min(v.low, 0), max(v.high, 0)
	}
	return v
}
