package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// peakOf is the most memory that a running process has had resident, in bytes.
func peakOf(pid int) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, fmt.Errorf("read the peak of memory: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			n, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 10, 64)
			if err != nil {
				return 0, fmt.Errorf("read the peak of memory: %w", err)
			}
			return n << 10, nil
		}
	}
	return 0, fmt.Errorf("read the peak of memory of process %d: it has none: it has ended", pid)
}
