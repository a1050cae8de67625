package tune

import (
	"strings"
	"testing"
	"time"

	"whet/internal/gobench"
	pagereport "whet/internal/report/page"
	"whet/internal/report/run"
)

// Of a pattern the package with the costliest benchmark is measured. The others are
// named with theirs, and so is one that cannot be built.
func TestPattern(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures programs")
	}
	t.Parallel()
	const bench = "_test\n\nimport (\n\t\"testing\"\n\t\"time\"\n)\n\nvar sink int\n\n"
	spin := func(name, ms string) string {
		return "func " + name + "(b *testing.B) {\n\tfor range b.N {\n\t\tfor end := time.Now().Add(" + ms + " * time.Millisecond); time.Now().Before(end); sink++ {\n\t\t}\n\t}\n}\n"
	}
	dir := writeModule(t, map[string]string{
		"go.mod":              "module example.com/several\n\ngo 1.26\n",
		"cheap/x_test.go":     "package cheap" + bench + spin("BenchmarkCheap", "1"),
		"in/costly/x_test.go": "package costly" + bench + spin("BenchmarkCostly", "200"),
		"broken/x_test.go":    "package broken" + bench + spin("BenchmarkBroken", "none"),
		"plain/x.go":          "package plain\n",
	})
	outcome, err := recordModule(t, dir, func(o *Options) { o.Operand, o.Budget, o.Samples = "./...", 20*time.Second, 20 })
	if err != nil {
		t.Fatal(err)
	}
	rec, page := openPage(t, outcome.Path)
	if got := rec.Build.Package; got != "example.com/several/in/costly" {
		t.Errorf("measured %s", got)
	}
	if rec.Plan.BudgetNs != int64(20*time.Second) || rec.Subject() != rec.Build.Package {
		t.Errorf("a budget of %d, of %s", rec.Plan.BudgetNs, rec.Subject())
	}
	var text strings.Builder
	if err := run.WriteText(&text, page, pagereport.TextOptions{Width: 100}); err != nil || strings.Contains(text.String(), "./...") || !strings.HasPrefix(text.String(), rec.Build.Package+"\n") {
		t.Errorf("%v:\n%s", err, text.String())
	}
	warnings := strings.Join(page.Warnings, "\n")
	for _, want := range []string{"only the costliest of 3 packages was measured, not ./cheap (", "example.com/several/broken: name a package to tune it", "example.com/several/broken was not ranked: "} {
		if !strings.Contains(warnings, want) {
			t.Errorf("no %q in the warnings: %s", want, warnings)
		}
	}
	if len(outcome.Failures) != 0 {
		t.Errorf("failures of the measured package: %q", outcome.Failures)
	}
	if _, err := recordModule(t, dir, func(o *Options) { o.Operand = "./plain/..." }); !gobench.KindNoBenchmarks.Of(err) {
		t.Errorf("a pattern without benchmarks: %v", err)
	}
	// One that -bench chooses counts alone.
	outcome, err = recordModule(t, dir, func(o *Options) {
		o.Operand, o.Bench, o.Budget, o.Samples = "./...", "Cheap", 5*time.Second, 20
	})
	if err != nil {
		t.Fatal(err)
	}
	rec, page = openPage(t, outcome.Path)
	if rec.Build.Package != "example.com/several/cheap" {
		t.Errorf("-bench Cheap measured %s", rec.Build.Package)
	}
	// What ranking took of the budget is no other budget.
	if page.Selection == nil || strings.Contains(strings.Join(page.Warnings, "\n"), "budget of 4") {
		t.Errorf("warnings %q", page.Warnings)
	}
}
