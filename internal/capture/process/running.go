package process

import "context"

// Running is a command that was started and has perhaps not ended yet, such as
// a server.
type Running struct {
	end  context.CancelFunc
	done chan struct{}
	pid  int
	res  *Result
	err  error
}

// Start starts a command and returns once it runs. It then runs until it ends
// by itself, its limits end it, or Stop does; the caller calls Stop in any case.
func Start(c Command) (*Running, error) {
	r := &Running{done: make(chan struct{})}
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
		defer close(r.done)
		defer cancel()
		r.res, r.err = Run(ctx, c)
	}()
	select {
	case r.pid = <-started:
		return r, nil
	case <-r.done:
	}
	select {
	case r.pid = <-started: // it was over at once
		return r, nil
	default:
		return nil, r.err
	}
}

// PID is the leader's process id, and the group's where there are groups.
func (r *Running) PID() int { return r.pid }

// Done is closed when nothing of the command is left.
func (r *Running) Done() <-chan struct{} { return r.done }

// Ended reports whether the command is over.
func (r *Running) Ended() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// Stop ends what is left of the command and all its group, and returns what
// became of it; nil when the system did not tell.
func (r *Running) Stop() *Result {
	r.end()
	<-r.done
	return r.res
}
