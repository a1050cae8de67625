package docs

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"whet/internal/diagnose"
	"whet/internal/diagnose/rules"
)

// TestRulesPage: the page of the rules is what the rules say of themselves.
func TestRulesPage(t *testing.T) {
	want := rulesPage(rules.All())
	if *update {
		if err := os.WriteFile("rules.md", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("rules.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("rules.md is not what the rules say of themselves: go test ./docs -run TestRulesPage -update")
	}
}

func rulesPage(all []diagnose.Rule) string {
	var b strings.Builder
	b.WriteString("# The rules\n\n<!-- Written by go test ./docs -update from the rules themselves. -->\n\n")
	fmt.Fprintf(&b, "A rule names one cause, with its evidence. What it claims becomes a finding when the place holds at least %g %% of the\n"+
		"base's CPU time, of its allocated bytes, or of lock delay: the same threshold for every rule and every program.\n", 100*diagnose.Threshold)
	for _, r := range all {
		fmt.Fprintf(&b, "\n## %s: %s\n", r.ID, r.Title)
		for _, part := range []struct{ name, text string }{
			{"What it says", r.Doc.What}, {"Why it costs", r.Doc.Why}, {"What to change", r.Doc.Fix}, {"When it is silent", r.Doc.Silent},
		} {
			fmt.Fprintf(&b, "\n**%s.** %s\n", part.name, strings.TrimSpace(part.text))
		}
		var evidence []string
		for _, k := range r.Evidence {
			evidence = append(evidence, string(k))
		}
		fmt.Fprintf(&b, "\n**Evidence.** %s; about CPU time from %d samples of the base.\n", strings.Join(evidence, ", "), r.MinSamples)
		fmt.Fprintf(&b, "\n```go\n// before\n%s\n\n// after\n%s\n```\n", strings.Trim(r.Doc.Before, "\n"), strings.Trim(r.Doc.After, "\n"))
	}
	return b.String()
}
