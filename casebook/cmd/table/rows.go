package main

import (
	"slices"

	"whet/internal/prove/rounds"
)

// figure is one measure of a case: best, and what it is compared with.
type figure struct {
	Measure string `json:"measure"`
	Unit    string `json:"unit"`
	Against string `json:"against"` // the stage that best is compared with
	// PublishedRatio was published, of the first stage and the last; BarRatio is
	// what best is held to. nil: there is none.
	PublishedRatio *float64 `json:"published_ratio"`
	BarRatio       *float64 `json:"bar_ratio"`
	// RatioBest is how many times better best is, the median of the rounds; its
	// bounds are those of every ratio where there were too few for any.
	RatioBest     float64  `json:"ratio_best"`
	RatioBestLow  float64  `json:"ratio_best_low"`
	RatioBestHigh float64  `json:"ratio_best_high"`
	NoiseRatio    *float64 `json:"noise_ratio"` // half-width of the 95 % interval of a side against itself; nil: too few rounds
	Settled       bool     `json:"settled"`     // the rounds sufficed for a verdict
	Rounds        int      `json:"rounds"`
	Old           float64  `json:"old"` // medians, in the unit
	Best          float64  `json:"best"`
	// What the same runs allocated per operation; nil: it was not asked for.
	BytesOld   *float64 `json:"alloc_bytes_old,omitempty"`
	BytesBest  *float64 `json:"alloc_bytes_best,omitempty"`
	AllocsOld  *float64 `json:"allocs_old,omitempty"`
	AllocsBest *float64 `json:"allocs_best,omitempty"`
}

// row is a case: its headline, and further measures.
type row struct {
	Case string `json:"case"`
	figure
	RatioLastPublished     float64  `json:"ratio_last_published"`
	RatioLastPublishedLow  float64  `json:"ratio_last_published_low"`
	RatioLastPublishedHigh float64  `json:"ratio_last_published_high"`
	LastPublished          float64  `json:"last_published"` // median, in the unit
	More                   []figure `json:"more"`
}

// result is what the rounds gave of a comparison.
type result struct {
	comparison *comparison
	rows       map[string]*rounds.Row // by unit
	series     *rounds.Series
}

func resultsOf(g *group, out *rounds.Outcome) []result {
	var all []result
	for i := range g.comparisons {
		r := result{comparison: &g.comparisons[i], rows: make(map[string]*rounds.Row), series: &out.Series[i]}
		for k := range out.Rows {
			if got := &out.Rows[k]; got.Name == r.comparison.name() && got.Rounds > 0 {
				r.rows[got.Metric] = got
			}
		}
		all = append(all, r)
	}
	return all
}

// pairOf is what one slice of each stage gives, the ones that getting ready
// took: ratios, and no bounds. It is nil where there are none.
func pairOf(g *group, l lab) []result {
	var all []result
	for i := range g.comparisons {
		c := &g.comparisons[i]
		old, new := l.had(c.old), l.had(c.new)
		if old == nil || new == nil {
			return nil
		}
		r := result{comparison: c, rows: make(map[string]*rounds.Row), series: &rounds.Series{Rounds: []rounds.Round{{Old: old, New: new}}}}
		for _, m := range c.measures {
			o, okOld := old[m.unit]
			n, okNew := new[m.unit]
			if !okOld || !okNew || o <= 0 || n <= 0 {
				continue
			}
			ratio := o / n
			if more(m.unit) {
				ratio = n / o
			}
			r.rows[m.unit] = &rounds.Row{Metric: m.unit, Verdict: rounds.CannotTell, Ratio: ratio, RatioLow: 1 / rounds.MaxRatio, RatioHigh: rounds.MaxRatio, Rounds: 1, Old: o, New: n}
		}
		all = append(all, r)
	}
	return all
}

// newRow makes the row of a case, nil where its headline was not measured.
func newRow(s *study, results []result) *row {
	r := &row{Case: s.name, More: []figure{}}
	found, foundLast := false, false
	for i := range s.measures {
		m := &s.measures[i]
		for _, res := range results {
			got := res.rows[m.unit]
			if got == nil || !slices.Contains(res.comparison.measures, m) {
				continue
			}
			switch {
			case i == 0 && res.comparison.new == s.stages[lastPublished]:
				r.RatioLastPublished, r.RatioLastPublishedLow, r.RatioLastPublishedHigh, r.LastPublished = got.Ratio, got.RatioLow, got.RatioHigh, got.New
				foundLast = true
			case i == 0:
				r.figure, found = newFigure(m, &res, got), true
			default:
				r.More = append(r.More, newFigure(m, &res, got))
			}
		}
	}
	if !found || !foundLast {
		return nil
	}
	return r
}

func newFigure(m *measure, of *result, r *rounds.Row) figure {
	f := figure{
		Measure: m.text, Unit: m.unit, Against: of.comparison.old, PublishedRatio: known(m.published), BarRatio: known(m.bar),
		RatioBest: r.Ratio, RatioBestLow: r.RatioLow, RatioBestHigh: r.RatioHigh,
		NoiseRatio: r.NoiseRatio, Settled: r.Verdict != rounds.CannotTell, Rounds: r.Rounds, Old: r.Old, Best: r.New,
	}
	if m.counts {
		f.BytesOld, f.BytesBest = medians(of.series, bytesPerOp)
		f.AllocsOld, f.AllocsBest = medians(of.series, allocsPerOp)
	}
	return f
}

func known(v float64) *float64 {
	if v == 0 {
		return nil
	}
	return &v
}

// medians are those of a unit over all slices of each side; nil where no slice
// has it.
func medians(s *rounds.Series, unit string) (old, new *float64) {
	var seen [2][]float64
	for _, r := range s.Rounds {
		for side, slice := range map[int]rounds.Slice{0: r.Old, 1: r.New} {
			if v, ok := slice[unit]; ok {
				seen[side] = append(seen[side], v)
			}
		}
		if v, ok := r.Again[unit]; ok {
			seen[r.AgainOf] = append(seen[r.AgainOf], v)
		}
	}
	return median(seen[rounds.Old]), median(seen[rounds.New])
}

func median(v []float64) *float64 {
	if len(v) == 0 {
		return nil
	}
	slices.Sort(v)
	mid := v[len(v)/2]
	if len(v)%2 == 0 {
		mid = (v[len(v)/2-1] + mid) / 2
	}
	return &mid
}

// bounded reports whether an interval says anything: with too few rounds it has
// the bounds of every ratio.
func bounded(low, high float64) bool { return low > 1/rounds.MaxRatio && high < rounds.MaxRatio }
