//go:build go1.26

package agent

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// signals waits for those that Config names.
type signals struct {
	agent *Agent
	in    chan os.Signal
	quit  chan struct{}
}

func watchSignals(a *Agent) *signals {
	s := &signals{agent: a, in: make(chan os.Signal, 1), quit: make(chan struct{})}
	signal.Notify(s.in, a.settings.signals...)
	a.work("the signals", s.run)
	return s
}

func (s *signals) run() {
	for {
		select {
		case <-s.quit:
			return
		case sig := <-s.in:
			if sig == os.Interrupt || sig == syscall.SIGTERM {
				// Not from here: stopping waits for this goroutine.
				go func() {
					s.agent.Stop()
					raise(sig)
				}()
				return
			}
			if c := s.agent.continuous; c != nil {
				_ = c.do(context.Background(), func() {
					c.flush()
					c.publish(fmt.Sprintf("written on signal %v; the program went on", sig))
				})
			}
		}
	}
}

func (s *signals) stop() {
	if s != nil {
		signal.Stop(s.in)
		close(s.quit)
	}
}
