package host

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"whet/internal/recording"
)

// tree makes a file system: "path", "content", ….
func tree(files ...string) fstest.MapFS {
	m := fstest.MapFS{}
	for i := 0; i < len(files); i += 2 {
		m[files[i]] = &fstest.MapFile{Data: []byte(files[i+1])}
	}
	return m
}

const (
	mountV2 = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
	mountV1 = "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n" +
		"31 30 0:27 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n" +
		"32 30 0:28 / /sys/fs/cgroup/memory rw shared:10 - cgroup cgroup rw,memory\n"
	hybrid = mountV1 + "33 30 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
)

func TestLimits(t *testing.T) {
	for _, tt := range []struct {
		name      string
		root      fs.FS
		version   string
		cpu       float64 // 0: no limit
		memory    int64
		throttled int64 // -1: unknown
	}{
		{"no control groups", tree(), "none", 0, 0, -1},
		{"v2 without limits", tree(
			"proc/self/cgroup", "0::/user.slice\n", "proc/self/mountinfo", mountV2,
			"sys/fs/cgroup/user.slice/cpu.max", "max 100000\n",
			"sys/fs/cgroup/user.slice/memory.max", "max\n",
			"sys/fs/cgroup/user.slice/cpu.stat", "usage_usec 5\nnr_throttled 0\nthrottled_usec 0\n",
		), "v2", 0, 0, 0},
		{"v2, own limits", tree(
			"proc/self/cgroup", "0::/a.slice/b.scope\n", "proc/self/mountinfo", mountV2,
			"sys/fs/cgroup/a.slice/b.scope/cpu.max", "150000 100000\n",
			"sys/fs/cgroup/a.slice/b.scope/memory.max", "536870912\n",
			"sys/fs/cgroup/a.slice/b.scope/cpu.stat", "throttled_usec 7\n",
		), "v2", 1.5, 536870912, 7000},
		{"v2, the tightest is above", tree(
			"proc/self/cgroup", "0::/a/b/c\n", "proc/self/mountinfo", mountV2,
			"sys/fs/cgroup/a/b/c/cpu.max", "400000 100000\n",
			"sys/fs/cgroup/a/b/cpu.max", "max 100000\n",
			"sys/fs/cgroup/a/cpu.max", "50000 200000\n",
			"sys/fs/cgroup/a/b/c/memory.max", "max\n",
			"sys/fs/cgroup/a/b/memory.max", "2048\n",
			"sys/fs/cgroup/a/memory.max", "4096\n",
			"sys/fs/cgroup/a/b/c/cpu.stat", "throttled_usec 1\n",
			"sys/fs/cgroup/a/cpu.stat", "throttled_usec 2\n",
		), "v2", 0.25, 2048, 3000},
		{"v2 in a container's namespace", tree(
			"proc/self/cgroup", "0::/\n", "proc/self/mountinfo", mountV2,
			"sys/fs/cgroup/cpu.max", "200000 100000\n", "sys/fs/cgroup/memory.max", "1048576\n",
		), "v2", 2, 1048576, -1},
		{"v2 bind-mounted below the root", tree(
			"proc/self/cgroup", "0::/docker/abc/job\n",
			"proc/self/mountinfo", "30 23 0:26 /docker/abc /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
			"sys/fs/cgroup/cpu.max", "300000 100000\n",
			"sys/fs/cgroup/job/cpu.max", "600000 100000\n",
		), "v2", 3, 0, -1},
		{"v2, our group lies outside of the mount", tree(
			"proc/self/cgroup", "0::/../other\n", "proc/self/mountinfo", mountV2,
			"sys/fs/cgroup/cpu.max", "100000 100000\n",
		), "v2", 1, 0, -1},
		{"v2, prefix of a name is no ancestor", tree(
			"proc/self/cgroup", "0::/docker/abcdef\n",
			"proc/self/mountinfo", "30 23 0:26 /docker/abc /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
			"sys/fs/cgroup/cpu.max", "100000 100000\n", "sys/fs/cgroup/def/cpu.max", "10000 100000\n",
		), "v2", 1, 0, -1},
		{"v2, a space in the mount point", tree(
			"proc/self/cgroup", "0::/x\n", "proc/self/mountinfo", `30 23 0:26 / /my\040groups rw - cgroup2 cgroup2 rw`+"\n",
			"my groups/x/cpu.max", "100000 100000\n",
		), "v2", 1, 0, -1},
		{"v2, malformed", tree(
			"proc/self/cgroup", "0::/x\n", "proc/self/mountinfo", mountV2,
			"sys/fs/cgroup/x/cpu.max", "lots of it\n", "sys/fs/cgroup/x/memory.max", "-1\n",
			"sys/fs/cgroup/x/cpu.stat", "throttled_usec many\n",
		), "unreadable", 0, 0, -1},
		{"v2, one malformed level hides no other", tree(
			"proc/self/cgroup", "0::/x/y\n", "proc/self/mountinfo", mountV2,
			"sys/fs/cgroup/x/y/cpu.max", "0 100000\n", "sys/fs/cgroup/x/cpu.max", "100000 100000\n",
		), "v2", 1, 0, -1},
		{"v1", tree(
			"proc/self/cgroup", "3:memory:/docker/a\n2:cpu,cpuacct:/docker/a\n1:name=systemd:/\n", "proc/self/mountinfo", mountV1,
			"sys/fs/cgroup/cpu,cpuacct/docker/a/cpu.cfs_quota_us", "250000\n",
			"sys/fs/cgroup/cpu,cpuacct/docker/a/cpu.cfs_period_us", "100000\n",
			"sys/fs/cgroup/cpu,cpuacct/docker/a/cpu.stat", "nr_periods 9\nnr_throttled 1\nthrottled_time 12345\n",
			"sys/fs/cgroup/cpu,cpuacct/docker/cpu.cfs_quota_us", "-1\n",
			"sys/fs/cgroup/cpu,cpuacct/docker/cpu.cfs_period_us", "100000\n",
			"sys/fs/cgroup/memory/docker/a/memory.limit_in_bytes", "9223372036854771712\n",
			"sys/fs/cgroup/memory/docker/memory.limit_in_bytes", "1073741824\n",
		), "v1", 2.5, 1073741824, 12345},
		{"v1 without limits", tree(
			"proc/self/cgroup", "3:memory:/\n2:cpu,cpuacct:/\n", "proc/self/mountinfo", mountV1,
			"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n",
			"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854710272\n", // pages of 64 KiB
		), "v1", 0, 0, -1},
		{"v1 with an empty v2 beside it", tree(
			"proc/self/cgroup", "3:memory:/x\n2:cpu,cpuacct:/x\n0::/\n", "proc/self/mountinfo", hybrid,
			"sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_quota_us", "100000\n",
			"sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_period_us", "100000\n",
			"sys/fs/cgroup/unified/cpu.max", "1 100000\n",
		), "v1", 1, 0, -1},
		{"memory on v1, processors on v2", tree(
			"proc/self/cgroup", "3:memory:/x\n0::/x\n", "proc/self/mountinfo", hybrid,
			"sys/fs/cgroup/memory/x/memory.limit_in_bytes", "4096\n",
			"sys/fs/cgroup/unified/x/cpu.max", "100000 50000\n",
			"sys/fs/cgroup/unified/x/cpu.stat", "throttled_usec 4\n",
		), "v1", 2, 4096, 4000},
		{"v1, not mounted", tree("proc/self/cgroup", "2:cpu:/\n3:memory:/\n", "proc/self/mountinfo", "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"), "unreadable", 0, 0, -1},
		{"v2, not mounted", tree("proc/self/cgroup", "0::/\n", "proc/self/mountinfo", "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"), "none", 0, 0, -1},
		{"nonsense", tree("proc/self/cgroup", "what\n", "proc/self/mountinfo", "is\nthis - at all\n"), "unreadable", 0, 0, -1},
		{"no mountinfo", tree("proc/self/cgroup", "0::/\n"), "unreadable", 0, 0, -1},
		{"forbidden", forbidden{tree("proc/self/mountinfo", mountV2)}, "unreadable", 0, 0, -1},
	} {
		l := readLimits(tt.root)
		if l.version != tt.version {
			t.Errorf("%s: %s, want %s", tt.name, l.version, tt.version)
		}
		if got := value(l.cpuCores); got != tt.cpu {
			t.Errorf("%s: CPU limit %v, want %v", tt.name, got, tt.cpu)
		}
		if got := value(l.memoryBytes); got != tt.memory {
			t.Errorf("%s: memory limit %v, want %v", tt.name, got, tt.memory)
		}
		got := int64(-1)
		if ns := throttled(tt.root, l); ns != nil {
			got = *ns
		}
		if got != tt.throttled {
			t.Errorf("%s: throttled %d ns, want %d", tt.name, got, tt.throttled)
		}
	}
}

func value[T any](p *T) T {
	if p == nil {
		return *new(T)
	}
	return *p
}

// forbidden refuses /proc/self/cgroup.
type forbidden struct{ fs.FS }

func (f forbidden) Open(name string) (fs.File, error) {
	if name == "proc/self/cgroup" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return f.FS.Open(name)
}

func TestGOMAXPROCS(t *testing.T) {
	limit := func(v float64) *float64 { return &v }
	for _, tt := range []struct {
		env   []string
		own   int
		cores int
		limit *float64
		want  int
	}{
		{nil, 0, 8, nil, 8},
		{nil, 6, 8, nil, 6},
		{[]string{"GOMAXPROCS=3"}, 6, 8, limit(1), 3},
		{[]string{"GOMAXPROCS=3", "GOMAXPROCS=16"}, 0, 8, nil, 16},
		{[]string{"GOMAXPROCS=none", "XGOMAXPROCS=5"}, 0, 8, nil, 8},
		{[]string{"GOMAXPROCS=-1"}, 0, 8, limit(2.5), 3}, // rounded up
		{nil, 0, 8, limit(0.5), 2},                       // at least 2
		{nil, 0, 1, limit(0.5), 1},                       // but no more than there are
		{nil, 0, 4, limit(16), 4},
	} {
		if got := gomaxprocs(tt.env, tt.own, tt.cores, tt.limit); got != tt.want {
			t.Errorf("%+v: %d", tt, got)
		}
	}
}

func TestCPUModel(t *testing.T) {
	for _, tt := range []struct{ cpuinfo, want string }{
		{"processor\t: 0\nmodel\t\t: 85\nmodel name\t: Some  CPU @ 2.0GHz\n\nprocessor\t: 1\nmodel name\t: Another\n", "Some CPU @ 2.0GHz"},
		{"processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n", "implementer 0x41 part 0xd0c"},
		{"processor : 0\nuarch : sifive,u74\n", "sifive,u74"},
		{"", ""}, {"nothing\n:\n", ""},
	} {
		if got := cpuModel([]byte(tt.cpuinfo)); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

func TestMemTotal(t *testing.T) {
	if got := memTotal([]byte("MemFree: 5 kB\nMemTotal:       16384 kB\n")); got == nil || *got != 16<<20 {
		t.Errorf("%v", got)
	}
	for _, s := range []string{"", "MemTotal: x kB\n", "MemTotal: 5\n", "MemTotal: 9223372036854775807 kB\n"} {
		if got := memTotal([]byte(s)); got != nil {
			t.Errorf("%q: %d", s, *got)
		}
	}
}

// 10 of 100 ticks were stolen: (40−30)/(1100−1000). 20 were idle, waiting for a
// disk among them: (320−300+50−50)/100; the rest was used. Guest time is contained in
// user time and must not count twice.
func TestMeter(t *testing.T) {
	load := func(v float64) *float64 { return &v }
	ns := func(v int64) *int64 { return &v }
	before := snapshot{ticks: parseTicks([]byte("cpu  500 0 100 300 50 10 10 30 400 0\ncpu0 1 2 3\n")), load: load(0.5), throttledNs: ns(100)}
	after := snapshot{ticks: parseTicks([]byte("cpu  550 0 110 320 50 10 20 40 450 0\n")), load: load(1.5), throttledNs: ns(400)}
	if before.ticks.total != 1000 || after.ticks.total != 1100 {
		t.Fatalf("totals %d, %d", before.ticks.total, after.ticks.total)
	}
	measure := func(a, b snapshot) (h recording.Host) {
		states := []snapshot{a, b}
		m := start(func() snapshot {
			s := states[0]
			states = states[1:]
			return s
		})
		m.Stop(&h)
		return h
	}
	h := measure(before, after)
	if value(h.StealRatio) != 0.1 || value(h.BusyRatio) != 0.8 || value(h.LoadStart) != 0.5 || value(h.LoadEnd) != 1.5 || value(h.ThrottledNs) != 300 {
		t.Errorf("steal %v, load %v to %v, throttled %v", h.StealRatio, h.LoadStart, h.LoadEnd, h.ThrottledNs)
	}
	for name, h := range map[string]recording.Host{"backwards": measure(after, before), "unknown": measure(snapshot{}, after), "no time": measure(before, before)} {
		if h.StealRatio != nil || h.BusyRatio != nil || name != "no time" && h.ThrottledNs != nil {
			t.Errorf("%s: steal %v, throttled %v", name, h.StealRatio, h.ThrottledNs)
		}
	}
	for _, s := range []string{"", "cpu 1 2 3\n", "cpu0 1 2 3 4 5 6 7 8\n", "cpu 1 2 3 4 5 6 7 x\n", "cpu 18446744073709551615 1 1 1 1 1 1 1\n"} {
		if got := parseTicks([]byte(s)); got != nil {
			t.Errorf("%q: %+v", s, got)
		}
	}
	for s, want := range map[string]float64{"0.52 0.58 0.59 1/467 12345\n": 0.52, "": -1, "x y z\n": -1, "NaN 0 0": -1} {
		got := parseLoad([]byte(s))
		if (got == nil) != (want < 0) || got != nil && *got != want {
			t.Errorf("%q: %v", s, got)
		}
	}
}

// On the machine at hand, against a second source where there is one.
func TestThisMachine(t *testing.T) {
	h := Facts(nil)
	if h.OS != runtime.GOOS || h.Arch != runtime.GOARCH || h.Cores != runtime.NumCPU() {
		t.Errorf("%+v", h)
	}
	if os.Getenv("GOMAXPROCS") == "" && h.GOMAXPROCS != runtime.GOMAXPROCS(0) {
		t.Errorf("GOMAXPROCS %d, the runtime has %d", h.GOMAXPROCS, runtime.GOMAXPROCS(0))
	}
	if got := Facts([]string{"GOMAXPROCS=3"}).GOMAXPROCS; got != 3 {
		t.Errorf("GOMAXPROCS %d, the target's environment says 3", got)
	}
	m := Start()
	m.Stop(&h)
	if runtime.GOOS != "linux" {
		return
	}
	if h.Kernel == "" || value(h.MemoryBytes) < 1<<20 || h.LoadStart == nil {
		data, _ := json.Marshal(h)
		t.Errorf("%s", data)
	}
	if _, err := os.Stat("/proc/self/cgroup"); errors.Is(err, fs.ErrNotExist) != (h.Cgroup == "none") && h.Cgroup != "none" {
		t.Errorf("control groups %q, %v", h.Cgroup, err)
	}
}

// No limit is ever negative, zero or loosened by a level that cannot be read.
func FuzzLimits(f *testing.F) {
	f.Add("0::/x/y\n", mountV2, "50000 100000\n", "4096\n", "throttled_usec 5\n")
	f.Add("3:memory:/x\n2:cpu,cpuacct:/x/y\n0::/\n", hybrid, "100000\n", "9223372036854771712\n", "throttled_time 5\n")
	f.Add("0::/..\n", `1 2 3:4 /\134 /a\040b rw - cgroup2 x rw`, "max", "max", "")
	f.Fuzz(func(t *testing.T, groups, mounts, cpu, memory, stat string) {
		root := tree("proc/self/cgroup", groups, "proc/self/mountinfo", mounts)
		for _, dir := range []string{"sys/fs/cgroup", "sys/fs/cgroup/x", "sys/fs/cgroup/x/y", "sys/fs/cgroup/cpu,cpuacct/x", "sys/fs/cgroup/memory/x"} {
			for name, data := range map[string]string{
				"cpu.max": cpu, "cpu.cfs_quota_us": cpu, "cpu.cfs_period_us": "100000", "cpu.stat": stat,
				"memory.max": memory, "memory.limit_in_bytes": memory,
			} {
				root[dir+"/"+name] = &fstest.MapFile{Data: []byte(data)}
			}
		}
		l := readLimits(root)
		if !strings.Contains("v1 v2 none unreadable", l.version) || l.version == "" {
			t.Errorf("version %q", l.version)
		}
		if l.cpuCores != nil && !(*l.cpuCores > 0) || l.memoryBytes != nil && *l.memoryBytes < 0 {
			t.Errorf("%v cores, %v bytes", value(l.cpuCores), value(l.memoryBytes))
		}
		if l.version == "none" && (l.cpuCores != nil || l.memoryBytes != nil) {
			t.Error("limits without control groups")
		}
		if ns := throttled(root, l); ns != nil && *ns < 0 {
			t.Errorf("throttled %d ns", *ns)
		}
		for _, level := range l.cpuLevels {
			if !fs.ValidPath(level) {
				t.Errorf("level %q", level)
			}
		}
	})
}

// What we use and what our children used counts, and never runs backwards.
func TestUsedCPU(t *testing.T) {
	before := usedCPU()
	if runtime.GOOS == "windows" || runtime.GOOS == "plan9" {
		if before != 0 {
			t.Errorf("%v where it is unknown", before)
		}
		return
	}
	sum := 0
	for range 50_000_000 {
		sum += os.Getpagesize() & 1
	}
	if after := usedCPU(); before <= 0 || after <= before || sum != 0 {
		t.Errorf("%v, then %v", before, after)
	}
}

func TestSwappedAndGovernors(t *testing.T) {
	if n := swapped([]byte("nr_free_pages 5\npswpin 30\npswpout 12\npswpin_x 9\n")); n == nil || *n != 42 {
		t.Errorf("%v", n)
	}
	for _, text := range []string{"", "pswpin x\n", "pswpin -4\n", "pswpin\n"} {
		if n := swapped([]byte(text)); n != nil {
			t.Errorf("%q: %d", text, *n)
		}
	}
	root := fstest.MapFS{
		"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor":  {Data: []byte("powersave\n")},
		"sys/devices/system/cpu/cpu1/cpufreq/scaling_governor":  {Data: []byte("powersave\n")},
		"sys/devices/system/cpu/cpu2/cpufreq/scaling_governor":  {Data: []byte("performance\n")},
		"sys/devices/system/cpu/cpu10/cpufreq/scaling_governor": {Data: []byte("schedutil\n")},
	}
	if g := Governors(root); !slices.Equal(slices.Sorted(slices.Values(g)), []string{"powersave", "schedutil"}) {
		t.Errorf("%q", g)
	}
	if Governors(fstest.MapFS{}) != nil {
		t.Error("something in nothing")
	}
}

// What no recording keeps is unknown where a counter is, or ran backwards.
func TestMeterBeside(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	a, b := snapshot{swapped: n(1000), used: time.Second}, snapshot{swapped: n(1500), used: 12 * time.Second}
	for _, c := range []struct {
		before, after snapshot
		used          time.Duration
		swapped       int64
	}{{a, b, 11 * time.Second, 500}, {b, a, 0, 0}, {snapshot{}, b, 0, 0}, {a, snapshot{}, 0, 0}} {
		states := []snapshot{c.before, c.after}
		m := start(func() snapshot {
			s := states[0]
			states = states[1:]
			return s
		})
		if m.Stop(new(recording.Host)); m.Used != c.used || m.Swapped != c.swapped {
			t.Errorf("%+v: used %v, swapped %d", c, m.Used, m.Swapped)
		}
	}
}

// A package of four cores with two threads each has eight siblings.
func TestThreadsPerCore(t *testing.T) {
	for cpuinfo, want := range map[string]int{
		"processor\t: 0\nsiblings\t: 8\ncpu cores\t: 4\n\nprocessor\t: 1\nsiblings\t: 6\ncpu cores\t: 6\n": 2,
		"siblings\t: 1\ncpu cores\t: 1\n": 1,
		"siblings\t: 1\ncpu cores\t: 2\n": 0,
		"siblings\t: 1\ncpu cores\t: 0\n": 0,
		"siblings\t: x\ncpu cores\t: 2\n": 0,
		"CPU implementer\t: 0x41\n":       0,
	} {
		got := threadsPerCore([]byte(cpuinfo))
		if (got != nil) != (want > 0) || got != nil && *got != want {
			t.Errorf("%q: %v, want %d", cpuinfo, got, want)
		}
	}
}
