package exectrace

import "whet/internal/callstack"

// Kind is what an event says.
type Kind uint8

const (
	Change      Kind = iota // Goroutine goes over From → To
	RangeBegin              // Range begins, on Goroutine or for the whole process
	RangeActive             // Range was in force before: said at the trace's begin, and perhaps again later
	RangeEnd                // Range ends
	Sample                  // Goroutine was on a processor, at Stack
)

// State is what a goroutine does.
type State uint8

const (
	Unknown  State = iota // before the trace said anything: it lived since before the trace
	Gone                  // not created yet, or ended
	Runnable              // ready, waiting for a processor
	Running               // on a processor
	Waiting               // blocked, for Reason
	Syscall               // in a system call
)

var stateNames = [...]string{"unknown", "gone", "runnable", "running", "waiting", "syscall"}

func (s State) String() string { return stateNames[s] }

// Range is what the collector does for a while.
type Range uint8

const (
	OtherRange Range = iota // of a kind that newer Go versions may have
	MarkAssist              // a goroutine that allocates marks for the collector
	GC                      // the concurrent mark phase; no goroutine's
	StopWorld               // all goroutines but the one are stopped, for Reason
	Sweep                   // a processor sweeps; no goroutine's
)

// NoGoroutine stands where no goroutine is concerned.
const NoGoroutine = -1

// Event is one thing that happened. It is the reader's: the next event
// overwrites it.
type Event struct {
	TimeNs    int64 // since the trace's beginning; never falls
	Kind      Kind
	From, To  State // From is what To of the goroutine's change before was
	Range     Range
	Goroutine int64 // the goroutine that changes, is sampled or holds the range, else NoGoroutine
	Actor     int64 // the goroutine that made Goroutine change: its creator, or who unblocked it; else NoGoroutine
	// Reason is the runtime's word for why the goroutine waits or yields, and
	// for why the world stops; "" if the trace has none.
	Reason string
	// Stack is where Goroutine is; where it begins, when it is created. Nil if
	// the trace has none.
	Stack *Stack
	// ActorStack is where Actor is, or the runtime on nobody's behalf.
	ActorStack *Stack
}

// Stack is a call stack. Within one reading, equal stacks are the same *Stack,
// and equal frames the same *callstack.Frame.
type Stack struct {
	Frames []*callstack.Frame // leaf first, at least one
}

// maxDepth is at how many frames the runtime cuts a stack, counted after
// inlining is expanded.
const maxDepth = 128

// Cut reports that frames towards the root may be missing.
func (s *Stack) Cut() bool { return len(s.Frames) >= maxDepth }

// Summary is what a reading says beside its events.
type Summary struct {
	// GoVersion is the format's: the first release that wrote it.
	GoVersion string
	// EndNs is the time of the last event.
	EndNs int64
	// MonoNs is the process's own monotonic clock at the trace's beginning, and
	// WallNs the wall time, both 0 when unknown: formats before Go 1.25 do not
	// say.
	MonoNs, WallNs int64
	Events         int // handed out
	Warnings       []string
}
