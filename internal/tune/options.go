package tune

import (
	"fmt"
	"io"
	"strings"
	"time"

	"whet/internal/gobench"
)

// Common has the options of all kinds of recording.
type Common struct {
	Dir     string // working directory of the user
	Operand string // the target as the user gave it
	Out     string // name of the recording; "" puts it among those that whet names

	Tags     string   // go build -tags
	Flags    []string // further go build flags
	NoBinary bool     // do not keep the binary
	NoSource bool     // keep no source, and nothing of the typed view and the diff

	Command  []string // whet's own command line, for the manifest
	Version  string   // of whet
	Now      func() time.Time
	Progress func(Progress) // nil: none
	// Output receives the target's output while it runs; nil: discarded. The recording
	// has a bounded copy in any case.
	Output io.Writer
}

// Options configure the measurement of a package's benchmarks. Start from
// DefaultOptions.
type Options struct {
	Common

	Bench     string        // regular expression as in go test -bench
	BenchTime string        // one run's length, "1s" or "100x"; "" chooses
	Budget    time.Duration // for measuring; builds, tests and the report come on top
	Timeout   time.Duration // of one benchmark process; 0: the rest of the budget
	Samples   int           // of the base, for each benchmark's CPU profile
	Run       string        // regular expression of the tests to run first; "^$" runs none

	CPU  string   // one value of go test -cpu
	Args []string // arguments of the test binary, after its own flags
}

// DefaultOptions returns the default options of whet tune.
func DefaultOptions() Options {
	return Options{
		Common:  Common{Dir: ".", Now: time.Now},
		Bench:   ".",
		Budget:  60 * time.Second,
		Samples: 1000,
	}
}

// Validate reports the first option that cannot be used.
func (o *Options) Validate() error {
	switch {
	case o.Operand == "":
		return fmt.Errorf("no package to tune: name one, as in whet tune ./path/to/package")
	case o.Budget < time.Second:
		return fmt.Errorf("-budget %v is too short to measure anything: give at least 1s", o.Budget)
	case o.Timeout < 0:
		return fmt.Errorf("-timeout %v is negative", o.Timeout)
	case o.Samples < 1:
		return fmt.Errorf("-samples %d: give at least 1", o.Samples)
	case strings.Contains(o.CPU, ","):
		return fmt.Errorf("-cpu %s: a recording has one value of GOMAXPROCS; run whet tune once for each", o.CPU)
	case o.CPU != "" && !gobench.IsProcessors(o.CPU):
		return fmt.Errorf("-cpu %q is not a number of processors", o.CPU)
	}
	if o.BenchTime != "" {
		if err := gobench.CheckBenchTime(o.BenchTime); err != nil {
			return err
		}
	}
	return gobench.CheckPatterns(o.Bench, o.Run)
}

// Progress is the progress of a recording.
type Progress struct {
	Stage     string        // "build", "tests", "quick pass", "cpu", ...
	Benchmark string        // "" outside a benchmark
	Samples   int           // of the base so far, cpu only
	Wanted    int           // samples wanted
	Requests  int64         // ended so far, services only
	Errors    int64         // of them failed
	Left      time.Duration // at most, until the measuring ends; 0: not started
	Plan      string        // set once, when the plan is made
}
