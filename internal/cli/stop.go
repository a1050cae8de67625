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
	own   []byte // the piece that is being written: if it is given up, it goes on, and no other follows it
	stuck bool
}

// patientPiece bounds what a patientWriter copies and keeps of a write.
const patientPiece = 64 << 10

func (u *patientWriter) Write(p []byte) (n int, err error) {
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
	var patience <-chan time.Time // of the whole write
	for n < len(p) {
		u.own = append(u.own[:0], p[n:min(n+patientPiece, len(p))]...)
		go func() {
			n, err := u.w.Write(u.own)
			ended <- result{n, err}
		}()
		var r result
		select {
		case r = <-ended:
		case <-u.ctx.Done():
			if patience == nil {
				patience = time.After(stuckAfter)
			}
			select {
			case r = <-ended:
			case <-patience:
				u.stuck = true
				return n, u.ctx.Err()
			}
		}
		n += r.n
		if r.err != nil || r.n < len(u.own) {
			return n, r.err
		}
	}
	return n, nil
}
