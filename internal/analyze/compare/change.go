package compare

// Change is the reason that one benchmark changed: the differences between the CPU and
// allocation profiles of both sides, each per operation, that exceed their error, and
// between the compiler's decisions.
type Change struct {
	Package   string `json:"package"`
	Benchmark string `json:"benchmark"` // "BenchmarkX/sub=1"
	// Turns is the number of CPU-profiled processes of each side, and Iterations the
	// number of iterations of each: the same on both sides.
	Turns      int   `json:"turns"`
	Iterations int64 `json:"iterations"`
	// SamplesOld and SamplesNew are those of the measured code in the CPU profiles.
	SamplesOld int64 `json:"samples_old"`
	SamplesNew int64 `json:"samples_new"`
	// ConfidenceRatio is the probability that nothing is listed between equal
	// sides, for each kind of profile; every Error is at it.
	ConfidenceRatio float64 `json:"confidence_ratio"`
	// Classes are the sums of the measured code ("base"), set-up, the harness
	// and the runtime's background work, in this order; together they are the
	// whole profiles.
	Classes []ClassChange `json:"classes"`
	// Functions of the measured code, those that account for most first.
	Functions []FunctionChange `json:"functions"`
	Warnings  []string         `json:"warnings"`
}

// ClassChange is a part of the process, per operation.
type ClassChange struct {
	Class  string `json:"class"`
	CPUNs  *Delta `json:"cpu_ns_per_op"` // nil: there is no such profile
	Bytes  *Delta `json:"alloc_bytes_per_op"`
	Allocs *Delta `json:"allocs_per_op"`
}

// FunctionChange is a function that differs in at least one kind of profile.
type FunctionChange struct {
	// Function is the name on the new side, on the old one where only that has
	// it. Literals of a function that cannot be told apart across the sides share
	// one name: "pkg.F.func".
	Function string `json:"function"`
	File     string `json:"file"`           // as the profiles have it
	Only     string `json:"only,omitempty"` // "old" or "new": the other side's binary has no such function
	// Nil where neither flat nor cum differs by more than its error.
	CPUNs  *FlatCum `json:"cpu_ns_per_op,omitempty"`
	Bytes  *FlatCum `json:"alloc_bytes_per_op,omitempty"`
	Allocs *FlatCum `json:"allocs_per_op,omitempty"`
	// Decisions of the compiler on this function that differ.
	Decisions []Decision `json:"decisions,omitempty"`
}

// FlatCum is a function's cost by itself and including its callees.
type FlatCum struct {
	Flat Delta `json:"flat"`
	Cum  Delta `json:"cum"`
}

// Delta is a value per operation on both sides. The true difference lies
// within Error of New − Old.
type Delta struct {
	Old   float64 `json:"old"`
	New   float64 `json:"new"`
	Error float64 `json:"error"`
}

// Diff is New − Old.
func (d Delta) Diff() float64 { return d.New - d.Old }

// Differs reports whether the difference is more than its error.
func (d Delta) Differs() bool { return d.Diff() > d.Error || -d.Diff() > d.Error }

// Decision is a decision that the compiler made on one side only.
type Decision struct {
	Side string `json:"side"` // "old" or "new"
	Kind string `json:"kind"` // as in package format/compiler: "escapes", "moved", "stays", "inlines", "can-inline", "cannot-inline"
	Text string `json:"text"` // "moved to heap: buf", "inlining call to strings.ToLower"
	File string `json:"file"`
	Line int    `json:"line"`
}
