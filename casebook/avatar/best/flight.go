package best

import (
	"context"
	"errors"

	"whet/casebook/avatar"
)

// flight is one drawing that any number of requests wait for.
type flight struct {
	done   chan struct{} // closed once the rest is set
	answer *answer
	err    error
}

// wait returns what the flight brings, unless ctx ends before it.
func (f *flight) wait(ctx context.Context) (*answer, error) {
	select {
	case <-f.done:
		return f.answer, f.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// join returns an answer, if it has come meanwhile, or the flight that brings
// it. The first to join a flight has to land it.
func (c *cache) join(p avatar.Picture) (a *answer, f *flight, first bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if a := c.find(p); a != nil {
		return a, nil, false
	}
	if f := c.flights[p]; f != nil {
		return nil, f, false
	}
	f = &flight{done: make(chan struct{})}
	c.flights[p] = f
	return nil, f, true
}

var errPanic = errors.New("draw a picture: it panicked, in the request that was to draw it for all")

// land draws a picture, and hands the answer, or what went wrong, to all who
// joined its flight. What went wrong is not kept: the next request tries again.
func (c *cache) land(p avatar.Picture, f *flight, draw func() ([]byte, error)) {
	f.err = errPanic // until draw returns
	defer func() {
		c.mu.Lock()
		delete(c.flights, p)
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
