package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"

	"whet/bench/ledger"
	"whet/internal/capture/process"
)

// load is the other work on the machine in half of the trials: one process
// that keeps one core busy.
type load struct {
	cancel context.CancelFunc
	hold   *os.File // the process reads its other end, which ends with us
	ended  chan error
}

// buildLoad builds the program of package burn in dir.
func buildLoad(ctx context.Context, dir string) (string, error) {
	exe := filepath.Join(dir, "burn")
	if runtime.GOOS == "windows" {
		exe += ".exe"
	}
	return exe, ledger.Build(ctx, "whet/bench/proof/burn", exe)
}

// startLoad starts the program on a core that is drawn by lot; where a process
// cannot be pinned the system chooses. It ends with stop, and also when this
// process ends in any way.
func startLoad(ctx context.Context, exe string, rng *rand.Rand) (*load, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	l := &load{cancel: cancel, hold: write, ended: make(chan error, 1)}
	started := make(chan struct{})
	c := process.Command{Path: exe, Stdin: read, Started: func(int) { close(started) }}
	if all := ledger.Cores(); len(all) > 0 {
		c.Processors = []int{all[rng.IntN(len(all))]}
	}
	go func() {
		defer read.Close()
		res, err := process.Run(ctx, c)
		if err == nil && res.Ending != process.Cancelled {
			err = fmt.Errorf("it ended by itself: %s", res.Status())
		}
		l.ended <- err
	}()
	select {
	case <-started:
		return l, nil
	case err := <-l.ended:
		cancel()
		write.Close()
		return nil, fmt.Errorf("start the other load: %w", err)
	}
}

// stop ends the load and waits for its end. The error says that it had not
// burned all the time.
func (l *load) stop() error {
	l.cancel()
	err := <-l.ended
	l.hold.Close()
	if err != nil {
		return fmt.Errorf("other load: %w", err)
	}
	return nil
}
