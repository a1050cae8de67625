package drive

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"whet/internal/load/message"
)

// TestBodyFiles: bodies are found beside the targets, and nowhere else.
func TestBodyFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the whole program")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"secret": "s", "in/targets.txt": "", "in/a.json": "a", "in/sub/b.json": "b", "in/large": strings.Repeat("x", message.MaxBody+1)} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../secret", filepath.Join(dir, "in", "link")); err != nil {
		t.Logf("no symbolic links here: %v", err)
	}
	read := bodyFiles(filepath.Join(dir, "in", "targets.txt"))
	for name, want := range map[string]string{"a.json": "a", "sub/b.json": "b", "sub/../a.json": "a", "./a.json": "a", filepath.Join(dir, "in", "a.json"): "a"} {
		if got, err := read(name); err != nil || string(got) != want {
			t.Errorf("@%s: %q, %v", name, got, err)
		}
	}
	for name, want := range map[string]string{
		"../secret": "is outside ", filepath.Join(dir, "secret"): "is outside ", "sub/../../secret": "is outside ",
		"link": "path escapes from parent", "missing": "no such file or directory", "sub": "not a regular file", "large": "larger than 64 MiB", "": "",
	} {
		if got, err := read(name); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "statat") {
			t.Errorf("@%s: %.20q, %v, want %q", name, got, err, want)
		}
	}
	t.Chdir(filepath.Join(dir, "in"))
	if got, err := bodyFiles("-")("sub/b.json"); err != nil || string(got) != "b" {
		t.Errorf("of standard input: %q, %v", got, err)
	}
}
