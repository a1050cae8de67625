package prove

import (
	"fmt"
	"io"
	"regexp"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/gobench"
)

// Options says what to compare and how. Start from DefaultOptions.
type Options struct {
	Dir      string // working directory of the user
	Old, New string // the two packages as the user gave them

	Bench   string        // regular expression as in go test -bench
	Budget  time.Duration // for measuring; builds and tests come on top
	Timeout time.Duration // of one benchmark process
	// Tests bounds each side's tests; 0 does not run them.
	Tests  time.Duration
	Run    string  // as in go test -run: the tests to run first; "" is all, "^$" none
	Rounds int     // planned rounds; 0: what the budget allows, at most MaxRounds
	Alpha  float64 // chance that any interval of the run misses the truth
	Margin float64 // a ratio nearer to 1 than this hardly matters
	Seed   uint64  // of the order; 0 draws one

	Tags  string   // go build -tags
	CPU   string   // one value of go test -cpu
	Flags []string // further go build flags
	Args  []string // arguments of the test binaries, behind their own flags

	Out     string   // name of the recording; "" writes none
	Command []string // whet's own command line, for the manifest
	Version string   // of whet

	Now      func() time.Time
	Progress func(Event) // nil: none
	Output   io.Writer   // receives what the targets print; nil drops it
}

// MaxRounds bounds the rounds that a plan makes of a large budget. Beyond it
// the interval narrows by less than the layout of the code may shift it.
const MaxRounds = 40

// DefaultOptions returns what whet prove uses unless told otherwise.
func DefaultOptions() Options {
	return Options{
		Dir:     ".",
		Bench:   ".",
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
	case o.Old == "" || o.New == "":
		return fmt.Errorf("two packages are needed, before and after: whet prove ./old ./new")
	case o.Budget < time.Second:
		return fmt.Errorf("-budget %v is too short to compare anything: give at least 1s", o.Budget)
	case o.Timeout <= 0:
		return fmt.Errorf("-timeout %v: give the longest time one benchmark process may take", o.Timeout)
	case o.Tests < 0:
		return fmt.Errorf("the time for tests, %v, is negative", o.Tests)
	case o.Rounds < 0 || o.Rounds > 10000:
		return fmt.Errorf("-rounds %d: give 1 to 10000, or 0 to let the budget decide", o.Rounds)
	case !(o.Alpha > 0 && o.Alpha < 0.5):
		return fmt.Errorf("-alpha %v: give a probability above 0 and below 0.5", o.Alpha)
	case !(o.Margin >= 0 && o.Margin < 1):
		return fmt.Errorf("-margin %v: give a share of at least 0 and below 1", o.Margin)
	case o.CPU != "" && !oneProcessorCount.MatchString(o.CPU):
		return fmt.Errorf("-cpu %q is not one number of processors", o.CPU)
	case o.Now == nil:
		return fmt.Errorf("the clock is missing: start from DefaultOptions")
	}
	if fewest := compare.FewestRounds(len(metrics()), o.Alpha); o.Rounds > 0 && o.Rounds < fewest {
		return fmt.Errorf("-rounds %d is too few for any verdict: one benchmark needs %d, more need more", o.Rounds, fewest)
	}
	for _, re := range []struct{ flag, text string }{{"-bench", o.Bench}, {"-run", o.Run}} {
		if err := gobench.CheckPattern(re.text); err != nil {
			return fmt.Errorf("%s %q: %w", re.flag, re.text, err)
		}
	}
	return nil
}

func (o *Options) compare() compare.Options {
	return compare.Options{Alpha: o.Alpha, Margin: o.Margin}
}
