package recording

import "time"

// Schema is the manifest's version as written by this program. Readers accept
// this and older ones.
const (
	SchemaPrefix  = "whet/recording/"
	SchemaVersion = 1
)

// Kinds of targets: Manifest.Kind.
const (
	TargetBenchmark = "benchmark" // a package's benchmarks
	TargetProgram   = "program"   // a command that ends
	TargetService   = "service"   // a server under load
	TargetLoad      = "load"      // load alone: of the server nothing is known
)

// Kinds of artifacts. Profiles are pprof files, gzipped.
const (
	KindCPU         = "cpu"
	KindAllocs      = "allocs"
	KindHeap        = "heap"
	KindBlock       = "block"
	KindMutex       = "mutex"
	KindGoroutine   = "goroutine"
	KindThreads     = "threadcreate"
	KindLeaked      = "goroutineleak" // what the runtime proves to be leaked, with GOEXPERIMENT=goroutineleakprofile
	KindWall        = "wall"          // where goroutines spent their time, made of the traces
	KindTrace       = "trace"
	KindFlight      = "flight"     // a flight recorder's snapshot: a trace too
	KindMetrics     = "metrics"    // one JSON row each 100 ms: format/metrics
	KindGC          = "gctrace"    // GODEBUG=gctrace=1, as the runtime wrote it
	KindLoad        = "load"       // one JSON row a second
	KindLoadRun     = "load-run"   // what load was driven, and what came of it
	KindHistograms  = "histograms" // HdrHistogram interval log
	KindKnee        = "knee"       // what a search found, a document as -json prints it
	KindBinary      = "binary"
	KindBench       = "bench"       // Go benchmark format
	KindDiagnostics = "diagnostics" // the compiler's -m=2 text
	KindCalls       = "calls"       // compiler.Calls as JSON
	KindDiff        = "diff"        // the working tree against the revision
	KindOutput      = "output"      // what the target printed, bounded
	KindFindings    = "findings"
)

// Parts of cumulative profiles, which count since the process began. The
// analyses read the delta, which has no part. Of states, PartBefore is of an
// earlier moment of the run, and what has no part of its end. Of a search for the
// knee, PartBefore is of the level that the knee is compared with.
const (
	PartBefore = "before"
	PartAfter  = "after"
)

// Manifest is recording.json. JSON keys are only ever added within a schema
// version.
type Manifest struct {
	Schema  string    `json:"schema"`
	Tool    string    `json:"tool"`              // version of whet that wrote it
	Kind    string    `json:"kind"`              // what sort of target: TargetBenchmark, ...
	Target  string    `json:"target"`            // the operand as the user gave it
	Command []string  `json:"command"`           // whet's own arguments
	Origin  time.Time `json:"origin"`            // wall time of 0 ns
	EndNs   int64     `json:"end_ns"`            // when the recording ended
	Partial string    `json:"partial,omitempty"` // why it is not whole; "" when it is
	Host    Host      `json:"host"`
	Build   Build     `json:"build"`
	Plan    Plan      `json:"plan"`
	// Unknown is what the target does not offer. It is not zero.
	Unknown   []Unknown  `json:"unknown"`
	Artifacts []Artifact `json:"artifacts"`
	Sources   []Source   `json:"sources"`
	Warnings  []string   `json:"warnings"`

	parts map[string]any // of products: as read, or pointers to what is written
}

// Host is the machine. A pointer that is nil and an empty string mean
// unknown; zero is a measurement.
type Host struct {
	OS         string `json:"os"`
	Arch       string `json:"arch"`
	Kernel     string `json:"kernel,omitempty"`
	CPU        string `json:"cpu,omitempty"` // model name
	Cores      int    `json:"cores"`         // processors the process may run on
	GOMAXPROCS int    `json:"gomaxprocs"`    // of the target; 0: unknown
	// Limits of the control group, v1 or v2. Nil: no limit or none readable;
	// Cgroup says which.
	Cgroup           string   `json:"cgroup"` // "v1", "v2", "none", "unreadable"
	CPULimitCores    *float64 `json:"cpu_limit_cores"`
	MemoryLimitBytes *int64   `json:"memory_limit_bytes"`
	MemoryBytes      *int64   `json:"memory_bytes"` // physical
	// Over the recording: share of CPU time the hypervisor took, and load
	// average (1 minute) at start and end.
	StealRatio *float64 `json:"steal_ratio"`
	BusyRatio  *float64 `json:"busy_ratio"` // share of CPU time that anything used, or that was taken
	LoadStart  *float64 `json:"load_start"`
	LoadEnd    *float64 `json:"load_end"`
	// Throttled is time the cgroup kept the target from running during the
	// recording.
	ThrottledNs *int64 `json:"throttled_ns"`
}

// Build says how the measured binary was made.
type Build struct {
	GoVersion     string   `json:"go_version"`
	Package       string   `json:"package"` // import path
	Module        string   `json:"module"`  // its module's path
	ModuleVersion string   `json:"module_version,omitempty"`
	OwnModules    []string `json:"own_modules"` // modules whose source is the user's to change
	Flags         []string `json:"flags"`       // as given to go test -c
	Args          []string `json:"args"`        // as given to the test binary by the user
	BuildID       string   `json:"build_id,omitempty"`
	VCS           string   `json:"vcs,omitempty"` // "git"
	Revision      string   `json:"revision,omitempty"`
	Dirty         *bool    `json:"dirty"` // nil: unknown
	Race          bool     `json:"race"`
	Cover         bool     `json:"cover"`
	Unoptimized   bool     `json:"unoptimized"` // -N or -l
	// Settings are the binary's own build info, key=value.
	Settings []string `json:"settings"`
}

// Plan is what was intended, so that a reader can see what is missing.
type Plan struct {
	BudgetNs    int64    `json:"budget_ns"`
	BenchTime   string   `json:"benchtime"`
	MinSamples  int      `json:"min_samples"` // of the base, for each benchmark's CPU profile
	Selected    []string `json:"selected"`    // benchmarks profiled, in order of rank
	LeftOut     []string `json:"left_out"`    // ranked too low for the budget
	Instruments []string `json:"instruments"`
}

// Benchmark is one benchmark as measured without instruments.
type Benchmark struct {
	Name        string   `json:"name"` // "BenchmarkX/sub=1", without the -GOMAXPROCS suffix
	Procs       int      `json:"procs"`
	Iterations  int64    `json:"iterations"`
	NsPerOp     float64  `json:"ns_per_op"`
	BytesPerOp  *float64 `json:"bytes_per_op"`
	AllocsPerOp *float64 `json:"allocs_per_op"`
	Metrics     []Metric `json:"metrics,omitempty"` // custom ones, and MB/s
	Parallel    bool     `json:"parallel"`          // its work ran on several goroutines
	Profiled    bool     `json:"profiled"`
	// Calls of the benchmark's loop that each profile covers; 0: unknown.
	CPUIterations   int64  `json:"cpu_iterations"`
	MutexIterations int64  `json:"mutex_iterations"`
	BlockIterations int64  `json:"block_iterations"`
	AllocIterations int64  `json:"alloc_iterations"`
	MutexFraction   int64  `json:"mutex_fraction"` // of so many contentions the mutex profile samples one; 0: unknown
	Failure         string `json:"failure,omitempty"`
	// CourseIterations are those of the run that was watched over time.
	CourseIterations int64 `json:"course_iterations,omitempty"`
	// Scheduling is of the processes whose CPU profile was taken; nil: unknown.
	Scheduling *Scheduling `json:"scheduling,omitempty"`
}

// Scheduling is what the system's scheduler said of processes.
type Scheduling struct {
	WallNs     int64 `json:"wall_ns"`      // that it covers
	CPUNs      int64 `json:"cpu_ns"`       // of all threads
	RunDelayNs int64 `json:"run_delay_ns"` // of all threads: ready to run, and no processor was free
	ChildrenNs int64 `json:"children_ns"`  // part of the wall time with a process that it started
}

// Add adds another process's to s, which may be nil, and returns the sum.
func (s *Scheduling) Add(o Scheduling) *Scheduling {
	if s == nil {
		s = &Scheduling{}
	}
	s.WallNs += o.WallNs
	s.CPUNs += o.CPUNs
	s.RunDelayNs += o.RunDelayNs
	s.ChildrenNs += o.ChildrenNs
	return s
}

// Metric is a value a benchmark reported under a unit of its own.
type Metric struct {
	Unit  string  `json:"unit"`
	Value float64 `json:"value"`
}

// Artifact is one file of the recording.
type Artifact struct {
	Path      string `json:"path"` // slash-separated, inside the recording
	Kind      string `json:"kind"`
	Benchmark string `json:"benchmark,omitempty"`
	Part      string `json:"part,omitempty"` // of a cumulative profile: PartBefore, PartAfter; "" is the delta
	StartNs   int64  `json:"start_ns"`
	EndNs     int64  `json:"end_ns"`
	Bytes     int64  `json:"bytes"`
	SHA256    string `json:"sha256"`
	// Cost is what taking it cost the target, as a ratio of time; nil: unknown.
	Cost *float64 `json:"cost"`
}

// Program is a command that ran to its end, once or several times.
type Program struct {
	Args []string `json:"args"`
	Runs []Run    `json:"runs"`
	// MachineBusyRatio is the share of the machine's CPU time that anything used
	// from the first run's start to the last one's end; nil: unknown.
	MachineBusyRatio *float64 `json:"machine_busy_ratio"`
}

// Run is one run of a program, with the agent's instruments in it. Times are
// since the recording's origin; nil is unknown.
type Run struct {
	StartNs      int64  `json:"start_ns"`
	EndNs        int64  `json:"end_ns"`
	UserCPUNs    int64  `json:"user_cpu_ns"`
	SystemCPUNs  int64  `json:"system_cpu_ns"`
	MaxRSSBytes  *int64 `json:"max_rss_bytes"`
	ExitCode     int    `json:"exit_code"` // -1 when a signal ended it
	Signal       string `json:"signal,omitempty"`
	Ending       string `json:"ending"` // "exited", "cancelled", "timed out", "flooded"
	OutputBytes  int64  `json:"output_bytes"`
	AgentMissing string `json:"agent_missing,omitempty"` // why the run left no profiles
	// Scheduling is nil where the system does not say.
	Scheduling *Scheduling `json:"scheduling,omitempty"`
}

// Service is a server that was driven with load.
type Service struct {
	URL         string   `json:"url"`         // of the load; without a password
	Instruments string   `json:"instruments"` // "agent", "pprof" or "none": what the target offers
	Pprof       string   `json:"pprof"`       // base address of the instruments; without a password
	Started     bool     `json:"started"`     // by whet
	Args        []string `json:"args"`        // of the command that was started
	Load        Load     `json:"load"`
	// Requests that were completed while each kind of profile was taken; 0:
	// unknown.
	CPURequests   int64 `json:"cpu_requests"`
	MutexRequests int64 `json:"mutex_requests"`
	// GoroutineRequests are those between the two goroutine profiles.
	GoroutineRequests int64 `json:"goroutine_requests,omitempty"`
	AllocRequests     int64 `json:"alloc_requests"`
	Restarts          int   `json:"restarts"` // of the target while it was measured
	// OwnGC are the collections of garbage that whet asked the target for.
	OwnGC []Span `json:"own_gc,omitempty"`
	// Over the load phase; nil: unknown.
	TargetCPUNs      *int64   `json:"target_cpu_ns"`
	TargetPeakBytes  *int64   `json:"target_peak_bytes"`
	MachineBusyRatio *float64 `json:"machine_busy_ratio"` // share of the machine's CPU time that anything used
	ThrottledNs      *int64   `json:"throttled_ns"`       // by the control group of the target
	// BlockRateNs and MutexFraction are the rates in force; nil: unknown.
	BlockRateNs   *int64 `json:"block_rate_ns"`
	MutexFraction *int64 `json:"mutex_fraction"`
}

// Span is a while since the recording's origin.
type Span struct {
	StartNs int64 `json:"start_ns"`
	EndNs   int64 `json:"end_ns"`
}

// Load is what the generator did and saw. Service time runs from the actual
// send to the end of the answer's body.
type Load struct {
	Concurrency    int               `json:"concurrency"`
	WarmupNs       int64             `json:"warmup_ns"`
	StartNs        int64             `json:"start_ns"` // behind the warm-up
	EndNs          int64             `json:"end_ns"`
	Requests       int64             `json:"requests"` // completed, errors included
	Errors         map[string]int64  `json:"errors"`   // by kind
	Examples       map[string]string `json:"examples"` // one error of each kind
	Status         map[string]int64  `json:"status"`   // by status code
	Bytes          int64             `json:"bytes"`    // of bodies
	ThroughputPerS float64           `json:"throughput_per_s"`
	ServiceTimeNs  Times             `json:"service_time_ns"`
	GeneratorCPUNs *int64            `json:"generator_cpu_ns"` // nil: unknown
}

// Answered is the number of whole answers, whatever their status.
func (l *Load) Answered() int64 {
	var n int64
	for _, c := range l.Status {
		n += c
	}
	return n
}

// Times summarises a distribution of times in nanoseconds.
type Times struct {
	Min  int64   `json:"min"`
	Mean float64 `json:"mean"`
	P50  int64   `json:"p50"`
	P90  int64   `json:"p90"`
	P99  int64   `json:"p99"`
	P999 int64   `json:"p999"`
	Max  int64   `json:"max"`
}

// Cost is what an instrument costs the program it measures: its CPU time for a
// request with the instrument divided by that without, less 1, measured in
// pairs of slices in turns. Low and High enclose the median at 95 %.
type Cost struct {
	Instrument   string  `json:"instrument"`
	Text         string  `json:"text"`
	Pairs        int     `json:"pairs"`
	CPURatio     float64 `json:"cpu_ratio"`
	CPURatioLow  float64 `json:"cpu_ratio_low"`
	CPURatioHigh float64 `json:"cpu_ratio_high"`
}

// Unknown is one thing that could not be measured: what, why, and how to get
// it.
type Unknown struct {
	What string `json:"what"`
	Why  string `json:"why"`
	How  string `json:"how"`
}

// Source is the copy of one file that holds frames, stored as source/SHA256.
type Source struct {
	Frame   string `json:"frame"`             // the file's name in the profiles
	Path    string `json:"path"`              // for people: relative to the module, "GOROOT/src/...", "module@version/..."
	Module  string `json:"module,omitempty"`  // module path it belongs to, "std" for the standard library
	SHA256  string `json:"sha256"`            //
	Bytes   int64  `json:"bytes"`             //
	Differs string `json:"differs,omitempty"` // why it may not be what the binary was built from
}

// fillLists makes lists of what would be null in JSON: scripts iterate over
// them.
func (m *Manifest) fillLists() {
	for _, l := range []*[]string{
		&m.Command, &m.Warnings, &m.Plan.Selected, &m.Plan.LeftOut, &m.Plan.Instruments,
		&m.Build.OwnModules, &m.Build.Flags, &m.Build.Args, &m.Build.Settings,
	} {
		if *l == nil {
			*l = []string{}
		}
	}
	if m.Unknown == nil {
		m.Unknown = []Unknown{}
	}
	if m.Artifacts == nil {
		m.Artifacts = []Artifact{}
	}
	if m.Sources == nil {
		m.Sources = []Source{}
	}
}
