//go:build linux

package fast

import (
	"testing"

	"whet/internal/load/conformance"
	"whet/internal/load/engine"
)

func TestConformance(t *testing.T) {
	if testing.Short() {
		t.Skip("drives a load")
	}
	conformance.Run(t, func() engine.Engine {
		e, err := Epoll()
		if err != nil {
			t.Fatal(err)
		}
		return e
	}, conformance.Features{})
}
