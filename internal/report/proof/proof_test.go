package proof

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"whet/internal/analyze/compare"
	"whet/internal/document"
	"whet/internal/recording"
	"whet/internal/report/page"
	"whet/internal/report/pagetest"
)

// result has a row for everything that prints differently.
func result() *compare.Result {
	r := &compare.Result{
		Schema: document.Prove, Kind: compare.KindBenchmarks,
		Warnings: []string{"the machine was busy when measuring began (load 3.1 on 2 cores): the intervals are wider for it"},
		Old:      compare.Program{Operand: "./old", Package: "example.org/m/old", Module: "example.org/m", GoVersion: "go1.26.8", SHA256: "00", Tests: "passed"},
		New:      compare.Program{Operand: "./new", Package: "example.org/m/new", Module: "example.org/m", GoVersion: "go1.26.8", SHA256: "11", Tests: "passed"},

		AlphaRatio: 0.005, NoChangeAlphaRatio: 0.05, ConfidenceRatio: 0.995, MarginRatio: 0.02, Seed: 42, RoundsPlanned: 40, RoundsMeasured: 40, RoundsNeeded: 14,
		Run: 1, Layouts: 40, SliceNs: 1e8, BudgetNs: 300e9, ElapsedNs: 48.2e9,
		OnlyOld: []string{"BenchmarkGone"}, OnlyNew: []string{"BenchmarkAdded/size=1"},
		Failures: []compare.Failure{},
		Host:     recording.Host{OS: "linux", Arch: "amd64", CPU: "Example CPU", Cores: 2, GOMAXPROCS: 2, Cgroup: "none"},
	}
	add := func(name, metric string, v compare.Verdict, old, new, low, ratio, high, p float64, noise *float64, exact bool) *compare.Row {
		r.Benchmarks = append(r.Benchmarks, compare.Row{
			Package: "example.org/m/new", Name: name, Metric: metric, Verdict: v, Ratio: ratio, RatioLow: low, RatioHigh: high,
			Gates: compare.MetricOf(metric).Gates, PValue: p, PHolm: p, ConfidenceRatio: 0.9989, Look: 3, Looks: 3,
			Coverage: 0.9989, Exact: exact, Rounds: 40, NoiseRatio: noise, Old: old, New: new, Iterations: 1000,
		})
		return &r.Benchmarks[len(r.Benchmarks)-1]
	}
	add("BenchmarkA", compare.NsPerOp, compare.Faster, 4321, 470, 9.05, 9.19, 9.3, 0.00000002, ratioOf(0.012), false)
	add("BenchmarkA", compare.CPUNsPerOp, compare.Faster, 4300, 465, 9.1, 9.2, 9.25, 0.00000002, ratioOf(0.003), false)
	add("BenchmarkA", compare.AllocsPerOp, compare.Faster, 25, 0, 25, compare.MaxRatio, compare.MaxRatio, 0, ratioOf(0), true)
	add("BenchmarkA", compare.BytesPerOp, compare.Faster, 1307, 0, 1307, compare.MaxRatio, compare.MaxRatio, 0, ratioOf(0), true)
	add("BenchmarkB/size=1024", compare.NsPerOp, compare.NoChange, 1e6, 1.01e6, 0.986, 0.990, 0.994, 0.0031, ratioOf(0.004), false).WithinMargin = true
	add("BenchmarkB/size=1024", compare.MBPerSecond, compare.Slower, 1024, 924, 0.89, 0.902, 0.914, 0.0031, ratioOf(0.004), false)
	add("BenchmarkC", compare.CPUNsPerOp, compare.CannotTell, 1e9, 1e9, 1/compare.MaxRatio, 1, compare.MaxRatio, 1, nil, false).Reason = "3 rounds, and 11 are needed"
	add("BenchmarkB/size=1024", compare.AllocsPerOp, compare.CannotTell, 1, 1, 0.5, 1, 2, 1, ratioOf(0), true).Reason = "counted in whole allocations, rounded down: old lies between 1 and 2, new between 1 and 2, and the bytes per operation do not decide between them"
	add("BenchmarkC", compare.NsPerOp, compare.NoChange, 1e9, 1e9, 0.999, 1, 1.001, 1, ratioOf(0.001), false).WithinMargin = true
	add("BenchmarkC", compare.AllocsPerOp, compare.NoChange, 0, 0, 1, 1, 1, 1, ratioOf(0), true)
	add("BenchmarkC", "items|`x`/s", compare.Faster, 100, 130, 1.2, 1.3, 1.4, 0.02, ratioOf(0.01), false)
	hostile := add("Benchmark\x1b[31m\u202ered|`x`@someone<b>", compare.NsPerOp, compare.CannotTell, 31, 30, 0.8, 1.03, 1.3, 0.31, nil, false)
	hostile.Reason, hostile.Needed = "the interval contains 1 and is wider than the margin of 2.0 %", &compare.Requirement{Rounds: 120, Ns: 250e9}
	r.Summarize()
	r.Why = []compare.Change{proveChange()}
	return r
}

// proveChange has functions on both sides and on one, and decisions.
func proveChange() compare.Change {
	delta := func(old, new, err float64) compare.Delta { return compare.Delta{Old: old, New: new, Error: err} }
	base, background := delta(4100, 450, 320), delta(180, 2, 90)
	bytes, allocs := delta(1307, 0, 60), delta(25, 0, 1.2)
	none := delta(0, 0, 0)
	return compare.Change{
		Package: "example.org/m/new", Benchmark: "BenchmarkA", Turns: 8, Iterations: 150_000, SamplesOld: 512, SamplesNew: 498, ConfidenceRatio: 0.99,
		Classes: []compare.ClassChange{{Class: "base", CPUNs: &base, Bytes: &bytes, Allocs: &allocs}, {Class: "set-up", CPUNs: &none}, {Class: "background", CPUNs: &background}},
		Functions: []compare.FunctionChange{
			{Function: "example.org/m/new.(*Encoder).grow", File: "example.org/m/old/enc.go", Only: "old",
				CPUNs: &compare.FlatCum{Flat: delta(210, 0, 80), Cum: delta(2900, 0, 300)},
				Bytes: &compare.FlatCum{Flat: delta(1307, 0, 60), Cum: delta(1307, 0, 60)}, Allocs: &compare.FlatCum{Flat: delta(25, 0, 1.2), Cum: delta(25, 0, 1.2)}},
			{Function: "runtime.mallocgc", File: "runtime/malloc.go", CPUNs: &compare.FlatCum{Flat: delta(1500, 0, 240), Cum: delta(2200, 0, 280)}},
			{Function: "example.org/m/new.hash|`x`", File: "example.org/m/new/hash.go", CPUNs: &compare.FlatCum{Flat: delta(20, 310, 70), Cum: delta(20, 310, 70)},
				Decisions: []compare.Decision{
					{Side: "old", Kind: "can-inline", Text: "can inline hash with cost 34", File: "hash.go", Line: 12},
					{Side: "new", Kind: "cannot-inline", Text: "cannot inline hash: function too complex: cost 95 exceeds budget 80", File: "hash.go", Line: 14},
				}},
		},
		Warnings: []string{"the stacks of old are deeper than the profiler records: functions near their roots have too little cum"},
	}
}

// commands and proveService are what else can be compared.
func commands() *compare.Result {
	r := result()
	r.Kind, r.Why, r.OnlyOld, r.OnlyNew, r.Warnings, r.Layouts = compare.KindCommands, nil, nil, nil, nil, 1
	r.Old, r.New = compare.Program{Operand: "gzip -9 -c big.txt", Tests: "not run"}, compare.Program{Operand: "zstd -3 -c big.txt", Tests: "not run", Env: []string{"ZSTD_NBTHREADS=1"}}
	r.Run, r.Earlier = 2, 20
	r.Benchmarks = nil
	for _, row := range []compare.Row{
		{Metric: compare.WallNs, Verdict: compare.Faster, Old: 2.31e9, New: 0.42e9, Ratio: 5.5, RatioLow: 5.2, RatioHigh: 5.9, Gates: true},
		{Metric: compare.CPUNs, Verdict: compare.Faster, Old: 2.29e9, New: 0.41e9, Ratio: 5.6, RatioLow: 5.3, RatioHigh: 5.9},
		{Metric: compare.PeakBytes, Verdict: compare.Slower, Old: 2 << 20, New: 38 << 20, Ratio: 0.053, RatioLow: 0.05, RatioHigh: 0.056},
	} {
		row.Name, row.PHolm, row.Look, row.Looks, row.Rounds, row.RoundsEarlier, row.NoiseRatio = "command", 0.0004, 2, 3, 30, 20, ratioOf(0.006)
		r.Benchmarks = append(r.Benchmarks, row)
	}
	r.Summarize()
	return r
}

func service() *compare.Result {
	r := commands()
	r.Kind, r.Run, r.Earlier = compare.KindService, 1, 0
	r.Old, r.New = compare.Program{Operand: "http://127.0.0.1:8080/items"}, compare.Program{Operand: "http://127.0.0.1:8081/items"}
	r.Benchmarks = nil
	for _, row := range []compare.Row{
		{Metric: compare.P50Ns, Verdict: compare.NoChange, Old: 1.21e6, New: 1.2e6, Ratio: 1.004, RatioLow: 0.99, RatioHigh: 1.015, Gates: true, WithinMargin: true},
		{Metric: compare.P99Ns, Verdict: compare.CannotTell, Old: 9.8e6, New: 7.1e6, Ratio: 1.31, RatioLow: 0.8, RatioHigh: 2.1, Gates: true, Reason: "the interval contains 1 and is wider than the margin of 2.0 %", Needed: &compare.Requirement{Rounds: 300, Ns: 3e12}},
		{Metric: compare.RequestsPerSecond, Verdict: compare.Faster, Old: 812, New: 998, Ratio: 1.23, RatioLow: 1.2, RatioHigh: 1.26},
		{Metric: compare.CPUNsPerRequest, Verdict: compare.Faster, Old: 2.1e6, New: 1.7e6, Ratio: 1.24, RatioLow: 1.2, RatioHigh: 1.3},
		{Metric: compare.AllocBytesPerRequest, Verdict: compare.NoChange, Old: 40_000, New: 40_100, Ratio: 0.998, RatioLow: 0.99, RatioHigh: 1.006, WithinMargin: true},
	} {
		row.Name, row.PHolm, row.Look, row.Looks, row.Rounds, row.NoiseRatio = "GET /items", 0.0004, 2, 3, 30, ratioOf(0.006)
		r.Benchmarks = append(r.Benchmarks, row)
	}
	r.Answers = &compare.OutputComparison{Requests: 400, Differing: 2, Differences: []compare.Difference{
		{Request: "GET /items?id=7", Where: "body.items.0.price", Old: "12.5", New: "12.50|"},
		{Request: "GET /now", Where: "body.time", Old: `"12:00"`, New: `"12:01"`, Unsteady: true},
	}}
	r.Summarize()
	return r
}

func results() map[string]*compare.Result {
	return map[string]*compare.Result{"prove": result(), "prove_commands": commands(), "prove_service": service()}
}

func TestTextGolden(t *testing.T) {
	for name, r := range results() {
		for _, width := range []int{60, 80, 100, 110, 160} {
			brief := textOf(t, r, page.TextOptions{Width: width})
			for file, text := range map[string]string{"%s%d.txt": textOf(t, r, page.TextOptions{Width: width, Verbose: true}), "%s%d_brief.txt": brief} {
				if file == "%s%d.txt" || width == 80 {
					pagetest.Golden(t, fmt.Sprintf(file, name, width), []byte(text))
				}
				for line := range strings.Lines(text) {
					if n := page.Cells(strings.TrimSuffix(line, "\n")); n > width && !strings.Contains(line, "://") {
						t.Errorf("%s at %d: %d cells: %s", name, width, n, line)
					}
				}
			}
			head, _, _ := strings.Cut(brief, "\n\n")
			if n := strings.Count(head, "\n") + 1; width >= 100 && name != "prove_service" && n != 3 || strings.Contains(brief, "noise\u00a0") || strings.Contains(brief, "Hodges") {
				t.Errorf("%s at %d: %d lines before the first table, or statistics:\n%s", name, width, n, brief)
			}
		}
	}
}

func textOf(t *testing.T, r *compare.Result, o page.TextOptions) string {
	t.Helper()
	var buf bytes.Buffer
	if err := WriteText(&buf, r, o); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

// What tells the sides apart stands in the first line, and what was measured in the
// second.
func TestBriefHead(t *testing.T) {
	r := result()
	r.Run, r.Earlier, r.RoundsMeasured = 2, 11, 12
	r.Old, r.New = compare.Program{Operand: "HEAD", Revision: "0123456789abcdef", Tests: "passed"}, compare.Program{Operand: ".", Revision: "0123456789abcdef", Dirty: new(true), Env: []string{"GOGC=off"}, Tests: "passed"}
	want := "HEAD (revision 0123456789ab) → . (revision 0123456789ab with changes, with GOGC=off)\n  12 of 40 rounds in 48.2 s, with 11 rounds of earlier runs; tests passed on both sides\n  Example CPU, 2 cores, "
	if got := textOf(t, r, page.TextOptions{Width: 110}); !strings.HasPrefix(got, want) {
		t.Errorf("the head is\n%s", got)
	}
	// Of 30 s of budget 8 went before the rounds, and the 4 that are left are too few for a
	// fourth round of 6.
	r = result()
	r.Kind, r.BudgetNs, r.CalibratedNs, r.ElapsedNs, r.RoundsPlanned, r.RoundsMeasured = compare.KindService, 30e9, 8e9, 18e9, 3, 3
	for i := range r.Benchmarks {
		r.Benchmarks[i].Rounds = 3
	}
	if got, want := textOf(t, r, page.TextOptions{Width: 110}), "\n  3 rounds in 18.0 s, after 8.00 s of calibration (of 30.0 s: another round takes 6.00 s)\n"; !strings.Contains(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
}

// The same figures in colour, and not a byte that a measured program chose
// reaches the terminal as control.
func TestTextColour(t *testing.T) {
	var plain, colour bytes.Buffer
	for _, c := range []struct {
		to    *bytes.Buffer
		color bool
	}{{&plain, false}, {&colour, true}} {
		if err := WriteText(c.to, result(), page.TextOptions{Width: 110, Color: c.color, Verbose: true}); err != nil {
			t.Fatal(err)
		}
	}
	if strings.Contains(plain.String(), "\x1b") || strings.Contains(colour.String(), "\x1b[31m") || strings.Contains(colour.String(), "\u202e") {
		t.Error("a benchmark's name reached the terminal unescaped")
	}
	stripped := colour.String()
	for _, s := range []page.Style{page.Bold, page.Dim, page.Yellow, page.Cyan, page.Strong} {
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
func TestHead(t *testing.T) {
	yes, no := true, false
	const a, b = "0123456789abcdef0123456789abcdef01234567", "fedcba9876543210fedcba9876543210fedcba98"
	for _, c := range []struct {
		name   string
		change func(*compare.Result)
		want   []string
		not    []string
	}{
		{"two packages", func(*compare.Result) {},
			[]string{"./old → ./new\n", "  old       example.org/m/old\n  new       example.org/m/new\n", "40 rounds of old, new"}, []string{"revision", "of 40"}},
		{"two checkouts", func(r *compare.Result) {
			r.Old = compare.Program{Operand: "../before/encode", Package: "example.org/m/encode", Revision: a, Dirty: &no}
			r.New = compare.Program{Operand: "./encode", Package: "example.org/m/encode", Revision: b, Dirty: &yes}
		}, []string{"../before/encode → ./encode\n", "example.org/m/encode, revision 0123456789ab\n", "example.org/m/encode, revision fedcba987654 with changes\n"}, nil},
		{"only changes", func(r *compare.Result) {
			r.Old = compare.Program{Operand: "../before/encode", Package: "p", Revision: a, Dirty: &no}
			r.New = compare.Program{Operand: "./encode", Package: "p", Revision: a, Dirty: &yes}
		}, []string{"  old       p, revision 0123456789ab\n  new       p, revision 0123456789ab with changes"}, nil},
		{"one without a revision", func(r *compare.Result) {
			r.Old = compare.Program{Operand: "../before/encode", Package: "p"}
			r.New = compare.Program{Operand: "./encode", Package: "p", Revision: a, Dirty: &no}
		}, []string{"  old       p, revision unknown\n"}, nil},
		{"the same", func(r *compare.Result) {
			r.Old = compare.Program{Operand: "./a", Package: "p", Revision: a, Dirty: &no}
			r.New = r.Old
		}, []string{"./a → ./a\n"}, []string{"  old  ", "revision"}},
		{"with its own flags", func(r *compare.Result) {
			r.Old = compare.Program{Operand: ".", Package: "p", Env: []string{"GOGC=off", "GOEXPERIMENT=x"}}
			r.New = compare.Program{Operand: ".", Package: "p", Flags: []string{"-pgo=off"}}
		}, []string{"  old       p, with GOGC=off GOEXPERIMENT=x\n", "  new       p, built with -pgo=off\n"}, []string{"revision"}},
		{"pooled", func(r *compare.Result) { r.Run, r.Earlier = 3, 64 }, []string{"pooled    run 3 of the same question: 64 rounds of earlier runs count"}, nil},
		{"alone", func(r *compare.Result) { r.Layouts = 1 }, []string{"3 looks; measured in"}, []string{"pooled", "layout"}},
		{"cut short", func(r *compare.Result) { r.RoundsMeasured = 12 }, []string{"12 of 40 rounds of old"}, nil},
	} {
		r := result()
		c.change(r)
		var buf bytes.Buffer
		if err := WriteText(&buf, r, page.TextOptions{Width: 110, Verbose: true}); err != nil {
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

func TestJSON(t *testing.T) {
	var buf bytes.Buffer
	want := result()
	if err := WriteJSON(&buf, want); err != nil {
		t.Fatal(err)
	}
	if bytes.ContainsAny(buf.Bytes(), "\x1b\x7f") {
		t.Error("control characters stand raw in the document")
	}
	if !bytes.HasPrefix(buf.Bytes(), []byte("{\n  \"schema\": \"whet/prove/1\",\n  \"warnings\": [")) {
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
	if got := back.Benchmarks[len(back.Benchmarks)-1].Name; got != "Benchmark\x1b[31m\u202ered|`x`@someone<b>" {
		t.Errorf("the name came back as %q", got)
	}
}

func ratioOf(v float64) *float64 { return &v }

// One table, no markup, link or mention that a measured program chose, and
// parts that open and close.
func TestMarkdown(t *testing.T) {
	for name, r := range results() {
		var buf bytes.Buffer
		if err := WriteMarkdown(&buf, r); err != nil {
			t.Fatal(err)
		}
		pagetest.Golden(t, name+".md", buf.Bytes())
		text := buf.String()
		if strings.Count(text, "<details>") != strings.Count(text, "</details>") {
			t.Errorf("%s: parts are opened and not closed", name)
		}
		for _, raw := range []string{"\x1b", "\u202e", "<b>\n"} {
			if strings.Contains(text, raw) {
				t.Errorf("%s: %q stands raw in it", name, raw)
			}
		}
		for line := range strings.Lines(text) {
			cells, ok := strings.CutPrefix(strings.TrimSpace(line), "| ")
			if !ok {
				continue
			}
			// Bars that are not escaped divide cells, in code spans too.
			if n := strings.Count(strings.ReplaceAll(cells, `\|`, ""), "|"); n != 11 && n != 7 && n != 5 {
				t.Errorf("%s: a row of %d cells: %s", name, n, line)
			}
		}
	}
}

// Names lose their power where they stand as code or as prose.
func TestMarkdownEscapes(t *testing.T) {
	for _, c := range []struct{ in, span, prose string }{
		{"a", "`a`", "a"},
		{"a`b", "`` a`b ``", "a&#96;b"},
		{"``", "``` `` ```", "&#96;&#96;"},
		{"x|y", "`x|y`", "x&#124;y"},
		{"", "(empty)", ""},
		{"@me", "`@me`", "&#64;&#8203;me"},
		{"#12", "`#12`", "&#35;&#8203;12"},
		{"<b>*_[x](y)", "`<b>*_[x](y)`", "&#60;b&#62;&#42;&#95;&#91;x&#93;(y)"},
		{"http://e.org www.e.org", "`http://e.org www.e.org`", "http:&#8203;//e.org www&#8203;.e.org"},
		{"a\nb", "`a\nb`", `a\nb`},
	} {
		if got := page.CodeSpan(c.in); got != c.span {
			t.Errorf("%q as code: %s, want %s", c.in, got, c.span)
		}
		if got := page.Prose(c.in); got != c.prose && c.in != "a\nb" {
			t.Errorf("%q as prose: %s, want %s", c.in, got, c.prose)
		}
	}
	if got := page.Prose("a\nb"); strings.Contains(got, "\n") {
		t.Errorf("prose of two lines: %q", got)
	}
	if got := page.CodeCell(page.CodeSpan("x|y")); got != "`x\\|y`" {
		t.Errorf("a bar in a cell: %s", got)
	}
}

// √(2·8) = 4; what is not known, or came from nothing, has no mean.
func TestGeomean(t *testing.T) {
	row := func(ratio, low, high float64) *compare.Row {
		return &compare.Row{Ratio: ratio, RatioLow: low, RatioHigh: high}
	}
	a, b := row(2, 1.9, 2.1), row(8, 7, 9)
	if got, ok := geomean([]*compare.Row{a, b}); !ok || got < 3.999999 || got > 4.000001 {
		t.Errorf("%v, %v, want 4", got, ok)
	}
	for name, rows := range map[string][]*compare.Row{
		"one":       {a},
		"unknown":   {a, row(1.1, 1/compare.MaxRatio, compare.MaxRatio)},
		"from none": {a, row(1/compare.MaxRatio, 1/compare.MaxRatio, 1)},
		"to none":   {a, row(compare.MaxRatio, 25, compare.MaxRatio)},
	} {
		if got, ok := geomean(rows); ok {
			t.Errorf("%s: a mean of %v", name, got)
		}
	}
}

// Rows of several packages stand under their packages' names, and in Markdown
// after them.
func TestPackages(t *testing.T) {
	r := commands()
	r.Kind = compare.KindBenchmarks
	r.Benchmarks = nil
	for _, pkg := range []string{"example.org/m/a", "example.org/m/b"} {
		r.Benchmarks = append(r.Benchmarks, compare.Row{Package: pkg, Name: "BenchmarkX", Metric: compare.NsPerOp, Old: 2, New: 1, Ratio: 2, RatioLow: 1.9, RatioHigh: 2.1, Verdict: compare.Faster})
	}
	var text, md bytes.Buffer
	if err := WriteText(&text, r, page.TextOptions{Width: 120}); err != nil {
		t.Fatal(err)
	}
	if err := WriteMarkdown(&md, r); err != nil {
		t.Fatal(err)
	}
	for _, pkg := range []string{"a", "b"} {
		if !strings.Contains(text.String(), "\n  pkg: example.org/m/"+pkg+"\n  BenchmarkX") {
			t.Errorf("no package %s over its row:\n%s", pkg, text.String())
		}
		if !strings.Contains(md.String(), "| `example.org/m/"+pkg+" BenchmarkX` |") {
			t.Errorf("no package %s in:\n%s", pkg, md.String())
		}
	}
}

// A terminal shows the functions that account for most.
func TestWhyIsBounded(t *testing.T) {
	r := result()
	f := r.Why[0].Functions[1]
	r.Why[0].Functions = nil
	for i := range 14 {
		f.Function = fmt.Sprintf("example.org/m.f%02d", i)
		r.Why[0].Functions = append(r.Why[0].Functions, f)
	}
	var buf bytes.Buffer
	if err := WriteText(&buf, r, page.TextOptions{Width: 110}); err != nil {
		t.Fatal(err)
	}
	if s := buf.String(); !strings.Contains(s, "m.f09") || strings.Contains(s, "m.f10") || !strings.Contains(s, "and 4 more with smaller differences") {
		t.Errorf("not ten of fourteen functions:\n%s", s)
	}
}

func TestRounds(t *testing.T) {
	for _, c := range []struct {
		planned, measured, most, earlier int
		want                             string
	}{
		{40, 40, 40, 0, "40 rounds"},
		{40, 12, 30, 0, "12 of 40 rounds"},
		{8, 8, 10, 0, "8 rounds (up to 10 where others left time)"},
		{8, 8, 30, 22, "8 rounds"}, // those of earlier runs are not this plan's
	} {
		r := &compare.Result{RoundsPlanned: c.planned, RoundsMeasured: c.measured, Benchmarks: []compare.Row{{Rounds: 1}, {Rounds: c.most, RoundsEarlier: c.earlier}}}
		if got := proveRounds(r); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// TestNames: no name is cut for what may as well stand below.
func TestNames(t *testing.T) {
	r := result()
	name := "BenchmarkEncode/code=hex/size=1024"
	r.Benchmarks = r.Benchmarks[:4]
	for i := range r.Benchmarks {
		r.Benchmarks[i].Name = name
	}
	for _, width := range []int{80, 100, 110, 120, 160} {
		var buf bytes.Buffer
		if err := WriteText(&buf, r, page.TextOptions{Width: width, Verbose: true}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(buf.String(), name); got != 4 && width >= 110 {
			t.Errorf("at %d: the name stands there %d times", width, got)
		}
	}
}
