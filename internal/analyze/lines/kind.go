package lines

import "whet/internal/callstack"

// Kind is a kind of cost.
type Kind uint8

const (
	CPU          Kind = iota
	AllocBytes        // of the heap, since the beginning of the measurement
	AllocObjects      //
	InUseBytes        // live when the measurement ended
	InUseObjects      //
	Mutex             // delay of others, charged to the line that unlocks
	Block             // delay of goroutines that wait for a lock or a channel
	Sched             // ready, waiting for a processor: of execution traces, as the three below
	Sync              // waiting for a lock or a channel
	Network           // waiting for a connection
	Syscall           // in a system call
	NumKinds     = 11
)

// kinds are what is known of each.
var kinds = [NumKinds]struct{ name, unit, title string }{
	{"cpu", "nanoseconds", "CPU time"},
	{"alloc", "bytes", "allocated bytes"},
	{"alloc_objects", "count", "allocated objects"},
	{"inuse", "bytes", "bytes in use"},
	{"inuse_objects", "count", "objects in use"},
	{"mutex", "nanoseconds", "mutex delay"},
	{"block", "nanoseconds", "block delay"},
	{"trace_sched", "nanoseconds", "time waiting for a processor"},
	{"trace_sync", "nanoseconds", "time waiting for locks and channels"},
	{"trace_net", "nanoseconds", "time waiting for the network"},
	{"trace_syscall", "nanoseconds", "time in system calls"},
}

// String returns the kind's name in JSON.
func (k Kind) String() string { return kinds[k].name }

// Unit is pprof's: nanoseconds, bytes or count.
func (k Kind) Unit() string { return kinds[k].unit }

// Title names the kind for people.
func (k Kind) Title() string { return kinds[k].title }

// Costs are flat and cum by kind, each in its unit.
type Costs [NumKinds]callstack.Cost

// Zero reports whether there is no cost of any kind.
func (c *Costs) Zero() bool { return *c == Costs{} }

// Evidence is a column of a profile.
type Evidence struct {
	Kind    Kind
	Profile *callstack.Frames
	Column  int
	Keep    callstack.Keep // nil: all samples
}

// Account splits the samples of one kind.
type Account struct {
	Known bool  // there is a profile of the kind; where not, all of it is unknown and not zero
	Total int64 // of the profile's samples
	// Unplaced is the part whose innermost frame has no function, file or line.
	Unplaced int64
}
