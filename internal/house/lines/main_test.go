package main

import (
	"os"
	"strings"
	"testing"
)

func TestCounted(t *testing.T) {
	for file, want := range map[string]bool{
		"whet.go":                              true,
		"agent/serve.go":                       true,
		"cmd/whet/main.go":                     true,
		"internal/stat/mean.go":                true,
		"internal/stat/mean_test.go":           false,
		"internal/stat/testdata/a.go":          false,
		"internal/house/plan.go":               false,
		"internal/diagnose/fixtures/grow/a.go": false,
		"bench/top/main.go":                    false,
		"casebook/visits/visits.go":            false,
		"internal/report/page.css":             false,
	} {
		if got := counted(file); got != want {
			t.Errorf("%s: %v, want %v", file, got, want)
		}
	}
}

// The sum is that of the packages, and this program is none of them.
func TestRun(t *testing.T) {
	t.Chdir("../../..")
	if _, err := os.Stat(".git"); err != nil {
		t.Skip("no git repository: a tarball")
	}
	var out strings.Builder
	if err := run(&out); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "internal/house") || !strings.HasSuffix(out.String(), " in all\n") {
		t.Errorf("counted:\n%s", out.String())
	}
}
