//go:build linux

package fast

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"whet/internal/load/engine"
	"whet/internal/load/wire"
)

// Epoll is the engine over epoll.
func Epoll() (engine.Engine, error) { return driver{name: "epoll", transport: newEpoll}, nil }

// driver is the engine over one kind of transport.
type driver struct {
	name      string
	transport func(*loop) (transport, error)
}

func (d driver) Name() string { return d.name }

// Drive is engine.Engine's.
func (d driver) Drive(ctx context.Context, j *engine.Job) (engine.Report, error) {
	p, err := newPlan(ctx, j)
	if err != nil {
		return engine.Report{}, err
	}
	n := j.Loops
	if n <= 0 {
		n = runtime.GOMAXPROCS(0)
	}
	n = min(n, j.Connections)
	loops := make([]*loop, 0, n)
	for k := range n {
		l := newLoop(p, k, n, share(j.Connections, k, n))
		if l.t, err = d.transport(l); err != nil {
			for _, l := range loops {
				l.t.shutdown()
			}
			return engine.Report{}, fmt.Errorf("begin an event loop: %w", err)
		}
		loops = append(loops, l)
	}
	var all sync.WaitGroup
	reports := make([]engine.Report, n)
	failures := make([]error, n)
	for k, l := range loops {
		all.Go(func() { reports[k], failures[k] = l.run(ctx) })
	}
	all.Wait()
	return together(reports), errors.Join(failures...)
}

// share is loop k's part of n things.
func share(things, k, n int) int { return things*(k+1)/n - things*k/n }

func together(reports []engine.Report) engine.Report {
	var sum engine.Report
	for _, r := range reports {
		sum.InFlight += r.InFlight
		sum.OldestInFlight = max(sum.OldestInFlight, r.OldestInFlight)
	}
	return sum
}

// newPlan prepares what is the same for all loops: the address, and the bytes of
// requests that do not change.
func newPlan(ctx context.Context, j *engine.Job) (*plan, error) {
	switch {
	case len(j.Addresses) != 1:
		return nil, fmt.Errorf("drive a load: an event loop takes one address, not %d", len(j.Addresses))
	case j.Protocol != engine.HTTP1:
		return nil, fmt.Errorf("drive a load: an event loop speaks HTTP/1.1, and not %v", j.Protocol)
	case j.Cookies:
		return nil, errors.New("drive a load: an event loop keeps no cookies")
	}
	p := &plan{job: j, address: j.Addresses[0], end: j.Ends(), timeout: int64(j.Timeout), thinks: !j.Think.None()}
	p.fixed = make([]fixed, j.Messages.Len())
	for i := range p.fixed {
		if m, ok := j.Messages.Fixed(i); ok {
			p.fixed[i] = fixed{bytes: wire.AppendRequest(nil, m, j.KeepAlive), head: m.Method == "HEAD", again: replayable(m)}
		}
	}
	if len(p.fixed) == 1 && p.fixed[0].bytes != nil {
		p.one = &p.fixed[0]
	}
	p.peers, p.unresolved = resolve(ctx, p.address)
	return p, nil
}
