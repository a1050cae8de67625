package run

import (
	"strings"
	"testing"

	"whet/internal/finding"
)

// A leak is described by its amount, and not in shares that nobody knows.
func TestLeakInWords(t *testing.T) {
	per := 2.0
	for _, test := range []struct {
		leak finding.Leak
		want string
	}{
		{finding.Leak{Kind: finding.LeakGoroutines, Count: 134_708, Operations: 67_354, PerOperation: &per}, "134,708 goroutines leaked 2 for each operation"},
		{finding.Leak{Kind: finding.LeakGoroutines, Count: 500}, "500 goroutines leaked"},
		{finding.Leak{Kind: finding.LeakBytes, Count: 3 << 20}, "3 MiB retained"},
	} {
		f := &finding.Finding{Leak: &test.leak, Unknown: finding.Unknown{CPU: true, AllocBytes: true, Delay: true}}
		m := measures(f)
		if len(m) != 1 {
			t.Fatalf("%+v", m)
		}
		got := strings.TrimSpace(m[0].Percent + " " + m[0].Name + " " + strings.Join(m[0].Notes, " "))
		if got != test.want || strings.Contains(ceiling(f), "CPU") {
			t.Errorf("%q, want %q; %s", got, test.want, ceiling(f))
		}
	}
}
