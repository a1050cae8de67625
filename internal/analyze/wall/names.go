package wall

import (
	"strings"

	"whet/internal/symbolname"
)

// isMechanism recognises packages whose functions say how a goroutine waits and
// not for what.
func isMechanism(pkg string) bool {
	return pkg == "runtime" || pkg == "sync" || pkg == "syscall" || strings.HasPrefix(pkg, "internal/")
}

var parking = []string{"sync.runtime_", "internal/sync.runtime_", "internal/sync.(*Mutex).", "internal/poll.runtime_", "internal/poll.(*pollDesc)."}

// isParking recognises the frames between a place that waits and the scheduler.
func isParking(name string) bool {
	switch name {
	case "runtime.gopark", "runtime.goparkunlock", "runtime.netpollblock", "runtime.semacquire1", "runtime.chanrecv", "runtime.chansend":
		return true
	}
	return hasAnyPrefix(name, parking)
}

// isLauncher recognises functions that begin a goroutine for the function they
// are given, and wrappers that the compiler makes for go statements.
func isLauncher(name string) bool {
	if _, kind := symbolname.Cut(name); kind == symbolname.GoCall {
		return true
	}
	return strings.HasPrefix(name, "sync.(*WaitGroup).Go.func") || strings.HasPrefix(name, "golang.org/x/sync/errgroup.(*Group).")
}
