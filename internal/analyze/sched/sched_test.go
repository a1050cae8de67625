package sched

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	google "github.com/google/pprof/profile"

	"whet/internal/callstack"
	"whet/internal/format/exectrace"
)

// rounds and held are the planted program's own.
const (
	rounds = 20
	heldNs = 5e6
)

// planted is the trace of a program whose waits are known.
var planted = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "sched")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "planted.exe")
	if out, err := exec.Command("go", "build", "-o", program, "./testdata/planted").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	return exec.Command(program).Output()
})

func plantedTrace(t *testing.T) []byte {
	t.Helper()
	data, err := planted()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func analyzePlanted(t *testing.T) *Result {
	t.Helper()
	r, err := Analyze(bytes.NewReader(plantedTrace(t)), Options{Limits: exectrace.DefaultLimits()})
	if err != nil || len(r.Warnings) > 0 {
		t.Fatalf("%v, %q", err, r.Warnings)
	}
	return r
}

func TestPlanted(t *testing.T) {
	r := analyzePlanted(t)
	var waited, delay int64
	for _, e := range r.Edges {
		if e.Waiter != nil && strings.HasSuffix(e.Waiter.Function, "main.want") && e.Waker != nil && strings.HasSuffix(e.Waker.Function, "main.hold") {
			waited += e.Count
			delay += e.DelayNs
		}
	}
	// A wait begins a little after the lock was taken, so that it is a little shorter.
	if waited < rounds*3/4 || delay < waited*heldNs/2 {
		t.Errorf("%d waits for the lock, of %d ns, want %d of %d ns each", waited, delay, rounds, int64(heldNs))
	}
	if r.GC.Cycles < 3 || len(r.GC.Pauses) == 0 || r.GC.MarkNs <= 0 {
		t.Errorf("collector: %+v, want 3 cycles", r.GC)
	}
	if i := slices.IndexFunc(r.Tasks, func(s Span) bool { return s.Type == "request" }); len(r.Tasks) != 2 || i < 0 || r.Tasks[i].Count != 10 || r.Tasks[i].Unfinished != 1 || r.Tasks[i].Times.Min() < 1e6 {
		t.Errorf("tasks: %+v", r.Tasks)
	}
	if len(r.Regions) != 1 || r.Regions[0].Type != "sleep" || r.Regions[0].Count != 10 || r.Regions[0].Ns < 10e6 {
		t.Fatalf("regions: %+v", r.Regions)
	}
	s := &r.Regions[0]
	if total(&s.In) != s.Ns || s.In[Sleep] < s.Ns/2 {
		t.Errorf("region: %d ns, states %v", s.Ns, s.In)
	}
	started := make(map[string]int)
	for _, k := range r.Kinds {
		started[k.Start] = k.Count
	}
	if started["main.hold"] != 1 || started["main.main.func1"] != 10 {
		t.Errorf("start functions: %v", started)
	}
}

// TestSums holds what must add up: states to lives, processors to the span.
func TestSums(t *testing.T) {
	r := analyzePlanted(t)
	begin, lives := make(map[int64]int64), int64(0)
	_, err := exectrace.Read(bytes.NewReader(plantedTrace(t)), exectrace.DefaultLimits(), func(b *exectrace.Batch) error {
		for i := range b.Events {
			e := &b.Events[i]
			if e.Kind != exectrace.Change {
				continue
			}
			if _, ok := begin[e.Goroutine]; !ok {
				begin[e.Goroutine] = 0
				if e.From == exectrace.Gone {
					begin[e.Goroutine] = e.TimeNs
				}
			}
			if e.To == exectrace.Gone {
				lives += e.TimeNs - begin[e.Goroutine]
				delete(begin, e.Goroutine)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for at := range maps.Values(begin) {
		lives += r.SpanNs - at
	}
	if got := total(&r.Goroutines.Ns); got != lives {
		t.Errorf("states have %d ns, lives %d", got, lives)
	}
	var kinds int64
	for i := range r.Kinds {
		kinds += r.Kinds[i].TotalNs()
	}
	if kinds != lives {
		t.Errorf("start functions have %d ns, lives %d", kinds, lives)
	}
	var span, busy, running int64
	for k, ns := range r.BusyNs {
		span += ns
		busy += int64(k) * ns
	}
	for _, p := range r.Procs {
		if p.RunningNs+p.IdleNs != r.SpanNs {
			t.Errorf("processor %d: %d + %d ns of %d", p.Number, p.RunningNs, p.IdleNs, r.SpanNs)
		}
		running += p.RunningNs
		var steps int64
		for i, ns := range p.Course {
			if steps += ns; ns < 0 || ns > r.StepNs {
				t.Errorf("processor %d: %d ns in step %d of %d", p.Number, ns, i, r.StepNs)
			}
		}
		if n := int64(len(p.Course)); steps != p.RunningNs || n*r.StepNs < r.SpanNs || n > maxSteps || n <= maxSteps/2 {
			t.Errorf("processor %d: %d steps of %d ns have %d ns running, want %d of %d", p.Number, n, r.StepNs, steps, p.RunningNs, r.SpanNs)
		}
	}
	if span != r.SpanNs || busy != running {
		t.Errorf("%d ns of %d, %d ns of processors and %d", span, r.SpanNs, busy, running)
	}
	if n := r.Goroutines; n.Before+n.Created-n.Ended < 0 || n.Most < 11 || len(begin) != n.Before+n.Created-n.Ended {
		t.Errorf("%+v, and %d live at the end", n, len(begin))
	}
}

// TestAgreesWithGoToolTrace holds every stack of the four blocking profiles against
// those that go tool trace writes, in count and nanoseconds.
func TestAgreesWithGoToolTrace(t *testing.T) {
	if testing.Short() {
		t.Skip("runs go tool trace")
	}
	file := filepath.Join(t.TempDir(), "t.trace")
	if err := os.WriteFile(file, plantedTrace(t), 0o600); err != nil {
		t.Fatal(err)
	}
	for b := range Blocking(numBlocks) {
		out, err := exec.Command("go", "tool", "trace", "-pprof="+b.String(), file).Output()
		if err != nil {
			t.Fatalf("go tool trace -pprof=%s: %v", b, err)
		}
		p, err := google.ParseData(out)
		if err != nil {
			t.Fatal(err)
		}
		want, got := make(map[string]count), make(map[string]count)
		for _, s := range p.Sample {
			key := ""
			for _, l := range s.Location {
				key += fmt.Sprintf("%s:%d ", l.Line[0].Function.Name, l.Line[0].Line)
			}
			c := want[key]
			want[key] = count{c.n + s.Value[0], c.ns + s.Value[1]}
		}
		blocked, warnings, err := Blocked(bytes.NewReader(plantedTrace(t)), Options{Limits: exectrace.DefaultLimits()}, b)
		if err != nil || len(warnings) > 0 {
			t.Fatal(err, warnings)
		}
		for at := blocked.Stacks(nil, 0, 1); at.Next(); {
			key := ""
			for _, id := range at.Stack {
				f := blocked.Frame(id)
				key += fmt.Sprintf("%s:%d ", f.Function, f.Line)
			}
			got[key] = count{at.Value(0), at.Value(1)}
		}
		if !maps.Equal(got, want) {
			t.Errorf("%s:\n got %v\nwant %v", b, got, want)
		}
		if b != BlockedNetwork && len(got) == 0 {
			t.Errorf("%s: no stacks", b)
		}
	}
}

func TestPlaces(t *testing.T) {
	stack := func(names ...string) *exectrace.Stack {
		s := &exectrace.Stack{}
		for _, name := range names {
			s.Frames = append(s.Frames, &callstack.Frame{Function: name})
		}
		return s
	}
	for _, test := range []struct {
		stack *exectrace.Stack
		want  string
	}{
		{stack("sync.(*Mutex).Lock", "m/cache.(*C).Get", "main.main"), "m/cache.(*C).Get"},
		{stack("runtime.chanrecv1", "net/http.(*persistConn).roundTrip"), "net/http.(*persistConn).roundTrip"},
		{stack("runtime.gopark", "runtime.goparkunlock"), "runtime.gopark"},
		{stack("internal/poll.(*FD).Read", "net.(*netFD).Read", "net.(*conn).Read", "bufio.(*Reader).fill", "m.serve"), "m.serve"},
		{stack("internal/poll.(*FD).Accept", "net.(*netFD).accept", "net.(*TCPListener).Accept", "runtime.goexit"), "net.(*netFD).accept"},
	} {
		if got := placeOf(test.stack); got.Function != test.want {
			t.Errorf("%s, want %s", got.Function, test.want)
		}
	}
	if placeOf(nil) != nil {
		t.Error("a place without a stack")
	}
}

// TestWindows cuts a trace at a few moments: the pieces add up to the whole.
func TestWindows(t *testing.T) {
	data := plantedTrace(t)
	whole := analyzePlanted(t)
	var states [NumStates]int64
	var running, mark int64
	const pieces = 3
	for i := range int64(pieces) {
		o := Options{Limits: exectrace.DefaultLimits(), FromNs: whole.SpanNs * i / pieces, ToNs: whole.SpanNs * (i + 1) / pieces}
		r, err := Analyze(bytes.NewReader(data), o)
		if err != nil {
			t.Fatal(err)
		}
		for s, v := range r.Goroutines.Ns {
			states[s] += v
		}
		for _, p := range r.Procs {
			if p.RunningNs+p.IdleNs > r.SpanNs {
				t.Errorf("piece %d: processor %d has %d ns of %d", i, p.Number, p.RunningNs+p.IdleNs, r.SpanNs)
			}
			running += p.RunningNs
		}
		mark += r.GC.MarkNs
	}
	// Goroutines that the trace first speaks of in a later piece lived before, too,
	// in a state that only the whole knows.
	if got, want := states[Running]+states[Runnable]+states[Syscall], whole.Goroutines.Ns[Running]+whole.Goroutines.Ns[Runnable]+whole.Goroutines.Ns[Syscall]; got != want {
		t.Errorf("pieces have %d ns on or ready for processors, the whole %d", got, want)
	}
	var all int64
	for _, p := range whole.Procs {
		all += p.RunningNs
	}
	if running != all || mark != whole.GC.MarkNs {
		t.Errorf("pieces: processors %d ns, marking %d; whole: %d, %d", running, mark, all, whole.GC.MarkNs)
	}
}

// TestWaits holds waits by place against the states of goroutines, and finds the
// planted lock.
func TestWaits(t *testing.T) {
	r := analyzePlanted(t)
	var sums [NumStates]int64
	found := false
	for _, w := range r.Waits {
		sums[w.State] += w.Ns
		if w.IdleNs > w.Ns || w.LongestNs > w.Ns {
			t.Errorf("%+v", w)
		}
		found = found || w.State == Sync && w.Place != nil && w.Place.Function == "main.want" && w.Count >= rounds*3/4
	}
	for s := Network; s < NumStates; s++ {
		if s != System && sums[s] != r.Goroutines.Ns[s] {
			t.Errorf("waits for %s sum to %d ns, goroutines have %d", s, sums[s], r.Goroutines.Ns[s])
		}
	}
	if !found {
		t.Errorf("the planted lock is not among %+v", r.Waits)
	}
}

// TestGoroutine counts one goroutine only.
func TestGoroutine(t *testing.T) {
	whole := analyzePlanted(t)
	for _, k := range whole.Kinds {
		if k.Start != "main.hold" {
			continue
		}
		r, err := Analyze(bytes.NewReader(plantedTrace(t)), Options{Limits: exectrace.DefaultLimits(), Goroutines: []int64{k.LongestID}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Analyze(bytes.NewReader(plantedTrace(t)), Options{Limits: exectrace.DefaultLimits(), Goroutines: []int64{1 << 50}}); err == nil {
			t.Error("a goroutine that is not there is found")
		}
		// Its stack is at another address.
		if len(r.Kinds) == 1 && r.Kinds[0].LongestWait != nil && k.LongestWait != nil {
			r.Kinds[0].LongestWait, r.Kinds[0].wait = k.LongestWait, k.wait
		}
		if len(r.Kinds) != 1 || r.Kinds[0] != k {
			t.Errorf("%+v, want only %+v", r.Kinds, k)
		}
		return
	}
	t.Error("no goroutine of main.hold")
}
