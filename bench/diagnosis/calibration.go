package main

import (
	"whet/bench/ledger"
	"whet/internal/finding"
)

// calibration says how often claims of each confidence are false, by the part of the
// corpus and over all of it.
func calibration(columns []string, parts map[string]*causeScore) ledger.Table {
	t := ledger.Table{Head: []string{"claims that are false, by confidence"}}
	all := causeScore{ByConfidence: make(map[finding.Confidence]int), WrongConfidence: make(map[finding.Confidence]int)}
	for _, h := range columns {
		t.Head = append(t.Head, titles[h])
		for level, n := range parts[h].ByConfidence {
			all.ByConfidence[level] += n
			all.WrongConfidence[level] += parts[h].WrongConfidence[level]
		}
	}
	t.Head = append(t.Head, "all", "asked for")
	for _, l := range []struct {
		level finding.Confidence
		asked string
	}{{finding.High, "at most 1 of 60"}, {finding.Medium, "at most 15 %"}, {finding.Low, "–"}} {
		cells := []string{string(l.level)}
		for _, h := range columns {
			cells = append(cells, parts[h].wrong(l.level))
		}
		t.Rows = append(t.Rows, append(cells, all.wrong(l.level), l.asked))
	}
	return t
}

// ruleOfPlace is what a judgement has for a rule that is of a hot place's sentence, not
// of a finding.
const ruleOfPlace = "hot-place"

// sentenceScore counts what was judged of the sentences of the first three hot places
// that say why they cost what they do.
type sentenceScore struct {
	Said     int // sentences
	Right    int // cases with the author's cause in one of them
	Either   int // cases with the author's cause in one of them or among the first three claims
	Wrong    int // sentences that are false or say nothing worth reading
	Unjudged int
}

func (s *sentenceScore) add(c *Case, r *Row, judged map[claimKey]string) {
	right := false
	for _, p := range r.Places[:min(len(r.Places), 3)] {
		if p.Cause == nil || *p.Cause == "" {
			continue
		}
		s.Said++
		switch judged[claimKey{c.Name, ruleOfPlace, p.File, p.Line}] {
		case "":
			s.Unjudged++
		case judgedFalse, judgedMinor:
			s.Wrong++
		case judgedRemedy, judgedCause:
			right = true
		}
	}
	if right {
		s.Right++
	}
	var claims causeScore
	claims.add(c, r, judged)
	if right || claims.Cause > 0 {
		s.Either++
	}
}

// sentences returns the table of them.
func sentences(columns []string, parts map[string]*sentenceScore, scores map[string]*score) ledger.Table {
	t := ledger.Table{Head: []string{"what hot places say of their cause"}}
	for _, h := range columns {
		t.Head = append(t.Head, titles[h])
	}
	for _, row := range []struct {
		label string
		cell  func(s *sentenceScore, of *score) string
	}{
		{"right cause in one of three hot places", func(s *sentenceScore, of *score) string { return share(s.Right, of.Cases) }},
		{"right cause there or among three claims", func(s *sentenceScore, of *score) string { return share(s.Either, of.Cases) }},
		{"sentences that are false or say nothing", func(s *sentenceScore, _ *score) string { return share(s.Wrong, s.Said-s.Unjudged) }},
		{"sentences nobody judged", func(s *sentenceScore, _ *score) string { return share(s.Unjudged, s.Said) }},
	} {
		cells := []string{row.label}
		for _, h := range columns {
			cells = append(cells, row.cell(parts[h], scores[h]))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}
