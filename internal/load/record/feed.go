package record

import (
	"sync"

	"whet/internal/loadresult"
)

// waiting is the number of seconds that may wait for the function of Recorder.Interval;
// then they are put together. Each takes 115 KiB.
const waiting = 8

// feed passes closed seconds on.
type feed struct {
	r    *Recorder
	done chan struct{}

	mu    sync.Mutex
	more  sync.Cond
	queue []countedSeconds
	over  bool
}

// countedSeconds is a second, or several in a row, with its counts.
type countedSeconds struct {
	row loadresult.Second
	t   *tally
}

func newFeed(r *Recorder, f func(loadresult.Interval)) *feed {
	d := &feed{r: r, done: make(chan struct{})}
	d.more.L = &d.mu
	go func() {
		defer close(d.done)
		for {
			c, ok := d.get()
			if !ok {
				return
			}
			f(loadresult.Interval{Second: c.row, Service: &c.t.service, Response: &c.t.response})
			r.mu.Lock()
			r.release(c.t)
			r.mu.Unlock()
		}
	}()
	return d
}

// put adds a second. The recorder is locked.
func (d *feed) put(row loadresult.Second, t *tally) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.more.Signal()
	if len(d.queue) < waiting {
		d.queue = append(d.queue, countedSeconds{row, t})
		return
	}
	last := &d.queue[len(d.queue)-1]
	last.t.merge(t)
	last.row = last.t.row(last.row.Start, last.row.Length+row.Length)
	d.r.release(t)
}

// get waits for a second.
func (d *feed) get() (countedSeconds, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.queue) == 0 {
		if d.over {
			return countedSeconds{}, false
		}
		d.more.Wait()
	}
	c := d.queue[0]
	d.queue = append(d.queue[:0], d.queue[1:]...)
	return c, true
}

// close waits until all that is queued was passed on.
func (d *feed) close() {
	d.mu.Lock()
	d.over = true
	d.more.Signal()
	d.mu.Unlock()
	<-d.done
}
