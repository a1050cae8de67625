package load

import (
	"syscall"
	"time"
)

// cpuTime returns the user and system time of this process; negative when unknown.
func cpuTime() time.Duration {
	process, err := syscall.GetCurrentProcess()
	if err != nil {
		return -1
	}
	var creation, exit, kernel, user syscall.Filetime
	if err := syscall.GetProcessTimes(process, &creation, &exit, &kernel, &user); err != nil {
		return -1
	}
	// Both count 100 ns since they began. Filetime.Nanoseconds would take them
	// for dates.
	ticks := func(f syscall.Filetime) int64 { return int64(f.HighDateTime)<<32 | int64(f.LowDateTime) }
	return time.Duration((ticks(kernel) + ticks(user)) * 100)
}

// enoughFiles has nothing to look at: the system has no such limit.
func enoughFiles(int) error { return nil }
