package portable

import (
	"net"
	"sync"

	"whet/internal/load/wire"
)

// # Data after a response
//
// A server may send more than the requested response. net/http reads ahead, so that the
// surplus may be in its buffer when the next request is sent, and would then be taken
// as that one's response; whether it is depends on which of two goroutines comes first.
// A load must not count data without a request. Before it reuses a connection, its
// client therefore waits until net/http either waits for more data of the socket, which
// it does once its buffer is empty, or has closed the connection because of the data in
// it.
//
// # Data that does not begin with HTTP/
//
// net/http reads to the end of a line before it checks it. A service that speaks
// another protocol and waits would therefore be waited for until the timeout, and one
// that closes would seem to have sent no response; neither shows the cause. The event
// loop refuses the first wrong byte, and so does a socket here.

// socket is a connection as net/http uses it. With HTTP/1.1 it is above TLS, and sees
// the same data as net/http; HTTP/2 is negotiated in the handshake, which net/http
// makes itself, so there it is below.
type socket struct {
	net.Conn
	all *sockets

	mu      sync.Mutex
	changed sync.Cond
	reading int   // calls of Read under way
	closed  bool  // by us
	ended   error // how the other side ended it, once that was read: io.EOF, or a reset
	written int64
	begin   string // required beginning of the data
}

// sockets are all that are open.
type sockets struct {
	mu   sync.Mutex
	open map[*socket]struct{}
	over bool
}

// add takes in a new connection; it is closed at once where all are to be.
func (a *sockets) add(nc net.Conn) *socket {
	s := &socket{Conn: nc, all: a}
	s.changed.L = &s.mu
	a.mu.Lock()
	if a.open == nil {
		a.open = make(map[*socket]struct{})
	}
	a.open[s] = struct{}{}
	over := a.over
	a.mu.Unlock()
	if over {
		s.Close()
	}
	return s
}

// close closes all sockets, also those opened later.
func (a *sockets) close() {
	a.mu.Lock()
	a.over = true
	left := make([]*socket, 0, len(a.open))
	for s := range a.open {
		left = append(left, s)
	}
	a.mu.Unlock()
	for _, s := range left {
		s.Close()
	}
}

// Read reads.
func (s *socket) Read(p []byte) (int, error) {
	s.mu.Lock()
	s.reading++
	s.changed.Signal()
	s.mu.Unlock()
	n, err := s.Conn.Read(p)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reading--
	if err != nil && s.ended == nil && !s.closed {
		s.ended = err
	}
	k := min(n, len(s.begin))
	if string(p[:k]) != s.begin[:k] {
		return 0, wire.ErrNotHTTP
	}
	s.begin = s.begin[k:]
	return n, err
}

// expect marks the next data as the beginning of an HTTP/1.1 response.
func (s *socket) expect() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begin = "HTTP/"
}

// Write writes.
func (s *socket) Write(p []byte) (int, error) {
	n, err := s.Conn.Write(p)
	s.mu.Lock()
	s.written += int64(n)
	s.mu.Unlock()
	return n, err
}

// Close closes the connection.
func (s *socket) Close() error {
	s.mu.Lock()
	was := s.closed
	s.closed = true
	s.changed.Broadcast()
	s.mu.Unlock()
	if was {
		return nil
	}
	err := s.Conn.Close()
	s.all.mu.Lock()
	delete(s.all.open, s)
	s.all.mu.Unlock()
	return err
}

// settle waits until nothing is left that was read ahead, and reports whether
// the connection is open.
func (s *socket) settle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.reading == 0 && !s.closed {
		s.changed.Wait()
	}
	return !s.closed
}

// end returns how the other side ended the connection; nil where that was not read.
func (s *socket) end() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended
}

// sent returns the number of bytes that were written so far.
func (s *socket) sent() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.written
}
