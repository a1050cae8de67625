package run

import (
	"whet/internal/analyze/flamegraph"
	"whet/internal/analyze/scaling"
	"whet/internal/document"
	"whet/internal/finding"
	"whet/internal/recording"
	"whet/internal/report/load"
	"whet/internal/report/page"
)

// Page is everything a report of a recording shows, computed and rounded
// nowhere: each renderer (text, JSON, HTML) prints the same numbers. It holds
// no path, time or fact that is not in the recording, so that the same
// recording gives the same bytes on any machine.
type Page struct {
	Target  string // as the user gave it
	Package string
	Module  string
	Tool    string // version of whet that recorded
	Created string // RFC 3339, UTC
	Partial string // why the recording is not whole
	Lone    bool   // of a profile that no recording stands around

	Facts    []page.Fact // what was measured and on what machine, in order
	Warnings []string
	Verdict  Verdict

	HotPlaces []finding.HotPlace // where the cost lies, in order of worth
	Accounts  []finding.Account  // what became of all else

	ThresholdRatio float64
	Findings       []finding.Finding // above the threshold, in order of worth
	Below          []finding.Finding // the rest, for -all
	Rules          []string          // that looked at something
	Looked         int               // benchmarks they looked at
	NotAsked       []string          // rules that had nothing to look at, and why
	// Excerpts are the lines around findings and hot places, as far as their
	// source is known.
	Excerpts map[Spot][]SourceLine

	Benchmarks []Benchmark
	Selection  *Selection       // of them; nil: none was made
	Growth     []scaling.Family // of benchmarks of several sizes
	Processors []Processors     // of parallel benchmarks
	Program    *Program         // of a program that ends; nil for other targets
	Service    *Service         // of a service under load
	Wall       *Wall            // where goroutines spent their time; nil without a trace
	Moment     *Moment          // the slowest request; nil where nobody looked for it
	Events     []Event          // what happened at a moment, in order of time
	Series     []Series         // metrics over time
	Contention []Waiting        // on locks and channels, by place; heaviest first
	Unknown    []Unknown        // what the target does not offer
	// Profiles are each benchmark's, the kinds in the order cpu, allocs, mutex,
	// block, within a kind by rank. A page may also hold profiles of all
	// benchmarks merged, their Benchmark "".
	Profiles []Profile
}

// Selection says which of the benchmarks that were ranked are measured with
// instruments, the costliest first, and why not the others.
type Selection struct {
	Measured document.Array[string] `json:"measured"`
	LeftOut  document.Array[string] `json:"left_out"`
	Reason   string                 `json:"reason"` // "" where none was left out
}

// Spot is a line as findings and hot places name it.
type Spot struct {
	File string // for people
	Line int
}

// Verdict is the one line that answers "where does it hurt".
type Verdict struct {
	Kind string `json:"kind"` // "cpu-bound", "allocation-bound", "waiting", "too-few-samples"
	Text string `json:"text"`
	// Outcome: "findings", "places", "floor", "spread", "too-few-samples" or
	// "invalid".
	Outcome string `json:"outcome"`
}

// Benchmark is a row of what was measured.
type Benchmark struct {
	Name        string
	Procs       int
	Iterations  int64
	NsPerOp     float64
	BytesPerOp  *float64
	AllocsPerOp *float64
	Metrics     []Metric // MB/s, and what it reports by b.ReportMetric
	Parallel    bool
	Profiled    bool
	Failure     string
}

// Metric is a value under a unit of the benchmark's own.
type Metric struct {
	Unit  string          `json:"unit"`
	Value document.Number `json:"value"`
}

// Program is a command that ran to its end. Its runs are rows of their own.
type Program struct {
	Command string              `json:"command"`
	Runs    document.Array[Run] `json:"runs"`
}

// Run is a run of a program. Nil is unknown.
type Run struct {
	WallNs      int64  `json:"wall_ns"`
	CPUNs       int64  `json:"-"` // user and system
	UserCPUNs   int64  `json:"user_cpu_ns"`
	SystemCPUNs int64  `json:"system_cpu_ns"`
	PeakBytes   *int64 `json:"peak_bytes"`
	Ending      string `json:"ending"`           // "exit status 0", "signal: killed", "stopped after 10s"
	Missing     string `json:"profiles_missing"` // why it left no profiles; "" when it did
}

// Service is a server that was driven with load. Service time runs from the
// actual send to the end of the response; the page's warnings say what a closed
// loop hides.
type Service struct {
	URL                                       string
	Instruments                               string // "agent", "pprof", "none"
	Concurrency                               int
	DurationNs                                int64
	Requests                                  int64
	ThroughputPerS                            float64
	MeanNs                                    float64
	MinNs, P50Ns, P90Ns, P99Ns, P999Ns, MaxNs int64
	Errors                                    []ErrorKind // most frequent first
	CPUNs                                     *int64      // of the target while under load
	CPUSampled                                bool        // by its CPU profile, and not by its own account
	CPUPerRequestNs                           *float64
	PeakBytes                                 *int64
	GeneratorCPUNs                            *int64
	Seconds                                   []Second
	// Load is the load as whet load shows it; nil: the recording is older than that.
	Load *load.Run
}

// ErrorKind is a kind of failed request with its first example.
type ErrorKind struct {
	Kind    string
	Count   int64
	Example string
}

// Second is a second of the load.
type Second struct {
	TimeNs   int64 `json:"start_ns"` // since the recording's origin
	LengthNs int64 `json:"length_ns"`
	Requests int64 `json:"requests"` // that ended
	Errors   int64 `json:"errors"`   // of them failed
	P50Ns    int64 `json:"p50_ns"`
	P99Ns    int64 `json:"p99_ns"`
	MaxNs    int64 `json:"max_ns"`
}

// Wall says where the time of goroutines went, from the execution traces.
type Wall struct {
	CoveredNs int64    // wall time that the traces cover
	Requests  int64    // requests whose beginning and end they hold
	States    []string // names of the columns of Groups[].Ns: "running", "runnable", "lock", ...
	Groups    []WallGroup
	Text      string // the heaviest group in one line: what tune prints
}

// WallGroup is a handler's requests, or the goroutines that one function
// starts.
type WallGroup struct {
	Name    string
	Handler bool  // requests; else goroutines
	Count   int64 // requests or goroutines
	Ns      []int64
	TotalNs int64
}

// Event is something that happened at a moment, or over a while.
type Event struct {
	Benchmark string `json:"benchmark"` // in whose run; "" of a program or service
	Kind      string `json:"kind"`      // "forced-gc", "stall", "goroutine-leak", "heap-growth", "gc-pause", "restart", "errors"
	StartNs   int64  `json:"start_ns"`  // since the recording's origin
	EndNs     int64  `json:"end_ns"`    // equal to StartNs for a moment
	Text      string `json:"text"`      // one sentence with its figure and that figure's uncertainty
}

// Series is a metric over time, for a small chart. Values are NaN where they
// are unknown.
type Series struct {
	Benchmark string // in whose run; "" of a program or service
	Name      string // "goroutines", "live heap", "CPU"
	Unit      string // "count", "bytes", "cores", "per second"
	// Series of one chart follow each other; Line is what each is called in it. "": it
	// has a chart of its own.
	Chart, Line string
	TimeNs      []int64
	Value       []float64
	Apart       bool // its moments are events, and nothing lies unknown between two
}

// Waiting is time that goroutines were blocked at one place, from the block
// profile: every wait of at least its rate is in it, shorter ones by sampling.
type Waiting struct {
	Benchmark string          `json:"benchmark"` // in whose run; "" of a program or service
	Kind      string          `json:"kind"`      // "lock", "channel", "select", "wait group", "condition", "other"
	Function  string          `json:"function"`  // of the user's own code, else the deepest that is not the runtime's
	File      string          `json:"file"`      // for people
	Line      int             `json:"line"`
	Count     int64           `json:"count"`
	DelayNs   int64           `json:"delay_ns"`
	PerS      document.Number `json:"delay_per_s"` // delay in seconds per second of the recording
}

// Unknown is a missing instrument of the target, why it is missing, and how to get it.
type Unknown = recording.Unknown

// time returns the time per operation; nil where the benchmark hides it, as
// b.ReportMetric(0, "ns/op") does: nothing takes no time.
func (b *Benchmark) time() *float64 {
	if b.NsPerOp > 0 {
		return &b.NsPerOp
	}
	return nil
}

// Profile is a profile's share of the page.
type Profile struct {
	Kind      string // "cpu", "allocs", "block", "mutex"
	Benchmark string // "" for all of them merged
	Column    string // sample type shown: "cpu", "alloc_space", "delay"
	Unit      string // "nanoseconds", "bytes", "count"
	// Samples and Values by class: base, set-up, harness, background, in the
	// order of hot.Class. Samples are profiler ticks for cpu, objects for
	// allocs, events for block and mutex.
	Samples [4]int64
	Values  [4]int64
	// AllocSamples is how many allocations of the base were seen; 0 where every
	// one was counted. Allocs only.
	AllocSamples int64
	Top          []Row // by flat, of the base
	TopCum       []Row // by cum, of the base
	Listing      []Listing
	Flame        *flamegraph.Graph // of the base; nil where there is no sample
}

// Row is a function of a top table. Ratios are of the base's value.
type Row struct {
	Function string
	File     string // for people
	Flat     int64
	Cum      int64
}

// Listing is the source around the hot lines of one function.
type Listing struct {
	Function string
	File     string // for people
	Flat     int64  // of the function
	Cum      int64
	Lines    []SourceLine
	Missing  string // why there is no source: "" when there is
	Differs  string // why the source may not be what was measured
}

// SourceLine is a line with its cost and what the compiler said about it.
type SourceLine struct {
	Number int
	Text   string
	Flat   int64
	Cum    int64
	Notes  []string // "n escapes to heap", "inlines (*T).get"
}
