package cli

import (
	"context"
	"io"
	"sync"
	"time"
)

// abandonAfter is what a verb that only reads may take to notice that it is to
// stop.
const abandonAfter = 300 * time.Millisecond

// Abandonable runs a verb that only reads: it has no processes to end and
// nothing to save, so that it need not be waited for, be it deep in a large
// profile or waiting for a pipe that nobody writes to.
func Abandonable(ctx context.Context, run func() error) error {
	ended := make(chan error, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				ended <- NewDefect(r)
			}
		}()
		ended <- run()
	}()
	return awaited(ctx, ended, abandonAfter, ctx.Err)
}

// awaited returns what ends, or, where the context is done, ends within some time more;
// otherwise says what it is else.
func awaited(ctx context.Context, ended <-chan error, more time.Duration, otherwise func() error) error {
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-ended:
		return err
	case <-time.After(more):
		return otherwise()
	}
}

// UnlessStuck returns a writer to w that does not keep a verb from ending.
func UnlessStuck(ctx context.Context, w io.Writer) io.Writer { return &patientWriter{ctx: ctx, w: w} }

// patientWriter waits for a reader that has stopped reading, but only until the
// context is done.
type patientWriter struct {
	ctx context.Context
	w   io.Writer

	mu    sync.Mutex
	own   []byte // what is being written: a write that is given up goes on, and no other follows it
	stuck bool
}

func (u *patientWriter) Write(p []byte) (int, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.stuck {
		return 0, u.ctx.Err()
	}
	type result struct {
		n   int
		err error
	}
	ended := make(chan result, 1)
	u.own = append(u.own[:0], p...)
	go func() {
		n, err := u.w.Write(u.own)
		ended <- result{n, err}
	}()
	select {
	case r := <-ended:
		return r.n, r.err
	case <-u.ctx.Done():
	}
	select {
	case r := <-ended:
		return r.n, r.err
	case <-time.After(stuckAfter):
		u.stuck = true
		return 0, u.ctx.Err()
	}
}
