package prove

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"time"

	"whet/internal/gobench"
	"whet/internal/prove/sides"
)

// Options says what to compare and how. Start from DefaultOptions.
type Options struct {
	Dir      string // working directory of the user
	Old, New sides.Spec
	// Packages is the pattern of packages where the sides are trees; "" is all.
	Packages string
	Tags     string   // go build -tags, of both sides
	Flags    []string // further go build flags, of both sides
	// Layouts links both sides anew for every round, with the functions in an
	// order drawn by lot. It takes about a second a side and package and round.
	Layouts bool
	// AA measures also what is the same on both sides, to see what that shows.
	AA bool

	Bench   string        // regular expression as in go test -bench
	Budget  time.Duration // for measuring; builds and tests come on top
	Timeout time.Duration // of one benchmark process
	// Tests bounds the tests of each side of each package; 0 does not run them.
	Tests  time.Duration
	Run    string  // as in go test -run: the tests to run first; "" is all, "^$" none
	Race   bool    // the tests run with the race detector
	Rounds int     // planned rounds; 0: what the budget allows
	Alpha  float64 // chance that anything in the run is wrongly called different
	Margin float64 // a ratio nearer to 1 than this hardly matters
	Seed   uint64  // of the order and of the layouts; 0 draws one

	CPU  string   // one value of go test -cpu
	Pin  []int    // processors that the benchmarks may run on; nil: all
	Args []string // arguments of the test binaries, behind their own flags

	// Cache is a directory that keeps the rounds of earlier runs, so that asking
	// the same question again adds to them; "" keeps and uses none.
	Cache string

	Out     string   // name of the recording; "" writes none
	Command []string // whet's own command line, for the manifest
	Version string   // of whet

	// Explain is called when the verdicts are drawn and both sides are still
	// there: what it adds to the result is recorded with it. An interrupted run
	// does not come to it. nil: nothing is added.
	Explain func(ctx context.Context, pair *sides.Pair, res *Result) error

	Now      func() time.Time
	Progress func(Event) // nil: none
	Output   io.Writer   // receives what the targets print; nil drops it
}

// DefaultOptions returns what whet prove uses unless told otherwise, but for
// the cache.
func DefaultOptions() Options {
	return Options{
		Dir:     ".",
		Bench:   ".",
		Layouts: true,
		Budget:  5 * time.Minute,
		Timeout: time.Minute,
		Tests:   10 * time.Second,
		Alpha:   0.005,
		Margin:  0.02,
		Now:     time.Now,
	}
}

// Event is where a proof stands.
type Event struct {
	Stage         string        // "building old", "rounds", ...
	Benchmark     string        // "" outside a benchmark
	Round, Rounds int           // from 1; 0 before the rounds
	Left          time.Duration // at most, until the measuring ends; 0: not started
	Plan          string        // set once, when the plan is made
}

var oneProcessorCount = regexp.MustCompile(`^[1-9][0-9]{0,3}$`)

// Validate reports the first option that cannot be used.
func (o *Options) Validate() error {
	switch {
	case o.Old.Operand == "" || o.New.Operand == "":
		return fmt.Errorf("two sides are needed, before and after: whet prove ./old ./new, or whet prove HEAD~1 HEAD")
	case o.Budget < time.Second:
		return fmt.Errorf("-budget %v is too short to compare anything: give at least 1s", o.Budget)
	case o.Timeout <= 0:
		return fmt.Errorf("-timeout %v: give the longest time one benchmark process may take", o.Timeout)
	case o.Tests < 0:
		return fmt.Errorf("the time for tests, %v, is negative", o.Tests)
	case o.Rounds < 0 || o.Rounds > maxRounds:
		return fmt.Errorf("-rounds %d: give 1 to %d, or 0 to let the budget decide", o.Rounds, maxRounds)
	case !(o.Alpha > 0 && o.Alpha < 0.5):
		return fmt.Errorf("-alpha %v: give a probability above 0 and below 0.5", o.Alpha)
	case !(o.Margin >= 0 && o.Margin < 1):
		return fmt.Errorf("-margin %v: give a share of at least 0 and below 1, as 2%% or 0.02", o.Margin)
	case o.CPU != "" && !oneProcessorCount.MatchString(o.CPU):
		return fmt.Errorf("-cpu %q is not one number of processors", o.CPU)
	case o.Now == nil:
		return fmt.Errorf("the clock is missing: start from DefaultOptions")
	}
	// Rounds of several runs of a question add up.
	if o.Cache == "" && o.Rounds > 0 && o.Rounds < fewestRounds {
		return fmt.Errorf("-rounds %d is too few for any verdict: counts need %d, and times more", o.Rounds, fewestRounds)
	}
	for _, re := range []struct{ flag, text string }{{"-bench", o.Bench}, {"-run", o.Run}} {
		if err := gobench.CheckPattern(re.text); err != nil {
			return fmt.Errorf("%s %q: %w", re.flag, re.text, err)
		}
	}
	return nil
}

// fewestRounds are needed to be sure that a count never varies.
const fewestRounds = 5

// maxRounds bounds what a user may ask for.
const maxRounds = 10000
