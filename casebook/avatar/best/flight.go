package best

import (
	"context"
	"errors"

	"whet/casebook/avatar"
)

// flight is one drawing that any number of requests wait for.
type flight struct {
	// cancel ends the drawing. Who draws sets it before they can leave, so that
	// it is set when nobody waits any more.
	cancel  context.CancelFunc
	waiting int // requests, that which draws among them; under the cache's lock

	done   chan struct{} // closed once the rest is set
	answer *answer
	err    error
}

// join returns an answer, if it has come meanwhile, or the flight that brings
// it. The first to join a flight has to land it; who does not want it any more
// leaves it. One that all have left brings nothing, and is not joined.
func (c *cache) join(p avatar.Picture) (a *answer, f *flight, first bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if a := c.find(p); a != nil {
		return a, nil, false
	}
	if f := c.flights[p]; f != nil && f.waiting > 0 {
		f.waiting++
		return nil, f, false
	}
	f = &flight{waiting: 1, done: make(chan struct{})}
	c.flights[p] = f
	return nil, f, true
}

// wait returns what a flight brings that another request draws for. It leaves
// the flight if ctx ends before that.
func (c *cache) wait(ctx context.Context, f *flight) (*answer, error) {
	select {
	case <-f.done:
		return f.answer, f.err
	case <-ctx.Done():
		c.leave(f)
		return nil, ctx.Err()
	}
}

// leave ends a flight that nobody waits for any more.
func (c *cache) leave(f *flight) {
	c.mu.Lock()
	f.waiting--
	last := f.waiting == 0
	c.mu.Unlock()
	if last {
		f.cancel()
	}
}

var errPanic = errors.New("draw a picture: it panicked, in the request that was to draw it for all")

// land draws a picture, and hands the answer, or what went wrong, to all who
// joined its flight. What went wrong is not kept: the next request tries again.
func (c *cache) land(p avatar.Picture, f *flight, draw func() ([]byte, error)) {
	f.err = errPanic // until draw returns
	defer func() {
		c.mu.Lock()
		if c.flights[p] == f { // and not one that was begun after all had left this one
			delete(c.flights, p)
		}
		if f.err == nil {
			c.add(f.answer)
		}
		c.mu.Unlock()
		close(f.done)
	}()
	png, err := draw()
	if f.err = err; err == nil {
		f.answer = newAnswer(p, png)
	}
}
