package service

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/capture/process"
	"whet/internal/load"
	"whet/internal/prove"
	"whet/internal/recording"
)

// endpoint is a running side.
type endpoint struct {
	url     string
	pprof   string // base address of its instruments; "": none was given
	proc    *process.Running
	printed *prove.CapturedOutput
}

// already bounds the wait for a response of a service that should not be running.
const already = 100 * time.Millisecond

// open starts a side's command and waits until it responds.
func (r *runner) open(ctx context.Context, side compare.Side) (*endpoint, error) {
	if !r.o.commands() {
		address := r.o.Operand(side)
		s := &endpoint{url: address, pprof: r.o.pprof(side, portOf(address))}
		if err := load.Ready(ctx, r.loadOptions(s), r.o.Ready, nil); err != nil {
			return nil, err
		}
		return s, nil
	}
	if !strings.Contains(r.o.URL, portMark) {
		s := &endpoint{url: r.o.URL, pprof: r.o.pprof(side, portOf(r.o.URL))}
		if load.Ready(ctx, r.loadOptions(s), already, nil) == nil {
			return nil, fmt.Errorf("%s answers before the command was started: stop the server that listens there, or write {port} in the URL and in the commands", recording.Redacted(s.url))
		}
		return s, r.start(ctx, side, s, portOf(r.o.URL))
	}
	// Somebody else may take the port before the command does.
	var err error
	for range 2 {
		var ports []int
		if ports, err = load.FreePorts(1); err != nil {
			return nil, err
		}
		port := strconv.Itoa(ports[0])
		s := &endpoint{url: strings.ReplaceAll(r.o.URL, portMark, port), pprof: r.o.pprof(side, port)}
		err = r.start(ctx, side, s, port)
		if err == nil {
			return s, nil
		}
		if ended := (*endedError)(nil); !errors.As(err, &ended) || ctx.Err() != nil {
			break
		}
	}
	return nil, err
}

// start starts a side's command and waits until it answers.
func (r *runner) start(ctx context.Context, side compare.Side, s *endpoint, port string) error {
	argv, err := prove.Split(r.o.Operand(side))
	if err != nil {
		return err
	}
	for i := range argv {
		argv[i] = strings.ReplaceAll(argv[i], portMark, port)
	}
	c, printed := r.o.Command(side, argv)
	s.printed = printed
	if s.proc, err = process.Start(c); err != nil {
		return prove.NotStarted(c.Path, err)
	}
	alive, stop := s.whileAlive(ctx)
	defer stop()
	if err := load.Ready(alive, r.loadOptions(s), r.o.Ready, nil); err != nil {
		err = s.explain(err)
		s.close()
		return err
	}
	return nil
}

// whileAlive returns a context that ends with the side's process too.
func (s *endpoint) whileAlive(ctx context.Context) (context.Context, func()) {
	if s.proc == nil {
		return context.WithCancel(ctx)
	}
	return s.proc.While(ctx)
}

// endedError says that a service ended that should not have.
type endedError struct{ text string }

func (e *endedError) Error() string { return e.text }

// dying is how long a process may take to end that has closed its connections.
const dying = 500 * time.Millisecond

// explain replaces an error by the end of the process that caused it.
func (s *endpoint) explain(err error) error {
	if s.proc == nil {
		return err
	}
	wait := time.NewTimer(dying)
	defer wait.Stop()
	select {
	case <-s.proc.Done():
	case <-wait.C:
		return err
	}
	return &endedError{"it " + s.proc.Early(s.printed.LastWords())}
}

// close ends the started process, with its whole group.
func (s *endpoint) close() {
	if s.proc != nil {
		s.proc.Stop()
	}
}

func portOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return load.Port(u)
}
