package portable

import (
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
	"time"

	"whet/internal/load/engine"
	"whet/internal/load/message"
	"whet/internal/load/record"
	"whet/internal/loadresult"
)

// client sends one request at a time: it is a connection of HTTP/1.1, or one of the
// streams of a connection of HTTP/2. Its data is allocated once: a request costs only
// the allocations of net/http.
type client struct {
	d      *driver
	job    *engine.Job
	load   context.Context // ends with the load
	lines  []*line         // by origin; of HTTP/2 shared with the connection's other streams
	jar    *jar            // nil: no cookies are kept
	stream *message.Stream
	think  *rand.Rand
	// verifier looks at answers; nil: the status is all there is to look at.
	verifier *engine.Verifier
	// fixed are the requests to targets that are always the same, with ctx; nil:
	// there would be too many.
	fixed []*http.Request

	// ctx lives until a timeout ends it; timer runs while a request is under way.
	ctx    context.Context
	wrote  atomic.Bool // headers of the request under way were written; of HTTP/2 alone
	cancel context.CancelCauseFunc
	timer  *time.Timer
	err    error // that the last request ended with, where that was no whole answer
	m      message.Message
}

func newClient(d *driver, load context.Context, k int, lines []*line, jar *jar) *client {
	c := &client{d: d, job: d.job, load: load, lines: lines, jar: jar, verifier: d.job.Check.Verifier(), stream: d.job.Messages.Stream(k),
		think: rand.New(rand.NewPCG(d.job.Seed, uint64(k)))}
	if targets := d.job.Messages.Len(); targets*d.job.Connections*max(d.job.Streams, 1) <= mostFixed {
		c.fixed = make([]*http.Request, targets)
	}
	return c
}

// mostFixed is the number of requests that all clients keep. One takes some 500 bytes, and
// each client comes to send each target's.
const mostFixed = 1 << 16

func (c *client) close() {
	if c.cancel != nil {
		c.cancel(nil)
	}
}

// follow sends requests as they fall due, until there are no more or the load ends. Its
// result is that of run.
func (c *client) follow(shard *record.Shared, a *arrivals) (cutOff int64) {
	var out record.Outcome
	for first := true; ; first = false {
		free := c.job.Now()
		due, ok := a.take()
		if !ok {
			return -1
		}
		if c.load.Err() != nil {
			if c.d.expired.Load() {
				shard.Record(unsent(due, c.job.Now()))
			}
			return -1
		}
		c.send(&out, c.job.Now())
		out.Due, out.Free, out.First = due, free, first
		if c.err != nil && c.load.Err() != nil {
			if !c.d.expired.Load() {
				return out.End - out.Sent
			}
			c.err, out.Kind = record.ErrTimeout, loadresult.TimedOut
			out.End = max(out.End, out.Sent+int64(c.job.Timeout))
		}
		c.record(shard, &out)
		a.done(c.job.Now())
	}
}

// unsent returns the outcome of a request that had no connection before the load was
// given up.
func unsent(due, now int64) *record.Outcome {
	return &record.Outcome{Due: due, Free: now, Sent: -1, End: now, Kind: loadresult.TimedOut}
}

// run sends requests until the load ends. It returns how long the request had
// been under way that the end cut off; less than 0: none was.
func (c *client) run(shard *record.Shared) (cutOff int64) {
	var out record.Outcome
	var pause engine.Pause
	again := false // the last request is to be retried
	for c.load.Err() == nil {
		now := c.job.Now()
		if now >= c.job.Ends() || !again && !c.job.Take(now) {
			return -1
		}
		c.send(&out, now)
		out.Due = -1
		if c.err != nil && c.load.Err() != nil || c.job.Requests == 0 && out.End >= c.job.Ends() {
			return out.End - out.Sent
		}
		c.record(shard, &out)
		again = out.Kind == loadresult.Refused && c.job.Again(out.Sent, out.End)
		c.rest(&out, &pause)
		if !c.job.Think.None() {
			engine.Wait(c.load, c.job.Think.Draw(c.think))
		}
	}
	return -1
}

// rest waits where no answer came: a client would spin, since a refused
// connection takes microseconds.
func (c *client) rest(out *record.Outcome, pause *engine.Pause) {
	if c.err != nil && out.Kind != loadresult.TimedOut {
		engine.Wait(c.load, pause.Next())
	} else {
		pause.Reset()
	}
}

func (c *client) record(shard *record.Shared, out *record.Outcome) {
	switch {
	case c.err == record.ErrTimeout:
		shard.Record(out) // it records whether the head had arrived
	case c.err != nil:
		shard.Fail(out, c.err.Error)
	case out.Kind != "" && c.verifier != nil:
		shard.Fail(out, func() string { return c.verifier.Why(out.Status) })
	default:
		shard.Record(out)
	}
}

// send sends one request and reads its answer to the end.
func (c *client) send(out *record.Outcome, now int64) {
	*out = record.Outcome{Sent: now}
	c.arm()
	c.stream.Next(&c.m)
	out.Target = c.m.Index
	c.err = c.try(out)
	out.End = c.job.Now()
	if c.err == nil && c.ctx.Err() != nil {
		// It was cut off. A body that lasts until the end of its connection may look
		// whole then: the server ended it since we did.
		c.err, out.Status, out.Kind = context.Cause(c.ctx), 0, loadresult.Other
	}
	if c.err != nil {
		if cause := context.Cause(c.ctx); cause == record.ErrTimeout {
			c.err = cause
			out.End = max(out.End, out.Sent+int64(c.job.Timeout)) // its timer began just before the clock was read
		}
		if c.err == record.ErrTimeout {
			out.Kind = loadresult.TimedOut
		}
	}
	c.disarm()
}

// tries is the number of connections that are tried at most for a request of which nothing
// was written to any.
const tries = 3

// try sends the request once and reads the response. A request that a service refused,
// as HTTP/2 lets it (REFUSED_STREAM, GOAWAY), was seen by the service, and so has
// failed.
func (c *client) try(out *record.Outcome) error {
	l := c.lines[c.m.Origin]
	for left := tries; ; left-- {
		k, made, err := l.take(c.ctx)
		out.Connect += made
		if err != nil {
			out.Kind = record.KindOf(err, false)
			return err
		}
		before, full := k.socket.sent(), l.full(k)
		c.wrote.Store(false)
		if c.job.Protocol == engine.HTTP1 {
			k.socket.expect()
		}
		res, err := k.conn.RoundTrip(c.request(l.o))
		if err == nil {
			out.Begun = true
			l.look(k, full)
			last, err := c.answer(out, res)
			if err != nil {
				out.Kind, err = explain(err, true, k.socket.end())
			}
			l.drop(k, last)
			return err
		}
		again := left > 1 && c.ctx.Err() == nil && k.served.Load() && c.unsent(k, before)
		// A stream of HTTP/2 may fail by itself.
		l.drop(k, c.job.Protocol == engine.HTTP1 || !c.job.KeepAlive || k.conn.Err() != nil || again)
		if !again {
			out.Kind, err = explain(err, false, k.socket.end())
			return err
		}
	}
}

// unsent reports that nothing of the request was written to a connection, which had
// so many bytes written before, so that sending it is no second try. net/http has
// ended all that it does for the request by then, unless its time is up.
func (c *client) unsent(k *link, before int64) bool {
	if c.job.Protocol == engine.HTTP1 {
		return k.socket.sent() == before
	}
	return !c.wrote.Load()
}

// answer reads an answer to the end. last says that the connection cannot be
// used again.
func (c *client) answer(out *record.Outcome, res *http.Response) (last bool, err error) {
	http1 := c.job.Protocol == engine.HTTP1 // whatever version the response has
	last = !c.job.KeepAlive || res.Close && http1
	switch {
	case res.StatusCode == http.StatusSwitchingProtocols:
		res.Body.Close()
		return true, errSwitching
	case res.StatusCode < 100 || res.StatusCode > 999:
		res.Body.Close()
		return true, errStatus
	case !http1 && res.ProtoMajor != 2:
		res.Body.Close()
		return true, errVersion(res.Proto)
	}
	c.look(res)
	out.Bytes, err = c.read(res.Body)
	if err != nil {
		return last || http1, err
	}
	out.Status = res.StatusCode
	if c.verifier != nil {
		out.Kind = c.verifier.Kind(res.StatusCode)
	} else {
		out.Kind = c.job.Check.StatusKind(res.StatusCode)
	}
	if c.jar != nil {
		c.jar.put(c.lines[c.m.Origin].o, c.m.Target, res)
	}
	if res.StatusCode/100 == 3 {
		to := res.Header.Get("Location")
		c.d.location.CompareAndSwap(nil, &to)
	}
	return last, nil
}

// look shows the verifier an answer's head.
func (c *client) look(res *http.Response) {
	if c.verifier == nil {
		return
	}
	c.verifier.Reset()
	for name, values := range res.Header {
		for _, value := range values {
			c.verifier.Field([]byte(name), []byte(value))
		}
	}
	for _, coding := range res.TransferEncoding { // net/http takes that line out
		c.verifier.Field([]byte("Transfer-Encoding"), []byte(coding))
	}
}

// drains are buffers for reading bodies. Most connections wait most of the time: a
// buffer for each would be half of a connection's memory.
var drains = sync.Pool{New: func() any { return new([32 << 10]byte) }}

// read drains a body and counts it.
func (c *client) read(body io.ReadCloser) (n int64, err error) {
	defer body.Close()
	drain := drains.Get().(*[32 << 10]byte)
	defer drains.Put(drain)
	for {
		k, err := body.Read(drain[:])
		n += int64(k)
		if c.verifier != nil {
			c.verifier.Body(drain[:k])
		}
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

// arm starts the timeout. One context serves many requests, since
// context.WithTimeout for each would cost a timer and four allocations.
func (c *client) arm() {
	if c.ctx == nil {
		ctx, cancel := context.WithCancelCause(c.load)
		c.ctx, c.cancel = ctx, cancel
		if c.job.Protocol != engine.HTTP1 {
			c.ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { c.wrote.Store(true) }})
		}
		clear(c.fixed)
		c.timer = time.AfterFunc(c.job.Timeout, func() { cancel(record.ErrTimeout) })
	} else {
		c.timer.Reset(c.job.Timeout)
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
