//go:build go1.26

package agent

import "syscall"

// cpuTimes returns the CPU time of the process in user and system mode, in
// nanoseconds.
func cpuTimes() (user, system int64, ok bool) {
	self, err := syscall.GetCurrentProcess()
	if err != nil {
		return 0, 0, false
	}
	var created, exited, inKernel, inUser syscall.Filetime
	if err := syscall.GetProcessTimes(self, &created, &exited, &inKernel, &inUser); err != nil {
		return 0, 0, false
	}
	return spent(inUser), spent(inKernel), true
}

// spent returns a duration in units of 100 ns.
func spent(t syscall.Filetime) int64 {
	return (int64(t.HighDateTime)<<32 | int64(t.LowDateTime)) * 100
}

func peakBytes() (int64, bool) { return 0, false }
