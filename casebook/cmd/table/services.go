package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"whet/internal/prove/rounds"
)

// services measures a case whose stages answer over loopback (drive.go).
type services struct {
	name     string
	program  string
	requests func(host, path string) [][]byte

	// server and generator have a processor each; unpinned where there are no
	// two.
	pinned        bool
	server, other int

	connections int
	span        time.Duration // of a slice
}

const (
	// published is how many connections the case was measured with; threads are
	// the generator's own affair.
	published = 400
	// warmUp fills caches, and lets as many connections come.
	warmUp       = 400 * time.Millisecond
	shortestSpan = 300 * time.Millisecond
	longestSpan  = 2 * time.Second
	mostSpan     = 4 * longestSpan
	// standing is what a server takes to stand, and to end.
	standing = 150 * time.Millisecond
	// constantStage answers one picture to all: it stands beside the stages, as
	// the ceiling of the generator, the loopback and net/http together.
	constantStage = "constant"
)

func newServices(name, program string) *services {
	l := &services{name: name, program: program, requests: avatarRequests, connections: published, span: shortestSpan}
	if p := processors(); len(p) > 1 {
		l.pinned, l.server, l.other = true, p[0], p[1]
	}
	return l
}

func (l *services) shares() bool { return true }

func (l *services) had(string) rounds.Slice { return nil }

func (l *services) warnings() []string {
	if !l.pinned {
		return []string{"server and generator share their processors: this system does not pin, or there is one processor; the ratios hold what the two take from each other"}
	}
	return []string{fmt.Sprintf("%d connections in a closed loop; the server is pinned to processor %d, the generator to processor %d; what the constant answer reaches is the ceiling of the generator, the loopback and net/http together", l.connections, l.server, l.other)}
}

func (l *services) takes(*measure, string) time.Duration { return l.span + warmUp + standing }

// ready chooses the span of a slice.
func (l *services) ready(_ context.Context, _ *group, within time.Duration) error {
	l.span = min(max(within/(3*3*wanted)-warmUp-standing, shortestSpan), longestSpan)
	return nil
}

// slice drives a stage for the span. Where a busy machine lets it answer nothing
// in that time it gets longer.
func (l *services) slice(ctx context.Context, _ *measure, stage string) (rounds.Slice, error) {
	got, err := l.drive(ctx, stage, warmUp, l.span)
	for span := 2 * l.span; errors.Is(err, errNone) && span <= mostSpan; span *= 2 {
		got, err = l.drive(ctx, stage, warmUp, span)
	}
	if err != nil {
		return nil, err
	}
	return rounds.Slice{perSecond: float64(got.Completed) / got.Elapsed.Seconds()}, nil
}

var errNone = errors.New("no answer")

// drive starts a server and the generator, and ends both.
func (l *services) drive(ctx context.Context, stage string, warmUp, span time.Duration) (_ driven, err error) {
	s, err := l.serve(ctx, stage)
	if err != nil {
		return driven{}, fmt.Errorf("start stage %s: %w", stage, err)
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	limit, cancel := context.WithTimeout(ctx, warmUp+span+2*patience)
	defer cancel()
	orders := drive{
		Addr: s.address.Host, Requests: l.requests(s.address.Host, s.address.Path),
		Connections: l.connections, Warmup: warmUp, Duration: span,
	}
	var got driven
	if err := playApart(limit, driveRole, orders, &got, func(cmd *exec.Cmd) error { return l.launch(cmd, l.other) }); err != nil {
		return driven{}, fmt.Errorf("drive stage %s: %w", stage, err)
	}
	switch {
	case got.Failed > 0:
		return driven{}, fmt.Errorf("drive stage %s: %d answers were not 200: %s", stage, got.Failed, got.Example)
	case got.Completed == 0:
		return driven{}, fmt.Errorf("drive stage %s: %w within %v", stage, errNone, span)
	}
	return got, nil
}

// serve starts a stage, or the server of a constant.
func (l *services) serve(ctx context.Context, stage string) (*server, error) {
	return startServer(stageCommand(ctx, l.program, l.name, stage), func(cmd *exec.Cmd) error { return l.launch(cmd, l.server) })
}

func (l *services) launch(cmd *exec.Cmd, processor int) error {
	if !l.pinned {
		return cmd.Start()
	}
	return startOn(cmd, processor)
}

// avatarRequests ask for 64 pictures.
func avatarRequests(host, path string) [][]byte {
	given := strings.Fields("Ada Alan Barbara Dennis Edsger Grace Ken Niklaus")
	family := strings.Fields("Allen Backus Cerf Dahl Floyd Hopper Iverson Liskov")
	var all [][]byte
	for _, g := range given {
		for _, f := range family {
			all = append(all, fmt.Appendf(nil, "GET %s%s%%20%s HTTP/1.1\r\nHost: %s\r\n\r\n", path, g, f, host))
		}
	}
	return all
}
