//go:build linux

package fast

import (
	"testing"

	"whet/internal/load/conformance"
	"whet/internal/load/engine"
)

func TestSoak(t *testing.T) {
	if testing.Short() {
		t.Skip("drives a load")
	}
	conformance.Soak(t, func() engine.Engine {
		e, err := Epoll()
		if err != nil {
			t.Fatal(err)
		}
		return e
	}, conformance.Features{})
}

func TestSoakOverIOUring(t *testing.T) {
	if testing.Short() {
		t.Skip("drives a load")
	}
	conformance.Soak(t, func() engine.Engine { return byIOUring(t) }, conformance.Features{})
}
