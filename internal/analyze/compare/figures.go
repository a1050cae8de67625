package compare

import (
	"math"
	"slices"

	"whet/internal/stat"
)

// figures are one metric of one series at one look.
type figures struct {
	look
	metric   Metric
	old, new []float64 // of all slices, the doubled sides' both
	// Medians over the rounds, without the slices that double a side: each round
	// weighs the same.
	medianOld, medianNew float64
	exact                bool // each side showed one value
	below                bool // of a count: both sides stay below one
	// mid are the rounds' differences, log(old) − log(new), or for metrics of
	// which more is better log(new) − log(old): above 0 is faster. The doubled
	// side is averaged. What was counted is known up to its rounding: low and
	// high are the smallest and the largest difference that the rounds may
	// stand for, elsewhere the same as mid.
	mid, low, high stat.Differences
	rounds         int
	earlier        int // of them, of earlier runs
	turns          int // of all
}

// maxLog bounds every difference.
var maxLog = math.Log(MaxRatio)

// logRatio returns the logarithm of Ratio(a, b). It is exactly −logRatio(b, a).
func logRatio(a, b float64) float64 {
	switch {
	case a == b:
		return 0
	case b == 0:
		return maxLog
	case a == 0:
		return -maxLog
	}
	return min(max(math.Log(a)-math.Log(b), -maxLog), maxLog)
}

// values are one metric of a turn; ok is false where it was not reported by
// all three slices, or is no number that a ratio can be made of.
func (t *Turn) values(unit string) (old, new, again float64, ok bool) {
	old, ok1 := t.Old[unit]
	new, ok2 := t.New[unit]
	again, ok3 := t.Again[unit]
	return old, new, again, ok1 && ok2 && ok3 && valid(old) && valid(new) && valid(again)
}

// observation is the values of one metric in a round.
type observation struct {
	first [2][]float64 // of each side's slices but those that double it, one a turn
	all   [2][]float64 // of all its slices
	again []float64    // log ratios of the doubled sides' slices to each other, one a turn
	turns []float64    // means of the log ratios of old's slices to new's in each turn
}

// observe collects a metric over the turns of a round that reported it.
func (r *Round) observe(unit string) (o observation) {
	for _, t := range r.Turns() {
		old, new, again, ok := t.values(unit)
		if !ok {
			continue
		}
		own := [2]float64{old, new}
		for side := range Sides {
			o.first[side] = append(o.first[side], own[side])
			o.all[side] = append(o.all[side], own[side])
		}
		o.all[t.AgainOf] = append(o.all[t.AgainOf], again)
		o.again = append(o.again, logRatio(own[t.AgainOf], again))
		second := own
		second[t.AgainOf] = again
		o.turns = append(o.turns, (logRatio(old, new)+logRatio(second[Old], second[New]))/2)
	}
	return o
}

func valid(v float64) bool { return v >= 0 && !math.IsInf(v, 1) }

// figures collects a metric over the first rounds of a series.
func (j *judge) figures(s *Series, m Metric, l look) figures {
	f := figures{look: l, metric: m}
	var mid, low, high, firstOld, firstNew []float64
	for i := range s.Rounds[:l.rounds] {
		o := s.Rounds[i].observe(m.Unit)
		if len(o.again) == 0 {
			continue
		}
		if i < s.Earlier {
			f.earlier++
		}
		f.turns += len(o.again)
		firstOld, firstNew = append(firstOld, o.first[Old]...), append(firstNew, o.first[New]...)
		f.old, f.new = append(f.old, o.all[Old]...), append(f.new, o.all[New]...)
		if m.Kind != Count {
			// The Hodges–Lehmann estimate: a turn that was disturbed hardly moves it.
			d := stat.NewDifferences(o.turns, j.null(len(o.turns))).Center()
			if m.More {
				d = -d
			}
			mid = append(mid, d)
			continue
		}
		better, worse := o.all[Old], o.all[New]
		if m.More {
			better, worse = worse, better
		}
		mid = append(mid, meanLogRatio(better, worse, 0, 0))
		low, high = append(low, meanLogRatio(better, worse, 0, cutOff)), append(high, meanLogRatio(better, worse, cutOff, 0))
	}
	f.rounds = len(mid)
	f.medianOld, f.medianNew = stat.Median(firstOld), stat.Median(firstNew)
	f.exact = m.Kind == Count && f.rounds > 0 && constant(f.old) && constant(f.new)
	f.below = m.Kind == Count && f.rounds > 0 && belowOne(f.old) && belowOne(f.new)
	null := j.null(f.rounds)
	f.mid = stat.NewDifferences(mid, null)
	f.low, f.high = f.mid, f.mid
	if m.Kind == Count {
		f.low, f.high = stat.NewDifferences(low, null), stat.NewDifferences(high, null)
	}
	return f
}

// meanLogRatio returns the mean of log((x+addX)/(y+addY)) over the slices of one
// side and of the other. For positive values within MaxRatio that is the
// difference of their mean logarithms.
func meanLogRatio(xs, ys []float64, addX, addY float64) float64 {
	sum := 0.0
	for _, x := range xs {
		for _, y := range ys {
			sum += logRatio(x+addX, y+addY)
		}
	}
	return sum / float64(len(xs)*len(ys))
}

func constant(values []float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return v != values[0] })
}

// belowOne reports whether what slices counted, of the same number of
// operations each, is less than one an operation: by their mean, or but for a
// few, in which the runtime allocated something of its own.
func belowOne(values []float64) bool {
	few, sum := 0, 0.0
	for _, v := range values {
		sum += v
		if v >= 1 {
			few++
		}
	}
	return sum < float64(len(values)) || 4*few <= len(values)
}

// different returns the p-value of "the sides are equal", from this look alone.
func (f *figures) different() float64 {
	return min(1, 2*min(f.low.Greater(0), f.high.Less(0)))
}

// faster says which way the figures point.
func (f *figures) faster() bool { return f.low.Greater(0) < f.high.Less(0) }

// same returns the p-value of "the sides differ by the margin or more", from this
// look alone: that of the worse of two one-sided tests, of which one at most can be wrong.
// It is at most a level exactly where the interval at twice that level lies within the
// margin.
func (f *figures) same(margin float64) float64 {
	return max(f.low.Greater(-margin), f.high.Less(margin))
}

// bounds returns the bounds of the logarithm of the ratio, at a two-sided level.
func (f *figures) bounds(level float64) (low, high float64) {
	return f.low.Low(level / 2), f.high.High(level / 2)
}

// null returns the distribution for n rounds.
func (j *judge) null(n int) *stat.SignedRanks {
	s, ok := j.nulls[n]
	if !ok {
		s = stat.NewSignedRanks(n)
		j.nulls[n] = s
	}
	return s
}

// noise returns the half-width of the interval, on the scale of ratios, of the
// doubled side's slices against each other, and the rounds it comes from. It is
// nil where there are too few.
func (j *judge) noise(s *Series, m Metric) (half *float64, rounds int) {
	var d []float64
	for i := range s.Rounds {
		if o := s.Rounds[i].observe(m.Unit); len(o.again) > 0 {
			d = append(d, stat.Median(o.again))
		}
	}
	iv := stat.NewDifferences(d, j.null(len(d))).Interval(NoiseConfidence)
	if len(d) == 0 || math.IsInf(iv.Low, 0) || math.IsInf(iv.High, 0) {
		return nil, len(d)
	}
	h := (math.Exp(iv.High) - math.Exp(iv.Low)) / 2
	return &h, len(d)
}
