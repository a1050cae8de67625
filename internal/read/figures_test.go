package read

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"whet/internal/analyze/events"
	"whet/internal/format/gctrace"
	loadformat "whet/internal/format/load"
	"whet/internal/format/metrics"
	"whet/internal/record"
	"whet/internal/recording"
	"whet/internal/report/run"
)

// recorded makes a recording of what fill puts into it, and its page.
func recorded(t *testing.T, fill func(w *recording.Writer, write func(recording.Artifact, []byte))) (*recording.Recording, *run.Page) {
	t.Helper()
	w, err := recording.Create(filepath.Join(t.TempDir(), "run.whet"), time.Unix(1e9, 0))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Discard()
	fill(w, func(a recording.Artifact, data []byte) {
		t.Helper()
		if err := w.Write(a, data); err != nil {
			t.Fatal(err)
		}
	})
	path, err := w.Finish(time.Minute, "")
	if err != nil {
		t.Fatal(err)
	}
	rec, err := recording.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { rec.Close() })
	page, err := Recording(rec, ParsedParts{}).Page()
	if err != nil {
		t.Fatal(err)
	}
	return rec, page
}

// pprofOf makes a profile of two columns, the second by value for each of the
// first, with stacks of one function under main.main.
func pprofOf(t *testing.T, types [2]string, units [2]string, value int64, counts map[string]int64) []byte {
	t.Helper()
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: types[0], Unit: units[0]}, {Type: types[1], Unit: units[1]}},
		PeriodType: &profile.ValueType{Type: types[1], Unit: units[1]}, Period: value, DurationNanos: 10e9, TimeNanos: 1e18,
	}
	place := func(name string) *profile.Location {
		f := &profile.Function{ID: uint64(len(p.Function) + 1), Name: name, Filename: "main.go"}
		l := &profile.Location{ID: f.ID, Address: f.ID, Line: []profile.Line{{Function: f, Line: 1}}}
		p.Function, p.Location = append(p.Function, f), append(p.Location, l)
		return l
	}
	root := place("main.main")
	for name, n := range counts {
		p.Sample = append(p.Sample, &profile.Sample{Location: []*profile.Location{place(name), root}, Value: []int64{n, n * value}})
	}
	var buf bytes.Buffer
	if err := p.Write(&buf); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func rowsOf(t *testing.T, rows ...metrics.Row) []byte {
	t.Helper()
	var buf bytes.Buffer
	for _, row := range rows {
		if err := json.NewEncoder(&buf).Encode(row); err != nil {
			t.Fatal(err)
		}
	}
	return buf.Bytes()
}

func ptr[T any](v T) *T { return &v }

// TestSegmentsOfACPUProfile: an agent cuts the CPU profile of a program that
// runs for long. Of 300 samples in the first segment and 100 in the second, 250
// are in main.early and 150 in main.late.
func TestSegmentsOfACPUProfile(t *testing.T) {
	_, page := recorded(t, func(w *recording.Writer, write func(recording.Artifact, []byte)) {
		w.Manifest.Kind, w.Manifest.Target = recording.TargetProgram, "./x"
		record.Programs.Set(&w.Manifest, &record.Program{Runs: []record.Execution{{EndNs: 20e9}}})
		types, units := [2]string{"samples", "cpu"}, [2]string{"count", "nanoseconds"}
		for i, counts := range []map[string]int64{{"main.early": 250, "main.late": 50}, {"main.late": 100}} {
			write(recording.Artifact{Path: []string{"profiles/cpu-000.pb.gz", "profiles/cpu-001.pb.gz"}[i], Kind: recording.KindCPU, StartNs: int64(i) * 10e9, EndNs: int64(i+1) * 10e9},
				pprofOf(t, types, units, 10e6, counts))
		}
	})
	if len(page.Profiles) != 1 {
		t.Fatalf("%d profiles on the page, want one", len(page.Profiles))
	}
	p := page.Profiles[0]
	if p.Samples[0] != 400 || p.Values[0] != 4e9 {
		t.Errorf("base of %d samples and %d ns, want 400 and 4e9", p.Samples[0], p.Values[0])
	}
	if top := p.Top[0]; top.Function != "main.early" || top.Flat != 25e8 {
		t.Errorf("top is %s with %d ns, want main.early with 2.5e9", top.Function, top.Flat)
	}
	if want := "CPU-bound in main.early (62.5 % of CPU); no rule found a cause: look first at "; !strings.HasPrefix(page.Verdict.Text, want) {
		t.Errorf("verdict %q, want %q", page.Verdict.Text, want)
	}
}

// TestOwnCollections: of three forced collections whet asked for the first,
// which without a warm-up lies under load.
func TestOwnCollections(t *testing.T) {
	const log = "gc 1 @1.005s 0%: 0.01+1.0+0.01 ms clock, 0.02+0/1.0/0+0.02 ms cpu, 4->4->1 MB, 4 MB goal, 0 MB stacks, 0 MB globals, 2 P (forced)\n" +
		"gc 2 @4.000s 0%: 0.01+1.0+0.01 ms clock, 0.02+0/1.0/0+0.02 ms cpu, 4->4->1 MB, 4 MB goal, 0 MB stacks, 0 MB globals, 2 P (forced)\n"
	forced := func(own ...recording.Span) (at []int64) {
		_, page := recorded(t, func(w *recording.Writer, write func(recording.Artifact, []byte)) {
			w.Manifest.Kind = recording.TargetService
			loadformat.ServicePart.Set(&w.Manifest, &loadformat.Service{OwnGC: own, Load: loadformat.Sums{StartNs: 2e9, EndNs: 12e9}})
			write(recording.Artifact{Path: "gc/gctrace.txt", Kind: recording.KindGC, StartNs: 1e9, EndNs: 13e9}, []byte(log))
			write(recording.Artifact{Path: "metrics/metrics.jsonl", Kind: recording.KindMetrics, StartNs: 2e9, EndNs: 12e9},
				rowsOf(t, metrics.Row{TimeNs: 2e9, PID: 1, GCForced: ptr(int64(0))}, metrics.Row{TimeNs: 12e9, PID: 1, GCForced: ptr(int64(2))}))
		})
		for _, e := range page.Events {
			if e.Kind == events.ForcedGC {
				at = append(at, e.StartNs)
			}
		}
		return at
	}
	if at := forced(); len(at) != 2 || at[0] != 2_005e6 || at[1] != 5e9 {
		t.Errorf("without whet's: %v", at)
	}
	if at := forced(recording.Span{StartNs: 2e9, EndNs: 2_010e6}); len(at) != 1 || at[0] != 5e9 {
		t.Errorf("with whet's: %v", at)
	}
}

// TestRatesOfAProgram: two runs of 2 s each, 10 s apart, in which goroutines
// waited for 8 s: 2 a second. The control group held them back for 0.1 and 0.3 s,
// and for 5 s in between, when the next run was not there yet.
func TestRatesOfAProgram(t *testing.T) {
	rec, page := recorded(t, func(w *recording.Writer, write func(recording.Artifact, []byte)) {
		w.Manifest.Kind, w.Manifest.Target = recording.TargetProgram, "./x"
		w.Manifest.Host.ThrottledNs = ptr(int64(9e9)) // with the build
		record.Programs.Set(&w.Manifest, &record.Program{MachineBusyRatio: ptr(0.5), Runs: []record.Execution{{StartNs: 0, EndNs: 2e9}, {StartNs: 12e9, EndNs: 14e9}}})
		write(recording.Artifact{Path: "profiles/block.pb.gz", Kind: recording.KindBlock, EndNs: 14e9},
			pprofOf(t, [2]string{"contentions", "delay"}, [2]string{"count", "nanoseconds"}, 1e9, map[string]int64{"sync.(*Mutex).Lock": 8}))
		row := func(at, throttled int64) metrics.Row {
			return metrics.Row{TimeNs: at, PID: 1 + at/10e9, ThrottledNs: &throttled}
		}
		write(recording.Artifact{Path: "metrics/metrics.jsonl", Kind: recording.KindMetrics, EndNs: 14e9},
			rowsOf(t, row(1e6, 0), row(2e9, 1e8), row(12e9, 51e8), row(14e9, 54e8)))
	})
	if len(page.Contention) != 1 || page.Contention[0].DelayNs != 8e9 || page.Contention[0].PerS != 2 {
		t.Errorf("contention: %+v", page.Contention)
	}
	// That the second run is another process is what was asked for.
	if text := fmt.Sprint(page.Events, page.Warnings); strings.Contains(text, "restart") {
		t.Error(text)
	}
	c := Recording(rec, ParsedParts{}).conditions()
	if c.ThrottledNs == nil || *c.ThrottledNs != 4e8 || c.WallNs != 4e9 || *c.MachineBusy != 0.5 {
		t.Errorf("conditions: throttled %v of %d, busy %v", c.ThrottledNs, c.WallNs, c.MachineBusy)
	}
}

// TestWaitsThatWereNotRecorded: an empty mutex profile says that nobody waited
// only where waits were recorded.
func TestWaitsThatWereNotRecorded(t *testing.T) {
	for _, test := range []struct {
		name     string
		fraction *int64
		waits    int64
		want     bool
	}{
		{"none recorded", ptr(int64(0)), 0, false},
		{"no longer recorded", ptr(int64(0)), 5, false},
		{"recorded, none seen", ptr(int64(10)), 0, true},
		{"unknown, none seen", nil, 0, false},
		{"unknown, some seen", nil, 5, true},
	} {
		waits := make(map[string]int64)
		if test.waits > 0 {
			waits["sync.(*Mutex).Unlock"] = test.waits
		}
		rec, page := recorded(t, func(w *recording.Writer, write func(recording.Artifact, []byte)) {
			w.Manifest.Kind, w.Manifest.Target = recording.TargetService, "http://x/"
			loadformat.ServicePart.Set(&w.Manifest, &loadformat.Service{MutexFraction: test.fraction})
			write(recording.Artifact{Path: "profiles/cpu.pb.gz", Kind: recording.KindCPU, EndNs: 4e9},
				pprofOf(t, [2]string{"samples", "cpu"}, [2]string{"count", "nanoseconds"}, 1e7, map[string]int64{"main.f": 400}))
			write(recording.Artifact{Path: "profiles/mutex.pb.gz", Kind: recording.KindMutex, EndNs: 4e9},
				pprofOf(t, [2]string{"contentions", "delay"}, [2]string{"count", "nanoseconds"}, 1e6, waits))
		})
		if got := Recording(rec, ParsedParts{}).subjects[0].Mutex != nil; got != test.want {
			t.Errorf("%s: a profile to judge by: %v", test.name, got)
		}
		if said := strings.Contains(strings.Join(page.NotAsked, "\n"), "lock-held and lock-contention were not applied: no mutex profile was recorded"); said == test.want || strings.Contains(strings.Join(page.Warnings, "\n"), "asked") {
			t.Errorf("%s: not asked %q, warnings %q", test.name, page.NotAsked, page.Warnings)
		}
	}
}

// TestGrowthInTheVerdict: 30 s of 10 goroutines more a second are said in the
// verdict, short.
func TestGrowthInTheVerdict(t *testing.T) {
	rec, page := recorded(t, func(w *recording.Writer, write func(recording.Artifact, []byte)) {
		w.Manifest.Kind, w.Manifest.Target = recording.TargetService, "http://x/"
		loadformat.ServicePart.Set(&w.Manifest, &loadformat.Service{Load: loadformat.Sums{EndNs: 30e9, ServiceTimeNs: loadformat.Times{Mean: 2.5e6}}})
		var rows []metrics.Row
		for i := range int64(300) {
			rows = append(rows, metrics.Row{TimeNs: i * 1e8, PID: 1, Goroutines: ptr(20 + i)})
		}
		write(recording.Artifact{Path: "metrics/metrics.jsonl", Kind: recording.KindMetrics, EndNs: 30e9}, rowsOf(t, rows...))
		write(recording.Artifact{Path: "profiles/cpu.pb.gz", Kind: recording.KindCPU, EndNs: 30e9},
			pprofOf(t, [2]string{"samples", "cpu"}, [2]string{"count", "nanoseconds"}, 1e7, map[string]int64{"main.f": 2000}))
	})
	if !strings.HasSuffix(page.Verdict.Text, "; and goroutines rose steadily by 10 a second") {
		t.Errorf("verdict %q, events %+v", page.Verdict.Text, page.Events)
	}
	if c := Recording(rec, ParsedParts{}).conditions(); c.ServiceTimeNs != 2.5e6 {
		t.Errorf("service time %v", c.ServiceTimeNs)
	}
}

// TestIterationsOfAProgram: one of three runs left no profile.
func TestIterationsOfAProgram(t *testing.T) {
	rec, _ := recorded(t, func(w *recording.Writer, _ func(recording.Artifact, []byte)) {
		w.Manifest.Kind, w.Manifest.Target = recording.TargetProgram, "./x"
		record.Programs.Set(&w.Manifest, &record.Program{Runs: []record.Execution{{EndNs: 1e9}, {StartNs: 1e9, EndNs: 2e9, AgentMissing: "killed"}, {StartNs: 2e9, EndNs: 3e9}}})
	})
	if s := Recording(rec, ParsedParts{}).subjects[0]; s.CPUIterations != 2 || s.MutexIterations != 2 || s.AllocIterations != 2 {
		t.Errorf("iterations %d, %d, %d; want 2", s.CPUIterations, s.MutexIterations, s.AllocIterations)
	}
}

// TestCPUPerAnswer: 900 of 1000 requests were refused and cost the target
// nothing: 2 s of CPU time for 100 answers are 20 ms each.
func TestCPUPerAnswer(t *testing.T) {
	rec, page := recorded(t, func(w *recording.Writer, _ func(recording.Artifact, []byte)) {
		w.Manifest.Kind = recording.TargetService
		w.Manifest.Host = recording.Host{Cores: 2, GOMAXPROCS: 8, CPULimitCores: ptr(0.5)}
		loadformat.ServicePart.Set(&w.Manifest, &loadformat.Service{TargetCPUNs: ptr(int64(2e9)), Load: loadformat.Sums{EndNs: 10e9, Requests: 1000,
			Errors: map[string]int64{"connection refused": 900}, Status: map[string]int64{"200": 60, "404": 40}}})
	})
	if per := page.Service.CPUPerRequestNs; per == nil || *per != 20e6 {
		t.Errorf("CPU time per answer: %v", per)
	}
	// It ran already: the limits here are the generator's.
	if c := Recording(rec, ParsedParts{}).conditions(); c.Cores != 8 || c.GeneratorCores != 1 || c.MachineCores != 2 || c.Requests != 100 || !c.SameRequest {
		t.Errorf("cores %d, generator %d, machine %d; %d requests, the same: %v", c.Cores, c.GeneratorCores, c.MachineCores, c.Requests, c.SameRequest)
	}
}

// TestPreemption: samples in which a goroutine was stopped are those of the code
// that was, in the tables and at the hot places.
func TestPreemption(t *testing.T) {
	_, page := recorded(t, func(w *recording.Writer, write func(recording.Artifact, []byte)) {
		w.Manifest.Kind, w.Manifest.Target = recording.TargetProgram, "./x"
		record.Programs.Set(&w.Manifest, &record.Program{Runs: []record.Execution{{EndNs: 4e9}}})
		write(recording.Artifact{Path: "profiles/cpu.pb.gz", Kind: recording.KindCPU, EndNs: 4e9},
			pprofOf(t, [2]string{"samples", "cpu"}, [2]string{"count", "nanoseconds"}, 1e7, map[string]int64{"runtime.asyncPreempt": 300, "main.f": 100}))
	})
	if top := page.Profiles[0].Top; len(top) != 2 || top[0].Function != "main.main" || top[0].Flat != 3e9 || top[1].Function != "main.f" || top[1].Flat != 1e9 {
		t.Errorf("%+v", top)
	}
}

// TestTestingsCollections: the two collections that package testing forces are no
// events, whether the collector's lines tell of them or counters alone do; a third
// is the benchmark's.
func TestTestingsCollections(t *testing.T) {
	cycle := func(n int64, at time.Duration, forced bool) gctrace.Cycle {
		return gctrace.Cycle{N: n, At: at, Mark: time.Millisecond, Forced: forced}
	}
	own := []gctrace.Cycle{cycle(1, 1e8, false), cycle(2, 2e8, true), cycle(3, 3e8, false), cycle(4, 4e8, true)}
	row := func(at, forced int64) metrics.Row { return metrics.Row{TimeNs: at, PID: 1, GCForced: &forced} }
	rows := []metrics.Row{row(0, 0), row(25e7, 1), row(5e8, 2), row(10e8, 2), row(20e8, 2)}
	third := append(rows[:4:4], row(20e8, 3))
	lost := []gctrace.Cycle{own[0], own[1], own[3], cycle(9, 15e8, true)}
	for _, c := range []struct {
		name   string
		cycles []gctrace.Cycle
		rows   []metrics.Row
		want   int
	}{
		{"testing's alone", own, rows, 0},
		{"counters alone", nil, rows, 0},
		{"a third", append(own[:4:4], cycle(5, 15e8, true)), third, 1},
		{"a third by counters", nil, third, 1},
		{"lines are missing", lost, third, 1},
	} {
		of := &course{rows: c.rows, gc: c.cycles, end: 20e8}
		n := 0
		for _, e := range events.Find(of.withoutTestings()) {
			if e.Kind == events.ForcedGC {
				n++
			}
		}
		if n != c.want {
			t.Errorf("%s: %d forced collections, want %d", c.name, n, c.want)
		}
	}
}

// A table by flat has no rows without flat: of main.main, which only calls, the table by
// cum tells.
func TestRowsByFlat(t *testing.T) {
	_, page := recorded(t, func(w *recording.Writer, write func(recording.Artifact, []byte)) {
		w.Manifest.Kind, w.Manifest.Target = recording.TargetProgram, "./x"
		record.Programs.Set(&w.Manifest, &record.Program{Runs: []record.Execution{{EndNs: 4e9}}})
		write(recording.Artifact{Path: "profiles/cpu.pb.gz", Kind: recording.KindCPU, EndNs: 4e9},
			pprofOf(t, [2]string{"samples", "cpu"}, [2]string{"count", "nanoseconds"}, 1e7, map[string]int64{"main.f": 300, "main.g": 100}))
	})
	p := page.Profiles[0]
	if len(p.Top) != 2 || p.Top[0].Function != "main.f" || p.Top[1].Function != "main.g" || len(p.TopCum) != 3 || p.TopCum[0].Function != "main.main" {
		t.Errorf("by flat %+v, by cum %+v", p.Top, p.TopCum)
	}
}
