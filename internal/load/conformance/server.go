package conformance

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// server speaks HTTP/1.1 by hand, so that it can also speak it badly. It counts
// what it read and what it gave: the second source of every figure.
type server struct {
	t        testing.TB
	listener net.Listener
	serve    func(*conn)

	connections atomic.Int64 // accepted
	requests    atomic.Int64 // read whole, with their bodies
	answers     atomic.Int64 // given whole
	again       atomic.Int64 // connections used after what was their last answer
	malformed   atomic.Pointer[string]

	driven chan struct{} // closed once an engine that was driven has returned
	once   sync.Once     // closes it

	ended sync.WaitGroup // the accepting goroutine and one a connection
	mu    sync.Mutex
	open  map[*conn]bool
	empty sync.Cond // open became empty, or hasty true
	hasty bool      // nobody waits for it any more
	over  bool
}

// conn is a connection of a server.
type conn struct {
	net.Conn
	*server
	reader *bufio.Reader
	nth    int64 // of the server's connections, from 0
	asked  int   // requests read on it
}

// serverRequest is a whole request as a server read it.
type serverRequest struct {
	*http.Request
	body []byte
	nth  int64 // of the server's requests, from 0
}

// listen serves connections on the loopback until the test ends.
func listen(t testing.TB, serve func(*conn)) *server {
	t.Helper()
	return listenOn(t, tcp(t, "127.0.0.1:0"), serve)
}

// tcp opens a listener.
func tcp(t testing.TB, address string) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatalf("listen on %s: %v", address, err)
	}
	return l
}

// listenOn serves connections of a listener until the test ends.
func listenOn(t testing.TB, l net.Listener, serve func(*conn)) *server {
	s := &server{t: t, listener: l, serve: serve, open: make(map[*conn]bool), driven: make(chan struct{})}
	s.empty.L = &s.mu
	s.ended.Go(s.accept)
	t.Cleanup(s.close)
	return s
}

// answering serves connections whose requests are each answered by a function;
// it reports whether the connection goes on.
func answering(t testing.TB, answer func(*conn, *serverRequest) bool) *server {
	return listen(t, each(answer))
}

// each reads requests and has each answered.
func each(answer func(*conn, *serverRequest) bool) func(*conn) {
	return func(c *conn) {
		for {
			q := c.read()
			if q == nil || !answer(c, q) {
				return
			}
		}
	}
}

// always answers every request with the same bytes, and keeps the connection.
func always(answer string) func(*conn, *serverRequest) bool {
	return func(c *conn, _ *serverRequest) bool { return c.give(answer) }
}

func (s *server) accept() {
	for {
		nc, err := s.listener.Accept()
		if err != nil {
			return
		}
		c := &conn{Conn: nc, server: s, reader: bufio.NewReader(nc), nth: s.connections.Add(1) - 1}
		if !s.enter(c) {
			nc.Close()
			return
		}
		s.ended.Go(func() {
			defer s.leave(c)
			s.serve(c)
		})
	}
}

func (s *server) enter(c *conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.over {
		s.open[c] = true
	}
	return !s.over
}

func (s *server) leave(c *conn) {
	c.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, c)
	if len(s.open) == 0 {
		s.empty.Broadcast()
	}
}

// left waits until no connection is open, and returns how many still were when
// patience ended. Servers of this package read on until the other side goes, so
// only an engine that leaves a connection open is waited for.
func (s *server) left() int {
	defer time.AfterFunc(patience, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.hasty = true
		s.empty.Broadcast()
	}).Stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.open) > 0 && !s.hasty {
		s.empty.Wait()
	}
	return len(s.open)
}

// release says that the engine has returned.
func (s *server) release() { s.once.Do(func() { close(s.driven) }) }

// close ends the server and what is open.
func (s *server) close() {
	s.listener.Close()
	s.mu.Lock()
	s.over = true
	for c := range s.open {
		c.Close()
	}
	s.mu.Unlock()
	s.release()
	s.ended.Wait()
	if bad := s.malformed.Load(); bad != nil {
		s.t.Errorf("the server got what is no request: %s", *bad)
	}
}

// addr returns where the server listens.
func (s *server) addr() string { return s.listener.Addr().String() }

// read reads a request with its body; nil when there is none.
func (c *conn) read() *serverRequest {
	q := c.readHead()
	if q == nil {
		return nil
	}
	body, err := io.ReadAll(q.Request.Body)
	if err != nil {
		return nil // the client gave up while it sent
	}
	q.body = body
	return q.count(c)
}

// readHead reads a request up to its body, and counts nothing.
func (c *conn) readHead() *serverRequest {
	if _, err := c.reader.Peek(1); err != nil {
		return nil
	}
	r, err := http.ReadRequest(c.reader)
	if err == io.ErrUnexpectedEOF {
		return nil // the client gave up while it sent
	}
	if err != nil {
		if _, gone := err.(net.Error); !gone {
			text := err.Error()
			c.malformed.CompareAndSwap(nil, &text)
		}
		return nil
	}
	return &serverRequest{Request: r}
}

func (q *serverRequest) count(c *conn) *serverRequest {
	q.nth = c.requests.Add(1) - 1
	c.asked++
	return q
}

// give writes an answer and reports whether all of it was taken.
func (c *conn) give(answer string) bool { return c.giveBytes([]byte(answer)) }

// giveBytes is give without a copy.
func (c *conn) giveBytes(answer []byte) bool {
	c.answers.Add(1)
	_, err := c.Write(answer)
	return err == nil
}

// send writes what is no whole answer.
func (c *conn) send(text string) bool {
	_, err := io.WriteString(c, text)
	return err == nil
}

// pieces writes an answer in parts that end at the given places, each of them
// a segment of its own.
func (c *conn) pieces(answer string, at ...int) bool {
	c.answers.Add(1)
	from := 0
	for _, to := range append(at, len(answer)) {
		if !c.send(answer[from:to]) {
			return false
		}
		from = to
	}
	return true
}

// stall says nothing until the other side goes.
func (c *conn) stall() { io.Copy(io.Discard, c.reader) }

// last waits for the other side to go, and notes whether it sent anything
// before.
func (c *conn) last() {
	if n, _ := io.Copy(io.Discard, c.reader); n > 0 {
		c.again.Add(1)
	}
}

// end sends what is no whole answer, or nothing, ends that and waits for the other
// side to go. It is false: the connection does not go on.
func (c *conn) end(text string) bool {
	c.send(text)
	c.half()
	c.last()
	return false
}

// reset closes the connection so that the other side sees a reset.
func (c *conn) reset() {
	if t, ok := c.Conn.(*net.TCPConn); ok {
		t.SetLinger(0)
	}
	c.Close()
}

// half ends what is sent and leaves the other way open: closing with something
// unread would reset the connection, and that could overtake what was sent.
func (c *conn) half() {
	if h, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		h.CloseWrite()
	}
}

// sized returns an answer of status 200 with a body.
func sized(body string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
}
