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

// TestReadmeTests runs the benchmarks that the casebook's README shows, all by one
// command: building them is most of it. The tests that it shows run wherever this one
// does, as packages of their own. The benchmarks are built without the race detector, and
// so without this test; with them run the benchmarks' own checks.
func TestReadmeTests(t *testing.T) {
	page, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	cases := make(map[string][]string) // by flags
	for _, m := range regexp.MustCompile(`(?m)^go test (.*)\./casebook/(\w+)/\.\.\.$`).FindAllStringSubmatch(string(page), -1) {
		cases[m[1]] = append(cases[m[1]], m[2])
	}
	var want []string
	for _, s := range studies() {
		want = append(want, s.name)
	}
	for flags, names := range cases {
		if !slices.Equal(names, want) {
			t.Errorf("the README shows go test %sof %q, want every case once: %q", flags, names, want)
		}
		if !strings.Contains(flags, "-bench=.") {
			continue
		}
		args := append([]string{"test"}, strings.Fields(flags)...)
		for _, name := range names {
			args = append(args, "./casebook/"+name+"/...")
		}
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir = "../../.."
		cmd.Env = append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" -benchtime=1x")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go %q: %v\n%s", args, err, out)
		}
		for _, name := range names {
			checkBenchmarks(t, name, string(out))
		}
	}
	if len(cases) != 2 {
		t.Errorf("the README shows %d ways to run go test, want 2", len(cases))
	}
}

// checkBenchmarks looks for a result, or several, of every benchmark of every
// stage.
func checkBenchmarks(t *testing.T, name, out string) {
	t.Helper()
	for pkg, names := range benchmarksOf(t, name) {
		_, text, ok := strings.Cut(out, "\npkg: whet/casebook/"+name+"/"+pkg+"\n")
		text, _, _ = strings.Cut(text, "\nok ")
		for _, bench := range names {
			if !ok || !regexp.MustCompile(`(?m)^`+bench+`(/\S+)?(-\d+)?\s.* ns/op`).MatchString(text) {
				t.Errorf("%s of stage %s of %s gave no result:\n%s", bench, pkg, name, text)
			}
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
