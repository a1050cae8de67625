package process

import (
	"bytes"
	"context"
	"fmt"
	"time"
)

// Running is a command that was started and has perhaps not ended yet, such as
// a server.
type Running struct {
	end  context.CancelFunc
	over context.Context // done when nothing of the command is left
	pid  int
	res  *Result
	err  error
}

// Start starts a command and returns once it runs. It then runs until it ends
// by itself, its limits end it, or Stop does; the caller calls Stop in any case.
func Start(c Command) (*Running, error) {
	over, done := context.WithCancel(context.Background())
	r := &Running{over: over}
	started, tell := make(chan int, 1), c.Started
	c.Started = func(pid int) {
		if tell != nil {
			tell(pid)
		}
		started <- pid
	}
	// Who holds r ends it: a context of the measuring would end the command
	// before what it still has to say is fetched.
	ctx, cancel := context.WithCancel(context.Background())
	r.end = cancel
	go func() {
		defer done()
		defer cancel()
		r.res, r.err = Run(ctx, c)
	}()
	select {
	case r.pid = <-started:
		return r, nil
	case <-over.Done():
	}
	select {
	case r.pid = <-started: // it was over at once
		return r, nil
	default:
		return nil, r.err
	}
}

// PID returns the leader's process id, and the group's where there are groups.
func (r *Running) PID() int { return r.pid }

// Done is closed when nothing of the command is left.
func (r *Running) Done() <-chan struct{} { return r.over.Done() }

// Ended reports whether the command is over.
func (r *Running) Ended() bool { return r.over.Err() != nil }

// While returns a context that also ends with the command, and a function that releases
// it.
func (r *Running) While(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(r.over, cancel)
	return ctx, func() { stop(); cancel() }
}

// Stop ends the rest of the command and all its group, and returns its result; nil if
// the system did not report it.
func (r *Running) Stop() *Result {
	r.end()
	<-r.over.Done()
	return r.res
}

// Early describes the end of a command that should have run longer: "ended by itself
// (exit status 1) after 12ms", followed by its last output.
func (r *Running) Early(said string) string {
	res := r.Stop()
	switch {
	case res == nil:
		return "ended by itself; the system does not report how"
	case said == "" && res.OK():
		said = ": name a command that stays in the foreground"
	}
	return fmt.Sprintf("ended by itself (%s) after %v%s", res.Status(), res.End.Sub(res.Start).Round(time.Millisecond), said)
}

// LastWords returns the reason that a program's output gives for its end: the
// message of a panic, without the goroutines that follow, or else the last line. It
// returns "" for no output.
func LastWords(output []byte) string {
	output = bytes.TrimSpace(output)
	last := output[bytes.LastIndexByte(output, '\n')+1:]
	for line := range bytes.Lines(output) {
		if bytes.HasPrefix(line, []byte("panic: ")) || bytes.HasPrefix(line, []byte("fatal error: ")) {
			last = line
		}
	}
	return string(bytes.TrimSpace(last))
}
