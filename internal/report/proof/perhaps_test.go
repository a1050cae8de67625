package proof

import (
	"testing"

	"whet/internal/analyze/compare"
)

// TestPerhapsText: 20 of 33 rounds are measured, and each takes 2.3 s: 13 more take
// 29.9 s.
func TestPerhapsText(t *testing.T) {
	row := compare.Row{Verdict: compare.CannotTell, Perhaps: compare.Slower, Rounds: 20, Needed: &compare.Requirement{Rounds: 33, Ns: 33 * 2_300_000_000}, Reason: "the interval contains 1"}
	if got, want := proveReason(&row), "cannot tell, perhaps slower: 13 rounds more, 30 s"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	row.Needed = nil
	if got, want := proveReason(&row), "cannot tell, perhaps slower: the number of further rounds is unknown"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
