package view

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"whet/internal/finding"
	"whet/internal/stat"
)

func found(rule, function string, line int, share float64, samples int64) finding.Finding {
	return finding.Finding{Rule: rule, Function: function, File: "a.go", Line: line, CPURatio: share, CPUSamples: samples, CeilingRatio: finding.Ceiling(share), Evidence: []finding.Evidence{}, Benchmarks: []string{}}
}

// TestNewcombe: the worked example of method 10 in Newcombe's paper, 56 of 70
// against 48 of 80: 0.2000, from 0.0524 to 0.3339.
func TestNewcombe(t *testing.T) {
	low, high := newcombe(stat.Wilson(48, 80, 0.95), stat.Wilson(56, 70, 0.95))
	if math.Abs(low-0.0524) > 5e-5 || math.Abs(high-0.3339) > 5e-5 {
		t.Errorf("%.4f to %.4f", low, high)
	}
}

// TestDiffFindings: what is matched by rule and function whatever its line, what
// stands on one side alone, and what chance explains.
func TestDiffFindings(t *testing.T) {
	before := []finding.Finding{
		found("logging", "m.f", 10, 0.30, 1000),
		found("logging", "m.g", 20, 0.30, 1000),
		found("fmt-format", "m.f", 11, 0.20, 1000),
		found("string-copy", "m.h", 5, 0.055, 1000),
		found("string-copy", "m.i", 6, 0.25, 1000),
		found("slice-growth", "m.s", 7, 0.10, 1000),
	}
	after := []finding.Finding{
		found("logging", "m.f", 44, 0.10, 1000), // less, for sure
		found("logging", "m.g", 20, 0.32, 1000), // 2 points of 300 ± 28
		found("slice-growth", "m.s", 7, 0.10, 1000),
		found("lock-held", "m.n\x1b[2J", 9, 0.5, 1000),
	}
	below := []finding.Finding{found("string-copy", "m.h", 5, 0.045, 1000), found("never", "m.x", 1, 0.01, 1000)}
	d := DiffFindings(0.05, before, nil, after, below)
	want := []struct {
		change, rule, function string
		noise                  bool
	}{
		{"gone", "fmt-format", "m.f", false},
		{"gone", "string-copy", "m.h", true},
		{"gone", "string-copy", "m.i", false},
		{"new", "lock-held", "m.n\x1b[2J", false},
		{"changed", "logging", "m.f", false},
		{"same", "logging", "m.g", true},
		{"same", "slice-growth", "m.s", true},
	}
	if len(d.Changes) != len(want) {
		t.Fatalf("%+v", d.Changes)
	}
	// Allocations that were counted in full: across the threshold by less than a point,
	// and by more.
	ofBytes := func(share float64) []finding.Finding {
		return []finding.Finding{{Rule: "string-copy", Function: "m.f", AllocBytesRatio: share, Unknown: finding.Unknown{CPU: true, Delay: true}}}
	}
	for share, noise := range map[float64]bool{0.049: true, 0.03: false} {
		if c := DiffFindings(0.05, ofBytes(0.053), nil, nil, ofBytes(share)).Changes[0]; c.Change != FindingGone || c.Noise != noise {
			t.Errorf("5.3 %% to %v: %s, noise %v", share, c.Change, c.Noise)
		}
		if c := DiffFindings(0.05, nil, ofBytes(share), ofBytes(0.053), nil).Changes[0]; c.Change != FindingNew || c.Noise != noise {
			t.Errorf("%v to 5.3 %%: %s, noise %v", share, c.Change, c.Noise)
		}
	}
	for i, w := range want {
		c := d.Changes[i]
		f := c.After
		if f == nil {
			f = c.Before
		}
		if c.Change != w.change || f.Rule != w.rule || f.Function != w.function || c.Noise != w.noise {
			t.Errorf("%d: %s %s %s, noise %v; want %+v", i, c.Change, f.Rule, f.Function, c.Noise, w)
		}
	}
	var b bytes.Buffer
	if err := d.Write(&b); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"Findings: 3 gone, 1 new, 1 changed, 2 unchanged\n",
		"gone     fmt-format in m.f (a.go:11)\n         CPU 20.0 % → none, ceiling 1.25x → none\n",
		"CPU 5.5 % → 4.5 %, ceiling 1.06x → 1.05x; noise: within the sampling error\n",
		"new      lock-held in m.n\\x1b[2J (a.go:9)\n         CPU none → 50.0 %, ceiling none → 2.00x\n",
		"changed  logging in m.f (a.go:10 → a.go:44)\n         CPU 30.0 % → 10.0 %, ceiling 1.43x → 1.11x\n",
		"same     slice-growth in m.s (a.go:7)\n         CPU 10.0 %, ceiling 1.11x\n",
	} {
		if !strings.Contains(b.String(), line) {
			t.Errorf("no %q in\n%s", line, b.String())
		}
	}
	b.Reset()
	if err := WriteDiffJSON(&b, "a.whet", "b.whet", d, nil, "busy"); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Warnings []string
		Findings []struct {
			Change        string
			Noise         bool `json:"within_noise"`
			Before, After *finding.Finding
		}
	}
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil || len(doc.Findings) != len(want) || doc.Findings[0].After != nil || doc.Findings[1].After.CPURatio != 0.045 || !doc.Findings[5].Noise || len(doc.Warnings) != 1 {
		t.Errorf("%v %+v", err, doc)
	}
}

// TestDiffOfServices: the load stands before the findings, and an unknown CPU time
// is no zero.
func TestDiffOfServices(t *testing.T) {
	perRequest := 504_000.0
	d := DiffFindings(0.05, nil, nil, nil, nil)
	d.Service = &ServiceDiff{Before: ServiceLoad{1161, 41_900_000, 209_000_000, &perRequest}, After: ServiceLoad{2068, 24_600_000, 165_000_000, nil}}
	var b bytes.Buffer
	if err := d.Write(&b); err != nil {
		t.Fatal(err)
	}
	const want = `Load, before → after, one measurement of each: whet prove -url tests whether they differ
  throughput   1,161 → 2,068 requests a second
  service time p50 41.9 ms → 24.6 ms, p99 209 ms → 165 ms
  server's CPU 504 µs → unknown a request
Findings: 0 gone, 0 new, 0 changed, 0 unchanged
`
	if got := strings.ReplaceAll(b.String(), "\u00a0", " "); got != want {
		t.Errorf("%s\nnot\n%s", got, want)
	}
	type load struct {
		Throughput float64            `json:"throughput_per_s"`
		Time       map[string]float64 `json:"service_time_ns"`
		CPU        *float64           `json:"cpu_per_request_ns"`
	}
	var doc struct{ Service *struct{ Before, After load } }
	b.Reset()
	if err := WriteDiffJSON(&b, "a.whet", "b.whet", d, nil); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil || doc.Service == nil || doc.Service.Before.Time["p99"] != 209e6 || *doc.Service.Before.CPU != 504e3 || doc.Service.After.Throughput != 2068 || doc.Service.After.CPU != nil {
		t.Errorf("%v in\n%s", err, b.String())
	}
	doc.Service = nil
	b.Reset()
	if err := errors.Join(WriteDiffJSON(&b, "a", "b", DiffFindings(0.05, nil, nil, nil, nil), nil), json.Unmarshal(b.Bytes(), &doc)); err != nil || doc.Service != nil {
		t.Errorf("of no service: %v, %s", err, b.String())
	}
}

// TestDiffFindingsOfItself: nothing is gone, new or changed.
func TestDiffFindingsOfItself(t *testing.T) {
	fs := []finding.Finding{found("a", "f", 1, 0.5, 10), found("a", "f", 9, 0.25, 10), found("b", "f", 1, 0.125, 0)}
	for _, c := range DiffFindings(0.05, fs, nil, fs, nil).Changes {
		if c.Change != FindingSame || c.Before != c.After {
			t.Errorf("%+v", c)
		}
	}
	// Allocations that were counted one by one have no sampling error.
	for share, noise := range map[float64]bool{0.130: true, 0.136: false} {
		more := []finding.Finding{found("b", "f", 1, share, 0)}
		if c := DiffFindings(0.05, fs[2:], nil, more, nil).Changes[0]; (c.Change == FindingSame) != noise || c.Noise != noise {
			t.Errorf("%v: %+v", share, c)
		}
	}
}

// TestDiffFindingsUnmeasured: what the other side did not measure is not gone.
func TestDiffFindingsUnmeasured(t *testing.T) {
	of := func(rule string, benchmarks ...string) finding.Finding {
		f := found(rule, "m.f", 1, 0.5, 1000)
		f.Benchmarks = benchmarks
		return f
	}
	before := []finding.Finding{of("a", "BenchmarkA"), of("b", "BenchmarkA", "BenchmarkB"), of("c")}
	after := []finding.Finding{of("d", "BenchmarkC")}
	d := DiffFindings(0.05, before, nil, after, nil)
	d.Unmeasured(map[string]bool{"BenchmarkA": true, "BenchmarkB": true, "BenchmarkC": false}, map[string]bool{"BenchmarkB": true, "BenchmarkC": true})
	var got []string
	for i := range d.Changes {
		c := &d.Changes[i]
		f := c.Before
		if f == nil {
			f = c.After
		}
		got = append(got, c.Change+" "+f.Rule)
	}
	if want := "gone b, gone c, not-measured a, not-measured d"; strings.Join(got, ", ") != want {
		t.Errorf("%s, want %s", strings.Join(got, ", "), want)
	}
	d.Before, d.After = "a.whet  m", "b.whet  m"
	var b bytes.Buffer
	if err := d.Write(&b); err != nil || !strings.HasPrefix(b.String(), "before  a.whet  m\nafter   b.whet  m\nFindings: 2 gone, 0 new, 0 changed, 0 unchanged, 2 of benchmarks not measured on the other side\n") {
		t.Errorf("%v\n%s", err, &b)
	}
}
