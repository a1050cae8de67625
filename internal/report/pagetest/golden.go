package pagetest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"whet/internal/printable"
	"whet/internal/report/page"
)

// CheckTerminal: no line is wider than the terminal, and nothing in it moves the
// cursor or reorders text.
func CheckTerminal(t *testing.T, text string, width int) {
	t.Helper()
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if page.Cells(line) > width {
			t.Errorf("%d columns: %q", page.Cells(line), line)
		}
		if strings.ContainsFunc(line, printable.Hidden) {
			t.Errorf("unprintable: %q", line)
		}
	}
}

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// Golden compares got with testdata/name; a missing file fails.
func Golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s differs (-want +got); go test -update rewrites it:\n%s", path, d)
	}
}
