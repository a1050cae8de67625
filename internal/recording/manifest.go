package recording

import (
	"strings"
	"time"
)

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
	KindLeaked      = "goroutineleak" // leaks proved by the runtime, with GOEXPERIMENT=goroutineleakprofile
	KindWall        = "wall"          // where goroutines spent their time, computed from the traces
	KindTrace       = "trace"
	KindFlight      = "flight"     // a flight recorder's snapshot: a trace too
	KindMetrics     = "metrics"    // one JSON row each 100 ms: format/metrics
	KindGC          = "gctrace"    // GODEBUG=gctrace=1, as the runtime wrote it
	KindLoad        = "load"       // one JSON row a second
	KindLoadRun     = "load-run"   // settings and result of a load
	KindHistograms  = "histograms" // HdrHistogram interval log
	KindKnee        = "knee"       // result of a search, a document as -json prints it
	KindBinary      = "binary"
	KindBench       = "bench"       // Go benchmark format
	KindDiagnostics = "diagnostics" // the compiler's -m=2 text
	KindTypes       = "types"       // typeview.View: the types imported by the stored sources
	KindDiff        = "diff"        // the working tree against the revision
	KindOutput      = "output"      // output of the target, bounded
	KindFindings    = "findings"
	KindProof       = "prove" // the result of whet prove, a document as -json prints it
)

// Parts of cumulative profiles, which count since the process began. The analyses read
// the delta, which has no part. For states, PartBefore is an earlier moment of the run,
// and no part means its end. For a search for the knee, PartBefore is the level that
// the knee is compared with. PartOne is of runs on one processor, for comparison with a
// parallel benchmark.
const (
	PartBefore = "before"
	PartAfter  = "after"
	PartOne    = "one-processor"
	// PartWorst is the flight recorder's snapshot around the slowest request. It is no
	// sample of the load: sums over traces leave it out.
	PartWorst = "worst"
)

// Manifest is recording.json. JSON keys are only ever added within a schema
// version.
type Manifest struct {
	Schema  string    `json:"schema"`
	Tool    string    `json:"tool"`              // version of whet that wrote it
	Kind    string    `json:"kind"`              // of the target: TargetBenchmark, ...
	Target  string    `json:"target"`            // the operand as the user gave it
	Command []string  `json:"command"`           // whet's own arguments
	Origin  time.Time `json:"origin"`            // wall time of 0 ns
	EndNs   int64     `json:"end_ns"`            // when the recording ended
	Partial string    `json:"partial,omitempty"` // why it is not whole; "" when it is
	// DefaultName is the name that whet chose, without a number and ".whet"; ""
	// where the user chose it.
	DefaultName string `json:"default_name,omitempty"`
	Host        Host   `json:"host"`
	Build       Build  `json:"build"`
	Plan        Plan   `json:"plan"`
	// Unknown lists what the target does not offer. It is not zero.
	Unknown   []Unknown  `json:"unknown"`
	Artifacts []Artifact `json:"artifacts"`
	Sources   []Source   `json:"sources"`
	Warnings  []string   `json:"warnings"`

	parts map[string]any // of products: as read, or pointers to the values to write
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
	// ThreadsPerCore is how many of the machine's processors share one core.
	ThreadsPerCore *int `json:"threads_per_core,omitempty"`
	// Limits of the control group, v1 or v2, as Cgroup says. Nil: no limit or none
	// readable.
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

// Build describes the build of the measured binary.
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

// Plan is the plan of a recording; the difference from the recording is missing data.
type Plan struct {
	BudgetNs    int64    `json:"budget_ns"`
	BenchTime   string   `json:"benchtime"`
	MinSamples  int      `json:"min_samples"`      // of the base, for each benchmark's CPU profile
	Selected    []string `json:"selected"`         // benchmarks profiled, in order of rank
	LeftOut     []string `json:"left_out"`         // ranked too low for the budget
	Reason      string   `json:"reason,omitempty"` // why some were left out
	Instruments []string `json:"instruments"`
}

// Scheduling is the system scheduler's figures for processes.
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

// Artifact is a file of the recording.
type Artifact struct {
	Path      string `json:"path"` // slash-separated, inside the recording
	Kind      string `json:"kind"`
	Benchmark string `json:"benchmark,omitempty"`
	Part      string `json:"part,omitempty"` // PartBefore, PartAfter, PartOne; of a cumulative profile "" is the delta
	StartNs   int64  `json:"start_ns"`
	EndNs     int64  `json:"end_ns"`
	Bytes     int64  `json:"bytes"`
	SHA256    string `json:"sha256"`
	Packed    string `json:"packed,omitempty"` // "gzip": Read unpacks it; Bytes and SHA256 are of the file as it is stored
	// Cost is the cost of taking it to the target, as a ratio of time; nil: unknown.
	Cost *float64 `json:"cost"`
}

// Span is a while since the recording's origin.
type Span struct {
	StartNs int64 `json:"start_ns"`
	EndNs   int64 `json:"end_ns"`
}

// Unknown is missing data, with the reason and the way to get it.
type Unknown struct {
	What string `json:"what"`
	Why  string `json:"why"`
	How  string `json:"how"`
}

// Source is the copy of one file, stored as source/SHA256, or compressed: of each file
// with frames, and of the other Go files of the user's packages with such a file.
type Source struct {
	Frame     string `json:"frame"`                // the file's name in the profiles, or the name it would have
	Path      string `json:"path"`                 // for people: relative to the module or its workspace, "GOROOT/src/...", "module@version/..."
	Module    string `json:"module,omitempty"`     // module path it belongs to, "std" for the standard library
	ModuleDir string `json:"module_dir,omitempty"` // of a module in a workspace, where it lies in that: Path begins with it
	SHA256    string `json:"sha256"`               // of the file, not of its packed copy
	Bytes     int64  `json:"bytes"`                // of the file
	Packed    string `json:"packed,omitempty"`     // "gzip": the copy is source/SHA256.gz
	Differs   string `json:"differs,omitempty"`    // why it may differ from the file that was built
}

// Subject names what was measured: the target, or the package if the target is relative
// to the user's directory, such as . and ./... .
func (m *Manifest) Subject() string {
	if IsVague(m.Target) && m.Build.Package != "" {
		return m.Build.Package
	}
	return m.Target
}

// IsVague reports whether a target has no meaning without the directory in which it was
// named: ., .., or a pattern.
func IsVague(target string) bool {
	return strings.Contains(target, "...") || strings.Trim(target, "./") == ""
}

// Find returns the artifacts of one kind, of one benchmark unless benchmark is
// "", of those that it [Chooses]. Of a cumulative profile that is the delta of
// the run.
func (m *Manifest) Find(kind, benchmark string) []Artifact {
	return m.FindPart(kind, "", benchmark)
}

// FindPart is Find for another part than the delta.
func (m *Manifest) FindPart(kind, part, benchmark string) (out []Artifact) {
	for _, a := range m.Artifacts {
		if a.Kind == kind && a.Part == part && (benchmark == "" || Chooses(benchmark, a.Benchmark)) {
			out = append(out, a)
		}
	}
	return out
}

// fillLists replaces null lists by empty ones: scripts iterate over them.
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
