package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func pointer(v float64) *float64 { return &v }

// sample is a document of two cases, one settled and one not.
func sample() *document {
	d := newDocument(time.Date(2026, 11, 20, 12, 30, 0, 0, time.UTC))
	d.Machine, d.GoVersion, d.Commit = "A Processor | 2, 2 processors, linux/amd64", "go1.26", "0123456789ab"
	d.BudgetNs, d.ElapsedNs = int64(45*time.Second), int64(44_600*time.Millisecond)
	d.Cases = []row{
		{
			Case: "visits",
			figure: figure{
				Measure: "time per call", Unit: nsPerOp, Against: "original", PublishedRatio: pointer(9.2), BarRatio: pointer(12),
				RatioBest: 13.04, RatioBestLow: 12.61, RatioBestHigh: 13.4, NoiseRatio: pointer(0.0123), Settled: true, Rounds: 12, Old: 1956, Best: 150,
				BytesOld: pointer(1307), BytesBest: pointer(0), AllocsOld: pointer(25), AllocsBest: pointer(0),
			},
			RatioLastPublished: 9.1, RatioLastPublishedLow: 8.9, RatioLastPublishedHigh: 9.3, LastPublished: 215,
			More: []figure{{Measure: "peak memory", Unit: peakBytes, RatioBest: 0.998, RatioBestLow: 0.99, RatioBestHigh: 1.01, Rounds: 3, Old: 123 << 20, Best: 1536}},
		},
		{
			Case: "avatar",
			figure: figure{
				Measure: "requests per second", Unit: perSecond, RatioBest: 21.5, RatioBestLow: 1e-6, RatioBestHigh: 1e6, Rounds: 1, Old: 897.4, Best: 19294,
			},
			RatioLastPublished: 20, RatioLastPublishedLow: 1e-6, RatioLastPublishedHigh: 1e6, LastPublished: 17948, More: []figure{},
		},
	}
	d.warn("avatar", []string{"pinned"})
	d.warn("avatar", []string{"pinned"})
	return d
}

func TestText(t *testing.T) {
	var b bytes.Buffer
	if err := sample().writeText(&b); err != nil {
		t.Fatal(err)
	}
	want := `case    measure              published  last published, here    bar    best, here  interval              noise   first → best          allocated per operation
visits  time per call        9.20x      9.10x (8.90x to 9.30x)  12.0x  13.0x       12.6x to 13.4x        ±1.2 %  1.96 µs → 150 ns      1.28 KiB in 25 → 0 B in 0
        peak memory          –          –                       –      1.00x       0.99x to 1.01x, not settled  –       123 MiB → 1.50 KiB    –
avatar  requests per second  –          20.0x                   –      21.5x       not settled           –       897/s → 19294/s       –

2026-11-20 12:30 UTC, A Processor | 2, 2 processors, linux/amd64, go1.26, commit 0123456789ab; 45s of a budget of 45s
avatar: pinned
`
	squeeze := func(s string) string {
		var lines []string
		for line := range strings.Lines(s) {
			lines = append(lines, strings.Join(strings.Fields(line), " "))
		}
		return strings.Join(lines, "\n")
	}
	if got := b.String(); squeeze(got) != squeeze(want) {
		t.Errorf("text is\n%s, want\n%s", got, want)
	}
}

func TestJSON(t *testing.T) {
	var b bytes.Buffer
	if err := sample().writeJSON(&b); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Schema   string
		Warnings []string
		Cases    []map[string]any
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Schema != "whet/table/1" || len(got.Warnings) != 1 || len(got.Cases) != 2 {
		t.Fatalf("%s", &b)
	}
	for key, want := range map[string]any{
		"case": "visits", "measure": "time per call", "published_ratio": 9.2, "ratio_best": 13.04, "ratio_best_low": 12.61,
		"ratio_last_published": 9.1, "noise_ratio": 0.0123, "settled": true, "old": 1956.0, "best": 150.0, "allocs_best": 0.0,
	} {
		if got.Cases[0][key] != want {
			t.Errorf("%s is %v, want %v", key, got.Cases[0][key], want)
		}
	}
	second := got.Cases[1]
	for _, key := range []string{"published_ratio", "noise_ratio"} {
		if v, ok := second[key]; !ok || v != nil {
			t.Errorf("%s is %v, %t: want null", key, v, ok)
		}
	}
	if _, ok := second["ratio_best"].(float64); !ok || second["settled"] != false {
		t.Errorf("%v", second)
	}
	if more, ok := second["more"].([]any); !ok || len(more) != 0 {
		t.Errorf("more is %v", second["more"])
	}
	if more := got.Cases[0]["more"].([]any); len(more) != 1 || more[0].(map[string]any)["measure"] != "peak memory" {
		t.Errorf("more is %v", more)
	}
}

// The table in a file is exchanged for the new one, as often as one likes, and
// nothing else of the file.
func TestWriteInto(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "README.md")
	if err := os.WriteFile(name, readme, 0o644); err != nil {
		t.Fatal(err)
	}
	d := sample()
	for range 2 {
		if err := d.writeInto(name); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(readme), beginMark)
	_, after, _ := strings.Cut(rest, endMark)
	table, ok := strings.CutPrefix(string(got), before+beginMark+"\n")
	table, ok2 := strings.CutSuffix(table, endMark+after)
	if !ok || !ok2 || table != d.markdown() {
		t.Errorf("the table is %q, and the rest is changed: %t, %t", table, !ok, !ok2)
	}
	if !strings.Contains(table, "\n| visits | time per call | 9.20x | 9.10x (8.90x to 9.30x) | 12.0x | 13.0x | 12.6x to 13.4x | ±1.2 % |") ||
		!strings.Contains(table, `A Processor | 2, 2 processors`) || !strings.Contains(table, "\navatar: pinned.\n") {
		t.Errorf("table is\n%s", table)
	}
	for what, text := range map[string]string{
		"none": "# x\n", "no end": beginMark + "\n", "two": beginMark + "\n" + endMark + "\n" + beginMark + "\n", "wrong order": endMark + "\n" + beginMark + "\n",
	} {
		if changed, err := d.replace(text); err == nil {
			t.Errorf("%s: %q", what, changed)
		}
	}
	d.Interrupted = true
	var b bytes.Buffer
	if err := publish(d, options{readme: name}, &b); err == nil || !strings.Contains(err.Error(), "it is not whole, and was left as it was") || b.Len() == 0 {
		t.Errorf("%v", err)
	}
	if now, err := os.ReadFile(name); err != nil || string(now) != string(got) {
		t.Errorf("the file changed, %v", err)
	}
}

func TestQuantity(t *testing.T) {
	for _, tt := range []struct {
		x    float64
		unit string
		want string
	}{
		{0.5, nsPerOp, "0.50 ns"}, {61.5, nsPerOp, "61.5 ns"}, {999.4, nsPerOp, "999 ns"}, {5403, nsPerOp, "5.40 µs"}, {2.5e6, nsPerOp, "2.50 ms"},
		{12.34e9, cpuNs, "12.3 s"}, {123.4e9, wallNs, "123 s"}, {0, bytesPerOp, "0 B"}, {0, nsPerOp, "0 ns"}, {1024, bytesPerOp, "1.00 KiB"}, {5 << 20, peakBytes, "5.00 MiB"},
		{1.5 * (1 << 30), peakBytes, "1.50 GiB"}, {42849.4, perSecond, "42849/s"}, {25, allocsPerOp, "25"},
	} {
		if got := quantity(tt.x, tt.unit); got != tt.want {
			t.Errorf("%v %s is printed %q, want %q", tt.x, tt.unit, got, tt.want)
		}
	}
}
