package profiles

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"whet/internal/analyze/selection"
	"whet/internal/recording"
)

// TestOpen: a profile is the same from a file and the standard input, beside it
// lies what it is compared with, and what is no profile is called what it is.
func TestOpen(t *testing.T) {
	const text = "main.main;main.work 3\nmain.main 2\n"
	dir := t.TempDir()
	file := filepath.Join(dir, "cpu.folded")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var nothing Options
	for _, operand := range []string{file, "-"} {
		f := nothing
		f.Base = []string{file}
		s, err := f.Open(t.Context(), []string{operand}, strings.NewReader(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Sources) != 2 || s.Sources[0].Profile.Len() != 2 || s.Sources[0].Profile.Total(0) != 5 || s.Sources[1].Role != selection.Base {
			t.Errorf("%s: %+v", operand, s.Sources)
		}
		s.Close()
	}
	w, err := recording.Create(filepath.Join(dir, "r.whet"), time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	path, err := w.Finish(time.Second, "")
	if err != nil {
		t.Fatal(err)
	}
	for operand, want := range map[string]string{path: "has no cpu profile: it has none", file + "x": "no profile", dir: "not a recording", "": "no profile"} {
		if _, err := nothing.Open(t.Context(), []string{operand}, nil, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", operand, err, want)
		}
	}
}
