package compare

import (
	"fmt"
	"math"

	"whet/internal/quantity"
	"whet/internal/stat"
)

// MaxRatio bounds every ratio: from something to nothing is MaxRatio, from
// nothing to something its reciprocal, and from nothing to nothing 1.
const MaxRatio = 1e6

// NoiseConfidence is the confidence of the interval of old against itself
// whose half-width is the noise.
const NoiseConfidence = 0.95

// Verdict is what is said of one metric of one benchmark.
type Verdict string

// The verdicts. They are words for times and counts alike: fewer allocations
// are "faster".
const (
	Faster     Verdict = "faster"
	Slower     Verdict = "slower"
	NoChange   Verdict = "no change"
	CannotTell Verdict = "cannot tell"
)

// Row is one metric of one benchmark.
type Row struct {
	Package string  `json:"package"`
	Name    string  `json:"name"`
	Metric  string  `json:"metric"`
	Verdict Verdict `json:"verdict"`
	// Reason says why there is no verdict; "" when there is one.
	Reason       string `json:"reason,omitempty"`
	WithinMargin bool   `json:"within_margin"`
	// Ratio is old divided by new; RatioLow and RatioHigh hold the true one with
	// probability Coverage. Coverage is below what was wanted where there were
	// too few rounds. The bounds of a count allow for its rounding (see counts.go).
	Ratio     float64 `json:"ratio"`
	RatioLow  float64 `json:"ratio_low"`
	RatioHigh float64 `json:"ratio_high"`
	Coverage  float64 `json:"coverage"`
	// Exact: each side showed one value in every round. It says nothing of the
	// fraction that package testing cuts off.
	Exact bool `json:"exact"`
	// Gates: the row decides the exit code.
	Gates bool `json:"gates"`
	// PValue is the sequential one, valid whenever it is read; PHolm is adjusted
	// to all rows of the run. Both are 1 while there was no look.
	PValue float64 `json:"p_value"`
	PHolm  float64 `json:"p_holm"`
	// ConfidenceRatio is that of the interval.
	ConfidenceRatio float64 `json:"confidence_ratio"`
	// Look is the one that the figures are of, from 1; 0: none yet. Looks is how
	// many the plan has.
	Look  int `json:"look"`
	Looks int `json:"looks"`
	// Rounds that the figures are of, those of earlier runs included.
	Rounds        int `json:"rounds"`
	RoundsEarlier int `json:"rounds_earlier"`
	// Needed is what a verdict would take; nil where there is one, or where
	// nothing can be said.
	Needed *Needed `json:"needed,omitempty"`
	// NoiseRatio is the half-width of the 95 % interval of old against itself;
	// nil with fewer rounds than that interval needs.
	NoiseRatio  *float64 `json:"noise_ratio"`
	NoiseRounds int      `json:"noise_rounds"`
	// Old and New are medians over the rounds, in the metric's unit.
	Old        float64 `json:"old"`
	New        float64 `json:"new"`
	Iterations int64   `json:"iterations"`
	// Medians of allocs/op; nil: not reported.
	AllocsOld *float64 `json:"allocs_old"`
	AllocsNew *float64 `json:"allocs_new"`
}

// Needed is what a verdict would take.
type Needed struct {
	Rounds int   `json:"rounds"` // in all
	Ns     int64 `json:"ns"`     // to measure as many of this benchmark alone; 0: unknown
}

// Judge gives every metric of every series its row, in their order. Metrics
// without a round have none.
func Judge(series []Series, o Options) []Row {
	m := 0
	for i := range series {
		m += len(series[i].Metrics)
	}
	c := comparison{o: o, confidence: stat.BonferroniConfidence(o.Alpha, max(m, o.Hypotheses, 1))}
	var rows []Row
	for i := range series {
		if len(series[i].Rounds) > 0 {
			rows = append(rows, c.rows(&series[i])...)
		}
	}
	return rows
}

// Decided reports whether every gating row of a benchmark has a verdict.
func Decided(rows []Row, pkg, name string) bool {
	any := false
	for i := range rows {
		if r := &rows[i]; r.Package == pkg && r.Name == name && r.Gates {
			any = true
			if r.Verdict == CannotTell {
				return false
			}
		}
	}
	return any
}

// Looks are the rounds of a plan after which the figures are judged.
func Looks(planned, hypotheses int, alpha float64) []int { return []int{planned} }

// FewestRounds is the number of rounds without which no verdict on what varies
// is possible.
func FewestRounds(hypotheses int, alpha float64) int {
	return stat.MedianValues(stat.BonferroniConfidence(alpha, max(hypotheses, 1)))
}

type comparison struct {
	o          Options
	confidence float64
}

func (c *comparison) rows(s *Series) []Row {
	var rows []Row
	bytes, allocs := -1, -1
	for _, m := range s.Metrics {
		r := c.row(s, m)
		if r.Rounds == 0 {
			continue
		}
		switch m.Unit {
		case BytesPerOp:
			bytes = len(rows)
		case AllocsPerOp:
			allocs = len(rows)
		}
		rows = append(rows, r)
	}
	var none Row
	b, a := &none, &none
	if bytes >= 0 {
		b = &rows[bytes]
	}
	if allocs >= 0 {
		a = &rows[allocs]
	}
	c.settle(b, a)
	for i := range rows {
		r := &rows[i]
		r.WithinMargin = c.within(r.RatioLow, r.RatioHigh) && r.Coverage >= c.confidence
		if s.Invalid != "" {
			r.Verdict, r.Reason = CannotTell, s.Invalid
		}
		if allocs >= 0 {
			r.AllocsOld, r.AllocsNew = &a.Old, &a.New
		}
	}
	return rows
}

// columns are the values of one metric over the rounds that have it on all
// three slices.
func columns(s *Series, unit string) (old, again, new []float64) {
	for i := range s.Rounds {
		r := &s.Rounds[i]
		a, ok := r.Old[unit]
		b, ok2 := r.Again[unit]
		c, ok3 := r.New[unit]
		if !ok || !ok2 || !ok3 || !valid(a) || !valid(b) || !valid(c) {
			continue
		}
		old, again, new = append(old, a), append(again, b), append(new, c)
	}
	return old, again, new
}

func valid(v float64) bool { return v >= 0 && !math.IsInf(v, 1) }

func (c *comparison) row(s *Series, m Metric) Row {
	old, again, new := columns(s, m.Unit)
	r := Row{Package: s.Package, Name: s.Name, Metric: m.Unit, Gates: m.Gates, Iterations: s.Iterations, Rounds: len(old)}
	if len(old) == 0 {
		return r
	}
	r.Old, r.New = stat.Median(old), stat.Median(new)
	if m.Kind == Count && constant(old, again) && constant(new, nil) {
		c.exact(&r)
	} else {
		c.interval(&r, m, old, again, new)
	}
	return r
}

// interval judges what varies.
func (c *comparison) interval(r *Row, m Metric, old, again, new []float64) {
	iv, self := c.sampled(m, old, new), c.sampled(m, old, again)
	r.Ratio, r.RatioLow, r.RatioHigh, r.Coverage = iv.Center, iv.Low, iv.High, iv.Coverage
	if n := logInterval(ratios(old, again), NoiseConfidence); n.Coverage >= NoiseConfidence {
		half := (n.High - n.Low) / 2
		r.NoiseRatio = &half
	}
	enough := r.Coverage >= c.confidence
	switch {
	case !enough:
		need := stat.MedianValues(c.confidence)
		r.Verdict, r.Reason = CannotTell, fmt.Sprintf("%s, and %d are needed at this confidence", rounds(r.Rounds), need)
	case self.Low > 1 || self.High < 1:
		r.Verdict = CannotTell
		r.Reason = fmt.Sprintf("old measured against itself differs, %s to %s: something disturbs this machine", quantity.Ratio(self.Low), quantity.Ratio(self.High))
	default:
		if r.Verdict = c.judge(r); r.Verdict == CannotTell {
			r.Reason = fmt.Sprintf("the interval holds 1 and is wider than the margin of %s", quantity.Percent(c.o.Margin))
		}
	}
}

// judge reads the verdict off a row's interval alone.
func (c *comparison) judge(r *Row) Verdict {
	switch {
	case r.RatioLow > 1:
		return Faster
	case r.RatioHigh < 1:
		return Slower
	case c.within(r.RatioLow, r.RatioHigh):
		return NoChange
	}
	return CannotTell
}

func (c *comparison) within(low, high float64) bool {
	return low >= 1/(1+c.o.Margin) && high <= 1+c.o.Margin
}

// Ratio is old/new within [1/MaxRatio, MaxRatio].
func Ratio(old, new float64) float64 {
	switch {
	case old == new:
		return 1
	case new == 0:
		return MaxRatio
	case old == 0:
		return 1 / MaxRatio
	}
	return min(max(old/new, 1/MaxRatio), MaxRatio)
}

func ratios(old, new []float64) []float64 {
	out := make([]float64, len(old))
	for i := range old {
		out[i] = Ratio(old[i], new[i])
	}
	return out
}

// logInterval is the median of positive ratios on the logarithmic scale, with
// its interval.
func logInterval(ratios []float64, confidence float64) stat.Interval {
	ones := make([]float64, len(ratios))
	for i := range ones {
		ones[i] = 1
	}
	return stat.RatioInterval(ratios, ones, confidence)
}

// constant reports whether all values of both slices are the same.
func constant(a, b []float64) bool {
	for _, values := range [][]float64{a, b} {
		for _, v := range values {
			if v != a[0] {
				return false
			}
		}
	}
	return true
}

func rounds(n int) string {
	if n == 1 {
		return "1 round"
	}
	return fmt.Sprintf("%d rounds", n)
}
