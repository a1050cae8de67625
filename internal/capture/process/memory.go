package process

import (
	"sync"
	"time"
)

// peakEvery is the time between two looks at a peak: what a command takes after the last
// one is not seen.
const peakEvery = 5 * time.Millisecond

// peakWatch looks at the peak of a command's memory until it ends.
type peakWatch struct {
	stop chan struct{}
	done sync.WaitGroup
	most int64
}

func watchPeak(pid int) *peakWatch {
	w := &peakWatch{stop: make(chan struct{})}
	w.done.Go(func() {
		tick := time.NewTicker(peakEvery)
		defer tick.Stop()
		for {
			w.most = max(w.most, peakNow(pid))
			select {
			case <-tick.C:
			case <-w.stop:
				return
			}
		}
	})
	return w
}

// end returns the most that was seen; 0: nothing was, or there is no watch.
func (w *peakWatch) end() int64 {
	if w == nil {
		return 0
	}
	close(w.stop)
	w.done.Wait()
	return w.most
}
