//go:build unix

package host

import (
	"syscall"
	"time"
)

// usedCPU returns the CPU time of this process and of those that it started and
// that ended; 0: unknown.
func usedCPU() time.Duration {
	var sum time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) != nil {
			return 0
		}
		sum += time.Duration(syscall.TimevalToNsec(u.Utime) + syscall.TimevalToNsec(u.Stime))
	}
	return sum
}
