package docs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"whet/internal/agentcopy"
)

var program = regexp.MustCompile("(?s)```go\n(package main\n.*?)```")

// TestPrograms: the programs that pages show compile in a module of their own,
// into which whet agent wrote the agent.
func TestPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the commands of the documentation")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/m\n\ngo 1.26.0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := agentcopy.Write(dir, "internal/agent"); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, path := range pagePaths(t) {
		page, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range program.FindAllSubmatch(page, -1) {
			n++
			name := filepath.Join(dir, fmt.Sprintf("%s%d", filepath.Base(path), n), "main.go")
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, m[1], 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n < 3 {
		t.Errorf("the pages show %d programs", n)
	}
	cmd := exec.CommandContext(t.Context(), "go", "vet", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("go vet: %v\n%s", err, out)
	}
}
