//go:build go1.26 && unix

package agent

import "syscall"

// cpuTimes returns the CPU time of the process in user and system mode, in
// nanoseconds.
func cpuTimes() (user, system int64, ok bool) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, 0, false
	}
	return u.Utime.Nano(), u.Stime.Nano(), true
}
