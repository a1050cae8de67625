package main

import (
	"testing"

	"whet/bench/ledger/tabletest"
)

// The table of the README is what the kept samples give, and empty before there
// are some.
func TestTableIsOfItsSamples(t *testing.T) {
	tabletest.Check(t, "agent", "agent", render)
}
