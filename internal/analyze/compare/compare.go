package compare

import (
	"fmt"
	"math"

	"whet/internal/quantity"
	"whet/internal/stat"
)

// Metrics, as go test prints their units.
const (
	Time   = "ns/op"
	Bytes  = "B/op"
	Allocs = "allocs/op"
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

// Slice is one process that ran one benchmark.
type Slice struct {
	NsPerOp     float64
	BytesPerOp  *float64 // nil: not reported
	AllocsPerOp *float64
}

// Round is one turn: old, old again and new, in an order drawn by lot.
type Round struct {
	Old, Again, New Slice
}

// Series are the rounds of one benchmark.
type Series struct {
	Package    string // import path
	Name       string // "BenchmarkX/sub=1"
	Iterations int64  // of every slice, on both sides
	Rounds     []Round
	// Invalid is why no verdict may be given whatever the figures, "" when
	// nothing stands against one.
	Invalid string
}

// Options of the comparison.
type Options struct {
	Alpha  float64 // chance that any interval of the run misses the truth
	Margin float64 // a ratio nearer to 1 than this hardly matters
}

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
	Exact  bool `json:"exact"`
	Rounds int  `json:"rounds"`
	// NoiseRatio is the half-width of the 95 % interval of old against itself;
	// nil with fewer rounds than that interval needs.
	NoiseRatio *float64 `json:"noise_ratio"`
	// Old and New are medians over the rounds, in the metric's unit.
	Old        float64 `json:"old"`
	New        float64 `json:"new"`
	Iterations int64   `json:"iterations"`
	// Medians of allocs/op; nil: not reported.
	AllocsOld *float64 `json:"allocs_old"`
	AllocsNew *float64 `json:"allocs_new"`
}

// metrics is the number of rows a benchmark may have.
const metrics = 3

// Confidence is that of each interval, when m benchmarks are compared: every
// row has its share of alpha. Which counts will vary, and so be sampled like
// times, is not known before they are measured; each row has its share whether
// it is needed or not, so that the family does not depend on the data.
func (o Options) Confidence(m int) float64 {
	return stat.BonferroniConfidence(o.Alpha, metrics*max(m, 1))
}

// RoundsNeeded is the number of rounds without which no verdict on time is
// possible, when m benchmarks are compared.
func (o Options) RoundsNeeded(m int) int { return stat.MedianValues(o.Confidence(m)) }

// FewestRounds is the number of rounds without which there is no verdict at
// all, not even on counts that never vary, when m benchmarks are compared.
func (o Options) FewestRounds(m int) int {
	for n := 1; n < o.RoundsNeeded(m); n++ {
		if exactCoverage(n) >= o.Confidence(m) {
			return n
		}
	}
	return o.RoundsNeeded(m)
}

// Compare judges every series. Series without a round have no row. Planned is
// the number of benchmarks that were to be compared: the confidence of each
// interval does not depend on how many came to it.
func Compare(series []Series, planned int, o Options) []Row {
	c := comparison{o: o, confidence: o.Confidence(max(planned, len(series)))}
	var rows []Row
	for i := range series {
		if len(series[i].Rounds) > 0 {
			rows = append(rows, c.rows(&series[i])...)
		}
	}
	return rows
}

type comparison struct {
	o          Options
	confidence float64
}

func (c *comparison) rows(s *Series) []Row {
	rows := [metrics]Row{
		c.row(s, Time, func(s *Slice) *float64 { return &s.NsPerOp }),
		c.row(s, Bytes, func(s *Slice) *float64 { return s.BytesPerOp }),
		c.row(s, Allocs, func(s *Slice) *float64 { return s.AllocsPerOp }),
	}
	c.settle(&rows[1], &rows[2])
	allocs := rows[2]
	var kept []Row
	for _, r := range rows {
		if r.Rounds == 0 {
			continue
		}
		r.WithinMargin = c.within(r.RatioLow, r.RatioHigh) && r.Coverage >= c.confidence
		if s.Invalid != "" {
			r.Verdict, r.Reason = CannotTell, s.Invalid
		}
		if allocs.Rounds > 0 {
			r.AllocsOld, r.AllocsNew = &allocs.Old, &allocs.New
		}
		kept = append(kept, r)
	}
	return kept
}

// columns are the values of one metric over the rounds that have it on all
// three slices.
func columns(s *Series, value func(*Slice) *float64) (old, again, new []float64) {
	for i := range s.Rounds {
		r := &s.Rounds[i]
		a, b, c := value(&r.Old), value(&r.Again), value(&r.New)
		if a == nil || b == nil || c == nil || !valid(*a) || !valid(*b) || !valid(*c) {
			continue
		}
		old, again, new = append(old, *a), append(again, *b), append(new, *c)
	}
	return old, again, new
}

func valid(v float64) bool { return v >= 0 && !math.IsInf(v, 1) }

func (c *comparison) row(s *Series, metric string, value func(*Slice) *float64) Row {
	old, again, new := columns(s, value)
	r := Row{Package: s.Package, Name: s.Name, Metric: metric, Iterations: s.Iterations, Rounds: len(old)}
	if len(old) == 0 {
		return r
	}
	r.Old, r.New = stat.Median(old), stat.Median(new)
	if metric != Time && constant(old, again) && constant(new, nil) {
		c.exact(&r)
	} else {
		c.interval(&r, old, again, new)
	}
	return r
}

// interval judges what varies.
func (c *comparison) interval(r *Row, old, again, new []float64) {
	iv, self := c.sampled(r.Metric, old, new), c.sampled(r.Metric, old, again)
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
