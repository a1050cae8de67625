package load

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"iter"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"whet/internal/load/engine"
)

// find finds the processes that listen where the addresses lead, and which
// processors they and this process may use.
func (t *target) find(addresses []engine.Address) bool {
	sockets := make(map[string]bool) // as links of a process's files have them
	for _, a := range addresses {
		for _, inode := range listening(a) {
			sockets["socket:["+inode+"]"] = true
		}
	}
	if len(sockets) == 0 {
		return false
	}
	proc, ok := openAt(0, []byte("/proc\x00"))
	if !ok {
		return false
	}
	defer syscall.Close(proc)
	var processes, files directory
	for name := range processes.names(proc) {
		pid, err := strconv.Atoi(string(name))
		if err != nil || !files.hold(proc, name, sockets) {
			continue
		}
		allowed, ok := allowedProcessors(string(name))
		if !ok {
			return false
		}
		t.pids = append(t.pids, pid)
		t.theirs = t.theirs.either(allowed)
		t.own = t.own || pid == os.Getpid()
	}
	return len(t.pids) > 0 // they may be another user's
}

func ownProcessors() (processors, bool) { return allowedProcessors("self") }

// hold reports whether a process, a directory of /proc, has one of these sockets open.
func (d *directory) hold(proc int, process []byte, sockets map[string]bool) bool {
	files, ok := openAt(proc, append(append(d.path[:0], process...), "/fd\x00"...))
	if !ok {
		return false // another user's
	}
	defer syscall.Close(files)
	to := make([]byte, 64) // longer ones are no sockets
	for name := range d.names(files) {
		path := append(append(d.path[:0], name...), 0)
		n, _, errno := syscall.Syscall6(syscall.SYS_READLINKAT, uintptr(files), uintptr(unsafe.Pointer(&path[0])), uintptr(unsafe.Pointer(&to[0])), uintptr(len(to)), 0, 0)
		if errno == 0 && sockets[string(to[:n])] {
			return true
		}
	}
	return false
}

// maxProc bounds a file of /proc that is read.
const maxProc = 16 << 20

func readProc(name string) []byte {
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxProc))
	if err != nil {
		return nil
	}
	return data
}

// listening returns the inodes of the sockets that accept connections to an
// address.
func listening(a engine.Address) []string {
	if a.Network == "unix" {
		path, err := filepath.Abs(a.Dial)
		if err != nil {
			return nil
		}
		return listeningUnix(readProc("/proc/net/unix"), a.Dial, path)
	}
	host, port, err := net.SplitHostPort(a.Dial)
	if err != nil {
		return nil
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil
	}
	ip := net.ParseIP(host) // nil: localhost
	if out, err := askListening(ip, uint16(n)); err == nil {
		return out
	}
	out := listeningTCP(readProc("/proc/net/tcp"), ip, uint16(n))
	return append(out, listeningTCP(readProc("/proc/net/tcp6"), ip, uint16(n))...)
}

// listeningUnix reads /proc/net/unix: num, references, protocol, flags, type,
// state, inode, path. Flag 0x10000 says that the socket accepts connections.
func listeningUnix(table []byte, paths ...string) (inodes []string) {
	for line := range bytes.Lines(table) {
		f := strings.Fields(string(line))
		if len(f) != 8 {
			continue
		}
		flags, err := strconv.ParseUint(f[3], 16, 64)
		if err == nil && flags&0x10000 != 0 && slices.Contains(paths, f[7]) {
			inodes = append(inodes, f[6])
		}
	}
	return inodes
}

// listeningTCP reads /proc/net/tcp and tcp6: number, local address, remote
// address, state (0A: listens), and, at place 9, the inode. ip may be nil for
// the loopback, in either family.
func listeningTCP(table []byte, ip net.IP, port uint16) (inodes []string) {
	for line := range bytes.Lines(table) {
		f := strings.Fields(string(line))
		if len(f) < 10 || f[3] != "0A" {
			continue
		}
		at, p, err := socketAddress(f[1])
		if err != nil || p != port {
			continue
		}
		if accepts(at, ip) {
			inodes = append(inodes, f[9])
		}
	}
	return inodes
}

// accepts reports whether a socket at an address accepts connections to an IP; nil is any
// of the loopback.
func accepts(at, ip net.IP) bool {
	return at.IsUnspecified() || ip != nil && at.Equal(ip) || ip == nil && at.IsLoopback()
}

// socketAddress reads an address such as 0100007F:1F90: words of 32 bits in the
// processor's order, which is little-endian wherever whet runs, and the port.
func socketAddress(s string) (net.IP, uint16, error) {
	address, port, ok := strings.Cut(s, ":")
	ip, err := hex.DecodeString(address)
	if !ok || err != nil || len(ip) != 4 && len(ip) != 16 {
		return nil, 0, errors.New("no address")
	}
	for i := 0; i < len(ip); i += 4 {
		slices.Reverse(ip[i : i+4])
	}
	p, err := strconv.ParseUint(port, 16, 16)
	return ip, uint16(p), err
}

// allowedProcessors reads a line of /proc/PID/status such as
// "Cpus_allowed_list:	0-3,8".
func allowedProcessors(pid string) (p processors, ok bool) {
	for line := range bytes.Lines(readProc("/proc/" + pid + "/status")) {
		if list, found := strings.CutPrefix(string(line), "Cpus_allowed_list:"); found {
			return parseProcessors(strings.TrimSpace(list))
		}
	}
	return p, false
}

// usageOf returns the time used so far on some processors.
func usageOf(of processors) usage { return parseUsage(readProc("/proc/stat"), of) }

// parseUsage reads the lines of /proc/stat such as "cpu0 10 0 5 900 3 0 1 0 0 0": time
// in user mode, of nice programs, in the kernel, idle, waiting for disks, in interrupts
// of both kinds, and stolen by other guests of the host, in hundredths of a second. The
// first two include the time of this machine's guests.
func parseUsage(table []byte, of processors) (u usage) {
	const idle, waiting, counted = 3, 4, 8
	for line := range bytes.Lines(table) {
		f := strings.Fields(string(line))
		if len(f) <= counted || !strings.HasPrefix(f[0], "cpu") {
			continue
		}
		n, err := strconv.Atoi(f[0][len("cpu"):])
		if err != nil || !of.has(n) {
			continue
		}
		for i, text := range f[1 : counted+1] {
			ticks, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				return usage{}
			}
			u.all += time.Duration(ticks) * tick
			if i != idle && i != waiting {
				u.used += time.Duration(ticks) * tick
			}
		}
	}
	return u
}

// tick is the unit of times in /proc.
const tick = 10 * time.Millisecond

func parseProcessors(list string) (p processors, ok bool) {
	for part := range strings.SplitSeq(list, ",") {
		from, to, ranged := strings.Cut(part, "-")
		if !ranged {
			to = from
		}
		first, err := strconv.Atoi(from)
		last, err2 := strconv.Atoi(to)
		if err != nil || err2 != nil || first < 0 || last < first || last >= len(p)*64 {
			return p, false
		}
		for n := first; n <= last; n++ {
			p.add(n)
		}
	}
	return p, true
}

// processTime returns the user and system time of a process: fields 14 and 15 of
// /proc/PID/stat, in hundredths of a second. The second field, a name in
// brackets, may hold anything. Negative: unknown.
func processTime(pid int) time.Duration {
	data := readProc("/proc/" + strconv.Itoa(pid) + "/stat")
	f := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	if len(f) < 13 {
		return -1
	}
	user, err := strconv.ParseInt(f[11], 10, 64)
	system, err2 := strconv.ParseInt(f[12], 10, 64)
	if err != nil || err2 != nil {
		return -1
	}
	return time.Duration(user+system) * tick
}

// queues reads how long the threads of this process have waited for a processor that
// others had. It allocates nothing: a load is under way.
type queues struct {
	tasks directory
	stat  [64]byte // three numbers of at most 20 digits
}

// read sets out to each thread's time so far, by the thread's number; to nothing where
// the kernel does not say.
func (q *queues) read(out map[int]time.Duration) {
	clear(out)
	tasks, ok := openAt(0, append(q.tasks.path[:0], "/proc/self/task\x00"...))
	if !ok {
		return
	}
	defer syscall.Close(tasks)
	for name := range q.tasks.names(tasks) {
		thread, err := strconv.Atoi(string(name))
		if waited, ok := q.of(tasks, name); err == nil && ok {
			out[thread] = waited
		}
	}
}

// of reads one thread's time; not that of a thread that has ended meanwhile.
func (q *queues) of(tasks int, name []byte) (time.Duration, bool) {
	f, ok := openAt(tasks, append(append(q.tasks.path[:0], name...), "/schedstat\x00"...))
	if !ok {
		return 0, false
	}
	defer syscall.Close(f)
	n, err := syscall.Read(f, q.stat[:])
	if err != nil {
		return 0, false
	}
	return parseQueue(q.stat[:n])
}

// directory is memory to read a directory of /proc with, and to put a path together in.
// Package os would allocate for each name, and register each file for its poller.
type directory struct {
	path    [64]byte
	entries [4096]byte
}

// names yields the names in an open directory, except its own and its parent's.
func (d *directory) names(fd int) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for {
			n, err := syscall.ReadDirent(fd, d.entries[:])
			if err != nil || n <= 0 {
				return
			}
			name, left := direntName(d.entries[:n])
			for ; name != nil; name, left = direntName(left) {
				if !bytes.HasPrefix(name, []byte{'.'}) && !yield(name) {
					return
				}
			}
		}
	}
}

// openAt opens a file to read. Its path, which ends with a zero, is absolute or begins at
// a directory. Package syscall's function allocates.
func openAt(directory int, path []byte) (fd int, ok bool) {
	r, _, errno := syscall.Syscall6(syscall.SYS_OPENAT, uintptr(directory), uintptr(unsafe.Pointer(unsafe.SliceData(path))), syscall.O_RDONLY|syscall.O_CLOEXEC, 0, 0, 0)
	return int(r), errno == 0
}

// direntName takes the name of the first entry off those of a directory, as getdents64(2)
// returns them: the entry's length stands after two numbers of 8 bytes, and the name,
// which ends with a zero, after that and one more byte. A nil name: there is none.
func direntName(entries []byte) (name, rest []byte) {
	const length, at = 16, 19
	if len(entries) <= at {
		return nil, entries
	}
	n := int(binary.NativeEndian.Uint16(entries[length:]))
	if n <= at || n > len(entries) {
		return nil, entries
	}
	name, _, _ = bytes.Cut(entries[at:n], []byte{0})
	return name, entries[n:]
}

// parseQueue reads a thread's schedstat: the time on a processor and the time ready
// without one, both in nanoseconds, and the number of times it had one.
func parseQueue(stat []byte) (time.Duration, bool) {
	_, stat, _ = bytes.Cut(stat, []byte{' '})
	waited, times, _ := bytes.Cut(stat, []byte{' '})
	ns, err := strconv.ParseInt(string(waited), 10, 64)
	return time.Duration(ns), err == nil && ns >= 0 && len(times) > 0
}
