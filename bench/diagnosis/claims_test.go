package main

import (
	"os"
	"testing"

	"whet/internal/finding"
)

// What was judged of claims is counted by hand here: the first three of a case
// name its cause, each claim is wanted or not, and only the false ones count
// against a confidence.
func TestClaims(t *testing.T) {
	c := Case{Name: "a", Kind: kindBenchmark}
	r := Row{Claims: []Claim{
		{Rule: "x", File: "f.go", Line: 1, Confidence: finding.High},
		{Rule: "x", File: "f.go", Line: 2, Confidence: finding.High},
		{Rule: "y", File: "f.go", Line: 1, Confidence: finding.Medium},
		{Rule: "z", File: "f.go", Line: 9, Confidence: finding.Medium}, // the fourth
		{Rule: "z", File: "f.go", Line: 10, Confidence: finding.Low},
	}}
	key := func(rule string, line int) claimKey { return claimKey{"a", rule, "f.go", line} }
	judged := map[claimKey]string{key("x", 1): judgedFalse, key("x", 2): judgedMinor, key("y", 1): judgedCause, key("z", 9): judgedRemedy}
	var s causeScore
	s.add(&c, &r, judged)
	if s.Cause != 1 || s.Remedy != 0 || s.Unwanted != 2 || s.Unjudged != 1 {
		t.Errorf("%+v", s)
	}
	// 1 of 2: Clopper and Pearson's interval is from 1.26 % to 98.74 %, where
	// 1 - (1-p)^2 = 0.025 and p^2 = 0.975.
	if got, want := s.wrong(finding.High), "1 of 2 (1.3 % to 98.7 %)"; got != want {
		t.Errorf("high: %s, want %s", got, want)
	}
	if got, want := s.wrong(finding.Low), "–"; got != want {
		t.Errorf("low: %s, want %s", got, want)
	}
}

// Rows are counted that spoke rightly: by hand, of a and b two and one, of c none.
func TestSpoke(t *testing.T) {
	c := Case{Name: "a", Kind: kindBenchmark}
	r, judged := Row{}, make(map[claimKey]string)
	for i, of := range []struct{ row, what string }{{"b", judgedRemedy}, {"a", judgedTrue}, {"a", judgedCause}, {"c", judgedFalse}, {"a", judgedMinor}, {"c", ""}, {"", judgedRemedy}} { // the last rests on no row that is known
		r.Claims = append(r.Claims, Claim{Rule: "x", Row: of.row, File: "f.go", Line: i, Confidence: finding.High})
		judged[claimKey{"a", "x", "f.go", i}] = of.what
	}
	var s causeScore
	s.add(&c, &r, judged)
	if got, want := spokeOf(&s, &causeScore{}).String(), "2 rows of [the rules](../docs/rules.md) spoke rightly, with how often: a (2), b (1). The others spoke in no case, or wrongly.\n"; got != want {
		t.Errorf("%q", got)
	}
	if got := spokeOf(&causeScore{}).String(); got != "" {
		t.Errorf("of claims without rows: %q", got)
	}
	if got := s.Rules["x"]; got != 4 {
		t.Errorf("rule x: %d, want 4 of the 7: one is false, one not worth doing, one not judged", got)
	}
	for _, c := range []struct{ rule, row, want string }{
		{"scan-in-loop", "map-scanned", "map-scanned"}, {"map-of-constants", "", "constant-map"}, {"scan-in-loop", "", ""}, {"string-copy", "", ""},
	} {
		if got := (&Claim{Rule: c.rule, Row: c.row}).row(); got != c.want {
			t.Errorf("a claim of %s with row %q rests on %q, want %q", c.rule, c.row, got, c.want)
		}
	}
}

// A row is named where the rule and the place are the same, and kept where it is known.
func TestNameRows(t *testing.T) {
	claims := []Claim{{Rule: "x", File: "f.go", Line: 1}, {Rule: "x", File: "f.go", Line: 2}, {Rule: "y", File: "f.go", Line: 1, Row: "kept"}}
	d := document{Findings: []finding.Finding{{Rule: "x", Row: "a", File: "f.go", Line: 1}, {Rule: "x", Row: "b", File: "g.go", Line: 2}, {Rule: "y", Row: "c", File: "f.go", Line: 1}}}
	d.nameRows(claims)
	if claims[0].Row != "a" || claims[1].Row != "" || claims[2].Row != "kept" {
		t.Errorf("%+v", claims)
	}
}

// What docs/rules.md says of the corpus is what the kept rows and judgements give.
func TestSpokeIsKept(t *testing.T) {
	_, spoke, err := render("..")
	if err != nil {
		t.Fatal(err)
	}
	kept, err := os.ReadFile("../results/spoke.json")
	if err != nil {
		t.Fatal(err)
	}
	if want := spoke.text(); string(kept) != want {
		t.Errorf("bench/results/spoke.json is old: go run ./bench/diagnosis -table && go test ./docs -run TestRulesPage -update\n%s", want)
	}
}

// Each judgement is of a case and says why.
func TestJudgements(t *testing.T) {
	all, err := cases()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := judgements(all); err != nil {
		t.Error(err)
	}
	for name, j := range map[string]Judgement{
		"no case":   {Case: "nowhere", Claim: judgedTrue, Why: "w"},
		"no word":   {Case: all[0].Name, Claim: "good", Why: "w"},
		"no reason": {Case: all[0].Name, Claim: judgedTrue},
	} {
		if j.validate(all) == nil {
			t.Errorf("%s: it is taken", name)
		}
	}
}
