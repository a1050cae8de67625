package tune

import (
	"bytes"
	"context"
	"io"
	"os"
	"sync"
	"time"

	"whet/internal/capture/process"
	"whet/internal/format/gctrace"
)

// running is a command that was started and has perhaps not ended yet.
type running struct {
	end  context.CancelFunc // ends the whole process group
	done chan struct{}      // closed when nothing of it is left
	pid  int

	res *process.Result // once done is closed
	err error           // it could not be started
	gc  *gcLines
}

// start starts a command with GODEBUG=gctrace=1 and the variables in extra. The
// runtime's lines are kept apart from what the program prints on stderr itself.
func start(c process.Command, extra ...string) *running {
	r := &running{done: make(chan struct{}), gc: &gcLines{to: c.Stderr}}
	c.Stderr = r.gc
	c.Env = append(append(os.Environ(), gcTrace()), extra...)
	started := make(chan int, 1)
	c.Started = func(pid int) { started <- pid }
	// Whoever holds r ends it; the context of the measuring must not, since
	// what was recorded is fetched first.
	ctx, cancel := context.WithCancel(context.Background())
	r.end = cancel
	go func() {
		defer close(r.done)
		defer cancel()
		r.res, r.err = process.Run(ctx, c)
		r.gc.flush()
	}()
	select {
	case r.pid = <-started:
	case <-r.done:
	}
	return r
}

// stop ends what is left of the command, and returns when nothing is.
func (r *running) stop() {
	r.end()
	<-r.done
}

// ended reports whether the command is over.
func (r *running) ended() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// gcTrace is the variable that has the runtime of a target print each
// collection, beside what the user's own environment asks of it.
func gcTrace() string {
	const name = "GODEBUG"
	if v := os.Getenv(name); v != "" {
		return name + "=" + v + ",gctrace=1"
	}
	return name + "=gctrace=1"
}

// keepGC bounds the collector's log: about 40,000 collections.
const keepGC = 8 << 20

// gcLines takes the runtime's gctrace lines out of a program's stderr.
type gcLines struct {
	to io.Writer // the rest of it; nil: nowhere

	mu      sync.Mutex
	log     bytes.Buffer
	dropped bool
	partial []byte // the beginning of a line that may be the runtime's
}

// Write never fails: losing output must not end a measurement.
func (g *gcLines) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	data := append(g.partial, p...)
	g.partial = nil
	for len(data) > 0 {
		line := data
		if i := bytes.IndexByte(data, '\n'); i >= 0 {
			line = data[:i+1]
		} else if maybeGC(line) {
			g.partial = bytes.Clone(line)
			break
		}
		data = data[len(line):]
		if at := gcBegins(line); at > 0 { // behind what the program had not ended its line of
			g.pass(line[:at])
			line = line[at:]
		}
		switch {
		case !gctrace.IsLine(line):
			g.pass(line)
		case g.log.Len()+len(line) > keepGC:
			g.dropped = true
		default:
			g.log.Write(line)
		}
	}
	return len(p), nil
}

func (g *gcLines) pass(line []byte) {
	if g.to != nil {
		g.to.Write(line)
	}
}

// flush passes on the last line, which did not end.
func (g *gcLines) flush() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pass(g.partial)
	g.partial = nil
}

// bytes returns the collector's log.
func (g *gcLines) bytes() (log []byte, dropped bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return bytes.Clone(g.log.Bytes()), g.dropped
}

// gcBegins is where the runtime's line begins in a line of stderr: 0 where it
// has it for itself, or has none in it.
func gcBegins(line []byte) int {
	for at := 0; ; {
		i := bytes.Index(line[at:], []byte("gc "))
		if i < 0 {
			return 0
		}
		if at += i; gctrace.IsLine(line[at:]) {
			return at
		}
		at++
	}
}

// maybeGC reports whether the beginning of a line may become one of the
// runtime's. Anything else is passed on at once: it may be a question that
// somebody is to answer.
func maybeGC(begun []byte) bool {
	const start = "gc "
	n := min(len(begun), len(start))
	return len(begun) < 512 && string(begun[:n]) == start[:n]
}

// grace is how long a program may take to end after it was asked to.
const grace = 5 * time.Second
