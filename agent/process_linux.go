//go:build go1.26

package agent

import (
	"bytes"
	"os"
	"path"
	"strconv"
	"strings"
)

// process reads what Linux counts for this process. A file that cannot be
// opened leaves its keys unknown.
type process struct {
	statm, io *os.File
	status    *os.File
	// groups are the cpu.stat files of the control groups that limit the
	// process, its own and those above it. Where nothing limits it, it is never
	// throttled, which is known to be 0.
	groups  []*os.File
	grouped bool // whether the control groups could be read
	page    int64
	buf     [4 << 10]byte
}

func (p *process) open() {
	p.page = int64(os.Getpagesize())
	p.statm, _ = os.Open("/proc/self/statm")
	p.io, _ = os.Open("/proc/self/io")
	p.status, _ = os.Open("/proc/self/status")
	if text, err := os.ReadFile("/proc/self/cgroup"); err == nil {
		p.groups, p.grouped = openGroups("/sys/fs/cgroup", string(text))
	}
}

func (p *process) close() {
	for _, f := range append(p.groups, p.statm, p.io, p.status) {
		if f != nil {
			f.Close()
		}
	}
}

func (p *process) read(r *row) {
	// statm: size resident shared text lib data dt, in pages.
	_, text, _ := bytes.Cut(p.content(p.statm), []byte(" "))
	text, _, _ = bytes.Cut(text, []byte(" "))
	if pages, ok := decimal(text); ok {
		r.set(rss, pages*p.page)
	}
	if peak, ok := highWater(p.content(p.status)); ok {
		r.set(peakRSS, peak)
	}
	if text = p.content(p.io); text != nil {
		if n, ok := field(text, "read_bytes: "); ok {
			r.set(diskRead, n)
		}
		if n, ok := field(text, "\nwrite_bytes: "); ok {
			r.set(diskWrite, n)
		}
	}
	if !p.grouped {
		return
	}
	sum := int64(0)
	for _, f := range p.groups {
		text = p.content(f)
		if n, ok := field(text, "throttled_usec "); ok {
			sum += n * 1000
		} else if n, ok := field(text, "throttled_time "); ok {
			sum += n
		} else {
			return
		}
	}
	r.set(throttled, sum)
}

// highWater returns the peak of resident memory in /proc/self/status. The one that
// getrusage tells starts at that of the process that started this one.
func highWater(status []byte) (int64, bool) {
	_, text, _ := bytes.Cut(status, []byte("\nVmHWM:"))
	text, _, _ = bytes.Cut(text, []byte(" kB"))
	kib, ok := decimal(bytes.TrimSpace(text))
	return kib << 10, ok
}

// peakBytes returns the largest resident memory so far.
func peakBytes() (int64, bool) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, false
	}
	return highWater(text)
}

// content reads a file of /proc or /sys anew, nil if it cannot.
func (p *process) content(f *os.File) []byte {
	if f == nil {
		return nil
	}
	n, _ := f.ReadAt(p.buf[:], 0)
	return p.buf[:n]
}

// field returns the number after a label.
func field(text []byte, label string) (int64, bool) {
	i := bytes.Index(text, []byte(label))
	if i < 0 {
		return 0, false
	}
	text = text[i+len(label):]
	if end := bytes.IndexByte(text, '\n'); end >= 0 {
		text = text[:end]
	}
	return decimal(text)
}

func decimal(text []byte) (int64, bool) {
	n, err := strconv.ParseInt(string(text), 10, 64)
	return n, err == nil && n >= 0
}

// openGroups opens cpu.stat of each control group with a limit on CPU time,
// from the one that text, the content of /proc/self/cgroup, names up to the
// root of the mount. ok is false when no group could be looked at.
func openGroups(mount, text string) (files []*os.File, ok bool) {
	for _, line := range strings.Split(text, "\n") {
		// hierarchy:controllers:path
		parts := strings.SplitN(line, ":", 3)
		if len(parts) != 3 {
			continue
		}
		root, v1 := mount, false
		if parts[1] != "" {
			if !listed(parts[1], "cpu") {
				continue
			}
			root, v1 = path.Join(mount, "cpu"), true
		}
		group := path.Clean("/" + parts[2])
		// In a container the path may be the host's while the mount begins at
		// the container's own group: levels that do not exist are passed over.
		for level := group; ; level = path.Dir(level) {
			dir := path.Join(root, level)
			limited, known := hasLimit(dir, v1)
			ok = ok || known
			if limited {
				if f, err := os.Open(path.Join(dir, "cpu.stat")); err == nil {
					files = append(files, f)
				}
			}
			if level == "/" || len(files) == maxGroups {
				break
			}
		}
	}
	return files, ok
}

const maxGroups = 4

// hasLimit reports whether a group limits CPU time, and whether that can be
// known. The root groups have no file for it, and no limit.
func hasLimit(dir string, v1 bool) (limited, known bool) {
	name, none := "cpu.max", "max"
	if v1 {
		name, none = "cpu.cfs_quota_us", "-1"
	}
	limit, err := os.ReadFile(path.Join(dir, name))
	if os.IsNotExist(err) {
		_, err = os.Stat(path.Join(dir, "cgroup.procs"))
		return false, err == nil
	}
	return err == nil && !strings.HasPrefix(string(limit), none), err == nil
}

func listed(list, name string) bool {
	for _, one := range strings.Split(list, ",") {
		if one == name {
			return true
		}
	}
	return false
}
