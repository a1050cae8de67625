package main

import (
	"slices"
	"testing"

	"whet/internal/finding"
)

// All parts together count as the sum of them: 1 of 2 and 0 of 1 are 1 of 3.
func TestCalibration(t *testing.T) {
	parts := make(map[string]*causeScore)
	for _, h := range halves {
		parts[h] = new(causeScore)
	}
	parts[halfOpen] = &causeScore{ByConfidence: map[finding.Confidence]int{finding.High: 2}, WrongConfidence: map[finding.Confidence]int{finding.High: 1}}
	parts[halfThird] = &causeScore{ByConfidence: map[finding.Confidence]int{finding.High: 1}}
	// Of 1 of 3, Clopper and Pearson's limits are 0.84 %, where 1-(1-p)^3 = 0.025, and
	// 90.57 %, where (1-p)^3+3p(1-p)^2 = 0.025; of 0 of 1, the upper is 97.5 %.
	want := []string{"high", "1 of 2 (1.3 % to 98.7 %)", "–", "0 of 1 (0 % to 97.5 %)", "1 of 3 (0.8 % to 90.6 %)", "at most 1 of 60"}
	if got := calibration([]string{halfOpen, halfAside, halfThird}, parts).Rows[0]; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Only the first three places count, and a sentence beside a claim counts once.
func TestSentences(t *testing.T) {
	text, none := "each call makes a map", ""
	c := Case{Name: "a", Kind: kindBenchmark}
	r := Row{Places: []HotPlace{{File: "f.go", Line: 1, Cause: &text}, {File: "f.go", Line: 2}, {File: "f.go", Line: 3, Cause: &none}, {File: "f.go", Line: 4, Cause: &text}},
		Claims: []Claim{{Rule: "x", File: "f.go", Line: 4, Confidence: finding.Low}}}
	key := func(rule string, line int) claimKey { return claimKey{"a", rule, "f.go", line} }
	for _, x := range []struct {
		judged map[claimKey]string
		want   sentenceScore
	}{
		{nil, sentenceScore{Said: 1, Unjudged: 1}},
		{map[claimKey]string{key(ruleOfPlace, 4): judgedCause}, sentenceScore{Said: 1, Unjudged: 1}},
		{map[claimKey]string{key(ruleOfPlace, 1): judgedMinor, key("x", 4): judgedCause}, sentenceScore{Said: 1, Wrong: 1, Either: 1}},
		{map[claimKey]string{key(ruleOfPlace, 1): judgedCause, key("x", 4): judgedCause}, sentenceScore{Said: 1, Right: 1, Either: 1}},
		{map[claimKey]string{key(ruleOfPlace, 1): judgedTrue}, sentenceScore{Said: 1}},
	} {
		var s sentenceScore
		if s.add(&c, &r, x.judged); s != x.want {
			t.Errorf("%v: %+v, want %+v", x.judged, s, x.want)
		}
	}
}
