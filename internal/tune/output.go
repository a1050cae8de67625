package tune

import (
	"fmt"
	"io"
	"sync"
)

// keepOutput bounds the copy of the target's output.
const keepOutput = 256 << 10

// outputKeeper passes the target's output on and keeps its beginning.
type outputKeeper struct {
	mu      sync.Mutex
	pass    io.Writer
	data    []byte
	dropped int64
	title   string // written before the next output
}

func newOutputKeeper(pass io.Writer) *outputKeeper { return &outputKeeper{pass: pass} }

// begin names the process that prints from here on.
func (k *outputKeeper) begin(title string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.title = title
}

// Write never fails: losing output must not end a measurement.
func (k *outputKeeper) Write(p []byte) (int, error) { return k.write(k.pass, p) }

// to returns a writer that passes on to another place than the keeper's own;
// nil: to none.
func (k *outputKeeper) to(pass io.Writer) io.Writer { return keeperWriter{k, pass} }

type keeperWriter struct {
	*outputKeeper
	pass io.Writer
}

func (k keeperWriter) Write(p []byte) (int, error) { return k.outputKeeper.write(k.pass, p) }

func (k *outputKeeper) write(pass io.Writer, p []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if pass != nil {
		pass.Write(p)
	}
	if k.title != "" {
		k.add(fmt.Appendf(nil, "=== %s\n", k.title))
		k.title = ""
	}
	k.add(p)
	return len(p), nil
}

func (k *outputKeeper) add(p []byte) {
	n := min(len(p), keepOutput-len(k.data))
	k.data = append(k.data, p[:n]...)
	k.dropped += int64(len(p) - n)
}

// Bytes returns the kept output, with a last line about the omitted part.
func (k *outputKeeper) Bytes() []byte {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.dropped > 0 {
		return fmt.Appendf(k.data[:len(k.data):len(k.data)], "\n=== %d more bytes were dropped\n", k.dropped)
	}
	return k.data
}
