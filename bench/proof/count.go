package main

import (
	"math"
	"slices"

	"whet/internal/analyze/compare"
)

// Bounds of what counts for a planted slowdown.
const (
	floor3 = 0.013 // noise_ratio below which 90 % of 3 % are to be found
	floor1 = 0.01  // noise_ratio below which 80 % of 1 % are to be found
	alpha  = 0.005 // prove's default, which all trials use
)

// sideSeconds is the benchmark time a side that a proof has to stay below:
// twenty runs of go test's default of a second.
const sideSeconds = 20

// comparison is a benchmark of one trial.
type comparison struct {
	trial *Trial
	time  Row  // of ns/op
	cpu   *Row // of cpu-ns/op
	wrong *Row // what was called different in any metric; nil: nothing
	block *BlockRow
}

// comparisons of the trials that are wanted.
func comparisons(trials []Trial, wanted func(*Trial) bool) []comparison {
	var out []comparison
	for i := range trials {
		t := &trials[i]
		if !wanted(t) {
			continue
		}
		for _, r := range t.Rows {
			if r.Metric == compare.NsPerOp {
				out = append(out, t.comparison(r))
			}
		}
	}
	return out
}

func (t *Trial) comparison(time Row) comparison {
	c := comparison{trial: t, time: time}
	for i := range t.Rows {
		r := &t.Rows[i]
		if r.Name != time.Name {
			continue
		}
		if r.Metric == compare.CPUNsPerOp {
			c.cpu = r
		}
		if c.wrong == nil && (r.Verdict == compare.Faster || r.Verdict == compare.Slower) {
			c.wrong = r
		}
	}
	if t.Blocks != nil {
		for i := range t.Blocks.Benchmarks {
			if b := &t.Blocks.Benchmarks[i]; b.Name == "Benchmark"+time.Name {
				c.block = b
			}
		}
	}
	return c
}

// able reports whether there were enough rounds for a verdict: what could not
// be called different at all is no evidence that it was not.
func (c comparison) able() bool { return c.time.Rounds >= c.trial.Needed }

// quiet reports whether the benchmark's own noise, as seen in the same run,
// was below the bound.
func (c comparison) quiet(bound float64) bool { return c.time.Noise != nil && *c.time.Noise < bound }

// seconds returns the benchmark time of the side that took longer: of a turn's
// three slices half are of one side, on average.
func (c comparison) seconds() float64 {
	return 1.5 * float64(max(c.time.Turns, c.time.Rounds)) * float64(c.time.Iterations) * max(c.time.Old, c.time.New) / 1e9
}

// tally counts verdicts on time.
type tally struct {
	n, faster, slower, noChange, cannotTell int
	byCPU                                   int // slower in cpu-ns/op
	wrong                                   int // called different in any metric
	small                                   int // p of time at most alpha, before Holm
	ratios, noise, seconds                  []float64
	halves                                  []float64 // of the intervals' widths
	largest                                 float64   // difference of ratio from 1
}

func count(cs []comparison) tally {
	var t tally
	for _, c := range cs {
		t.n++
		switch c.time.Verdict {
		case compare.Faster:
			t.faster++
		case compare.Slower:
			t.slower++
		case compare.NoChange:
			t.noChange++
		default:
			t.cannotTell++
		}
		if c.cpu != nil && c.cpu.Verdict == compare.Slower {
			t.byCPU++
		}
		if c.wrong != nil {
			t.wrong++
		}
		if c.time.P <= alpha {
			t.small++
		}
		if c.time.Noise != nil {
			t.noise = append(t.noise, *c.time.Noise)
		}
		t.ratios, t.seconds, t.halves = append(t.ratios, c.time.Ratio), append(t.seconds, c.seconds()), append(t.halves, (c.time.High-c.time.Low)/2)
		t.largest = max(t.largest, math.Expm1(math.Abs(math.Log(c.time.Ratio))))
	}
	return t
}

func filter(cs []comparison, keep func(comparison) bool) []comparison {
	return slices.DeleteFunc(slices.Clone(cs), func(c comparison) bool { return !keep(c) })
}

// names returns the benchmarks that occur, in the order in which they do.
func names(cs []comparison) []string {
	var out []string
	for _, c := range cs {
		if !slices.Contains(out, c.time.Name) {
			out = append(out, c.time.Name)
		}
	}
	return out
}
