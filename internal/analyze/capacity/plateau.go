package capacity

import (
	"cmp"
	"math"
	"slices"

	"whet/internal/stat"
)

// Level is a concurrency with all the runs that were measured there.
type Level struct {
	N    float64
	Runs []Run
}

// Run is a measurement of a level.
type Run struct {
	Throughput float64
	// Blocks are the throughputs of equal slices of the run, where they are known.
	Blocks []float64
}

// Throughput returns the mean of the level's runs; where there are three and more, the
// Hodges–Lehmann estimate, which one disturbed run does not move far.
func (l Level) Throughput() float64 {
	values := make([]float64, len(l.Runs))
	sum := 0.0
	for i, r := range l.Runs {
		values[i] = r.Throughput
		sum += r.Throughput
	}
	if len(values) < 3 {
		return sum / float64(len(values))
	}
	return stat.NewDifferences(values, stat.NewSignedRanks(len(values))).Center()
}

// Noise is the random deviation of a run.
type Noise struct {
	// Ratio is the standard deviation of the throughput of one run of a level, as
	// a share of it.
	Ratio float64
	// Freedom is on how many deviations that rests. 0: nothing is known.
	Freedom int
	// Repeated reports whether the noise comes from runs of the same levels at
	// different times. Otherwise it comes from slices of one run each, which share all
	// conditions of that run.
	Repeated bool
}

// repeats is the number of repetitions that make runs the better judges of their noise than
// slices of them are.
const repeats = 4

// RunNoise pools the noise of levels. While fewer than four runs repeat another
// one, the larger one of both estimates counts.
func RunNoise(levels []Level) Noise {
	runs, slices := repeatedNoise(levels), slicedNoise(levels)
	if runs.Freedom >= repeats || runs.Freedom > 0 && runs.Ratio >= slices.Ratio {
		return runs
	}
	return slices
}

func repeatedNoise(levels []Level) Noise {
	n := Noise{Repeated: true}
	total := 0.0
	for _, l := range levels {
		values := make([]float64, len(l.Runs))
		for i, r := range l.Runs {
			values[i] = r.Throughput
		}
		sum, mean := squares(values)
		if len(values) > 1 && mean > 0 {
			total += sum / (mean * mean)
			n.Freedom += len(values) - 1
		}
	}
	if n.Freedom > 0 {
		n.Ratio = math.Sqrt(total / float64(n.Freedom))
	}
	return n
}

// slicedNoise takes the slices of a run for independent: the standard deviation
// of the mean of n slices is that of one divided by √n. Of all runs the median
// counts, since a run of few requests has slices of hardly any.
func slicedNoise(levels []Level) Noise {
	var ratios []float64
	n := Noise{}
	for _, l := range levels {
		for _, r := range l.Runs {
			sum, mean := squares(r.Blocks)
			if k := len(r.Blocks); k > 1 && mean > 0 {
				ratios = append(ratios, math.Sqrt(sum/float64(k-1)/float64(k))/mean)
				n.Freedom += k - 1
			}
		}
	}
	if len(ratios) > 0 {
		n.Ratio = stat.Median(ratios)
	}
	return n
}

// squares returns the sum of squares about the mean.
func squares(values []float64) (sum, mean float64) {
	for _, v := range values {
		mean += v / float64(len(values))
	}
	for _, v := range values {
		sum += (v - mean) * (v - mean)
	}
	return sum, mean
}

// Plateau is the best throughput.
type Plateau struct {
	// Throughput is the mean of the Runs of its best stretch of levels, or of all
	// its levels, with its interval.
	Throughput stat.Interval
	Runs       int
	Noise      Noise
	// From and To are its first and its last level.
	From, To float64
}

// NoiseRatio is half the width of the interval as a share of the throughput.
func (p Plateau) NoiseRatio() float64 {
	return (p.Throughput.High - p.Throughput.Low) / 2 / p.Throughput.Center
}

// FindPlateau finds the plateau of levels: the one with the highest throughput,
// and on either side of it all neighbours whose throughput is lower by no more
// than the noise of the difference, or tolerance as a share. All of them together
// are right with the confidence, by Bonferroni's inequality. The levels need not
// be sorted; there must be one with a run.
func FindPlateau(levels []Level, tolerance, confidence float64) Plateau {
	sorted := make([]figure, len(levels))
	for i, l := range levels {
		sorted[i] = figure{Level: l, x: l.Throughput()}
	}
	slices.SortFunc(sorted, func(a, b figure) int { return cmp.Compare(a.N, b.N) })
	best := 0
	for i := range sorted {
		if sorted[i].x > sorted[best].x {
			best = i
		}
	}
	noise := RunNoise(near(sorted, sorted[best].x))
	// Each level is compared: Bonferroni's share of the error for each.
	z := math.Sqrt2 * math.Erfinv(1-(1-confidence)/float64(max(len(sorted)-1, 1)))
	from, to := best, best
	reference, runs := sorted[best].x, len(sorted[best].Runs)
	for range 2 {
		belongs := func(l figure) bool {
			width := z * noise.Ratio * math.Sqrt(1/float64(len(l.Runs))+1/float64(runs))
			return 1-l.x/reference <= max(tolerance, width)
		}
		for from = best; from > 0 && belongs(sorted[from-1]); from-- {
		}
		for to = best; to+1 < len(sorted) && belongs(sorted[to+1]); to++ {
		}
		// The largest figure is too large: once more against what is common to all
		// that may be it.
		reference, runs = mean(sorted[from : to+1])
	}
	p := Plateau{Noise: noise, From: sorted[from].N, To: sorted[to].N}
	center, n := stretch(sorted[from : to+1])
	p.Runs = n
	half := math.Inf(1)
	if noise.Freedom > 0 {
		half = stat.StudentQuantile((1+confidence)/2, noise.Freedom) * noise.Ratio / math.Sqrt(float64(n)) * center
	}
	p.Throughput = stat.Interval{Center: center, Low: max(center-half, 0), High: center + half, Coverage: confidence}
	return p
}

// figure is a level with its throughput.
type figure struct {
	Level
	x float64
}

// mean returns the throughput of levels, each as often as it has runs.
func mean(levels []figure) (throughput float64, runs int) {
	for _, l := range levels {
		throughput += l.x * float64(len(l.Runs))
		runs += len(l.Runs)
	}
	return throughput / float64(runs), runs
}

// settled is the number of runs that are enough to hold a few levels against others: with
// fewer, the highest of several means is high by chance.
const settled = 20

// stretch returns the mean of the neighbours with the highest one, of as many as have
// enough runs together, or of all.
func stretch(levels []figure) (throughput float64, runs int) {
	throughput, runs = mean(levels)
	for i := range levels {
		for j := i + 1; j <= len(levels); j++ {
			if x, n := mean(levels[i:j]); n >= settled {
				if x > throughput {
					throughput, runs = x, n
				}
				break
			}
		}
	}
	return throughput, runs
}

// near returns the levels with at least half of a throughput: those far below have
// few requests, whose noise is another.
func near(levels []figure, throughput float64) []Level {
	var out []Level
	for _, l := range levels {
		if l.x >= throughput/2 {
			out = append(out, l.Level)
		}
	}
	return out
}

// Observations returns the levels as FitLaw takes them, each weighted by its runs and
// by noise that grows with the throughput.
func Observations(levels []Level) []Observation {
	out := make([]Observation, 0, len(levels))
	for _, l := range levels {
		if x := l.Throughput(); x > 0 {
			out = append(out, Observation{N: l.N, X: x, Weight: float64(len(l.Runs)) / (x * x)})
		}
	}
	return out
}
