package tune

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"whet/internal/analyze/events"
	"whet/internal/format/gctrace"
	loadformat "whet/internal/format/load"
	"whet/internal/format/metrics"
	"whet/internal/recording"
	runreport "whet/internal/report/run"
	"whet/internal/stat"
	"whet/internal/underload"
)

// copyPlanted copies the module of testdata/planted out of this one.
func copyPlanted(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/planted")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// freeAddress returns an address of the loopback interface that nobody listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// TestPlantedInAProgram: what the module of testdata/planted costs and suffers
// is in the recording of it as a program that ends, with its exit status.
func TestPlantedInAProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures programs")
	}
	t.Parallel()
	o := DefaultProgramOptions()
	o.Dir, o.Operand, o.Out = copyPlanted(t), "./cmd/run", filepath.Join(t.TempDir(), "run.whet")
	o.Args = []string{"-for", "8s", "-exit", "3"}
	var stdout, stderr strings.Builder
	o.Stdout, o.Stderr = &stdout, &stderr
	outcome, err := RecordProgram(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	rec, page := openPage(t, outcome.Path)
	checkReadOnce(t, &outcome, rec, page)
	checkPlanted(t, rec, page)

	run := page.Program.Runs[0]
	if run.Ending != "exit status 3" || run.Missing != "" {
		t.Errorf("run: %+v", run)
	}
	if wall := time.Duration(run.WallNs); wall < 8*time.Second {
		t.Errorf("wall %v of a program that works for 8s", wall)
	}
	// It works on one core but for its stall.
	if cpu := run.CPUNs; cpu <= 0 || cpu > run.WallNs*11/10 || cpu != run.UserCPUNs+run.SystemCPUNs {
		t.Errorf("CPU time %v of %v", time.Duration(cpu), time.Duration(run.WallNs))
	}
	if run.PeakBytes == nil || *run.PeakBytes < 4<<20 {
		t.Errorf("peak memory %v", run.PeakBytes)
	}
	if !strings.HasPrefix(stdout.String(), "working\nsum ") || strings.Contains(stdout.String(), "forced-gc") {
		t.Errorf("stdout: %q", stdout.String())
	}
	if text := stderr.String(); !strings.Contains("\n"+text, "\nforced-gc ") || strings.Contains(text, "gc 1 @") {
		t.Errorf("stderr: %q", text)
	}
}

// TestPlantedInAService: the same of a service under load.
func TestPlantedInAService(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures programs")
	}
	t.Parallel()
	o := DefaultServiceOptions()
	address := freeAddress(t)
	o.Dir, o.Operand, o.Out = copyPlanted(t), "http://"+address+"/step", filepath.Join(t.TempDir(), "run.whet")
	o.Load.URL, o.Server = o.Operand, []string{"./cmd/serve", "-addr", address}
	o.Load.Concurrency, o.Load.Duration, o.Load.Warmup = 4, 10*time.Second, time.Second
	outcome, err := RecordService(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	rec, page := openPage(t, outcome.Path)
	checkReadOnce(t, &outcome, rec, page)
	checkPlanted(t, rec, page)
	checkOneClock(t, rec, page)

	s := page.Service
	if s == nil || s.Requests == 0 || len(s.Errors) != 0 || s.Instruments != "agent" || s.Concurrency != 4 {
		t.Fatalf("service: %+v", s)
	}
	var seconds int64
	for _, second := range s.Seconds {
		seconds += second.Requests
	}
	if seconds != s.Requests {
		t.Errorf("the seconds hold %d requests, the whole %d", seconds, s.Requests)
	}
	// The load is kept and shown as whet load keeps and shows its own.
	if l := s.Load; l == nil || l.Result.Requests != s.Requests || l.Result.Service.Count() != s.Requests || l.Result.Service.Quantile(0.99) != s.P99Ns || l.Course == nil || l.Plan.Connections != 4 {
		t.Errorf("load: %+v", s.Load)
	}
	if n := len(rec.Find(recording.KindHistograms, "")) + len(rec.Find(recording.KindLoadRun, "")) + len(rec.Find(recording.KindLoad, "")); n != 3 {
		t.Errorf("%d files of the load", n)
	}
	if s.CPUNs == nil || s.PeakBytes == nil || s.GeneratorCPUNs == nil {
		t.Errorf("CPU %v, peak %v, generator %v", s.CPUNs, s.PeakBytes, s.GeneratorCPUNs)
	}
	// The differences end with the load, and cover some of the warm-up: what is
	// said of a second or a request is of its time. Whet collects before and after.
	svc := part(t, rec, loadformat.ServicePart)
	for _, kind := range underload.Cumulative() {
		for _, a := range rec.Find(kind, "") {
			if a.StartNs >= svc.Load.StartNs || a.EndNs != svc.Load.EndNs {
				t.Errorf("%s profile from %d to %d, load from %d to %d", kind, a.StartNs, a.EndNs, svc.Load.StartNs, svc.Load.EndNs)
			}
		}
	}
	if answered := svc.Load.Answered(); svc.AllocRequests < answered || svc.MutexRequests < answered || svc.MutexRequests > svc.AllocRequests || svc.AllocRequests > answered*2 {
		t.Errorf("requests: %d under load, %d with allocations, %d with the mutex profile", answered, svc.AllocRequests, svc.MutexRequests)
	}
	if len(svc.OwnGC) != 2 || svc.OwnGC[0].EndNs > svc.Load.StartNs+int64(time.Second) || svc.OwnGC[1].StartNs < svc.Load.EndNs {
		t.Errorf("collections of whet's: %v", svc.OwnGC)
	}
	if procs := rec.Host.GOMAXPROCS; procs < 1 {
		t.Errorf("GOMAXPROCS %d", procs)
	}
	// Little's law: the clients are always in a request, N = X·R, where the mean
	// service time R leaves out only what the generator does between two, and requests that began before the first second count whole:
	// on a busy machine these take as long as any.
	if n := s.ThroughputPerS * s.MeanNs / 1e9; n > 4.25 || n < 3 {
		t.Errorf("%.2f requests in flight on average, of 4 clients", n)
	}
	if page.Wall == nil || page.Wall.Requests == 0 || !strings.HasPrefix(page.Wall.Text, "a request in main.main.func1: ") {
		t.Errorf("wall: %+v", page.Wall)
	}
	if text := output(t, rec); !strings.Contains(text, "stopped\n") {
		t.Errorf("the server was not stopped by SIGTERM: it printed %q", text)
	}
}

// TestPlantedInABenchmark: the same of a benchmark.
func TestPlantedInABenchmark(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures programs")
	}
	t.Parallel()
	outcome, err := recordModule(t, copyPlanted(t), func(o *Options) {
		o.Operand, o.BenchTime, o.Budget, o.Samples = "./work", "6s", 60*time.Second, 300
	})
	if err != nil {
		t.Fatal(err)
	}
	rec, page := openPage(t, outcome.Path)
	checkReadOnce(t, &outcome, rec, page)
	checkPlanted(t, rec, page)
}

// output returns what the target printed.
func output(t *testing.T, rec *recording.Recording) string {
	t.Helper()
	found := rec.Find(recording.KindOutput, "")
	if len(found) == 0 {
		return ""
	}
	data, err := rec.Read(found[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// moment is when the program says that it suffered something, and for how long: on
// a busy machine everything takes longer than was planned.
type moment struct{ startNs, ns int64 }

// moments returns the moments of an event, since the recording's origin.
func moments(t *testing.T, rec *recording.Recording, event string) []moment {
	t.Helper()
	var out []moment
	for line := range strings.Lines(output(t, rec)) {
		var began, took int64
		if n, _ := fmt.Sscanf(line, event+" %d %d", &began, &took); n == 2 {
			out = append(out, moment{time.Unix(0, began).Sub(rec.Origin).Nanoseconds(), took})
		}
	}
	return out
}

func checkPlanted(t *testing.T, rec *recording.Recording, page *runreport.Page) {
	t.Helper()
	for _, w := range page.Warnings {
		t.Log(w)
	}
	checkPlantedShares(t, page)
	checkPlantedWaits(t, rec, page)
	checkPlantedEvents(t, rec, page)
}

// checkPlantedShares: A, B and C take 30, 20 and 50 of 100 parts of the work,
// give or take what the samples allow. The interval is one that a right
// program leaves once in ten thousand times. Where other programs want the processors,
// samples come in bursts at the ends of time slices: two of them count as one then.
func checkPlantedShares(t *testing.T, page *runreport.Page) {
	t.Helper()
	var cpu *runreport.Profile
	for i := range page.Profiles {
		if page.Profiles[i].Kind == recording.KindCPU {
			cpu = &page.Profiles[i]
		}
	}
	if cpu == nil {
		t.Fatal("no CPU profile")
	}
	cum := make(map[string]int64)
	for _, row := range cpu.TopCum {
		cum[row.Function] = row.Cum
	}
	work := cum["example.com/planted/work.Step"]
	period := cpu.Values[0] / max(cpu.Samples[0], 1)
	n := int(work / max(period, 1))
	if n < 100 {
		t.Fatalf("%d samples in Step: %+v", n, cpu.TopCum)
	}
	burst := 1
	if slices.ContainsFunc(page.Warnings, func(w string) bool { return strings.Contains(w, "machine was busy") }) {
		burst = 2
	}
	for name, want := range map[string]float64{"A": 0.3, "B": 0.2, "C": 0.5} {
		k, n := int(cum["example.com/planted/work."+name]/period)/burst, n/burst
		if i := stat.Wilson(k, n, 0.9999); want < i.Low || want > i.High {
			t.Errorf("%s: %d of %d samples of the work, %.3f to %.3f: %.2f was planted", name, k, n, i.Low, i.High, want)
		}
	}
}

// checkPlantedWaits: each second somebody waits 200 ms for a lock, or for as long
// as the holder comes late.
func checkPlantedWaits(t *testing.T, rec *recording.Recording, page *runreport.Page) {
	t.Helper()
	var longest int64
	for _, m := range moments(t, rec, "wait") {
		longest = max(longest, m.ns)
	}
	for _, w := range page.Contention {
		if w.Kind != "lock" || w.Function != "example.com/planted/work.(*Planted).wait" {
			continue
		}
		// The runtime's clock of waits is calibrated to a few percent.
		mean := time.Duration(w.DelayNs / max(w.Count, 1))
		if mean < 180*time.Millisecond || int64(mean) > longest+longest/10 || w.PerS < 0.1 || float64(w.PerS) > 1.75*mean.Seconds() {
			t.Errorf("%d waits of %v, %.3f s a second, want 200ms and 0.2 s; the longest was %v", w.Count, mean, w.PerS, time.Duration(longest))
		}
		return
	}
	t.Errorf("nobody waits for the lock: %+v", page.Contention)
}

func checkPlantedEvents(t *testing.T, rec *recording.Recording, page *runreport.Page) {
	t.Helper()
	byKind := make(map[string][]runreport.Event)
	for _, e := range page.Events {
		byKind[e.Kind] = append(byKind[e.Kind], e)
	}
	// The origins of two clocks, and the rows that events are made of, are this far
	// apart.
	const apart = int64(250 * time.Millisecond)
	for _, event := range []string{events.ForcedGC, events.Stall} {
		// Each process of a benchmark does it, and one of them is watched over
		// time; a busy machine may stall any of them once more.
		found := false
		for _, e := range byKind[event] {
			for _, said := range moments(t, rec, event) {
				found = found || e.StartNs > said.startNs-apart && e.StartNs < said.startNs+said.ns+apart &&
					(event != events.Stall || e.EndNs-e.StartNs > int64(300*time.Millisecond) && e.EndNs-e.StartNs < said.ns+2*apart)
			}
		}
		// A process that gets a fifth of a processor stalls all the time: then the
		// page says so in place of naming one.
		starved := event == events.Stall && slices.ContainsFunc(page.Warnings, func(w string) bool {
			return strings.Contains(w, "of a processor") && strings.Contains(w, "the machine was busy with other processes")
		})
		if !found && !starved {
			t.Errorf("%s: the program did it at %v, the page has %+v", event, moments(t, rec, event), byKind[event])
		}
	}
	if n := len(byKind[events.ForcedGC]); n != 1 {
		t.Errorf("%d forced collections, and one was planted: %+v", n, byKind[events.ForcedGC])
	}
	if leaks := byKind[events.Goroutines]; len(leaks) != 1 {
		t.Errorf("goroutine leaks: %+v", leaks)
	} else {
		var rate, low, high float64
		if n, err := fmt.Sscanf(leaks[0].Text, "goroutines rose steadily by %g a second (95 %% interval %g to %g)", &rate, &low, &high); n != 3 {
			t.Errorf("%q: %v", leaks[0].Text, err)
		}
		// A timer of 100 ms is late on a busy machine, never early: the processes say
		// how late, each in turn.
		said := moments(t, rec, "leak")
		var took int64
		for _, m := range said {
			took += m.ns
		}
		if own := float64(len(said)) / (float64(took) / 1e9); rate > 10.5 || rate < 0.7*own || math.IsNaN(low) || low > rate || rate > high {
			t.Errorf("ten goroutines a second leak, %.2f by what the program says: %q", own, leaks[0].Text)
		}
	}
	if more := byKind[events.Heap]; len(more) != 0 {
		t.Errorf("the heap does not grow: %+v", more)
	}
}

// TestPlantedModuleIsAlone: the copy needs nothing of this module.
func TestPlantedModuleIsAlone(t *testing.T) {
	err := fs.WalkDir(os.DirFS("testdata/planted"), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") {
			return err
		}
		data, err := os.ReadFile(filepath.Join("testdata/planted", name))
		if strings.Contains(string(data), "whet") {
			t.Errorf("%s knows of whet", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// checkOneClock: what was planted in a server is where it was planted in each source
// alone: the forced collection in the collector's log and in the metrics, the stall in
// the answers of the load.
func checkOneClock(t *testing.T, rec *recording.Recording, page *runreport.Page) {
	t.Helper()
	const apart = int64(250 * time.Millisecond)
	near := func(event string, from, to int64) bool {
		return slices.ContainsFunc(moments(t, rec, event), func(m moment) bool { return from < m.startNs+m.ns+apart && to > m.startNs-apart })
	}
	own := part(t, rec, loadformat.ServicePart).OwnGC
	logged := 0
	for _, a := range rec.Find(recording.KindGC, "") {
		data, err := rec.Read(a)
		if err != nil {
			t.Fatal(err)
		}
		cycles, _, _ := gctrace.Parse(data)
		for _, c := range cycles {
			if at := a.StartNs + int64(c.At); c.Forced && near(events.ForcedGC, at, at+int64(c.Wall())) {
				logged++
			}
		}
	}
	if logged != 1 {
		t.Errorf("the collector's log has %d forced cycles at %v, and one was planted; whet's own were at %v", logged, moments(t, rec, events.ForcedGC), own)
	}
	counted := int64(0)
	for _, a := range rec.Find(recording.KindMetrics, "") {
		data, err := rec.Read(a)
		if err != nil {
			t.Fatal(err)
		}
		rows, _, err := metrics.Read(data, metrics.MaxRows)
		if err != nil {
			t.Fatal(err)
		}
		for i := 1; i < len(rows); i++ {
			x, y := &rows[i-1], &rows[i]
			if x.GCForced != nil && y.GCForced != nil && *y.GCForced > *x.GCForced && near(events.ForcedGC, x.TimeNs, y.TimeNs) {
				counted += *y.GCForced - *x.GCForced
			}
		}
	}
	if counted != 1 {
		t.Errorf("the metrics count %d forced cycles at %v", counted, moments(t, rec, events.ForcedGC))
	}
	// The slowest second of the load, by its slowest answer, is one of the stall: unless
	// the machine stalled all for longer.
	var worst runreport.Second
	for _, s := range page.Service.Seconds {
		if s.MaxNs > worst.MaxNs {
			worst = s
		}
	}
	stalls := moments(t, rec, events.Stall)
	if len(stalls) > 0 && worst.MaxNs < stalls[0].ns*2 && !near(events.Stall, worst.TimeNs, worst.TimeNs+worst.LengthNs) {
		t.Errorf("the slowest answer, of %v, came in the second from %v; the stall was at %v", time.Duration(worst.MaxNs), time.Duration(worst.TimeNs), stalls)
	}
	// And the report draws them on one axis.
	names := make(map[string]bool)
	for _, s := range page.Series {
		names[s.Name] = true
	}
	for _, name := range []string{"CPU", "heap objects", "heap goal", "alive after cycles", "collections", "goroutines"} {
		if !names[name] {
			t.Errorf("the page draws no %s over time", name)
		}
	}
}
