package exectrace

import (
	"strings"

	"whet/internal/symbolname"
)

// Wait is the reason of a goroutine's wait.
type Wait uint8

const (
	WaitUnknown   Wait = iota
	WaitNetwork        // a connection, or a file that can be polled
	WaitSync           // package sync, or a semaphore of the runtime
	WaitChannel        // send, receive
	WaitSelect         // select with several cases, or with none
	WaitSleep          // time.Sleep
	WaitCollector      // for the collector
	WaitSystem         // the runtime's own goroutines, waiting for work
)

// reasons are the reasons of traceBlockReasonStrings in the runtime's traceruntime.go.
// "forever" is a select without cases or a channel that is nil: its stack says which.
var reasons = map[string]Wait{
	"network": WaitNetwork, "sync": WaitSync, "sync.(*Cond).Wait": WaitSync, "chan send": WaitChannel, "chan receive": WaitChannel,
	"select": WaitSelect, "sleep": WaitSleep, "system goroutine wait": WaitSystem,
	"GC mark assist wait for work": WaitCollector, "GC background sweeper wait": WaitSystem, "wait until GC ends": WaitCollector, "GC weak to strong wait": WaitCollector,
}

// WaitFor returns the kind of a wait with a trace's reason.
func WaitFor(reason string) Wait { return reasons[reason] }

// WaitIn returns the kind of a wait by a function of its stack, from the leaf on: more
// reports that the function is the runtime's and its caller decides.
func WaitIn(function string) (w Wait, more bool) {
	pkg := symbolname.Package(function)
	switch {
	case function == "time.Sleep":
		return WaitSleep, false
	case strings.HasPrefix(function, "runtime.chanrecv"), strings.HasPrefix(function, "runtime.chansend"):
		return WaitChannel, false
	case function == "runtime.selectgo", function == "runtime.block":
		return WaitSelect, false
	case function == "runtime.netpollblock", strings.HasPrefix(function, "internal/poll.(*FD)."), strings.HasPrefix(function, "internal/poll.(*pollDesc)."):
		return WaitNetwork, false
	case function == "runtime.gcStart", function == "runtime.gcMarkDone", function == "runtime.gcAssistAlloc", function == "runtime.gcParkAssist", function == "runtime.GC":
		return WaitCollector, false
	case symbolname.Runtime(pkg):
		return WaitUnknown, true
	case pkg == "sync", strings.HasPrefix(pkg, "internal/"):
		return WaitSync, false
	}
	return WaitUnknown, false
}
