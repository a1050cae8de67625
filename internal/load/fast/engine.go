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

// Epoll returns the engine over epoll.
func Epoll() (engine.Engine, error) {
	return driver{name: "epoll", transport: newEpoll, shaking: maxShaking}, nil
}

// driver is the engine over one kind of transport.
type driver struct {
	name      string
	transport func(*loop) (transport, error)
	shaking   int // TLS handshakes at a time in one loop
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
	for k := range n {
		l := newLoop(p, k, n, share(j.Connections, k, n))
		l.tls.most = d.shaking
		if l.t, err = d.transport(l); err != nil {
			p.shutdown()
			return engine.Report{}, fmt.Errorf("begin an event loop: %w", err)
		}
		_, bound := l.t.(*uring) // to the thread that enters it
		l.yields = n >= runtime.GOMAXPROCS(0) && !bound
		p.loops = append(p.loops, l)
	}
	defer p.shutdown()
	defer whenOver(ctx, p.stop)()
	if ctx.Err() != nil {
		p.stop() // at once: nothing is to be sent
	}
	var all sync.WaitGroup
	reports := make([]engine.Report, n)
	failures := make([]error, n)
	for k, l := range p.loops {
		all.Go(func() { reports[k], failures[k] = l.run() })
	}
	all.Wait()
	return together(reports), errors.Join(failures...)
}

// whenOver arranges for a call of f at the end of ctx. The returned function cancels
// that, and waits for f if it was called.
func whenOver(ctx context.Context, f func()) (end func()) {
	called := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(called)
		f()
	})
	return func() {
		if !stop() {
			<-called
		}
	}
}

// stop makes all loops cut off their requests.
func (p *plan) stop() {
	for _, l := range p.loops {
		l.stopped.Store(true)
		l.t.wake()
	}
}

// shutdown releases the resources of the loops. All have ended: until then one may wake
// another.
func (p *plan) shutdown() {
	for _, l := range p.loops {
		l.t.shutdown()
	}
}

// share is loop k's part of n things.
func share(things, k, n int) int { return things*(k+1)/n - things*k/n }

func together(reports []engine.Report) engine.Report {
	sum := engine.Report{KeptUp: true}
	for _, r := range reports {
		sum.KeptUp = sum.KeptUp && r.KeptUp
		sum.InFlight += r.InFlight
		sum.OldestInFlight = max(sum.OldestInFlight, r.OldestInFlight)
	}
	return sum
}

// newPlan prepares the data that all loops share.
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
	if p.fixed = j.Fixed; p.fixed == nil {
		p.fixed = wire.FixedRequests(j.Messages, j.KeepAlive)
	}
	if len(p.fixed) == 1 && p.fixed[0].Bytes != nil {
		p.one = &p.fixed[0]
	}
	p.peers, p.unresolved = resolve(ctx, p.address)
	return p, nil
}
