package host

import (
	"errors"
	"io/fs"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
)

// limits are the limits of a process's control group and all above it.
type limits struct {
	version     string // as recording.Host.Cgroup
	cpuCores    *float64
	memoryBytes *int64
	// levels of the CPU controller from the process's own upwards, without
	// the leading slash, and whether they are of version 1.
	cpuLevels []string
	cpuV1     bool
}

// controller is where one resource is controlled.
type controller struct {
	v1     bool
	levels []string
}

var errNoController = errors.New("no such controller")

// readLimits finds the limits of the process whose /proc/self is in root.
func readLimits(root fs.FS) limits {
	groups, err := readFile(root, "proc/self/cgroup")
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(groups) == 0 {
		return limits{version: "none"}
	}
	mounts, err2 := readFile(root, "proc/self/mountinfo")
	if err != nil || err2 != nil {
		return limits{version: "unreadable"}
	}
	var l limits
	cpu, errCPU := findController(string(groups), string(mounts), "cpu")
	memory, errMemory := findController(string(groups), string(mounts), "memory")
	switch {
	case errCPU != nil && errMemory != nil:
		l.version = "none"
		if !errors.Is(errCPU, errNoController) || !errors.Is(errMemory, errNoController) {
			l.version = "unreadable"
		}
		return l
	case cpu.v1 || memory.v1:
		l.version = "v1"
	default:
		l.version = "v2"
	}
	l.cpuLevels, l.cpuV1 = cpu.levels, cpu.v1
	unreadable := false
	for _, level := range cpu.levels {
		cores, err := cpuLimit(root, level, cpu.v1)
		unreadable = unreadable || err != nil
		if cores != nil && (l.cpuCores == nil || *cores < *l.cpuCores) {
			l.cpuCores = cores
		}
	}
	for _, level := range memory.levels {
		bytes, err := memoryLimit(root, level, memory.v1)
		unreadable = unreadable || err != nil
		if bytes != nil && (l.memoryBytes == nil || *bytes < *l.memoryBytes) {
			l.memoryBytes = bytes
		}
	}
	if unreadable && l.cpuCores == nil && l.memoryBytes == nil {
		l.version = "unreadable"
	}
	return l
}

// findController finds the directories that control a resource. A controller
// belongs to one hierarchy at a time: that of version 1 where /proc/self/cgroup
// names it, else the one of version 2.
func findController(groups, mounts, name string) (controller, error) {
	var v1, v2 string
	hasV1, hasV2 := false, false
	for line := range strings.Lines(groups) {
		// hierarchy:controller,controller:/path
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		switch {
		case len(f) != 3:
			return controller{}, errors.New("malformed line in /proc/self/cgroup")
		case f[0] == "0" && f[1] == "":
			v2, hasV2 = f[2], true
		case slices.Contains(strings.Split(f[1], ","), name):
			v1, hasV1 = f[2], true
		}
	}
	if !hasV1 && !hasV2 {
		return controller{}, errNoController
	}
	group := v2
	if hasV1 {
		group = v1
	}
	for line := range strings.Lines(mounts) {
		m, ok := parseMount(line)
		if !ok {
			continue
		}
		if hasV1 && (m.fstype != "cgroup" || !slices.Contains(strings.Split(m.options, ","), name)) || !hasV1 && m.fstype != "cgroup2" {
			continue
		}
		return controller{v1: hasV1, levels: levels(m, group)}, nil
	}
	if !hasV1 {
		return controller{}, errNoController
	}
	return controller{}, errors.New("the controller is not mounted")
}

type mount struct{ root, point, fstype, options string }

// parseMount parses a line of /proc/self/mountinfo (proc_pid_mountinfo(5)):
// "36 35 98:0 /root /point opts optional... - fstype source superopts".
func parseMount(line string) (mount, bool) {
	before, after, ok := strings.Cut(line, " - ")
	f, g := strings.Fields(before), strings.Fields(after)
	if !ok || len(f) < 6 || len(g) < 3 {
		return mount{}, false
	}
	return mount{root: unescape(f[3]), point: unescape(f[4]), fstype: g[0], options: g[2]}, true
}

// unescape resolves the octal escapes of mountinfo: \040 for a space.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+4 <= len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// levels returns the directories from group's up to the mount's root. A group that
// does not lie below the mounted root, as in a container without a namespace
// of its own, is the mounted root as far as can be seen.
func levels(m mount, group string) []string {
	rel, ok := strings.CutPrefix(path.Clean("/"+group), strings.TrimSuffix(path.Clean("/"+m.root), "/"))
	if !ok || rel != "" && rel[0] != '/' || strings.HasPrefix(group, "/..") {
		rel = ""
	}
	top := strings.TrimPrefix(path.Clean("/"+m.point), "/")
	if top == "" {
		top = "."
	}
	var out []string
	for dir := path.Join(top, rel); ; dir = path.Dir(dir) {
		if fs.ValidPath(dir) {
			out = append(out, dir)
		}
		if dir == top || dir == "." || dir == "/" {
			return out
		}
	}
}

// cpuLimit reads one level: cpu.max is "max 100000" or "150000 100000"; version
// 1 has the two in a file each, the quota -1 for none. Nil is no limit. A
// missing file is none either: the root has none.
func cpuLimit(root fs.FS, level string, v1 bool) (*float64, error) {
	var quota, period string
	if v1 {
		q, err := readFile(root, path.Join(level, "cpu.cfs_quota_us"))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		p, err2 := readFile(root, path.Join(level, "cpu.cfs_period_us"))
		if err := errors.Join(err, err2); err != nil {
			return nil, err
		}
		quota, period = strings.TrimSpace(string(q)), strings.TrimSpace(string(p))
		if strings.HasPrefix(quota, "-") {
			return nil, nil
		}
	} else {
		data, err := readFile(root, path.Join(level, "cpu.max"))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		f := strings.Fields(string(data))
		if len(f) == 0 || len(f) > 2 {
			return nil, errors.New("malformed cpu.max")
		}
		quota, period = f[0], "100000"
		if len(f) == 2 {
			period = f[1]
		}
		if quota == "max" {
			return nil, nil
		}
	}
	q, err := strconv.ParseInt(quota, 10, 64)
	p, err2 := strconv.ParseInt(period, 10, 64)
	if err != nil || err2 != nil || q <= 0 || p <= 0 {
		return nil, errors.New("malformed CPU limit")
	}
	cores := float64(q) / float64(p)
	return &cores, nil
}

// unlimitedV1 is where the numbers begin that version 1 shows for no limit:
// the largest int64 rounded down to a page of at most 64 KiB.
const unlimitedV1 = math.MaxInt64 &^ (64<<10 - 1)

func memoryLimit(root fs.FS, level string, v1 bool) (*int64, error) {
	name := "memory.max"
	if v1 {
		name = "memory.limit_in_bytes"
	}
	data, err := readFile(root, path.Join(level, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s := strings.TrimSpace(string(data))
	if s == "max" {
		return nil, nil
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return nil, errors.New("malformed memory limit")
	}
	if n >= unlimitedV1 {
		return nil, nil
	}
	limit := int64(n)
	return &limit, nil
}

// throttled sums over the levels the time they kept their processes from
// running, in nanoseconds; nil when no level tells.
func throttled(root fs.FS, l limits) *int64 {
	key, unit := "throttled_usec", int64(1000)
	if l.cpuV1 {
		key, unit = "throttled_time", 1
	}
	var sum *int64
	for _, level := range l.cpuLevels {
		data, err := readFile(root, path.Join(level, "cpu.stat"))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(data)) {
			f := strings.Fields(line)
			if len(f) != 2 || f[0] != key {
				continue
			}
			n, err := strconv.ParseInt(f[1], 10, 64)
			if err != nil || n < 0 || n > math.MaxInt64/unit/64 {
				continue
			}
			if sum == nil {
				sum = new(int64)
			}
			*sum += n * unit
		}
	}
	return sum
}
