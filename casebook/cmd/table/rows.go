package main

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"

	"whet/internal/analyze/compare"
	"whet/internal/prove/rounds"
	"whet/internal/stat"
)

// number is a figure; NaN is one that is not known, null in JSON.
type number float64

func (n number) known() bool { return !math.IsNaN(float64(n)) }

func (n number) MarshalJSON() ([]byte, error) {
	if !n.known() {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

var unknown = number(math.NaN())

// figure is one measure of a case: best, and what it is compared with.
type figure struct {
	Measure string `json:"measure"`
	Unit    string `json:"unit"`
	// Of is the stage that is measured, and Against the one that it is compared
	// with.
	Of      string `json:"of"`
	Against string `json:"against"`
	// Missing is why there are no figures; "": there are.
	Missing string `json:"missing,omitempty"`
	// PublishedRatio was published, of the first stage and the last; BarRatio is
	// what best is held to, and AllocsBar the most allocations per operation.
	PublishedRatio number `json:"published_ratio"`
	BarRatio       number `json:"bar_ratio"`
	AllocsBar      number `json:"allocs_bar"`
	// RatioBest is how many times better best is, as estimated from the rounds;
	// its bounds are those of every ratio where there were too few for any.
	RatioBest     number `json:"ratio_best"`
	RatioBestLow  number `json:"ratio_best_low"`
	RatioBestHigh number `json:"ratio_best_high"`
	NoiseRatio    number `json:"noise_ratio"` // half-width of the 95 % interval of a side against itself
	// Settled: the rounds answer whether the bar is reached, or where there is
	// none, whether there is a difference. Reached is that answer; nil: there is
	// no bar, or no answer yet.
	Settled bool   `json:"settled"`
	Reached *bool  `json:"reached"`
	Rounds  int    `json:"rounds"`
	Old     number `json:"old"` // medians, in the unit
	Best    number `json:"best"`
	// The last published stage, where it was compared by this measure.
	LastPublishedStage     string `json:"last_published_stage,omitempty"`
	RatioLastPublished     number `json:"ratio_last_published"`
	RatioLastPublishedLow  number `json:"ratio_last_published_low"`
	RatioLastPublishedHigh number `json:"ratio_last_published_high"`
	LastPublished          number `json:"last_published"` // median, in the unit
	// What the same runs allocated per operation.
	BytesOld   number `json:"alloc_bytes_old"`
	BytesBest  number `json:"alloc_bytes_best"`
	AllocsOld  number `json:"allocs_old"`
	AllocsBest number `json:"allocs_best"`
	// Generator made the load of a service; nil: it is none.
	Generator *generator `json:"generator,omitempty"`
}

// generator is what the load generator said of itself in the runs of a figure.
type generator struct {
	// Valid: it was the bottleneck in no more than one run of ten.
	Valid       bool `json:"valid"`
	Runs        int  `json:"runs"`
	Bottlenecks int  `json:"bottleneck_runs"`
	// What it used of its processors' time, medians.
	ShareOld  number `json:"cpu_ratio_old"`
	ShareBest number `json:"cpu_ratio_best"`
}

// mostBottlenecks is the share of the runs in which the generator may have been
// the bottleneck: the medians do not hold them.
const mostBottlenecks = 0.1

// watch sums up what the generator said in the runs of both sides, and in those
// of the last published stage where there are any; nil where there was no
// generator.
func watch(of, last *compare.Series) *generator {
	g := new(generator)
	count := func(s compare.Slice) {
		if v, ok := s[bottleneck]; ok {
			g.Runs, g.Bottlenecks = g.Runs+1, g.Bottlenecks+int(v)
		}
	}
	for _, r := range of.Rounds {
		count(r.Old)
		count(r.New)
	}
	if last != nil {
		for _, r := range last.Rounds {
			count(r.New) // the other side is the first stage again
		}
	}
	if g.Runs == 0 {
		return nil
	}
	g.ShareOld, g.ShareBest = medians(of, generatorShare)
	g.Valid = float64(g.Bottlenecks) <= mostBottlenecks*float64(g.Runs)
	return g
}

// notMeasured is why a row has no figures that was not to be measured.
const notMeasured = "it was not to be measured"

// row is a case: its headline, and further measures.
type row struct {
	Case string `json:"case"`
	figure
	More []figure `json:"more"`
}

// result is what the rounds gave of a comparison.
type result struct {
	comparison *comparison
	rows       map[string]*compare.Row // by unit
	series     *compare.Series
}

func resultsOf(g *group, out *rounds.Outcome) []result {
	var all []result
	for i := range g.comparisons {
		r := result{comparison: &g.comparisons[i], rows: make(map[string]*compare.Row), series: &out.Series[i]}
		for k := range out.Rows {
			if got := &out.Rows[k]; got.Name == r.comparison.name() && got.Rounds > 0 {
				r.rows[got.Metric] = got
			}
		}
		all = append(all, r)
	}
	return all
}

// newRow makes the row of a case: of what was measured, what failed, and what
// the system does not tell. What an interrupt left out is missing; without its
// headline there is no row.
func newRow(s *study, results []result, failures map[kind]string) *row {
	r := &row{Case: s.name, More: []figure{}}
	for i := range s.measures {
		m := &s.measures[i]
		failed := failures[m.kind]
		if !s.measured(m.kind) {
			failed = notMeasured
		}
		f := newFigure(s, m, results, failed)
		switch {
		case i == 0 && f == nil:
			return nil
		case i == 0:
			r.figure = *f
		case f != nil:
			r.More = append(r.More, *f)
		}
	}
	return r
}

func newFigure(s *study, m *measure, results []result, failed string) *figure {
	f := &figure{
		Measure: m.text, Unit: m.unit, Of: cmp.Or(m.of, s.stages[best]), Against: cmp.Or(m.against, s.stages[first]),
		PublishedRatio: asked(m.published), BarRatio: asked(m.bar), AllocsBar: unknown, Missing: failed,
		RatioBest: unknown, RatioBestLow: unknown, RatioBestHigh: unknown, NoiseRatio: unknown, Old: unknown, Best: unknown,
		RatioLastPublished: unknown, RatioLastPublishedLow: unknown, RatioLastPublishedHigh: unknown, LastPublished: unknown,
		BytesOld: unknown, BytesBest: unknown, AllocsOld: unknown, AllocsBest: unknown,
	}
	if m.allocs != nil {
		f.AllocsBar = number(*m.allocs)
	}
	of := find(m, results, f.Of)
	switch {
	case of == nil && failed == "":
		return nil
	case of == nil:
		return f
	case of.rows[m.unit] == nil:
		f.Missing = cmp.Or(failed, "the system does not tell it")
		return f
	}
	f.Missing = "" // what failed, failed later
	r := of.rows[m.unit]
	f.RatioBest, f.RatioBestLow, f.RatioBestHigh = number(r.Ratio), number(r.RatioLow), number(r.RatioHigh)
	f.Rounds, f.Old, f.Best = r.Rounds, number(r.Old), number(r.New)
	if r.NoiseRatio != nil {
		f.NoiseRatio = number(*r.NoiseRatio)
	}
	if m.counts {
		f.BytesOld, f.BytesBest = medians(of.series, bytesPerOp)
		f.AllocsOld, f.AllocsBest = medians(of.series, allocsPerOp)
	}
	f.judge(r.Verdict != compare.CannotTell)
	var published *compare.Series
	if last := find(m, results, s.stages[lastPublished]); last != nil && last.rows[m.unit] != nil {
		r := last.rows[m.unit]
		f.LastPublishedStage, f.LastPublished = s.stages[lastPublished], number(r.New)
		f.RatioLastPublished, f.RatioLastPublishedLow, f.RatioLastPublishedHigh = number(r.Ratio), number(r.RatioLow), number(r.RatioHigh)
		f.Settled = f.Settled && bounded(f.RatioLastPublishedLow, f.RatioLastPublishedHigh)
		published = last.series
	}
	if f.Generator = watch(of.series, published); f.Generator != nil && !f.Generator.Valid {
		f.Settled, f.Reached = false, nil
	}
	return f
}

// find is the result of a measure and a stage, nil where no round of it was
// measured.
func find(m *measure, results []result, stage string) *result {
	for i := range results {
		c := results[i].comparison
		if c.new == stage && slices.Contains(c.measures, m) && len(results[i].series.Rounds) > 0 {
			return &results[i]
		}
	}
	return nil
}

// judge says whether the bars are reached, and whether that is settled. Without
// bars it is settled with the verdict on a difference.
func (f *figure) judge(verdict bool) {
	answer := func(yes bool) { f.Reached = &yes }
	within := bounded(f.RatioBestLow, f.RatioBestHigh)
	f.Settled = verdict && within
	if bar := f.BarRatio; bar.known() {
		// A count has the bounds of its rounding from the first round on; that it
		// does not vary is known with the verdict.
		if f.Unit == bytesPerOp || f.Unit == allocsPerOp {
			within = within && verdict
		}
		switch {
		case within && f.RatioBest >= enough*bar && f.RatioBestLow > enoughLow*bar:
			answer(true)
		case within && f.RatioBestHigh < enough*bar:
			answer(false)
		}
		f.Settled = f.Reached != nil
	}
	switch {
	case !f.AllocsBar.known():
	case !(f.AllocsBest <= f.AllocsBar):
		answer(false)
	case !f.BarRatio.known():
		answer(true)
	}
}

// asked is a figure that the table of cases has, 0 where it has none.
func asked(v float64) number {
	if v == 0 {
		return unknown
	}
	return number(v)
}

// medians are those of a unit over the rounds of each side.
func medians(s *compare.Series, unit string) (old, new number) {
	var seen [2][]float64
	for _, r := range s.Rounds {
		for i, slice := range []compare.Slice{r.Old, r.New} {
			if v, ok := slice[unit]; ok {
				seen[i] = append(seen[i], v)
			}
		}
	}
	return number(stat.Median(seen[compare.Old])), number(stat.Median(seen[compare.New]))
}

// bounded reports whether an interval says anything: with too few rounds it has
// the bounds of every ratio.
func bounded(low, high number) bool { return low > 1/compare.MaxRatio || high < compare.MaxRatio }
