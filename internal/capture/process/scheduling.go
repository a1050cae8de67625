package process

import (
	"sync"
	"time"
)

// Scheduling is the system scheduler's figures for a command's own threads, from
// its start to the last reading.
type Scheduling struct {
	Wall time.Duration // from the start to the last look
	CPU  time.Duration // of all threads
	// RunDelay is how long threads were ready to run and had no processor, added
	// up over them.
	RunDelay time.Duration
	// Children is the part of Wall in which a process that the command started
	// had not ended, as far as the looks show.
	Children time.Duration
}

// lookEvery is the time between two looks: what threads do after the last one is
// not seen. A look reads two small files for each thread.
const lookEvery = 50 * time.Millisecond

// watch looks at a command until it is told to stop.
type watch struct {
	stop chan struct{}
	done sync.WaitGroup
	seen *Scheduling // once it is done; nil: the system does not say
}

// threadTimes are one thread's CPU time and run delay when it was last seen.
type threadTimes struct{ cpu, delay time.Duration }

// startWatch looks at the threads of pid by look, which returns false where it
// sees none.
func startWatch(pid int, start time.Time, look func(pid int, threads map[int]threadTimes) (children, ok bool)) *watch {
	w := &watch{stop: make(chan struct{})}
	w.done.Go(func() {
		tick := time.NewTicker(lookEvery)
		defer tick.Stop()
		threads := make(map[int]threadTimes) // those that have ended keep their last times
		var looks, withChildren int
		var last time.Time
		for {
			if children, ok := look(pid, threads); ok {
				looks++
				if children {
					withChildren++
				}
				last = time.Now()
			}
			select {
			case <-tick.C:
				continue
			case <-w.stop:
			}
			break
		}
		if looks == 0 {
			return
		}
		w.seen = &Scheduling{Wall: last.Sub(start)}
		w.seen.Children = w.seen.Wall * time.Duration(withChildren) / time.Duration(looks)
		for _, t := range threads {
			w.seen.CPU += t.cpu
			w.seen.RunDelay += t.delay
		}
	})
	return w
}

func (w *watch) end() *Scheduling {
	close(w.stop)
	w.done.Wait()
	return w.seen
}
