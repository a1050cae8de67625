package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// sample is a document of two cases, one settled and one not.
func sample() *document {
	d := newDocument(time.Date(2026, 11, 20, 12, 30, 0, 0, time.UTC))
	d.Machine, d.GoVersion, d.Commit = "A Processor | 2, 2 processors, linux/amd64", "go1.26", "0123456789ab"
	d.BudgetNs, d.ElapsedNs = int64(45*time.Second), int64(44_600*time.Millisecond)
	yes := true
	blank := func(f figure) figure {
		for _, n := range []*number{&f.PublishedRatio, &f.BarRatio, &f.NoiseRatio, &f.AllocsBar, &f.RatioLastPublished, &f.BytesOld, &f.BytesBest, &f.AllocsOld, &f.AllocsBest} {
			if *n == 0 {
				*n = unknown
			}
		}
		return f
	}
	d.Cases = []row{
		{
			Case: "visits",
			figure: figure{
				Measure: "time per call", Unit: nsPerOp, Of: "best", Against: "original", PublishedRatio: 9.2, BarRatio: 12, AllocsBar: 0,
				RatioBest: 13.04, RatioBestLow: 12.61, RatioBestHigh: 13.4, NoiseRatio: 0.0123, Settled: true, Reached: &yes, Rounds: 12, Old: 1956, Best: 150,
				BytesOld: 1307, BytesBest: 0, AllocsOld: 25, AllocsBest: 0,
				LastPublishedStage: "final", RatioLastPublished: 9.11, RatioLastPublishedLow: 8.9, RatioLastPublishedHigh: 9.3, LastPublished: 215,
			},
			More: []figure{blank(figure{Measure: "peak memory", Unit: peakBytes, Of: "best", Against: "original", RatioBest: 0.998, RatioBestLow: 0.99, RatioBestHigh: 1.01, Rounds: 3, Old: 123 << 20, Best: 1536})},
		},
		{
			Case: "avatar",
			figure: blank(figure{
				Measure: "requests per second", Unit: perSecond, Of: "best", Against: "original", BarRatio: 22, RatioBest: 21.5, RatioBestLow: 1e-6, RatioBestHigh: 1e6, Rounds: 1, Old: 897.4, Best: 19294,
				LastPublishedStage: "lrubytes", RatioLastPublished: 20, RatioLastPublishedLow: 1e-6, RatioLastPublishedHigh: 1e6, LastPublished: 17948,
				Generator: &generator{Valid: true, Runs: 30, Bottlenecks: 1, ShareOld: 0.0491, ShareBest: 0.612},
			}),
			More: []figure{
				blank(figure{Measure: "of a constant", Unit: perSecond, Of: "best", Against: "constant", RatioBest: 0.95, RatioBestLow: 0.9, RatioBestHigh: 1.05, Settled: true, Rounds: 9, Old: 20000, Best: 19000}),
				blank(figure{Measure: "allocations", Unit: allocsPerOp, Of: "best", Against: "original", RatioBest: 1e6, RatioBestLow: 1e6, RatioBestHigh: 1e6, Settled: true, Rounds: 9, Old: 1025, Best: 0}),
				blank(figure{Measure: "wall", Unit: wallNs, Of: "best", Against: "original", BarRatio: 3, Missing: "it failed"}),
			},
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
	want := `case  measure  published  last published, here  asked  best, here  interval  reached  noise  from → to  allocated per operation  generator busy
visits  time per call  9.20x  final 9.11x (8.90x to 9.30x)  12.0x, at most 0 allocated  13.0x  12.6x to 13.4x  yes  ±1.2 %  1.96 µs → 150 ns  1.28 KiB in 25 → nothing  –
  peak memory  –  –  –  0.998x  0.990x to 1.010x, not settled  –  –  123 MiB → 1.5 KiB  –  –
avatar  requests per second  –  lrubytes 20.0x, not settled  22.0x  21.5x  not settled  not settled  –  897/s → 19,294/s  –  5 % → 61 %, the bottleneck in 1 of 30 runs
  of a constant  –  –  –  0.950x  0.900x to 1.050x  –  –  constant: 20,000/s → best: 19,000/s  –  –
  allocations  –  –  –  to none  to none  –  –  1,025 → 0  –  –
  wall  –  –  3.00x  missing: it failed  –  –  –  –  –  –

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
		"ratio_last_published": 9.11, "noise_ratio": 0.0123, "settled": true, "old": 1956.0, "best": 150.0, "allocs_best": 0.0,
		"of": "best", "against": "original", "last_published_stage": "final", "bar_ratio": 12.0, "allocs_bar": 0.0, "reached": true,
	} {
		if got.Cases[0][key] != want {
			t.Errorf("%s is %v, want %v", key, got.Cases[0][key], want)
		}
	}
	second := got.Cases[1]
	for _, key := range []string{"published_ratio", "noise_ratio", "reached", "allocs_bar", "allocs_best"} {
		if v, ok := second[key]; !ok || v != nil {
			t.Errorf("%s is %v, %t: want null", key, v, ok)
		}
	}
	if g, ok := second["generator"].(map[string]any); !ok || g["valid"] != true || g["runs"] != 30.0 || g["bottleneck_runs"] != 1.0 || g["cpu_ratio_old"] != 0.0491 || g["cpu_ratio_best"] != 0.612 {
		t.Errorf("%v", second["generator"])
	}
	if _, ok := got.Cases[0]["generator"]; ok {
		t.Error("a benchmark has a generator")
	}
	if _, ok := second["ratio_best"].(float64); !ok || second["settled"] != false {
		t.Errorf("%v", second)
	}
	if more, ok := second["more"].([]any); !ok || len(more) != 3 || more[2].(map[string]any)["missing"] != "it failed" {
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
		if err := d.writeInto(name, false); err != nil {
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
	if !ok || !ok2 || table != d.page().String() {
		t.Errorf("the table is %q, and the rest is changed: %t, %t", table, !ok, !ok2)
	}
	if !strings.Contains(table, "\n| visits | time per call | 9.20x | final 9.11x (8.90x to 9.30x) | 12.0x, at most 0 allocated | 13.0x | 12.6x to 13.4x | yes | ±1.2 % |") ||
		!strings.Contains(table, `A Processor | 2, 2 processors`) || !strings.Contains(table, "\navatar: pinned.\n") {
		t.Errorf("table is\n%s", table)
	}
	for what, text := range map[string]string{
		"none": "# x\n", "no end": beginMark + "\n", "two": beginMark + "\n" + endMark + "\n" + beginMark + "\n", "wrong order": endMark + "\n" + beginMark + "\n",
	} {
		if changed, err := d.replace(text, false); err == nil {
			t.Errorf("%s: %q", what, changed)
		}
	}
	// What is not whole is not written; Ctrl-C is told from a failure all the same.
	for _, tt := range []struct {
		interrupted bool
		err         error
		code        int
	}{{true, nil, interrupted}, {false, errors.New("a case failed"), failed}, {true, errors.New("a case failed"), interrupted}} {
		d.Interrupted = tt.interrupted
		var stdout, stderr bytes.Buffer
		code := finish(d, tt.err, options{readme: name}, &stdout, &stderr)
		if code != tt.code || !strings.Contains(stderr.String(), "it is not whole, and was left as it was") || strings.Count(stderr.String(), "\n") != 1 || stdout.Len() == 0 {
			t.Errorf("%+v: exit status %d, %s", tt, code, &stderr)
		}
		if now, err := os.ReadFile(name); err != nil || string(now) != string(got) {
			t.Errorf("the file changed, %v", err)
		}
	}
	d.Interrupted = false
	var stdout, stderr bytes.Buffer
	if code := finish(d, nil, options{readme: name}, &stdout, &stderr); code != done || stderr.Len() > 0 {
		t.Errorf("exit status %d, %s", code, &stderr)
	}
	if left, err := os.ReadDir(filepath.Dir(name)); err != nil || len(left) != 1 {
		t.Errorf("%v is there, %v", left, err)
	}
}

// The document reports the environment's effect on the figures.
func TestEnvironment(t *testing.T) {
	for _, name := range []string{"GOGC", "GOMEMLIMIT", "GODEBUG", "GOMAXPROCS"} {
		t.Setenv(name, "")
	}
	d := newDocument(time.Now())
	if d.watchEnvironment("-buildvcs=false"); len(d.Warnings) > 0 {
		t.Errorf("%q", d.Warnings)
	}
	t.Setenv("GOGC", "50")
	d.watchEnvironment("-mod=mod -race -cover")
	if got := strings.Join(d.Warnings, "\n"); got != "all stages ran with GOGC=\"50\": the figures are those under this setting\nall stages were built with GOFLAGS=\"-mod=mod -race -cover\": the figures are not those of an ordinary build" {
		t.Errorf("%s", got)
	}
}
