package diagnose

import (
	"go/token"
	"time"

	"whet/internal/analyze/hot"
	"whet/internal/analyze/wall"
	"whet/internal/callstack"
	"whet/internal/format/gctrace"
	"whet/internal/recording"
	"whet/internal/typed"
)

// Subject is everything known about one benchmark: the input of the rules. Any
// profile may be nil. Rules change nothing in it.
type Subject struct {
	// Benchmark is "BenchmarkX/sub", or the name of another target: the
	// command of a program, the URL of a service.
	Benchmark string
	// Kind is the kind of target: recording.TargetBenchmark, ... In a program all
	// code is the measured code; in a service an iteration is a request.
	Kind    string
	Package string // import path of the package under test
	Module  string // path of its module; "" when unknown
	// Modules are all modules whose source the user owns: Module, and the
	// others of a workspace or replaced by a directory.
	Modules []string

	// Pool names the benchmarks whose CPU and allocation profiles these are the sum
	// of, where each alone has too few samples; nil: it is one benchmark.
	Pool []string

	// Lone is set if there is only one profile, and whet could not have recorded more.
	Lone bool

	CPU       *hot.Classified // sample types samples/count, cpu/nanoseconds
	CPUColumn int             // the cpu/nanoseconds column
	Allocs    *hot.Classified // alloc_objects, alloc_space, inuse_objects, inuse_space; of benchmarks every one is counted
	AllocCol  int             // the alloc_space column
	Mutex     *hot.Classified // contentions/count, delay/nanoseconds
	MutexCol  int
	Block     *hot.Classified // contentions/count, delay/nanoseconds
	BlockCol  int

	// Scheduling is of the processes that the CPU profile is of; nil: unknown.
	Scheduling *recording.Scheduling

	// Inits are the initializations of packages in one of a program's runs, as the
	// runtime counts them; none if that was not recorded.
	Inits []gctrace.Init

	// Trace is the waiting in execution traces; nil if there are none.
	Trace *Trace

	// Goroutines and Heap are states of the target in the order of time, the
	// last of them that of its end; a single one does not show growth.
	Goroutines, Heap []Snapshot
	Proven           *Snapshot // goroutines that the runtime proves to be leaked; nil: it was not asked
	// GoroutineCount and LiveHeap are the rise of their number and of the
	// live bytes.
	GoroutineCount, LiveHeap Rise
	// Operations are those between the first and the last of Goroutines, of a
	// benchmark all of its run; HeapOperations the same of Heap. 0: unknown.
	Operations, HeapOperations int64

	// Procs is the number of processors of the measured code, GOMAXPROCS; 0
	// unknown.
	Procs int

	// Processors is the speedup of a parallel benchmark with processors; nil if it was
	// not measured.
	Processors *Processors

	// Run has the other measurements of a program's or service's run; nil for
	// benchmarks.
	Run *Conditions

	// Iterations of the benchmark's loop that each profile covers; 0 unknown.
	// They bring the delay of one run and the CPU time of another to one scale.
	CPUIterations   int64
	MutexIterations int64
	BlockIterations int64

	// MutexFraction is the number of contentions of which the mutex profile sampled
	// one, and as which it counts that; 0: unknown. The block profile counts every
	// wait that is longer than its rate.
	MutexFraction int64

	AllocIterations int64   // calls of the benchmark's loop that Allocs covers
	NsPerOp         float64 // without instruments
	BytesPerOp      float64 // without instruments; -1 unknown
	AllocsPerOp     float64 // without instruments; -1 unknown
	CPUPeriod       time.Duration

	Source Sources
	Loops  *hot.Loops
	// Program is the measured program as the type checker sees it; nil where the
	// recording has no types. It may serve several subjects, one at a time.
	Program *typed.Program
	// Decisions returns the compiler's decisions on a line that are worth showing. It is
	// called after all rules; nil: none are known.
	Decisions func(SourceLine) []string

	// Filled on demand: a subject is used by one goroutine at a time.
	fset  *token.FileSet // of all files: the type checker tells them apart by it
	files map[string]*sourceFile
	owned map[*callstack.Frame]bool // frames are interned: few, and asked about for every sample
	once  map[any]any               // see Once
}

// Once returns the result of make for a subject, computed on first use; the type of
// key must be the caller's own.
func Once[T any](s *Subject, key any, make func(*Subject) T) T {
	if v, ok := s.once[key]; ok {
		return v.(T)
	}
	v := make(s)
	if s.once == nil {
		s.once = map[any]any{}
	}
	s.once[key] = v
	return v
}

// Conditions are the measurements beside its profiles that the verdict on a program or
// a service uses. Nil pointers are unknown.
type Conditions struct {
	WallNs         int64    // that the figures cover
	Cores          int      // the target may use: GOMAXPROCS, at most the control group's limit
	GeneratorCores int      // the load generator may use; 0: unknown
	MachineCores   int      // of the generator's machine; 0: unknown
	TargetCPUNs    *int64   // used by the target in WallNs
	GeneratorCPUNs *int64   // used by the load generator; services only
	MachineBusy    *float64 // share of that machine's CPU time that anything used, in [0,1]
	ThrottledNs    *int64   // the control group held the target back
	Requests       int64    // answered in WallNs; services only
	Concurrency    int      // requests in flight at most; services only
	ServiceTimeNs  float64  // of a request on average; 0: unknown
	SameRequest    bool     // the load sent one and the same request throughout; services only
	Wall           *wall.Result
	Growth         []string // what rose all along, each a clause: "goroutines rose steadily by 9.6 a second"
}

// Sources finds the text of a frame's file, and its name for people.
type Sources interface {
	// Text returns the file's content, nil when it is not recorded.
	Text(frameFile string) []byte
	// Display returns the name to print: relative to the module's root where
	// it lies inside it.
	Display(frameFile string) string
}

// display returns a frame's file for people.
func (s *Subject) display(file string) string {
	if s.Source == nil {
		return file
	}
	return s.Source.Display(file)
}

// Keep selects samples of a profile; see callstack.Keep.
type Keep = callstack.Keep
