package benchmarks

import (
	"context"
	"fmt"
	"strings"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/gobench"
	"whet/internal/prove"
	"whet/internal/prove/sides"
)

// Options configure a comparison of benchmarks. Start from DefaultOptions.
type Options struct {
	prove.Options // Old and New are operands of package sides

	// Packages is the pattern of packages where the sides are trees; "" is all.
	Packages  string
	Tags      string      // go build -tags, of both sides
	Flags     []string    // further go build flags, of both sides
	SideFlags [2][]string // those of one side only
	// Layouts links both sides again for every round, with the functions in random
	// order. It takes about a second per side, package and round.
	Layouts bool
	// AA also measures equal binaries and equal code, which shows the noise.
	AA bool

	Bench   string        // regular expression as in go test -bench
	Timeout time.Duration // of one benchmark process
	// Tests bounds the tests of each side of each package; 0 does not run them.
	Tests time.Duration
	Run   string // as in go test -run: the tests to run first; "" is all, "^$" none
	Race  bool   // the tests run with the race detector

	CPU  string   // one value of go test -cpu
	Pin  []int    // processors that the benchmarks may run on; nil: all
	Args []string // arguments of the test binaries, after their own flags

	// Cache is a directory that keeps the rounds of earlier runs, so that asking
	// the same question again adds to them; "" keeps and uses none.
	Cache string

	Out     string   // name of the recording; "" writes none
	Command []string // whet's own command line, for the manifest
	Version string   // of whet

	// Explain is called after the verdicts, while both sides still exist: its additions
	// to the result are recorded with it. It is not called for an interrupted run; nil:
	// not called.
	Explain func(ctx context.Context, pair *sides.Pair, res *compare.Result) error
}

// DefaultOptions returns the default options of whet prove, without the cache.
func DefaultOptions() Options {
	return Options{Options: prove.DefaultOptions(), Bench: ".", Layouts: true, Timeout: time.Minute, Tests: 10 * time.Second}
}

// Validate reports the first option that cannot be used.
func (o *Options) Validate() error {
	if o.Old == "" || o.New == "" {
		return fmt.Errorf("give two sides, old and new: whet prove ./old ./new, or whet prove HEAD~1 HEAD")
	}
	if err := o.Options.Validate(); err != nil {
		return err
	}
	switch {
	case o.Timeout <= 0:
		return fmt.Errorf("-timeout %v: give a positive limit for one benchmark process", o.Timeout)
	case o.Tests < 0:
		return fmt.Errorf("the time for tests, %v, is negative", o.Tests)
	case o.CPU != "" && !gobench.IsProcessors(o.CPU) || strings.Contains(o.CPU, ","):
		return fmt.Errorf("-cpu %q: give a single number of processors", o.CPU)
	case o.Cache == "" && o.Rounds > 0 && o.Rounds < fewestRounds: // rounds of several runs of a question add up
		return fmt.Errorf("-rounds %d is too few for any verdict: counts need %d, and times more", o.Rounds, fewestRounds)
	}
	return gobench.CheckPatterns(o.Bench, o.Run)
}

// side returns the user's options of a side.
func (o *Options) side(w compare.Side) sides.Spec {
	return sides.Spec{Operand: o.Operand(w), Env: o.Env[w], Flags: o.SideFlags[w]}
}

// fewestRounds are needed to be sure that a count never varies.
const fewestRounds = 5
