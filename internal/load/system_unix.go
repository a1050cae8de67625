//go:build unix

package load

import (
	"syscall"
	"time"
)

var (
	refusedErrnos = []syscall.Errno{syscall.ECONNREFUSED}
	resetErrnos   = []syscall.Errno{syscall.ECONNRESET, syscall.EPIPE, syscall.ECONNABORTED}
)

// cpuTime is the user and system time of this process; negative when unknown.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return -1
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
