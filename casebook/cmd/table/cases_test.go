package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What is measured is there: the stages, and benchmarks of these names.
func TestCasesAreThere(t *testing.T) {
	var names []string
	for _, s := range studies() {
		names = append(names, s.name)
		text := make(map[string]string)
		for _, stage := range s.stages {
			files, err := filepath.Glob(filepath.Join("..", "..", s.name, stage, "*_test.go"))
			if err != nil || len(files) == 0 {
				t.Errorf("stage %s of %s has no tests, %v", stage, s.name, err)
			}
			for _, f := range files {
				one, err := os.ReadFile(f)
				if err != nil {
					t.Fatal(err)
				}
				text[stage] += string(one)
			}
		}
		for _, m := range s.measures {
			top, _, _ := strings.Cut(m.bench, "/")
			if (m.kind == benchmarks) != (m.bench != "") {
				t.Errorf("%s of %s: benchmark %q and kind %d", m.text, s.name, m.bench, m.kind)
			}
			if m.kind == uploads {
				for _, named := range []string{m.of, m.against} {
					stage, size, _ := strings.Cut(named, ", ")
					if !slices.Contains(s.stages[:], stage) || bodySizes[size] == 0 {
						t.Errorf("%s of %s: %q is no stage with a size of bodies", m.text, s.name, named)
					}
				}
			}
			for _, stage := range s.stages {
				if m.bench != "" && !strings.Contains(text[stage], "\nfunc "+top+"(") {
					t.Errorf("stage %s of %s has no %s", stage, s.name, top)
				}
			}
		}
		for _, m := range s.measures {
			if s.needs[m.kind] <= 0 {
				t.Errorf("%s of %s needs nothing of the budget", m.text, s.name)
			}
		}
		if s.measures[0].bar == 0 {
			t.Errorf("%s has no bar", s.name)
		}
	}
	if want := []string{"visits", "havlak", "stats", "avatar", "gateway", "ingest"}; !slices.Equal(names, want) {
		t.Errorf("cases %q, want %q", names, want)
	}
}

// Slices are run once for all that they show; the last published stage is
// compared by the headline, and by what else was published of the same runs.
func TestGroups(t *testing.T) {
	s := &study{name: "x", stages: [3]string{"a", "b", "c"}, measures: []measure{
		{text: "head", bench: "BenchmarkH", unit: nsPerOp},
		{text: "other", bench: "BenchmarkO", unit: nsPerOp},
		{text: "bytes", bench: "BenchmarkH", unit: bytesPerOp, published: 2},
		{text: "other bytes", bench: "BenchmarkO", unit: bytesPerOp, published: 2},
		{text: "peak", kind: uploads, unit: peakBytes, of: "c, 1", against: "c, 2"},
		{text: "other peak", kind: uploads, unit: peakBytes, of: "c, 2", against: "a, 2"},
	}}
	var got []string
	for _, g := range groups(s) {
		for _, c := range g.comparisons {
			line := c.old + " " + c.new + ":"
			for _, m := range c.measures {
				line += " " + m.text
			}
			got = append(got, line)
		}
		got = append(got, "")
	}
	want := []string{"a b: head bytes", "a c: head bytes", "a c: other other bytes", "", "c, 2 c, 1: peak", "a, 2 c, 2: other peak", ""}
	if !slices.Equal(got, want) {
		t.Errorf("groups are\n%q, want\n%q", got, want)
	}
}
