package gc

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"whet/internal/analyze/gc"
	"whet/internal/format/gctrace"
	"whet/internal/format/metrics"
	"whet/internal/report/page"
	"whet/internal/report/pagetest"
	"whet/internal/sweep"
)

func pageOf(t *testing.T, name string) *Page {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	trace, err := gctrace.Read(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	p := &Page{Name: filepath.Base(name), What: "gctrace log", Trace: trace, Process: Biggest(trace), Warnings: trace.Warnings()}
	p.Result = gc.Analyze(gc.Input{Process: p.Process, LimitBytes: 64 << 20})
	return p
}

func logs(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, pattern := range []string{"../../format/gctrace/testdata/logs/*.log", "../../analyze/gc/testdata/*.log"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatal(pattern, err)
		}
		out = append(out, names...)
	}
	return out
}

// TestJSON: every cycle of every log stands in the document, with the figures of its line,
// which another program's reader finds again.
func TestJSON(t *testing.T) {
	for _, name := range logs(t) {
		p := pageOf(t, name)
		var b bytes.Buffer
		if err := WriteJSON(&b, p); err != nil {
			t.Fatal(err)
		}
		var doc struct {
			Schema  string
			Summary struct {
				Pauses struct {
					TotalNs int64 `json:"total_ns"`
				}
				CPU struct {
					TakenNs int64 `json:"taken_ns"`
					IdleNs  int64 `json:"idle_ns"`
				}
			}
			Cycles []struct {
				N             int64
				SweepTermNs   int64  `json:"sweep_term_ns"`
				MarkTermNs    int64  `json:"mark_term_ns"`
				SweepTermCPU  int64  `json:"sweep_term_cpu_ns"`
				AssistCPU     int64  `json:"assist_cpu_ns"`
				BackgroundCPU int64  `json:"background_cpu_ns"`
				IdleCPU       int64  `json:"idle_cpu_ns"`
				MarkTermCPU   int64  `json:"mark_term_cpu_ns"`
				StackBytes    *int64 `json:"stack_bytes"`
			}
		}
		if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var paused, taken, idle int64
		for _, c := range doc.Cycles {
			paused += c.SweepTermNs + c.MarkTermNs
			taken += c.SweepTermCPU + c.AssistCPU + c.BackgroundCPU + c.MarkTermCPU
			idle += c.IdleCPU
		}
		if int64(len(doc.Cycles)) != p.Trace.Counts.Cycles || paused != doc.Summary.Pauses.TotalNs || taken != doc.Summary.CPU.TakenNs || idle != doc.Summary.CPU.IdleNs {
			t.Errorf("%s: %d cycles of %d, paused %d, taken %d, idle %d: %+v", name, len(doc.Cycles), p.Trace.Counts.Cycles, paused, taken, idle, doc.Summary)
		}
	}
}

// TestUnknown: what a line does not say is null, not 0.
func TestUnknown(t *testing.T) {
	c := gctrace.Cycle{N: 1, GoalBytes: gctrace.NoGoal, StackBytes: -1, GlobalBytes: -1}
	var doc map[string]any
	if err := json.Unmarshal(appendCycle(nil, 1, &c), &doc); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"goal_bytes", "stack_bytes", "global_bytes"} {
		if v, ok := doc[key]; !ok || v != nil {
			t.Errorf("%s is %v", key, v)
		}
	}
	if len(doc) != 20 {
		t.Errorf("%d keys", len(doc))
	}
}

// TestPages: text, page and picture of a log are well formed, and hold its conclusions.
func TestPages(t *testing.T) {
	for _, name := range logs(t) {
		if strings.Contains(name, "esbulk_readall") || strings.Contains(name, "havlak") {
			continue // they have nothing that the others lack
		}
		p := pageOf(t, name)
		p.Name = "<script>\x1b[31m" + p.Name
		p.Grown = &Grown{BeforeBytes: 1, AfterBytes: 3, Places: []GrownPlace{{Function: "main.<b>", File: "a\x1b.go", Line: 3, AfterBytes: 2, Callers: []string{"main.main"}}}}
		var text, html, svg bytes.Buffer
		for _, err := range []error{WriteText(&text, p, page.TextOptions{All: true}), WriteHTML(&html, p), WriteSVG(&svg, p)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		pagetest.CheckMarkup(t, name, html.Bytes())
		pagetest.CheckPolicy(t, name, html.Bytes(), bytes.Count(html.Bytes(), []byte("class=\"read-data\"")))
		for d := xml.NewDecoder(&svg); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		flat := strings.Join(strings.Fields(text.String()), " ")
		for _, c := range p.conclusions() {
			if !strings.Contains(flat, strings.Join(strings.Fields(strings.ReplaceAll(c.Text, "\u00a0", " ")), " ")) {
				t.Errorf("%s: the text lacks %q", name, c.Text)
			}
		}
		if strings.ContainsRune(text.String(), 0x1b) {
			t.Errorf("%s: a name colours the terminal", name)
		}
	}
}

// TestThinned: of very many cycles a chart has the least and the greatest value all the
// same.
func TestThinned(t *testing.T) {
	x := page.Axis{From: 0, To: 1e6}
	l := newLine(x, 1e6)
	for i := range int64(1e6) {
		v := float64(i % 100)
		switch i {
		case 123_456:
			v = -7
		case 654_321:
			v = 1e9
		}
		l.add(i, v)
	}
	least, most := 0.0, 0.0
	samples := l.of("", "").Samples
	for i, s := range samples {
		least, most = min(least, s.V), max(most, s.V)
		if i > 0 && s.T <= samples[i-1].T {
			t.Fatal("not in order of time")
		}
	}
	if len(samples) > mostSamples+2 || least != -7 || most != 1e9 {
		t.Errorf("%d samples from %v to %v", len(samples), least, most)
	}
}

// TestRows: the charts of metrics are drawn, with what is unknown left out.
func TestRows(t *testing.T) {
	var rows []metrics.Row
	for i := range int64(20) {
		n := func(v int64) *int64 { return &v }
		rows = append(rows, metrics.Row{TimeNs: i * 1e8, HeapLiveBytes: n(i << 20), HeapGoalBytes: n(30 << 20), GCCycles: n(i)})
	}
	p := &Page{Name: "http://localhost:1/", What: "runtime metrics", Rows: rows, Result: gc.OfRows(rows, 0)}
	var html, doc bytes.Buffer
	if err := errors.Join(WriteHTML(&html, p), WriteJSON(&doc, p)); err != nil {
		t.Fatal(err)
	}
	pagetest.CheckMarkup(t, "rows", html.Bytes())
	var got struct{ Samples []metrics.Row }
	if err := json.Unmarshal(doc.Bytes(), &got); err != nil || len(got.Samples) != 20 {
		t.Errorf("%d samples, %v", len(got.Samples), err)
	}
	if !bytes.Contains(html.Bytes(), []byte("heap, goal over time")) && !bytes.Contains(html.Bytes(), []byte("heap, goal")) {
		t.Error("no chart of the heap")
	}
}

// TestLive: the chart on a terminal has as many lines always, and none too wide.
func TestLive(t *testing.T) {
	p := pageOf(t, "../../format/gctrace/testdata/logs/esbulk_readall.gctrace.log")
	l := Live{Command: "x"}
	want := len(l.Lines(80, false))
	for i, c := range p.Process.Cycles.All() {
		l.Add(1, i+1, c)
		if i%500 != 0 && i > 3 {
			continue
		}
		lines := l.Lines(60, false)
		if len(lines) != want {
			t.Fatalf("%d lines, %d before", len(lines), want)
		}
		for _, line := range lines {
			if page.Cells(line) >= 60 {
				t.Errorf("%q is %d wide", line, page.Cells(line))
			}
		}
	}
	if text := strings.Join(l.Lines(100, false), "\n"); !strings.Contains(text, "cycle 500: 21 MiB, of it 10 MiB alive") {
		t.Error(text)
	}
}

// TestSweepPages: what a sweep found is in each form of it, also a name that is none.
func TestSweepPages(t *testing.T) {
	s := &Sweep{Command: "./x<b>\x1b[1m", Result: &sweep.Result{NoiseRatio: math.NaN(), Points: []sweep.Point{
		{Setting: sweep.Setting{Percent: 100, LimitBytes: sweep.Off}, Runs: []sweep.Run{{Time: 2e9, PeakBytes: 10 << 20}, {Time: 4e9, PeakBytes: 12 << 20}}, Time: 3e9, PeakBytes: 11 << 20, Front: true, Choice: true},
		{Setting: sweep.Setting{Percent: sweep.Off, LimitBytes: 64 << 20}, Runs: []sweep.Run{{Time: 1e9, PeakBytes: 70 << 20}}, Time: 1e9, PeakBytes: 70 << 20, Front: true, Choice: true, Refined: true},
	}}}
	var text, html, svg, doc bytes.Buffer
	if err := errors.Join(WriteSweepText(&text, s, page.TextOptions{}), WriteSweepHTML(&html, s), WriteSweepSVG(&svg, s), WriteSweepJSON(&doc, s)); err != nil {
		t.Fatal(err)
	}
	pagetest.CheckMarkup(t, "sweep", html.Bytes())
	pagetest.CheckPolicy(t, "sweep", html.Bytes(), 0)
	if err := xml.Unmarshal(svg.Bytes(), new(struct{})); err != nil {
		t.Error(err)
	}
	// A third of the time, and 70 of 11 MiB.
	flat := strings.Join(strings.Fields(text.String()), " ")
	for _, want := range []string{"GOGC=100: 3.00 s, 11 MiB (Go's own setting)", "GOGC=off GOMEMLIMIT=64MiB: 1.00 s, 70 MiB (33.3 % of the time and 636.4 % of the memory of Go's own setting)", "3.00 s 2.00 s 4.00 s 11 MiB 10 MiB 12 MiB 2 choose"} {
		if !strings.Contains(flat, want) {
			t.Errorf("%q is not in %s", want, flat)
		}
	}
	var got struct {
		Points []struct {
			GOGC  *int   `json:"gogc"`
			Limit *int64 `json:"memlimit_bytes"`
		}
	}
	if err := json.Unmarshal(doc.Bytes(), &got); err != nil || len(got.Points) != 2 || *got.Points[0].GOGC != 100 || got.Points[0].Limit != nil || got.Points[1].GOGC != nil || *got.Points[1].Limit != 64<<20 {
		t.Errorf("%s, %v", doc.Bytes(), err)
	}
}
