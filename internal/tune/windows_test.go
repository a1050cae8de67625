package tune

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"whet/internal/analyze/wall"
	"whet/internal/capture"
	loadformat "whet/internal/format/load"
	loadrecord "whet/internal/load/record"
	"whet/internal/recording"
	reportpage "whet/internal/report/page"
	runreport "whet/internal/report/run"
)

// TestWindows: how many, and when, written out: of 3 s two, in the middle of their
// halves; of 12 s four.
func TestWindows(t *testing.T) {
	for _, tt := range []struct {
		load, pass time.Duration
		begins     []time.Duration // in ms
	}{
		{9 * time.Second, 0, nil},
		{10 * time.Second, 3 * time.Second, []time.Duration{250, 1750}},
		{20 * time.Second, 5 * time.Second, []time.Duration{333, 2000, 3666}},
		{60 * time.Second, 12 * time.Second, []time.Duration{1000, 4000, 7000, 10000}},
	} {
		o := DefaultServiceOptions()
		o.Load.Duration = tt.load
		if got := o.passTime(); got != tt.pass {
			t.Errorf("%v of load: a pass of %v, want %v", tt.load, got, tt.pass)
		}
		if tt.pass == 0 {
			continue
		}
		var begins []time.Duration
		for i := range windowsIn(tt.pass) {
			begins = append(begins, windowAt(i, windowsIn(tt.pass), tt.pass)/time.Millisecond)
		}
		if !slices.Equal(begins, tt.begins) {
			t.Errorf("%v: windows begin at %v ms, want %v", tt.pass, begins, tt.begins)
		}
	}
	o := DefaultServiceOptions()
	if o.TracePass = -1; o.passTime() != 0 {
		t.Error("a pass that nobody wants")
	}
}

// TestWindowsFor: windows of 1.5 MiB each are four for 6 MiB, of 2 MiB three, and of more
// two; those that follow a first one lie after it wherever they are.
func TestWindowsFor(t *testing.T) {
	for _, tt := range []struct {
		planned int
		first   int64
		want    int
	}{{4, 0, 4}, {4, 3 << 19, 4}, {4, 3<<19 + 1, 3}, {4, 2 << 20, 3}, {4, 3 << 20, 2}, {4, 40 << 20, 2}, {3, 1 << 20, 3}, {1, 40 << 20, 1}, {2, 40 << 20, 2}} {
		if got := windowsFor(tt.planned, tt.first); got != tt.want {
			t.Errorf("%d planned, the first of %d bytes: %d windows, want %d", tt.planned, tt.first, got, tt.want)
		}
	}
	for pass := shortestPass; pass <= longestPass; pass += 100 * time.Millisecond {
		planned := windowsIn(pass)
		first := windowAt(0, planned, pass) + windowTime*time.Second
		for n := leastWindows; n <= planned; n++ {
			if at := windowAt(1, n, pass); at < first {
				t.Errorf("a pass of %v: the second of %d windows begins at %v, and the first ends at %v", pass, n, at, first)
			}
		}
	}
}

// TestDivide: a budget is that of the load and its pass, where there is one.
func TestDivide(t *testing.T) {
	for _, tt := range []struct{ both, load, pass time.Duration }{
		{8 * time.Second, 8 * time.Second, 0},
		{13 * time.Second, 13 * time.Second, 0},
		{13500 * time.Millisecond, 10 * time.Second, 3 * time.Second},
		{25500 * time.Millisecond, 20 * time.Second, 5 * time.Second},
		{time.Minute + 500*time.Millisecond, 48 * time.Second, 12 * time.Second},
		{2 * time.Minute, 107500 * time.Millisecond, 12 * time.Second},
	} {
		o := DefaultServiceOptions()
		o.Divide(tt.both)
		if o.Load.Duration != tt.load || o.passTime() != tt.pass {
			t.Errorf("%v: %v of load and a pass of %v, want %v and %v", tt.both, o.Load.Duration, o.passTime(), tt.load, tt.pass)
		}
	}
}

// TestSlowWatch: of requests that are slower than all before, the last one before each
// snapshot is the one that it is of; what was slow while one was taken, and what the
// recorder cannot hold any more, is none.
func TestSlowWatch(t *testing.T) {
	origin := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	now := origin
	const ms = int64(time.Millisecond)
	var fails error
	taken := 0
	w := newSlowWatch(func(context.Context) (*capture.Fetched, error) {
		taken++
		now = now.Add(100 * time.Millisecond)
		return &capture.Fetched{Data: []byte{byte(taken)}, End: now}, fails
	}, func() time.Time { return now })
	w.origin = origin
	see := func(sent, end int64) bool {
		return w.see(&loadrecord.Outcome{Due: -1, Sent: sent * ms, End: end * ms, Status: 200})
	}
	see(10, 30)
	see(15, 60)
	now = origin.Add(70 * time.Millisecond)
	w.take(t.Context())
	if w.kept == nil || w.kept.Data[0] != 1 || w.request.Sent != 15*ms {
		t.Fatalf("%d taken, of %+v", taken, w.request)
	}
	// From 70 to 170 ms a snapshot was taken.
	if see(60, 165) || see(160, 400) {
		t.Error("what a snapshot may have made slow counts")
	}
	if !see(171, 300) {
		t.Error("what came after it does not")
	}
	now = origin.Add(4 * time.Second) // too late for it
	if w.take(t.Context()); taken != 1 {
		t.Error("a snapshot of what it does not hold")
	}
	see(3900, 4100)
	fails = errors.New("gone")
	if w.take(t.Context()); w.err == nil || w.kept.Data[0] != 1 || w.request.Sent != 15*ms {
		t.Errorf("a snapshot that fails takes the other's place: %v", w.err)
	}
	if w.take(t.Context()); taken != 2 {
		t.Error("a snapshot of nothing")
	}
}

// lineOf returns the line of a file that has a text.
func lineOf(t *testing.T, name, text string) int {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, _, found := strings.Cut(string(data), text)
	if !found {
		t.Fatalf("%s has no %q", name, text)
	}
	return strings.Count(before, "\n") + 1
}

// heldOptions are for the service in dir, with a pass for its traces.
func heldOptions(t *testing.T, dir, server string, args ...string) ServiceOptions {
	t.Helper()
	o := DefaultServiceOptions()
	address := freeAddress(t)
	o.Dir, o.Operand, o.Out = dir, "http://"+address+"/", filepath.Join(t.TempDir(), "run.whet")
	o.Load.URL, o.Server = o.Operand, append([]string{server, "-addr", address}, args...)
	o.Load.Concurrency, o.Load.Duration, o.Load.Warmup, o.TracePass = 4, 3*time.Second, 500*time.Millisecond, 3*time.Second
	return o
}

// TestDiesTraced: of a service that dies in the pass for its traces there is a partial
// recording with the load before, which says that once.
func TestDiesTraced(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures programs")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/held")); err != nil {
		t.Fatal(err)
	}
	outcome, err := RecordService(context.Background(), heldOptions(t, dir, ".", "-dies"))
	if err == nil || !strings.Contains(err.Error(), "the server ended by itself (exit status 7)") || strings.Contains(err.Error(), "\n") {
		t.Fatalf("%v", err)
	}
	rec, page := openPage(t, outcome.Path)
	svc := part(t, rec, loadformat.ServicePart)
	if rec.Partial == "" || svc.Load.Requests == 0 || svc.Load.Answered() == 0 || len(rec.Find(recording.KindCPU, "")) == 0 {
		t.Errorf("partial %q, load %+v", rec.Partial, svc.Load)
	}
	for _, w := range page.Warnings {
		if strings.Contains(w, "could not be stopped") {
			t.Errorf("warned of what is gone: %s", w)
		}
	}
}

// recordHeld records the service of testdata/held, which one request in 300 stops for
// 400 ms.
func recordHeld(t *testing.T, build bool) (*recording.Recording, *runreport.Page, *loadformat.Service) {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/held")); err != nil {
		t.Fatal(err)
	}
	server := "."
	if build {
		server = filepath.Join(t.TempDir(), "held")
		c := exec.Command("go", "build", "-o", server, ".")
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	o := heldOptions(t, dir, server, "-every", "300", "-for", "400ms")
	outcome, err := RecordService(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	rec, page := openPage(t, outcome.Path)
	checkReadOnce(t, &outcome, rec, page)
	for _, w := range page.Warnings {
		t.Log(w)
	}
	svc := part(t, rec, loadformat.ServicePart)
	if svc.Traced == nil || svc.Traced.Load.Requests == 0 || svc.Traced.Windows != 2 {
		t.Fatalf("the pass of the traces: %+v", svc.Traced)
	}
	return rec, page, svc
}

// checkWindows: they lie in a pass of their own, after the load and the CPU profile, and
// what the page says of time is of all of them.
func checkWindows(t *testing.T, rec *recording.Recording, page *runreport.Page, svc *loadformat.Service) {
	t.Helper()
	windows := rec.Find(recording.KindTrace, "")
	if len(windows) != 2 {
		t.Fatalf("%d windows", len(windows))
	}
	for _, cpu := range rec.Find(recording.KindCPU, "") {
		if cpu.EndNs > windows[0].StartNs {
			t.Errorf("the CPU profile ends at %d, the first window begins at %d", cpu.EndNs, windows[0].StartNs)
		}
	}
	sums := make(map[string]int64)
	var all []wall.Trace
	var covered, bytesOf int64
	for _, w := range windows {
		if w.StartNs < svc.Load.EndNs || w.EndNs < w.StartNs+int64(900*time.Millisecond) {
			t.Errorf("a window from %d to %d, and the load ended at %d", w.StartNs, w.EndNs, svc.Load.EndNs)
		}
		bytesOf += w.Bytes
		data, err := rec.Read(w)
		if err != nil {
			t.Fatal(err)
		}
		trace := wall.Trace{Name: w.Path, Source: bytes.NewReader(data), StartNs: w.StartNs}
		all = append(all, trace)
		one, err := wall.Analyze([]wall.Trace{trace})
		if err != nil {
			t.Fatal(err)
		}
		covered += one.CoveredNs
		for state := range one.Profile.Types {
			sums[one.Profile.Types[state].Type] += one.Profile.Total(state)
		}
	}
	if page.Wall == nil || page.Wall.CoveredNs != covered {
		t.Fatalf("the page's times cover %+v, the windows %d ns", page.Wall, covered)
	}
	both, err := wall.Analyze(all)
	if err != nil {
		t.Fatal(err)
	}
	for state, v := range both.Profile.Types {
		if got := both.Profile.Total(state); got != sums[v.Type] {
			t.Errorf("%s: %d ns in all windows, the sum of each is %d", v.Type, got, sums[v.Type])
		}
	}
	if svc.Traced.Bytes < bytesOf || svc.Traced.Bytes > svc.Traced.MaxBytes {
		t.Errorf("%d bytes are noted, the windows have %d", svc.Traced.Bytes, bytesOf)
	}
}

// TestWorstMoment: the page names the moment, the request that was slow, the line that
// slept with the lock, and the one that let it go.
func TestWorstMoment(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures programs")
	}
	t.Parallel()
	rec, page, svc := recordHeld(t, false)
	checkWindows(t, rec, page, svc)
	m := page.Moment
	if m == nil || m.Request == nil || m.Missing != "" {
		t.Fatalf("the worst moment: %+v", m)
	}
	t.Log(m.Text())
	if m.Request.TookNs < int64(390*time.Millisecond) || m.Request.Status != 200 || m.Request.SentNs < svc.Traced.Load.StartNs-svc.Traced.Load.WarmupNs || m.Request.EndNs > svc.Traced.Load.EndNs {
		t.Errorf("the slow request: %+v", m.Request)
	}
	var sum int64
	for _, s := range m.States {
		sum += s.Ns
	}
	if took := m.ToNs - m.FromNs; sum != took || took < m.Request.TookNs/2 || took > m.Request.TookNs*3/2 {
		t.Errorf("its goroutine's states sum to %d of %d ns, and it took %d", sum, took, m.Request.TookNs)
	}
	holds, lets := lineOf(t, "testdata/held/main.go", "// holds it"), lineOf(t, "testdata/held/main.go", "// lets go")
	held := runreport.At{Function: "main.hold", File: "main.go", Line: holds}
	let := runreport.At{Function: "main.hold", File: "main.go", Line: lets}
	switch c := m.Cause; {
	case c != nil && c.Goroutine != m.Goroutine: // it was held up
		if c.At != held || c.Released != let || c.State != "sleep" {
			t.Errorf("the cause is %+v", c)
		}
	case m.HeldUp == nil || len(m.Waits) == 0: // it held up others
		t.Errorf("nobody held a lock: %+v", m)
	default:
		if m.Waits[0].At != held || m.HeldUp.Released != let || m.HeldUp.Goroutines < 1 || m.HeldUp.State != "sync" {
			t.Errorf("it held up %+v, waiting itself at %+v", m.HeldUp, m.Waits[0])
		}
	}
	if all := m.OwnNs + m.OthersNs + m.IdleNs; all != int64(m.Processors)*(m.ToNs-m.FromNs) {
		t.Errorf("the processors' time is %d", all)
	}
	if m.Drawing == nil || len(m.Drawing.Timeline.Intervals) == 0 {
		t.Error("there is no drawing")
	}
	var text, html strings.Builder
	if err := runreport.WriteText(&text, page, reportpage.TextOptions{Tables: true}); err != nil {
		t.Fatal(err)
	}
	if err := runreport.WriteHTML(&html, page); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "The worst moment") || !strings.Contains(html.String(), `id="moment"`) || !strings.Contains(html.String(), `id="time-canvas"`) {
		t.Error("the pages lack the worst moment")
	}
}

// TestWindowsOfPprof: of a service that has net/http/pprof alone, there are windows, and
// no flight recorder.
func TestWindowsOfPprof(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures programs")
	}
	t.Parallel()
	rec, page, svc := recordHeld(t, true)
	checkWindows(t, rec, page, svc)
	if page.Moment != nil || svc.Traced.FlightRecorder || !slices.ContainsFunc(rec.Unknown, func(u recording.Unknown) bool { return u.What == capture.FlightRecorder }) {
		t.Errorf("a moment %+v, unknown %v", page.Moment, rec.Unknown)
	}
}
