package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"whet/bench/ledger/tabletest"
)

// The table of the README is what the kept samples give.
func TestTableIsOfItsSamples(t *testing.T) {
	tabletest.Check(t, "gctrace", "gctrace", render)
}

// awk's sums are those of the numbers drawn, and one cycle less is noticed.
func TestSums(t *testing.T) {
	log := filepath.Join(t.TempDir(), "gc.log")
	s, err := write(log, 1000)
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("awk", program, log).Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.isSums(out); err != nil {
		t.Error(err)
	}
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(log, data[:len(data)-150], 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err = exec.Command("awk", program, log).Output(); err != nil {
		t.Fatal(err)
	}
	if s.isSums(out) == nil {
		t.Error("a log without its last cycle has the same sums")
	}
}
