package process

import (
	"bytes"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

func (g *group) awaits() bool { return true }

// endWithUs has the kernel kill the leader when the thread that started it
// ends, which Run keeps for itself until then.
func endWithUs(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }

// await returns when the process has ended, and leaves it to be reaped.
func (g *group) await(pid int) {
	var info unix.Siginfo
	for {
		err := unix.Waitid(unix.P_PID, pid, &info, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return
		}
	}
}

// peakRSS returns the kernel's ru_maxrss, which Linux gives in KiB.
func peakRSS(st *os.ProcessState) int64 {
	if ru, ok := st.SysUsage().(*syscall.Rusage); ok {
		return int64(ru.Maxrss) << 10
	}
	return 0
}

// ownPeakRSS returns the peak of our own address space. exec hands it on: the
// kernel starts the new program's ru_maxrss at the peak of the address space
// it leaves, which with vfork is ours.
func ownPeakRSS() int64 { return peakOf("self") }

// peakNow returns the peak of a process so far; 0: unknown.
func peakNow(pid int) int64 { return peakOf(strconv.Itoa(pid)) }

func peakOf(process string) int64 {
	data, err := os.ReadFile("/proc/" + process + "/status")
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(data) {
		if rest, ok := bytes.CutPrefix(line, []byte("VmHWM:")); ok {
			if f := bytes.Fields(rest); len(f) == 2 {
				kib, _ := strconv.ParseInt(string(f[0]), 10, 64)
				return kib << 10
			}
		}
	}
	return 0
}
