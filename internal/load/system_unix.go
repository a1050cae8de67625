//go:build unix

package load

import (
	"fmt"
	"syscall"
	"time"
)

// cpuTime returns the user and system time of this process; negative when unknown.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return -1
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// ownFiles is the number of file descriptors that this process needs besides its
// connections.
const ownFiles = 64

// enoughFiles raises the limit of file descriptors as far as the system lets
// it, and refuses connections that do not fit.
func enoughFiles(connections int) error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return nil // it will show
	}
	need := uint64(connections) + ownFiles
	if uint64(limit.Cur) >= need {
		return nil
	}
	if raised := limit; limit.Cur < limit.Max {
		raised.Cur = raised.Max
		if syscall.Setrlimit(syscall.RLIMIT_NOFILE, &raised) == nil {
			limit = raised
		}
	}
	if uint64(limit.Cur) >= need {
		return nil
	}
	return fmt.Errorf("%d connections need %d file descriptors, but the limit is %d: lower -c, or raise the limit (ulimit -n %d)",
		connections, need, limit.Cur, need)
}
