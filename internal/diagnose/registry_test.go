package diagnose

import (
	"strings"
	"testing"
)

func TestRegistryRefuses(t *testing.T) {
	good := func() Rule { return ruleFor("good-rule", "m/x.f", 1) }
	if _, err := NewRegistry(good()); err != nil {
		t.Fatal(err)
	}
	other := ruleFor("other", "m/x.f", 0)
	if _, err := NewRegistry(good(), other); err != nil {
		t.Fatal(err)
	}
	if _, err := NewRegistry(good(), good()); err == nil || !strings.Contains(err.Error(), "another rule has the same id") {
		t.Errorf("duplicate: %v", err)
	}
	for name, test := range map[string]struct {
		change func(*Rule)
		want   string
	}{
		"no id":            {func(r *Rule) { r.ID = "" }, "rule number 1: has no id"},
		"upper case":       {func(r *Rule) { r.ID = "GoodRule" }, "kebab-case"},
		"underscore":       {func(r *Rule) { r.ID = "good_rule" }, "kebab-case"},
		"trailing dash":    {func(r *Rule) { r.ID = "good-" }, "kebab-case"},
		"no title":         {func(r *Rule) { r.Title = " " }, "has no title"},
		"what":             {func(r *Rule) { r.Doc.What = "" }, "lacks What"},
		"why":              {func(r *Rule) { r.Doc.Why = "\n" }, "lacks Why"},
		"silent":           {func(r *Rule) { r.Doc.Silent = "" }, "lacks Silent"},
		"fix":              {func(r *Rule) { r.Doc.Fix = "" }, "lacks Fix"},
		"before":           {func(r *Rule) { r.Doc.Before = "" }, "lacks Before"},
		"after":            {func(r *Rule) { r.Doc.After = "" }, "lacks After"},
		"no evidence":      {func(r *Rule) { r.Evidence = nil }, "names no profile"},
		"no profile":       {func(r *Rule) { r.Evidence = []EvidenceKind{EvidenceSource, EvidenceCalls} }, "names no profile"},
		"unknown evidence": {func(r *Rule) { r.Evidence = append(r.Evidence, "tea leaves") }, `"tea leaves" is not known`},
		"negative":         {func(r *Rule) { r.MinSamples = -1 }, "negative (-1)"},
		"covers itself":    {func(r *Rule) { r.Covers = []string{"good-rule"} }, "covers itself"},
		"no function":      {func(r *Rule) { r.Find = nil }, "has no function"},
	} {
		r := good()
		test.change(&r)
		if _, err := NewRegistry(r); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
	// All defects are named at once.
	r := good()
	r.Title, r.MinSamples = "", -3
	_, err := NewRegistry(r)
	if err == nil || !strings.Contains(err.Error(), "title") || !strings.Contains(err.Error(), "-3") {
		t.Errorf("two defects: %v", err)
	}
}
