//go:build go1.26 && unix && !linux

package agent

import "syscall"

// peakBytes returns the largest resident memory so far. macOS counts it in
// bytes; the other systems are not among those that whet is built for.
func peakBytes() (int64, bool) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, false
	}
	return int64(u.Maxrss), true
}
