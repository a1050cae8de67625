package docs

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"whet/internal/diagnose"
	"whet/internal/diagnose/knowledge"
	"whet/internal/diagnose/rules"
	"whet/internal/quantity"
)

// TestRulesPage: the page of the rules is what the rules say of themselves.
func TestRulesPage(t *testing.T) {
	want := rulesPage(rules.All(), spokeRightly(t))
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

// spoke counts the findings of the corpus that were judged right, by row and by rule.
type spoke struct{ Rows, Rules map[string]int }

func spokeRightly(t *testing.T) (s spoke) {
	t.Helper()
	data, err := os.ReadFile("../bench/results/spoke.json")
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil {
		t.Fatal(err)
	}
	for row := range s.Rows {
		if !slices.ContainsFunc(rules.Rows(), func(r knowledge.Row) bool { return r.ID == row }) {
			t.Errorf("a finding of the corpus rests on the row %s, which there is no more", row)
		}
	}
	return s
}

// times is a count, "–" for none.
func times(n int) string {
	if n == 0 {
		return "–"
	}
	return fmt.Sprint(n)
}

// rowsOf are the rows of a rule that speaks by rows of knowledge.
func rowsOf(cause string, right map[string]int) string {
	var b strings.Builder
	for _, row := range rules.Rows() {
		if row.Cause != cause {
			continue
		}
		if b.Len() == 0 {
			b.WriteString("\nIts rows, with the measured gain of their examples (`make knowledge`):\n\n| row | call | when | instead | gain | right |\n|---|---|---|---|---:|---:|\n")
		}
		when := row.When.String()
		if row.Go != "" {
			when += "; from " + row.Go
		}
		gain := "–"
		if g := knowledge.GainOf(row.ID); g != nil {
			gain = fmt.Sprintf("%.1fx (%.1f to %.1f), %d to %d allocations", g.Ratio, g.Low, g.High, g.Before, g.After)
		}
		cells := []string{"<a id=\"" + row.ID + "\"></a>" + row.ID, cmp.Or(strings.Join(row.Callees, ", "), "any statement"), cmp.Or(strings.TrimPrefix(when, "; "), "always"), row.Instead, gain, times(right[row.ID])}
		for _, c := range cells {
			b.WriteString("| " + strings.NewReplacer("|", `\|`, "](", `]\(`).Replace(c) + " ")
		}
		b.WriteString("|\n")
	}
	return b.String()
}

func rulesPage(all []diagnose.Rule, right spoke) string {
	var b strings.Builder
	b.WriteString("# The rules\n\n<!-- Written by go test ./docs -update from the rules themselves. -->\n\n")
	fmt.Fprintf(&b, "A rule detects one cause of cost, and gives its evidence. Its claim becomes a finding if the place has at least %g %% of the\n"+
		"base's CPU time, of its allocated bytes, or of lock delay. The threshold is the same for every rule and every program.\n", 100*diagnose.Threshold)
	fmt.Fprintf(&b, "\nThe findings of each rule were judged by hand on [a corpus](../bench/README.md#diagnosis-does-whet-name-the-place-that-a-speed-up-changed) of speed-ups that authors of public modules made\n"+
		"and measured, and of packages known for their care. This page gives the number of findings judged right, for each rule and, in the column\n"+
		"*right*, for each row: %d rows have been right. A – means that the row reported nothing in the corpus, or nothing right: it rests only on\n"+
		"the benchmark of its example and on its fixtures.\n", len(right.Rows))
	for _, r := range all {
		fmt.Fprintf(&b, "\n## %s: %s\n", r.ID, r.Title)
		for _, part := range []struct{ name, text string }{
			{"What it reports", r.Doc.What}, {"Why it costs", r.Doc.Why}, {"What to change", r.Doc.Fix}, {"When it is silent", r.Doc.Silent},
		} {
			fmt.Fprintf(&b, "\n**%s.** %s\n", part.name, strings.TrimSpace(part.text))
		}
		var evidence []string
		for _, k := range r.Evidence {
			evidence = append(evidence, string(k))
		}
		fmt.Fprintf(&b, "\n**Evidence.** %s", strings.Join(evidence, ", "))
		if r.MinSamples > 0 {
			fmt.Fprintf(&b, "; for CPU time at least %d samples of the base", r.MinSamples)
		}
		b.WriteString(".\n")
		fmt.Fprintf(&b, "\n```go\n// before\n%s\n\n// after\n%s\n```\n", strings.Trim(r.Doc.Before, "\n"), strings.Trim(r.Doc.After, "\n"))
		if n := right.Rules[r.ID]; n > 0 {
			fmt.Fprintf(&b, "\n**In the corpus.** %s judged right.\n", quantity.Plural(n, "finding"))
		}
		b.WriteString(rowsOf(r.ID, right.Rows))
	}
	fmt.Fprintf(&b, "\n## Advice that no longer holds\n\nFormer rows of these tables, dropped after a measurement:\n\n")
	for _, d := range knowledge.NoLonger() {
		fmt.Fprintf(&b, "- %s Measured: %s.\n", d.Advice, d.Measured)
	}
	return b.String()
}
