package suite

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"whet/internal/format/benchmark"
	"whet/internal/gobench"
	"whet/internal/history"
	"whet/internal/recording"
	"whet/internal/stat"
)

// keep adds a run of one revision, of the n-th day, to a history.
func keep(t *testing.T, dir, hostName string, n int, goVersion string, lines ...benchmark.Line) {
	t.Helper()
	clean := false
	day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, n)
	_, err := history.Append(dir, &history.Entry{
		Host: recording.Host{OS: "linux", Arch: "amd64", CPU: "X", Cores: 2}, Name: hostName, Date: day.Add(time.Hour),
		Packages: []history.Package{{ImportPath: "example.com/m", Revision: fmt.Sprintf("%04d%036d", n, 0), Dirty: &clean, Committed: day, GoVersion: goVersion, Lines: lines}},
	})
	if err != nil {
		t.Fatal(err)
	}
}

func line(name string, ns, allocs float64) benchmark.Line {
	return benchmark.Line{Name: name, Procs: 2, N: 1, NsPerOp: ns, AllocsPerOp: &allocs}
}

// TestShow: a planted change is found at its revision, in the benchmark that has
// it and on its host alone, with its ratio and what changed beside it.
func TestShow(t *testing.T) {
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(4, 4))
	noise := func(v float64) float64 { return v * (1 + rng.ExpFloat64()*0.01) }
	for n := range 30 {
		slow, goVersion := 1.0, "go1.26.1"
		if n >= 18 {
			slow, goVersion = 1.25, "go1.26.2"
		}
		var lines []benchmark.Line
		for range 3 {
			lines = append(lines, line("BenchmarkStep", noise(1000*slow), math.Round(8*slow)), line("BenchmarkFlat", noise(50), 3),
				benchmark.Line{Name: "BenchmarkRate", Procs: 2, N: 1, NsPerOp: noise(7), Metrics: []benchmark.Metric{{Unit: "MB/s", Value: 100 / slow}}})
		}
		keep(t, dir, "one", n, goVersion, lines...)
		// Another machine, half as fast, took over half of the revisions: as one
		// course that would be nothing but changes.
		if n%2 == 0 {
			keep(t, dir, "two", n, "go1.26.1", line("BenchmarkFlat", noise(100), 3))
		}
	}
	o := DefaultShowOptions()
	o.Dir, o.History, o.Match, o.Unit = t.TempDir(), dir, "", history.UnitAll
	h, err := Show(context.Background(), o)
	if err != nil || len(h.Warnings) > 0 {
		t.Fatal(err, h)
	}
	found := map[string]string{}
	for _, c := range h.Courses {
		key := c.Host[:3] + " " + c.Name + " " + c.Unit
		found[key] = ""
		for _, ch := range c.Changes {
			found[key] += fmt.Sprintf("%s %.2f %v;", c.Points[ch.At].Revision[:4], ch.Ratio, len(ch.Also) == 1 && strings.Contains(ch.Also[0], "go1.26.1 → go1.26.2"))
			if ch.PValue > 0.05 {
				t.Errorf("%s: p %v", key, ch.PValue)
			}
		}
	}
	for key, want := range map[string]string{
		"one BenchmarkStep-2 ns/op": "0018 0.80 true;", "one BenchmarkStep-2 allocs/op": "0018 0.80 true;", "one BenchmarkRate-2 MB/s": "0018 0.80 true;",
		"one BenchmarkFlat-2 ns/op": "", "one BenchmarkFlat-2 allocs/op": "", "two BenchmarkFlat-2 ns/op": "", "two BenchmarkFlat-2 allocs/op": "", "one BenchmarkRate-2 ns/op": "",
	} {
		if got, ok := found[key]; !ok || got != want {
			t.Errorf("%s: changes %q (%v), want %q", key, got, ok, want)
		}
		delete(found, key)
	}
	if len(found) > 0 {
		t.Errorf("further courses %v", found)
	}
	// Eight courses share the error, so that a change takes more than the ten
	// points that one course alone needs.
	if h.Fewest <= 10 {
		t.Errorf("a change takes %d points", h.Fewest)
	}
	// The same files give the same answer.
	again, err := Show(context.Background(), o)
	if err != nil || fmt.Sprintf("%v", again) != fmt.Sprintf("%v", h) {
		t.Errorf("the second answer differs: %v", err)
	}
}

// The levels are the medians between the changes: of 1 … 12 and 101 … 112.
func TestLevels(t *testing.T) {
	c := history.Course{Unit: "ns/op"}
	for i := range 24 {
		c.Points = append(c.Points, history.Point{Values: []float64{float64(i%12 + 1 + i/12*100)}})
	}
	got := course(&c, stat.ChangeOptions{Alpha: 0.05})
	if len(got.Changes) < 1 {
		t.Fatalf("no change in %+v", got)
	}
	for i, ch := range got.Changes {
		from, to := 0, 24
		if i > 0 {
			from = got.Changes[i-1].At
		}
		if i+1 < len(got.Changes) {
			to = got.Changes[i+1].At
		}
		middle := func(a, b int) float64 { // of values that rise by 1 within a dozen
			return (c.Points[a].Values[0] + c.Points[b-1].Values[0]) / 2
		}
		if ch.At != 12 && (from < 12) != (to <= 12) {
			continue // the two dozens are one stretch here
		}
		if ch.Old != middle(from, ch.At) || ch.New != middle(ch.At, to) || ch.Ratio != ch.Old/ch.New {
			t.Errorf("change at %d: from %v to %v, ratio %v", ch.At, ch.Old, ch.New, ch.Ratio)
		}
	}
}

func TestShowRefuses(t *testing.T) {
	dir := t.TempDir()
	keep(t, dir, "", 1, "go1.26", line("BenchmarkX", 1, 1))
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.Mkdir(empty, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		match, unit, dir string
		alpha            float64
		want             string
		usage            bool
	}{
		{"(", "ns/op", dir, 0.05, `-show "("`, true},
		{"", "ns/op", dir, 0, "-alpha 0", true},
		{"", "ns/op", dir, math.NaN(), "-alpha NaN", true},
		{"Nope", "ns/op", dir, 0.05, "no benchmark of history " + dir + " matches -show Nope: one of its benchmarks is example.com/m.BenchmarkX", true},
		{"X", "widgets", dir, 0.05, "has the unit widgets: the units are ns/op, allocs/op", true},
		{"", "ns/op", empty, 0.05, "has no results", false},
		{"", "ns/op", filepath.Join(dir, "none"), 0.05, "no such directory", false},
	} {
		_, err := Show(context.Background(), ShowOptions{Dir: dir, History: tt.dir, Match: tt.match, Unit: tt.unit, Alpha: tt.alpha})
		var ge *gobench.Error
		if err == nil || !strings.Contains(err.Error(), tt.want) || (errors.As(err, &ge) && ge.Kind == gobench.KindUsage) != tt.usage {
			t.Errorf("%q: %v, want %q", tt.match, err, tt.want)
		}
	}
}

// Long courses end with the newest points, and too many courses are cut.
func TestShowBounds(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	dir := t.TempDir()
	for n := range maxPoints + 5 {
		keep(t, dir, "", n, "go1.26", line("BenchmarkX", float64(n), 1))
	}
	h, err := Show(context.Background(), ShowOptions{Dir: dir, History: dir, Match: "X", Unit: "allocs/op", Alpha: 0.05})
	if err != nil || len(h.Courses) != 1 || len(h.Courses[0].Points) != maxPoints || !strings.HasPrefix(h.Courses[0].Points[0].Revision, "0005") || !strings.Contains(strings.Join(h.Warnings, ""), "5 are older") {
		t.Errorf("%d courses, warnings %q, %v", len(h.Courses), h.Warnings, err)
	}
	var lines []benchmark.Line
	for n := range maxCourses + 1 {
		lines = append(lines, line(fmt.Sprintf("BenchmarkY/%d", n), 1, 1))
	}
	keep(t, dir, "", 1, "go1.26", lines...)
	h, err = Show(context.Background(), ShowOptions{Dir: dir, History: dir, Match: "Y", Unit: "ns/op", Alpha: 0.05})
	if err != nil || len(h.Courses) != maxCourses || !strings.Contains(strings.Join(h.Warnings, ""), "201 courses match") {
		t.Errorf("%d courses, warnings %q, %v", len(h.Courses), h.Warnings, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Show(ctx, ShowOptions{Dir: dir, History: dir, Match: "Y", Unit: "ns/op", Alpha: 0.05}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
