package tune

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a benchmark leaves behind is named with its size; what was there, and the
// recording itself, is not.
func TestLitter(t *testing.T) {
	dir := writeModule(t, map[string]string{"x.go": "package x\n", "testdata/in": "1234"})
	before := filesIn(dir)
	if text := litter(before, filesIn(dir)); text != "" {
		t.Errorf("nothing appeared: %q", text)
	}
	for name, size := range map[string]int{"testdata/in": 5, "data/0.log": 2048, "out": 1024, "run.whet/recording.json": 10, ".git/index": 10} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, make([]byte, size), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want := "2 files of 3 KiB appeared in the package's directory during its tests and benchmarks: data/0.log (2 KiB), out (1 KiB);"
	if text := litter(before, filesIn(dir)); !strings.HasPrefix(text, want) {
		t.Errorf("%q, want %q", text, want)
	}
	if text := litter(nil, filesIn(dir)); text != "" {
		t.Errorf("nobody knows what was there: %q", text)
	}
}
