package portable

import (
	"testing"

	"whet/internal/load/conformance"
	"whet/internal/load/engine"
)

var features = conformance.Features{HTTP2: true, Cookies: true, Hosts: true}

func open() engine.Engine { return Engine{} }

func TestConformance(t *testing.T) {
	if testing.Short() {
		t.Skip("drives a load")
	}
	conformance.Run(t, open, features)
}

func TestSoak(t *testing.T) {
	if testing.Short() {
		t.Skip("drives a load")
	}
	conformance.Soak(t, open, features)
}
