package doctor

import (
	"context"
	"errors"
	"unsafe"

	"golang.org/x/sys/unix"
)

// perfEvents opens a counter of retired instructions on this thread. No verb
// needs it; it tells what this machine would allow.
func (x *examiner) perfEvents(context.Context) instrument {
	attr := unix.PerfEventAttr{
		Type:   unix.PERF_TYPE_HARDWARE,
		Size:   uint32(unsafe.Sizeof(unix.PerfEventAttr{})),
		Config: unix.PERF_COUNT_HW_INSTRUCTIONS,
		Bits:   unix.PerfBitDisabled | unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv,
	}
	level, ok := x.read("proc/sys/kernel/perf_event_paranoid")
	if !ok {
		level = "unreadable"
	}
	fd, err := unix.PerfEventOpen(&attr, 0, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err == nil {
		unix.Close(fd)
		return works("hardware counters are accessible (perf_event_paranoid %s); no verb needs them", level)
	}
	help := ""
	if errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM) {
		help = "nothing, unless you use perf yourself: sysctl kernel.perf_event_paranoid=1 (as root)"
	}
	return absent(help, "%v (perf_event_paranoid %s); no verb needs them", err, level)
}
