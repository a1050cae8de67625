package load

import (
	"bytes"
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"whet/internal/document"
	"whet/internal/format/hdrlog"
	"whet/internal/hist"
	"whet/internal/loadresult"
	"whet/internal/recording"
)

var logOrigin = time.Date(2026, 11, 21, 7, 0, 0, 0, time.UTC)

// logOf returns a log of intervals of a second, each with n times of 1 ms, which
// begin so many seconds after the origin.
func logOf(t *testing.T, n int64, starts ...int) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := hdrlog.NewWriter(&b, logOrigin)
	if err != nil {
		t.Fatal(err)
	}
	h := new(hist.Histogram)
	h.RecordMany(1e6, n)
	for _, s := range starts {
		if err := w.Write(&hdrlog.Interval{Start: logOrigin.Add(time.Duration(s) * time.Second), Length: time.Second, Histogram: h}); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// writeLoad makes a recording of a load of one request; change may spoil it.
func writeLoad(t *testing.T, change func(*runFile, *secondsFile, map[string][]byte)) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.whet")
	origin := logOrigin
	w, err := recording.Create(path, origin)
	if err != nil {
		t.Fatal(err)
	}
	w.Manifest.Kind = recording.TargetLoad
	run := &runFile{Head: document.New(document.LoadRun, nil), Plan: loadresult.Plan{URL: "http://127.0.0.1/", Targets: 1, Method: "GET", Protocol: "HTTP/1.1", Connections: 1, Streams: 1, KeepAlive: true},
		Result: &loadresult.Result{Began: origin, Start: origin, End: origin.Add(time.Second), Requests: 1}, Status: map[string]int64{"200": 1}}
	seconds := &secondsFile{Seconds: []secondFile{{Second: loadresult.Second{Length: 1e9, Requests: 1, Answered: 1, P50: 1e6, P99: 1e6, Max: 1e6}}}, Answers: make([]int32, 100)}
	files := map[string][]byte{ServicePath: logOf(t, 1, 0), RunPath: nil, SecondsPath: nil}
	change(run, seconds, files)
	for name, document := range map[string]any{RunPath: run, SecondsPath: seconds} {
		if data, there := files[name]; there && data == nil {
			if files[name], err = json.Marshal(document); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, data := range files {
		if err := w.Write(recording.Artifact{Path: name, Kind: recording.KindLoad}, data); err != nil {
			t.Fatal(err)
		}
	}
	if path, err = w.Finish(time.Second, ""); err != nil {
		t.Fatal(err)
	}
	return path
}

// A recording that was tampered with is an error of one line, never a figure
// that contradicts itself.
func TestDamagedLoad(t *testing.T) {
	read := func(path string) (*Load, error) {
		rec, err := recording.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer rec.Close()
		return Read(rec, nil)
	}
	whole, err := read(writeLoad(t, func(*runFile, *secondsFile, map[string][]byte) {}))
	if err != nil || whole.Result.Requests != 1 || whole.Result.Answered() != 1 || whole.Result.Service.Count() != 1 || len(whole.Warnings) > 0 {
		t.Fatalf("whole: %+v, %v", whole, err)
	}
	for _, c := range []struct {
		name, want string
		change     func(*runFile, *secondsFile, map[string][]byte)
	}{
		{"no run", "it has no " + RunPath, func(_ *runFile, _ *secondsFile, f map[string][]byte) { delete(f, RunPath) }},
		{"no seconds", "it has no " + SecondsPath, func(_ *runFile, _ *secondsFile, f map[string][]byte) { delete(f, SecondsPath) }},
		{"no times", "it has no " + ServicePath, func(_ *runFile, _ *secondsFile, f map[string][]byte) { delete(f, ServicePath) }},
		{"no JSON", "is damaged", func(_ *runFile, _ *secondsFile, f map[string][]byte) { f[RunPath] = []byte("{") }},
		{"no log", "read histogram log", func(_ *runFile, _ *secondsFile, f map[string][]byte) { f[ServicePath] = []byte("x") }},
		{"schema", "schema \"", func(r *runFile, _ *secondsFile, _ map[string][]byte) { r.Schema = "whet/load-run/9" }},
		{"a closed loop with a rate", "contradicts itself", func(r *runFile, _ *secondsFile, _ map[string][]byte) { r.Plan.Rate = "5/s" }},
		{"time runs back", "contradicts itself", func(r *runFile, _ *secondsFile, _ map[string][]byte) { r.End = r.Start.Add(-1) }},
		{"fewer requests than none", "counts", func(r *runFile, _ *secondsFile, _ map[string][]byte) { r.Requests = -1 }},
		{"more errors than there can be", "counts", func(r *runFile, _ *secondsFile, _ map[string][]byte) {
			r.Errors = map[string]int64{"other": math.MaxInt64}
		}},
		{"a target's requests", "counts", func(r *runFile, _ *secondsFile, _ map[string][]byte) {
			r.Targets = []loadresult.Target{{Requests: -5}}
		}},
		{"a second's length", "counts", func(_ *runFile, s *secondsFile, _ map[string][]byte) { s.Seconds[0].Length = -1 }},
		{"a second's errors", "counts", func(_ *runFile, s *secondsFile, _ map[string][]byte) {
			s.Seconds[0].Kinds = map[string]int64{"other": math.MinInt64}
		}},
		{"answers", "counts", func(_ *runFile, s *secondsFile, _ map[string][]byte) { s.Answers[7] = -1 }},
		{"times beyond all counting", "the count of times overflows an int64", func(_ *runFile, _ *secondsFile, f map[string][]byte) {
			f[ServicePath] = logOf(t, math.MaxInt64, 0, 1)
		}},
		{"seconds out of order", "an interval that begins 2026-11-21 07:00:00", func(_ *runFile, _ *secondsFile, f map[string][]byte) {
			f[ServicePath] = logOf(t, 1, 1, 0)
		}},
		{"seconds centuries apart", "an interval that begins 2127", func(_ *runFile, _ *secondsFile, f map[string][]byte) {
			f[ServicePath] = logOf(t, 1, 0, 100*366*24*3600)
		}},
		{"status", "is not a number", func(r *runFile, _ *secondsFile, _ map[string][]byte) { r.Status["ok"] = 1 }},
		{"an open loop without response times", "it has no " + ResponsePath, func(r *runFile, _ *secondsFile, _ map[string][]byte) { r.Open = true }},
	} {
		if _, err := read(writeLoad(t, c.change)); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
