package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"syscall"
	"time"
)

// WithSignals returns a context that is done when the user or the system asks
// whet to stop: Ctrl-C, SIGTERM, or the terminal's end, unless nohup holds
// that off. What whet started has process groups of its own, which none of
// these signals reaches: whet has to outlive them to end it.
//
// For the same reason a reader that goes away (whet tune -v 2>&1 | head) must
// not kill whet: with SIGPIPE caught, the write fails and nothing else.
func WithSignals(parent context.Context) (ctx context.Context, stop func()) {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	pipes := make(chan os.Signal, 1) // never read: the error of the write says it
	signal.Notify(pipes, syscall.SIGPIPE)
	ctx, cancel := signal.NotifyContext(parent, signals...)
	return ctx, func() {
		cancel()
		signal.Stop(pipes)
	}
}

// abandonAfter is what a verb that only reads may take to notice that it is to
// stop.
const abandonAfter = 300 * time.Millisecond

// abandonable runs a verb that only reads: it has no processes to end and
// nothing to save, so that it need not be waited for, be it deep in a large
// profile or waiting for a pipe that nobody writes to.
func abandonable(ctx context.Context, run func() error) error {
	ended := make(chan error, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				ended <- &defect{r, debug.Stack()}
			}
		}()
		ended <- run()
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-ended:
		return err
	case <-time.After(abandonAfter):
		return ctx.Err()
	}
}

// defect is a panic on its way to the one place that reports it.
type defect struct {
	value any
	stack []byte
}

func (d *defect) Error() string {
	return fmt.Sprintf("internal error: %v (this is a defect of whet; WHET_DEBUG=1 prints where)", d.value)
}

// untilDone fails once the context is done: what is being written is then
// given up, and its temporary file removed.
type untilDone struct {
	ctx context.Context
	f   *os.File
}

func (w untilDone) Write(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := w.f.Write(p)
	if pe, ok := errors.AsType[*os.PathError](err); ok {
		err = pe.Err // without the temporary name
	}
	return n, err
}

// stuckAfter is how long who reads what whet prints may keep it from ending
// when it is told to.
const stuckAfter = 3 * time.Second

// unlessStuck prints until the context is done and a write does not end: a
// reader that stopped reading is waited for, and no longer than the user wants.
type unlessStuck struct {
	ctx context.Context
	w   io.Writer

	mu    sync.Mutex
	stuck bool
}

func (u *unlessStuck) Write(p []byte) (int, error) {
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
	own := bytes.Clone(p) // a write that is given up goes on
	go func() {
		n, err := u.w.Write(own)
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
