//go:build go1.26 && !unix && !windows

package agent

func cpuTimes() (user, system int64, ok bool) { return 0, 0, false }

func peakBytes() (int64, bool) { return 0, false }
