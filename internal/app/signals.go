package app

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// WithSignals returns a context that is done when the user or the system asks
// whet to stop: Ctrl-C, SIGTERM, or the terminal's end, unless nohup holds
// that off. What whet started has process groups of its own, which none of
// these signals reaches: whet has to outlive them to end it.
//
// For the same reason a reader that goes away (whet tune -v 2>&1 | head) must
// not kill whet: with SIGPIPE caught, the write fails and nothing else.
func WithSignals(parent context.Context) (ctx context.Context, stop func()) {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	pipes := make(chan os.Signal, 1) // never read: the error of the write says it
	signal.Notify(pipes, syscall.SIGPIPE)
	ctx, cancel := signal.NotifyContext(parent, signals...)
	return ctx, func() {
		cancel()
		signal.Stop(pipes)
	}
}
