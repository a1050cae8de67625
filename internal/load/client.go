package load

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// client sends one request at a time. What it uses is made once: a request
// costs what net/http allocates and no more.
type client struct {
	load      context.Context // ends with the load
	transport *http.Transport
	template  *http.Request // without a body
	body      []byte
	timeout   time.Duration
	now       func() time.Time

	// ctx and req live until a timeout ends them; timer runs while a request
	// is under way.
	ctx    context.Context
	cancel context.CancelCauseFunc
	req    *http.Request
	timer  *time.Timer
	drain  [32 << 10]byte
}

// follow sends requests as they fall due, until there are no more or the load
// ends. expired says that it ended because the answers did not come in time:
// then they count as timed out, and not as cut off.
func (c *client) follow(r *recorder, a *arrivals, expired *atomic.Bool) (cutOff time.Duration) {
	defer func() {
		if c.cancel != nil {
			c.cancel(nil)
		}
	}()
	var out outcome
	for {
		free := c.now()
		due, ok := a.take()
		if !ok {
			return -1
		}
		if c.load.Err() != nil {
			if expired.Load() {
				r.done(c.now(), unsent(due))
			}
			return -1
		}
		end := c.send(&out)
		out.due = due
		out.lateSince(free)
		if out.err != nil && c.load.Err() != nil {
			if !expired.Load() {
				return out.took
			}
			out.err, out.kind = errTimeout, TimedOut
		}
		r.done(end, &out)
	}
}

// lateSince sets how late a request was sent whose connection was free since a
// moment.
func (o *outcome) lateSince(free time.Time) {
	if o.due.After(free) {
		free = o.due
	}
	o.late = o.start.Sub(free)
}

// unsent is what became of a request that had no connection before the load was
// given up.
func unsent(due time.Time) *outcome {
	return &outcome{due: due, err: errTimeout, kind: TimedOut}
}

// run sends requests until the load ends. It returns how long the request had
// been under way that the end cut off; less than 0: none was.
func (c *client) run(r *recorder) (cutOff time.Duration) {
	defer func() {
		if c.cancel != nil {
			c.cancel(nil)
		}
	}()
	var out outcome
	pause := newPause()
	for c.load.Err() == nil {
		end := c.send(&out)
		if out.err != nil && c.load.Err() != nil {
			return out.took
		}
		r.done(end, &out)
		// Without an answer a client would spin: a refused connection takes
		// microseconds.
		if out.err != nil && out.kind != TimedOut {
			pause.wait(c.load)
		} else {
			pause.reset()
		}
	}
	return -1
}

// send sends one request and reads its answer to the end.
func (c *client) send(out *outcome) (end time.Time) {
	*out = outcome{}
	c.arm()
	out.start = c.now()
	res, err := c.transport.RoundTrip(c.req)
	if err == nil {
		out.bytes, err = c.read(res.Body)
		if err == nil {
			out.status = res.StatusCode
			out.kind = statusKind(res.StatusCode)
			if res.StatusCode/100 == 3 {
				out.location = res.Header.Get("Location")
			}
		}
	}
	end = c.now()
	out.took = end.Sub(out.start)
	if err != nil {
		if cause := context.Cause(c.ctx); cause == errTimeout {
			err = cause
			out.took = max(out.took, c.timeout) // its timer began just before the clock was read
		}
		out.err, out.kind = err, kindOf(err, res != nil)
	}
	c.disarm()
	return end
}

// read drains a body and counts it.
func (c *client) read(body io.ReadCloser) (n int64, err error) {
	defer body.Close()
	for {
		k, err := body.Read(c.drain[:])
		n += int64(k)
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

// arm readies the request and starts its timeout. One context serves many
// requests, since context.WithTimeout for each would cost a timer and four
// allocations.
func (c *client) arm() {
	if c.ctx == nil {
		ctx, cancel := context.WithCancelCause(c.load)
		c.ctx, c.cancel = ctx, cancel
		c.req = c.template.WithContext(ctx)
		c.timer = time.AfterFunc(c.timeout, func() { cancel(errTimeout) })
	} else {
		c.timer.Reset(c.timeout)
	}
	if len(c.body) > 0 {
		// The transport may still read the last request's body: an answer can
		// come before the request was sent to its end.
		c.req = c.req.WithContext(c.ctx)
		c.req.ContentLength = int64(len(c.body))
		c.req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(c.body)), nil }
		c.req.Body, _ = c.req.GetBody()
	}
}

// disarm stops the timeout. Where that came too late the context is spent,
// though the request it was for may have succeeded.
func (c *client) disarm() {
	if !c.timer.Stop() {
		c.cancel(nil)
		c.ctx = nil
	}
}

// pause grows from failure to failure in a row.
type pause struct{ next time.Duration }

const (
	firstPause   = 5 * time.Millisecond
	longestPause = 100 * time.Millisecond
)

func newPause() *pause { return &pause{next: firstPause} }

func (p *pause) reset() { p.next = firstPause }

// wait returns after the pause or at the end of ctx.
func (p *pause) wait(ctx context.Context) {
	t := time.NewTimer(p.next)
	defer t.Stop()
	p.next = min(2*p.next, longestPause)
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}
