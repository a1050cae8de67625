//go:build go1.26

package agent

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

const (
	maxNotes = 100
	logLimit = time.Second // that Stop waits for the log
)

// notes are the warnings of an agent. They are logged by a goroutine of their
// own: standard error may be a pipe that nobody reads.
type notes struct {
	mu     sync.Mutex
	list   []string
	out    chan string // nil when closed
	logged chan struct{}
}

func newNotes(log func(line string)) *notes {
	n := &notes{out: make(chan string, maxNotes), logged: make(chan struct{})}
	go func(out <-chan string) {
		defer close(n.logged)
		defer func() { _ = recover() }() // Log is the program's
		for line := range out {
			log(line)
		}
	}(n.out)
	return n
}

// add notes a warning once.
func (n *notes) add(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.list) >= maxNotes || slices.Contains(n.list, text) {
		return
	}
	n.list = append(n.list, text)
	if n.out != nil {
		n.out <- text // never full: there are no more notes than places
	}
}

func (n *notes) all() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]string{}, n.list...)
}

// close waits, but not for long, until all is logged.
func (n *notes) close() {
	n.mu.Lock()
	out := n.out
	n.out = nil
	n.mu.Unlock()
	if out == nil {
		return
	}
	close(out)
	select {
	case <-n.logged:
	case <-time.After(logLimit):
	}
}
