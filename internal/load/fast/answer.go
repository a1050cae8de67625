//go:build linux

package fast

import (
	"whet/internal/load/record"
)

// arrived is called with bytes from a connection.
func (l *loop) arrived(c *conn, b []byte) {
	if c.found != l.waits {
		c.found = l.waits
		l.found++
	}
	switch {
	case c.tls == nil:
		l.received(c, b)
	case c.state == shaking:
		c.tls.feed(b)
	default:
		l.open(c, b)
	}
}

// received takes a part of the answer. It may be the last of this connection.
func (l *loop) received(c *conn, b []byte) {
	if !c.busy || c.unsent() {
		l.broken(c, errEnded) // nobody asked for it: the next request is not sent into that
		return
	}
	if !c.parsing {
		c.parsing = true
		c.parser.Reset(c.head)
		if c.verifier != nil {
			c.verifier.Reset()
		}
	}
	n, done, err := c.parser.Feed(b)
	switch {
	case err != nil:
		l.fail(c, kindOf(err), err)
	case done:
		// Data after a response belongs to no request: such a connection is not reused.
		l.answered(c, c.parser.Status, c.parser.Bytes, c.parser.KeepAlive && n == len(b))
	}
}

// answered is the end of a whole answer. The next request goes out before this
// one is counted, so that the service need not wait for that.
func (l *loop) answered(c *conn, status int, bytes int64, keep bool) {
	now := l.job.Now()
	o := l.outcome(c, now)
	o.Status, o.Bytes = status, bytes
	if c.verifier != nil {
		o.Kind = c.verifier.Kind(status)
	} else {
		o.Kind = l.job.Check.StatusKind(status)
	}
	l.service += (now - c.sent - l.service) >> serviceShift
	l.trial.answered(now - c.sent)
	l.delist(c)
	c.busy, c.began, c.answers = false, true, true
	c.pause.Reset()
	if !keep || !l.job.KeepAlive || len(c.out) > 0 || c.tls != nil && len(c.tls.plain) > 0 {
		l.hangUp(c)
	}
	l.nextRequest(c, now)
	switch {
	case o.Kind == "":
		l.shard.Record(&o)
	case c.verifier != nil:
		l.shard.Fail(&o, func() string { return c.verifier.Why(status) })
	default:
		l.shard.Fail(&o, func() string { return "answered " + record.StatusText(status) })
	}
}
