package portable

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"whet/internal/load/engine"
	"whet/internal/load/record"
)

// Engine drives connections with net/http.
type Engine struct{}

// Name is what the engine is called in options and results.
func (Engine) Name() string { return "portable" }

// Drive does a job.
func (Engine) Drive(ctx context.Context, j *engine.Job) (engine.Report, error) {
	d, err := newDriver(j)
	if err != nil {
		return engine.Report{}, err
	}
	defer d.close()
	return d.drive(ctx), nil
}

// driver is one run.
type driver struct {
	job     *engine.Job
	origins []origin
	shards  []*record.Shared

	// expired says that the load ended because answers did not come in time:
	// then they count as timed out, and not as cut off.
	expired  atomic.Bool
	location atomic.Pointer[string] // of the first redirect
	inFlight atomic.Int64
	oldest   atomic.Int64
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
		open = newArrivals(j)
		pacer.Go(func() { open.pace(j.Now) })
	}
	var clients sync.WaitGroup
	for i := range j.Connections {
		shard := d.shards[i%len(d.shards)]
		clients.Go(func() {
			c := newClient(d, sending, i)
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
			d.expired.Store(true) // for whoever is left
		}
	}
	var left []int64
	if open != nil {
		left = open.abandon()
	}
	stop()
	<-all
	pacer.Wait()
	if over && ctx.Err() == nil {
		now := j.Now()
		for _, due := range left {
			if j.Take(due) {
				d.shards[0].Record(unsent(due, now))
			}
		}
	}
	for _, s := range d.shards {
		s.Done()
	}
	report := engine.Report{InFlight: int(d.inFlight.Load()), OldestInFlight: time.Duration(d.oldest.Load())}
	if to := d.location.Load(); to != nil {
		report.Location = *to
	}
	return report
}

// until waits for a moment or for the last client. It is false where the
// context ended before.
func (d *driver) until(ctx context.Context, all <-chan struct{}, moment int64) bool {
	const tick = 100 * time.Millisecond // what the recorder asks for; a clock that is set ahead is seen so too
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
