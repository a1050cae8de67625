package knee

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"whet/internal/search"
)

// Measure drives one level and returns its result. It warms the level up before it
// measures for span, and returns when the load is over. An error means that measuring
// is impossible: failures of the service are in the point. If ctx ends meanwhile the
// point is not used.
type Measure func(ctx context.Context, level float64, span time.Duration) (Point, error)

// Point is the result of one run of a level.
type Point struct {
	Level float64 // clients of a closed loop, requests per second of an open one
	// Concurrency is how many requests were under way on average.
	Concurrency float64
	Throughput  float64 // good answers per second
	Errors      float64 // share of the requests that failed
	// Meets reports whether all bounds hold; otherwise Broken names one that does not,
	// in one line.
	Meets  bool
	Broken string
	// Answers is the number of times on which the verdict is based. Needs is the number
	// that a quantile needs to be beyond chance; 0: it is.
	Answers, Needs int64
	// Of the service times of a closed loop, the response times of an open one.
	P50, P99 time.Duration
	// Growth is by how much later the answers of an open loop came at its end than
	// at its beginning.
	Growth time.Duration
	Span   time.Duration // that was measured
	Took   time.Duration // with warm-up and drain
	// Blocks are the throughputs of equal slices of the span.
	Blocks []float64
	// Invalid is the reason that the figures are not the service's; "": they are.
	Invalid string
}

// Measured returns the figures that a search needs.
func (p Point) Measured() search.Measurement {
	return search.Measurement{Figure: p.Throughput, Slices: p.Blocks, Span: p.Span, Took: p.Took}
}

// Options configure a search. Start from Closed or Open.
type Options struct {
	// Open: levels are rates. Else they are whole numbers of clients.
	Open bool
	// From is the first level, Least and Most the bounds of those that are tried.
	From, Least, Most float64
	// Span is how long a level is measured. It is raised to fifty service times, at
	// most LongestSpan, and in an open loop until the rate brings Answers, as far as
	// the budget allows (span).
	Span, LongestSpan time.Duration
	// Fine is how long a rate of an open loop is measured at least once the limit is
	// known roughly: a small overload takes longer to show.
	Fine time.Duration
	// Answers is the number that the bounds need, from Enough.
	Answers int64
	// Resolution is how finely to look, as a share of the level.
	Resolution float64
	// Tolerance is the share by which the throughput of a closed loop's level may be
	// lower than the plateau's for the level to be part of it. It is about halfway
	// between noise and a difference that matters.
	Tolerance float64
	// Past is how many levels in a row, beyond the best, must bring no more.
	Past int
	// Runs of a level at least, and at most, where its place is in doubt.
	Runs, MostRuns int
	// Confidence of the intervals.
	Confidence float64
	// Budget bounds the total duration of the measurements. Of is the budget of all
	// searches together, of which this one has a part; 0: it is the only one.
	Budget, Of time.Duration
	// Cool is how long the lowest rate is sent at a time where a backlog has to
	// go.
	Cool     time.Duration
	Progress func(search.Progress) // called before each measurement; nil: never
}

// Closed returns the options for the best throughput.
func Closed() Options {
	return Options{
		From: 1, Least: 1, Most: 4096, Span: 2 * time.Second, LongestSpan: 10 * time.Second,
		Resolution: 0.02, Tolerance: 0.03, Past: 2, Runs: 3, MostRuns: 12, Confidence: 0.95, Budget: 5 * time.Minute,
	}
}

// Open returns the options for the highest rate that meets the bounds.
func Open() Options {
	return Options{
		Open: true, From: 100, Least: 1, Most: 1e6, Span: 5 * time.Second, LongestSpan: 5 * time.Second, Fine: 5 * time.Second,
		Resolution: 0.02, Past: 1, Runs: 2, MostRuns: 3, Confidence: 0.95, Budget: 5 * time.Minute, Cool: time.Second,
	}
}

const (
	// levels is how many runs of a level a budget has room for at least: about what
	// it takes to know the plateau, or to have a rate between two. fewest is how many
	// of those that have to be longer: of a slow service, or to tell small
	// differences.
	levels, fewest = 15, 6
	// shortest is what a level lasts all the same.
	shortest = 250 * time.Millisecond
)

// Within returns the options of a search with a budget. A level lasts no longer than
// its share: twice as many responses at a few levels locate the limit less well than
// more levels do.
func (o Options) Within(budget time.Duration) Options {
	o.Budget = budget
	share := func(of time.Duration) time.Duration { return (budget / of).Round(10 * time.Millisecond) }
	o.Span = min(o.Span, max(share(levels), shortest))
	o.LongestSpan = max(min(o.LongestSpan, share(levels)), o.Span)
	if o.Open {
		o.Fine = max(min(o.Fine, share(fewest)), o.Span)
		o.LongestSpan = o.Fine
	}
	return o
}

// Rates returns the options of a search for a rate after one for the best throughput.
// It begins at four fifths of that, which most services sustain, and which is close to
// the limit of the others. It goes as far as necessary: a search that ended early may
// know the best throughput from too few clients.
func Rates(k *Knee) Options {
	o := Open()
	best := k.Plateau.Throughput.Center
	o.From = min(max(digits(0.8*best), 1), o.Most)
	o.Least = min(o.Least, o.From)
	return o
}

// digits rounds a rate to four digits, which are enough.
func digits(rate float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(rate, 'e', 3, 64), 64)
	if err != nil {
		return rate
	}
	return r
}

// Validate reports the first option that cannot be used.
func (o *Options) Validate() error {
	switch {
	case !(o.Least > 0 && o.From >= o.Least && o.Most >= o.From):
		return fmt.Errorf("levels from %v within %v to %v: give positive numbers with least <= first <= most", o.From, o.Least, o.Most)
	case !o.Open && (o.From != float64(int(o.From)) || o.Least != float64(int(o.Least))):
		return fmt.Errorf("levels from %v: give whole numbers of clients", o.From)
	case o.Span <= 0 || o.LongestSpan < o.Span:
		return fmt.Errorf("span %v to %v: give more than 0, the longest last", o.Span, o.LongestSpan)
	case !(o.Resolution >= 0.001 && o.Resolution <= 0.5):
		return fmt.Errorf("resolution %v: give 0.001 to 0.5", o.Resolution)
	case !o.Open && !(o.Tolerance >= 0.001 && o.Tolerance <= 0.5):
		return fmt.Errorf("tolerance %v: give 0.001 to 0.5", o.Tolerance)
	case o.Past < 1:
		return fmt.Errorf("%d levels past the best: give one or more", o.Past)
	case o.Runs < 1 || o.MostRuns < o.Runs:
		return fmt.Errorf("%d to %d runs of a level: give one or more", o.Runs, o.MostRuns)
	case !(o.Confidence > 0 && o.Confidence < 1):
		return fmt.Errorf("confidence %v: give one between 0 and 1", o.Confidence)
	case o.Budget <= 0:
		return fmt.Errorf("budget %v: give more than 0", o.Budget)
	case o.Open && o.Cool <= 0:
		return fmt.Errorf("cooling down for %v: give more than 0", o.Cool)
	}
	return nil
}

// Stages of a search.
const (
	Growing  search.Stage = "growing"
	Refining search.Stage = "refining"
	Deciding search.Stage = "confirming"
	Cooling  search.Stage = "cooling down"
)
