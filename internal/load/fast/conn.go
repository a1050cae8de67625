//go:build linux

package fast

import (
	"syscall"

	"whet/internal/load/engine"
	"whet/internal/load/record"
	"whet/internal/load/wire"
	"whet/internal/loadresult"
)

// state is the state of a connection's socket.
type state uint8

const (
	closed     state = iota // there is no socket
	connecting              // connect was called
	shaking                 // a TLS handshake is under way, or waits for its turn
	ready                   // requests can be sent
)

// conn is a connection of the job: a place for one request at a time, whose
// socket comes and goes. It belongs to its loop.
type conn struct {
	// The transport's.
	fd    int32 // of the socket; -1: none
	armed bool  // the transport was asked to say when more can be sent

	index int32  // in loop.conns
	found uint32 // the wait that last brought something of it, counted from 1
	gen   uint32 // changes whenever a socket is closed
	state state
	// answers says that an answer came over this socket: then the other side may
	// close it at any moment and mean no harm.
	answers bool

	// The request under way, if busy.
	busy    bool
	began   bool   // it had one before
	again   bool   // the last request is to be retried
	turn    uint32 // its number
	parsing bool   // the parser has seen a part of the answer
	cut     bool   // sending failed: nothing more is sent, but an answer may come
	fresh   bool   // sent is when it was chosen: that it goes to the kernel is yet to come
	head    bool   // its method is HEAD
	target  int32
	peers   int32  // addresses tried for it
	request []byte // all of it; does not change until the answer is there
	out     []byte // for the kernel, on behalf of the request: a part of request, or sealed
	buf     []byte // memory for requests that are made for this connection

	due, free, sent int64
	dialled         int64 // when connecting began
	connect         int64 // how long that took, for this request

	prev, next int32        // in the list of those under way
	pause      engine.Pause // before the next try, once one has failed

	tls      *session
	parser   wire.Parser
	verifier *engine.Verifier // nil: the status is all there is to look at
}

// fullQueue is how long to wait where the queue of a Unix socket's listener is
// full: the kernel does not wait for room, as it does with TCP.
const fullQueue = 1e6

// begin makes c send its next request. due is -1 in a closed loop.
func (l *loop) begin(c *conn, due, now int64) {
	if l.one == nil {
		l.compose(c)
	}
	c.due, c.sent = due, now
	c.turn++
	c.busy, c.parsing, c.fresh = true, false, true
	c.peers, c.connect = 0, 0
	l.enlist(c)
	if c.state == ready {
		l.transmit(c)
	} else {
		l.dial(c, now)
	}
}

// compose chooses the bytes of the next request.
func (l *loop) compose(c *conn) {
	m := &l.message
	l.stream.Next(m)
	c.target = int32(m.Index)
	if f := &l.fixed[m.Index]; f.Bytes != nil {
		c.request, c.head = f.Bytes, f.Head
		return
	}
	c.buf = wire.AppendRequest(c.buf[:0], m, l.job.KeepAlive)
	c.request, c.head = c.buf, m.Method == "HEAD"
}

// transmit sends the request over a connection that is ready.
func (l *loop) transmit(c *conn) {
	c.parsing = false
	if c.tls != nil {
		c.tls.plain = c.request
		l.seal(c)
		return
	}
	c.out = c.request
	l.t.send(c)
}

// departs is called just before the first byte of c's request is passed to the kernel.
// The service time begins here, and not when the last response was read, after which
// other responses may be read first. A request chosen during the warm-up belongs to it
// (engine.Job.Take).
func (l *loop) departs(c *conn, now int64) {
	if c.fresh && c.sent >= int64(l.job.Warmup) {
		c.sent = now
	}
	c.fresh = false
}

// drained is called when all that was to be sent is on its way.
func (l *loop) drained(c *conn) {
	if c.tls != nil && c.state == ready && len(c.tls.plain) > 0 {
		l.seal(c)
	}
}

// dial begins to connect.
func (l *loop) dial(c *conn, now int64) {
	if len(l.peers) == 0 {
		l.fail(c, kindOf(l.unresolved), l.unresolved)
		return
	}
	c.dialled, c.state, c.cut, c.fresh = now, connecting, false, false
	l.t.connect(c)
}

// target returns the address that c is to try: the one that served last, and then
// the others in turn.
func (l *loop) target(c *conn) *peer {
	return &l.peers[(l.peer.Load()+c.peers)%int32(len(l.peers))]
}

// connected is called when c's socket is connected, or could not be.
func (l *loop) connected(c *conn, errno syscall.Errno) {
	switch {
	case errno == syscall.EAGAIN && l.address.Network == "unix":
		l.hangUp(c)
		l.later(c, l.job.Now()+fullQueue)
		return
	case errno != 0:
		l.hangUp(c)
		if c.peers++; int(c.peers) < len(l.peers) && othersMayDo(errno) {
			l.dial(c, c.dialled)
			return
		}
		l.fail(c, record.KindOfErrno(errno), connectError{errno})
		return
	case c.peers > 0:
		l.peer.Store((l.peer.Load() + c.peers) % int32(len(l.peers)))
		c.peers = 0
	}
	if l.address.TLS != nil {
		l.shake(c)
		return
	}
	l.usable(c)
}

// usable begins to use a connection that was just made.
func (l *loop) usable(c *conn) {
	c.state, c.answers = ready, false
	c.connect += max(l.job.Now()-c.dialled, 1)
	l.transmit(c)
}

// ended is called when the other side has ended a connection, or it broke.
func (l *loop) ended(c *conn, errno syscall.Errno) {
	switch {
	case c.state == connecting:
		l.connected(c, errno)
	case c.tls != nil:
		l.sealedEnd(c, errno)
	case errno != 0:
		l.broken(c, errno)
	default:
		l.over(c)
	}
}

// over handles the end of the other side's data.
func (l *loop) over(c *conn) {
	if !c.busy || !c.parsing {
		l.broken(c, errEnded)
		return
	}
	done, err := c.parser.End()
	if done {
		l.answered(c, c.parser.Status, c.parser.Bytes, false)
		return
	}
	l.broken(c, err)
}

// broken handles the end of a connection that will deliver no more responses. If a kept
// connection was closed before its next request was sent, that request uses a new
// connection. A sent request is not repeated: the service may have seen it, and a load
// counts the requests that the service sees.
func (l *loop) broken(c *conn, err error) {
	switch {
	case !c.busy:
		l.hangUp(c)
	case c.unsent():
		l.hangUp(c)
		l.dial(c, l.job.Now())
	default:
		l.fail(c, kindOf(err), err)
	}
}

// unsent reports whether no byte of the request has been sent, on a connection that
// served others before. Without TLS only: encrypted data counts as sent.
func (c *conn) unsent() bool {
	return c.answers && !c.parsing && c.tls == nil && (c.fresh || len(c.out) == len(c.request))
}

// fail ends the request under way without an answer, and its connection.
func (l *loop) fail(c *conn, kind string, err error) {
	now := l.job.Now()
	o := l.outcome(c, now)
	o.Kind = kind
	l.came(c, &o)
	text := err.Error
	if kind == loadresult.TimedOut {
		o.End = max(now, c.sent+l.timeout)
		if err == record.ErrTimeout {
			text = nil // the outcome records whether the head had arrived
		}
	}
	l.hangUp(c)
	l.delist(c)
	c.busy, c.began, c.free = false, true, now
	l.shard.Fail(&o, text)
	switch {
	case l.arrivals != nil:
		l.release(c, now)
	case kind == loadresult.TimedOut:
		c.pause.Reset()
		l.resume(c, now)
	default:
		if kind == loadresult.Refused && l.job.Again(c.sent, now) {
			c.again = true
			l.owed++
		}
		l.later(c, now+int64(c.pause.Next()))
	}
}

// came notes how much of its answer a request has that failed.
func (l *loop) came(c *conn, o *record.Outcome) {
	if c.parsing {
		o.Bytes, o.Begun = c.parser.Bytes, c.parser.Headed()
	}
}

// hangUp closes the socket, if there is one. The request stays.
func (l *loop) hangUp(c *conn) {
	if c.state == closed {
		return
	}
	c.out = l.farewell(c)
	l.t.close(c)
	c.gen++
	c.state, c.out = closed, nil
}

// outcome returns the outcome of the request under way.
func (l *loop) outcome(c *conn, now int64) record.Outcome {
	return record.Outcome{
		Due: c.due, Free: c.free, First: !c.began, Sent: c.sent, End: now,
		Target: int(c.target), Connect: c.connect,
	}
}

// nextRequest makes c free for its next request after an answer.
func (l *loop) nextRequest(c *conn, now int64) {
	c.free = now
	switch {
	case l.arrivals != nil:
		l.release(c, now)
		l.launch(now)
	case l.thinks:
		l.later(c, now+int64(l.job.Think.Draw(l.random)))
	default:
		l.resume(c, now)
	}
}

// resume goes on with c in its time: with its next request in a closed loop, or
// with the one that could not connect yet.
func (l *loop) resume(c *conn, now int64) {
	switch {
	case c.busy && c.state == closed:
		l.dial(c, now)
	case c.busy || l.arrivals != nil || now >= l.end:
	case c.again:
		c.again = false
		l.owed--
		l.begin(c, -1, now)
	case l.take(now):
		l.begin(c, -1, now)
	}
}
