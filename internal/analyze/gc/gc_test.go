package gc

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"whet/internal/format/gctrace"
	"whet/internal/format/metrics"
)

// recorded returns a log of testdata, whose README says how it was made.
func recorded(t *testing.T, name string, in Input) *Result {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	trace, err := gctrace.Read(f)
	if err != nil || len(trace.Processes) != 1 {
		t.Fatal(name, err)
	}
	in.Process = trace.Processes[0]
	return Analyze(in)
}

// kinds returns the kinds of the conclusions but long pauses, which are the machine's: it did
// other work while the programs ran.
func kinds(r *Result) []string {
	out := []string{}
	for _, c := range r.Conclusions {
		if c.Kind != LongPauses {
			out = append(out, c.Kind)
		}
	}
	return out
}

// What was planted in a program is concluded from its log, first of all or alone; and
// from the log of one in which it was not planted, nothing.
func TestPlanted(t *testing.T) {
	for _, test := range []struct {
		log      string
		in       Input
		want     []string
		evidence string // of the first conclusion
	}{
		{"small.log", Input{Percent: 100}, []string{ManyCycles}, "GOGC=400 instead of 100"},
		{"small-gogc800.log", Input{}, []string{}, ""},
		{"assist.log", Input{}, []string{Assists, ManyCycles}, "of all marking"},
		{"limit.log", Input{LimitBytes: 64 << 20}, []string{AtLimit, Assists}, "GOMEMLIMIT=64 MiB"},
		{"limit.log", Input{}, []string{AtLimit, Assists}, "GOMEMLIMIT leaves no room"},
		{"nolimit.log", Input{}, []string{}, ""},
		{"leak.log", Input{}, []string{Growing}, "rose steadily"},
		{"cache.log", Input{}, []string{}, ""},
		{"forced.log", Input{}, []string{Forced}, "the longest takes"},
		{"startup.log", Input{}, []string{StartUp}, "main "},
	} {
		r := recorded(t, test.log, test.in)
		if got := kinds(r); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q: %+v", test.log, got, test.want, r.Conclusions)
			continue
		}
		if len(test.want) > 0 {
			c := r.Conclusions[0]
			said := strings.Join(append([]string{c.Text, c.Remedy}, c.Evidence...), "\n")
			if !strings.Contains(said, test.evidence) || len(c.Evidence) == 0 || c.Remedy == "" {
				t.Errorf("%s: %q is not in %s", test.log, test.evidence, said)
			}
		}
	}
}

// Two cycles, with every figure worked out by hand.
func TestFigures(t *testing.T) {
	const log = `init main @1 ms, 2 ms clock, 3 bytes, 4 allocs
init a @3 ms, 1 ms clock, 7 bytes, 2 allocs
gc 1 @0.100s 2%: 0.1+8+0.2 ms clock, 0.2+1/3/2+0.4 ms cpu, 4->5->2 MB, 4 MB goal, 0 MB stacks, 0 MB globals, 2 P
gc 2 @0.200s 2%: 0.3+9+0.4 ms clock, 0.6+2/4/1+0.8 ms cpu, 6->8->3 MB, 8 MB goal, 0 MB stacks, 0 MB globals, 2 P (forced)
`
	trace, err := gctrace.Read(strings.NewReader(log))
	if err != nil {
		t.Fatal(err)
	}
	r := Analyze(Input{Process: trace.Processes[0]})
	const ms, mib = int64(time.Millisecond), int64(1 << 20)
	us := ms / 1000
	for _, f := range []struct {
		name      string
		got, want int64
	}{
		{"cycles", int64(r.Cycles), 2}, {"forced", int64(r.Forced), 1},
		{"from", r.FromNs, 0}, {"to", r.ToNs, 200*ms + 9700*us},
		{"least alive", r.Alive.Least, 2 * mib}, {"most alive", r.Alive.Most, 3 * mib}, {"alive now", r.AliveNow, 3 * mib},
		{"peak", r.PeakBytes, 8 * mib}, {"peak at", r.PeakAtNs, 200 * ms},
		// 1 in the first cycle, 4 up to the second, 2 in it.
		{"allocated", r.AllocatedBytes, 7 * mib},
		{"pauses", r.Pauses.Count(), 4}, {"paused", r.PausedNs, 1000 * us}, {"longest", r.LongestNs, 400 * us}, {"longest at", r.LongestAt, 200 * ms},
		{"stops", r.CPU.Stops, 2000 * us}, {"workers", r.CPU.Background, 7 * ms}, {"assists", r.CPU.Assist, 3 * ms}, {"idle", r.CPU.Idle, 3 * ms},
		{"taken", r.CPU.Taken(), 12 * ms},
		{"processors", int64(r.ProcessorNs), 2 * (209*ms + 700*us)},
		{"over goal", int64(r.OverGoal), 1},
		{"start-up", r.InitNs, 3 * ms}, {"start-up bytes", r.InitBytes, 10}, {"start-up objects", r.InitAllocs, 6},
	} {
		if f.got != f.want {
			t.Errorf("%s: %d, want %d", f.name, f.got, f.want)
		}
	}
	if got, want := r.Share(r.CPU.Taken()), 12/(2*209.7); math.Abs(got-want) > 1e-12 {
		t.Errorf("share %v, want %v", got, want)
	}
}

// A stop of the world as long as this is one on any machine.
// An initialization is concluded from where it is much of the run, of what is alive, or
// long, and not of the standard library's packages.
func TestStartUpCounts(t *testing.T) {
	const (
		short = "init example.com/x @1 ms, 2 ms clock, 5000 bytes, 4 allocs\n"
		long  = "init example.com/x @1 ms, 200 ms clock, 5000 bytes, 4 allocs\n"
		large = "init example.com/x @1 ms, 2 ms clock, 2000000 bytes, 4 allocs\n"
		std   = "init runtime @1 ms, 300 ms clock, 5000 bytes, 4 allocs\n"
		early = "gc 1 @0.020s 2%: 0.1+8+0.2 ms clock, 0.2+0/1/2+0.4 ms cpu, 4->5->4 MB, 4 MB goal, 0 MB stacks, 0 MB globals, 2 P\n"
		late  = "gc 1 @20.000s 2%: 0.1+8+0.2 ms clock, 0.2+0/1/2+0.4 ms cpu, 400->500->400 MB, 400 MB goal, 0 MB stacks, 0 MB globals, 2 P\n"
	)
	for log, want := range map[string]bool{
		short: true, std: false, short + early: true, short + late: false, long + late: true, large + late: false, large + early: true, std + early: false,
	} {
		trace, err := gctrace.Read(strings.NewReader(log))
		if err != nil {
			t.Fatal(err)
		}
		if got := kinds(Analyze(Input{Process: trace.Processes[0]})); slices.Contains(got, StartUp) != want {
			t.Errorf("%q of\n%s", got, log)
		}
	}
}

func TestLongPause(t *testing.T) {
	trace, err := gctrace.Read(strings.NewReader("gc 1 @0.100s 2%: 12+8+0.2 ms clock, 24+1/3/2+0.4 ms cpu, 4->5->2 MB, 4 MB goal, 0 MB stacks, 0 MB globals, 2 P\n"))
	if err != nil {
		t.Fatal(err)
	}
	r := Analyze(Input{Process: trace.Processes[0]})
	if len(r.Conclusions) != 1 || r.Conclusions[0].Kind != LongPauses || !strings.Contains(r.Conclusions[0].Text, "12.0 ms at 100 ms") {
		t.Errorf("%+v", r.Conclusions)
	}
}

// The share of the processors' time is the one that the runtime counts, and prints as a
// whole number of percent of the time since the program began: but for the time that it
// takes to stop the world, which is in the pauses that it prints and not in its figure.
func TestShareIsTheRuntimes(t *testing.T) {
	for _, name := range []string{"small.log", "small-gogc800.log", "assist.log", "limit.log", "leak.log", "forced.log"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		trace, err := gctrace.Read(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		r := Analyze(Input{Process: trace.Processes[0]})
		printed := float64(trace.Processes[0].Cycles.Last().CPUPercent)
		// The runtime's own is rounded down, from times with all their digits; those
		// that it prints are low by up to a tenth.
		all := 100 * r.Share(r.CPU.Taken())
		if without := all - 100*r.Share(r.CPU.Stops); all < 0.85*printed-0.5 || without > printed+1.5 {
			t.Errorf("%s: %.2f %%, without stops %.2f %%, the runtime prints %.0f %%", name, all, without, printed)
		}
	}
}

// A damaged log, with the largest numbers that a line may hold, overflows no sum.
func TestLargest(t *testing.T) {
	line := "gc %d @1000000000.0s 100%%: 1000000000000+1000000000000+1000000000000 ms clock, 1000000000000+1000000000000/1000000000000/1000000000000+1000000000000 ms cpu, 0->1000000000000->0 MB, 0 MB goal, 1000000000000 P\n"
	var log strings.Builder
	for range 100 {
		log.WriteString(strings.ReplaceAll(strings.ReplaceAll(line, "%d", "1"), "%%", "%"))
	}
	trace, err := gctrace.Read(strings.NewReader(log.String()))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range trace.Processes {
		r := Analyze(Input{Process: p})
		if r.PausedNs < 0 || r.CPU.Taken() < 0 || r.AllocatedBytes < 0 || r.ToNs < 0 || !(r.Share(r.CPU.Taken()) >= 0) {
			t.Fatalf("%+v", r)
		}
	}
}

// Metrics say the same of a process as its log, as far as they go.
func TestRows(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	rows := []metrics.Row{
		{TimeNs: 0, HeapLiveBytes: n(4 << 20), HeapGoalBytes: n(8 << 20), AllocBytes: n(100), GCCycles: n(10), GCForced: n(1), GCPauseNs: n(5), GCCPUNs: n(1000), GCAssistNs: n(200), GCIdleNs: n(300)},
		{TimeNs: 1e9, HeapLiveBytes: n(7 << 20), HeapGoalBytes: n(8 << 20), AllocBytes: n(400 << 20), GCCycles: n(60), GCForced: n(1), GCPauseNs: n(2e6), GCCPUNs: n(5e8), GCAssistNs: n(3e8), GCIdleNs: n(1e8)},
	}
	r := OfRows(rows, 2)
	if r.Cycles != 50 || r.Forced != 0 || r.PausedNs != 2e6-5 || r.CPU.Assist != 3e8-200 || r.CPU.Taken() != 4e8-700 || r.CPU.Idle != 1e8-300 || r.ProcessorNs != 2e9 || r.PeakBytes != 7<<20 {
		t.Errorf("%+v", r)
	}
	if got := kinds(r); !slices.Equal(got, []string{Assists, ManyCycles}) {
		t.Errorf("%q", got)
	}
	// What idle processors did is not taken from the program: where it is all but a
	// little, nothing is concluded from it, and nothing where it is not known.
	for _, idle := range []*int64{n(5e8 - 1e6), nil} {
		spare := slices.Clone(rows)
		spare[1].GCAssistNs, spare[1].GCIdleNs = n(200), idle
		if r := OfRows(spare, 2); len(r.Conclusions) != 0 || idle != nil && r.CPU.Taken() != 1e6-700 || idle == nil && !math.IsNaN(r.Share(r.CPU.Taken())) {
			t.Errorf("idle processors: %+v", r)
		}
	}
	// After a restart the counters begin anew: nothing is taken from another process.
	again := append(slices.Clone(rows), metrics.Row{TimeNs: 2e9, GCCycles: n(1), AllocBytes: n(7)}, metrics.Row{TimeNs: 3e9, GCCycles: n(3), AllocBytes: n(9)})
	if r := OfRows(again, 2); r.Cycles != 2 || r.AllocatedBytes != 2 || r.FromNs != 2e9 {
		t.Errorf("after a restart: %+v", r)
	}
	if r := OfRows(nil, 0); r.Cycles != 0 || len(r.Conclusions) != 0 {
		t.Errorf("of nothing: %+v", r)
	}
}
