//go:build go1.26

package agent

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// The time a process is kept from running is that of its own group and of all
// above it that limit it.
func TestThrottled(t *testing.T) {
	for _, tt := range []struct {
		name, groups string
		files        map[string]string
		want         any
	}{
		{"version 2, own limit", "0::/app\n", map[string]string{
			"app/cpu.max": "50000 100000\n", "app/cpu.stat": "usage_usec 5\nnr_throttled 3\nthrottled_usec 1234\n", "cgroup.procs": "",
		}, int64(1_234_000)},
		{"version 2, own and above", "0::/a/b\n", map[string]string{
			"a/b/cpu.max": "50000 100000\n", "a/b/cpu.stat": "throttled_usec 10\n",
			"a/cpu.max": "80000 100000\n", "a/cpu.stat": "throttled_usec 7\n", "cgroup.procs": "",
		}, int64(17_000)},
		{"version 2, no limit", "0::/app\n", map[string]string{
			"app/cpu.max": "max 100000\n", "app/cpu.stat": "throttled_usec 99\n", "cgroup.procs": "",
		}, int64(0)},
		{"version 2, a container's own root", "0::/docker/0123\n", map[string]string{
			"cpu.max": "50000 100000\n", "cpu.stat": "throttled_usec 3\n", "cgroup.procs": "",
		}, int64(3_000)},
		{"version 1", "4:memory:/app\n3:cpu,cpuacct:/app\n0::/\n", map[string]string{
			"cpu/app/cpu.cfs_quota_us": "50000\n", "cpu/app/cpu.stat": "nr_periods 1\nnr_throttled 1\nthrottled_time 77\n", "cpu/cgroup.procs": "",
		}, int64(77)},
		{"version 1, no limit", "3:cpu,cpuacct:/\n", map[string]string{"cpu/cgroup.procs": ""}, int64(0)},
		{"nothing mounted", "0::/app\n", nil, "unknown"},
		{"garbage", "what\n:::\n", nil, "unknown"},
		{"a limit without counts", "0::/app\n", map[string]string{
			"app/cpu.max": "50000 100000\n", "app/cpu.stat": "usage_usec 5\n", "cgroup.procs": "",
		}, "unknown"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var p process
			p.groups, p.grouped = openGroups(tree(t, tt.files), tt.groups)
			defer p.close()
			var r row
			p.read(&r)
			var got any = "unknown"
			if r.known[throttled] {
				got = r.value[throttled]
			}
			if got != tt.want {
				t.Errorf("throttled %v, want %v", got, tt.want)
			}
		})
	}
}

// Resident memory is what /proc/self/status says, which is another file of the
// kernel's, within what the test itself may touch in between.
func TestResidentMemory(t *testing.T) {
	var p process
	p.open()
	defer p.close()
	var r row
	p.read(&r)
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, after, ok := strings.Cut(string(text), "VmRSS:")
	if !ok {
		t.Fatal("/proc/self/status has no VmRSS")
	}
	kib, err := strconv.ParseInt(strings.Fields(after)[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	// The peak never falls, and begins with this process.
	if peak, again := r.value[peakRSS], r.value[rss]; !r.known[peakRSS] || peak < again-1<<20 || peak > again+1<<30 {
		t.Errorf("peak %d of %d bytes", peak, again)
	}
	before, ok := peakBytes()
	grown := make([]byte, 64<<20)
	for i := 0; i < len(grown); i += 4096 {
		grown[i] = 1
	}
	if after, ok2 := peakBytes(); !ok || !ok2 || after < before || after < int64(len(grown)) {
		t.Errorf("peak %d, and %d after %d more bytes", before, after, len(grown))
	}
	runtime.KeepAlive(grown)
	if got, want := r.value[rss], kib<<10; !r.known[rss] || got < want-8<<20 || got > want+8<<20 {
		t.Errorf("%d bytes, and VmRSS is %d", got, want)
	}
}

func TestDiskBytes(t *testing.T) {
	f, err := os.Open(filepath.Join(tree(t, map[string]string{
		"io": "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 4096\nwrite_bytes: 8192\ncancelled_write_bytes: 5\n",
	}), "io"))
	if err != nil {
		t.Fatal(err)
	}
	p := process{io: f}
	defer p.close()
	var r row
	p.read(&r)
	if r.value[diskRead] != 4096 || r.value[diskWrite] != 8192 {
		t.Errorf("%d read and %d written, want 4096 and 8192", r.value[diskRead], r.value[diskWrite])
	}
}
