//go:build linux

package fast

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"sync"
	"syscall"
	"time"
)

// # TLS in the loop
//
// crypto/tls needs a blocking net.Conn. It gets one without a socket: a session, which
// buffers received data that has not been read, and written data that has not been
// sent. The loop moves the bytes, as it does without TLS.
//
// A handshake cannot be resumed after errWouldBlock, so it runs in a goroutine of its
// own that waits for the loop to feed it. At most maxShaking run at a time: each needs
// some tens of KiB, and time that the open connections would have.
//
// After the handshake the loop calls crypto/tls on its own thread. Reading from an
// empty session returns errWouldBlock, which is a temporary error: crypto/tls stores
// read errors and returns them again, but not temporary ones, and keeps the part of a
// record that it has read. It stores every write error, since it cannot know how much
// of a record was sent: writing to a session therefore never fails, and accepts
// everything; data that the kernel does not accept at once waits in conn.out. A large
// request is encrypted in parts, the next one after the last was sent.
//
// crypto/tls allocates 24 bytes each time it looks for more data (the atLeastReader in
// (*tls.Conn).readFromUntil), so a request costs one such block of the library's here
// and none of ours. It would cost two if the loop read until there is no data: after
// exactly one record, one read is enough (records).

const (
	maxShaking = 256 // handshakes of a loop at a time
	// clearSize holds the largest record.
	clearSize = 16 << 10
	// sealSize is how much of a request is sealed at a time.
	sealSize = 64 << 10
)

// wouldBlock is the error of a session that has nothing to read.
type wouldBlock struct{}

func (wouldBlock) Error() string   { return "would block" }
func (wouldBlock) Timeout() bool   { return true }
func (wouldBlock) Temporary() bool { return true }

var errWouldBlock net.Error = wouldBlock{}

// handshakes are the handshakes of a loop, under way and waiting.
type handshakes struct {
	fed     bool   // one was given bytes: it should have its turn
	clear   []byte // decrypted data
	most    int    // at a time
	running int
	waiting []*session // for their turn, the first first

	mu   sync.Mutex
	news []*session // of which the loop should hear
	all  sync.WaitGroup
}

// session is a connection's TLS. It is the net.Conn that crypto/tls uses.
type session struct {
	l     *loop
	index int32 // of the connection
	conn  *tls.Conn

	// For the goroutine of the handshake and the loop.
	mu     sync.Mutex
	more   sync.Cond
	in     []byte // not yet read
	out    []byte // not yet taken by the loop
	end    error  // after in; nil: there may be more
	done   bool   // the handshake is over
	result error

	// The loop's alone. adopted reports that the handshake is over and the loop has
	// taken over, after which the fields above are unused.
	adopted bool
	settled bool   // the end of the handshake was seen
	given   []byte // not yet read
	records records
	ended   error  // after given
	plain   []byte // of the request, not yet sealed
	sealed  []byte // memory of conn.out
	// grown is the number of bytes of sealed that are not in conn.out yet. Data that
	// crypto/tls writes during a read, such as the response to a change of keys, is
	// sent with the next request, or with the farewell.
	grown int
}

// shake begins a handshake over a connection that was just made, or has it wait
// for its turn.
func (l *loop) shake(c *conn) {
	c.state = shaking
	s := &session{l: l, index: c.index}
	s.more.L = &s.mu
	s.conn = tls.Client(s, l.address.TLS)
	c.tls = s
	if l.tls.running >= l.tls.most {
		l.tls.waiting = append(l.tls.waiting, s)
		return
	}
	l.handshake(s)
}

func (l *loop) handshake(s *session) {
	l.tls.running++
	l.tls.fed = true
	l.tls.all.Go(func() {
		err := s.conn.Handshake()
		s.mu.Lock()
		s.done, s.result = true, err
		s.mu.Unlock()
		s.tell()
	})
}

// tell has the loop look at the session.
func (s *session) tell() {
	h := &s.l.tls
	h.mu.Lock()
	first := len(h.news) == 0
	h.news = append(h.news, s)
	h.mu.Unlock()
	if first {
		s.l.t.wake()
	}
}

// woken handles the sessions that need attention.
func (l *loop) woken() {
	l.tls.mu.Lock()
	news := l.tls.news
	l.tls.news = nil
	l.tls.mu.Unlock()
	for _, s := range news {
		l.attend(s)
	}
}

// attend sends the data written by a handshake, and takes over if it is done.
func (l *loop) attend(s *session) {
	s.mu.Lock()
	out, done, result := s.out, s.done, s.result
	s.out = nil
	s.mu.Unlock()
	if s.settled {
		return
	}
	if done {
		s.settled = true
		l.tls.running--
		l.nextHandshake()
	}
	c := &l.conns[s.index]
	if c.tls != s {
		return // given up meanwhile
	}
	if len(out) > 0 {
		s.put(out)
		l.push(c)
		if c.tls != s {
			return
		}
	}
	switch {
	case !done:
	case result != nil:
		l.fail(c, kindOf(result), result)
	default:
		s.adopted = true
		s.given, s.in, s.ended = s.in, nil, s.end
		gen := c.gen
		l.usable(c)
		if c.gen == gen {
			l.decrypt(c, false) // data received after the handshake
		}
	}
}

// nextHandshake begins those that wait for their turn.
func (l *loop) nextHandshake() {
	h := &l.tls
	for h.running < h.most && len(h.waiting) > 0 {
		s := h.waiting[0]
		h.waiting = h.waiting[1:]
		if l.conns[s.index].tls == s {
			l.handshake(s)
		}
	}
}

// feed passes received data to a handshake.
func (s *session) feed(b []byte) {
	s.records.pass(b)
	s.mu.Lock()
	s.in = append(s.in, b...)
	s.mu.Unlock()
	s.more.Signal()
	s.l.tls.fed = true
}

// finish tells a handshake that nothing more will come.
func (s *session) finish(err error) {
	s.mu.Lock()
	s.end = err
	s.mu.Unlock()
	s.more.Signal()
	s.l.tls.fed = true
}

// sealedEnd handles the end of the socket's data.
func (l *loop) sealedEnd(c *conn, errno syscall.Errno) {
	err := io.EOF
	if errno != 0 {
		err = errno
	}
	s := c.tls
	if c.state == shaking {
		s.finish(err) // earlier data may have the cause: the handshake returns it
		return
	}
	s.ended = err
	l.decrypt(c, false)
}

// seal encrypts the next part of the request and sends it.
func (l *loop) seal(c *conn) {
	s := c.tls
	part := s.plain[:min(len(s.plain), sealSize)]
	s.plain = s.plain[len(part):]
	if len(c.out) == 0 && s.grown == 0 {
		s.sealed = s.sealed[:0]
	}
	if _, err := s.conn.Write(part); err != nil {
		l.broken(c, err)
		return
	}
	l.push(c)
}

// push sends the data written to the session.
func (l *loop) push(c *conn) {
	s := c.tls
	c.out = s.sealed[len(s.sealed)-s.grown-len(c.out):]
	s.grown = 0
	l.t.send(c)
}

// put buffers data to send, after the data in conn.out.
func (s *session) put(b []byte) {
	s.sealed = append(s.sealed, b...)
	s.grown += len(b)
}

// open decrypts received data, and reads the response in it.
func (l *loop) open(c *conn, b []byte) {
	c.tls.given = b
	l.decrypt(c, c.tls.records.pass(b))
}

// decrypt reads all that can be read; one says that it is one record.
func (l *loop) decrypt(c *conn, one bool) {
	s, gen, turn := c.tls, c.gen, c.turn
	for {
		n, err := s.conn.Read(l.tls.clear)
		switch {
		case n == 0 || c.gen != gen:
		case c.busy && c.turn != turn: // it came before that request was sent
			l.fail(c, kindOf(errUnasked), errUnasked)
		default:
			l.received(c, l.tls.clear[:n])
		}
		switch {
		case c.gen != gen, err == nil && one && n < len(l.tls.clear):
			return
		case err == nil:
		case errors.Is(err, errWouldBlock):
			return
		case errors.Is(err, io.EOF):
			l.over(c)
			return
		default:
			l.broken(c, err)
			return
		}
	}
}

// farewell ends the session of a connection that is about to be closed, and returns the
// data to send before.
func (l *loop) farewell(c *conn) []byte {
	s := c.tls
	if s == nil {
		return nil
	}
	c.tls = nil
	if !s.adopted {
		s.finish(net.ErrClosed)
		return nil
	}
	if c.fd < 0 || c.cut || len(c.out) > 0 || s.ended != nil || s.conn.CloseWrite() != nil {
		return nil
	}
	return s.sealed[len(s.sealed)-s.grown:]
}

// records finds the beginnings of records in received data.
type records struct {
	head [5]byte // of the one under way: type, version, length
	have int     // of head
	left int     // rest of the record after the head
}

// pass reads the next data, and reports whether it is exactly one record.
func (r *records) pass(b []byte) (one bool) {
	whole, began := 0, r.have == 0
	for len(b) > 0 {
		if r.have < len(r.head) {
			n := copy(r.head[r.have:], b)
			r.have, b = r.have+n, b[n:]
			if r.have < len(r.head) {
				return false
			}
			r.left = int(r.head[3])<<8 | int(r.head[4])
		}
		n := min(r.left, len(b))
		r.left, b = r.left-n, b[n:]
		if r.left > 0 {
			return false
		}
		r.have = 0
		whole++
	}
	return began && whole == 1
}

// Read is net.Conn's.
func (s *session) Read(p []byte) (int, error) {
	if s.adopted {
		if len(s.given) == 0 {
			if s.ended != nil {
				return 0, s.ended
			}
			return 0, errWouldBlock
		}
		n := copy(p, s.given)
		s.given = s.given[n:]
		return n, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.in) == 0 && s.end == nil {
		s.more.Wait()
	}
	if len(s.in) == 0 {
		return 0, s.end
	}
	n := copy(p, s.in)
	s.in = s.in[n:]
	return n, nil
}

// Write is net.Conn's. It takes everything.
func (s *session) Write(p []byte) (int, error) {
	if s.adopted {
		s.put(p)
		return len(p), nil
	}
	s.mu.Lock()
	s.out = append(s.out, p...)
	s.mu.Unlock()
	s.tell()
	return len(p), nil
}

// Close is net.Conn's. The loop closes the socket.
func (s *session) Close() error { return nil }

// LocalAddr is net.Conn's.
func (s *session) LocalAddr() net.Addr { return sessionAddr{} }

// RemoteAddr is net.Conn's.
func (s *session) RemoteAddr() net.Addr { return sessionAddr{} }

// SetDeadline is net.Conn's: the loop keeps time.
func (s *session) SetDeadline(time.Time) error { return nil }

// SetReadDeadline is net.Conn's.
func (s *session) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline is net.Conn's.
func (s *session) SetWriteDeadline(time.Time) error { return nil }

// sessionAddr is the net.Addr of a session.
type sessionAddr struct{}

func (sessionAddr) Network() string { return "session" }
func (sessionAddr) String() string  { return "session" }
