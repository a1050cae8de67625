package proof

import (
	"strings"
	"testing"

	"whet/internal/analyze/compare"
	"whet/internal/report/page"
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

// TestWhyMeasured: a verbose text says once of a benchmark why it was measured, beside
// its time.
func TestWhyMeasured(t *testing.T) {
	r := result()
	for i := range r.Benchmarks {
		if r.Benchmarks[i].Name == "BenchmarkA" {
			r.Benchmarks[i].WhyMeasured = "m.F differs"
		}
	}
	for _, width := range []int{60, 80, 110, 160} {
		for verbose, want := range map[bool]int{false: 0, true: 1} {
			text := textOf(t, r, page.TextOptions{Width: width, Verbose: verbose})
			if got := strings.Count(text, "measured because m.F differs"); got != want {
				t.Errorf("width %d, verbose %v: said %d times in\n%s", width, verbose, got, text)
			}
		}
	}
}
