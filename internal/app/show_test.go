package app

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"whet/internal/cli"
)

// TestFailOn: the original visits have findings; the report comes before the exit
// code, and what cannot be asked for has one line.
func TestFailOn(t *testing.T) {
	original := recordedRow(t, "visits-original-bench")
	out, errs, code := whet(t, "", "diagnose", "-fail-on", "finding", original)
	if code != cli.ExitFound || !strings.Contains(errs, "-fail-on: ") || strings.Count(errs, "\n") != 1 || len(out) < 100 {
		t.Errorf("exit code %d, %s%.200s", code, errs, out)
	}
	if _, errs, code := whet(t, "", "diagnose", original); code != cli.ExitDone {
		t.Errorf("without it: exit code %d, %s", code, errs)
	}
	for want, args := range map[string][]string{
		"give finding, finding:medium": {"diagnose", "-fail-on", "place", original},
		"want text, github":            {"diagnose", "-format", "html", original},
		"choose -json or -format":      {"tune", "-json", "-format", "sarif", "./nosuch"},
	} {
		if _, errs, code := whet(t, "", args...); code != cli.ExitUsage || !strings.Contains(errs, want) {
			t.Errorf("%v: exit code %d, %s", args, code, errs)
		}
	}
}

// TestReviewFormats: annotations name files of this repository, which are there, and the
// step's summary is added to what is in it.
func TestReviewFormats(t *testing.T) {
	original := recordedRow(t, "visits-original-bench")
	summary := filepath.Join(t.TempDir(), "summary.md")
	if err := os.WriteFile(summary, []byte("before\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GITHUB_STEP_SUMMARY", summary)
	out, errs, code := whet(t, "", "diagnose", "-format", "github", "-fail-on", "finding", original)
	if code != cli.ExitFound {
		t.Fatalf("exit code %d, %s", code, errs)
	}
	line, _, _ := strings.Cut(out, "\n")
	file, ok := strings.CutPrefix(line, "::error file=")
	file, _, _ = strings.Cut(file, ",")
	if _, err := os.Stat(filepath.Join("../..", file)); !ok || err != nil {
		t.Errorf("%q: %v", line, err)
	}
	if data, err := os.ReadFile(summary); err != nil || !strings.HasPrefix(string(data), "before\n### whet: ") || !strings.Contains(string(data), file) {
		t.Errorf("summary %q, %v", data, err)
	}
	out, _, _ = whet(t, "", "diagnose", "-format", "markdown", original)
	if !strings.HasPrefix(out, "### whet: ") {
		t.Errorf("markdown: %.200q", out)
	}
	if out, _, _ = whet(t, "", "diagnose", "-format", "sarif", original); !json.Valid([]byte(out)) || !strings.Contains(out, `"version": "2.1.0"`) {
		t.Errorf("SARIF: %.200q", out)
	}
}

// TestReadmeSample: what the README shows of whet tune is what the casebook's recording of
// it says, figures and all.
func TestReadmeSample(t *testing.T) {
	out, errs, code := whet(t, "", "diagnose", recordedRow(t, "visits-original-bench"))
	if code != cli.ExitDone {
		t.Fatalf("exit code %d, %s", code, errs)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(out, "\nFindings ")
	first, _, found := strings.Cut(rest, "\n     why ")
	if !found || !strings.Contains(first, "\n     about ") {
		t.Fatalf("no finding in\n%s", out)
	}
	if want := "\nFindings " + first + "\n```\n"; !strings.Contains(string(readme), want) {
		t.Errorf("the README's sample is not what the recording says:\n%s", want)
	}
}
