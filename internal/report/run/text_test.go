package run

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode"

	"whet/internal/finding"
	"whet/internal/report/page"
	"whet/internal/report/pagetest"
)

func TestTextGolden(t *testing.T) {
	for _, c := range []struct {
		name string
		page *Page
		o    page.TextOptions
	}{
		{"visits.txt", visitsPage(), page.TextOptions{}},
		{"visits80.txt", visitsPage(), page.TextOptions{Width: 80, All: true, Tables: true, Verbose: true}},
		{"visits_color.txt", visitsPage(), page.TextOptions{Width: 120, Color: true, Tables: true}},
		{"hostile.txt", hostilePage(), page.TextOptions{All: true, Tables: true}},
		{"empty.txt", emptyPage(), page.TextOptions{}},
		{"quiet.txt", quietPage(), page.TextOptions{}},
		{"service.txt", servicePage(), page.TextOptions{}},
		{"service60.txt", servicePage(), page.TextOptions{Width: 60, Tables: true}},
		{"service_all.txt", servicePage(), page.TextOptions{All: true, Tables: true}},
		{"program.txt", programPage(), page.TextOptions{}},
		{"program60.txt", programPage(), page.TextOptions{Width: 60, Tables: true}},
		{"courses.txt", coursesPage(), page.TextOptions{Tables: true}},
		{"bare.txt", barePage(), page.TextOptions{}},
	} {
		t.Run(c.name, func(t *testing.T) { pagetest.Golden(t, c.name, text(t, c.page, c.o)) })
	}
}

// What a terminal obeys must not come from a name: the only control characters
// are the line ends, and with colours the writer's own sequences.
func TestTextIsHarmless(t *testing.T) {
	for name, p := range pages() {
		for _, o := range []page.TextOptions{{Width: 40}, {Width: 80, All: true}, {Width: 40, Tables: true}, {All: true, Tables: true, Color: true}, {Width: 1000, Verbose: true, Tables: true}} {
			got := string(text(t, p, o))
			if o.Color {
				for _, s := range []page.Style{page.Bold, page.Dim, page.Yellow, page.Cyan, page.Strong} {
					got = strings.ReplaceAll(got, "\x1b["+string(s)+"m", "")
				}
				got = strings.ReplaceAll(got, "\x1b[0m", "")
			}
			for i, line := range strings.Split(got, "\n") {
				if strings.HasSuffix(line, " ") {
					t.Errorf("%s, %+v, line %d ends in a space: %q", name, o, i+1, line)
				}
				if j := strings.IndexFunc(line, func(r rune) bool {
					return unicode.In(r, unicode.C, unicode.Zl, unicode.Zp) || r == unicode.ReplacementChar
				}); j >= 0 {
					t.Errorf("%s, %+v, line %d: %q at %d: %q", name, o, i+1, line[j:j+1], j, line)
				}
			}
		}
	}
}

// The colours change nothing but colours.
func TestTextColorsOnly(t *testing.T) {
	plain := text(t, visitsPage(), page.TextOptions{Width: 100, Tables: true, All: true})
	colored := text(t, visitsPage(), page.TextOptions{Width: 100, Tables: true, All: true, Color: true})
	if bytes.Equal(plain, colored) {
		t.Error("no colours")
	}
	stripped := string(colored)
	for _, s := range []page.Style{page.Bold, page.Dim, page.Yellow, page.Cyan, page.Strong, "0"} {
		stripped = strings.ReplaceAll(stripped, "\x1b["+string(s)+"m", "")
	}
	for i, line := range strings.Split(stripped, "\n") {
		if want := strings.Split(string(plain), "\n")[i]; strings.TrimRight(line, " ") != want {
			t.Fatalf("line %d with colours %q, without %q", i+1, line, want)
		}
	}
}

// Lines fit the terminal, but for code of a remedy, which one wants to copy,
// and words that are wider than the line.
func TestTextWidth(t *testing.T) {
	for _, width := range []int{80, 100, 120} {
		for i, line := range strings.Split(string(text(t, visitsPage(), page.TextOptions{Width: width, All: true, Tables: true})), "\n") {
			if page.Cells(line) > width && !strings.Contains(line, `.Msg("visited")`) {
				t.Errorf("at %d columns, line %d has %d: %s", width, i+1, page.Cells(line), line)
			}
		}
	}
}

// Benchmarks are profiled apart: without a profile of all of them, the first
// one's of each kind stand for them, and the others are counted.
func TestShownProfiles(t *testing.T) {
	label := func(list []*Profile) string {
		var s []string
		for _, p := range list {
			s = append(s, p.Kind+p.Benchmark)
		}
		return strings.Join(s, " ")
	}
	has := [4]int64{1}
	for _, c := range []struct {
		profiles      []Profile
		first, others string
	}{
		{[]Profile{{Kind: "cpu", Values: has}, {Kind: "cpu", Benchmark: "A", Values: has}, {Kind: "cpu", Benchmark: "B", Values: has}}, "cpu", "cpuA cpuB"},
		{[]Profile{{Kind: "cpu", Values: has}, {Kind: "cpu", Benchmark: "A", Values: has}}, "cpu", ""},
		{[]Profile{{Kind: "cpu", Benchmark: "A"}, {Kind: "cpu", Benchmark: "B", Values: has}, {Kind: "allocs", Benchmark: "A", Values: has}, {Kind: "allocs", Benchmark: "B", Values: has}, {Kind: "mutex", Benchmark: "C", Values: has}}, "cpuB allocsB mutexC", "cpuA allocsA"},
		{[]Profile{{Kind: "cpu", Benchmark: "A"}, {Kind: "cpu", Benchmark: "B"}}, "cpuA", "cpuB"},
		{[]Profile{{Kind: "cpu", Benchmark: "A", Values: has}}, "cpuA", ""},
		{nil, "", ""},
	} {
		first, others, _ := (&Page{Profiles: c.profiles}).shown()
		if label(first) != c.first || label(others) != c.others {
			t.Errorf("shown first %q, then %q; want %q, then %q", label(first), label(others), c.first, c.others)
		}
	}
}

// The result first: verdict, doubts, findings with their line of source, hot
// places, how to see more. With Tables the rest follows.
func TestTextOrder(t *testing.T) {
	result := []string{
		"whet/casebook/visits/original", "Verdict  CPU-bound in logging", "! BenchmarkFresh", "Findings", "A log record", "original.go:43", "(*Server).Hello",
		"\n         s.log.WithFields(logrus.Fields{\n",
		"90.0 %", "72.0 %", "of CPU time, 50.0 % avoidable",
		// (0.5·6160 + 0.9·1022)/(6160 + 1022) = 0.5569 of the time goes
		"about 2.26x faster without the avoidable part (2.00x not counting the collector)", "why", "change", "evidence", "in        BenchmarkReused, BenchmarkFresh (the largest of their shares)", "confidence high", "A number formatted",
		"Hot places", "original.go:43 and line 44",
	}
	ordered(t, string(text(t, visitsPage(), page.TextOptions{})), append(result, "more: -tables (machine, ", "-v (2 warnings in full)", "-all (1"))
	whole := string(text(t, visitsPage(), page.TextOptions{Tables: true}))
	ordered(t, whole, append(result, "Machine", "Intel Xeon", "Benchmarks", "Samples", "Functions · CPU time  of", "Functions · allocated bytes  of", "Source", "escapes to heap"))
	if got := string(text(t, visitsPage(), page.TextOptions{})); strings.Contains(got, "Intel Xeon") || strings.Contains(got, "Samples") || strings.Contains(got, "Functions ·") {
		t.Errorf("without -tables there are tables:\n%s", got)
	}
	if strings.Contains(whole, "-tables") {
		t.Error("-tables is offered where it was given")
	}
}

func ordered(t *testing.T, got string, parts []string) {
	t.Helper()
	at := 0
	for _, part := range parts {
		i := strings.Index(got[at:], part)
		if i < 0 {
			t.Fatalf("%q is not after %q in\n%s", part, got[:at], got)
		}
		at += i
	}
}

// crowdedPage has more of all that the result shows than it has room for.
func crowdedPage() *Page {
	p := visitsPage()
	p.Verdict.Text = strings.Repeat("CPU-bound, spread over many functions, ", 4)
	for len(p.HotPlaces) < 12 {
		p.HotPlaces = append(p.HotPlaces, p.HotPlaces[1])
	}
	for len(p.Findings) < 30 {
		p.Findings = append(p.Findings, p.Findings[len(p.Findings)%2])
	}
	p.Warnings = nil
	for i := range 11 {
		p.Benchmarks = append(p.Benchmarks, Benchmark{Name: fmt.Sprintf("BenchmarkMany/%d", i), Profiled: true})
		p.Warnings = append(p.Warnings, fmt.Sprintf("BenchmarkMany/%d: %s", i, strings.Repeat("and ", i)+strings.Repeat("too long for a line ", 9)))
	}
	return p
}

// Where nothing was found the verb prints 25 lines at most, and of a whole module
// 60; three of them are its own. The places give way, and the cards.
func TestResultFits(t *testing.T) {
	const own = 3 // an empty line, the recording, the report
	for _, width := range []int{80, 100, 160} {
		p := crowdedPage()
		p.Findings = nil
		got := string(text(t, p, page.TextOptions{Width: width}))
		if n := strings.Count(got, "\n") + own; n > 25 || !strings.Contains(got, "  1  74.5 %") {
			t.Errorf("%d columns: %d lines:\n%s", width, n, got)
		}
		p = crowdedPage()
		p.Target = "./..."
		got = string(text(t, p, page.TextOptions{Width: width}))
		if n := strings.Count(got, "\n") + own; n > 60 || width >= 100 && strings.Count(got, "     why  ") != 1 || !strings.Contains(got, "s.log.WithFields") || !strings.Contains(got, "  1  74.5 %") {
			t.Errorf("%d columns, ./...: %d lines:\n%s", width, n, got)
		}
	}
	if n := strings.Count(string(text(t, quietPage(), page.TextOptions{})), " %  casebook"); n > 2*shownPlaces {
		t.Errorf("%d places", n)
	}
	p := visitsPage()
	for len(p.HotPlaces) < 12 {
		p.HotPlaces = append(p.HotPlaces, p.HotPlaces[1])
	}
	got := string(text(t, p, page.TextOptions{}))
	if n := strings.Count(got, "\n            "); !strings.Contains(got, "  5  17.6 %") || strings.Contains(got, "  6  17.6 %") || !strings.Contains(got, "… 7 more with -all") {
		t.Errorf("%d places of 12:\n%s", n, got)
	}
}

// The first findings are cards, ten more stand on two lines each that fit, with
// their place to the line number and their source.
func TestBriefFindings(t *testing.T) {
	p := visitsPage()
	for len(p.Findings) < 16 {
		p.Findings = append(p.Findings, p.Findings[1])
	}
	for _, width := range []int{60, 80, 100, 160} {
		got := string(text(t, p, page.TextOptions{Width: width}))
		brief := 0
		for l := range strings.Lines(got) {
			if page.Cells(strings.TrimRight(l, "\n")) > width && !strings.Contains(l, `.Msg("visited")`) {
				t.Errorf("%d columns: %q", width, l)
			}
			if strings.Contains(l, "original.go:62  bytes 26.2 %, CPU 18.4 %") {
				brief++
			}
		}
		if cards := strings.Count(got, "     why  "); cards != textCards || brief != textBrief || !strings.Contains(got, "… 3 more with -all") {
			t.Errorf("%d columns: %d cards and %d brief findings in\n%s", width, cards, brief, got)
		}
	}
	if got := string(text(t, p, page.TextOptions{All: true})); strings.Count(got, "     why  ") != 16 || strings.Contains(got, "more with -all") {
		t.Errorf("with -all:\n%s", got)
	}
}

// TestOneTable: flat and cum stand in one table; what only cum names follows.
func TestOneTable(t *testing.T) {
	p := &Page{Profiles: []Profile{{
		Kind: "cpu", Unit: "nanoseconds", Column: "cpu", Values: [4]int64{100e6}, Samples: [4]int64{10},
		Top:    []Row{{Function: "m.leaf", Flat: 90e6, Cum: 90e6}, {Function: "m/tree.(*Tree[go.shape.struct { a [2]int }]).iter", Flat: 10e6, Cum: 100e6}},
		TopCum: []Row{{Function: "m/tree.(*Tree[go.shape.struct { a [2]int }]).iter", Flat: 10e6, Cum: 100e6}, {Function: "main.main", Cum: 100e6}},
	}}}
	got := string(text(t, p, page.TextOptions{Tables: true}))
	if strings.Count(got, "Functions ·") != 1 || strings.Count(got, "iter\n") != 1 {
		t.Error(got)
	}
	ordered(t, got, []string{"Functions · CPU time  of 100 ms", "90.0 ms  90.0 %", "m.leaf", "m/tree.(*Tree[...]).iter", "main.main"})
}

// TestGenericNames: type arguments are cut as pprof cuts them, wherever a function
// is named.
func TestGenericNames(t *testing.T) {
	const name = "example.com/m/tree.(*Tree[go.shape.int,example.com/m.Value]).iter"
	p := visitsPage()
	p.Findings[0].Function, p.HotPlaces[0].Function, p.HotPlaces[0].Callees[0].Name = name, name, name
	got := string(text(t, p, page.TextOptions{Width: 160}))
	if strings.Contains(got, "go.shape") || strings.Count(got, "tree.(*Tree[...]).iter") != 3 {
		t.Error(got)
	}
}

// Zero is a measurement, unknown is not, and few samples are said to be few.
func TestMeasures(t *testing.T) {
	for _, c := range []struct {
		f       finding.Finding
		shares  string
		ceiling string
	}{
		{
			finding.Finding{AllocBytesRatio: 0.3, AvoidableAllocBytesRatio: 0.3, CeilingRatio: 1, CeilingWithGCRatio: 1, CPUSamples: 500, CPUSamplesNeeded: 200},
			"30.0 % of allocated bytes; 0 % of CPU time", "the gain is in memory: no CPU samples here",
		},
		{
			finding.Finding{AllocBytesRatio: 0.3, AvoidableAllocBytesRatio: 0.3, CeilingRatio: 1, CeilingWithGCRatio: 1.25, CPUSamples: 500, CPUSamplesNeeded: 200},
			"30.0 % of allocated bytes; 0 % of CPU time", "about 1.25x faster if it cost nothing (1.00x not counting the collector)",
		},
		{
			finding.Finding{CPURatio: 33.0 / 101, AvoidableCPURatio: 0.15, CeilingRatio: 1 / 0.85, CeilingWithGCRatio: 1 / 0.85, CPUSamples: 101, CPUSamplesNeeded: 200, Unknown: finding.Unknown{AllocBytes: true}},
			"32.7 % of CPU time, 15.0 % avoidable, of only 101 samples; unknown of allocated bytes", "the possible gain is unknown: 101 CPU samples, 200 needed",
		},
		{
			finding.Finding{CPURatio: 0.25, AllocBytesRatio: 0.5, AvoidableAllocBytesRatio: 0.5, CeilingRatio: 1, CeilingWithGCRatio: 1, CPUSamples: 500, CPUSamplesNeeded: 200},
			"50.0 % of allocated bytes; 25.0 % of CPU time, which the change leaves", "the gain is in memory only: the change does not affect CPU time",
		},
		{ // 1/(1 − 0.4175) = 1.717 of the avoidable part, where all of it would be 1/(1 − 0.835) = 6.06
			finding.Finding{CPURatio: 0.835, AvoidableCPURatio: 0.4175, CeilingRatio: 1 / 0.5825, CeilingWithGCRatio: 1 / 0.5825, CPUSamples: 500, CPUSamplesNeeded: 200},
			"83.5 % of CPU time, 41.8 % avoidable; 0 % of allocated bytes", "about 1.72x faster without the avoidable part",
		},
		{ // bytes alone, of which half are avoidable
			finding.Finding{AllocBytesRatio: 0.6, AvoidableAllocBytesRatio: 0.3, CeilingRatio: 1, CeilingWithGCRatio: 1.25, CPUSamples: 500, CPUSamplesNeeded: 200},
			"60.0 % of allocated bytes, 30.0 % avoidable; 0 % of CPU time", "about 1.25x faster without the avoidable part (1.00x not counting the collector)",
		},
		{
			finding.Finding{AllocBytesRatio: 0.3, AvoidableAllocBytesRatio: 0.1, CeilingRatio: 1, CPUSamplesNeeded: 200, Unknown: finding.Unknown{CPU: true, Delay: true}},
			"30.0 % of allocated bytes, 10.0 % avoidable; unknown of CPU time", "the possible gain is unknown: no CPU samples",
		},
		{
			finding.Finding{DelayRatio: 0.25, CeilingRatio: 1, CeilingWithGCRatio: 1, CPUSamples: 200, CPUSamplesNeeded: 200},
			"25.0 % of lock delay; 0 % of CPU time; 0 % of allocated bytes", "the possible gain is unknown: goroutines wait in parallel",
		},
		{
			finding.Finding{CPURatio: 1, AvoidableCPURatio: 1, DelayRatio: 0.25, CeilingRatio: 100, CeilingWithGCRatio: 100, CPUSamples: 200, CPUSamplesNeeded: 200},
			"100.0 % of CPU time; 25.0 % of lock delay; 0 % of allocated bytes", "100x faster or more if it cost nothing",
		},
	} {
		var shares []string
		for _, m := range measures(&c.f) {
			shares = append(shares, strings.Join(append([]string{m.Percent + " " + m.Name}, m.Notes...), ", "))
		}
		if got := strings.Join(shares, "; "); got != c.shares || ceiling(&c.f) != c.ceiling {
			t.Errorf("%q and %q, want %q and %q", got, ceiling(&c.f), c.shares, c.ceiling)
		}
		p := &Page{Findings: []finding.Finding{c.f}}
		for name, out := range map[string]string{"text": string(text(t, p, page.TextOptions{Width: 160})), "HTML": strings.ReplaceAll(string(html(t, p)), "&#39;", "'")} {
			if !strings.Contains(out, c.ceiling) {
				t.Errorf("%s does not say %q", name, c.ceiling)
			}
		}
	}
}

type brokenWriter struct{}

var errFull = errors.New("no space left on device")

func (brokenWriter) Write([]byte) (int, error) { return 0, errFull }

func TestWriteErrors(t *testing.T) {
	p := visitsPage()
	for name, err := range map[string]error{
		"text": WriteText(brokenWriter{}, p, page.TextOptions{}),
		"json": WriteJSON(brokenWriter{}, p, JSONOptions{}),
		"html": WriteHTML(brokenWriter{}, p),
	} {
		if !errors.Is(err, errFull) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A package with many sub-benchmarks is not listed whole: the profiled ones,
// those that failed, and ten others.
func TestManyBenchmarks(t *testing.T) {
	p := &Page{}
	for i := range 200 {
		p.Benchmarks = append(p.Benchmarks, Benchmark{Name: fmt.Sprintf("BenchmarkX/%03d", i), NsPerOp: 1, Profiled: i == 0 || i == 198})
	}
	p.Benchmarks[199].Failure = "it panicked"
	for all, want := range map[bool]int{false: 2 + 10 + 1, true: 200} {
		var buf bytes.Buffer
		if err := WriteText(&buf, p, page.TextOptions{All: all, Tables: true}); err != nil {
			t.Fatal(err)
		}
		text := buf.String()
		if got := strings.Count(text, "BenchmarkX/") - 1; got != want { // the one that failed is among the warnings too
			t.Errorf("all %v: %d benchmarks are listed, want %d", all, got, want)
		}
		for _, name := range []string{"X/000", "X/010", "X/198", "X/199"} {
			if !strings.Contains(text, name) {
				t.Errorf("all %v: %s is not listed", all, name)
			}
		}
		if strings.Contains(text, "… 187 more, not profiled: -all shows them") == all { // 200 - 13
			t.Errorf("all %v: what was left out: %s", all, text)
		}
	}
}

// TestHiddenTime: a benchmark that reports no time took some.
func TestHiddenTime(t *testing.T) {
	p := &Page{Benchmarks: []Benchmark{{Name: "BenchmarkHidden", Iterations: 7, Profiled: true}, {Name: "BenchmarkNonsense", Iterations: 7, NsPerOp: -3, Profiled: true}}}
	var text, doc strings.Builder
	if err := errors.Join(WriteText(&text, p, page.TextOptions{Tables: true}), WriteJSON(&doc, p, JSONOptions{Verb: "tune"})); err != nil {
		t.Fatal(err)
	}
	for _, b := range p.Benchmarks {
		if cells := benchmarkCells(&b); cells != [4]string{"–", "–", "–", "7"} || !strings.Contains(text.String(), b.Name) {
			t.Errorf("%s: %q in\n%s", b.Name, cells, &text)
		}
	}
	if n := strings.Count(doc.String(), `"ns_per_op": null`); n != 2 {
		t.Errorf("%d of 2 times are null in %s", n, &doc)
	}
}
