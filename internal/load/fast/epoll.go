//go:build linux

package fast

import (
	"fmt"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// epoll is the transport over readiness notifications.
//
// Notifications are edge-triggered, which saves the kernel a check of each socket that
// was read: a read that fills the buffer only in part has taken all the data, and later
// data causes another notification. So does the end of the connection, unless it
// arrived before the read; then the event says so, and reading continues until the end.
//
// If several responses wait, they are read one after the other, and then the next
// requests are sent, a few at a time: the kernel's code for either does not evict the
// other from the processor's cache. Together with naps that saves a tenth of the time
// per request; each alone saved little.
type epoll struct {
	l      *loop
	fd     int
	events [512]unix.EpollEvent
	buf    []byte // for reading; one for all connections
	bell   bell
	queue  []*conn       // that have something to be sent, while answers are read
	holds  bool          // sends are put into the queue
	limit  unix.Timespec // of a wait
	quiet  bool          // nothing happened in the last wait
	coarse bool          // the kernel (before 5.11) waits by whole milliseconds
}

// # Waiting, and the runtime
//
// A thread that enters the kernel tells the runtime, which takes its processor
// (the P) for others where that takes long. Where there are no more processors
// than loops, the runtime's monitor takes it from each wait of more than some
// 20 µs, wakes another thread for it, which finds nothing to do, and looks again
// 20 µs later: a fifth of the time of a loop that is well used. So a loop that
// something happens to keeps its processor while it waits, and gives it back
// after keptWait in which nothing did. The collector is not held up
// meanwhile: it sends the thread a signal, which ends the wait, and so does the
// monitor where another goroutine has waited for 10 ms.

// keptWait is the longest wait in which a loop keeps its processor. It is longer
// than the interval of the kernel's tick (10 ms at most): a timer that is due
// before the next tick has to be set in the hardware for each wait and unset
// after it, which under a hypervisor is a twentieth of a request's CPU time.
const keptWait = 20e6

// readSize is as much as one read takes. Larger answers take several; a larger
// buffer would not stay in the processor's nearest cache.
const readSize = 32 << 10

const (
	// readsAtOnce bounds how often one connection is read before others are.
	readsAtOnce = 16
	// answersAtOnce is how many answers are read before requests are sent: the
	// first of them waits for so long, 20 µs or so, and counts as sent after that.
	answersAtOnce = 16
)

// bellIndex identifies events of the bell, instead of a connection.
const bellIndex = -1

func newEpoll(l *loop) (transport, error) {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("make an epoll instance: %w", err)
	}
	b, err := newBell()
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	t := &epoll{l: l, fd: fd, buf: make([]byte, readSize), bell: b, queue: make([]*conn, 0, answersAtOnce)}
	if err := unix.EpollCtl(fd, unix.EPOLL_CTL_ADD, b.fd, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: bellIndex}); err != nil {
		t.shutdown()
		return nil, fmt.Errorf("add to an epoll instance: %w", err)
	}
	return t, nil
}

func (t *epoll) enter() error { return nil }

func (t *epoll) leave() {}

func (t *epoll) wake() { t.bell.ring() }

func (t *epoll) shutdown() {
	t.bell.close()
	unix.Close(t.fd)
}

func (t *epoll) connect(c *conn) {
	p := t.l.target(c)
	fd, errno := p.socket()
	if errno != 0 {
		t.l.connected(c, errno)
		return
	}
	c.fd = fd
	switch errno := p.connect(fd); errno {
	case 0, unix.EINPROGRESS:
		if errno := t.interest(c, unix.EPOLL_CTL_ADD); errno != 0 {
			t.l.connected(c, errno)
		}
	default:
		t.l.connected(c, errno)
	}
}

// interest makes the kernel report the present and future states of c's socket.
func (t *epoll) interest(c *conn, op int) syscall.Errno {
	e := unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLOUT | unix.EPOLLRDHUP | edgeTriggered, Fd: c.index, Pad: int32(c.gen)}
	_, _, errno := unix.RawSyscall6(unix.SYS_EPOLL_CTL, uintptr(t.fd), uintptr(op), uintptr(c.fd), uintptr(unsafe.Pointer(&e)), 0, 0)
	return errno
}

// edgeTriggered is EPOLLET, which package unix has as a negative number.
const edgeTriggered = 1 << 31

func (t *epoll) send(c *conn) {
	if t.holds {
		t.queue = append(t.queue, c)
		return
	}
	if c.fresh {
		t.l.departs(c, t.l.job.Now())
	}
	for len(c.out) > 0 && c.fd >= 0 && !c.cut {
		n, errno := send(c.fd, c.out)
		switch errno {
		case 0:
			c.out = c.out[n:]
		case unix.EINTR:
		case unix.EAGAIN:
			return // an event tells when there is room
		default:
			c.cut = true // reading shows the cause
			return
		}
	}
	if len(c.out) == 0 {
		t.l.drained(c)
	}
}

// sendQueue sends the queued requests. Some may belong to closed connections.
func (t *epoll) sendQueue() {
	t.holds = false
	for _, c := range t.queue {
		if len(c.out) > 0 {
			t.send(c)
		}
	}
	t.queue = t.queue[:0]
}

func (t *epoll) close(c *conn) {
	if c.fd >= 0 {
		if len(c.out) > 0 {
			_, _ = send(c.fd, c.out)
		}
		unix.RawSyscall(unix.SYS_CLOSE, uintptr(c.fd), 0, 0)
		c.fd = none
	}
}

func (t *epoll) wait(d, batch int64) error {
	if batch > 0 {
		nap(batch)
		d -= batch
	}
	if !t.quiet {
		d = min(d, keptWait)
	}
	n, errno := t.poll(d)
	switch errno {
	case 0:
	case unix.EINTR:
		return nil
	default:
		return fmt.Errorf("wait for connections: %w", errno)
	}
	t.quiet = n == 0 && d > 0
	for events := t.events[:n]; len(events) > 0; {
		some := events[:min(len(events), answersAtOnce)]
		events = events[len(some):]
		t.holds = len(some) > 1 && t.l.arrivals == nil
		for i := range some {
			t.happened(&some[i])
		}
		t.sendQueue()
	}
	return nil
}

// happened deals with one event.
func (t *epoll) happened(e *unix.EpollEvent) {
	if e.Fd == bellIndex {
		t.bell.hush()
		t.l.woken()
		return
	}
	const broken = unix.EPOLLERR | unix.EPOLLHUP
	c, gen := &t.l.conns[e.Fd], uint32(e.Pad)
	if c.gen != gen || c.fd < 0 {
		return
	}
	if c.state == connecting {
		var errno syscall.Errno
		if e.Events&broken != 0 {
			errno = pending(c.fd)
		}
		t.l.connected(c, errno)
	} else if e.Events&unix.EPOLLOUT != 0 && len(c.out) > 0 {
		t.send(c)
	}
	if e.Events&(unix.EPOLLIN|unix.EPOLLRDHUP|broken) != 0 {
		t.read(c, gen, e.Events&(unix.EPOLLRDHUP|broken) != 0)
	}
}

// read reads the data of c, and the end as well if ended reports that it is there.
func (t *epoll) read(c *conn, gen uint32, ended bool) {
	// The next request is not sent into a connection that has ended.
	t.holds = t.holds || ended
	for range readsAtOnce {
		if c.gen != gen || c.fd < 0 {
			return
		}
		n, errno := recv(c.fd, t.buf)
		switch {
		case errno == unix.EINTR:
			continue
		case errno == unix.EAGAIN:
			return
		case errno != 0:
			t.l.ended(c, errno)
			return
		case n == 0:
			t.l.ended(c, 0)
			return
		}
		t.l.arrived(c, t.buf[:n])
		if n < len(t.buf) && !ended {
			return
		}
	}
	if c.gen == gen && c.fd >= 0 {
		t.interest(c, unix.EPOLL_CTL_MOD) // reports the present state again
	}
}

// poll asks for events, and tells the runtime where that may take long.
func (t *epoll) poll(d int64) (int, syscall.Errno) {
	if t.coarse {
		return t.pollCoarsely(d)
	}
	var n uintptr
	var errno syscall.Errno
	t.limit = unix.NsecToTimespec(max(d, 0))
	if t.quiet {
		n, _, errno = unix.Syscall6(unix.SYS_EPOLL_PWAIT2, uintptr(t.fd), uintptr(unsafe.Pointer(&t.events)), uintptr(len(t.events)), uintptr(unsafe.Pointer(&t.limit)), 0, 0)
	} else {
		n, _, errno = unix.RawSyscall6(unix.SYS_EPOLL_PWAIT2, uintptr(t.fd), uintptr(unsafe.Pointer(&t.events)), uintptr(len(t.events)), uintptr(unsafe.Pointer(&t.limit)), 0, 0)
	}
	if errno == unix.ENOSYS {
		t.coarse = true
		return t.pollCoarsely(d)
	}
	return count(n, errno), errno
}

// pollCoarsely waits by whole milliseconds, and sleeps the remainder, checking for
// events as often as a loop that takes naps does.
func (t *epoll) pollCoarsely(d int64) (int, syscall.Errno) {
	ms := max(d, 0) / int64(time.Millisecond)
	if ms == 0 && d > 0 {
		nap(min(d, longestNap))
	}
	n, _, errno := unix.Syscall6(unix.SYS_EPOLL_PWAIT, uintptr(t.fd), uintptr(unsafe.Pointer(&t.events)), uintptr(len(t.events)), uintptr(ms), 0, 0)
	return count(n, errno), errno
}

// count returns the result of a system call that counts; 0 where it failed.
func count(n uintptr, errno syscall.Errno) int {
	if errno != 0 {
		return 0
	}
	return int(n)
}

// nap sleeps on this thread, and keeps the processor. A signal may end it early.
func nap(ns int64) {
	ts := unix.NsecToTimespec(ns)
	_, _, _ = unix.RawSyscall(unix.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
}

// bell lets other goroutines wake a loop.
type bell struct{ fd int }

func newBell() (bell, error) {
	fd, err := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	if err != nil {
		return bell{}, fmt.Errorf("make an eventfd: %w", err)
	}
	return bell{fd: fd}, nil
}

func (b bell) ring() {
	one := uint64(1)
	_, _, _ = unix.RawSyscall(unix.SYS_WRITE, uintptr(b.fd), uintptr(unsafe.Pointer(&one)), 8)
}

func (b bell) hush() {
	var n uint64
	_, _, _ = unix.RawSyscall(unix.SYS_READ, uintptr(b.fd), uintptr(unsafe.Pointer(&n)), 8)
}

func (b bell) close() { unix.Close(b.fd) }
