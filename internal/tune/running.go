package tune

import (
	"bytes"
	"io"
	"os"
	"sync"
	"time"

	"whet/internal/capture/process"
	"whet/internal/format/gctrace"
)

// running is a command that was started and has perhaps not ended yet.
type running struct {
	*process.Running
	gc *gcLines
}

// start starts a command that logs its collections and initializations, with the
// variables in extra. It separates the runtime's lines from the program's own output on
// stderr.
func start(c process.Command, extra ...string) (*running, error) {
	gc := newGCLines(c.Stderr)
	c.Stderr = gc
	c.Env = append(append(os.Environ(), gcTrace()), extra...)
	p, err := process.Start(c)
	return &running{p, gc}, err
}

// stop ends the rest of the command, and returns its result when all have ended; nil:
// the system did not report it.
func (r *running) stop() *process.Result {
	res := r.Stop()
	r.gc.Flush()
	return res
}

// gcTrace returns the variable that has a target print them.
func gcTrace() string { return gctrace.Variable(os.Getenv("GODEBUG")) }

// keepGC bounds the collector's log: about 40,000 collections.
const keepGC = 8 << 20

// gcLines takes the runtime's lines out of a program's stderr and keeps them.
type gcLines struct {
	*gctrace.Splitter

	mu      sync.Mutex
	log     bytes.Buffer
	dropped bool
}

// newGCLines passes on the rest to a writer; nil: nowhere.
func newGCLines(to io.Writer) *gcLines {
	g := &gcLines{}
	g.Splitter = gctrace.NewSplitter(to, g.keep)
	return g
}

func (g *gcLines) keep(line []byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.dropped = g.dropped || g.log.Len()+len(line) > keepGC; !g.dropped {
		g.log.Write(line)
	}
}

// bytes returns the collector's log.
func (g *gcLines) bytes() (log []byte, dropped bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return bytes.Clone(g.log.Bytes()), g.dropped
}

// grace is how long a program may take to end after it was asked to.
const grace = 5 * time.Second
