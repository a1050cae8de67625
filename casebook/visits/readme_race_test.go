//go:build race

package visits_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestReadme runs the tests that the casebook's README shows; the service is
// for the tests of casebook/cmd. They are built without the race detector, and
// so without this test; with them run the counts of allocations, and the
// benchmarks' own checks.
func TestReadme(t *testing.T) {
	page, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for line := range strings.Lines(string(page)) {
		args := strings.Fields(line)
		if len(args) < 2 || args[0] != "go" || args[1] != "test" {
			continue
		}
		cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
		cmd.Dir = "../.."
		cmd.Env = append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" -benchtime=10x")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s%v\n%s", line, err, out)
		}
		// Two of each stage, and two of a stage that does nothing.
		want := 2*len(stages) + 2
		if got := strings.Count(string(out), "\nBenchmark"); strings.Contains(line, "-bench") && got != want {
			t.Errorf("%s%d benchmarks, want %d:\n%s", line, got, want, out)
		}
		ran++
	}
	if ran != 2 {
		t.Errorf("%d go test commands were run, want 2", ran)
	}
}
