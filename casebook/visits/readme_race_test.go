//go:build race

package visits_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestReadme runs the go commands that the casebook's README shows. They are
// built without the race detector, and so without this test; with them run the
// counts of allocations, and the benchmarks' own checks.
func TestReadme(t *testing.T) {
	page, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for line := range strings.Lines(string(page)) {
		args := strings.Fields(line)
		if len(args) == 0 || args[0] != "go" {
			continue
		}
		cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
		cmd.Dir = "../.."
		cmd.Env = append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" -benchtime=10x")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s%v\n%s", line, err, out)
		}
		if strings.Contains(line, "-bench") && strings.Count(string(out), "\nBenchmark") != 10 {
			t.Errorf("%swant 10 benchmarks:\n%s", line, out)
		}
		ran++
	}
	if ran != 2 {
		t.Errorf("%d go commands were run, want 2", ran)
	}
}
