package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"whet/internal/analyze/compare"
	"whet/internal/stat"
)

// Where the truth has to be known exactly it is simulated: rounds are drawn
// from a world whose ratio is a parameter, and handed to package compare look by
// look, as the engine does. Nothing here knows how compare judges.

// simulatedRounds is the plan of every simulated run; some end earlier.
const simulatedRounds = 40

// simulatedTurns is the most that a simulated round has; they have 1 to as many
// in turn, so that estimates of any number are among them.
const simulatedTurns = 4

// world is how the logarithms of a benchmark's times vary. All figures are in
// hundredths: 1 is about a percent.
type world struct {
	name  string
	slice func(rng *rand.Rand) float64 // of every slice for itself
	// walk is the standard deviation of the step that the machine's speed takes
	// from one slice to the next, and trend what it loses for sure.
	walk, trend float64
	layout      float64 // of the two sides of a round, each for itself
	newTimes    float64 // what only new varies by, as a factor of slice; 0: 1
}

func worlds() []world {
	normal := func(rng *rand.Rand) float64 { return rng.NormFloat64() }
	return []world{
		{name: "normal, 1 %", slice: normal},
		// Student's t with two degrees of freedom, whose variance is infinite: a
		// normal value over the root of half a chi-square, which is exponential.
		{name: "heavy-tailed, Student's t with 2 degrees of freedom", slice: func(rng *rand.Rand) float64 {
			return 0.5 * rng.NormFloat64() / math.Sqrt(rng.ExpFloat64())
		}},
		{name: "skewed, every fifth slice disturbed by 5 %", slice: func(rng *rand.Rand) float64 {
			x := 0.5 * rng.NormFloat64()
			if rng.IntN(5) == 0 {
				x += 5 * rng.ExpFloat64()
			}
			return x
		}},
		{name: "drifting, a random walk and 0.3 % slower with each slice", slice: normal, walk: 1, trend: 0.3},
		{name: "layout, 1 % a side and round", slice: func(rng *rand.Rand) float64 { return 0.5 * rng.NormFloat64() }, layout: 1},
		{name: "unequal, new varies three times as much as old", slice: func(rng *rand.Rand) float64 { return 0.5 * rng.NormFloat64() }, newTimes: 3},
	}
}

// rounds draws a series whose true ratio old/new is given.
func (w world) rounds(rng *rand.Rand, ratio float64, n int) []compare.Round {
	out := make([]compare.Round, n)
	level := 0.0
	for i := range out {
		layout := [2]float64{w.layout * rng.NormFloat64(), w.layout * rng.NormFloat64()}
		turns := make([]compare.Turn, 1+i%simulatedTurns)
		doubled := rng.IntN(2)
		for k := range turns {
			t := &turns[k]
			t.AgainOf = compare.Side((doubled + k) % 2)
			slots := []struct {
				side  compare.Side
				slice *compare.Slice
			}{{compare.Old, &t.Old}, {compare.New, &t.New}, {t.AgainOf, &t.Again}}
			rng.Shuffle(len(slots), func(i, j int) { slots[i], slots[j] = slots[j], slots[i] })
			for _, s := range slots {
				level += w.walk*rng.NormFloat64() + w.trend
				own := w.slice(rng)
				ns := 1e5
				if s.side == compare.New {
					ns /= ratio
					if w.newTimes != 0 {
						own *= w.newTimes
					}
				}
				*s.slice = compare.Slice{"ns/op": ns * math.Exp((level+layout[s.side]+own)/100)}
			}
		}
		out[i] = compare.Round{Turn: turns[0], More: turns[1:]}
	}
	return out
}

// setting is what a simulated user asks for.
type setting struct {
	alpha, margin float64
	ratios        []float64 // the true ratio of each benchmark of a run
	name          string
}

// slower3 is the ratio of 3 % more work.
const slower3 = 1 / 1.03

func settings() []setting {
	return []setting{
		{name: "1 benchmark, equal", alpha: 0.05, margin: 0.02, ratios: []float64{1}},
		{name: "1 benchmark, 3 % slower", alpha: 0.05, margin: 0.02, ratios: []float64{slower3}},
		{name: "8 benchmarks, 4 of them 3 % slower", alpha: 0.005, margin: 0.02, ratios: []float64{1, 1, 1, 1, slower3, slower3, slower3, slower3}},
	}
}

// Coverage is what became of the simulated runs of one world and setting.
type Coverage struct {
	World     string  `json:"world"`
	Setting   string  `json:"setting"`
	Alpha     float64 `json:"alpha"`
	Runs      int     `json:"runs"`
	Intervals int     `json:"intervals"`
	Covered   int     `json:"covered"`
	Width     float64 `json:"width"`  // median of high/low − 1
	Rounds    float64 `json:"rounds"` // median
	WrongRuns int     `json:"wrong_runs"`
	Equal     int     `json:"equal"` // benchmarks whose sides are equal …
	NoChange  int     `json:"no_change"`
	Different int     `json:"different"` // … and which of them were called different
	Slower    int     `json:"slower"`    // benchmarks that are slower …
	Found     int     `json:"found"`     // … and which of them were called so
	Overseen  int     `json:"overseen"`  // or else "no change" or "faster"
}

// simulate measures every world in every setting with about so many intervals.
func simulate(ctx context.Context, seed uint64, intervals int, progress func(string)) ([]Coverage, error) {
	var out []Coverage
	for i, w := range worlds() {
		for j, s := range settings() {
			c := Coverage{World: w.name, Setting: s.name, Alpha: s.alpha, Runs: max(1, intervals/len(s.ratios))}
			rng := rand.New(rand.NewPCG(seed, uint64(100*i+j)))
			var widths, rounds []float64
			for range c.Runs {
				if ctx.Err() != nil {
					return nil, ctx.Err()
				}
				rows := s.run(rng, w)
				wrong := false
				for k, r := range rows {
					wrong = c.count(r, s.ratios[k]) || wrong
					widths, rounds = append(widths, r.RatioHigh/r.RatioLow-1), append(rounds, float64(r.Rounds))
				}
				if wrong {
					c.WrongRuns++
				}
			}
			c.Width, c.Rounds = digits(stat.Median(widths)), stat.Median(rounds)
			out = append(out, c)
			progress(fmt.Sprintf("%s, %s: %d of %d intervals cover", w.name, s.name, c.Covered, c.Intervals))
		}
	}
	return out, nil
}

// run is one simulated proof: at each look all series are judged; those with
// a verdict get no further rounds. In every second run the budget ends before
// the plan does, somewhere in its second half.
func (s setting) run(rng *rand.Rand, w world) []compare.Row {
	looks := compare.Looks(simulatedRounds, len(s.ratios), s.alpha)
	o := compare.Options{Alpha: s.alpha, Margin: s.margin, Looks: looks, Hypotheses: len(s.ratios)}
	series := make([]compare.Series, len(s.ratios))
	all := make([][]compare.Round, len(s.ratios))
	for i, ratio := range s.ratios {
		all[i] = w.rounds(rng, ratio, simulatedRounds)
		series[i] = compare.Series{Package: "simulated", Name: fmt.Sprintf("Benchmark%d", i), Iterations: 1000, Metrics: []compare.Metric{compare.MetricOf("ns/op")}, Run: 1}
	}
	last := simulatedRounds
	if rng.IntN(2) == 0 {
		last -= rng.IntN(simulatedRounds / 2)
	}
	ends := slices.DeleteFunc(slices.Clone(looks), func(n int) bool { return n >= last })
	var rows []compare.Row
	for _, n := range append(ends, last) {
		for i := range series {
			if len(rows) == 0 || !compare.Decided(rows, series[i].Package, series[i].Name) {
				series[i].Rounds = all[i][:n]
				series[i].Ended = n == last
			}
		}
		rows = compare.Judge(series, o)
	}
	return rows
}

// count takes in one interval and reports whether its verdict is wrong.
func (c *Coverage) count(r compare.Row, ratio float64) (wrong bool) {
	c.Intervals++
	if r.RatioLow <= ratio && ratio <= r.RatioHigh {
		c.Covered++
	}
	different := r.Verdict == compare.Faster || r.Verdict == compare.Slower
	if ratio == 1 {
		c.Equal++
		switch {
		case different:
			c.Different++
		case r.Verdict == compare.NoChange:
			c.NoChange++
		}
		return different
	}
	c.Slower++
	switch {
	case r.Verdict == compare.Slower:
		c.Found++
	case r.Verdict != compare.CannotTell:
		c.Overseen++
		return true
	}
	return false
}

// share returns the part of the intervals that cover, and its Monte Carlo error: the
// standard deviation of that share if the true one is wanted.
func (c Coverage) share(wanted float64) (share, err float64) {
	n := float64(c.Intervals)
	return float64(c.Covered) / n, math.Sqrt(wanted * (1 - wanted) / n)
}

// digits cuts a figure to six significant digits: more are noise, and the
// file of the samples is to stay small.
func digits(x float64) float64 {
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return x
	}
	scale := math.Pow(10, 5-math.Floor(math.Log10(math.Abs(x))))
	if math.IsInf(scale, 0) || scale == 0 {
		return x
	}
	return math.Round(x*scale) / scale
}
