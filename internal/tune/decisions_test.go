package tune

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"whet/internal/recording"
)

// The compiler's decisions on the package come with the build: a run that is
// interrupted in its quick pass has them, whatever time is left for the rest.
func TestDecisionsComeWithTheBuild(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures programs")
	}
	t.Parallel()
	dir := writeModule(t, map[string]string{
		"go.mod": "module example.com/decided\n\ngo 1.26\n",
		"x.go":   "package decided\n\nvar Sink *int\n\nfunc Keep(n int) { Sink = &n }\n",
		"x_test.go": `package decided

import "testing"

func BenchmarkKeep(b *testing.B) {
	for b.Loop() {
		Keep(1)
	}
}
`,
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := DefaultOptions()
	o.Dir, o.Operand, o.Out, o.Run, o.Budget = dir, ".", filepath.Join(t.TempDir(), "x.whet"), "^$", 5*time.Second
	o.Progress = func(p Progress) {
		if p.Stage == "plan" || p.Plan != "" {
			cancel()
		}
	}
	outcome, err := Record(ctx, o)
	if !errors.Is(err, context.Canceled) || outcome.Path == "" {
		t.Fatalf("%v, %q", err, outcome.Path)
	}
	rec, err := recording.Open(outcome.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Close()
	found := rec.Find(recording.KindDiagnostics, "")
	if len(found) != 1 {
		t.Fatalf("%d artifacts with decisions", len(found))
	}
	text, err := rec.Read(found[0])
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "moved to heap: n") {
		t.Errorf("the parameter that escapes is not among them:\n%s", text)
	}
}
