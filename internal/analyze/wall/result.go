package wall

import "whet/internal/callstack"

// State is a goroutine's state.
type State uint8

const (
	Running   State = iota // on a processor
	Runnable               // ready, waiting for a processor
	Lock                   // sync.Mutex, RWMutex
	Sync                   // sync.WaitGroup, Cond, Once
	Channel                // send, receive
	Select                 // select with several cases
	Network                // a connection: read, write, accept, dial
	Syscall                // a system call not on a connection: files, processes
	Sleep                  // time.Sleep, timers
	GCAssist               // made to work for the collector, or waiting for it
	Other                  // anything else that the runtime calls blocked
	NumStates = 11
)

var stateNames = [NumStates]string{"running", "runnable", "lock", "sync", "channel", "select", "network", "syscall", "sleep", "gc assist", "other"}

func (s State) String() string { return stateNames[s] }

// Result is the analysis of the traces of one process.
type Result struct {
	CoveredNs int64   // wall time the traces cover
	Groups    []Group // handlers first, then goroutine kinds; each by total time, falling
	// Profile has one column of nanoseconds per state and "wall", their sum,
	// as its default; each sample is the stack where the time went, with the
	// labels "group", of requests "handler", and of time in which the goroutine
	// worked for a task of runtime/trace "task", the type of that. Time in which a goroutine
	// waits for its next request or its next job is in it under the state it
	// has, but in no handler's group. Requests that the beginning or the end of
	// a trace cuts are in it and in no group's figures.
	Profile  *callstack.Frames
	Warnings []string
}

// Group is the requests of one handler, or the goroutines that one function
// starts, outside of requests.
type Group struct {
	Name    string // function: the handler, or the start function
	Handler bool
	Count   int64            // requests that lie whole in a trace, or goroutines
	Ns      [NumStates]int64 // of those requests; of goroutines all that the traces hold
	// Downstream is the part of Network, Select and Channel in which a request
	// waited for an answer to a request of its own: HTTP client, database, RPC.
	DownstreamNs int64
	// Disk is the part of Syscall spent on files.
	DiskNs int64
	// Socket is the part of Network spent in system calls on connections: these
	// do not wait, the kernel works in them. Network less Socket is waiting.
	SocketNs int64
	// Calls are where whole requests wait for answers to requests of their own, by
	// time, falling: at most maxCalls.
	Calls []Call
	// Where each state's time mostly went: the innermost function that is not of
	// the standard library, else the innermost that is not of the runtime, sync,
	// syscall or an internal package; "" where the state has none.
	Where [NumStates]string
}

// Call is the waits for answers at one stack, in the requests of one handler.
type Call struct {
	Stack    []callstack.Frame // leaf first
	Requests int64             // that wait there at least once
	Count    int64             // how often they do
	Ns       int64
}

const maxCalls = 50

// Total returns the group's time in all states.
func (g *Group) Total() int64 {
	var sum int64
	for _, ns := range g.Ns {
		sum += ns
	}
	return sum
}
