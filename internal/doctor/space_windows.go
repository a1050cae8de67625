package doctor

import (
	"time"

	"golang.org/x/sys/windows"
)

// freeSpace returns what this user may still write below dir.
func freeSpace(dir string) (int64, bool) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, false
	}
	var available uint64
	if err := windows.GetDiskFreeSpaceEx(name, &available, nil, nil); err != nil {
		return 0, false
	}
	return int64(available), true
}

// cpuTime returns what this process has used so far, 0 when the system does not
// say.
func cpuTime() time.Duration {
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(windows.CurrentProcess(), &created, &exited, &kernel, &user); err != nil {
		return 0
	}
	// Durations, in units of 100 ns, and no dates.
	units := func(f windows.Filetime) int64 { return int64(f.HighDateTime)<<32 | int64(f.LowDateTime) }
	return time.Duration(100 * (units(kernel) + units(user)))
}
