package bench

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"

	"whet/internal/format/benchmark"
	"whet/internal/recording"
	"whet/internal/report/page"
	"whet/internal/report/pagetest"
)

// Lines are the lines of package testing: its own type prints the same.
func TestGoTestLine(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		n := 1 + rng.IntN(1_000_000)
		ns := math.Exp(rng.Float64()*30 - 8)
		want := testing.BenchmarkResult{N: n, T: time.Duration(ns * float64(n)), MemBytes: uint64(n) * 17, MemAllocs: uint64(n) * 3}
		if want.T <= 0 {
			continue
		}
		bytesPerOp, allocs := 17.0, 3.0
		l := benchmark.Line{Name: "BenchmarkX", Procs: 2, N: int64(n), NsPerOp: float64(want.T) / float64(n), BytesPerOp: &bytesPerOp, AllocsPerOp: &allocs}
		got := strings.TrimPrefix(goTestLine(&l), page.Pad("BenchmarkX-2", nameColumn)+"\t")
		if text := want.String() + "\t" + want.MemString(); got != text {
			t.Fatalf("%q, package testing prints %q", got, text)
		}
	}
	for _, v := range []float64{0, 0.0001, 0.00099994, 0.00099996, 0.00999949, 0.0099996, 0.999949, 0.999951, 9.99949, 9.9996, 99.9949, 99.996, 999.94, 999.96, 1e12} {
		want := testing.BenchmarkResult{N: 1, T: 1, Extra: map[string]float64{"ns/op": 0, "x/op": v}}.String()
		l := benchmark.Line{Name: "BenchmarkX", Procs: 1, N: 1, NoTime: true, Metrics: []benchmark.Metric{{Unit: "x/op", Value: v}}}
		if got := goTestLine(&l); !strings.HasSuffix(want, testingFloat(v)+" x/op") || !strings.HasSuffix(got, testingFloat(v)+" x/op") {
			t.Errorf("%v: %q, package testing prints %q", v, got, want)
		}
	}
}

func benchSettings(pkg string) []benchmark.Setting {
	return []benchmark.Setting{{Key: "goos", Value: "linux"}, {Key: "pkg", Value: pkg}, {Key: "cpu", Value: ""}}
}

func TestLines(t *testing.T) {
	write := func(full bool) (string, []benchmark.Line) {
		var b bytes.Buffer
		w := NewLines(&b, full)
		lines := []benchmark.Line{{Name: "BenchmarkX", Procs: 2, N: 10, NsPerOp: 1.23456789e6}, {Name: "BenchmarkY/a=1", Procs: 1, N: 1, NsPerOp: 2}}
		w.Ended("p/broken", "[build failed]", 0)
		w.Result(benchSettings("p/a"), lines[0])
		w.Result(benchSettings("p/a"), lines[1])
		w.Ended("p/a", "", 1500*time.Millisecond)
		w.Result(benchSettings("p/b"), lines[0])
		w.Ended("p/b", "failed", time.Second)
		if w.Err() != nil {
			t.Fatal(w.Err())
		}
		return b.String(), []benchmark.Line{lines[0], lines[1], lines[0]}
	}
	text, lines := write(false)
	const want = "FAIL\tp/broken [build failed]\n" +
		"goos: linux\npkg: p/a\nBenchmarkX-2                    \t      10\t   1234568 ns/op\nBenchmarkY/a=1                  \t       1\t         2.000 ns/op\nPASS\nok  \tp/a\t1.500s\n" +
		"goos: linux\npkg: p/b\nBenchmarkX-2                    \t      10\t   1234568 ns/op\nFAIL\nFAIL\tp/b\t1.000s\n"
	if text != want {
		t.Errorf("as go test:\n%s\nwant\n%s", text, want)
	}
	full, _ := write(true)
	// benchstat's own reader finds every result in both, in full the whole figure.
	for name, text := range map[string]string{"as go test": text, "in full": full} {
		r := benchfmt.NewReader(strings.NewReader(text), name)
		i := 0
		for r.Scan() {
			res, ok := r.Result().(*benchfmt.Result)
			if !ok {
				t.Errorf("%s: %v", name, r.Result())
				continue
			}
			l := lines[i]
			if pkg := []string{"p/a", "p/a", "p/b"}[i]; res.GetConfig("pkg") != pkg || res.Iters != int(l.N) {
				t.Errorf("%s: result %d is %s of %s", name, i, res.Name, res.GetConfig("pkg"))
			}
			if sec, _ := res.Value("sec/op"); name == "in full" && math.Abs(sec*1e9-l.NsPerOp) > 1e-9*l.NsPerOp {
				t.Errorf("%s: %v s of %v ns", name, sec, l.NsPerOp)
			}
			i++
		}
		if i != len(lines) {
			t.Errorf("%s: %d results read, %d written", name, i, len(lines))
		}
	}
	for _, full := range []bool{false, true} {
		w := NewLines(failingWriter{}, full)
		w.Result(benchSettings("p"), lines[0])
		if w.Err() == nil {
			t.Errorf("full %v: no error of a full disk", full)
		}
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func run() *Page {
	dirty := false
	metrics := func(ns, bytes, allocs float64) []benchmark.Metric {
		return []benchmark.Metric{{Unit: "ns/op", Value: ns}, {Unit: "B/op", Value: bytes}, {Unit: "allocs/op", Value: allocs}}
	}
	return &Page{
		Warnings: []string{"example.com/m/b: BenchmarkSkips skips itself"}, Host: recording.Host{OS: "linux", Arch: "amd64", Cores: 2},
		BenchTime: "1s", Rounds: 2, Planned: 3, Without: 4, ElapsedNs: 12_500_000_000, Partial: "the budget of 12s ended",
		Recording: "bench.whet", History: "history/h/a.txt",
		Packages: []Package{
			{ImportPath: "example.com/m/a", GoVersion: "go1.26", Revision: "0123456789abcdef", Dirty: &dirty, Benchmarks: []Row{{
				Name: "BenchmarkX/n=1", Procs: 2, Samples: []Sample{{10, metrics(1, 2, 3)}, {11, metrics(1.5, 2, 3)}},
				Profiles: []Profile{
					{Kind: "cpu", Path: "profiles/a/cpu.pb.gz", Samples: 1234, Top: []Share{{"runtime.mallocgc", 0.412}, {"example.com/m/a.f", 0.2}}},
					{Kind: "allocs", Path: "profiles/a/allocs.pb.gz"},
				},
			}}},
			{ImportPath: "example.com/m/\u202eb", Benchmarks: []Row{{Name: "Benchmark\x1b[2J", Procs: 1, Samples: []Sample{{1, metrics(1, 0, 0)}},
				Profiles: []Profile{{Kind: "cpu", Path: "p", Samples: 3, Top: []Share{{"evil\x1b]0;x\a", 1}}}}}}},
		},
		Failures: []Failure{{"example.com/m/c", "", "example.com/m/c does not compile: c.go:1:1: \x1b[31mred"}},
	}
}

func TestText(t *testing.T) {
	var b bytes.Buffer
	if err := WriteText(&b, run(), page.TextOptions{Width: 80}); err != nil {
		t.Fatal(err)
	}
	pagetest.Golden(t, "bench.txt", b.Bytes())
	pagetest.CheckTerminal(t, b.String(), 80)
}

func TestJSON(t *testing.T) {
	var b bytes.Buffer
	if err := WriteJSON(&b, run()); err != nil {
		t.Fatal(err)
	}
	pagetest.Golden(t, "bench.json", b.Bytes())
	if strings.ContainsAny(b.String(), "\x1b\a") {
		t.Error("a name's escapes stand in the document")
	}
	b.Reset()
	if err := WriteJSON(&b, &Page{}); err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"warnings", "benchmarks", "failures", "courses"} {
		if _, ok := doc[key].([]any); !ok {
			t.Errorf("%s is %v, and not a list", key, doc[key])
		}
	}
}

// levels returns a course of n points with a step.
func levels(n, step int, unit string, old, new float64) Course {
	c := Course{Host: "linux-amd64-x-2-cores-01234567", Package: "example.com/m/a", Name: "BenchmarkX-2", Unit: unit}
	for i := range n {
		v := old
		if i >= step {
			v = new
		}
		c.Points = append(c.Points, Point{Revision: fmt.Sprintf("%08x%032x", 0xabc0000+i, 0), When: time.Date(2026, 10, 1+i, 0, 0, 0, 0, time.UTC), Runs: 1, Values: []float64{v, v * 1.01, v * 1.03}})
	}
	if step < n {
		c.Changes = []Change{{At: step, Old: old, New: new, Ratio: old / new, PValue: 0.0012, Also: []string{"the Go version changed too: go1.26 → go1.27"}}}
	}
	return c
}

func history() *History {
	hostile := levels(3, 3, "widgets\x1b/s", 5, 5)
	hostile.Host, hostile.Name, hostile.Better = "other\u202ehost", "Benchmark<script>\x00&\"'", benchmark.Higher
	hostile.Points[0].Revision, hostile.Points[0].Dirty = "<b>\x1b", true
	hostile.Points[1].Values = []float64{math.NaN(), math.Inf(1)}
	hostile.Points[2] = Point{Values: []float64{-3}}
	return &History{Warnings: []string{"h/a.txt: line 3: no result"}, AlphaRatio: 0.05, Fewest: 10,
		Courses: []Course{levels(24, 14, "ns/op", 1200, 900), levels(4, 4, "allocs/op", 0, 0), levels(400, 100, "B/op", 1<<20, 2<<20), hostile}}
}

func TestHistoryText(t *testing.T) {
	for _, width := range []int{60, 100, 160} {
		var b bytes.Buffer
		if err := WriteHistory(&b, history(), page.TextOptions{Width: width}); err != nil {
			t.Fatal(err)
		}
		if width == 100 {
			pagetest.Golden(t, "bench_history.txt", b.Bytes())
		}
		pagetest.CheckTerminal(t, b.String(), width)
	}
	var b bytes.Buffer
	if err := WriteHistory(&b, history(), page.TextOptions{Width: 100, Color: true}); err != nil || !strings.Contains(b.String(), "\x1b[36m●\x1b[0m") {
		t.Errorf("no colour where it was asked for (%v)", err)
	}
}

// Every point has its dot, at the height of its median, and each change its
// mark in the column of its point, also where columns hold several points.
func TestGrid(t *testing.T) {
	for _, n := range []int{1, 2, 24, 80, 400} {
		for _, room := range []int{20, 80, 140} {
			c := levels(n, n/2, "ns/op", 900, 1200)
			rows, marks := c.grid(c.window(), room)
			if len(marks) > room || len(rows[0]) != len(marks) {
				t.Fatalf("%d points: %d columns in %d", n, len(marks), room)
			}
			high, low, dots, mark := 0, 0, 0, strings.IndexRune(string(marks), '▲')
			mark = len([]rune(string(marks)[:max(mark, 0)]))
			for r, row := range rows {
				for x, cell := range row {
					if cell != '●' {
						continue
					}
					dots++
					if r < plotRows/2 {
						high++
						if x < mark {
							t.Errorf("%d points in %d: a high dot at column %d, the change is marked at %d", n, room, x, mark)
						}
					} else if low++; x > mark {
						t.Errorf("%d points in %d: a low dot at column %d, after the change at %d", n, room, x, mark)
					}
				}
			}
			if want := min(n, len(marks)); dots < want || n > 1 && (high == 0 || low == 0) {
				t.Errorf("%d points in %d columns: %d dots, %d high and %d low", n, room, dots, high, low)
			}
		}
	}
}

// The picture is well-formed XML that loads nothing and runs nothing, with a
// point for each value that is known.
func TestSVG(t *testing.T) {
	var b bytes.Buffer
	h := history()
	if err := WriteSVG(&b, h); err != nil {
		t.Fatal(err)
	}
	pagetest.Golden(t, "bench_history.svg", b.Bytes())
	points, lines := 0, 0
	d := xml.NewDecoder(bytes.NewReader(b.Bytes()))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch e.Name.Local {
		case "script", "image", "use", "foreignObject", "a":
			t.Errorf("element %s", e.Name.Local)
		case "circle":
			points++
		}
		for _, a := range e.Attr {
			if strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "href" {
				t.Errorf("attribute %s", a.Name.Local)
			}
			if a.Name.Local == "class" && a.Value == "c" {
				lines++
			}
			if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
				t.Errorf("attribute %s is %s", a.Name.Local, a.Value)
			}
		}
	}
	if want := 24 + 4 + 400 + 2; points != want || lines != 2 {
		t.Errorf("%d points and %d changes drawn, want %d and 2", points, lines, want)
	}
}

func TestHistoryJSON(t *testing.T) {
	h := history()
	h.Courses = h.Courses[:1]
	var b bytes.Buffer
	if err := WriteHistoryJSON(&b, h); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Schema  string
		Courses []struct {
			Points  []struct{ Values []float64 }
			Changes []struct {
				At       int
				Revision string
				Ratio    *float64
				PValue   float64 `json:"p_value"`
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	c := doc.Courses[0]
	if doc.Schema != "whet/bench/1" || len(c.Points) != 24 || len(c.Changes) != 1 || c.Changes[0].Revision != h.Courses[0].Points[14].Revision || *c.Changes[0].Ratio != 1200.0/900 || c.Changes[0].PValue != 0.0012 {
		t.Errorf("%+v", doc)
	}
	// A level of zero has no ratio, which JSON cannot say as a number.
	h.Courses[0].Changes[0].Ratio = math.NaN()
	b.Reset()
	if err := WriteHistoryJSON(&b, h); err != nil || !strings.Contains(b.String(), `"ratio": null`) {
		t.Errorf("no ratio: %v", err)
	}
}
