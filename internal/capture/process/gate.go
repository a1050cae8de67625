package process

import (
	"context"
	"sync"
)

// Gate stops a command at writes to its standard output: the command waits there, as it
// does where nobody reads a full pipe, until Next lets it go on. Only Linux can (Gates).
// A Gate is for one command.
type Gate struct {
	// holds reports whether the command is to wait at its write after this one, of
	// which it gets at most 4 KiB.
	holds func(write []byte) bool
	held  chan struct{} // one element for each time that the command waits
	next  chan struct{}
	over  chan struct{} // closed when the command has ended
	once  sync.Once
}

// NewGate returns a gate that stops a command at the write after each one for which
// holds is true.
func NewGate(holds func(write []byte) bool) *Gate {
	return &Gate{holds: holds, held: make(chan struct{}), next: make(chan struct{}), over: make(chan struct{})}
}

// Wait waits until the command waits. It returns false when the command has ended, was
// never started, or the context is done.
func (g *Gate) Wait(ctx context.Context) bool {
	select {
	case <-g.held:
		return true
	case <-g.over:
	case <-ctx.Done():
	}
	return false
}

// Next lets a command that waits go on.
func (g *Gate) Next() {
	select {
	case g.next <- struct{}{}:
	case <-g.over:
	}
}

// open lets all writes pass from now on.
func (g *Gate) open() { g.once.Do(func() { close(g.over) }) }
