package load

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"whet/internal/report/page"
	"whet/internal/report/pagetest"
)

// Several loads stand beside each other, a line each, however narrow the terminal
// is: names are cut in their middle, and columns go.
func TestLoadsBeside(t *testing.T) {
	runs := append([]Run{}, loadPages()["several"].Runs...)
	for i, name := range []string{"results/2026-11-20/checkout-service-before", "results/2026-11-20/checkout-service-after", "short"} {
		runs[i].Name = name
	}
	runs = append(runs, loadPages()["mixed"].Runs[1])
	runs[3].Name = "結果/二〇二六年/閉じたループ/前" // two cells each
	for _, width := range []int{60, 80, 100, 140} {
		w := writer{page.Text{Width: width}}
		w.compareLoads(runs)
		text := string(w.Bytes())
		if width > 60 {
			pagetest.Golden(t, fmt.Sprintf("load-beside-%d.txt", width), w.Bytes())
		}
		_, table, _ := strings.Cut(text, "a second")
		if n := strings.Count(table, "\n"); n != 1+len(runs) {
			t.Errorf("%d lines of %d runs at %d columns:\n%s", n-1, len(runs), width, text)
		}
		for line := range strings.Lines(text) {
			if n := page.Cells(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("%d columns of %d: %q", n, width, line)
			}
		}
	}
	// Directories tell runs apart.
	for i, name := range []string{"before/checkout", "after/checkout", "c", "d"} {
		runs[i].Name = name
	}
	w := writer{page.Text{Width: 60}}
	w.compareLoads(runs)
	if !bytes.Contains(w.Bytes(), []byte("  be")) || !bytes.Contains(w.Bytes(), []byte("  af")) {
		t.Errorf("which is which?\n%s", w.Bytes())
	}
	// Names that fit are whole, and so are all columns.
	for i := range runs {
		runs[i].Name = fmt.Sprintf("run %d", i)
	}
	w = writer{page.Text{Width: 120}}
	w.compareLoads(runs)
	for _, want := range []string{"\n  run 3     2,952 ", "  closed, 2 connections\n", "p99.99", "mean"} {
		if !bytes.Contains(w.Bytes(), []byte(want)) {
			t.Errorf("no %q in\n%s", want, w.Bytes())
		}
	}
}

func TestInMiddle(t *testing.T) {
	for _, c := range []struct {
		s     string
		width int
		want  string
	}{
		{"before.whet", 11, "before.whet"},
		{"before.whet", 10, "befo….whet"},
		{"before.whet", 3, "b…t"},
		{"before.whet", 1, "…"},
		{"before.whet", 0, ""},
		{"二〇二六", 6, "二…六"},
	} {
		if got := inMiddle(c.s, c.width); got != c.want {
			t.Errorf("%q in %d: %q, want %q", c.s, c.width, got, c.want)
		}
	}
	for width := range 20 {
		for _, s := range []string{"results/before.whet", "結果/前.whet", "a結b果c前d"} {
			if got := inMiddle(s, width); page.Cells(got) > width {
				t.Errorf("%q is wider than %d", got, width)
			}
		}
	}
}
