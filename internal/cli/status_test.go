package cli

import (
	"bytes"
	"testing"
	"time"
)

// TestStep: a plan stays, what is empty is left out, and a pipe sees nothing.
func TestStep(t *testing.T) {
	var b bytes.Buffer
	s := &StatusLine{w: &b, on: true, width: 40}
	s.Step("two rounds\x1b", 0)
	s.Step("", 90*time.Second, "rounds", "", "round 1 of 2")
	s.Show("")
	if got, want := b.String(), "plan: two rounds?\n\r\x1b[Krounds · round 1 of 2 · at most 1m30s l\r\x1b[K"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	b.Reset()
	s.on = false
	s.Step("two rounds", 0)
	s.Show("rounds")
	s.Show("")
	if b.Len() > 0 {
		t.Errorf("a pipe sees %q", b.String())
	}
}
