package docs

import (
	"os"
	"strings"
	"testing"
)

// The README is read on one screen: what whet is in three lines, the picture, the two
// commands to begin with, what they print in at most 15 lines each, and why. All else
// stands in docs/.
func TestReadmeIsOneScreen(t *testing.T) {
	data, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if len(lines) > 65 {
		t.Errorf("%d lines, want 65 at most", len(lines))
	}
	paragraphs := strings.Split(string(data), "\n\n")
	if len(paragraphs) < 3 || paragraphs[0] != "# whet" || strings.Count(paragraphs[1], "\n") != 2 || !strings.HasPrefix(paragraphs[2], "![") {
		t.Errorf("it begins with %q", paragraphs[:min(len(paragraphs), 3)])
	}
	for _, use := range []string{"\nmake demo ", "\nmake test ", "make install", "`whet tune ./pkg`", "`whet prove`", "\nWhy not pprof and benchstat alone?\n"} {
		if !strings.Contains(string(data), use) {
			t.Errorf("%q is missing", use)
		}
	}
	fences := strings.Split(string(data), "```")
	for i := 1; i < len(fences); i += 2 {
		if n := strings.Count(strings.TrimSuffix(fences[i], "\n"), "\n"); n > 15 {
			t.Errorf("a sample of %d lines:\n%s", n, fences[i])
		}
	}
	_, why, _ := strings.Cut(string(data), "alone?\n\n")
	why, _, _ = strings.Cut(why, "\n\n")
	if n := strings.Count("\n"+why, "\n- "); n != 4 {
		t.Errorf("%d reasons beside pprof and benchstat, want 4", n)
	}
}
