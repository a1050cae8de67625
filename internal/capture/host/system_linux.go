package host

import (
	"io/fs"
	"os"
	"strings"

	"whet/internal/recording"
)

func system(h *recording.Host) { fromProc(os.DirFS("/"), h) }

// fromProc fills in what the files below root tell.
func fromProc(root fs.FS, h *recording.Host) {
	if data, err := readFile(root, "proc/sys/kernel/osrelease"); err == nil {
		h.Kernel = strings.TrimSpace(string(data))
	}
	if data, err := readFile(root, "proc/cpuinfo"); err == nil {
		h.CPU, h.ThreadsPerCore = cpuModel(data), threadsPerCore(data)
	}
	if data, err := readFile(root, "proc/meminfo"); err == nil {
		h.MemoryBytes = memTotal(data)
	}
	l := readLimits(root)
	h.Cgroup, h.CPULimitCores, h.MemoryLimitBytes = l.version, l.cpuCores, l.memoryBytes
}

func counters() snapshot { return procCounters(os.DirFS("/")) }

func procCounters(root fs.FS) snapshot {
	var s snapshot
	if data, err := readFile(root, "proc/stat"); err == nil {
		s.ticks = parseTicks(data)
	}
	if data, err := readFile(root, "proc/loadavg"); err == nil {
		s.load = parseLoad(data)
	}
	if data, err := readFile(root, "proc/vmstat"); err == nil {
		s.swapped = swapped(data)
	}
	s.throttledNs = throttled(root, readLimits(root))
	return s
}
