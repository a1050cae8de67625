//go:build linux

package fast

import (
	"errors"
	"testing"

	"whet/internal/load/conformance"
	"whet/internal/load/engine"
	iouring "whet/internal/load/ring"
)

// byIOUring is the engine over io_uring, where the kernel lets it.
func byIOUring(t testing.TB) engine.Engine {
	t.Helper()
	e, err := IOUring()
	if errors.Is(err, iouring.ErrUnavailable) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestConformanceOverIOUring(t *testing.T) {
	conformance.Run(t, func() engine.Engine { return byIOUring(t) }, conformance.Features{})
}
