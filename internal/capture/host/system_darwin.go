package host

import (
	"encoding/binary"

	"golang.org/x/sys/unix"

	"whet/internal/recording"
)

func system(h *recording.Host) {
	if s, err := unix.Sysctl("kern.osrelease"); err == nil {
		h.Kernel = s
	}
	if s, err := unix.Sysctl("machdep.cpu.brand_string"); err == nil {
		h.CPU = s
	}
	if n, err := unix.SysctlUint64("hw.memsize"); err == nil {
		bytes := int64(n)
		h.MemoryBytes = &bytes
	}
}

// counters knows the load average only: struct loadavg holds three fixed-point
// numbers of 32 bits, padding, and their scale as a long.
func counters() snapshot {
	raw, err := unix.SysctlRaw("vm.loadavg")
	if err != nil || len(raw) < 24 {
		return snapshot{}
	}
	scale := binary.LittleEndian.Uint64(raw[16:])
	if scale == 0 {
		return snapshot{}
	}
	load := float64(binary.LittleEndian.Uint32(raw)) / float64(scale)
	return snapshot{load: &load}
}
