package ring

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// pair is a ring on this test's thread, and one end of a connection in its first
// slot; the other end is peer.
type pair struct {
	*Ring
	t       *testing.T
	buffers *Buffers
	peer    net.Conn
}

const patience = time.Minute

func newRing(t *testing.T, o Options) *Ring {
	t.Helper()
	runtime.LockOSThread()
	r, err := New(o)
	if errors.Is(err, ErrUnavailable) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if r.memory != nil {
			r.Close()
		}
		runtime.UnlockOSThread()
	})
	return r
}

func newPair(t *testing.T, buffers, size int) *pair {
	t.Helper()
	p := &pair{Ring: newRing(t, Options{Entries: 8, Completions: 64, Files: 4}), t: t}
	var err error
	if p.buffers, err = p.Buffers(buffers, size); err != nil {
		t.Fatal(err)
	}
	if err := p.Enable(); err != nil {
		t.Fatal(err)
	}
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.SetFile(0, fds[0]); err != nil {
		t.Fatal(err)
	}
	unix.Close(fds[0])
	f := os.NewFile(uintptr(fds[1]), "peer")
	defer f.Close()
	if p.peer, err = net.FileConn(f); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.peer.Close() })
	return p
}

// next waits for a completion.
func (p *pair) next() Completion {
	p.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); {
		if c, ok := p.Next(); ok {
			return c
		}
		if err := p.Wait(patience, 1, 0, true); err != nil {
			p.t.Fatal(err)
		}
	}
	p.t.Fatal("no completion")
	return Completion{}
}

// none sees that no completion is there after all that was written is done.
func (p *pair) none() {
	p.t.Helper()
	if err := p.Wait(0, 1, 0, false); err != nil {
		p.t.Fatal(err)
	}
	if c, ok := p.Next(); ok {
		p.t.Fatalf("a completion that nobody asked for: %+v", c)
	}
}

func (p *pair) write(s string) {
	p.t.Helper()
	if _, err := io.WriteString(p.peer, s); err != nil {
		p.t.Fatal(err)
	}
}

func (p *pair) receives(data uint64, want string) {
	p.t.Helper()
	c := p.next()
	if got := p.buffers.Bytes(c); c.Data != data || c.Errno != 0 || !c.More || string(got) != want {
		p.t.Fatalf("received %q in %+v, want %q", got, c, want)
	}
	p.buffers.Recycle(c)
}

func TestReceive(t *testing.T) {
	p := newPair(t, 4, 8)
	p.Receive(0, p.buffers, 7)
	// More rounds than there are buffers, so that each is used again.
	for i := range 10 {
		p.write("0123456789"[:1+i%8])
		p.receives(7, "0123456789"[:1+i%8])
	}
	p.write("longer than one buffer")
	p.receives(7, "longer t")
	p.receives(7, "han one ")
	p.receives(7, "buffer")
	p.peer.Close()
	if c := p.next(); c.Data != 7 || c.N != 0 || c.Errno != 0 || c.More {
		t.Errorf("the end came as %+v", c)
	}
}

// TestOutOfBuffers: who keeps all buffers is told, and nothing is lost.
func TestOutOfBuffers(t *testing.T) {
	p := newPair(t, 2, 4)
	p.Receive(0, p.buffers, 1)
	p.write("abcdefghijkl")
	first, second := p.next(), p.next()
	if got := string(p.buffers.Bytes(first)) + string(p.buffers.Bytes(second)); got != "abcdefgh" {
		t.Fatalf("received %q", got)
	}
	if c := p.next(); c.Errno != unix.ENOBUFS || c.More {
		t.Fatalf("without buffers: %+v", c)
	}
	p.buffers.Recycle(first)
	p.buffers.Recycle(second)
	p.Receive(0, p.buffers, 2)
	p.receives(2, "ijkl")
}

func TestSend(t *testing.T) {
	p := newPair(t, 2, 4)
	read := func(want string) {
		t.Helper()
		b := make([]byte, len(want))
		if _, err := io.ReadFull(p.peer, b); err != nil || string(b) != want {
			t.Fatalf("the peer read %q, %v, want %q", b, err, want)
		}
	}
	// Twice as many as the queue holds.
	hello := []byte("hello")
	for range 16 {
		p.Send(0, hello, true, 1)
	}
	p.Submit()
	read(strings.Repeat("hello", 16))
	p.none()
	p.Send(0, []byte("loud"), false, 2)
	if c := p.next(); c.Data != 2 || c.N != 4 || c.Errno != 0 || c.More {
		t.Errorf("a send completed as %+v", c)
	}
	read("loud")

	// What is withdrawn before it is submitted is neither sent nor completed, and what is
	// queued around it is sent.
	for i, text := range []string{"a", "b", "c", "b"} {
		p.Send(0, []byte(text), true, uint64(10+i%3))
	}
	p.Withdraw(11)
	p.Withdraw(99)
	p.none()
	read("acb")
	p.Withdraw(10) // too late
	p.none()

	// More than the socket takes at once: it is sent to its end.
	large := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	p.Send(0, large, false, 3)
	p.Submit()
	got := make(chan []byte)
	go func() {
		b := make([]byte, len(large))
		_, _ = io.ReadFull(p.peer, b)
		got <- b
	}()
	if c := p.next(); c.Data != 3 || c.N != len(large) {
		t.Errorf("a large send completed as %+v", c)
	}
	if !bytes.Equal(<-got, large) {
		t.Error("the peer read something else than what was sent")
	}

	p.peer.Close()
	p.Send(0, hello, true, 4)
	if c := p.next(); c.Data != 4 || c.Errno != unix.EPIPE {
		t.Errorf("a silent send that failed completed as %+v", c)
	}
}

func TestConnect(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := func() []byte {
		port := l.Addr().(*net.TCPAddr).Port
		return []byte{unix.AF_INET, 0, byte(port >> 8), byte(port), 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0}
	}()
	p := newPair(t, 2, 4)
	socket := func(slot uint32) {
		t.Helper()
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(fd)
		if err := p.SetFile(slot, fd); err != nil {
			t.Fatal(err)
		}
	}
	socket(1)
	p.Connect(1, address, 9)
	if c := p.next(); c.Data != 9 || c.Errno != 0 {
		t.Fatalf("connected: %+v", c)
	}
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	p.Receive(1, p.buffers, 10)
	if _, err := io.WriteString(conn, "hi"); err != nil {
		t.Fatal(err)
	}
	p.receives(10, "hi")
	l.Close()

	socket(2)
	p.Connect(2, address, 11)
	if c := p.next(); c.Data != 11 || c.Errno != unix.ECONNREFUSED {
		t.Errorf("nobody listens, and connecting completed as %+v", c)
	}
}

// TestCancel: a slot that is emptied after a Cancel has closed its socket.
func TestCancel(t *testing.T) {
	p := newPair(t, 2, 4)
	p.Receive(0, p.buffers, 1)
	p.none()
	p.Cancel(1, 2)
	p.Submit()
	if err := p.SetFile(0, -1); err != nil {
		t.Fatal(err)
	}
	if c := p.next(); c.Data != 1 || c.Errno != unix.ECANCELED || c.More {
		t.Errorf("the canceled operation completed as %+v", c)
	}
	p.ended()
	p.Cancel(1, 3)
	if c := p.next(); c.Data != 3 || c.Errno == 0 {
		t.Errorf("canceling what is over completed as %+v", c)
	}
}

// ended sees that the peer finds the connection closed.
func (p *pair) ended() {
	p.t.Helper()
	_ = p.peer.SetReadDeadline(time.Now().Add(patience))
	if n, err := p.peer.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		p.t.Errorf("the peer read %d bytes, %v, and not the end", n, err)
	}
}

// TestClose: what is under way ends, and no descriptor is left.
func TestClose(t *testing.T) {
	count := func() int {
		names, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(names)
	}
	p := newPair(t, 2, 4)
	with := count()
	p.Receive(0, p.buffers, 1)
	p.none()
	p.Close()
	// At once: after a load nothing may be open for a while.
	raw, err := p.peer.(*net.UnixConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if err := raw.Control(func(fd uintptr) {
		if n, _, err := unix.Recvfrom(int(fd), make([]byte, 1), unix.MSG_DONTWAIT); n != 0 || err != nil {
			t.Errorf("the peer read %d bytes, %v, and not the end", n, err)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if now := count(); now != with-1 {
		t.Errorf("%d descriptors with a ring, %d without", with, now)
	}
}

func TestWatch(t *testing.T) {
	p := newPair(t, 2, 4)
	fd, err := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	p.Watch(fd, 5)
	for range 3 {
		p.none()
		if _, err := unix.Write(fd, []byte{1, 0, 0, 0, 0, 0, 0, 0}); err != nil {
			t.Fatal(err)
		}
		if c := p.next(); c.Data != 5 || c.Errno != 0 || !c.More {
			t.Errorf("a watched descriptor completed as %+v", c)
		}
		if _, err := unix.Read(fd, make([]byte, 8)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWait: it ends without a completion when the time is over, with as many as
// are asked for, and with fewer when the shorter time is over.
func TestWait(t *testing.T) {
	p := newPair(t, 8, 4)
	if err := p.Wait(time.Millisecond, 1, 0, false); err != nil || p.Left() != 0 {
		t.Fatalf("%d completions, error %v", p.Left(), err)
	}
	p.Receive(0, p.buffers, 1)
	p.Submit()
	p.write("abcdefgh")
	if err := p.Wait(patience, 2, patience, true); err != nil || p.Left() != 2 {
		t.Errorf("waiting for two: %d completions, error %v", p.Left(), err)
	}
	for p.Left() > 0 {
		p.buffers.Recycle(p.next())
	}
	if !p.Batches {
		t.Log("this kernel cannot wait for several completions for a limited time")
		return
	}
	// There would be no end to waiting for five, but for the batch's time.
	p.write("ab")
	if err := p.Wait(time.Hour, 5, time.Millisecond, true); err != nil || p.Left() != 1 {
		t.Errorf("waiting for five: %d completions, error %v", p.Left(), err)
	}
}

// TestOverflow: completions that do not fit are kept.
func TestOverflow(t *testing.T) {
	p := newPair(t, 2, 4)
	const n = 200 // of 64
	var got int
	for i := range n {
		p.Send(0, nil, false, uint64(i))
	}
	for got < n {
		if c := p.next(); c.Data != uint64(got) || c.Errno != 0 {
			t.Fatalf("completion %d is %+v", got, c)
		}
		got++
	}
	p.none()
}

// Before the kernel gets operations that is told, and only then: also where the
// queue is full, and by a wait.
func TestSubmitting(t *testing.T) {
	calls := 0
	r := newRing(t, Options{Entries: 2, Submitting: func() { calls++ }})
	if err := r.Enable(); err != nil {
		t.Fatal(err)
	}
	r.Submit()
	if calls != 0 {
		t.Errorf("%d calls, and nothing to submit", calls)
	}
	for range 3 { // the third finds the queue full
		r.Cancel(99, 1)
	}
	if calls != 1 {
		t.Errorf("%d calls after a full queue, want 1", calls)
	}
	if err := r.Wait(0, 1, 0, false); err != nil || calls != 2 {
		t.Errorf("%d calls after a wait, want 2: %v", calls, err)
	}
	if err := r.Wait(0, 1, 0, false); err != nil || calls != 2 {
		t.Errorf("%d calls after a wait with nothing to submit, want 2: %v", calls, err)
	}
}

func TestUnavailable(t *testing.T) {
	for errno, want := range map[syscall.Errno]bool{unix.ENOSYS: true, unix.EPERM: true, unix.EACCES: true, unix.EINVAL: true, unix.ENOMEM: false} {
		err := setupError(errno)
		if got := errors.Is(err, ErrUnavailable); got != want || !want && !errors.Is(err, errno) {
			t.Errorf("%v: %v", errno, err)
		}
	}
	p := params{}
	if err := (&Ring{}).begin(&p, 0); !errors.Is(err, ErrUnavailable) {
		t.Errorf("a kernel without features: %v", err)
	}
}

func TestBuffersRefused(t *testing.T) {
	r := newRing(t, Options{Entries: 4})
	for _, n := range []int{0, 3, 1 << 16} {
		if _, err := r.Buffers(n, 16); err == nil {
			t.Errorf("%d buffers are made", n)
		}
	}
}
