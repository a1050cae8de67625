package tune

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"whet/internal/diagnose"
)

// TestBenchmarksShareSamples: four benchmarks of the same hot function, with 120
// samples wanted of each, are judged by all samples together.
func TestBenchmarksShareSamples(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures programs")
	}
	t.Parallel()
	dir := writeModule(t, map[string]string{
		"go.mod": "module example.com/shared\n\ngo 1.26\n",
		"x.go": `package shared

import "fmt"

func Name(n int) string {
	name := ""
	for i := range n {
		name += fmt.Sprint(i % 10)
	}
	return name
}
`,
		"x_test.go": `package shared

import (
	"fmt"
	"testing"
)

func BenchmarkName(b *testing.B) {
	for _, n := range []int{100, 200, 300, 400} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				Name(n)
			}
		})
	}
}
`})
	outcome, err := recordModule(t, dir, func(o *Options) { o.Budget, o.Samples = 40*time.Second, 120 })
	if err != nil {
		t.Fatal(err)
	}
	_, page := openPage(t, outcome.Path)
	var sum, most, profiled int64
	for _, p := range page.Profiles {
		if p.Kind == "cpu" {
			n := p.Samples[0]
			sum, most, profiled = sum+n, max(most, n), profiled+1
		}
	}
	if most >= diagnose.MinCPUSamples || sum < diagnose.MinCPUSamples {
		t.Fatalf("%d profiles with %d samples, %d at most", profiled, sum, most)
	}
	if text := page.Verdict.Text; !strings.Contains(text, fmt.Sprintf(", over %d benchmarks together, which have ", profiled)) || page.Verdict.Outcome != "findings" {
		t.Errorf("verdict %+v", page.Verdict)
	}
	for _, f := range page.Findings {
		if f.CPURatio > 0 && (f.FewSamples() || f.CPUSamples < diagnose.MinCPUSamples || int64(len(f.Benchmarks)) != profiled) {
			t.Errorf("%s: %d samples of %q", f.Rule, f.CPUSamples, f.Benchmarks)
		}
	}
	if s := page.Selection; s == nil || int64(len(s.Measured)) != profiled || len(s.Measured)+len(s.LeftOut) != 4 || (s.Reason != "") != (len(s.LeftOut) > 0) {
		t.Errorf("selection %+v", s)
	}
	if text := strings.Join(page.Warnings, "\n"); strings.Contains(text, "too few samples") {
		t.Errorf("warnings %q", page.Warnings)
	}
}
