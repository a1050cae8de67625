package tune

import (
	"slices"
	"strings"
	"testing"
	"time"

	"whet/internal/analyze/hot"
	"whet/internal/record"
	"whet/internal/recording"
	"whet/internal/report/run"
)

// Ten calls were made with 8.2 s uncounted. A run of two that leaves 8 s uncounted
// has set-up, one with 1.7 s has work beside its loop. After a single call of 4 s
// three with 8 s (the function is called twice) have set-up, and with 12 s none.
func TestIsSetup(t *testing.T) {
	for _, test := range []struct {
		first, again, once, calls float64
		want                      bool
	}{
		{8.2, 8, 1, 0.2, true}, {8.2, 1.7, 1, 0.2, false},
		{4, 8, 2, 3, true}, {4, 12, 2, 3, false}, {4, 4, 2, 3, true},
		{8, 8, 1, 2, true}, {8, 16, 1, 2, false},
	} {
		if got := isSetup(test.again/test.first, test.once, test.calls); got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
}

// 1000 samples are 10 s, and a tenth more for what is not measured code: with a
// share of 20 s and 4 s of set-up 11 s, of 10 s the 6 that are left, of 3 s none.
func TestOneProcess(t *testing.T) {
	for share, want := range map[time.Duration]time.Duration{20 * time.Second: 11 * time.Second, 10 * time.Second: 6 * time.Second, 3 * time.Second: 0} {
		if got := oneProcess(share, 4*time.Second, 1000); got != want {
			t.Errorf("share %v: %v, want %v", share, got, want)
		}
	}
}

// Of 12 s one of two that hangs takes half, the first of twelve 3 s, the last one
// half of what is left; alone it has all.
func TestQuickLimit(t *testing.T) {
	for _, test := range []struct {
		left   time.Duration
		to, n  int
		wanted time.Duration
	}{{60e9, 1, 1, 60e9}, {12e9, 2, 2, 6e9}, {12e9, 12, 12, 3e9}, {12e9, 3, 12, 6e9}, {4e9, 12, 12, 2e9}, {5e8, 4, 4, 1e9}} {
		if got := quickLimit(test.left, test.to, test.n); got != test.wanted {
			t.Errorf("%+v: %v", test, got)
		}
	}
}

// Long set-up before little work: the work is sampled in one process, and the
// benchmark beside it has what it wants too.
func TestLongSetup(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures programs")
	}
	t.Parallel()
	dir := writeModule(t, map[string]string{
		"go.mod": "module example.com/slow\n\ngo 1.26\n",
		"x.go":   "package slow\n\nfunc Spin(n int) (h uint64) {\n\tfor i := range n {\n\t\th = (h ^ uint64(i)) * 1099511628211\n\t}\n\treturn h\n}\n",
		"x_test.go": `package slow

import (
	"testing"
	"time"
)

var sink uint64

func BenchmarkSetup(b *testing.B) {
	time.Sleep(1500 * time.Millisecond)
	b.ResetTimer()
	for range b.N {
		sink += Spin(1_000_000)
	}
}

func BenchmarkPlain(b *testing.B) {
	for b.Loop() {
		sink += Spin(1000)
	}
}
`,
	})
	outcome, err := recordModule(t, dir, func(o *Options) { o.Budget, o.Samples = 4*time.Minute, 100 }) // a busy machine takes as long
	if err != nil {
		t.Fatal(err)
	}
	rec, page := openPage(t, outcome.Path)
	for _, name := range []string{"BenchmarkSetup", "BenchmarkPlain"} {
		i := slices.IndexFunc(page.Profiles, func(p run.Profile) bool { return p.Kind == recording.KindCPU && p.Benchmark == name })
		if i < 0 || page.Profiles[i].Samples[hot.Base] < 20 {
			t.Errorf("%s: %+v", name, *part(t, rec, record.Benchmarks))
		}
	}
	// A profile is merged of the runs there were: one for the benchmark that sleeps
	// 3 s in each.
	if strings.Contains(strings.Join(rec.Warnings, "\n"), "BenchmarkPlain has") {
		t.Errorf("the other's share was taken: %q", rec.Warnings)
	}
}
