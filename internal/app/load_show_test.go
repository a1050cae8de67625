package app

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"whet/internal/cli"
	"whet/internal/format/hdrlog"
	"whet/internal/hist"
	"whet/internal/loadresult"
	"whet/internal/recording"
	"whet/internal/report/load"
)

// writeLoad makes a recording of a load of one request; change may spoil it.
func writeLoad(t *testing.T, change func(*loadRunFile, *loadSecondsFile, map[string][]byte)) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.whet")
	origin := time.Date(2026, 11, 21, 7, 0, 0, 0, time.UTC)
	w, err := recording.Create(path, origin)
	if err != nil {
		t.Fatal(err)
	}
	w.Manifest.Kind = recording.TargetLoad
	h := new(hist.Histogram)
	h.Record(1e6)
	var log bytes.Buffer
	lw, err := hdrlog.NewWriter(&log, origin)
	if err != nil {
		t.Fatal(err)
	}
	if err := lw.Write(&hdrlog.Interval{Start: origin, Length: time.Second, Histogram: h}); err != nil {
		t.Fatal(err)
	}
	run := &loadRunFile{Schema: loadRunSchema, Plan: loadresult.Plan{URL: "http://127.0.0.1/", Targets: 1, Method: "GET", Protocol: "HTTP/1.1", Connections: 1, Streams: 1, KeepAlive: true},
		Began: origin, Start: origin, End: origin.Add(time.Second), Requests: 1, Status: map[string]int64{"200": 1}}
	seconds := &loadSecondsFile{Seconds: []loadSecond{{LengthNs: 1e9, Requests: 1, Answered: 1, P50Ns: 1e6, P99Ns: 1e6, MaxNs: 1e6}}, Answers: make([]int32, 100)}
	files := map[string][]byte{loadServicePath: log.Bytes(), loadRunPath: nil, loadSecondsPath: nil}
	change(run, seconds, files)
	for name, document := range map[string]any{loadRunPath: run, loadSecondsPath: seconds} {
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

func runLoad(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = Run(context.Background(), append([]string{"load"}, args...), nil, &out, &errs)
	return code, out.String(), errs.String()
}

// A recording that was tampered with is an error of one line, never a figure
// that contradicts itself.
func TestDamagedLoad(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.html")
	whole := writeLoad(t, func(*loadRunFile, *loadSecondsFile, map[string][]byte) {})
	if code, stdout, stderr := runLoad(whole, "-o", page); code != cli.ExitDone || !strings.Contains(stdout, "1, 1 answered: 1 with 200") || stderr != "" {
		t.Fatalf("whole: exit code %d\n%s%s", code, stdout, stderr)
	}
	for _, c := range []struct {
		name, want string
		change     func(*loadRunFile, *loadSecondsFile, map[string][]byte)
	}{
		{"no run", "it has no " + loadRunPath, func(_ *loadRunFile, _ *loadSecondsFile, f map[string][]byte) { delete(f, loadRunPath) }},
		{"no seconds", "it has no " + loadSecondsPath, func(_ *loadRunFile, _ *loadSecondsFile, f map[string][]byte) { delete(f, loadSecondsPath) }},
		{"no times", "it has no " + loadServicePath, func(_ *loadRunFile, _ *loadSecondsFile, f map[string][]byte) { delete(f, loadServicePath) }},
		{"no JSON", "is damaged", func(_ *loadRunFile, _ *loadSecondsFile, f map[string][]byte) { f[loadRunPath] = []byte("{") }},
		{"no log", "read histogram log", func(_ *loadRunFile, _ *loadSecondsFile, f map[string][]byte) { f[loadServicePath] = []byte("x") }},
		{"schema", "its schema", func(r *loadRunFile, _ *loadSecondsFile, _ map[string][]byte) { r.Schema = "whet/load-run/9" }},
		{"a closed loop with a rate", "contradicts itself", func(r *loadRunFile, _ *loadSecondsFile, _ map[string][]byte) { r.Plan.Rate = "5/s" }},
		{"time runs back", "contradicts itself", func(r *loadRunFile, _ *loadSecondsFile, _ map[string][]byte) { r.End = r.Start.Add(-1) }},
		{"fewer requests than none", "counts", func(r *loadRunFile, _ *loadSecondsFile, _ map[string][]byte) { r.Requests = -1 }},
		{"more errors than there can be", "counts", func(r *loadRunFile, _ *loadSecondsFile, _ map[string][]byte) {
			r.Errors = map[string]int64{"other": math.MaxInt64}
		}},
		{"a target's requests", "counts", func(r *loadRunFile, _ *loadSecondsFile, _ map[string][]byte) {
			r.Targets = []loadresult.Target{{Requests: -5}}
		}},
		{"a second's length", "counts", func(_ *loadRunFile, s *loadSecondsFile, _ map[string][]byte) { s.Seconds[0].LengthNs = -1 }},
		{"a second's errors", "counts", func(_ *loadRunFile, s *loadSecondsFile, _ map[string][]byte) {
			s.Seconds[0].Kinds = map[string]int64{"other": math.MinInt64}
		}},
		{"answers", "counts", func(_ *loadRunFile, s *loadSecondsFile, _ map[string][]byte) { s.Answers[7] = -1 }},
		{"times beyond all counting", "more times than an int64 counts", func(_ *loadRunFile, _ *loadSecondsFile, f map[string][]byte) {
			f[loadServicePath] = logOf(t, math.MaxInt64, untaggedTimes, 0, 1)
		}},
		{"seconds out of order", "an interval begins 2026-11-21 07:00:00", func(_ *loadRunFile, _ *loadSecondsFile, f map[string][]byte) {
			f[loadServicePath] = logOf(t, 1, untaggedTimes, 1, 0)
		}},
		{"seconds centuries apart", "an interval begins 2127", func(_ *loadRunFile, _ *loadSecondsFile, f map[string][]byte) {
			f[loadServicePath] = logOf(t, 1, untaggedTimes, 0, 100*366*24*3600)
		}},
		{"status", "is no number", func(r *loadRunFile, _ *loadSecondsFile, _ map[string][]byte) { r.Status["ok"] = 1 }},
		{"bounds", "parse bound", func(r *loadRunFile, _ *loadSecondsFile, _ map[string][]byte) { r.SLO = "p99" }},
		{"an open loop without response times", "it has no " + loadResponsePath, func(r *loadRunFile, _ *loadSecondsFile, _ map[string][]byte) { r.Open = true }},
	} {
		code, stdout, stderr := runLoad(writeLoad(t, c.change))
		if code != cli.ExitFailed || stdout != "" || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit code %d, %q, want %q", c.name, code, stdout+stderr, c.want)
		}
	}
}

func TestUnglue(t *testing.T) {
	got := strings.Join(unglue("cdnt", strings.Fields("-t2 -c100 -d30s -n5 -c 7 -rate 5/s -h2c -x3 --c4 -d1s -- -c5")), " ")
	if want := "-t 2 -c 100 -d 30s -n 5 -c 7 -rate 5/s -h2c -x3 --c4 -d 1s -- -c5"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestSpanFlag(t *testing.T) {
	var d time.Duration
	for text, want := range map[string]time.Duration{"30": 30 * time.Second, "30s": 30 * time.Second, "250ms": 250 * time.Millisecond, "0": 0, "1.5s": 1500 * time.Millisecond} {
		if err := (spanFlag{d: &d}).Set(text); err != nil || d != want {
			t.Errorf("%q is %v, %v", text, d, err)
		}
	}
	for _, text := range []string{"", "soon", "1.5", "99999999999999"} {
		if err := (spanFlag{d: &d}).Set(text); err == nil {
			t.Errorf("%q is %v", text, d)
		}
	}
}

func TestParseExpect(t *testing.T) {
	c, err := parseExpect([]string{"status=200, 3xx", "status=404", "size=1-9", "header:X-A = b=c", "json:a.0.b=true", "sha256=" + strings.Repeat("AB", 32)})
	if err != nil {
		t.Fatal(err)
	}
	for _, status := range []int{200, 300, 399, 404} {
		if kind := c.StatusKind(status); kind != "" {
			t.Errorf("%d is %q", status, kind)
		}
	}
	if c.StatusKind(201) == "" || c.StatusKind(500) == "" || c.Bytes.First != 1 || c.Bytes.Last != 9 || c.Header[0].Name != "X-A" || c.Header[0].Value != "b=c" ||
		c.JSON[0].Name != "a.0.b" || c.SHA256 != strings.Repeat("ab", 32) {
		t.Errorf("%+v", c)
	}
	if c, err := parseExpect(nil); c != nil || err != nil {
		t.Errorf("nothing is %v, %v", c, err)
	}
}

// Two recordings of one name keep their directories, everywhere alike; where names
// differ without them they have none.
func TestNamesOfRecordings(t *testing.T) {
	whole := func(*loadRunFile, *loadSecondsFile, map[string][]byte) {}
	before, after := writeLoad(t, whole), writeLoad(t, whole)
	page := filepath.Join(t.TempDir(), "page.html")
	code, text, stderr := runLoad(before, after, "-o", page)
	if code != cli.ExitDone || stderr != "" {
		t.Fatalf("exit code %d, %s", code, stderr)
	}
	html, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, document, _ := runLoad(before, after, "-json")
	for _, name := range []string{before, after} {
		name = strings.TrimSuffix(name, ".whet")
		tail := filepath.Join(filepath.Base(filepath.Dir(name)), filepath.Base(name)) // of what a terminal has room for
		if strings.Count(text, tail+"  ") != 2 {
			t.Errorf("%s is not twice in\n%s", tail, text)
		}
		if !strings.Contains(string(html), name+` <span class="note">`) {
			t.Errorf("the page does not compare %s", name)
		}
		if quoted, _ := json.Marshal(name); !strings.Contains(document, `"name": `+string(quoted)) {
			t.Errorf("the document does not name %s: %.300s", quoted, document)
		}
	}
	if code, _, stderr := runLoad(before, after, "-slo", "p99<1ns"); code != cli.ExitFound || !strings.Contains(stderr, strings.TrimSuffix(before, ".whet")+": p99<1ns is broken") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	for _, c := range []struct{ paths, want []string }{
		{[]string{"before/run.whet", "after/run.whet"}, []string{"before/run", "after/run"}},
		{[]string{"a/before.whet/", "b/after.whet", "c"}, []string{"before", "after", "c"}},
		{[]string{"a/x.whet", "b/y.whet", "./c//y.whet"}, []string{"a/x", "b/y", "c/y"}},
		{[]string{"results/run.whet"}, []string{"run"}},
	} {
		for i := range c.paths {
			c.paths[i], c.want[i] = filepath.FromSlash(c.paths[i]), filepath.FromSlash(c.want[i])
		}
		if got := runNames(c.paths); !slices.Equal(got, c.want) {
			t.Errorf("%q are %q, want %q", c.paths, got, c.want)
		}
	}
}

// missedSearch is a search over connections, and one over rates that found none.
func missedSearch() *load.Search {
	run := []load.KneeRun{{Throughput: 800, Concurrency: 4, P50: time.Millisecond, P99: 2 * time.Millisecond, Broken: "p99<1ns is broken: 2.00 ms"}}
	return &load.Search{Plan: loadresult.Plan{URL: "http://127.0.0.1/", Targets: 1, Method: "GET"}, SLO: "p99<1ns", Warnings: []string{"no profiles"}, Found: []load.KneeSearch{
		{Headline: "the knee is at 4 clients: 800/s", Found: true, At: 4, Low: 2, High: 4, Throughput: 800, Levels: []load.KneeLevel{{Level: 4, Throughput: 800, Good: true, Runs: run}}},
		{Open: true, Headline: "no rate keeps the bounds, from 1/s to 1,600/s", Levels: []load.KneeLevel{{Level: 1, Throughput: 1, Runs: run}}, Warnings: []string{"few answers"}, Invalid: "the generator was busy"},
	}}
}

// A search that was recorded is shown whole, also where it found no rate, and of
// several recordings each with its name.
func TestShowSearchWithoutRate(t *testing.T) {
	var document bytes.Buffer
	if err := load.WriteSearchJSON(&document, missedSearch(), load.Files{}); err != nil {
		t.Fatal(err)
	}
	searched := func(_ *loadRunFile, _ *loadSecondsFile, f map[string][]byte) {
		f[loadKneePath] = document.Bytes()
		f[loadServicePath] = append(f[loadServicePath], "#[Exact: min x]\n"...) // which is warned of
	}
	one, two := writeLoad(t, searched), writeLoad(t, searched)
	for _, names := range [][]string{{one}, {one, two}} {
		page := filepath.Join(t.TempDir(), "page.html")
		code, text, stderr := runLoad(append([]string{"-o", page}, names...)...)
		if code != cli.ExitDone {
			t.Fatalf("exit code %d, %s", code, stderr)
		}
		html, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			own := ""
			if len(names) > 1 {
				own = strings.TrimSuffix(name, ".whet") + ": "
			}
			for _, want := range []string{own + "highest rate: few answers", own + "highest rate: the generator was busy", own + "no profiles", own + loadServicePath + ": line ", own + "best throughput</h3>", own + "highest rate <span"} {
				if strings.Count(string(html), ">"+want) != 1 {
					t.Errorf("%d recordings: not once %q", len(names), want)
				}
			}
			if joined := strings.Join(strings.Fields(text), " "); !strings.Contains(joined, "! "+own+"no profiles") {
				t.Errorf("no warning of %q in\n%s", own, text)
			}
		}
		if n := strings.Count(string(html), "No rate keeps the bounds, from 1/s to 1,600/s."); n != len(names) {
			t.Errorf("%d recordings: what was not found is said %d times", len(names), n)
		}
	}
}
