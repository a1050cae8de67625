package report

import (
	"whet/internal/recording"
)

// Bench is the result of benchmarks of several packages.
type Bench struct {
	Warnings        []string
	Host            recording.Host
	BenchTime       string
	Rounds, Planned int
	Packages        []BenchPackage
	Failures        []BenchFailure
	// Without is the number of packages that have no benchmark that was asked for.
	Without   int
	ElapsedNs int64
	Partial   string // why it is not whole; "" when it is
	Recording string // path; "": there is none
	History   string // the file that was added; "": none
}

// BenchPackage is one package's results.
type BenchPackage struct {
	ImportPath string
	GoVersion  string
	Revision   string // "": unknown
	Dirty      *bool  // nil: unknown
	Benchmarks []BenchRow
}

// BenchRow is one benchmark with one number of processors.
type BenchRow struct {
	Name     string // without the suffix for processors
	Procs    int
	Samples  []BenchSample // one a round
	Profiles []BenchProfile
}

// BenchSample is one process's result.
type BenchSample struct {
	Iterations int64
	Values     []recording.Metric // ns/op first where it is known
}

// BenchProfile is a profile of the measured code, in short.
type BenchProfile struct {
	Kind, Path string
	Samples    int64 // of the base
	Top        []BenchShare
}

// BenchShare is a function's share of the base's value.
type BenchShare struct {
	Function  string
	FlatRatio float64
}

// BenchFailure is a package or a benchmark that could not be measured.
type BenchFailure struct {
	Package, Benchmark string // Benchmark "": the whole package
	Text               string
}
