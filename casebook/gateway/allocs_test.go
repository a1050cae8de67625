//go:build !race

// The race detector makes sync.Pool drop what it is given, so that counts of
// allocations mean nothing under it.

package gateway_test

import (
	"testing"

	"whet/casebook/gateway/gatewaytest"
)

// TestCost: each step does what it was published for, and best takes a third of
// the original's allocations. What making the request takes is in all of these.
func TestCost(t *testing.T) {
	allocs, bytes := map[string]uint64{}, map[string]uint64{}
	for _, s := range stages {
		allocs[s.name], bytes[s.name] = gatewaytest.Cost(s.make)
		t.Logf("%-10s %6d B/op %4d allocs/op", s.name, bytes[s.name], allocs[s.name])
	}
	for _, step := range []struct {
		what, before, after string
		less                uint64 // bytes that it takes less, at least
	}{
		{"the health record", "original", "nohealth", 700},
		{"the payload's values", "nohealth", "rawmessage", 1000},
		{"the struct of a request", "rawmessage", "noescape", 512}, // 32 names of 16 bytes alone
		{"runes on the way to a session id", "noescape", "randbits", 0},
		{"the decoder", "randbits", "best", 1000},
	} {
		if bytes[step.before] < bytes[step.after]+step.less {
			t.Errorf("%s: %s takes %d bytes and %s %d, want %d less", step.what, step.before, bytes[step.before], step.after, bytes[step.after], step.less)
		}
	}
	if 3*allocs["best"] > allocs["original"] {
		t.Errorf("best takes %d allocations, the original %d, want a third", allocs["best"], allocs["original"])
	}
}
