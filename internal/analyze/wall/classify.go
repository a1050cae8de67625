package wall

import (
	"strings"

	"whet/internal/format/exectrace"
	"whet/internal/symbolname"
)

// class is the state that an interval counts for, and the part of it that a
// group keeps apart.
type class struct {
	state State
	part  part
}

// byWait are the states of who waits.
var byWait = [...]State{
	exectrace.WaitUnknown: Other, exectrace.WaitNetwork: Network, exectrace.WaitSync: Sync, exectrace.WaitChannel: Channel, exectrace.WaitSelect: Select,
	exectrace.WaitSleep: Sleep, exectrace.WaitCollector: GCAssist, exectrace.WaitSystem: Other,
}

type part uint8

const (
	noPart         part = iota
	downstreamPart      // a request waits for an answer to one of its own
	diskPart            // a system call on a file
	socketPart          // a system call on a socket, which does the work and does not wait
)

// waiting classes a wait by the runtime's reason and the stack, which may be
// nil; without a reason by the stack alone. waker is where the goroutine was
// that ended the wait, for when there is neither.
func waiting(reason string, at, waker *node, inRequest bool) class {
	w, from := exectrace.WaitFor(reason), at
	if reason == "" || reason == "forever" {
		w, from = unnamed(at)
	}
	state := byWait[w]
	switch {
	case reason == "forever" && w == exectrace.WaitUnknown:
		state = Select // the stack is not in the trace
	case reason == "" && at == nil:
		state = wokenBy(waker)
	case w == exectrace.WaitSync:
		state = semaphore(from)
	case w == exectrace.WaitNetwork:
		state = polled(at)
	}
	if inRequest && at != nil && !at.ownConn && (state == Network || at.client && (state == Select || state == Channel)) {
		return class{state, downstreamPart}
	}
	return class{state: state}
}

// polled tells pipes, which the poller waits for as it does for connections.
func polled(at *node) State {
	if at != nil && at.device == file {
		return Syscall
	}
	return Network
}

// semaphore tells what of package sync waits. The functions at the leaf that
// belong to it decide: a Once holds a Mutex while its function runs, and who
// waits for that waits for the function.
func semaphore(at *node) State {
	state := Sync
	for n := at; n != nil; n = n.parent {
		switch pkg := symbolname.Package(n.name); {
		case symbolname.Runtime(pkg):
			if n == at && (strings.HasPrefix(n.name, "runtime.gc") || strings.HasPrefix(n.name, "runtime.GC")) {
				return GCAssist // the collector's own locks
			}
		case pkg == "internal/poll":
			return Lock // a file or connection that another goroutine reads or writes
		case pkg != "sync" && pkg != "internal/sync":
			return state
		case strings.HasPrefix(n.name, "sync.(*Once)."):
			return Sync
		case strings.HasPrefix(n.name, "sync.(*WaitGroup)."):
			return Sync
		case strings.Contains(n.name, "Mutex)."):
			state = Lock
		}
	}
	return state
}

// unnamed tells a wait from its stack alone, and where in it the functions are that
// do: the trace states so of goroutines that waited before it began.
func unnamed(at *node) (exectrace.Wait, *node) {
	for n := at; n != nil; n = n.parent {
		if w, more := exectrace.WaitIn(n.name); !more {
			return w, n
		}
	}
	return exectrace.WaitUnknown, nil
}

// wokenBy tells a wait from the one who ended it.
func wokenBy(waker *node) State {
	for n := waker; n != nil && waker.depth-n.depth < 6; n = n.parent {
		switch {
		case hasAnyPrefix(n.name, []string{"runtime.chanrecv", "runtime.chansend", "runtime.closechan", "runtime.selectgo", "runtime.selectnb"}):
			return Channel
		case strings.Contains(n.name, "Mutex).") && (strings.HasPrefix(n.name, "sync.") || strings.HasPrefix(n.name, "internal/sync.")):
			return Lock
		case strings.HasPrefix(n.name, "sync.(*"):
			return Sync
		}
	}
	return Other
}

// called classes a system call.
func called(at *node) class {
	if at != nil {
		switch at.device {
		case socket:
			return class{Network, socketPart}
		case file:
			return class{Syscall, diskPart}
		}
	}
	return class{state: Syscall}
}
