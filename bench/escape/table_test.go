package main

import (
	"testing"

	"whet/bench/ledger/tabletest"
)

// The table of the README is what the kept samples give.
func TestTableIsOfItsSamples(t *testing.T) {
	tabletest.Check(t, "escape", "escape", render)
}
