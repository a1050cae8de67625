package capture

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"whet/agent"
	"whet/internal/format/metrics"
	"whet/internal/recording"
)

// startAgent starts the real agent in this process.
func startAgent(t *testing.T, c agent.Config) *agent.Agent {
	t.Helper()
	c.Log = func(line string) { t.Error("agent:", line) }
	a := agent.Start(c)
	t.Cleanup(a.Stop)
	return a
}

// The agent itself, on a mux beside net/http/pprof, behind a login: it is
// found first, and gives all that its protocol promises.
func TestTheAgent(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	a := startAgent(t, agent.Config{Token: "t0ken", FlightRecorder: true})
	mux := stock("/debug/pprof/")
	mux.Handle("/debug/whet/", a.Handler())
	server := serve(t, withLogin(http.StripPrefix("/admin", mux)))
	base := strings.Replace(server.URL, "//", "//me:secret@", 1) + "/admin"
	for _, path := range []string{"", "/debug/whet", "/debug/whet/", "/debug/pprof/"} {
		target := find(t, TargetOptions{Base: base + path, Token: "t0ken"})
		if want := server.URL + "/admin/debug/whet/"; target.Kind != KindAgent || target.Address() != want {
			t.Errorf("%q: %s at %s, want the agent at %s", path, target.Kind, target.Address(), want)
		}
	}
	target := find(t, TargetOptions{Base: base, Token: "t0ken"})
	want := append(slices.Clone(offersOfStock), recording.KindMetrics, recording.KindFlight)
	if !slices.Equal(target.Offers(), want) || len(target.Unknown()) != 0 {
		t.Errorf("offers %v, want %v; unknown %v", target.Offers(), want, target.Unknown())
	}

	st, err := target.Status(t.Context())
	if err != nil || st.PID != int64(os.Getpid()) || st.GoVersion != runtime.Version() || st.GOMAXPROCS != runtime.GOMAXPROCS(0) || !st.FlightRecorder || st.UserCPUNs == nil {
		t.Errorf("%+v, %v", st, err)
	}
	if err := target.Collect(t.Context()); err != nil {
		t.Error(err)
	}
	for kind := range columns {
		seconds := 0
		if kind == recording.KindCPU {
			seconds = 1
		}
		if _, err := target.Profile(t.Context(), kind, seconds); err != nil {
			t.Error(err)
		}
	}
	if _, err := target.Trace(t.Context(), 1, 0); err != nil {
		t.Error(err)
	}
	if _, err := target.Flight(t.Context()); err != nil {
		t.Error(err)
	}

	// Rates that are set are in force, and can be put back.
	old := runtime.SetMutexProfileFraction(-1)
	before, err := target.SetRates(t.Context(), -1, 3)
	if err != nil || before.MutexFraction == nil || *before.MutexFraction != int64(old) || runtime.SetMutexProfileFraction(-1) != 3 {
		t.Errorf("%+v, %v; now %d", before, err, runtime.SetMutexProfileFraction(-1))
	}
	if before, err = target.SetRates(t.Context(), -1, *before.MutexFraction); err != nil || *before.MutexFraction != 3 || runtime.SetMutexProfileFraction(-1) != old {
		t.Errorf("%+v, %v; now %d", before, err, runtime.SetMutexProfileFraction(-1))
	}
}

// Both clocks are this process's here, so that the agent's times can be held
// against ours.
func TestTheAgentsClockAndRows(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	early := time.Now()
	startAgent(t, agent.Config{Listen: "unix:" + socket})
	late := time.Now()
	target := find(t, TargetOptions{Socket: socket})
	if target.Kind != KindAgent || target.Address() != "unix:"+socket {
		t.Errorf("%s at %s", target.Kind, target.Address())
	}
	offset, uncertainty, err := target.Clock(t.Context())
	if err != nil || offset.Before(early.Add(-uncertainty)) || offset.After(late.Add(uncertainty)) {
		t.Errorf("the agent began %v ± %v after we started it, and %v before it had: %v", offset.Sub(early), uncertainty, late.Sub(offset), err)
	}

	ctx, add, rows := until(t, 3)
	begun := time.Now()
	sampling, err := target.Metrics(ctx, early, 10*time.Millisecond, add)
	ended := time.Now()
	if err != nil || sampling.Rows != 3 || len(sampling.Warnings) != 0 {
		t.Fatalf("%+v, %v", sampling, err)
	}
	// Each row was made between our asking and our having it. The offset that
	// the rows are shifted by is compared anew, with an uncertainty below the
	// duration of all its trips.
	slack := ended.Sub(begun)
	for i, r := range *rows {
		at := early.Add(time.Duration(r.TimeNs))
		if at.Before(begun.Add(-slack)) || at.After(ended.Add(slack)) || r.PID != int64(os.Getpid()) || r.Goroutines == nil || r.AllocBytes == nil {
			t.Errorf("row %d, %v after asking: %+v", i, at.Sub(begun), r)
		}
	}
	if len(*rows) > 1 && (*rows)[1].TimeNs <= (*rows)[0].TimeNs {
		t.Error("rows out of order")
	}
}

// Someone who stops the agent ends the rows; they are asked for again until
// the reading ends.
func TestTheAgentStops(t *testing.T) {
	a := startAgent(t, agent.Config{})
	mux := http.NewServeMux()
	mux.Handle("/debug/whet/", a.Handler())
	target := find(t, TargetOptions{Base: serve(t, mux).URL})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	target.pause = func(context.Context, time.Duration) error { cancel(); return nil }
	sampling, err := target.Metrics(ctx, time.Now(), 10*time.Millisecond, func(metrics.Row) { go a.Stop() })
	if err != nil || sampling.Rows == 0 || sampling.Breaks != 1 || !strings.Contains(sampling.Warnings[0], "ended too early") {
		t.Errorf("%+v, %v", sampling, err)
	}
}

// TestStartFlight: whet borrows a flight recorder for a while. What the agent lacks
// is unknown before, and no more once it runs.
func TestStartFlight(t *testing.T) {
	a := startAgent(t, agent.Config{Token: "t0ken"})
	target := find(t, TargetOptions{Base: serve(t, a.Handler()).URL, Token: "t0ken"})
	if _, err := target.Flight(t.Context()); err == nil || len(target.Unknown()) != 1 {
		t.Fatalf("before: %v, unknown %v", err, target.Unknown())
	}
	if err := target.StartFlight(t.Context(), 30*time.Second); err != nil {
		t.Fatal(err)
	}
	if f, err := target.Flight(t.Context()); err != nil || len(f.Data) == 0 {
		t.Fatalf("while it runs: %v", err)
	}
	if u := target.Unknown(); len(u) != 0 || !slices.Contains(target.Offers(), recording.KindFlight) {
		t.Errorf("unknown %v, offers %v", u, target.Offers())
	}
	// A trace that is longer than asked for is cut, and says so.
	if f, err := target.Trace(t.Context(), 1, 2000); err != nil || !f.Cut || len(f.Data) != 2000 {
		t.Errorf("a trace of 2000 bytes: %v", err)
	}
	if err := target.StopFlight(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := target.Flight(t.Context()); err == nil {
		t.Error("it runs after its end")
	}
}
