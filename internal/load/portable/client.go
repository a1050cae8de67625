package portable

import (
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"time"

	"whet/internal/load/engine"
	"whet/internal/load/message"
	"whet/internal/load/record"
)

// client sends one request at a time. What it uses is made once: a request
// costs what net/http allocates and no more.
type client struct {
	d      *driver
	job    *engine.Job
	load   context.Context // ends with the load
	stream *message.Stream
	think  *rand.Rand
	// fixed are the requests to targets that are always the same, with ctx.
	fixed []*http.Request

	// ctx lives until a timeout ends it; timer runs while a request is under way.
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	err    error // that the last request ended with
	m      message.Message
	drain  [32 << 10]byte
}

func newClient(d *driver, load context.Context, k int) *client {
	return &client{d: d, job: d.job, load: load, stream: d.job.Messages.Stream(k),
		think: rand.New(rand.NewPCG(d.job.Seed, uint64(k))), fixed: make([]*http.Request, d.job.Messages.Len())}
}

func (c *client) close() {
	if c.cancel != nil {
		c.cancel(nil)
	}
}

// follow sends requests as they fall due, until there are no more or the load
// ends. It returns what run does.
func (c *client) follow(shard *record.Shared, a *arrivals) (cutOff int64) {
	var out record.Outcome
	for {
		free := c.job.Now()
		due, ok := a.take()
		if !ok {
			return -1
		}
		if !c.job.Take(due) {
			a.abandon()
			return -1
		}
		if c.load.Err() != nil {
			if c.d.expired.Load() {
				shard.Record(unsent(due, c.job.Now()))
			}
			return -1
		}
		c.send(&out, c.job.Now())
		out.Due, out.Free = due, free
		if c.err != nil && c.load.Err() != nil {
			if !c.d.expired.Load() {
				return out.End - out.Sent
			}
			c.err, out.Kind = record.ErrTimeout, record.TimedOut
		}
		c.record(shard, &out)
	}
}

// unsent is what became of a request that had no connection before the load was
// given up.
func unsent(due, now int64) *record.Outcome {
	return &record.Outcome{Due: due, Free: now, Sent: -1, End: now, Kind: record.TimedOut}
}

// run sends requests until the load ends. It returns how long the request had
// been under way that the end cut off; less than 0: none was.
func (c *client) run(shard *record.Shared) (cutOff int64) {
	var out record.Outcome
	var pause engine.Pause
	for c.load.Err() == nil {
		now := c.job.Now()
		if !c.job.Take(now) {
			return -1
		}
		c.send(&out, now)
		out.Due = -1
		if c.err != nil && c.load.Err() != nil {
			return out.End - out.Sent
		}
		c.record(shard, &out)
		// Without an answer a client would spin: a refused connection takes
		// microseconds.
		if c.err != nil && out.Kind != record.TimedOut {
			wait(c.load, pause.Next())
		} else {
			pause.Reset()
		}
		if !c.job.Think.None() {
			wait(c.load, c.job.Think.Draw(c.think))
		}
	}
	return -1
}

// wait returns after a time or at the end of ctx.
func wait(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

func (c *client) record(shard *record.Shared, out *record.Outcome) {
	if c.err == nil {
		shard.Record(out)
		return
	}
	shard.Fail(out, c.err.Error)
}

// send sends one request and reads its answer to the end.
func (c *client) send(out *record.Outcome, now int64) {
	*out = record.Outcome{Sent: now}
	c.arm()
	c.stream.Next(&c.m)
	out.Target = c.m.Index
	o := &c.d.origins[c.m.Origin]
	res, err := o.transport.RoundTrip(c.request(o))
	if err == nil {
		out.Bytes, err = c.read(res.Body)
		if err == nil {
			out.Status = res.StatusCode
			out.Kind = c.job.Check.StatusKind(res.StatusCode)
			if res.StatusCode/100 == 3 {
				to := res.Header.Get("Location")
				c.d.location.CompareAndSwap(nil, &to)
			}
		}
	}
	out.End = c.job.Now()
	if err != nil {
		if cause := context.Cause(c.ctx); cause == record.ErrTimeout {
			err = cause
			out.End = max(out.End, out.Sent+int64(c.job.Timeout)) // its timer began just before the clock was read
		}
		out.Kind = record.KindOf(err, res != nil)
	}
	c.err = err
	c.disarm()
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

// arm starts the timeout. One context serves many requests, since
// context.WithTimeout for each would cost a timer and four allocations.
func (c *client) arm() {
	if c.ctx == nil {
		ctx, cancel := context.WithCancelCause(c.load)
		c.ctx, c.cancel = ctx, cancel
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
