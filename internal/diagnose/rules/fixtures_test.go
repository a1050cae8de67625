package rules_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"whet/internal/diagnose"
	"whet/internal/diagnose/rules"
	"whet/internal/finding"
)

// directories of each rule's fixtures.
var directories = map[string]string{
	"logging":     "logging",
	"fmt-format":  "fmtformat",
	"string-copy": "stringcopy",
}

// fixtureSamples replaces the rules' minimum: a fixture runs for a fraction of
// a second.
const fixtureSamples = 20

func place(file string, line int, detail string) string {
	s := fmt.Sprintf("%s:%d", file, line)
	if detail != "" {
		s += " " + detail
	}
	return s
}

// registry is every rule with a minimum that fixtures reach.
func registry(t *testing.T) *diagnose.Registry {
	t.Helper()
	all := rules.All()
	for i := range all {
		all[i].MinSamples = fixtureSamples
	}
	reg, err := diagnose.NewRegistry(all...)
	if err != nil {
		t.Fatal(err)
	}
	return reg
}

func TestAllRulesAreValid(t *testing.T) {
	reg, err := diagnose.NewRegistry(rules.All()...)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range reg.Rules() {
		if directories[r.ID] == "" {
			t.Errorf("rule %s has no fixtures", r.ID)
		}
		for _, id := range r.Covers {
			if _, ok := reg.Rule(id); !ok {
				t.Errorf("rule %s covers %s, which does not exist", r.ID, id)
			}
		}
	}
}

// TestFixtures measures the fixtures of each rule. A fixture names the lines
// that the rule must speak about; it must be silent about all others.
func TestFixtures(t *testing.T) {
	needsTime(t)
	gate := make(chan struct{}, 2)
	for id, dir := range directories {
		fixtures, err := filepath.Glob(filepath.Join(dir, "fixtures", "*", "*_test.go"))
		if err != nil || len(fixtures) == 0 {
			t.Fatalf("rule %s: no fixtures (%v)", id, err)
		}
		speak, silent := 0, 0
		for _, f := range fixtures {
			f := filepath.Dir(f)
			want := wanted(t, f, id)
			if len(want) > 0 {
				speak++
			} else {
				silent++
			}
			t.Run(filepath.ToSlash(f), func(t *testing.T) {
				t.Parallel()
				gate <- struct{}{}
				defer func() { <-gate }()
				check(t, f, id, want)
			})
		}
		if silent < speak {
			t.Errorf("rule %s: %d fixtures must speak, only %d must stay silent", id, speak, silent)
		}
	}
}

func check(t *testing.T, dir, id string, want map[string]bool) {
	p := measure(t, dir, lengths{cpu: "300ms", samples: 50, allocs: "300x"})
	for _, s := range p.subjects {
		if n := s.BaseCPUSamples(); n < fixtureSamples {
			t.Errorf("%s: %d base samples, too few to say anything", s.Benchmark, n)
		}
	}
	res := diagnose.Run(registry(t), p.subjects)
	got := make(map[string]bool)
	for _, f := range res.Findings {
		t.Logf("%s", describe(f))
		if f.Rule != id {
			continue
		}
		plain := place(filepath.Base(f.File), f.Line, "")
		for key := range want {
			if line, detail, ok := strings.Cut(key, " "); ok && line == plain {
				if strings.Contains(f.Why+f.Remedy, detail) {
					plain = key
				}
			}
		}
		got[plain] = true
	}
	for _, f := range res.Below {
		t.Logf("below: %s", describe(f))
	}
	t.Logf("%s: %s", res.Verdict.Kind, res.Verdict.Text)
	for _, w := range res.Warnings {
		t.Logf("warning: %s", w)
	}
	if !maps.Equal(got, want) {
		t.Errorf("rule %s speaks about %q, want %q", id, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
}

func describe(f finding.Finding) string {
	s := fmt.Sprintf("%s %s:%d %s cpu %.3f bytes %.3f ceiling %.2f %s %v\n  why: %s\n  remedy: %s", f.Rule, f.File, f.Line, f.Function, f.CPURatio, f.AllocBytesRatio, f.CeilingRatio, f.Confidence, f.Benchmarks, f.Why, f.Remedy)
	for _, e := range f.Evidence {
		s += "\n  " + e.Kind + ": " + e.Text
	}
	return s
}
