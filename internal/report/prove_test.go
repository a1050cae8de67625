package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"whet/internal/analyze/compare"
	"whet/internal/recording"
)

// proveResult has a row for everything that prints differently.
func proveResult() *compare.Result {
	r := &compare.Result{
		Schema:   compare.Schema,
		Warnings: []string{"the machine was busy before the start (load 3.1 on 2 cores): the intervals are wider for it"},
		Old:      compare.Side{Operand: "./old", Package: "example.org/m/old", Module: "example.org/m", GoVersion: "go1.26.8", SHA256: "00", Tests: "passed"},
		New:      compare.Side{Operand: "./new", Package: "example.org/m/new", Module: "example.org/m", GoVersion: "go1.26.8", SHA256: "11", Tests: "passed"},

		AlphaRatio: 0.005, ConfidenceRatio: 1 - 0.005/12, MarginRatio: 0.02, Seed: 42, RoundsPlanned: 40, RoundsMeasured: 40, RoundsNeeded: 14,
		SliceNs: 1e8, BudgetNs: 300e9, ElapsedNs: 48.2e9,
		OnlyOld: []string{"BenchmarkGone"}, OnlyNew: []string{"BenchmarkAdded/size=1"},
		Failures: []compare.Failure{},
		Host:     recording.Host{OS: "linux", Arch: "amd64", CPU: "Example CPU", Cores: 2, GOMAXPROCS: 2, Cgroup: "none"},
	}
	add := func(name, metric string, v compare.Verdict, old, new, low, ratio, high float64, noise *float64, exact bool) *compare.Row {
		r.Benchmarks = append(r.Benchmarks, compare.Row{
			Package: "example.org/m/new", Name: name, Metric: metric, Verdict: v, Ratio: ratio, RatioLow: low, RatioHigh: high,
			Coverage: 0.9989, Exact: exact, Gates: compare.MetricOf(metric).Gates, Rounds: 40, NoiseRatio: noise, Old: old, New: new, Iterations: 1000,
		})
		return &r.Benchmarks[len(r.Benchmarks)-1]
	}
	add("BenchmarkA", compare.NsPerOp, compare.Faster, 4321, 470, 9.05, 9.19, 9.3, ratioOf(0.012), false)
	add("BenchmarkA", compare.AllocsPerOp, compare.Faster, 25, 0, 25, compare.MaxRatio, compare.MaxRatio, ratioOf(0), true)
	add("BenchmarkA", compare.BytesPerOp, compare.Faster, 1307, 0, 1307, compare.MaxRatio, compare.MaxRatio, ratioOf(0), true)
	add("BenchmarkB/size=1024", compare.NsPerOp, compare.Slower, 1e6, 1.01e6, 0.986, 0.990, 0.994, ratioOf(0.004), false).WithinMargin = true
	add("BenchmarkB/size=1024", compare.AllocsPerOp, compare.CannotTell, 1, 1, 0.5, 1, 2, ratioOf(0), true).Reason = "counted in whole allocations, rounded down: old lies between 1 and 2, new between 1 and 2, and the bytes per operation do not settle it"
	add("BenchmarkC", compare.NsPerOp, compare.NoChange, 1e9, 1e9, 0.999, 1, 1.001, ratioOf(0.001), false).WithinMargin = true
	add("BenchmarkC", compare.AllocsPerOp, compare.NoChange, 0, 0, 1, 1, 1, ratioOf(0), true)
	add("Benchmark\x1b[31m\u202ered", compare.NsPerOp, compare.CannotTell, 31, 30, 0.8, 1.03, 1.3, nil, false).Reason = "the interval holds 1 and is wider than the margin of 2.0 %"
	r.Summarize()
	return r
}

func TestProveTextGolden(t *testing.T) {
	var buf bytes.Buffer
	if err := WriteProveText(&buf, proveResult(), TextOptions{Width: 110}); err != nil {
		t.Fatal(err)
	}
	golden(t, "prove.txt", buf.Bytes())
}

// The same figures in colour, and not a byte that a measured program chose
// reaches the terminal as control.
func TestProveTextColour(t *testing.T) {
	var plain, colour bytes.Buffer
	for _, c := range []struct {
		to    *bytes.Buffer
		color bool
	}{{&plain, false}, {&colour, true}} {
		if err := WriteProveText(c.to, proveResult(), TextOptions{Width: 110, Color: c.color}); err != nil {
			t.Fatal(err)
		}
	}
	if strings.Contains(plain.String(), "\x1b") || strings.Contains(colour.String(), "\x1b[31m") || strings.Contains(colour.String(), "\u202e") {
		t.Error("a benchmark's name reached the terminal unescaped")
	}
	stripped := colour.String()
	for _, s := range []style{bold, dim, yellow, cyan, strong} {
		stripped = strings.ReplaceAll(stripped, "\x1b["+string(s)+"m", "")
	}
	stripped = strings.ReplaceAll(stripped, "\x1b[0m", "")
	clean := func(s string) string {
		lines := strings.Split(s, "\n")
		for i := range lines {
			lines[i] = strings.TrimRight(lines[i], " ")
		}
		return strings.Join(lines, "\n")
	}
	if clean(stripped) != clean(plain.String()) {
		t.Errorf("in colour:\n%s\nplain:\n%s", stripped, plain.String())
	}
}

// The head tells the sides apart by what the user typed, and by what is behind
// it where that differs; and it says how much of the plan was measured.
func TestProveHead(t *testing.T) {
	yes, no := true, false
	const a, b = "0123456789abcdef0123456789abcdef01234567", "fedcba9876543210fedcba9876543210fedcba98"
	for _, c := range []struct {
		name   string
		change func(*compare.Result)
		want   []string
		not    []string
	}{
		{"two packages", func(*compare.Result) {},
			[]string{"./old → ./new\n", "  old       example.org/m/old\n  new       example.org/m/new\n", "40 rounds of old"}, []string{"revision", "of 40"}},
		{"two checkouts", func(r *compare.Result) {
			r.Old = compare.Side{Operand: "../before/encode", Package: "example.org/m/encode", Revision: a, Dirty: &no}
			r.New = compare.Side{Operand: "./encode", Package: "example.org/m/encode", Revision: b, Dirty: &yes}
		}, []string{"../before/encode → ./encode\n", "example.org/m/encode, revision 0123456789ab\n", "example.org/m/encode, revision fedcba987654 with changes that are not committed\n"}, nil},
		{"only changes", func(r *compare.Result) {
			r.Old = compare.Side{Operand: "../before/encode", Package: "p", Revision: a, Dirty: &no}
			r.New = compare.Side{Operand: "./encode", Package: "p", Revision: a, Dirty: &yes}
		}, []string{"  old       p, revision 0123456789ab\n  new       p, revision 0123456789ab with changes"}, nil},
		{"one without a revision", func(r *compare.Result) {
			r.Old = compare.Side{Operand: "../before/encode", Package: "p"}
			r.New = compare.Side{Operand: "./encode", Package: "p", Revision: a, Dirty: &no}
		}, []string{"  old       p, revision unknown\n"}, nil},
		{"the same", func(r *compare.Result) {
			r.Old = compare.Side{Operand: "./a", Package: "p", Revision: a, Dirty: &no}
			r.New = r.Old
		}, []string{"./a → ./a\n"}, []string{"  old  ", "revision"}},
		{"cut short", func(r *compare.Result) { r.RoundsMeasured = 12 }, []string{"12 of 40 rounds of old"}, nil},
	} {
		r := proveResult()
		c.change(r)
		var buf bytes.Buffer
		if err := WriteProveText(&buf, r, TextOptions{Width: 110}); err != nil {
			t.Fatal(err)
		}
		head, _, _ := strings.Cut(buf.String(), "\nTime per operation")
		for _, want := range c.want {
			if !strings.Contains(head, want) {
				t.Errorf("%s: no %q in\n%s", c.name, want, head)
			}
		}
		for _, not := range c.not {
			if strings.Contains(head, not) {
				t.Errorf("%s: %q in\n%s", c.name, not, head)
			}
		}
	}
}

func TestProveJSON(t *testing.T) {
	var buf bytes.Buffer
	want := proveResult()
	if err := WriteProveJSON(&buf, want); err != nil {
		t.Fatal(err)
	}
	if bytes.ContainsAny(buf.Bytes(), "\x1b\x7f") {
		t.Error("control characters stand raw in the document")
	}
	if !bytes.HasPrefix(buf.Bytes(), []byte("{\n\t\"schema\": \"whet/prove/1\",\n\t\"warnings\": [")) {
		t.Errorf("the document begins with %.60q", buf.String())
	}
	// The keys of design.md, by their names.
	var doc struct {
		Benchmarks []map[string]any `json:"benchmarks"`
	}
	if err := json.Unmarshal(buf.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Benchmarks) != len(want.Benchmarks) {
		t.Fatalf("%d rows, want %d", len(doc.Benchmarks), len(want.Benchmarks))
	}
	for _, key := range []string{"package", "name", "metric", "verdict", "within_margin", "ratio", "ratio_low", "ratio_high", "rounds", "noise_ratio", "allocs_old", "allocs_new"} {
		if _, ok := doc.Benchmarks[0][key]; !ok {
			t.Errorf("a row has no %q", key)
		}
	}
	var back compare.Result
	if err := json.Unmarshal(buf.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if got := back.Benchmarks[len(back.Benchmarks)-1].Name; got != "Benchmark\x1b[31m\u202ered" {
		t.Errorf("the name came back as %q", got)
	}
}

func ratioOf(v float64) *float64 { return &v }
