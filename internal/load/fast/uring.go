//go:build linux

package fast

import (
	"fmt"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"whet/internal/load/engine"
	iouring "whet/internal/load/ring"
)

// # io_uring
//
// A receive is armed once for a connection and then completes for each answer, so
// a request costs one operation, its send. Sends are queued and go out with the
// call that waits for answers, or before it once sendsAtOnce are queued, so that
// the service need not wait for the end of a long batch; with 16 in place of 64
// a request costs a twentieth more. A short send completes in silence. What is
// left for each request is the kernel's own work on the socket, nine tenths of
// the time in which this thread runs.
//
// Where the loop would take a nap (nap.go), the kernel waits as long, or until
// many are answered; it does not wake this thread for each
// answer meanwhile.
//
// A request counts as sent when the kernel is given the batch that it is in: never
// later than it is, and earlier by what the kernel takes for those before it, some
// 3 µs each. With 64 connections on nginx the median batch had 16 requests and the
// largest 40, so that service times are some 25 µs too long.
//
// A connection's socket lies in the slot of its index. Completions carry the
// connection's index and generation; those of a socket that was closed meanwhile
// are dropped.
//
// With TLS each record is opened by this thread, which costs many times what is
// saved here, and so it stays with epoll.

const (
	// silentSend is the size up to which a send cannot have to wait: the requests
	// before it are answered, so the socket's buffer is empty.
	silentSend  = 4 << 10
	sendsAtOnce = 64

	ringEntries = 512
	bufferSize  = 16 << 10
	maxBuffers  = 256
)

// IOUring returns the engine over io_uring, or the reason why there is none.
func IOUring() (engine.Engine, error) {
	probe, err := iouring.New(iouring.Options{Entries: 1})
	if err != nil {
		return nil, err
	}
	probe.Close()
	return driver{name: "io_uring", transport: newUring, shaking: maxShaking}, nil
}

// uring is the transport over io_uring.
type uring struct {
	l       *loop
	ring    *iouring.Ring // nil after leave
	buffers *iouring.Buffers
	bell    bell
	sends   []*conn // whose sends are queued
	quiet   bool    // the last wait brought nothing: the next one is told to the runtime
}

// operation is what a completion is of.
type operation uint64

const (
	opCancel operation = iota
	opConnect
	opReceive
	opSend
	opBell

	opBits = 3
)

func (o operation) of(c *conn) uint64 {
	return uint64(c.gen)<<32 | uint64(c.index)<<opBits | uint64(o)
}

func newUring(l *loop) (transport, error) {
	if l.address.TLS != nil {
		return newEpoll(l)
	}
	n := len(l.conns)
	t := &uring{l: l, sends: make([]*conn, 0, sendsAtOnce)}
	r, err := iouring.New(iouring.Options{Entries: ringEntries, Completions: uint32(powerOfTwo(2*n, ringEntries, 1<<14)), Files: uint32(n), Submitting: t.submitting})
	if err != nil {
		return nil, err
	}
	t.ring = r
	if t.buffers, err = r.Buffers(powerOfTwo(2*n, 16, maxBuffers), bufferSize); err == nil {
		t.bell, err = newBell()
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	return t, nil
}

// powerOfTwo returns the least one that is not less than n, within bounds that are
// powers of two.
func powerOfTwo(n, least, most int) int {
	p := least
	for p < n && p < most {
		p *= 2
	}
	return p
}

func (t *uring) enter() error {
	if err := t.ring.Enable(); err != nil {
		return err
	}
	t.watch()
	return nil
}

// leave ends the ring, which no other thread may, and all sockets with it: that
// is quicker than one by one.
func (t *uring) leave() {
	for i := range t.l.conns {
		if c := &t.l.conns[i]; c.fd >= 0 {
			t.cancel(c)
		}
	}
	t.ring.Close()
	t.ring = nil
}

func (t *uring) wake() { t.bell.ring() }

func (t *uring) shutdown() {
	if t.ring != nil {
		t.ring.Close()
	}
	t.bell.close()
}

func (t *uring) watch() { t.ring.Watch(t.bell.fd, uint64(opBell)) }

func (t *uring) connect(c *conn) {
	p := t.l.target(c)
	fd, errno := p.socket()
	if errno != 0 {
		t.l.connected(c, errno)
		return
	}
	now := p.family == unix.AF_UNIX // such a socket is connected at once, or not
	if now {
		errno = p.connect(fd)
	}
	if errno == 0 && t.ring.SetFile(uint32(c.index), int(fd)) != nil {
		errno = unix.ENFILE
	}
	unix.RawSyscall(unix.SYS_CLOSE, uintptr(fd), 0, 0)
	if errno != 0 {
		t.l.connected(c, errno)
		return
	}
	c.fd, c.armed = c.index, false
	if now {
		t.connected(c, 0)
	} else {
		t.ring.Connect(uint32(c.index), p.raw, opConnect.of(c))
	}
}

func (t *uring) connected(c *conn, errno syscall.Errno) {
	if errno == 0 {
		t.receive(c)
	}
	t.l.connected(c, errno)
}

func (t *uring) receive(c *conn) {
	t.ring.Receive(uint32(c.index), t.buffers, opReceive.of(c))
}

// send queues c.out. While a long send is under way, conn.armed says so.
func (t *uring) send(c *conn) {
	if c.fd < 0 || c.cut || c.armed || len(c.out) == 0 {
		return
	}
	silent := len(c.out) <= silentSend
	t.ring.Send(uint32(c.index), c.out, silent, opSend.of(c))
	if silent {
		c.out = nil
	} else {
		c.armed = true
	}
	if t.sends = append(t.sends, c); len(t.sends) == sendsAtOnce {
		t.ring.Submit()
	}
}

// submitting is called before the kernel gets what is queued.
func (t *uring) submitting() {
	if len(t.sends) == 0 {
		return
	}
	now := t.l.job.Now()
	for _, c := range t.sends {
		t.l.departs(c, now)
	}
	t.sends = t.sends[:0]
}

// sent deals with the completion of a send: of a long one, or of one that failed.
func (t *uring) sent(c *conn, e iouring.Completion) {
	c.armed = false
	if e.Errno != 0 {
		c.cut = true // what it means, reading tells
		return
	}
	c.out = c.out[min(e.N, len(c.out)):]
	if len(c.out) > 0 {
		t.send(c)
		return
	}
	t.l.drained(c)
}

// close ends what is under way before the slot is free for another socket. A send that
// the kernel does not have yet goes nowhere: its request may be sent over another.
func (t *uring) close(c *conn) {
	if c.fd < 0 {
		return
	}
	if t.ring == nil { // and the socket with it
		c.fd = none
		return
	}
	t.ring.Withdraw(opSend.of(c))
	t.cancel(c)
	t.ring.Submit()
	// What fails here shows when the slot is used again.
	_ = t.ring.SetFile(uint32(c.index), none)
	c.fd = none
}

func (t *uring) cancel(c *conn) {
	under := opReceive
	if c.state == connecting {
		under = opConnect
	}
	t.ring.Cancel(under.of(c), uint64(opCancel))
	if c.armed {
		t.ring.Cancel(opSend.of(c), uint64(opCancel))
	}
}

func (t *uring) wait(d, batch int64) error {
	n := 1
	if batch > 0 {
		if t.ring.Batches {
			n = t.l.many()
		} else {
			t.ring.Submit()
			nap(batch)
			d -= batch
		}
	}
	if !t.quiet {
		d = min(d, keptWait)
	}
	if err := t.ring.Wait(time.Duration(d), n, time.Duration(batch), t.quiet); err != nil {
		return fmt.Errorf("wait for connections: %w", err)
	}
	left := t.ring.Left()
	t.quiet = left == 0 && d > 0
	for range left {
		e, _ := t.ring.Next()
		t.happened(e)
	}
	return nil
}

// happened deals with a completion.
func (t *uring) happened(e iouring.Completion) {
	switch operation(e.Data & (1<<opBits - 1)) {
	case opCancel:
	case opBell:
		t.bell.hush()
		if !e.More {
			t.watch()
		}
		t.l.woken()
	case opConnect:
		if c := t.conn(e); c != nil {
			t.connected(c, e.Errno)
		}
	case opSend:
		if c := t.conn(e); c != nil {
			t.sent(c, e)
		}
	case opReceive:
		if c := t.conn(e); c != nil {
			t.received(c, e)
		}
		t.buffers.Recycle(e)
	}
}

// conn returns the connection that a completion is of; nil if its socket is gone.
func (t *uring) conn(e iouring.Completion) *conn {
	c := &t.l.conns[uint32(e.Data)>>opBits]
	if c.gen != uint32(e.Data>>32) || c.fd < 0 {
		return nil
	}
	return c
}

func (t *uring) received(c *conn, e iouring.Completion) {
	switch {
	case e.Errno == unix.ENOBUFS, e.Errno == unix.EAGAIN, e.Errno == unix.EINTR:
	case e.Errno != 0, e.N == 0:
		t.l.ended(c, e.Errno)
		return
	default:
		t.l.arrived(c, t.buffers.Bytes(e))
	}
	if !e.More && t.conn(e) != nil {
		t.receive(c)
	}
}
