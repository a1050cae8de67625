package diagnose

import (
	"slices"
	"strings"
	"testing"

	"whet/internal/finding"
	"whet/internal/recording"
)

// A finding that is not sure names the measurement that would make it so.
func TestOpenNamesTheMeasurement(t *testing.T) {
	claims := func(confidence finding.Confidence, says string) Rule {
		r := ruleFor("work", "m/x.work", 1)
		find := r.Find
		r.Find = func(s *Subject) []Claim {
			cs := find(s)
			for i := range cs {
				cs[i].Confidence = confidence
				if says != "" {
					cs[i].Evidence = append(cs[i].Evidence, finding.Evidence{Kind: "source", Text: says})
				}
			}
			return cs
		}
		return r
	}
	rest := sample{stack: []string{"m/x.rest"}, n: 400}
	for _, test := range []struct {
		name, benchmark, kind string
		work                  int64
		rule                  Rule
		want                  string
	}{
		{"sure", "BenchmarkX", "", 100, claims(finding.High, ""), ""},
		{"few samples", "BenchmarkX", "", 29, claims(finding.High, ""), "a longer run would settle the share of time: it rests on 29 samples of 429: raise -budget or -benchtime"},
		{"few samples of a program", "./cmd/x", recording.TargetProgram, 29, claims(finding.Medium, ""), "rests on 29 samples of 429: run it longer, or more often with -count"},
		{"enough", "BenchmarkX", "", 30, claims(finding.High, ""), ""},
		{"by the rule", "BenchmarkX/n=10", "", 100, claims(finding.Medium, ""), "with the change in the working tree, whet prove -bench '^BenchmarkX$' would settle it"},
		{"by the rule, of a service", "http://localhost/", recording.TargetService, 100, claims(finding.Low, ""), "a run before and one after the change, compared by whet diff, would settle it"},
		{"named by the rule", "BenchmarkX", "", 100, claims(finding.Medium, "a benchmark of two lengths would show whether it is so: BenchmarkX/n=100"), ""},
	} {
		s := subject(test.benchmark, lineProfile(cpuTypes, sample{stack: []string{"m/x.work:5"}, n: test.work}, rest), nil, nil)
		s.Kind, s.Source = test.kind, everyFile("package x\n\n\n\n\nfunc work() {\n\tx()\n}\n")
		fs := Run(registryOf(t, test.rule), []*Subject{s}).Findings
		if len(fs) != 1 {
			t.Fatalf("%s: %+v", test.name, fs)
		}
		i := slices.IndexFunc(fs[0].Evidence, func(e finding.Evidence) bool { return e.Kind == "open" })
		switch {
		case (i >= 0) != (test.want != ""):
			t.Errorf("%s: confidence %s, evidence %q", test.name, fs[0].Confidence, fs[0].Evidence)
		case i >= 0 && !strings.Contains(fs[0].Evidence[i].Text, test.want):
			t.Errorf("%s: %q", test.name, fs[0].Evidence[i].Text)
		}
	}
}
