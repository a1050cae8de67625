//go:build unix && !linux

package process

import (
	"os"
	"runtime"
	"syscall"
)

func endWithUs(*syscall.SysProcAttr) {}

func (g *group) awaits() bool { return false }
func (g *group) await(int)    {}

// peakRSS is ru_maxrss: bytes on darwin, KiB on the BSDs.
func peakRSS(st *os.ProcessState) int64 {
	ru, ok := st.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(ru.Maxrss)
	}
	return int64(ru.Maxrss) << 10
}

func ownPeakRSS() int64 { return 0 }
func peakNow(int) int64 { return 0 }
