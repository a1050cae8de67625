package bench

import (
	"whet/internal/document"
	"whet/internal/format/benchmark"
	"whet/internal/recording"
)

// Page is the result of benchmarks of several packages.
type Page struct {
	Warnings        []string
	Host            recording.Host
	BenchTime       string
	Rounds, Planned int
	Packages        []Package
	Failures        []Failure
	// Without is the number of packages that have no benchmark that was asked for.
	Without   int
	ElapsedNs int64
	Partial   string // why it is not whole; "" when it is
	Recording string // path; "": there is none
	History   string // the file that was added; "": none
}

// Package is a package's results.
type Package struct {
	ImportPath string
	GoVersion  string
	Revision   string // "": unknown
	Dirty      *bool  // nil: unknown
	Benchmarks []Row
}

// Row is a benchmark with one number of processors.
type Row struct {
	Name     string // without the suffix for processors
	Procs    int
	Samples  []Sample // one a round
	Profiles []Profile
}

// Sample is a process's result.
type Sample struct {
	Iterations int64                            `json:"iterations"`
	Values     document.Array[benchmark.Metric] `json:"metrics"` // ns/op first where it is known
}

// Profile is a profile of the measured code, in short.
type Profile struct {
	Kind    string                `json:"kind"`
	Path    string                `json:"path"`
	Samples int64                 `json:"samples"` // of the base
	Top     document.Array[Share] `json:"top_flat"`
}

// Share is a function's share of the base's value.
type Share struct {
	Function  string  `json:"function"`
	FlatRatio float64 `json:"flat_ratio"`
}

// Failure is a package or a benchmark that could not be measured.
type Failure struct {
	Package   string `json:"package"`
	Benchmark string `json:"benchmark"` // "": the whole package
	Text      string `json:"text"`
}
