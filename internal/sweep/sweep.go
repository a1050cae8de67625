package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"whet/internal/search"
	"whet/internal/stat"
)

// Off is a GOGC or a GOMEMLIMIT that is switched off.
const Off = -1

// Setting is one of the collector: GOGC in percent and GOMEMLIMIT in bytes, or Off.
type Setting struct {
	Percent    int
	LimitBytes int64
}

// Run is the result of one run.
type Run struct {
	Time      time.Duration // of the run, or of an operation of a benchmark
	PeakBytes int64         // resident memory at most; 0: unknown
	Took      time.Duration // including preparation and cleanup
}

// Measured returns the figures that the search needs: it compares runs by their rate.
func (r Run) Measured() search.Measurement {
	return search.Measurement{Figure: 1 / r.Time.Seconds(), Span: r.Took, Took: r.Took}
}

// Point is a setting with the results of its runs.
type Point struct {
	Setting
	Runs []Run
	// Time is the estimate from all runs, without the drift; PeakBytes is the median.
	Time      time.Duration
	PeakBytes int64
	Front     bool // no other setting beats it
	Choice    bool // and it differs from the other choices
	Refined   bool // it was added where the front bends
}

// Options configure a sweep.
type Options struct {
	Percents []int   // GOGC, each above 0 or Off
	Limits   []int64 // GOMEMLIMIT, each above 0 or Off
	Rounds   int     // of the grid, at least 3 for a front
	Budget   time.Duration
	Random   *rand.Rand // draws the order
	// Progress is called before each run; nil: never.
	Progress func(search.Progress, Setting)
}

// Validate reports the first option that cannot be used.
func (o *Options) Validate() error {
	switch {
	case len(o.Percents) == 0 || len(o.Limits) == 0:
		return errors.New("no setting to try")
	case slices.ContainsFunc(o.Percents, func(p int) bool { return p != Off && (p < 1 || p > 100_000) }):
		return errors.New("GOGC must be a number from 1 to 100,000, or off")
	case slices.ContainsFunc(o.Limits, func(b int64) bool { return b != Off && b < 1 }):
		return errors.New("a memory limit must be a size above zero, or off")
	case o.Rounds < 1 || o.Budget <= 0 || o.Random == nil:
		return errors.New("rounds, a budget and a source of chance are needed")
	case len(o.grid()) == 0:
		return errors.New("GOGC=off without a memory limit collects nothing and is not tried: name another setting")
	case len(o.grid()) > mostSettings:
		return fmt.Errorf("%d settings are more than the limit of %d", len(o.grid()), mostSettings)
	}
	return nil
}

const (
	mostSettings = 200
	fewestRounds = 3   // for a front
	narrow       = 1.2 // a gap between two settings that is not halved
	mostRefined  = 8   // settings added
)

// grid returns the settings: all combinations but no collection at all.
func (o *Options) grid() []Setting {
	var out []Setting
	for _, l := range o.Limits {
		for _, p := range o.Percents {
			if s := (Setting{p, l}); (p != Off || l != Off) && !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out
}

// Result is the result of a sweep.
type Result struct {
	Points      []Point // those of the grid in its order, then those added
	NoiseRatio  float64 // standard deviation of a run about its setting's estimate, relative; NaN: unknown
	Drift       float64 // by which share the rates changed in the course of the sweep; 0: none is shown
	Spent       time.Duration
	Complete    bool // all rounds were measured, and nothing is left to refine
	Interrupted bool
	Warnings    []string
}

// sweeper is a sweep under way.
type sweeper struct {
	*search.Search[Run]
	o        Options
	settings []Setting // by level
	refined  int       // of them, from here on: those that were added
}

// Find measures. If ctx ends or the budget is spent it returns the result so far, which
// says so; an error of measure ends it too, and is returned with the result. The result
// is nil only for invalid options.
func Find(ctx context.Context, o Options, measure func(ctx context.Context, s Setting) (Run, error)) (*Result, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("sweep: %w", err)
	}
	s := &sweeper{o: o, settings: o.grid()}
	s.refined = len(s.settings)
	s.Search = search.New(ctx, search.Options{Budget: o.Budget, Expected: s.expected, Progress: func(p search.Progress) {
		if o.Progress != nil {
			o.Progress(p, s.settings[int(p.Level)])
		}
	}}, func(ctx context.Context, level float64, _ time.Duration) (Run, error) {
		r, err := measure(ctx, s.settings[int(level)])
		if err == nil && r.Time <= 0 {
			err = errors.New("the run took no time")
		}
		return r, err
	})
	err := s.rounds(0)
	for err == nil {
		more := s.between()
		if len(more) == 0 {
			break
		}
		from := len(s.settings)
		s.settings = append(s.settings, more...)
		s.Stage = "where the front bends"
		err = s.rounds(from)
	}
	r := s.result()
	switch {
	case err == nil:
		r.Complete = true
	case errors.Is(err, search.ErrInterrupted):
		r.Interrupted = true
		s.Warn("interrupted: the result rests on the measurements until then")
		err = nil
	case errors.Is(err, search.ErrBudget):
		s.Warn("the budget ran out: the result rests on the measurements until then; raise -budget")
		err = nil
	}
	if n := s.least(); n < fewestRounds {
		s.Warn("a setting was measured %s: fewer than %d runs of each cannot tell which settings differ", [fewestRounds]string{"not at all", "only once", "only twice"}[n], fewestRounds)
	}
	r.Warnings = s.Warnings
	return r, err
}

// rounds measures the settings from one on, each once a round.
func (s *sweeper) rounds(from int) error {
	if s.Stage == "" {
		s.Stage = "the grid"
	}
	for range s.o.Rounds {
		for _, i := range s.o.Random.Perm(len(s.settings) - from) {
			if _, err := s.Run(float64(from+i), 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// expected is about how many runs are left.
func (s *sweeper) expected(_ search.Stage, runs int) int {
	return max(len(s.settings)*s.o.Rounds-runs, 1)
}

// least returns how often the setting that was measured least of the grid was.
func (s *sweeper) least() int {
	n := s.o.Rounds
	for i := range s.refined {
		l := s.At(float64(i))
		if l == nil {
			return 0
		}
		n = min(n, len(l.Runs))
	}
	return n
}

// points returns the settings that were measured.
func (s *sweeper) points() []Point {
	var out []Point
	for i, setting := range s.settings {
		l := s.At(float64(i))
		if l == nil {
			continue
		}
		p := Point{Setting: setting, Runs: l.Runs, Time: time.Duration(float64(time.Second) / l.Figure), Refined: i >= s.refined}
		var peaks []float64
		for _, r := range l.Runs {
			if r.PeakBytes > 0 {
				peaks = append(peaks, float64(r.PeakBytes))
			}
		}
		if len(peaks) > 0 {
			p.PeakBytes = int64(stat.Median(peaks))
		}
		out = append(out, p)
	}
	mark(out)
	return out
}

// mark finds the front. Points without a known peak are on none.
func mark(points []Point) {
	for i := range points {
		p := &points[i]
		p.Front = p.PeakBytes > 0 && !slices.ContainsFunc(points, func(q Point) bool {
			return q.PeakBytes > 0 && q.Time <= p.Time && q.PeakBytes <= p.PeakBytes && (q.Time < p.Time || q.PeakBytes < p.PeakBytes)
		})
	}
}

// front returns the places of the points on it, from the least memory on.
func front(points []Point) []int {
	var out []int
	for i := range points {
		if points[i].Front {
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(points[a].PeakBytes, points[b].PeakBytes) })
	return out
}

// bend returns the place in the front of the point farthest from the line between its ends;
// 0: there is none.
func bend(points []Point, front []int) int {
	if len(front) < 3 {
		return 0
	}
	at := func(i int) (x, y float64) {
		p := &points[front[i]]
		return math.Log(float64(p.PeakBytes)), math.Log(p.Time.Seconds())
	}
	x0, y0 := at(0)
	x1, y1 := at(len(front) - 1)
	best, most := 0, 0.0
	for i := 1; i < len(front)-1; i++ {
		x, y := at(i)
		// Twice the area of the triangle with the ends, by their distance: the height.
		if h := math.Abs((x1-x0)*(y0-y)-(x0-x)*(y1-y0)) / math.Hypot(x1-x0, y1-y0); h > most {
			best, most = i, h
		}
	}
	return best
}

// between are new settings in the gaps beside the bend of the front.
func (s *sweeper) between() []Setting {
	points := s.points()
	f := front(points)
	k := bend(points, f)
	if k == 0 || s.o.Rounds < fewestRounds {
		return nil
	}
	var out []Setting
	for _, other := range []int{k - 1, k + 1} {
		m, ok := middle(points[f[k]].Setting, points[f[other]].Setting)
		if ok && !slices.Contains(s.settings, m) && !slices.Contains(out, m) && len(s.settings)+len(out)-s.refined < mostRefined {
			out = append(out, m)
		}
	}
	return out
}

// middle returns the setting between two that differ in one of their two figures, if that is
// not off and the gap is wide enough.
func middle(a, b Setting) (Setting, bool) {
	half := func(x, y float64) (float64, bool) {
		return math.Sqrt(x * y), x > 0 && y > 0 && max(x/y, y/x) > narrow
	}
	switch {
	case a.LimitBytes == b.LimitBytes:
		v, ok := half(float64(a.Percent), float64(b.Percent))
		m := Setting{int(math.Round(v)), a.LimitBytes}
		return m, ok && m != a && m != b
	case a.Percent == b.Percent:
		v, ok := half(float64(a.LimitBytes), float64(b.LimitBytes))
		return Setting{a.Percent, int64(v) &^ (1<<20 - 1)}, ok && v >= 1<<20
	}
	return Setting{}, false
}

// result sums up.
func (s *sweeper) result() *Result {
	r := &Result{Points: s.points(), Spent: s.Spent, Drift: s.Change()}
	r.NoiseRatio = noise(r.Points)
	choose(r.Points, r.NoiseRatio)
	return r
}

// noise returns the standard deviation of a run's time about its setting's mean, relative to
// it, pooled over all settings that have several runs.
func noise(points []Point) float64 {
	squares, freedom := 0.0, 0
	for _, p := range points {
		n := float64(len(p.Runs))
		if n < 2 {
			continue
		}
		mean := 0.0
		for _, r := range p.Runs {
			mean += r.Time.Seconds() / n
		}
		for _, r := range p.Runs {
			d := r.Time.Seconds()/mean - 1
			squares += d * d
		}
		freedom += len(p.Runs) - 1
	}
	if freedom == 0 {
		return math.NaN()
	}
	return math.Sqrt(squares / float64(freedom))
}

// choose marks the points of the front that differ: from the least memory on, each that is
// faster than the last one chosen by more than twice the standard error of the difference,
// noise·√(1/n+1/m).
func choose(points []Point, noise float64) {
	last := -1
	for _, i := range front(points) {
		p := &points[i]
		if last >= 0 {
			before := &points[last]
			least := 2 * noise * math.Sqrt(1/float64(len(p.Runs))+1/float64(len(before.Runs)))
			if !(p.Time.Seconds() < before.Time.Seconds()*(1-least)) {
				continue
			}
		}
		p.Choice = true
		last = i
	}
}
