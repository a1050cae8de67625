package portable

import (
	"testing"

	"whet/internal/load/conformance"
	"whet/internal/load/engine"
)

func TestConformance(t *testing.T) {
	conformance.Run(t, func() engine.Engine { return Engine{} }, conformance.Features{HTTP2: true, Cookies: true, Hosts: true})
}
