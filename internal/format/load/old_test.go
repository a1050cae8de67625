package load

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"whet/internal/hist"
	"whet/internal/loadresult"
	"whet/internal/recording"
)

func open(t *testing.T, path string, interval func(loadresult.Interval)) (*recording.Recording, *Load) {
	t.Helper()
	rec, err := recording.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { rec.Close() })
	l, err := Read(rec, interval)
	if err != nil {
		t.Fatal(err)
	}
	return rec, l
}

// The figures that whet load -json of then printed of its own recording.
func TestOldLoad(t *testing.T) {
	seconds := 0
	_, l := open(t, filepath.Join("testdata", "load.whet"), func(iv loadresult.Interval) {
		if seconds++; iv.Service != nil || iv.Response.Count() != 50 {
			t.Errorf("%+v", iv)
		}
	})
	r := l.Result
	if l.Summed || l.SLO != "p99<10s" || l.Plan.Rate != "50/s" || l.Plan.Connections != 4 || seconds != 2 || len(l.Warnings) > 0 {
		t.Errorf("%+v, %d seconds", l, seconds)
	}
	if r.Requests != 100 || r.Answered() != 100 || r.Throughput() != 50 || r.LateSends != 32 || r.End.Sub(r.Start) != 2*time.Second || r.Invalid == "" || r.Warnings[0] != r.Invalid {
		t.Errorf("%+v", r)
	}
	for name, want := range map[string]struct {
		h        *hist.Histogram
		p50, p99 int64
		mean     float64
	}{
		"service":  {&r.Service, 260095, 104045864, 9221528.81},
		"response": {&r.Response, 1294335, 175112191, 27036918.33},
		"lateness": {&r.Lateness, 66559, 104857599, 11448009.17},
	} {
		if h := want.h; h.Count() != 100 || h.Quantile(0.5) != want.p50 || h.Quantile(0.99) != want.p99 || h.Mean() != want.mean {
			t.Errorf("%s: %d times, p50 %d, p99 %d, mean %v", name, h.Count(), h.Quantile(0.5), h.Quantile(0.99), h.Mean())
		}
	}
	want := loadresult.Second{Start: r.Start.Add(time.Second), Length: time.Second, Requests: 50, Answered: 50, Bytes: 250, Due: 50, InTime: 50,
		P50: 241663, P99: 88264411, Max: 88264411, Response: loadresult.Quantiles{P50: 423935, P99: 174898956, Max: 174898956}}
	if diff := cmp.Diff(want, r.Seconds[1]); diff != "" || len(r.Answers) != 200 {
		t.Errorf("%d bins, %s", len(r.Answers), diff)
	}
}

// A service's load was seven keys a second and sums in the manifest.
func TestOldService(t *testing.T) {
	rec, l := open(t, filepath.Join("testdata", "service.whet"), func(iv loadresult.Interval) { t.Errorf("%+v", iv) })
	service, err := ServicePart.Of(&rec.Manifest)
	if err != nil {
		t.Fatal(err)
	}
	r := l.Result
	if !l.Summed || l.Plan.Connections != 2 || l.StartNs != 570420292 || r.Requests != 87104 || r.Answered() != 87104 || r.Throughput() != service.Load.ThroughputPerS || r.Generator.CPU != 792073000 || r.Times().Count() != 0 {
		t.Errorf("%+v\n%+v", l, r)
	}
	want := loadresult.Second{Start: r.Start.Add(2 * time.Second), Length: time.Second, Requests: 25714, P50: 53247, P99: 301055, Max: 38950906}
	if diff := cmp.Diff(want, r.Seconds[2]); diff != "" || len(r.Answers) != 300 || r.Answers[2] != 379 {
		t.Errorf("%d bins, %s", len(r.Answers), diff)
	}
}

// What is written is what is read, of both loops, whatever else the recording is.
func TestWriteRead(t *testing.T) {
	for _, isOpen := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "x.whet")
		origin := time.Date(2026, 11, 22, 7, 0, 0, 0, time.UTC)
		w, err := recording.Create(path, origin)
		if err != nil {
			t.Fatal(err)
		}
		w.Manifest.Kind = recording.TargetService
		ServicePart.Set(&w.Manifest, &Service{})
		k := NewWriter(w, "test", isOpen)
		start := origin.Add(1500 * time.Millisecond)
		want := &loadresult.Result{Began: origin.Add(time.Second), Start: start, End: start.Add(1200 * time.Millisecond), Open: isOpen, Requests: 5, Errors: map[string]int64{loadresult.Refused: 1},
			Examples: map[string]string{loadresult.Refused: "dial: refused"}, Status: map[int]int64{200: 3, 404: 1}, Bytes: 7, InFlight: 2, OldestInFlight: 3, Connections: 4, Connecting: 5,
			LateSends: 6, Drain: 7, Behind: 1, Leftover: 2, Answers: make([]int32, 120), Targets: []loadresult.Target{{Requests: 2, Timed: 2, Service: 9}, {Requests: 3}},
			Generator: loadresult.Generator{Engine: "epoll", CPU: 11, Share: 0.5, Processors: 2, Shared: -1}, Invalid: "late", Warnings: []string{"late", "few"}}
		plan := loadresult.Plan{URL: "http://127.0.0.1/", Targets: 2, TargetNames: []string{"GET a", "GET b"}, Method: "GET", Connections: 4, Streams: 1, Warmup: time.Second, Duration: 2 * time.Second}
		for i := range 2 {
			iv := loadresult.Interval{Second: loadresult.Second{Start: start.Add(time.Duration(i) * time.Second), Length: time.Second >> i, Requests: int64(i), Answered: int64(i), Behind: 1, Leftover: 2, Errors: 3, Bytes: 4,
				Kinds: map[string]int64{loadresult.Refused: 3}, Due: 5, InTime: 6, P50: 7, P99: 8, Max: 9}, Service: new(hist.Histogram), Response: new(hist.Histogram)}
			iv.Service.Record(int64(i+1) * 1000)
			want.Service.Merge(iv.Service)
			if isOpen {
				iv.Second.Response = loadresult.Quantiles{P50: 10, P99: 11, Max: 12}
				iv.Response.Record(int64(i+1) * 2000)
				want.Response.Merge(iv.Response)
				want.Lateness.Record(int64(i) * 500)
			}
			want.Seconds = append(want.Seconds, iv.Second)
			k.Interval(iv)
		}
		if isOpen {
			want.Rate, plan.Rate = 50, "50/s"
		}
		if err := k.Finish(&plan, want, "p99<1s"); err != nil {
			t.Fatal(err)
		}
		if path, err = w.Finish(3*time.Second, ""); err != nil {
			t.Fatal(err)
		}
		_, l := open(t, path, nil)
		same := cmp.Comparer(func(a, b hist.Histogram) bool {
			return a.Count() == b.Count() && a.Min() == b.Min() && a.Max() == b.Max()
		})
		if diff := cmp.Diff(want, l.Result, same); diff != "" || l.SLO != "p99<1s" || l.StartNs != 15e8 || l.Summed {
			t.Errorf("open %v: %+v %s", isOpen, l, diff)
		}
		if diff := cmp.Diff(plan, l.Plan); diff != "" {
			t.Error(diff)
		}
	}
}

// A log says what its times without a tag are; another program's does not.
func TestUntagged(t *testing.T) {
	for want, times := range map[string][]Logged{ResponseTag: {{Response: true}, {Tag: ServiceTag}}, ServiceTag: {{}}} {
		var b bytes.Buffer
		if err := NewLog(&b, "v1", times...).End(time.Unix(1, 0)); err != nil {
			t.Fatal(err)
		}
		line, _, _ := bytes.Cut(b.Bytes(), []byte("\n"))
		if got := Untagged(string(line)); got != want {
			t.Errorf("%s is of %q, want %q", line, got, want)
		}
	}
	if got := Untagged("#[Logged with jHiccup]"); got != "" {
		t.Errorf("another program's is of %q", got)
	}
}

// A service keeps its seconds where load/run.json is damaged, is gone, or was never
// written; the sums are those of the manifest.
func TestServiceWithoutRun(t *testing.T) {
	origin := time.Date(2026, 11, 22, 7, 0, 0, 0, time.UTC)
	for name, want := range map[string]string{"damaged": "load/run.json is damaged", "gone": "read load/run.json", "none": ""} {
		path := filepath.Join(t.TempDir(), name+".whet")
		w, err := recording.Create(path, origin)
		if err != nil {
			t.Fatal(err)
		}
		ServicePart.Set(&w.Manifest, &Service{Load: Sums{StartNs: 1e9, EndNs: 3e9, Requests: 7, Status: map[string]int64{"200": 7}}})
		if name != "none" {
			if err := w.Write(recording.Artifact{Path: RunPath, Kind: recording.KindLoadRun}, []byte("{")); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Write(recording.Artifact{Path: SecondsPath, Kind: recording.KindLoad}, []byte(`{"seconds": [{"t_ns": 1000000000, "length_ns": 1000000000, "requests": 3}]}`)); err != nil {
			t.Fatal(err)
		}
		if path, err = w.Finish(3*time.Second, ""); err != nil {
			t.Fatal(err)
		}
		if name == "gone" {
			if err := os.Remove(filepath.Join(path, RunPath)); err != nil {
				t.Fatal(err)
			}
		}
		rec, err := recording.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer rec.Close()
		l, err := Read(rec, nil)
		if (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
		if l == nil || !l.Summed || l.Result.Requests != 7 || len(l.Result.Seconds) != 1 || l.Result.Seconds[0].Requests != 3 || l.TimeNs(&l.Result.Seconds[0]) != 1e9 {
			t.Errorf("%s: %+v", name, l)
		}
	}
}

// A log that cannot be opened is what Finish says; all else of the load is kept.
func TestLogThatCannotBeOpened(t *testing.T) {
	origin := time.Date(2026, 11, 22, 7, 0, 0, 0, time.UTC)
	w, err := recording.Create(filepath.Join(t.TempDir(), "x.whet"), origin)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Discard()
	if _, err := w.File(ServicePath + "/in.the.way"); err != nil {
		t.Fatal(err)
	}
	k := NewWriter(w, "test", false)
	k.Interval(loadresult.Interval{Second: loadresult.Second{Start: origin, Length: time.Second}, Service: new(hist.Histogram), Response: new(hist.Histogram)})
	err = k.Finish(&loadresult.Plan{}, &loadresult.Result{Start: origin, End: origin.Add(time.Second)}, "")
	if err == nil || !strings.Contains(err.Error(), ServicePath) || len(w.Manifest.Artifacts) != 2 || w.Manifest.Artifacts[0].Path != RunPath || w.Manifest.Artifacts[1].Path != SecondsPath {
		t.Errorf("%v: %+v", err, w.Manifest.Artifacts)
	}
}
