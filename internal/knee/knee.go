package knee

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"whet/internal/analyze/capacity"
	"whet/internal/quantity"
	"whet/internal/search"
)

// Knee is the result of a search, with its levels.
type Knee struct {
	Open bool
	// Procedure describes the search.
	Procedure string
	From, To  float64 // the range tried
	// Found reports whether At is the level searched for. If the search ended early, At
	// is an estimate from the levels so far.
	Found bool
	At    float64
	// Low and High are the bracket: in a closed loop the largest level below the
	// plateau, 0 where there is none or the search ended before it was known, and
	// the knee; in an open one the highest rate that is met, which is At, and the
	// lowest above it that is not, +Inf where none broke.
	Low, High float64
	// Throughput at the knee.
	Throughput float64
	// Plateau of a closed loop.
	Plateau capacity.Plateau
	// Law is fitted to the levels of a closed loop; nil where they are too few.
	Law *capacity.Fit
	// Unstable is the range of rates that were met once and broke once; nil: there
	// is none.
	Unstable *Range
	Levels   []search.Level[Point] // ascending
	// Profile are the levels whose profiles are worth comparing: the knee, and one
	// at about half of it, or in a closed loop without such a one at about twice of
	// it. 0: there is none.
	Profile Range
	// Complete: the search came to its end.
	Complete    bool
	Interrupted bool
	Spent       time.Duration
	// Invalid is the reason that the figure is not the service's; "": it is.
	Invalid  string
	Warnings []string
}

// Range are two levels.
type Range struct{ Low, High float64 }

// finder is a search for the knee under way.
type finder struct {
	*search.Search[Point]
	o      Options
	finely bool // levels last as long as Fine says
}

// Find searches. If ctx ends or the budget is spent it returns the result so far, which
// says so; an error of measure ends it too and is returned with the result. The result
// is nil only for invalid options.
func Find(ctx context.Context, o Options, measure Measure) (*Knee, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("look for the knee: %w", err)
	}
	s := &finder{o: o, Search: search.New(ctx, search.Options{Budget: o.Budget, Steady: o.Open, Expected: o.expected, Progress: o.Progress}, measure)}
	k := &Knee{Open: o.Open}
	var err error
	if o.Open {
		err = s.open(k)
	} else {
		err = s.closed(k)
	}
	switch {
	case err == nil:
		k.Complete = true
	case errors.Is(err, search.ErrInterrupted):
		k.Interrupted = true
		s.Warn("interrupted: the result rests on the measurements until then")
		err = nil
	case errors.Is(err, search.ErrBudget):
		s.Warn("%s ran out: the result rests on the measurements until then; raise -budget", o.budget())
		err = nil
	default:
		err = fmt.Errorf("look for the knee: %w", err)
	}
	k.Spent = s.Spent
	for _, l := range s.Levels {
		k.Levels = append(k.Levels, *l)
	}
	if n := len(k.Levels); n > 0 {
		k.From, k.To = k.Levels[0].Level, k.Levels[n-1].Level
	}
	k.profile()
	s.doubt(k)
	k.Warnings = append(s.Warnings, k.Warnings...)
	return k, err
}

// run measures a level once more.
func (s *finder) run(level float64) (*search.Level[Point], error) { return s.Run(level, s.span(level)) }

// span returns the time for which a level is measured: long enough for fifty service
// times without load, since the responses of clients in step come in bursts, and a
// burst more or less must not count. Of an open loop it is as many as
// it takes for what a slow service varies by to be no more than a small overload
// (behind). A low rate is sent for longer, until it brings as many answers as the
// bounds need, but for no more than a part of the budget: a search has some twenty
// runs.
func (s *finder) span(level float64) time.Duration {
	span, times := s.o.Span, services
	if s.o.Open {
		times = varies / most
	}
	if len(s.Levels) > 0 {
		span = min(max(span, time.Duration(times*float64(s.Levels[0].Runs[0].P50))), s.o.LongestSpan)
	}
	if s.finely {
		span = max(span, s.o.Fine)
	}
	if s.o.Open {
		span = max(span, least(level), min(lasts(s.o.Answers, level), s.o.Budget/parts))
	}
	return span
}

const (
	services = 50.0 // that a level of a closed loop lasts at least
	parts    = 20   // of the budget, of which a run may take one for more answers
	// Some requests are sent at the lowest rate too, within reason.
	few        = 20
	longestFew = 5 * time.Second
)

// lasts returns how long a rate takes for some requests, at most a day.
func lasts(requests int64, rate float64) time.Duration {
	return time.Duration(min(float64(requests)/rate, 24*60*60) * float64(time.Second))
}

// least returns how long a rate is sent at least.
func least(rate float64) time.Duration { return min(lasts(few, rate), longestFew) }

// expected returns the usual number of measurements, but one at least in the current
// stage.
func (o *Options) expected(stage search.Stage, runs int) int {
	growing, refining, deciding := 9, 8, 16
	if o.Open {
		growing, refining, deciding = 3, 7, 8
	}
	switch stage {
	case Growing:
		return max(growing-runs, 1) + refining + deciding
	case Refining, Cooling:
		return max(growing+refining-runs, 1) + deciding
	}
	return max(growing+refining+deciding-runs, 1)
}

// profile chooses the levels whose profiles are to be compared: what grows
// towards the knee is in the difference of the knee and of half of it. Where one
// client is the knee, as with a lock around all of the work, it shows beyond: at
// twice as many or more.
func (k *Knee) profile() {
	if !k.Found {
		return
	}
	below := 0.0
	for _, l := range k.Levels {
		if l.Level <= k.At/2*(1+1e-9) {
			below = l.Level
		}
	}
	k.Profile = Range{Low: below, High: k.At}
	if below == 0 && !k.Open {
		i := slices.IndexFunc(k.Levels, func(l search.Level[Point]) bool { return l.Level >= 2*k.At })
		if i >= 0 {
			k.Profile = Range{Low: k.At, High: k.Levels[i].Level}
		}
	}
}

// doubt says what speaks against the figures.
func (s *finder) doubt(k *Knee) {
	if change := s.Change(); change != 0 {
		way := "rose"
		if change < 0 {
			way = "fell"
		}
		s.Warn("throughput %s by about %s during the search: all levels are scaled to its end", way, quantity.Percent(math.Abs(change)))
	}
	// What the most runs of two levels can tell apart, with 95 % confidence.
	apart := 1.96 * k.Plateau.Noise.Ratio * math.Sqrt(2/float64(s.o.MostRuns))
	noisy := apart > s.o.Tolerance && !k.Open
	if noisy {
		s.Warn("runs of one level vary by %s: levels within %s of each other cannot be told apart, nor can the knee within that range; raise -d or use a quieter machine",
			quantity.Percent(k.Plateau.Noise.Ratio), quantity.Percent(apart))
	}
	for _, l := range k.Levels {
		last := l.Runs[len(l.Runs)-1]
		// What an open loop found rests on the two sides of its bracket.
		counts := l.Good
		if k.Open {
			counts = l.Level == k.Low || l.Level == k.High
		}
		if why := invalid(&l); why != "" && k.Invalid == "" && counts {
			k.Invalid = fmt.Sprintf("at %s: %s", s.o.name(l.Level), why)
		}
		if n, needs := s.undecided(&l); counts && needs > 0 {
			s.Warn("at %s the bounds are undecided: %s are too few for a bounded quantile, which chance decides below %s; raise -budget",
				s.o.name(l.Level), quantity.Plural(int(n), "answer"), quantity.Count(float64(needs)))
		}
		if l.Good && !k.Open && last.Errors >= 0.01 {
			s.Warn("%s of the requests failed at %s: throughput excludes them", quantity.Percent(last.Errors), s.o.name(l.Level))
		}
	}
	if n := len(k.Levels); n > 0 && !k.Open && !noisy {
		first := k.Levels[0].Runs[0]
		if time.Duration(services*float64(first.P50)) > s.o.LongestSpan {
			s.Warn("a request takes %s without load: a level of %v has too few requests to estimate its noise; raise -budget", quantity.Nanoseconds(float64(first.P50)), s.o.LongestSpan)
		}
	}
}

// invalid returns why the figures of most runs are not the service's; "": they are.
func invalid(l *search.Level[Point]) string {
	n, why := 0, ""
	for _, p := range l.Runs {
		if p.Invalid != "" {
			n, why = n+1, p.Invalid
		}
	}
	if 2*n <= len(l.Runs) {
		return ""
	}
	return why
}

// name returns a level in words.
func (o *Options) name(level float64) string {
	if o.Open {
		return quantity.Count(level) + "/s"
	}
	return quantity.Plural(int(level), "client")
}

// budget is whose time is spent.
func (o *Options) budget() string {
	if o.Of > o.Budget {
		return fmt.Sprintf("this search's share of the budget (%v of %v)", o.Budget.Round(time.Millisecond), o.Of)
	}
	return fmt.Sprintf("the budget of %v", o.Budget.Round(time.Millisecond))
}

// String returns the result in one line.
func (k *Knee) String() string {
	o := Options{Open: k.Open}
	switch {
	case len(k.Levels) == 0:
		return "no level was measured"
	case k.Open && !k.Found:
		return fmt.Sprintf("no rate from %s to %s keeps the bounds", o.name(k.From), o.name(k.To))
	case !k.Found:
		return fmt.Sprintf("no knee between %s and %s", o.name(k.From), o.name(k.To))
	case k.Open && math.IsInf(k.High, 1):
		return fmt.Sprintf("the bounds hold up to %s, the highest rate tried", o.name(k.At))
	case k.Open:
		return fmt.Sprintf("the bounds hold up to %s and not at %s", o.name(k.At), o.name(k.High))
	}
	at := o.name(k.At)
	if !k.Complete && k.Low == 0 && k.At > k.From {
		at += " or below"
	}
	line := fmt.Sprintf("the knee is at %s: %s/s; the plateau is %s/s ± %s", at, quantity.Count(k.Throughput),
		quantity.Count(k.Plateau.Throughput.Center), quantity.Percent(k.Plateau.NoiseRatio()))
	if k.Low > 0 {
		line += fmt.Sprintf(", and not reached at %s", o.name(k.Low))
	}
	return line
}
