package capacity

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"whet/internal/stat"
)

func level(n float64, throughputs ...float64) Level {
	l := Level{N: n}
	for _, x := range throughputs {
		l.Runs = append(l.Runs, Run{Throughput: x})
	}
	return l
}

// Written out: level 4 has deviations ±2 of 100, level 8 ±1 of 100; together
// (2·0.02² + 2·0.01²)/2 degrees of freedom, the root of which is 2.236 %.
func TestRunNoise(t *testing.T) {
	levels := []Level{level(4, 98, 102), level(8, 99, 101), level(1, 10)}
	n := RunNoise(levels)
	if !n.Repeated || n.Freedom != 2 || !close(n.Ratio, math.Sqrt((2*0.0004+2*0.0001)/2), 1e-12) {
		t.Errorf("%+v", n)
	}
	// Slices of 90 and 110 have a standard deviation of √200 = 14.1 and their mean
	// one of 10: larger than what few repetitions say, so it counts instead.
	levels[2].Runs[0].Blocks = []float64{90, 110}
	if n = RunNoise(levels); n.Repeated || n.Freedom != 1 || !close(n.Ratio, 0.1, 1e-12) {
		t.Errorf("%+v", n)
	}
	// Four repetitions need no help.
	levels = append(levels, level(16, 100, 100, 100))
	if n = RunNoise(levels); !n.Repeated || n.Freedom != 4 {
		t.Errorf("%+v", n)
	}
	if n = RunNoise([]Level{level(1, 5)}); n.Freedom != 0 || n.Ratio != 0 {
		t.Errorf("one run has no noise that is known: %+v", n)
	}
}

func TestFindPlateau(t *testing.T) {
	// In no order; 64 is lower by a tenth, 8 by a half; noise is ±1 %.
	levels := []Level{
		level(32, 101, 99), level(8, 50, 50.5), level(16, 99, 101), level(64, 90, 90), level(24, 100, 100.5), level(1, 6),
	}
	p := FindPlateau(levels, 0.02, 0.95)
	if p.From != 16 || p.To != 32 || p.Runs != 6 || !close(p.Throughput.Center, (101+99+99+101+100+100.5)/6, 1e-9) {
		t.Errorf("%+v", p)
	}
	// Noise of 16, 24, 32 and 64, and of 8 with half of the best: deviations of
	// squares 2+2+0.125+0+0.125/0.505, in all 2 % of a percent².
	half := stat.StudentQuantile(0.975, p.Noise.Freedom) * p.Noise.Ratio / math.Sqrt(6)
	if p.Noise.Freedom != 5 || !close(p.NoiseRatio(), half, 1e-12) || p.Throughput.Low > 100 || p.Throughput.High < 100 {
		t.Errorf("%+v, noise %v", p, p.NoiseRatio())
	}
	// A neighbour beyond one that is clearly lower does not belong.
	p = FindPlateau([]Level{level(1, 100, 100), level(2, 50, 50), level(4, 99.9, 100.1)}, 0.02, 0.95)
	if p.From != p.To {
		t.Errorf("%+v", p)
	}
	// 104 was high by chance: against it 101 is lower by 2.9 % where 2.7 % are
	// noise, but against the mean of 102, 102 and 104 by 1.6 %.
	p = FindPlateau([]Level{level(8, 101.9, 102.1), level(16, 104), level(32, 100, 102)}, 0.02, 0.95)
	if p.From != 8 || p.To != 32 || p.Runs != 5 {
		t.Errorf("%+v", p)
	}
	// More runs tell levels apart that fewer do not: 95 is within the noise of 100
	// where both were measured twice, 2 % up or down, which is a standard deviation of
	// 2.83 %, and 1.96·√(1/2+1/2) of it 5.5 %; and it is beyond where both have nine
	// runs, with one of 1.73 %, and 1.96·√(1/9+1/9) of it 1.6 %.
	for runs, to := range map[int]float64{2: 16, 9: 8} {
		var two []Level
		for _, at := range []Level{{N: 8}, {N: 16}} {
			for i := range runs {
				x := 100 + 2*float64(i%3-1)
				if runs == 2 {
					x = 100 + 4*float64(i) - 2
				}
				if at.N == 16 {
					x *= 0.95
				}
				at.Runs = append(at.Runs, Run{Throughput: x})
			}
			two = append(two, at)
		}
		if p = FindPlateau(two, 0.01, 0.95); p.From != 8 || p.To != to {
			t.Errorf("%d runs: %+v", runs, p)
		}
	}
	// One run of one level: nothing is known of its noise.
	p = FindPlateau([]Level{level(7, 5)}, 0.02, 0.95)
	if p.From != 7 || p.To != 7 || p.Throughput.Center != 5 || !math.IsInf(p.Throughput.High, 1) || p.Throughput.Low != 0 {
		t.Errorf("%+v", p)
	}
}

// Of 24 runs at one level and 20 at another the better ones count: 100 and 98 are
// 99.1 together.
func TestStretch(t *testing.T) {
	two := []Level{{N: 8}, {N: 16}}
	for i := range 24 {
		two[0].Runs = append(two[0].Runs, Run{Throughput: 96 + float64(i%2*8)})
		if i < 20 {
			two[1].Runs = append(two[1].Runs, Run{Throughput: 94 + float64(i%2*8)})
		}
	}
	p := FindPlateau(two, 0.03, 0.95)
	if p.From != 8 || p.To != 16 || p.Runs != 24 || p.Throughput.Center != 100 {
		t.Errorf("%+v", p)
	}
	// Twenty are enough, nineteen are not; and it is the fewest neighbours that have
	// enough: 8 alone, though 8 and 4 have more.
	two[1].Runs = two[1].Runs[:19]
	if p = FindPlateau([]Level{level(4, 101, 101), {N: 8, Runs: two[0].Runs[:20]}, two[1]}, 0.03, 0.95); p.Runs != 22 || !close(p.Throughput.Center, (2*101+20*100)/22., 1e-9) {
		t.Errorf("%+v", p)
	}
	if p = FindPlateau([]Level{{N: 8, Runs: two[0].Runs[:20]}, two[1]}, 0.03, 0.95); p.Runs != 20 || p.Throughput.Center != 100 {
		t.Errorf("%+v", p)
	}
	if p = FindPlateau([]Level{{N: 8, Runs: two[0].Runs[:19]}, two[1]}, 0.03, 0.95); p.Runs != 38 {
		t.Errorf("%+v", p)
	}
}

// A level with two runs of 50 has twice the weight of one with one run of 50, and
// four times that of one with two runs of 100.
func TestObservations(t *testing.T) {
	got := Observations([]Level{level(1, 50), level(2, 50, 50), level(4, 100, 100), level(8, 0)})
	want := []Observation{{1, 50, 1.0 / 2500}, {2, 50, 2.0 / 2500}, {4, 100, 2.0 / 10000}}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// The plateau's interval holds the true throughput nearly as often as it says,
// although its levels are chosen by what was measured: a plain largest mean would
// lie above it nearly always.
func TestPlateauCoverage(t *testing.T) {
	held, above, late := 0, 0, 0
	const trials = 400
	for seed := range uint64(trials) {
		r := rand.New(rand.NewPCG(seed, 3))
		var levels []Level
		for _, n := range []float64{4, 8, 16, 24, 32, 48} {
			l := Level{N: n}
			for range 3 {
				l.Runs = append(l.Runs, Run{Throughput: 100 * min(n/16, 1) * (1 + 0.025*r.NormFloat64())})
			}
			levels = append(levels, l)
		}
		p := FindPlateau(levels, 0.02, 0.95)
		if p.Throughput.Low <= 100 && 100 <= p.Throughput.High {
			held++
		}
		if p.Throughput.Center > 100 {
			above++
		}
		if p.From != 16 && p.From != 24 {
			late++
		}
	}
	if late > trials*5/100 {
		t.Errorf("in %d of %d the plateau begins beyond 24", late, trials)
	}
	if held < trials*88/100 || above > trials*65/100 || above < trials*35/100 {
		t.Errorf("held in %d, above in %d of %d", held, above, trials)
	}
}
