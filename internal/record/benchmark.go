package record

import (
	"whet/internal/format/benchmark"
	"whet/internal/recording"
)

// Benchmarks are the benchmarks that a recording is of, as its manifest keeps them.
const Benchmarks = recording.Part[[]Benchmark](recording.BenchmarksKey)

// Benchmark is a benchmark as measured without instruments.
type Benchmark struct {
	Name        string             `json:"name"` // "BenchmarkX/sub=1", without the -GOMAXPROCS suffix
	Procs       int                `json:"procs"`
	Iterations  int64              `json:"iterations"`
	NsPerOp     float64            `json:"ns_per_op"`
	BytesPerOp  *float64           `json:"bytes_per_op"`
	AllocsPerOp *float64           `json:"allocs_per_op"`
	Metrics     []benchmark.Metric `json:"metrics,omitempty"` // custom ones, and MB/s
	Parallel    bool               `json:"parallel"`          // its work ran on several goroutines
	Profiled    bool               `json:"profiled"`
	// Calls of the benchmark's loop that each profile covers; 0: unknown.
	CPUIterations   int64  `json:"cpu_iterations"`
	MutexIterations int64  `json:"mutex_iterations"`
	BlockIterations int64  `json:"block_iterations"`
	AllocIterations int64  `json:"alloc_iterations"`
	MutexFraction   int64  `json:"mutex_fraction"` // of so many contentions the mutex profile samples one; 0: unknown
	Failure         string `json:"failure,omitempty"`
	// CourseIterations are those of the run that was watched over time.
	CourseIterations int64 `json:"course_iterations,omitempty"`
	// Turns are runs at one processor and at Procs, in pairs, as they followed each other; nil: it was
	// not asked how it grows with processors.
	Turns []Turn `json:"turns,omitempty"`
	// OneIterations are those that the CPU profile of the runs at one processor covers;
	// 0: unknown.
	OneIterations int64 `json:"one_iterations,omitempty"`
	// Scheduling is of the processes whose CPU profile was taken; nil: unknown.
	Scheduling *recording.Scheduling `json:"scheduling,omitempty"`
}

// Turn is a run of a benchmark's process at a number of processors, set-up with it.
type Turn struct {
	Procs      int     `json:"procs"`
	Iterations int64   `json:"iterations"`
	NsPerOp    float64 `json:"ns_per_op"`
	WallNs     int64   `json:"wall_ns"`
	CPUNs      int64   `json:"cpu_ns"`
	RunDelayNs *int64  `json:"run_delay_ns"` // of all threads: ready to run, and no processor was free; nil: unknown
}

// NewBenchmark returns a result as the manifest has it.
func NewBenchmark(name string, l benchmark.Line) Benchmark {
	return Benchmark{Name: name, Procs: l.Procs, Iterations: l.N, NsPerOp: l.NsPerOp, BytesPerOp: l.BytesPerOp, AllocsPerOp: l.AllocsPerOp, Metrics: l.Metrics}
}
