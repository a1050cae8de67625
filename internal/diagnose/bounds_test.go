package diagnose

import (
	"strings"
	"testing"

	"whet/internal/finding"
)

// However long names are, a verdict stays a line or a few: a name keeps its
// beginning and its end.
func TestVerdictBoundsNames(t *testing.T) {
	long := "m/x.F" + strings.Repeat("x", 100_000) + ".end"
	for name, v := range map[string]Verdict{
		"CPU":   verdictOf(t, subject("B", cpuProfile(sample{stack: []string{long}, n: 1000}), nil, nil)),
		"bytes": verdictOf(t, subject("B", nil, allocProfile(sample{stack: []string{long}, n: 1000, size: 1 << 20}), nil)),
		"leak":  Verdict{Text: "x"}.leaked([]finding.Finding{{Function: long, File: long, Leak: &finding.Leak{Kind: finding.LeakGoroutines, Count: 500}}}),
		"place": {Text: named(&finding.HotPlace{Function: long, File: long, Line: 3})},
	} {
		if len(v.Text) > 1000 {
			t.Errorf("%s: %d bytes", name, len(v.Text))
		}
	}
	if got := brief(long); len([]rune(got)) != nameRunes || !strings.HasPrefix(got, "m/x.Fxx") || !strings.HasSuffix(got, "xx.end") || brief("m/x.f") != "m/x.f" {
		t.Errorf("%q", got)
	}
}
