package sched

import (
	"strings"

	"whet/internal/callstack"
	"whet/internal/format/exectrace"
	"whet/internal/symbolname"
)

// placeOf returns the frame of a stack at [Leaf].
func placeOf(s *exectrace.Stack) *callstack.Frame {
	if s == nil {
		return nil
	}
	return s.Frames[Leaf(s.Frames)]
}

// Leaf returns the index in a stack, leaf first, of the innermost frame that is not part
// of the waiting itself: outside of the runtime and sync and, if there is such a frame, of
// the packages through which programs read and write.
func Leaf(frames []*callstack.Frame) int {
	first := -1
	for i, f := range frames {
		switch pkg := symbolname.Package(f.Function); {
		case f.Function == "time.Sleep", pkg == "runtime", pkg == "sync", pkg == "syscall", pkg == "golang.org/x/sys/unix", strings.HasPrefix(pkg, "internal/"):
		case pkg == "net", pkg == "bufio", pkg == "io", pkg == "os", pkg == "time", pkg == "crypto/tls":
			if first < 0 {
				first = i
			}
		default:
			return i
		}
	}
	return max(first, 0)
}

// waitsBy returns the function of package sync that a stack waits in, as the program calls
// it: Once.Do rather than the lock in it.
func waitsBy(s *exectrace.Stack) (by string) {
	if s == nil {
		return ""
	}
	for _, f := range s.Frames {
		switch pkg := symbolname.Package(f.Function); {
		case pkg == "sync":
			by = f.Function
		case pkg == "runtime", strings.HasPrefix(pkg, "internal/"):
		default:
			return by
		}
	}
	return by
}

// shown returns the state of a wait where its stack says more than the runtime's reason.
// Semaphores of the runtime itself have the reason of a lock: one at which a goroutine
// that allocates waits for the collector to begin or to end marking is no lock of the
// program's. And what began before the trace, or before a generation that states its
// stack, has no reason.
func (a *analysis) shown(s State, stack exectrace.StackID) State {
	if s != Sync && s != Other || stack == 0 {
		return s
	}
	memo := &a.byStack[b2i(s == Other)]
	if int(stack) >= len(*memo) {
		*memo = append(*memo, make([]State, int(stack)+1-len(*memo))...)
	}
	if (*memo)[stack] == 0 {
		if shown := a.batch.Stack(stack); shown != nil {
			(*memo)[stack] = waitIn(s, shown) + 1
		} else {
			return s
		}
	}
	return (*memo)[stack] - 1
}

// waitIn finds a state in the frames of the runtime that a stack begins with.
func waitIn(s State, stack *exectrace.Stack) State {
	for _, f := range stack.Frames {
		switch w, more := exectrace.WaitIn(f.Function); {
		case more:
		case w == exectrace.WaitUnknown, s != Other && w != exectrace.WaitCollector:
			return s
		default:
			return byWait[w]
		}
	}
	return s
}
