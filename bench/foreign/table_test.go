package main

import (
	"testing"

	"whet/bench/ledger/tabletest"
)

// The tables of the README are what the kept figures and judgements give.
func TestTableIsOfItsFigures(t *testing.T) {
	tabletest.Check(t, "foreign", "foreign", render)
}
