package engine

import (
	"context"
	"time"
)

// Pause is the time that a connection waits before it tries again: longer after each
// failure in a row. The zero value is ready.
type Pause struct{ next time.Duration }

const (
	firstPause   = 5 * time.Millisecond
	longestPause = 100 * time.Millisecond
)

// Next returns the pause after one more failure.
func (p *Pause) Next() time.Duration {
	d := max(p.next, firstPause)
	p.next = min(2*d, longestPause)
	return d
}

// Reset is called after a response or a timeout.
func (p *Pause) Reset() { p.next = 0 }

// Wait returns after a time or at the end of ctx.
func Wait(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}
