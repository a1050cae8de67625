package exectrace

import "whet/internal/callstack"

// Kind is the kind of an event.
type Kind uint8

const (
	Change       Kind = iota // Goroutine goes over From → To
	ProcChange               // Proc goes over From → To, which are Unknown, Gone, Idle and Running
	RangeBegin               // Range begins, on Goroutine, on Proc or for the whole process
	RangeActive              // Range was already in force: reported at the beginning of the trace, and perhaps again later
	RangeEnd                 // Range ends; of Sweep, Value bytes were swept and Arg bytes reclaimed
	Sample                   // Goroutine was on a processor, at Stack
	HeapLive                 // the heap has Value bytes
	HeapGoal                 // the collector is to begin so that it ends at Value bytes
	Procs                    // GOMAXPROCS is Value
	TaskBegin                // Actor begins task Value, of type Name, below task Arg (0: none)
	TaskEnd                  // Actor ends task Value
	RegionBegin              // Actor begins a region of type Name in task Value (0: none)
	RegionEnd                // Actor ends it
	Log                      // Actor logs in task Value, with Name as the category; see [Batch.Text]
	Label                    // Actor is labelled Name by the runtime
	Experimental             // of an experiment, whose meaning is its own
)

// State is the state of a goroutine or a processor.
type State uint8

const (
	Unknown  State = iota // before its first event: it has lived since before the trace
	Gone                  // not created yet, or ended
	Runnable              // ready, waiting for a processor
	Running               // on a processor; a processor is on a thread
	Waiting               // blocked, for Reason
	Syscall               // in a system call
	Idle                  // a processor that no thread has
)

var stateNames = [...]string{"unknown", "gone", "runnable", "running", "waiting", "syscall", "idle"}

func (s State) String() string { return stateNames[s] }

// Range is an activity of the collector over a period.
type Range uint8

const (
	OtherRange Range = iota // of a kind that newer Go versions may have
	MarkAssist              // a goroutine that allocates marks for the collector
	GC                      // the concurrent mark phase; no goroutine's
	StopWorld               // all goroutines but the one are stopped, for Reason
	Sweep                   // a processor sweeps; no goroutine's
)

// NoGoroutine, NoProc and NoThread stand where none is concerned.
const (
	NoGoroutine = -1
	NoProc      = -1
	NoThread    = 0
)

// StackID names a stack, and StringID a text, within one reading: equal ones have one
// number, from 1 on. 0 is none, or one that the trace lacks.
type (
	StackID  uint32
	StringID uint32
)

// Event is a single event. A cache line holds one.
type Event struct {
	TimeNs    int64  // since the trace's beginning; rises by at least 1 with each event
	Goroutine int64  // the goroutine that changes, is sampled or holds the range, else NoGoroutine
	Actor     int64  // the cause: for Change another goroutine, its creator or its waker; otherwise NoGoroutine
	Value     uint64 // see Kind
	Arg       uint64 // see Kind
	// Stack is where Goroutine is; where it begins, when it is created; where
	// Actor is, for kinds that are its own.
	Stack StackID
	// ActorStack is where Actor is, or the runtime on nobody's behalf, when
	// Goroutine changes.
	ActorStack StackID
	// Name is the runtime's word for why the goroutine waits or yields and why the
	// world stops; the type of a task or region, a log's category, a label.
	Name   StringID
	Proc   int32  // on which it happened, or that changes; else NoProc
	Thread uint32 // the last 32 bits of the number that the system has for it, else NoThread
	Kind   Kind
	From   State // To of the previous change
	To     State
	Range  Range
}

// Stack is a call stack. Equal frames of one reading are the same *callstack.Frame.
type Stack struct {
	Frames []*callstack.Frame // leaf first, at least one
}

// maxDepth is at how many frames the runtime cuts a stack, counted after
// inlining is expanded.
const maxDepth = 128

// Cut reports that frames towards the root may be missing.
func (s *Stack) Cut() bool { return len(s.Frames) >= maxDepth }

// Batch is a sequence of events, with the tables that their numbers refer to. It
// belongs to the reader: the next call overwrites it.
type Batch struct {
	Events []Event
	names  *names
	texts  *texts
}

// Stack returns the stack of a number, nil of 0. It stays valid.
func (b *Batch) Stack(id StackID) *Stack { return b.names.stacks[id] }

// String returns the text of a number, "" of 0.
func (b *Batch) String(id StringID) string { return b.names.strings[id] }

// Text returns the message of a Log event. Messages may be as many as
// events, and are not kept with the other strings.
func (b *Batch) Text(e *Event) string {
	if e.Kind != Log || b.texts == nil {
		return ""
	}
	return string(b.texts.string(e.Arg))
}

// Summary is the result of reading a trace, in addition to its events.
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
	Generations    int
	Warnings       []string
}
