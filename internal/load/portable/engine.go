package portable

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"whet/internal/load/engine"
	"whet/internal/load/record"
)

// Engine drives connections with net/http.
type Engine struct{}

// Name returns the engine's name in options and results.
func (Engine) Name() string { return "portable" }

// Drive does a job.
func (Engine) Drive(ctx context.Context, j *engine.Job) (engine.Report, error) {
	d, err := newDriver(j)
	if err != nil {
		return engine.Report{}, err
	}
	defer d.sockets.close()
	return d.drive(ctx), nil
}

// driver is a run.
type driver struct {
	job     *engine.Job
	origins []origin
	sockets sockets
	shards  []*record.Shared

	// expired says that the load ended because answers did not come in time:
	// then they count as timed out, and not as cut off.
	expired  atomic.Bool
	location atomic.Pointer[string] // of the first redirect
	inFlight atomic.Int64
	oldest   atomic.Int64
	fewer    atomic.Bool // streams than the job's are let be open on a connection
}

// drive starts the clients and ends them.
func (d *driver) drive(ctx context.Context) engine.Report {
	j := d.job
	sending, stop := context.WithCancel(ctx)
	defer stop()
	for range min(j.Connections, runtime.GOMAXPROCS(0)) {
		d.shards = append(d.shards, j.Recorder.Shared())
	}
	var open *arrivals // nil: a closed loop
	var pacer sync.WaitGroup
	if j.Open() {
		open = newArrivals(j, j.Connections*max(j.Streams, 1))
		pacer.Go(func() { open.pace(j.Now) })
	}
	var clients sync.WaitGroup
	var lines []*line
	for i, c := range d.clients(sending) {
		shard := d.shards[i%len(d.shards)]
		lines = append(lines, c.lines...)
		clients.Go(func() {
			defer c.close()
			var age int64
			if open != nil {
				age = c.follow(shard, open)
			} else {
				age = c.run(shard)
			}
			if age >= 0 {
				d.inFlight.Add(1)
			}
			for old := d.oldest.Load(); age > old && !d.oldest.CompareAndSwap(old, age); old = d.oldest.Load() {
			}
		})
	}
	all := make(chan struct{})
	go func() {
		defer close(all)
		clients.Wait()
	}()
	over := d.until(ctx, all, j.Ends())
	if over && open != nil {
		if !d.until(ctx, all, j.Ends()+int64(j.Timeout)) {
			over = false
		} else {
			d.expired.Store(true) // for the remaining goroutines
		}
	}
	if open != nil {
		open.finish()
	}
	stop()
	<-all
	pacer.Wait()
	if open != nil && over && ctx.Err() == nil {
		for due, ok := open.take(); ok; due, ok = open.take() {
			d.shards[0].Record(unsent(due, j.Now()))
		}
	}
	for _, l := range lines {
		l.close()
	}
	for _, s := range d.shards {
		s.Done()
	}
	report := engine.Report{InFlight: int(d.inFlight.Load()), OldestInFlight: time.Duration(d.oldest.Load())}
	if d.fewer.Load() {
		report.Notes = append(report.Notes, fmt.Sprintf("the server allows fewer than %d streams on a connection: requests waited for a stream; the wait is included in service time", j.Streams))
	}
	if to := d.location.Load(); to != nil {
		report.Location = *to
	}
	return report
}

// clients makes those of each connection: one, or with HTTP/2 one for each of
// its streams.
func (d *driver) clients(load context.Context) []*client {
	j := d.job
	var out []*client
	for range j.Connections {
		var cookies *jar
		if j.Cookies {
			cookies = newJar()
		}
		var lines []*line
		for range max(j.Streams, 1) {
			// Without keep-alive each request has a connection for itself.
			if lines == nil || !j.KeepAlive {
				lines = make([]*line, len(d.origins))
				for i := range lines {
					lines[i] = newLine(d, &d.origins[i])
				}
			}
			out = append(out, newClient(d, load, len(out), lines, cookies))
		}
	}
	return out
}

// until waits for a moment or for the last client. It is false where the
// context ended before.
func (d *driver) until(ctx context.Context, all <-chan struct{}, moment int64) bool {
	const tick = 100 * time.Millisecond // required by the recorder; also notices a clock that is set ahead
	t := time.NewTimer(0)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-all:
			return true
		case <-t.C:
		}
		now := d.job.Now()
		for _, s := range d.shards {
			s.Tick(now)
		}
		if now >= moment {
			return true
		}
		t.Reset(min(time.Duration(moment-now), tick))
	}
}
