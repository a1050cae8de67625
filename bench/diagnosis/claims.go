package main

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"whet/internal/diagnose/rules"
	"whet/internal/finding"
	"whet/internal/quantity"
	"whet/internal/stat"
)

//go:embed claims.json
var claimsJSON []byte

// What a claim is judged to be.
const (
	judgedRemedy = "remedy" // the author's cause, and what the author did or something as good
	judgedCause  = "cause"  // the author's cause, with another remedy
	judgedTrue   = "true"   // another fault, which is worth mending
	judgedMinor  = "minor"  // true, and not worth doing
	judgedFalse  = "false"  // the cause is not there, or the remedy does not help
)

// Judgement is what a reader found of one claim, with the version's source.
type Judgement struct {
	Case  string `json:"case"`
	Rule  string `json:"rule"` // ruleOfPlace for what a hot place says of its cause
	File  string `json:"file"`
	Line  int    `json:"line"`
	Claim string `json:"claim"` // one of the above
	Why   string `json:"why"`
}

type claimKey struct {
	name, rule, file string
	line             int
}

// judgements returns the judgements of claims.json, by the claim.
func judgements(all []Case) (map[claimKey]string, error) {
	var list []Judgement
	if err := json.Unmarshal(claimsJSON, &list); err != nil {
		return nil, fmt.Errorf("read claims.json: %w", err)
	}
	out := make(map[claimKey]string)
	for i, j := range list {
		key := claimKey{j.Case, j.Rule, j.File, j.Line}
		if err := j.validate(all); err != nil {
			return nil, fmt.Errorf("read claims.json: claim %d, %s of %s: %w", i+1, j.Rule, j.Case, err)
		}
		if out[key] != "" {
			return nil, fmt.Errorf("read claims.json: claim %d, %s of %s: it is judged twice", i+1, j.Rule, j.Case)
		}
		out[key] = j.Claim
	}
	return out, nil
}

func (j *Judgement) validate(all []Case) error {
	at := slices.IndexFunc(all, func(c Case) bool { return c.Name == j.Case })
	switch {
	case at < 0:
		return errors.New("there is no such case")
	case !slices.Contains([]string{judgedRemedy, judgedCause, judgedTrue, judgedMinor, judgedFalse}, j.Claim):
		return fmt.Errorf("claim %q is none of remedy, cause, true, minor, false", j.Claim)
	case all[at].Kind == kindTuned && (j.Claim == judgedRemedy || j.Claim == judgedCause):
		return errors.New("a well-tuned package has no author's cause")
	case j.Why == "":
		return errors.New("it does not say why")
	}
	return nil
}

// causeScore counts what was judged of claims.
type causeScore struct {
	Cause, Remedy   int // cases with the author's among their first three claims
	Unwanted        int // claims that are false or not worth doing
	Unjudged        int
	ByConfidence    map[finding.Confidence]int
	WrongConfidence map[finding.Confidence]int
	Rows            map[string]int // claims that are right, by the row that they rest on
	Rules           map[string]int // the same by the rule
}

func (s *causeScore) add(c *Case, r *Row, judged map[claimKey]string) {
	var cause, remedy bool
	for i, claim := range r.Claims {
		what := judged[claimKey{c.Name, claim.Rule, claim.File, claim.Line}]
		switch what {
		case "":
			s.Unjudged++
			continue
		case judgedFalse, judgedMinor:
			s.Unwanted++
		case judgedRemedy:
			cause, remedy = cause || i < 3, remedy || i < 3
		case judgedCause:
			cause = cause || i < 3
		}
		if s.ByConfidence == nil {
			s.ByConfidence, s.WrongConfidence = make(map[finding.Confidence]int), make(map[finding.Confidence]int)
		}
		s.ByConfidence[claim.Confidence]++
		if what != judgedFalse && what != judgedMinor {
			if s.Rows == nil {
				s.Rows, s.Rules = make(map[string]int), make(map[string]int)
			}
			s.Rules[claim.Rule]++
			if row := claim.row(); row != "" {
				s.Rows[row]++
			}
		}
		if what == judgedFalse {
			s.WrongConfidence[claim.Confidence]++
		}
	}
	if cause {
		s.Cause++
	}
	if remedy {
		s.Remedy++
	}
}

// row returns the row that a claim rests on: what it says itself, or of a rule that has one
// row alone that one, as recordings were diagnosed before claims said it; "" where
// neither is known.
func (c *Claim) row() string {
	if c.Row != "" {
		return c.Row
	}
	var of []string
	for _, r := range rules.Rows() {
		if r.Cause == c.Rule {
			of = append(of, r.ID)
		}
	}
	if len(of) != 1 {
		return ""
	}
	return of[0]
}

// Spoke counts the claims of the corpus that were judged right, by the row that they
// rest on and by the rule. results/spoke.json holds it, from where docs/rules.md has it.
type Spoke struct {
	Rows  map[string]int `json:"rows"`
	Rules map[string]int `json:"rules"`
}

func spokeOf(scores ...*causeScore) Spoke {
	sum := Spoke{make(map[string]int), make(map[string]int)}
	for _, s := range scores {
		for row, n := range s.Rows {
			sum.Rows[row] += n
		}
		for rule, n := range s.Rules {
			sum.Rules[rule] += n
		}
	}
	return sum
}

// String says which rows of docs/rules.md spoke rightly in some case, and how often; ""
// where no claim says what row it rests on.
func (s Spoke) String() string {
	if len(s.Rows) == 0 {
		return ""
	}
	var list []string
	for _, row := range slices.Sorted(maps.Keys(s.Rows)) {
		list = append(list, fmt.Sprintf("%s (%d)", row, s.Rows[row]))
	}
	return fmt.Sprintf("%d rows of [the rules](../docs/rules.md) spoke rightly, with how often: %s. The others spoke in no case, or wrongly.\n", len(s.Rows), strings.Join(list, ", "))
}

// wrong says how many claims of a confidence were wrong, with the exact interval
// of Clopper and Pearson at 95 %.
func (s *causeScore) wrong(level finding.Confidence) string {
	k, n := s.WrongConfidence[level], s.ByConfidence[level]
	if n == 0 {
		return "–"
	}
	in := stat.ClopperPearson(k, n, 0.95)
	return fmt.Sprintf("%d of %d (%s to %s)", k, n, quantity.Percent(in.Low), quantity.Percent(in.High))
}
