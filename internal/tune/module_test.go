package tune

import (
	"slices"
	"strings"
	"testing"
	"time"

	"whet/internal/recording"
	"whet/internal/report/run"
)

// A benchmark of the standard library that stands in the package, costlier than
// the package's own: the page's first tables and its source are of the module's
// code, as the verdict is.
func TestPageIsOfTheModule(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures programs")
	}
	t.Parallel()
	dir := writeModule(t, map[string]string{
		"go.mod": "module example.com/beside\n\ngo 1.26\n",
		"x.go": `package beside

func Sum(data []byte) (h uint64) {
	for range 20 {
		for _, c := range data {
			h = (h ^ uint64(c)) * 1099511628211
		}
	}
	return h
}
`,
		"x_test.go": `package beside

import (
	"crypto/sha256"
	"testing"
)

var data = make([]byte, 1<<10)
var large = make([]byte, 16<<20)
var sink uint64

func BenchmarkOurs(b *testing.B) {
	for b.Loop() {
		sink += Sum(data)
	}
}

func BenchmarkStdlib(b *testing.B) {
	for b.Loop() {
		x := sha256.Sum256(large)
		sink += uint64(x[0])
	}
}
`,
	})
	outcome, err := recordModule(t, dir, func(o *Options) { o.Budget, o.Samples = 20*time.Second, 20 })
	if err != nil {
		t.Fatal(err)
	}
	rec, page := openPage(t, outcome.Path)
	if len(rec.Plan.Selected) != 2 || rec.Plan.Selected[0] != "BenchmarkStdlib" {
		t.Fatalf("selected %q: the test is void", rec.Plan.Selected)
	}
	i := slices.IndexFunc(page.Profiles, func(p run.Profile) bool { return p.Kind == recording.KindCPU })
	if i < 0 || page.Profiles[i].Benchmark != "BenchmarkOurs" {
		t.Fatalf("the first CPU profile is %d of %d, warnings %q", i, len(page.Profiles), page.Warnings)
	}
	if l := page.Profiles[i].Listing; len(l) == 0 || l[0].File != "x.go" {
		t.Errorf("source: %+v", l)
	}
	if strings.Contains(page.Verdict.Text, "sha256") {
		t.Errorf("verdict: %q", page.Verdict.Text)
	}
	if !slices.ContainsFunc(page.Warnings, func(w string) bool {
		return strings.HasPrefix(w, "BenchmarkStdlib runs almost no code of the module")
	}) {
		t.Errorf("warnings: %q", page.Warnings)
	}
}
