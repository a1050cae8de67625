package process

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"
)

// look reads /proc/PID/task/TID/schedstat of every thread: its CPU time, the
// time it waited on a run queue, both in nanoseconds, and how often it ran
// (Documentation/scheduler/sched-stats.rst). A kernel without it says nothing.
// Children of a thread stand in the file of that name.
func look(pid int, threads map[int]threadTimes) (children, ok bool) {
	dir := fmt.Sprintf("/proc/%d/task", pid)
	d, err := os.Open(dir)
	if err != nil {
		return false, false
	}
	names, _ := d.Readdirnames(-1)
	d.Close()
	for _, name := range names {
		tid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		data, err := os.ReadFile(dir + "/" + name + "/schedstat")
		if err != nil {
			continue // it has just ended
		}
		cpu, delay, good := parseSchedstat(data)
		if !good {
			continue
		}
		// What a zombie leader has left is less than was seen.
		if old := threads[tid]; cpu >= old.cpu {
			threads[tid] = threadTimes{cpu, delay}
		}
		ok = true
		if !children {
			data, err := os.ReadFile(dir + "/" + name + "/children")
			children = err == nil && len(bytes.TrimSpace(data)) > 0
		}
	}
	return children, ok
}

func parseSchedstat(data []byte) (cpu, delay time.Duration, ok bool) {
	f := bytes.Fields(data)
	if len(f) < 3 {
		return 0, 0, false
	}
	c, err := strconv.ParseInt(string(f[0]), 10, 64)
	d, err2 := strconv.ParseInt(string(f[1]), 10, 64)
	return time.Duration(c), time.Duration(d), err == nil && err2 == nil && c >= 0 && d >= 0
}
