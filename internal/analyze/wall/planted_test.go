package wall

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	google "github.com/google/pprof/profile"

	"whet/internal/format/exectrace"
	"whet/internal/format/profile"
)

// plantedRun is a run of testdata/planted: its trace, and what its handlers
// measured by their own clock.
type plantedRun struct {
	trace []byte
	costs map[string]struct{ Requests, TotalNs int64 }
	err   error
}

var planted = sync.OnceValue(func() (run plantedRun) {
	dir, err := os.MkdirTemp("", "wall")
	if err != nil {
		return plantedRun{err: err}
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "planted.exe")
	if out, err := exec.Command("go", "build", "-o", program, "./testdata/planted").CombinedOutput(); err != nil {
		os.Stderr.Write(out)
		return plantedRun{err: err}
	}
	cmd := exec.Command(program)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		os.Stderr.Write(stderr.Bytes())
		return plantedRun{err: err}
	}
	run.trace = stdout.Bytes()
	run.err = json.Unmarshal(stderr.Bytes(), &run.costs)
	return run
})

func analyzePlanted(t *testing.T) (*Result, plantedRun) {
	t.Helper()
	run := planted()
	if run.err != nil {
		t.Fatal(run.err)
	}
	r, err := Analyze([]Trace{{Name: "planted", Source: bytes.NewReader(run.trace)}})
	if err != nil {
		t.Fatal(err)
	}
	return r, run
}

func groupNamed(r *Result, name string) *Group {
	for i := range r.Groups {
		if r.Groups[i].Name == name {
			return &r.Groups[i]
		}
	}
	return &Group{}
}

// TestPlantedCosts compares with what the program measured around each planted
// call. Its clock readings enclose the call, so that they contain the state's
// time and more: until the goroutine runs on, and what the collector takes.
// Where the call does nothing but wait, the state has all of it but for that
// rest, which the group shows as runnable and GC assist.
func TestPlantedCosts(t *testing.T) {
	r, run := analyzePlanted(t)
	for _, c := range []struct {
		name   string
		states []State
		where  string
		part   func(*Group) int64 // what the states' time must be, nil for no such part
	}{
		{"lock", []State{Lock}, "main.timed", nil},
		{"sleep", []State{Sleep}, "main.nap", nil},
		{"ask", []State{Select, Channel}, "main.get", func(g *Group) int64 { return g.DownstreamNs }},
		{"file", []State{Syscall}, "main.writeFile", func(g *Group) int64 { return g.DiskNs }},
		{"compute", []State{Running}, "", nil},
		{"allocate", []State{Running, GCAssist}, "", nil},
		{"channel", []State{Channel}, "main.channel", nil},
		{"group", []State{Sync}, "", nil},
		{"timeout", []State{Sleep}, "main.nap", nil},
		{"body", []State{Network}, "", nil},
		{"stream", []State{Sleep}, "main.nap", nil},
	} {
		g := groupNamed(r, "main."+c.name+"Handler.ServeHTTP")
		cost := run.costs[c.name]
		if !g.Handler || g.Count > cost.Requests || g.Count < cost.Requests/2 && c.name != "compute" {
			t.Errorf("%s: handler %t, %d requests of %d", c.name, g.Handler, g.Count, cost.Requests)
		}
		var in int64
		for _, s := range c.states {
			in += g.Ns[s]
		}
		between := g.Ns[Runnable] + g.Ns[GCAssist] + g.Ns[Running] + g.Ns[Other]
		if c.name == "compute" {
			// What no event interrupts has no handler on its stack.
			between += groupNamed(r, WithoutHandler).Total()
		}
		if in+between < cost.TotalNs*9/10 || c.states[0] != Running && c.states[0] != Sync && in > cost.TotalNs*11/10 {
			t.Errorf("%s: %v have %d ns and what lies between %d, the handler measured %d: %+v", c.name, c.states, in, between, cost.TotalNs, g)
		}
		if s := c.states[0]; c.where != "" && g.Where[s] != c.where {
			t.Errorf("%s: mostly at %s, want %s", c.name, g.Where[s], c.where)
		}
		if c.part != nil && (c.part(g) == 0 || c.part(g) > in || c.part(g) < in*9/10) {
			t.Errorf("%s: %d ns of %d are the part", c.name, c.part(g), in)
		}
		if c.name != "ask" && g.DownstreamNs != 0 {
			t.Errorf("%s: %d ns downstream, and it asks nobody", c.name, g.DownstreamNs)
		}
	}
	// Every other request of the program is there too: the quick ones, which
	// no stack shows in a handler, and the one downstream for each asked.
	var requests, want int64
	for _, g := range r.Groups {
		if g.Handler {
			requests += g.Count
		}
	}
	for _, c := range run.costs {
		want += c.Requests
	}
	want += run.costs["ask"].Requests
	// The last request of a connection ends when the server reads on, which
	// may be after the trace: at most one for each of the program's connections.
	if requests > want || requests < want-24 {
		t.Errorf("%d requests, the program made %d", requests, want)
	}
	if g := groupNamed(r, "main.slowly"); g.Ns[Sleep] < g.Count*15e6 || g.Where[Sleep] != "main.slowly" {
		t.Errorf("the downstream slept %d ns in %d requests of 15 ms", g.Ns[Sleep], g.Count)
	}
}

// TestStatesSumToLives reads the trace on its own and expects every goroutine's
// life to be in the profile, to the nanosecond, but for those that the result
// leaves out.
func TestStatesSumToLives(t *testing.T) {
	r, run := analyzePlanted(t)
	lives, states := livesOf(t, run.trace)
	var want int64
	for _, ns := range lives {
		want += ns
	}
	p := r.Profile
	if got := p.Total(0); got != want {
		t.Errorf("the profile has %d ns, the goroutines lived %d: %+v", got, want, r.Groups)
	}
	for at := p.Stacks(nil); at.Next(); {
		var sum int64
		for s := range NumStates {
			sum += at.Value(1 + s)
		}
		if sum != at.Value(0) {
			t.Fatalf("sample %d: wall %d, its states %d", at.Index(), at.Value(0), sum)
		}
	}
	// What no range of the collector touches has its states as the trace does.
	got := p.Total(1+int(Running)) + p.Total(1+int(GCAssist)) + p.Total(1+int(Runnable)) - states[exectrace.Runnable] - states[exectrace.Running]
	waits := states[exectrace.Waiting] + states[exectrace.Syscall]
	for s := Lock; s < NumStates; s++ {
		if s != GCAssist {
			waits -= p.Total(1 + int(s))
		}
	}
	if got != waits {
		t.Errorf("%d ns ran, were ready or assisted beyond the trace's, and waits lack %d", got, waits)
	}
	// Whole requests and goroutines are a part of the profile.
	var groups int64
	for _, g := range r.Groups {
		groups += g.Total()
	}
	if groups > want || groups < want*8/10 {
		t.Errorf("groups have %d ns of %d", groups, want)
	}
}

// livesOf sums each goroutine's time in the trace and in each state, for those
// that are the program's by the root of any stack.
func livesOf(t *testing.T, data []byte) (lives map[int64]int64, states map[exectrace.State]int64) {
	t.Helper()
	type life struct {
		state exectrace.State
		since int64
		sum   map[exectrace.State]int64
		root  string
	}
	all := make(map[int64]*life)
	seen := func(id int64, s *exectrace.Stack) {
		l := all[id]
		if l == nil || l.root != "" || s == nil {
			return
		}
		// A goroutine that is stopped while it ends has lost its root.
		if root := s.Frames[len(s.Frames)-1].Function; !strings.HasPrefix(root, "runtime.goexit") {
			l.root = root
		}
	}
	event := func(b *exectrace.Batch, e *exectrace.Event) {
		if e.Kind == exectrace.RangeBegin && e.Range == exectrace.MarkAssist {
			// It may be all that shows the tracer's own goroutine, which
			// allocates while it waits for whoever takes the trace.
			seen(e.Goroutine, b.Stack(e.Stack))
		}
		if e.Kind != exectrace.Change {
			return
		}
		seen(e.Actor, b.Stack(e.ActorStack))
		l := all[e.Goroutine]
		if l == nil {
			l = &life{state: e.From, sum: make(map[exectrace.State]int64)}
			if e.From == exectrace.Gone {
				l.since = e.TimeNs
			} else {
				l.state = e.To // since before the trace
			}
			all[e.Goroutine] = l
		}
		l.sum[l.state] += e.TimeNs - l.since
		l.state, l.since = e.To, e.TimeNs
		seen(e.Goroutine, b.Stack(e.Stack))
	}
	summary, err := exectrace.Read(bytes.NewReader(data), exectrace.DefaultLimits(), func(b *exectrace.Batch) error {
		for i := range b.Events {
			event(b, &b.Events[i])
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	lives, states = make(map[int64]int64), make(map[exectrace.State]int64)
	for id, l := range all {
		l.sum[l.state] += summary.EndNs - l.since
		if strings.HasPrefix(l.root, "runtime.") && l.root != "runtime.main" || strings.HasPrefix(l.root, "runtime/") {
			continue
		}
		for s, ns := range l.sum {
			if s != exectrace.Gone {
				lives[id] += ns
				states[s] += ns
			}
		}
	}
	return lives, states
}

// TestProfileOpens writes the profile and reads it with google/pprof, the
// second implementation.
func TestProfileOpens(t *testing.T) {
	r, _ := analyzePlanted(t)
	var out bytes.Buffer
	if err := profile.Write(&out, r.Profile.Profile); err != nil {
		t.Fatal(err)
	}
	p, err := google.ParseData(out.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if err := p.CheckValid(); err != nil {
		t.Fatal(err)
	}
	if p.DefaultSampleType != "" && p.DefaultSampleType != "wall" || p.SampleType[0].Type != "wall" || len(p.SampleType) != NumStates+1 {
		t.Errorf("default %q, types %v", p.DefaultSampleType, p.SampleType)
	}
	totals := make([]int64, NumStates+1)
	byHandler := make(map[string]int64)
	inSamples := make(map[*google.Location]bool)
	for _, s := range p.Sample {
		for _, l := range s.Location {
			inSamples[l] = true
		}
		for i, v := range s.Value {
			totals[i] += v
		}
		if h := s.Label["handler"]; len(h) == 1 {
			if s.Label["group"][0] != h[0] {
				t.Errorf("group %q of handler %q", s.Label["group"], h)
			}
			byHandler[h[0]] += s.Value[0]
		}
	}
	if len(inSamples) != len(p.Location) {
		t.Errorf("%d locations, of which samples have %d", len(p.Location), len(inSamples))
	}
	for i, total := range totals {
		if total != r.Profile.Total(i) {
			t.Errorf("%s: %d, google/pprof reads %d", r.Profile.Types[i].Type, r.Profile.Total(i), total)
		}
	}
	for _, g := range r.Groups {
		if g.Handler && byHandler[g.Name] < g.Total() {
			t.Errorf("%s: %d ns labelled, the group has %d", g.Name, byHandler[g.Name], g.Total())
		}
	}
	file := filepath.Join(t.TempDir(), "wall.pb.gz")
	if err := os.WriteFile(file, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	top, err := exec.Command("go", "tool", "pprof", "-top", "-nodecount=5", file).Output()
	if err != nil || !strings.Contains(string(top), "Type: wall") {
		t.Errorf("go tool pprof: %v\n%s", err, top)
	}
}
