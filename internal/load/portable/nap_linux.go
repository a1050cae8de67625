package portable

import (
	"time"

	"golang.org/x/sys/unix"
)

// sharpen asks the kernel to wake this thread when it is due and not within the
// 50 µs that it may take otherwise.
func sharpen() { _ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0) }

// nap waits in the kernel, on this thread. A signal may end it early.
func nap(d time.Duration) {
	if d > 0 {
		ts := unix.NsecToTimespec(int64(d))
		_ = unix.Nanosleep(&ts, nil)
	}
}
