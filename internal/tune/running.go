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

// start starts a command with GODEBUG=gctrace=1 and the variables in extra. The
// runtime's lines are kept apart from what the program prints on stderr itself.
func start(c process.Command, extra ...string) (*running, error) {
	gc := &gcLines{to: c.Stderr}
	c.Stderr = gc
	c.Env = append(append(os.Environ(), gcTrace()), extra...)
	p, err := process.Start(c)
	return &running{p, gc}, err
}

// stop ends what is left of the command, and returns what became of it when nothing
// is; nil: the system did not tell.
func (r *running) stop() *process.Result {
	res := r.Stop()
	r.gc.flush()
	return res
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

// gcLines takes the runtime's gctrace lines out of a program's stderr. Where it
// is handed each write by itself, what the program printed in the middle of one
// of them is told from it.
type gcLines struct {
	to io.Writer // the rest of it; nil: nowhere

	mu      sync.Mutex
	log     bytes.Buffer
	dropped bool
	begun   []byte // the beginning of a line of the runtime's
	between int    // bytes of others since then
	own     []byte // to be passed on
}

// maxBetween bounds how much others may print in the middle of a line before it
// is taken for the program's own.
const maxBetween = 64 << 10

// Write never fails: losing output must not end a measurement.
func (g *gcLines) Write(p []byte) (int, error) {
	g.WriteEach([][]byte{p})
	return len(p), nil
}

func (g *gcLines) WriteEach(writes [][]byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, w := range writes {
		g.add(w)
	}
	g.passOn()
}

// add takes one write.
func (g *gcLines) add(p []byte) {
	data := p
	if len(g.begun) > 0 {
		line, _, ended := bytes.Cut(data, []byte("\n"))
		if ended {
			line = data[:len(line)+1]
		}
		switch whole := append(bytes.Clone(g.begun), line...); {
		case gctrace.Begins(whole):
			if data, g.begun, g.between = data[len(line):], nil, 0; ended {
				g.keep(whole)
			} else {
				g.begun = whole
			}
		case g.between+len(p) > maxBetween || gctrace.Begins(line) && bytes.HasPrefix(line, []byte("gc ")):
			g.release() // its end does not come
		default:
			g.between += len(p)
			g.pass(p)
			return
		}
	}
	for len(data) > 0 {
		line, rest, ended := bytes.Cut(data, []byte("\n"))
		if ended {
			line = data[:len(line)+1]
		}
		data = rest
		at := gcBegins(line)
		g.pass(line[:at]) // what the program had not ended its line of
		switch line = line[at:]; {
		case gctrace.IsLine(line) && ended:
			g.keep(line)
		case len(line) > 0 && !ended && gctrace.Begins(line):
			g.begun = bytes.Clone(line)
		default:
			g.pass(line)
		}
	}
}

func (g *gcLines) keep(line []byte) {
	if g.log.Len()+len(line) > keepGC {
		g.dropped = true
		return
	}
	g.log.Write(line)
}

// pass is for the program's own.
func (g *gcLines) pass(line []byte) {
	if g.to != nil {
		g.own = append(g.own, line...)
	}
}

func (g *gcLines) passOn() {
	if len(g.own) > 0 {
		g.to.Write(g.own)
		g.own = g.own[:0]
	}
}

// flush passes on the last line, which did not end: unless it is the runtime's,
// cut off by the program's end.
func (g *gcLines) flush() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if bytes.Contains(g.begun, []byte(" @")) {
		g.begun = nil
	}
	g.release()
	g.passOn()
}

// release passes on what began like a line of the runtime's and is none.
func (g *gcLines) release() {
	g.pass(g.begun)
	g.begun, g.between = nil, 0
}

// bytes returns the collector's log.
func (g *gcLines) bytes() (log []byte, dropped bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return bytes.Clone(g.log.Bytes()), g.dropped
}

// gcBegins is where the runtime's line, or its beginning, begins in a line of
// stderr; its length where there is none.
func gcBegins(line []byte) int {
	for at := 0; at < len(line); at++ {
		i := bytes.Index(line[at:], []byte("gc ")) // is printed at once
		if i < 0 {
			break
		}
		if at += i; gctrace.Begins(line[at:]) {
			return at
		}
	}
	if gctrace.IsLine(line) {
		return 0
	}
	return len(line)
}

// grace is how long a program may take to end after it was asked to.
const grace = 5 * time.Second
