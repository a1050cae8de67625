package diagnose

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"whet/internal/lazyregexp"
)

// Registry is a list of rules that passed validation.
type Registry struct{ rules []Rule }

var ruleID = lazyregexp.Pattern{Text: `^[a-z][a-z0-9]*(-[a-z0-9]+)*$`}

// NewRegistry checks rules and keeps them in order. The error names every
// defect of every rule.
func NewRegistry(rules ...Rule) (*Registry, error) {
	var errs []error
	seen := make(map[string]bool, len(rules))
	for i, r := range rules {
		fail := func(format string, args ...any) {
			name := r.ID
			if name == "" {
				name = fmt.Sprintf("number %d", i+1)
			}
			errs = append(errs, fmt.Errorf("rule %s: %s", name, fmt.Sprintf(format, args...)))
		}
		switch {
		case r.ID == "":
			fail("has no id")
		case !ruleID.Regexp().MatchString(r.ID):
			fail("the id is not in kebab-case")
		case seen[r.ID]:
			fail("another rule has the same id")
		}
		seen[r.ID] = true
		if strings.TrimSpace(r.Title) == "" {
			fail("has no title")
		}
		for _, part := range []struct{ name, text string }{
			{"What", r.Doc.What}, {"Why", r.Doc.Why}, {"Silent", r.Doc.Silent},
			{"Fix", r.Doc.Fix}, {"Before", r.Doc.Before}, {"After", r.Doc.After},
		} {
			if strings.TrimSpace(part.text) == "" {
				fail("its documentation lacks %s", part.name)
			}
		}
		if !slices.ContainsFunc(r.Evidence, EvidenceKind.isProfile) {
			fail("names no profile as evidence")
		}
		for _, k := range r.Evidence {
			if !k.known() {
				fail("evidence %q is not known", k)
			}
		}
		for _, k := range r.Essential {
			if !k.isProfile() || !slices.Contains(r.Evidence, k) {
				fail("essential evidence %q is no profile that it reads", k)
			}
		}
		if r.MinSamples < 0 {
			fail("its minimum of samples is negative (%d)", r.MinSamples)
		}
		if slices.Contains(r.Covers, r.ID) {
			fail("covers itself")
		}
		if r.Find == nil && r.At == nil {
			fail("has no function")
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return &Registry{rules: slices.Clone(rules)}, nil
}

// Rules returns the rules in their order.
func (r *Registry) Rules() []Rule { return slices.Clone(r.rules) }

// Rule returns the rule with an id.
func (r *Registry) Rule(id string) (Rule, bool) {
	i := slices.IndexFunc(r.rules, func(r Rule) bool { return r.ID == id })
	if i < 0 {
		return Rule{}, false
	}
	return r.rules[i], true
}
