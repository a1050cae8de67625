package suite

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"whet/internal/format/benchmark"
	"whet/internal/gobench"
	"whet/internal/history"
	"whet/internal/recording"
)

// Options configure a run. Start from DefaultOptions.
type Options struct {
	Dir      string   // working directory of the user
	Packages []string // operands: directories, package paths, patterns
	Out      string   // name of the recording; "" puts it among those that whet names

	Bench     string // regular expression as in go test -bench
	BenchTime string // of a run, "1s" or "100x"
	Count     int    // rounds
	CPU       string // list of GOMAXPROCS, as in go test -cpu; "" is one run with the default
	Run       string // tests to run first; "^$" runs none
	Tags      string
	Flags     []string // further flags of go build
	Args      []string // of the test binaries, after their own flags
	Timeout   time.Duration
	Budget    time.Duration // no process is started when it is over; 0: none
	Profiles  []string      // kinds

	History string // directory; "": the results are kept in the recording only
	Host    string // the user's name for this machine

	Command  []string
	Version  string
	Now      func() time.Time
	Progress func(Progress) // nil: none
	Lines    Lines          // receives results as they come; nil: none
	Output   io.Writer      // receives the output of the benchmarks; nil: discarded
}

// Lines receives results as they come, package by package within a round.
type Lines interface {
	// Result is a result, and what holds for it.
	Result(settings []benchmark.Setting, l benchmark.Line)
	// Ended says that nothing more comes of a package: failed in which way, ""
	// when it is well, and how long its processes took.
	Ended(pkg, failed string, took time.Duration)
}

// Progress is the progress of a run.
type Progress struct {
	Stage              string
	Package, Benchmark string
	Done, Total        int // processes of the stage; 0: not counted
	Left               time.Duration
}

// Profile kinds that a suite can take.
var kinds = []string{recording.KindCPU, recording.KindAllocs, recording.KindBlock, recording.KindMutex}

// DefaultOptions returns the default options of whet bench.
func DefaultOptions() Options {
	return Options{
		Dir: ".", Bench: ".", BenchTime: "1s", Count: 1, Run: noTests, Timeout: 10 * time.Minute,
		Profiles: []string{recording.KindCPU, recording.KindAllocs}, Now: time.Now,
	}
}

const noTests = "^$"

const maxCount = 1000

// Validate reports the first option that cannot be used.
func (o *Options) Validate() error {
	if len(o.Packages) == 0 {
		return fmt.Errorf("no packages: name some, as in whet bench ./... or ./encode")
	}
	if err := gobench.CheckBenchTime(o.BenchTime); err != nil {
		return err
	}
	switch {
	case o.Count < 1 || o.Count > maxCount:
		return fmt.Errorf("-count %d: give 1 to %d", o.Count, maxCount)
	case o.CPU != "" && !gobench.IsProcessors(o.CPU):
		return fmt.Errorf("-cpu %q is not a list of numbers of processors, like 1,2,4", o.CPU)
	case o.Timeout < 0:
		return fmt.Errorf("-timeout %v is negative", o.Timeout)
	case o.Budget < 0:
		return fmt.Errorf("-budget %v is negative", o.Budget)
	case len(o.Host) > 100:
		return fmt.Errorf("-host: the name has %d bytes, more than 100", len(o.Host))
	}
	for _, k := range o.Profiles {
		if !slices.Contains(kinds, k) {
			return fmt.Errorf("-profiles %q: want %s, or none", k, strings.Join(kinds, ", "))
		}
	}
	if err := gobench.CheckPatterns(o.Bench, o.Run); err != nil {
		return err
	}
	if o.Out != "" {
		if err := recording.CheckName(o.Out); err != nil {
			return err
		}
	}
	if o.History != "" {
		return history.CheckDir(o.History)
	}
	return nil
}

// processors returns the values of -cpu; "" stands for the default.
func (o *Options) processors() []string {
	var out []string
	for v := range strings.SplitSeq(o.CPU, ",") {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// benchTime returns how long one run is meant to take; 0 where calls are counted.
func (o *Options) benchTime() time.Duration {
	d, err := time.ParseDuration(o.BenchTime)
	if err != nil {
		return 0
	}
	return d
}

// counted returns the number of calls that the user asked for; 0: a time was.
func (o *Options) counted() int64 {
	n, err := strconv.ParseInt(strings.TrimSuffix(o.BenchTime, "x"), 10, 64)
	if err != nil {
		return 0
	}
	return n
}
