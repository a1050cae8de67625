//go:build unix

package tune

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"whet/agent"
	loadformat "whet/internal/format/load"
	"whet/internal/load/message"
	"whet/internal/recording"
	"whet/internal/report/run"
	"whet/internal/underload"
)

// oddOptions are for the server of testdata/odd in one of its modes.
func oddOptions(t *testing.T, mode string) (o ServiceOptions, pids string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/odd")); err != nil {
		t.Fatal(err)
	}
	o = serviceOptions(t, "http://"+freeAddress(t)+"/x")
	pids = filepath.Join(t.TempDir(), "pids")
	o.Dir, o.Load.Think = dir, message.Think{}
	o.Server = []string{".", "-mode", mode, "-pids", pids, "-addr", strings.TrimSuffix(strings.TrimPrefix(o.Load.URL, "http://"), "/x")}
	return o, pids
}

// serviceOptions are for a short load on an address, from where there is no module
// whose sources could be meant. It leaves the processors some time: the target may be
// this process.
func serviceOptions(t *testing.T, url string) ServiceOptions {
	t.Helper()
	think, err := message.ParseThink("2ms")
	if err != nil {
		t.Fatal(err)
	}
	o := DefaultServiceOptions()
	o.Dir, o.Operand, o.Load.URL, o.Out = t.TempDir(), url, url, filepath.Join(t.TempDir(), "run.whet")
	o.Load.Concurrency, o.Load.Duration, o.Load.Warmup, o.Load.Think = 2, shortestLoad, 200*time.Millisecond, think
	return o
}

// measured gives the load more time until a busy machine's first profiles leave
// some of it to the others.
func measured(t *testing.T, o ServiceOptions) (*recording.Recording, *run.Page) {
	t.Helper()
	for {
		outcome, err := RecordService(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		rec, page := openPage(t, outcome.Path)
		if o.Load.Duration > time.Minute || !strings.Contains(strings.Join(page.Warnings, "\n"), firstTookAll) {
			return rec, page
		}
		o.Load.Duration *= 3
	}
}

const firstTookAll = "no CPU profile and no trace were taken: the first snapshots took until the end of the load"

// checkGone: nothing that a server started is left.
func checkGone(t *testing.T, pids string) {
	t.Helper()
	data, err := os.ReadFile(pids)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		pid, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		// An orphan that has ended may wait for init to take note of it.
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) && !strings.Contains(string(stat), ") Z ") {
			t.Errorf("process %d is left (%v)", pid, err)
		}
	}
}

// TestOddServers: whatever a server does, there is a recording of what there
// was or one line that says why not, and no process is left.
func TestOddServers(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures programs")
	}
	for _, c := range []struct {
		mode    string
		err     string // "" for none
		keeps   bool   // there is a recording
		warning string // or one of several, between bars
	}{
		{mode: "ends at once", err: "the server ended by itself (exit status 1)"},
		{mode: "never listens", err: "refused"},
		{mode: "answers 500", err: "failed: status 5xx", keeps: true},
		{mode: "redirects", keeps: true, warning: "redirect"},
		{mode: "dies", err: "the server ended by itself (exit status 7)", keeps: true},
		{mode: "ignores SIGTERM", keeps: true, warning: "did not end within"},
		{mode: "panics", err: "the server ended by itself (exit status 2)", keeps: true},
		{mode: "stops", keeps: true, warning: "still in flight when the load ended|no answer came, even after the load ended"},
		{mode: "forks", keeps: true},
		{mode: "floods", keeps: true},
		{mode: "restarts", keeps: true, warning: "metrics"},
	} {
		t.Run(c.mode, func(t *testing.T) {
			t.Parallel()
			o, pids := oddOptions(t, c.mode)
			switch c.mode {
			case "never listens":
				o.Ready = time.Second
			case "stops":
				o.Patience = time.Second
			}
			outcome, err := RecordService(context.Background(), o)
			switch {
			case c.err == "" && err != nil:
				t.Errorf("error: %v", err)
			case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "\n")):
				t.Errorf("error: %v, want %q", err, c.err)
			}
			checkGone(t, pids)
			if (outcome.Path != "") != c.keeps {
				t.Fatalf("the recording is %q", outcome.Path)
			}
			if !c.keeps {
				return
			}
			rec, page := openPage(t, outcome.Path)
			if (rec.Partial != "") != (err != nil) {
				t.Errorf("partial: %q, error: %v", rec.Partial, err)
			}
			if page.Service == nil || page.Service.Requests == 0 {
				t.Errorf("service: %+v", page.Service)
			}
			if !slices.ContainsFunc(strings.Split(c.warning, "|"), func(w string) bool { return strings.Contains(strings.Join(page.Warnings, "\n"), w) }) {
				t.Errorf("warnings: %q, want one of %q", page.Warnings, c.warning)
			}
			if c.mode == "floods" && len(output(t, rec)) > keepOutput+100 {
				t.Errorf("%d bytes of output were kept", len(output(t, rec)))
			}
		})
	}
}

// TestAnsweredBefore: the server that was started is not the one that answers.
func TestAnsweredBefore(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures programs")
	}
	t.Parallel()
	server := httptest.NewServer(profiled(""))
	defer server.Close()
	o, pids := oddOptions(t, "never listens")
	o.Load.URL = server.URL + "/hello"
	ctx, cancel := context.WithCancel(t.Context())
	o.Progress = func(p Progress) {
		if p.Requests > 10 {
			cancel()
		}
	}
	outcome, err := RecordService(ctx, o)
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	checkGone(t, pids)
	if _, page := openPage(t, outcome.Path); !strings.Contains(strings.Join(page.Warnings, "\n"), "answered before the command was started") {
		t.Errorf("warnings: %q", page.Warnings)
	}
}

// TestCostOfDying: a server that dies while its cost is measured was not
// interrupted by the user.
func TestCostOfDying(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures programs")
	}
	t.Parallel()
	o, pids := oddOptions(t, "dies")
	o.Load.Duration = time.Duration(fewestPairs*len(costInstruments)*2) * costSlice
	outcome, err := RecordCost(t.Context(), o)
	if err == nil || !strings.Contains(err.Error(), "the server ended by itself (exit status 7)") || outcome.Path != "" {
		t.Errorf("%v, %q", err, outcome.Path)
	}
	checkGone(t, pids)
}

// TestNoSuchCommand: neither a program nor a package.
func TestNoSuchCommand(t *testing.T) {
	for command, want := range map[string]string{
		"whet-no-such-program": "no such program",
		"./nowhere":            "no such program",
	} {
		o := serviceOptions(t, "http://"+freeAddress(t)+"/")
		o.Server = []string{command}
		outcome, err := RecordService(context.Background(), o)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), command) || outcome.Path != "" {
			t.Errorf("%s: %v, %q", command, err, outcome.Path)
		}
	}
}

// profiled returns a handler with net/http/pprof under a prefix of its path.
func profiled(prefix string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "fine") })
	mux.HandleFunc(prefix+"/debug/pprof/", func(w http.ResponseWriter, r *http.Request) {
		r.URL.Path = strings.TrimPrefix(r.URL.Path, prefix)
		pprof.Index(w, r)
	})
	mux.HandleFunc(prefix+"/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc(prefix+"/debug/pprof/trace", pprof.Trace)
	return mux
}

// TestStockPprof: a service that serves net/http/pprof alone gives what it has,
// and what it has not is unknown, with the way to get it.
func TestStockPprof(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures programs")
	}
	server := httptest.NewServer(profiled("/admin"))
	defer server.Close()
	o := serviceOptions(t, server.URL+"/hello")
	o.Pprof = server.URL + "/admin"
	before := ownCPU(t)
	outcome, err := RecordService(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	used := ownCPU(t) - before
	rec, page := openPage(t, outcome.Path)
	if part(t, rec, loadformat.ServicePart).Instruments != "pprof" || part(t, rec, loadformat.ServicePart).TargetCPUNs != nil || part(t, rec, loadformat.ServicePart).BlockRateNs != nil {
		t.Errorf("service: %+v", part(t, rec, loadformat.ServicePart))
	}
	// The kernel's account of this process is the second source: it has what whet
	// did before and after the load, too.
	if s := page.Service; s.CPUNs == nil || !s.CPUSampled || s.CPUPerRequestNs == nil || *s.CPUNs <= 0 || *s.CPUNs > int64(used)*3/2 {
		t.Errorf("service: %+v of %v", s, used)
	}
	for _, kind := range []string{recording.KindCPU, recording.KindAllocs, recording.KindHeap, recording.KindGoroutine, recording.KindTrace, recording.KindWall, recording.KindMetrics} {
		if len(rec.Find(kind, "")) == 0 {
			t.Errorf("no %s", kind)
		}
	}
	if !slices.ContainsFunc(rec.Artifacts, func(a recording.Artifact) bool {
		return a.Kind == recording.KindAllocs && a.Part == recording.PartBefore
	}) {
		t.Error("no allocs profile of before")
	}
	for _, u := range page.Unknown {
		if u.What == "" || u.Why == "" || u.How == "" {
			t.Errorf("unknown: %+v", u)
		}
	}
	if text := fmt.Sprint(page.Unknown); !strings.Contains(text, "agent") || len(page.Unknown) < 2 {
		t.Errorf("unknown: %s", text)
	}
}

// ownCPU returns what this process used, without those that it started.
func ownCPU(t *testing.T) time.Duration {
	t.Helper()
	var of syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &of); err != nil {
		t.Fatal(err)
	}
	return time.Duration(of.Utime.Nano() + of.Stime.Nano())
}

// TestNoTypes: of a service whose module nobody named the rules that need types
// are silent, and the warning names the way out.
func TestNoTypes(t *testing.T) {
	if testing.Short() {
		t.Skip("measures a service")
	}
	server := httptest.NewServer(profiled(""))
	defer server.Close()
	o := serviceOptions(t, server.URL+"/hello")
	o.Dir = t.TempDir()
	_, page := measured(t, o)
	if warnings := strings.Join(page.Warnings, "\n"); !strings.Contains(warnings, "has no types of the measured code: rules that need them are silent") || !strings.Contains(warnings, "run whet tune in the directory of the service's module") {
		t.Errorf("warnings %q", page.Warnings)
	}
}

// TestNoCPUProfile: that there is none shows only when it is asked for. It is
// unknown then, like all else that is not there.
func TestNoCPUProfile(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures programs")
	}
	all := profiled("")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/profile") {
			http.NotFound(w, r)
			return
		}
		all.ServeHTTP(w, r)
	}))
	defer server.Close()
	rec, page := measured(t, serviceOptions(t, server.URL+"/hello"))
	if !slices.ContainsFunc(page.Unknown, func(u run.Unknown) bool { return u.What == "CPU profile" }) || len(rec.Find(recording.KindCPU, "")) != 0 {
		t.Errorf("unknown: %v", page.Unknown)
	}
	// Nor is it known how many processors a program behind net/http/pprof may use.
	if rec.Host.GOMAXPROCS != 0 {
		t.Errorf("GOMAXPROCS %d", rec.Host.GOMAXPROCS)
	}
}

// TestNoInstruments: the load alone is a result; a place that the user named
// and that has none is an error.
func TestNoInstruments(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures programs")
	}
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintln(w, "<html>fine</html>")
	}))
	defer server.Close()
	o := serviceOptions(t, server.URL+"/hello")
	outcome, err := RecordService(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	rec, page := openPage(t, outcome.Path)
	if data, err := rec.Read(rec.Find(recording.KindFindings, "")[0]); err != nil || !strings.Contains(string(data), page.Verdict.Kind) {
		t.Errorf("%v: the page's verdict %q is not that of %s", err, page.Verdict.Kind, data)
	}
	if page.Service.Instruments != "none" || page.Service.Requests == 0 || len(page.Unknown) == 0 || len(page.Profiles) != 0 ||
		strings.Contains(page.Verdict.Text, "import") ||
		!strings.Contains(strings.Join(page.Warnings, "\n"), `unknown: start it through whet (whet tune URL -- ./cmd/server), or import _ "net/http/pprof" in it and give its URL with -pprof`) {
		t.Errorf("service %+v, verdict %q, warnings %q, unknown %+v, %d profiles", page.Service, page.Verdict.Text, page.Warnings, page.Unknown, len(page.Profiles))
	}
	o = serviceOptions(t, server.URL+"/hello")
	o.Pprof = server.URL
	if outcome, err := RecordService(context.Background(), o); err == nil || outcome.Path != "" {
		t.Errorf("profiles are where there are none: %v, %q", err, outcome.Path)
	}
}

// TestSocket: instruments on a Unix socket, where the user says so.
func TestSocket(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures programs")
	}
	server := httptest.NewServer(profiled(""))
	defer server.Close()
	dir, err := os.MkdirTemp("", "w") // t.TempDir may be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	socket := filepath.Join(dir, "s")
	a := agent.Start(agent.Config{Listen: "unix:" + socket, Token: "secret"})
	defer a.Stop()
	o := serviceOptions(t, server.URL+"/hello")
	o.Pprof, o.Load.Header = "unix:"+socket, http.Header{"Authorization": {"Bearer secret"}}
	outcome, err := RecordService(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if rec, _ := openPage(t, outcome.Path); part(t, rec, loadformat.ServicePart).Instruments != "agent" || part(t, rec, loadformat.ServicePart).Pprof != "unix:"+socket {
		t.Errorf("instruments: %q at %q", part(t, rec, loadformat.ServicePart).Instruments, part(t, rec, loadformat.ServicePart).Pprof)
	}
}

// TestSomebodyElsesProfile: the CPU profiler is in use all the time.
func TestSomebodyElsesProfile(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures programs")
	}
	handler := profiled("")
	busy := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/profile") {
			http.Error(w, "Could not enable CPU profiling: cpu profiling already in use", http.StatusInternalServerError)
			return
		}
		handler.ServeHTTP(w, r)
	})
	server := httptest.NewServer(busy)
	defer server.Close()
	rec, page := measured(t, serviceOptions(t, server.URL+"/hello"))
	if len(rec.Find(recording.KindCPU, "")) != 0 || len(rec.Find(recording.KindAllocs, "")) == 0 {
		t.Errorf("artifacts: %+v", rec.Artifacts)
	}
	if !strings.Contains(strings.Join(page.Warnings, "\n"), "in use") {
		t.Errorf("warnings: %q", page.Warnings)
	}
}

// TestInterruptedService: Ctrl-C in the middle of the load keeps what there is,
// and stops the server.
func TestInterruptedService(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures programs")
	}
	t.Parallel()
	o, pids := oddOptions(t, "forks")
	o.Load.Duration = time.Minute
	ctx, cancel := context.WithCancel(context.Background())
	o.Progress = func(p Progress) {
		if p.Requests > 100 && p.Left < o.Load.Duration-longPlain-underload.CPUPart-2*time.Second {
			cancel()
		}
	}
	outcome, err := RecordService(ctx, o)
	if !errors.Is(err, context.Canceled) || outcome.Path == "" {
		t.Fatalf("%v, %q", err, outcome.Path)
	}
	checkGone(t, pids)
	rec, page := openPage(t, outcome.Path)
	if rec.Partial != "interrupted" || page.Service.Requests == 0 {
		t.Errorf("partial %q, service %+v", rec.Partial, page.Service)
	}
	if len(rec.Find(recording.KindCPU, "")) != 1 {
		t.Errorf("the CPU profile of the first seconds is lost: %+v", rec.Artifacts)
	}
}

// TestTwoAtOnce: two measure one target; there is one CPU profiler, and whoever
// comes second waits for it and says so if it has to give up. On a busy machine the
// first profiles may take until the load's end, which is then given more time.
func TestTwoAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures programs")
	}
	server := httptest.NewServer(profiled(""))
	defer server.Close()
	for d := 2 * shortestLoad; twoAtOnce(t, server.URL+"/hello", d) == 0; d *= 3 {
		if d > time.Minute {
			t.Fatal("neither has a CPU profile")
		}
	}
}

// twoAtOnce returns the number of CPU profiles of two that put load on a target for as
// long.
func twoAtOnce(t *testing.T, url string, d time.Duration) (profiles int) {
	type ending struct {
		path string
		err  error
	}
	done := make(chan ending, 2)
	for range 2 {
		go func() {
			o := serviceOptions(t, url)
			o.Load.Duration = d
			outcome, err := RecordService(context.Background(), o)
			done <- ending{outcome.Path, err}
		}()
	}
	for range 2 {
		e := <-done
		if e.err != nil {
			t.Fatal(e.err)
		}
		rec, page := openPage(t, e.path)
		n := len(rec.Find(recording.KindCPU, ""))
		why := strings.Join(page.Warnings, "\n")
		if profiles += n; n == 0 && !strings.Contains(why, "someone else has been using the program's CPU profiler") &&
			!strings.Contains(why, firstTookAll) {
			t.Errorf("no CPU profile, and no word of why: %q", page.Warnings)
		}
		if page.Service.Requests == 0 || len(rec.Find(recording.KindAllocs, "")) != 1 {
			t.Errorf("service %+v", page.Service)
		}
	}
	return profiles
}

// TestRefused: nobody listens.
func TestRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures programs")
	}
	o := serviceOptions(t, "http://"+freeAddress(t)+"/")
	o.Ready = 300 * time.Millisecond
	var stages []string
	o.Progress = func(p Progress) { stages = append(stages, p.Stage) }
	outcome, err := RecordService(context.Background(), o)
	if err == nil || !strings.Contains(err.Error(), "refused") || outcome.Path != "" {
		t.Errorf("%v, %q", err, outcome.Path)
	}
	if !slices.Contains(stages, "connection refused, waiting up to 0.3 s") {
		t.Errorf("it does not say what it waits for: %q", stages)
	}
	if l, err := net.Listen("tcp", "127.0.0.1:0"); err == nil { // listens, and never answers
		defer l.Close()
		o := serviceOptions(t, "http://"+l.Addr().String()+"/")
		o.Ready, o.Load.Timeout = 500*time.Millisecond, 200*time.Millisecond
		if outcome, err := RecordService(context.Background(), o); err == nil || outcome.Path != "" {
			t.Errorf("%v, %q", err, outcome.Path)
		}
	}
}
