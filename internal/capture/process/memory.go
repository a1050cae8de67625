package process

import (
	"os"
	"runtime"
	"sync"
	"time"
)

// peakEvery is the time between two looks at a peak: what a command takes after the last
// one is not seen.
const peakEvery = 5 * time.Millisecond

// peakError returns how far two of the kernel's figures for one peak may lie apart:
// Linux keeps up to 32 pages a processor out of its counts, of files and of the heap
// each, and /proc adds them while exec does not.
func peakError() int64 { return int64(runtime.NumCPU()) * 2 * 32 * int64(os.Getpagesize()) }

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
