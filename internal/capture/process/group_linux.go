package process

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// Members returns the processes of a group, by its leader's number, that have not
// ended; ok is false if the system does not report them.
func Members(leader int) (pids []int, ok bool) {
	all, err := groupStats(leader)
	if err != nil {
		return nil, false
	}
	for _, s := range all {
		if s.state != 'Z' && s.state != 'X' {
			pids = append(pids, s.pid)
		}
	}
	return pids, true
}

// GroupCPU returns the CPU time, user and system, of the processes of a group,
// including ended ones that one of them has waited for. ok is false if the system does
// not report it. The time of an ended process that no process waited for is lost: the
// sum may then decrease.
//
// For a running process it is the scheduler's own sum, to the nanosecond (the CPU clock
// of the process, clock_getcpuclockid(3)); for ended children it is that of
// /proc/PID/stat, in steps of 10 ms.
func GroupCPU(leader int) (used time.Duration, ok bool) {
	all, err := groupStats(leader)
	if err != nil {
		return 0, false
	}
	for _, s := range all {
		used += s.children
		var ts unix.Timespec
		// A process may end between the two looks: then it is its parent's to
		// count.
		if unix.ClockGettime(cpuClock(s.pid), &ts) == nil {
			used, ok = used+time.Duration(ts.Nano()), true
		}
	}
	return used, ok
}

// cpuClock is MAKE_PROCESS_CPUCLOCK(pid, CPUCLOCK_SCHED) of the kernel's
// posix-timers.h.
func cpuClock(pid int) int32 { return ^int32(pid)<<3 | 2 }

// stat is what /proc/PID/stat says of a process.
type stat struct {
	pid, group int
	state      byte
	children   time.Duration // CPU time of the children it has waited for
}

// groupStats reads the statistics of every process of a group.
func groupStats(leader int) ([]stat, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var out []stat
	for _, name := range names {
		if name[0] < '0' || name[0] > '9' {
			continue
		}
		text, err := os.ReadFile(filepath.Join("/proc", name, "stat"))
		if err != nil {
			continue // it has ended
		}
		if s, ok := parseStat(text); ok && s.group == leader {
			out = append(out, s)
		}
	}
	return out, nil
}

// tick is the unit of times in /proc/PID/stat: USER_HZ is 100 wherever Go runs.
const tick = 10 * time.Millisecond

// parseStat reads a line of proc_pid_stat(5). The program's name, in
// parentheses, may hold anything.
func parseStat(text []byte) (s stat, ok bool) {
	name, rest := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	if name < 1 || rest < name {
		return stat{}, false
	}
	pid, err := strconv.Atoi(string(bytes.TrimSpace(text[:name])))
	f := bytes.Fields(text[rest+1:]) // f[0] is field 3 of the manual
	if err != nil || pid < 1 || len(f) < 15 || len(f[0]) != 1 {
		return stat{}, false
	}
	group, err := strconv.Atoi(string(f[2]))
	user, err2 := strconv.ParseInt(string(f[13]), 10, 64)
	system, err3 := strconv.ParseInt(string(f[14]), 10, 64)
	const most = 1 << 40 // ticks: some 300 years
	if err != nil || err2 != nil || err3 != nil || user < 0 || system < 0 || user > most || system > most {
		return stat{}, false
	}
	return stat{pid: pid, group: group, state: f[0][0], children: time.Duration(user+system) * tick}, true
}
