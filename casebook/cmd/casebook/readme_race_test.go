//go:build race

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestReadmeTests runs the tests and benchmarks that the casebook's README
// shows. They are built without the race detector, and so without this test;
// with them run the counts of allocations, and the benchmarks' own checks.
func TestReadmeTests(t *testing.T) {
	page, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	ran := make(map[string]int)
	for _, m := range regexp.MustCompile(`(?m)^go (test .*\./casebook/(\w+)/\.\.\.)$`).FindAllStringSubmatch(string(page), -1) {
		args, name := strings.Fields(m[1]), m[2]
		ran[name]++
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), "go", args...)
			cmd.Dir = "../../.."
			cmd.Env = append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" -benchtime=1x")
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%s: %v\n%s", m[0], err, out)
			}
			if !slices.Contains(args, "-bench=.") {
				return
			}
			// Every benchmark of every stage gives a result, or several.
			for pkg, names := range benchmarksOf(t, name) {
				_, text, ok := strings.Cut(string(out), "\npkg: whet/casebook/"+name+"/"+pkg+"\n")
				text, _, _ = strings.Cut(text, "\nok ")
				for _, bench := range names {
					if !ok || !regexp.MustCompile(`(?m)^`+bench+`(/\S+)?(-\d+)?\s.* ns/op`).MatchString(text) {
						t.Errorf("%s: %s of %s gave no result:\n%s", m[0], bench, pkg, text)
					}
				}
			}
		})
	}
	for _, s := range studies() {
		if ran[s.name] != 2 {
			t.Errorf("%d go test commands of %s were run, want 2", ran[s.name], s.name)
		}
	}
}

// benchmarksOf are the benchmarks of a case's stages, by their packages.
func benchmarksOf(t *testing.T, name string) map[string][]string {
	t.Helper()
	found := make(map[string][]string)
	for _, stage := range stageDirectories(t, name) {
		files, err := filepath.Glob(filepath.Join("..", "..", name, stage, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range regexp.MustCompile(`(?m)^func (Benchmark\w+)\(`).FindAllStringSubmatch(string(text), -1) {
				found[stage] = append(found[stage], m[1])
			}
		}
		if len(found[stage]) == 0 {
			t.Errorf("stage %s of %s has no benchmark", stage, name)
		}
	}
	return found
}
