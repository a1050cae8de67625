//go:build unix

package service

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	_ "net/http/pprof"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"whet/internal/analyze/compare"
	"whet/internal/prove"
	"whet/internal/prove/rounds"
)

// The test binary is also the service under test.
const act = "SERVICE_TEST_ACT"

func TestMain(m *testing.M) {
	if os.Getenv(act) != "" {
		serve(os.Args[1:])
		return
	}
	goleak.VerifyTestMain(m)
}

func cpuOfSelf() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// burn uses CPU time, one caller at a time. The process's other threads use some
// too, so that it may be over before as much time has passed: it takes that also.
func burn(d time.Duration) {
	burning.Lock()
	defer burning.Unlock()
	for x, begun, start := 1, cpuOfSelf(), time.Now(); cpuOfSelf()-begun < d || time.Since(start) < d; {
		for range 10_000 {
			x = x*7 + 1
		}
	}
}

var burning sync.Mutex

// kept holds the last allocation of a handler.
var kept atomic.Pointer[[]byte]

// What the services wait beside their work: their times are then their own, however
// late a busy machine makes the load, and far apart.
const slow, quick = 150 * time.Millisecond, 20 * time.Millisecond

// serve listens on the address in args[1], in the manner of args[0].
func serve(args []string) {
	switch args[0] {
	case "exit":
		fmt.Fprintln(os.Stderr, "no configuration")
		os.Exit(5)
	case "background": // a daemon: it goes on elsewhere
		return
	case "mute":
		select {}
	}
	var served atomic.Int64
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		n := served.Add(1)
		switch args[0] {
		case "slow":
			burn(4 * time.Millisecond)
			<-time.After(slow)
		case "quick": // slow enough for its times to be no one else's
			burn(time.Millisecond)
			<-time.After(quick)
		case "alloc":
			b := make([]byte, 64<<10)
			kept.Store(&b)
		case "crashes":
			if n > 20 {
				fmt.Fprintln(os.Stderr, "panic: out of luck")
				os.Exit(2)
			}
		case "pid":
			fmt.Fprint(w, os.Getpid(), os.Getenv("SIDE"))
		}
		io.WriteString(w, "hello")
	})
	fmt.Fprintln(os.Stderr, "listening")
	log.SetOutput(io.Discard)
	fmt.Fprintln(os.Stderr, http.ListenAndServe(args[1], nil))
	os.Exit(1)
}

// line returns a command line that starts the test binary as a service.
func line(args ...string) string {
	return "'" + os.Args[0] + "' " + strings.Join(args, " ")
}

// options returns the options of a short proof.
func options(t *testing.T, url, old, new string) Options {
	t.Setenv(act, "1")
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	o := DefaultOptions()
	o.URL, o.Old, o.New = url, old, new
	o.Rounds, o.Alpha, o.Seed = 1, 0.4, 7
	o.Rate, o.Span = 100, 120*time.Millisecond
	o.Load.Concurrency, o.Load.Timeout = 4, 5*time.Second
	return o
}

const local = "http://127.0.0.1:{port}/path"

func proven(t *testing.T, o Options) *compare.Result {
	t.Helper()
	if testing.Short() {
		t.Skip("measures in rounds")
	}
	res, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// row returns the row of a unit.
func row(t *testing.T, res *compare.Result, unit string) compare.Row {
	t.Helper()
	for _, r := range res.Benchmarks {
		if r.Metric == unit {
			return r
		}
	}
	t.Fatalf("no row of %s: %+v, failures %v, warnings %v", unit, res.Benchmarks, res.Failures, res.Warnings)
	return compare.Row{}
}

// A service that works 4 ms of CPU time for a request, and waits long, is slower
// than one that works 1 ms and waits less, under the same arrivals: in the response
// time, which decides, in CPU time and in throughput.
func TestVerdicts(t *testing.T) {
	if testing.Short() {
		t.Skip("measures in rounds")
	}
	o := options(t, local, line("slow", "127.0.0.1:{port}"), line("quick", "127.0.0.1:{port}"))
	o.Rounds, o.Span, o.Load.Concurrency = compare.FewestRounds(3, o.Alpha)+2, 400*time.Millisecond, 16
	res := proven(t, o)
	p50, throughput := row(t, res, compare.P50Ns), row(t, res, compare.RequestsPerSecond)
	if p50.Verdict != compare.Faster || !p50.Gates || p50.Old < float64(slow) || p50.New < float64(quick) || p50.Ratio <= 1 || p50.Name != "GET /path at 100/s" {
		t.Errorf("%+v", p50)
	}
	// Each connection one at a time: no more than 107 and 800 a second.
	if throughput.Old > 110 || throughput.New > 830 || throughput.Ratio <= 1 || throughput.Gates {
		t.Errorf("%+v", throughput)
	}
	if runtime.GOOS == "linux" {
		if cpu := row(t, res, compare.CPUNsPerRequest); cpu.Old < 4e6 || cpu.New < 1e6 || cpu.Ratio <= 1 || cpu.Gates {
			t.Errorf("%+v", cpu)
		}
	}
	if res.ExitCode() != 0 || res.Kind != compare.KindService || len(res.Failures) != 0 || strings.Contains(strings.Join(res.Warnings, "\n"), "one process") {
		t.Errorf("exit %d, failures %v, warnings %q", res.ExitCode(), res.Failures, res.Warnings)
	}
}

// Bytes per request are those that the runtime of a side counts; a side that is
// not asked has none.
func TestAllocations(t *testing.T) {
	if testing.Short() {
		t.Skip("measures in rounds")
	}
	o := options(t, local, line("alloc", "127.0.0.1:{port}"), line("plain", "127.0.0.1:{port}"))
	o.Pprof = []string{"http://127.0.0.1:{port}"}
	r := &runner{o: &o, rate: o.Rate, span: o.Span}
	var got [2]compare.Slice
	for side := range got {
		var err error
		if got[side], err = r.Slice(t.Context(), rounds.SliceRequest{Side: compare.Side(side)}); err != nil {
			t.Fatal(err)
		}
	}
	old, new := got[compare.Old][compare.AllocBytesPerRequest], got[compare.New][compare.AllocBytesPerRequest]
	// net/http itself takes some kilobytes for a request; what asking costs is
	// some hundred, and would be seen if it were counted.
	if old < 64<<10 || old > 84<<10 || new <= 0 || new > 20<<10 {
		t.Errorf("%.0f and %.0f bytes for a request", old, new)
	}
	o.Pprof = nil
	s, err := r.Slice(t.Context(), rounds.SliceRequest{})
	if _, ok := s[compare.AllocBytesPerRequest]; ok || err != nil {
		t.Errorf("bytes that nobody told: %v, %v", s, err)
	}
	o.Pprof = []string{"http://127.0.0.1:1"}
	if s, err := r.Slice(t.Context(), rounds.SliceRequest{}); err == nil || !strings.Contains(err.Error(), "find instruments") {
		t.Errorf("%v, %v", s, err)
	}
}

// Each slice has a process of its own, with the side's own environment, and
// none is left.
func TestProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("starts services")
	}
	o := options(t, local, line("pid", "127.0.0.1:{port}"), line("pid", "127.0.0.1:{port}"))
	o.Env = [2][]string{{"SIDE=one"}, {"SIDE=two"}}
	r := &runner{o: &o}
	seen := make(map[int]bool)
	for i := range 4 {
		s, err := r.open(t.Context(), compare.Side(i%2))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.Get(s.url)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		var pid int
		var side string
		fmt.Sscanf(string(text), "%d%s", &pid, &side)
		if want := [2]string{"onehello", "twohello"}[i%2]; pid != s.proc.PID() || seen[pid] || side != want {
			t.Errorf("%q, process %d", text, s.proc.PID())
		}
		seen[pid] = true
		s.close()
		if err := syscall.Kill(pid, 0); err == nil {
			t.Errorf("process %d was left", pid)
		}
	}
	http.DefaultClient.CloseIdleConnections()
}

// A fixed address is used by one side after the other, and by nobody else.
func TestFixedAddress(t *testing.T) {
	if testing.Short() {
		t.Skip("starts services")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	o := options(t, "http://"+address, line("quick", address), line("quick", address))
	r := &runner{o: &o}
	for _, side := range []compare.Side{compare.Old, compare.New, compare.Old} {
		s, err := r.open(t.Context(), side)
		if err != nil {
			t.Fatal(err)
		}
		if s.url != o.URL {
			t.Errorf("%s", s.url)
		}
		s.close()
	}
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer s.Close()
	o.URL = s.URL
	if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "answers before the command was started") {
		t.Error(err)
	}
}

// handler serves with what a test says.
func handler(t *testing.T, h http.HandlerFunc) string {
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.Start()
	t.Cleanup(s.Close)
	return s.URL
}

// ok takes long enough for its times to be no one else's.
func ok(w http.ResponseWriter, _ *http.Request) {
	burn(time.Millisecond)
	io.WriteString(w, "ok")
}

// Both addresses get the same requests at the same rate, each by turns.
func TestAddresses(t *testing.T) {
	if testing.Short() {
		t.Skip("measures in rounds")
	}
	var served [2]atomic.Int64
	var both, active atomic.Int64
	side := func(i int) string {
		return handler(t, func(w http.ResponseWriter, r *http.Request) {
			served[i].Add(1)
			burn(time.Millisecond)
			if r.Method != "POST" || r.Header.Get("X-A") != "b" {
				w.WriteHeader(400)
			}
			if body, _ := io.ReadAll(r.Body); string(body) != "body" {
				w.WriteHeader(400)
			}
			// Which side is under load: 1 << i while a request is there.
			if active.Or(1<<i)&^(1<<i) != 0 {
				both.Add(1)
			}
			active.And(^(1 << i))
		})
	}
	o := options(t, "", side(0)+"/x?y=z", side(1)+"/x?y=z")
	o.Load.Method, o.Load.Body, o.Load.Header = "POST", []byte("body"), http.Header{"X-A": {"b"}}
	o.Span = time.Second // half of it has requests that end in it, on a busy machine too
	res := proven(t, o)
	if res.RoundsMeasured != 1 || served[0].Load() == 0 || served[1].Load() == 0 || both.Load() != 0 {
		t.Errorf("served %d and %d, %d at once", served[0].Load(), served[1].Load(), both.Load())
	}
	if !strings.Contains(strings.Join(res.Warnings, "\n"), "each side is one running process") {
		t.Errorf("warnings %q", res.Warnings)
	}
	if row := row(t, res, compare.RequestsPerSecond); row.Name != "POST /x at 100/s" {
		t.Errorf("%+v", row)
	}
	for _, r := range res.Benchmarks {
		if r.Metric == compare.CPUNsPerRequest || r.Metric == compare.AllocBytesPerRequest {
			t.Errorf("a figure that nobody gave: %+v", r)
		}
	}
}

// Failures of a side are reported and not measured.
func TestFailures(t *testing.T) {
	if testing.Short() {
		t.Skip("measures in rounds")
	}
	fine := handler(t, ok)
	for name, c := range map[string]struct {
		bad  http.HandlerFunc
		want string
	}{
		"errors":    {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, "100.0 % of the requests failed: status 5xx "},
		"redirects": {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/login", http.StatusFound) }, "the new side answers 302, the old side 200"},
		"hangs":     {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "not ready within"},
		"aborts":    {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "not ready within"},
		"some": {func() http.HandlerFunc {
			var n atomic.Int64
			return func(w http.ResponseWriter, _ *http.Request) {
				if n.Add(1)%30 == 0 { // more than one in a hundred
					w.WriteHeader(503)
				}
			}
		}(), "status 5xx "},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(t, "", fine, handler(t, c.bad))
			if strings.HasPrefix(c.want, "not ready") {
				// Waited for in full by these two; the other side has as long to answer.
				o.Ready, o.Load.Timeout = 3*time.Second, 3*time.Second
			}
			res := proven(t, o)
			if len(res.Failures) != 1 || res.Failures[0].Side != "new" || !strings.Contains(res.Failures[0].Text, c.want) || res.ExitCode() != 3 || len(res.Benchmarks) != 0 {
				t.Errorf("exit %d, %+v, want %q", res.ExitCode(), res.Failures, c.want)
			}
		})
	}
	for name, c := range map[string]struct{ bad, want string }{
		"exits":      {line("exit", "{port}"), `it ended by itself (exit status 5)`},
		"background": {line("background", "{port}"), "name a command that stays in the foreground"},
		"mute":       {line("mute", "{port}"), "not ready within"},
		"unknown":    {"/no/such/program {port}", "no such program"},
		"crashes":    {line("crashes", "127.0.0.1:{port}"), `it ended by itself (exit status 2)`},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(t, local, line("plain", "127.0.0.1:{port}"), c.bad)
			if name == "mute" {
				o.Ready = 5 * time.Second // the other side has as long to start
			}
			res := proven(t, o)
			if len(res.Failures) != 1 || res.Failures[0].Side != "new" || !strings.Contains(res.Failures[0].Text, c.want) {
				t.Errorf("%+v, want %q", res.Failures, c.want)
			}
			if name == "crashes" && !strings.Contains(res.Failures[0].Text, `it said "panic: out of luck"`) {
				t.Errorf("%+v", res.Failures)
			}
		})
	}
	o := options(t, "", "http://127.0.0.1:1", "http://127.0.0.1:1")
	o.Ready = 50 * time.Millisecond
	if _, err := Run(t.Context(), o); err == nil || strings.Count(err.Error(), "connection refused") != 2 {
		t.Errorf("%v", err)
	}
}

// A side that begins to fail in the middle of the rounds is a failing one.
func TestDiesLater(t *testing.T) {
	if testing.Short() {
		t.Skip("measures in rounds")
	}
	var n atomic.Int64
	bad := handler(t, func(w http.ResponseWriter, _ *http.Request) {
		burn(time.Millisecond)
		if n.Add(1) > stop.Load() {
			w.WriteHeader(500)
		}
	})
	stop.Store(1 << 40)
	o := options(t, "", handler(t, ok), bad)
	o.Rounds = 10
	o.Progress = func(e prove.Event) {
		if e.Round == 2 {
			stop.Store(0)
		}
	}
	res := proven(t, o)
	if len(res.Failures) != 1 || res.Failures[0].Side != "new" || !strings.Contains(res.Failures[0].Text, "in round 2: ") || res.ExitCode() != 3 {
		t.Errorf("exit %d, %+v", res.ExitCode(), res.Failures)
	}
}

var stop atomic.Int64

// Few failures are no failure, and are reported.
func TestFewErrors(t *testing.T) {
	var n atomic.Int64
	o := options(t, "", handler(t, ok), handler(t, func(w http.ResponseWriter, _ *http.Request) {
		if n.Add(1) == 3 {
			w.WriteHeader(404)
		}
	}))
	r := &runner{o: &o, rate: o.Rate, span: o.Span}
	p := prove.Begin(&o.Options, compare.KindService)
	r.seen[compare.Old].answers = map[int]int64{200: 900}
	r.seen[compare.New].answers = map[int]int64{200: 899, 404: 1}
	r.seen[compare.New].errors = map[string]int64{"status 4xx": 1, "timeout": 3}
	r.seen[compare.New].example = map[string]string{"status 4xx": "answered 404 Not Found"}
	r.seen[compare.Old].slices, r.seen[compare.Old].late = 3, 1
	r.conclude(p)
	said := strings.Join(p.Result.Warnings, "\n")
	for _, want := range []string{
		"the generator's lateness exceeds half of the response times in 1 of 3 slices", "the statuses of the answers differ: old 200; new 200, 404",
		"some requests to the new side failed: timeout 3, status 4xx 1 (answered 404 Not Found)",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("%q lacks %q", said, want)
		}
	}
	// Where no median is left there is no verdict either.
	p.Result.Benchmarks = []compare.Row{{Metric: compare.RequestsPerSecond}}
	r.conclude(p)
	if res := p.End(t.Context()); res.ExitCode() != 3 || len(res.Failures) != 1 || !strings.Contains(res.Failures[0].Text, "the generator's lateness exceeds") {
		t.Errorf("exit %d, %+v", res.ExitCode(), res.Failures)
	}
}

// Ctrl-C ends the load and the services, and gives what there is.
func TestInterrupted(t *testing.T) {
	if testing.Short() {
		t.Skip("measures in rounds")
	}
	o := options(t, local, line("quick", "127.0.0.1:{port}"), line("quick", "127.0.0.1:{port}"))
	o.Rounds = 1000
	for _, round := range []int{0, 2} {
		ctx, cancel := context.WithCancel(t.Context())
		o.Progress = func(e prove.Event) {
			if e.Round == round {
				cancel()
			}
		}
		res, err := Run(ctx, o)
		if err != nil || !res.Interrupted || res.ExitCode() != 130 || (round > 0) != (len(res.Benchmarks) > 0) {
			t.Errorf("%+v, %v", res, err)
		}
		cancel()
	}
}

// The rate is half of what the slower side completes.
func TestRate(t *testing.T) {
	if testing.Short() {
		t.Skip("measures in rounds")
	}
	o := options(t, "", handler(t, ok), handler(t, func(w http.ResponseWriter, _ *http.Request) { burn(5 * time.Millisecond) }))
	o.Rate = 0
	r := &runner{o: &o, span: 10 * time.Millisecond} // too short for any such rate: nothing is tried
	p := prove.Begin(&o.Options, compare.KindService)
	_, _, err := r.calibrate(t.Context(), p)
	// One at a time, 5 ms each: at most 200 a second.
	if r.rate <= 0 || r.rate > 105 || len(p.Result.Failures) != 0 || err == nil || !strings.Contains(err.Error(), "a median needs 10") {
		t.Errorf("%v, %v: rate %v", err, p.Result.Failures, r.rate)
	}
	// A rate near the throughput is the user's choice, with a warning.
	r.rate = 190
	if _, _, err := r.calibrate(t.Context(), p); err == nil || !strings.Contains(strings.Join(p.Result.Warnings, "\n"), "190 requests per second are ") {
		t.Errorf("%v, warnings %q", err, p.Result.Warnings)
	}
}

// A user, who may be a token, and a password in an address are in nobody's result.
func TestSecrets(t *testing.T) {
	if testing.Short() {
		t.Skip("measures in rounds")
	}
	url := strings.Replace(handler(t, ok), "//", "//user:secret@", 1)
	o := options(t, "", url, url)
	doc, err := json.Marshal(proven(t, o))
	if err != nil || strings.Contains(string(doc), "secret") || strings.Contains(string(doc), "@127.0.0.1") || !strings.Contains(string(doc), `"http://127.0.0.1:`) {
		t.Errorf("%v: %s", err, doc)
	}
}
