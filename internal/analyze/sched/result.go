package sched

import (
	"whet/internal/callstack"
	"whet/internal/format/exectrace"
	"whet/internal/hist"
)

// State is a goroutine's state.
type State uint8

const (
	Running   State = iota
	Runnable        // ready, waiting for a processor
	Syscall         // in a system call
	Network         // blocked: a connection
	Sync            // sync.Mutex, RWMutex, Cond, WaitGroup, Once
	Channel         // send, receive
	Select          // select with several cases
	Sleep           // time.Sleep
	Collector       // for the collector
	System          // the runtime's own goroutines, waiting for work
	Other           // for a reason that is not known, or of another kind
	NumStates = 11
)

var stateNames = [NumStates]string{"running", "runnable", "syscall", "network", "sync", "channel", "select", "sleep", "collector", "system", "other"}

func (s State) String() string { return stateNames[s] }

// byWait are the states of who waits.
var byWait = [...]State{
	exectrace.WaitUnknown: Other, exectrace.WaitNetwork: Network, exectrace.WaitSync: Sync, exectrace.WaitChannel: Channel, exectrace.WaitSelect: Select,
	exectrace.WaitSleep: Sleep, exectrace.WaitCollector: Collector, exectrace.WaitSystem: System,
}

// Result is the analysis of one trace.
type Result struct {
	exectrace.Summary
	SpanNs     int64 // of the selection: from the first event to the last, or the given window
	Goroutines Goroutines
	Procs      []Proc  // by number
	Chosen     []int64 // the only goroutines that count; none: all
	FromNs     int64   // start of the selection, in the trace's time
	GOMAXPROCS int     // the most at a time; 0 when the trace does not say
	StepNs     int64
	// BusyNs[k] is for how long k processors ran at once.
	BusyNs []int64
	// Kinds are the goroutines by start function, by total time without System, falling.
	Kinds   []Kind
	Latency hist.Histogram // from ready to running, each wait
	// ReadyIdleNs is the part of these in which a processor was idle: the operating
	// system had not run its thread yet.
	ReadyIdleNs int64
	Worst       []Delay // the longest of these, falling
	Edges       []Edge  // by delay, falling
	Waits       []Wait  // by time, falling; without System
	Task        *Task   // the selected task; nil without one
	Path        []Step  // the critical path from its end back to its beginning, if asked for
	GC          GC
	MMU         []Utilization // by length of the window, rising; windows longer than the span are left out
	Tasks       []Span        // by type, total falling
	Regions     []Span

	stacks []stackWait
	names  []*exectrace.Stack // by number
}

// Goroutines counts them.
type Goroutines struct {
	Before  int // lived when the trace began
	Created int
	Ended   int
	Most    int // at a time
	Ns      [NumStates]int64
}

// Proc is a processor.
type Proc struct {
	Number            int32
	RunningNs, IdleNs int64
	Course            []int64 // running in each step of [Result.StepNs], of at most 64; the last may be cut
}

// Kind is the goroutines that one function starts.
type Kind struct {
	Start     string // the function; "" when no stack shows it
	Count     int
	Ns        [NumStates]int64
	AssistNs  int64 // marking for the collector, with the waits meanwhile; also in the states
	AssistRan int64 // and the part of it in which they ran
	AloneNs   int64 // running while no other processor did
	LongestID int64
	LongestNs int64 // life of that
	// LongestWait is the longest wait of that one; nil: it did not wait, or no stack is known.
	LongestWait *LongWait
	SweepNs     int64 // made to sweep for the collector; also in the states

	wait lastingWait
}

// LongWait is a wait of a goroutine.
type LongWait struct {
	State State
	Ns    int64
	Stack []*callstack.Frame // leaf first
}

// TotalNs returns the time in all states.
func (k *Kind) TotalNs() int64 { return total(&k.Ns) }

func total(ns *[NumStates]int64) (sum int64) {
	for _, v := range ns {
		sum += v
	}
	return sum
}

// Delay is a wait for a processor.
type Delay struct {
	Goroutine    int64
	Start        string // its start function
	FromNs, ToNs int64
	// Ran lists the work on all processors meanwhile, by decreasing time: the
	// goroutines of up to three start functions. RanNs is the time of all.
	Ran   []RunTime
	RanNs int64
}

// RunTime is the running time of the goroutines of one start function.
type RunTime struct {
	Start string
	Ns    int64
}

// Edge counts the waits at one line that goroutines at another line ended.
type Edge struct {
	Waker, Waiter *callstack.Frame // nil: the runtime; unknown
	Count         int64
	DelayNs       int64 // the waits that ended
}

// Wait sums the time that goroutines were blocked, or in a system call, at one line.
type Wait struct {
	State State
	Place *callstack.Frame // nil: unknown
	By    string           // the function of package sync that waits; "" of other states
	Count int64            // that ended
	// Waiting is how many goroutines still wait when the trace ends, and Forever how
	// many of them the trace has from their creation on.
	Waiting, Forever int64
	Ns               int64 // of all, also of those that do not end
	LongestNs        int64
	LongestAt        int64 // when that began
	LongestID        int64 // the goroutine of that
	IdleNs           int64 // the part in which no processor ran
	// EndsIdleNs is the time without a running processor that ended with one of these:
	// the time the program waited for it. They sum to at most its idle time.
	EndsIdleNs int64
	// SpareNs is for how long at least one of them waited while a processor was idle, each
	// moment once; RanNs is what they had run since their waits before, of the waits that
	// ended. Of a place with several stacks SpareNs is that of the one with the most.
	SpareNs, RanNs int64

	now     int   // who wait
	spareAt int64 // since the first of them
}

// GC sums the collector's work.
type GC struct {
	Cycles   int // that end in the trace
	MarkNs   int64
	AssistNs int64 // as of kinds
	// AssistRan is the part of it in which they ran.
	AssistRan int64
	SweepNs   int64
	Pauses    []Pause // by total, falling
}

// Pause is the stops of the world for one reason.
type Pause struct {
	Reason string
	Count  int
	Ns     int64
	MostNs int64
	MostAt int64 // when that began
}

// Span is the tasks or regions of one type.
type Span struct {
	Type       string
	Count      int // that begin and end in the trace
	Unfinished int
	Times      hist.Histogram
	Ns         int64 // sum of their times
	// In is the time of goroutines by state meanwhile: for regions their own, for tasks
	// the goroutines that began them, as long as these live.
	In        [NumStates]int64
	InNs      int64      // the sum of that
	SlowestID uint64     // of a task
	SlowestAt int64      // when it began
	Slowest   []Instance // up to three, falling
}

// Instance is a task or region.
type Instance struct {
	Task      uint64
	Goroutine int64 // whose region it is, or that began the task; -1: unknown
	AtNs, Ns  int64
	In        [NumStates]int64 // of the goroutine; all 0 where it is unknown
}

// Blocking is a kind of blocking profile.
type Blocking uint8

const (
	BlockedNetwork Blocking = iota
	BlockedSync             // channels, select and sync, as go tool trace has it
	BlockedSyscall
	BlockedSched // from ready to running
	numBlocks    = 4
)

var blockNames = [numBlocks]string{"net", "sync", "syscall", "sched"}

func (b Blocking) String() string { return blockNames[b] }

type count struct{ n, ns int64 }
