//go:build !linux

package process

import (
	"errors"
	"io"
	"os"
)

// Gates reports whether this system can stop a command at its writes.
const Gates = false

// gatePipe is Linux's only.
type gatePipe struct{ w *os.File }

func newGatePipe(g *Gate) (*gatePipe, error) {
	return nil, errors.ErrUnsupported
}

func (p *gatePipe) started(io.Writer) {}
func (p *gatePipe) ended()            {}
func (p *gatePipe) drop()             {}
