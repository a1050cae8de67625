package compare

import (
	"encoding/json"
	"fmt"
	"math"

	"whet/internal/quantity"
	"whet/internal/stat"
)

// MaxRatio bounds every ratio: from something to nothing is MaxRatio, from
// nothing to something its reciprocal, and from nothing to nothing 1.
const MaxRatio = 1e6

// NoChangeAlpha returns the chance that anything of a run is called "no change" that differs
// by the margin or more, for an alpha of Options: 5 %, as Schuirmann's tests have by custom,
// or alpha where that is larger. A false alarm takes somebody's afternoon; what passes once
// for unchanged is measured again with the next change.
func NoChangeAlpha(alpha float64) float64 { return max(alpha, 0.05) }

// NoiseConfidence is the confidence of the interval of a side against itself
// whose half-width is the noise.
const NoiseConfidence = 0.95

// Verdict is the result for one metric of one benchmark.
type Verdict string

// The verdicts. They are words for times, counts and rates alike: fewer
// allocations are "faster", and so are more requests per second.
const (
	Faster     Verdict = "faster"
	Slower     Verdict = "slower"
	NoChange   Verdict = "no change"
	CannotTell Verdict = "cannot tell"

	// Of a unit of which nobody knows whether more or less is better.
	Higher Verdict = "higher"
	Lower  Verdict = "lower"
)

// Row is a metric of one benchmark.
type Row struct {
	Package string  `json:"package"`
	Name    string  `json:"name"`
	Metric  string  `json:"metric"`
	Better  string  `json:"better"` // "lower" or "higher"; "": nobody knows
	Verdict Verdict `json:"verdict"`
	// Reason is the reason that there is no verdict, or that there is one without a
	// measurement; otherwise "".
	Reason string `json:"reason,omitempty"`
	// WhyMeasured says of a benchmark why it was measured: the first difference found in
	// what it can reach, or why that is unknown, as a clause after "because"; "": nobody
	// asked, as with -aa.
	WhyMeasured string `json:"why_measured,omitempty"`
	// WithinMargin: the whole interval lies within the margin. Beside "no change"
	// with an interval that excludes 1 there is a difference that hardly matters.
	WithinMargin bool `json:"within_margin"`
	// Ratio is old divided by new, or new by old if higher is better: above 1 is
	// faster. RatioLow and RatioHigh enclose the true ratio with confidence
	// ConfidenceRatio; with too few rounds they are the bounds of every ratio. Coverage
	// is the actual confidence, because bounds can only be measured values. The bounds
	// of a count allow for its rounding (see counts.go).
	Ratio           float64 `json:"ratio"`
	RatioLow        float64 `json:"ratio_low"`
	RatioHigh       float64 `json:"ratio_high"`
	ConfidenceRatio float64 `json:"confidence_ratio"`
	Coverage        float64 `json:"coverage"`
	// PValue is the sequential one of "the sides are equal", valid whenever it is
	// read, and PHolm is it adjusted to all rows of the run.
	PValue float64 `json:"p_value"`
	PHolm  float64 `json:"p_holm"`
	// Exact reports that each side had one value in every round. It says nothing about
	// the fraction that package testing cuts off.
	Exact bool `json:"exact"`
	Gates bool `json:"gates"` // the row decides the exit code
	// Look is the one that the figures are of, from 1; 0: there was none yet. The
	// plan has Looks; a series that ended between two of them had its last there.
	Look  int `json:"look"`
	Looks int `json:"looks"`
	// Rounds that the figures are of; the earlier runs' are among them.
	Rounds        int `json:"rounds"`
	RoundsEarlier int `json:"rounds_earlier"`
	Turns         int `json:"turns"` // of these rounds: three slices each
	// NoiseRatio is the half-width of the 95 % interval of a side against itself,
	// from NoiseRounds rounds; nil with fewer than that interval needs.
	NoiseRatio  *float64 `json:"noise_ratio"`
	NoiseRounds int      `json:"noise_rounds"`
	// Old and New are medians over the rounds, in the metric's unit.
	Old        float64 `json:"old"`
	New        float64 `json:"new"`
	Iterations int64   `json:"iterations"`
	// Medians of allocs/op; nil: not reported.
	AllocsOld *float64 `json:"allocs_old"`
	AllocsNew *float64 `json:"allocs_new"`
	// Perhaps is the likely verdict if there is none and PHolm is below 0.05: more
	// rounds may bring it, or may not. Otherwise "".
	Perhaps Verdict `json:"perhaps,omitempty"`
	// Needed is the estimated effort of a verdict; nil if there is one, or if it is
	// unknown.
	Needed *Requirement `json:"needed,omitempty"`
}

// hint is the p-value below which a row without a verdict has a Perhaps: what
// is usually called significant where one thing is asked once. It decides nothing.
const hint = 0.05

// Reasons of a row that has a verdict without a measurement.
const (
	SameBinary = "same binary" // byte for byte
	SameCode   = "same code"   // all that the benchmark can reach is
)

// Unmeasured returns the row of a metric that was not measured, since both sides are
// the same thing: the reason is SameBinary or SameCode.
func Unmeasured(reason, pkg, name, unit string) Row {
	m := MetricOf(unit)
	return Row{Package: pkg, Name: name, Metric: unit, Better: m.Better().String(), Gates: m.Gates, Verdict: NoChange, Reason: reason}
}

// Measured reports whether the row has figures.
func (r *Row) Measured() bool {
	return r.Rounds > 0 || r.Reason != SameBinary && r.Reason != SameCode
}

// MarshalJSON writes null for the figures of a row that was not measured: unknown is
// not zero.
func (r Row) MarshalJSON() ([]byte, error) {
	type plain Row
	if r.Measured() {
		return json.Marshal(plain(r))
	}
	return json.Marshal(struct {
		plain
		Ratio           *float64 `json:"ratio"`
		RatioLow        *float64 `json:"ratio_low"`
		RatioHigh       *float64 `json:"ratio_high"`
		ConfidenceRatio *float64 `json:"confidence_ratio"`
		Coverage        *float64 `json:"coverage"`
		PValue          *float64 `json:"p_value"`
		PHolm           *float64 `json:"p_holm"`
		Old             *float64 `json:"old"`
		New             *float64 `json:"new"`
	}{plain: plain(r)})
}

// Judge gives every metric of every series its row, in their order. Metrics
// that no round has get none.
func Judge(series []Series, o Options) []Row {
	j := &judge{o: o, margin: math.Log1p(o.Margin), nulls: make(map[int]*stat.SignedRanks)}
	j.collect(series)
	j.m = max(o.Hypotheses, len(j.rows), 1)
	for i := range j.rows {
		j.count(&j.rows[i])
		j.rows[i].enterExact()
	}
	for _, family := range j.families() {
		j.test(family)
	}
	rows := make([]Row, len(j.rows))
	for i := range j.rows {
		rows[i] = j.row(&j.rows[i])
	}
	j.showAllocs(rows)
	return rows
}

// Decided reports whether a benchmark needs no further measurement for the exit code:
// every row that counts for it has a verdict, or is a count whose rounding leaves it
// open in any number of rounds.
func Decided(rows []Row, pkg, name string) bool {
	found := false
	for i := range rows {
		r := &rows[i]
		if r.Package != pkg || r.Name != name || !r.Gates {
			continue
		}
		found = true
		open := r.Exact && r.Look > 0 && r.Coverage >= r.ConfidenceRatio
		if r.Verdict == CannotTell && !open {
			return false
		}
	}
	return found
}

// judge is a comparison under way.
type judge struct {
	o      Options
	margin float64 // log(1 + Margin)
	m      int     // hypotheses of each family
	nulls  map[int]*stat.SignedRanks
	rows   []comparison
}

// comparison compares one metric of one series; it becomes a row of the result.
type comparison struct {
	series *Series
	metric Metric
	all    figures     // of all rounds
	at     []figures   // by look
	counts []count     // by look, of metrics that are counted
	other  *comparison // the other count of the series; nil: none

	different, same claim
}

// collect makes a comparison of every metric that was reported.
func (j *judge) collect(series []Series) {
	for i := range series {
		s := &series[i]
		looks := j.o.looks(s)
		for _, m := range s.Metrics {
			all := j.figures(s, m, look{rounds: len(s.Rounds)})
			if all.rounds == 0 {
				continue
			}
			sub := comparison{
				series: s, metric: m, all: all,
				different: claim{alpha: j.o.Alpha, widths: 1}, same: claim{alpha: NoChangeAlpha(j.o.Alpha), widths: 2},
			}
			for _, l := range looks {
				f := j.figures(s, m, l)
				sub.at = append(sub.at, f)
				sub.different.add(f.different(), &f)
				sub.same.add(f.same(j.margin), &f)
			}
			j.rows = append(j.rows, sub)
		}
	}
	for i := range j.rows {
		for k := range j.rows {
			a, b := &j.rows[i], &j.rows[k]
			if a.series == b.series && (a.metric.Unit == BytesPerOp && b.metric.Unit == AllocsPerOp || a.metric.Unit == AllocsPerOp && b.metric.Unit == BytesPerOp) {
				a.other = b
			}
		}
	}
}

// row says what the tests gave.
func (j *judge) row(s *comparison) Row {
	r := Row{
		Package: s.series.Package, Name: s.series.Name, Metric: s.metric.Unit, Better: s.metric.Better().String(), Gates: s.metric.Gates, Iterations: s.series.Iterations,
		Looks: max(len(j.o.Looks), 1), PValue: s.different.sequential(), PHolm: s.different.holm,
	}
	r.NoiseRatio, r.NoiseRounds = j.noise(s.series, s.metric)
	v := j.verdict(s)
	r.Verdict, r.Look = s.metric.word(v.Verdict), v.look
	f := &s.all
	if v.look > 0 {
		f = &s.at[v.look-1]
	}
	r.Rounds, r.RoundsEarlier, r.Turns = f.rounds, f.earlier, f.turns
	r.Old, r.New = f.medianOld, f.medianNew
	r.Exact = f.exact
	if (f.exact || f.below) && v.look > 0 {
		j.exactRow(&r, &s.counts[v.look-1], f)
	} else {
		r.Ratio, r.RatioLow, r.RatioHigh = ratioOf(f.mid.Center()), ratioOf(v.low), ratioOf(v.high)
		r.ConfidenceRatio, r.Coverage = 1-v.level, f.mid.Coverage(v.level/2)
		r.WithinMargin = -j.margin < v.low && v.high < j.margin
		r.Reason, r.Needed = j.unknown(s, f, v)
		if f.below {
			r.Ratio, r.NoiseRatio, r.Needed = 1, nil, nil
		} else if r.Verdict == CannotTell && v.look > 0 && r.PHolm < hint && r.Ratio != 1 {
			r.Perhaps = s.metric.word(Slower)
			if r.Ratio > 1 {
				r.Perhaps = s.metric.word(Faster)
			}
		}
	}
	if s.series.Invalid != "" {
		r.Verdict, r.Reason, r.WithinMargin, r.Needed, r.Perhaps = CannotTell, s.series.Invalid, false, nil, ""
	}
	return r
}

// word returns the verdict of a metric: of one that is neutral, whose ratio is
// old/new, no difference is for the better.
func (m Metric) word(v Verdict) Verdict {
	switch {
	case m.Neutral && v == Faster:
		return Lower
	case m.Neutral && v == Slower:
		return Higher
	}
	return v
}

// unknown says why there is no verdict on what varies, and what it would take.
func (j *judge) unknown(s *comparison, f *figures, v verdict) (reason string, needed *Requirement) {
	switch {
	case v.Verdict != CannotTell:
		return "", nil
	case v.look == 0:
		return fmt.Sprintf("%s: the figures have not been looked at yet", rounds(f.rounds)), nil
	case math.IsInf(v.low, 0) || math.IsInf(v.high, 0):
		last := v.look - 1
		reason = fmt.Sprintf("%s, and %d are needed at this confidence", rounds(f.rounds), fewest(max(s.different.interval(last), s.same.interval(last))))
	default:
		reason = fmt.Sprintf("the interval contains 1 and extends beyond the margin of %s", quantity.Percent(j.o.Margin))
	}
	return reason, j.needed(s, f)
}

// showAllocs gives every row the allocations of its benchmark.
func (j *judge) showAllocs(rows []Row) {
	for i := range rows {
		for k := range rows {
			if j.rows[i].series == j.rows[k].series && rows[k].Metric == AllocsPerOp {
				old, new := rows[k].Old, rows[k].New
				rows[i].AllocsOld, rows[i].AllocsNew = &old, &new
			}
		}
	}
}

func (j *judge) within(low, high float64) bool {
	return low >= 1/(1+j.o.Margin) && high <= 1+j.o.Margin
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

// ratioOf returns the ratio with a given logarithm, within the bounds of Ratio. One
// that is not 1 stays so, though a float64 may not show the difference.
func ratioOf(log float64) float64 {
	switch x := math.Exp(log); {
	case log >= maxLog: // of which the exponential is a little less
		return MaxRatio
	case log <= -maxLog:
		return 1 / MaxRatio
	case log > 0 && x <= 1:
		return math.Nextafter(1, 2)
	case log < 0 && x >= 1:
		return math.Nextafter(1, 0)
	default:
		return min(max(x, 1/MaxRatio), MaxRatio)
	}
}

func rounds(n int) string { return quantity.Plural(n, "round") }
