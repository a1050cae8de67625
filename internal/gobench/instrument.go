package gobench

import (
	"fmt"
	"time"

	"whet/internal/lazyregexp"
	"whet/internal/recording"
)

// MutexFraction is of the mutex profiles of benchmarks: of so many contentions
// they sample one. Block profiles hold a wait of blockRate with certainty and a
// shorter one by its length, as those of services do.
const (
	MutexFraction = 10
	blockRate     = 10_000 // ns
)

// Instrument has one instrument write into a file, a kind of profile or trace that
// recordings hold: at the rates of all recordings of benchmarks, where each
// allocation is recorded.
func (r *Run) Instrument(kind, file string) {
	switch kind {
	case recording.KindCPU:
		r.CPUProfile = file
	case recording.KindAllocs:
		r.MemProfile, r.MemProfileRate = file, 1
	case recording.KindBlock:
		r.BlockProfile, r.BlockProfileRate = file, blockRate
	case recording.KindMutex:
		r.MutexProfile, r.MutexProfileFraction = file, MutexFraction
	case recording.KindTrace:
		r.Trace = file
	}
}

// Iterations returns the number of calls that take about d.
func Iterations(d time.Duration, nsPerOp float64) int64 {
	if !(nsPerOp > 0) { // NaN too
		nsPerOp = 0.5
	}
	return int64(min(max(float64(d)/nsPerOp, 1), 1e9))
}

// allocCost is about what it costs to record an allocation.
const allocCost = 1500 * time.Nanosecond

// AllocIterations returns the number of calls that take about d where every allocation
// is recorded, which slows the benchmark down. At least a hundred calls are made
// where they are quick, so that one-off allocations do not look like per-call ones.
func AllocIterations(d time.Duration, nsPerOp, allocsPerOp float64) int64 {
	slow := nsPerOp
	if allocsPerOp > 0 { // a benchmark may report anything
		slow += allocsPerOp * float64(allocCost)
	}
	n := Iterations(d, slow)
	if n < 100 && slow*100 < float64(2*time.Second) {
		n = 100
	}
	return n
}

var (
	countedTime = lazyregexp.Pattern{Text: `^[1-9][0-9]{0,11}x$`}
	cpuList     = lazyregexp.Pattern{Text: `^[1-9][0-9]{0,3}(,[1-9][0-9]{0,3})*$`}
)

// CheckBenchTime reports a -benchtime that package testing refuses.
func CheckBenchTime(s string) error {
	if d, err := time.ParseDuration(s); !countedTime.Regexp().MatchString(s) && (err != nil || d <= 0) {
		return fmt.Errorf("-benchtime %q is neither a time like 1s nor a count like 100x", s)
	}
	return nil
}

// IsProcessors reports whether a -cpu is a list of numbers of processors.
func IsProcessors(list string) bool { return cpuList.Regexp().MatchString(list) }

// CheckPatterns reports a -bench or -run that package testing refuses.
func CheckPatterns(bench, run string) error {
	if err := CheckPattern(bench); err != nil {
		return fmt.Errorf("-bench %q: %w", bench, err)
	}
	if err := CheckPattern(run); err != nil {
		return fmt.Errorf("-run %q: %w", run, err)
	}
	return nil
}
