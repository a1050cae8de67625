package goroutineleak_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"

	"whet/internal/analyze/events"
	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/diagnose/rules/goroutineleak"
	"whet/internal/finding"
	"whet/internal/format/metrics"
	"whet/internal/format/profile"
	"whet/internal/recording"
	"whet/internal/typed/typedtest"
)

const pkg = "whet/internal/diagnose/rules/goroutineleak_test"

type sources struct{}

func (sources) Text(file string) []byte {
	if !strings.Contains(file, "goroutineleak") {
		return nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	return text
}

func (sources) Display(file string) string { return filepath.Base(file) }

// moment returns a profile of all goroutines there are.
func moment(t *testing.T, at int64) diagnose.Snapshot {
	t.Helper()
	all := make([]byte, 8<<20)
	for strings.Contains(string(all[:runtime.Stack(all, true)]), "[runnable") {
		runtime.Gosched() // to what has not run yet: its stack is not where it will stand
	}
	var buf bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&buf, 0); err != nil {
		t.Fatal(err)
	}
	p, err := profile.ReadFrames(buf.Bytes(), profile.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	col, err := p.TypeIndex("goroutine")
	if err != nil {
		t.Fatal(err)
	}
	return diagnose.Snapshot{AtNs: at, Classified: hot.ClassifyProgram(p), Column: col}
}

const iterations = 300

// measure calls f so often, and counts the goroutines after each call, as a row
// of metrics each 10 ms would.
func measure(t *testing.T, f func(i int)) *diagnose.Subject {
	t.Helper()
	_, here, _, _ := runtime.Caller(0)
	file := filepath.Join(filepath.Dir(here), "answers_test.go")
	s := &diagnose.Subject{
		Benchmark: "x", Kind: recording.TargetService, Package: pkg, Module: "whet", BytesPerOp: -1, AllocsPerOp: -1,
		Source: sources{}, Operations: iterations,
		Program: typedtest.Program(t, typedtest.File{Package: pkg, Frame: file, Text: string(sources{}.Text(file))}),
	}
	var in events.Input
	s.Goroutines = append(s.Goroutines, moment(t, 0))
	for i := range iterations {
		f(i)
		n := int64(runtime.NumGoroutine())
		in.Rows = append(in.Rows, metrics.Row{TimeNs: int64(i+1) * 1e7, Goroutines: &n})
	}
	s.Goroutines = append(s.Goroutines, moment(t, iterations*1e7))
	s.GoroutineCount = diagnose.Rise(events.GoroutineCourse(in))
	return s
}

// mark returns the line of answers_test.go that has a comment.
func mark(t *testing.T, detail string) int {
	t.Helper()
	text, err := os.ReadFile("answers_test.go")
	if err != nil {
		t.Fatal(err)
	}
	line, found := 0, 0
	for l := range strings.Lines(string(text)) {
		line++
		if strings.Contains(l, "// want goroutine-leak: "+detail) {
			found = line
		}
	}
	return found
}

func TestSpeaks(t *testing.T) {
	for _, test := range []struct {
		name   string
		f      func(int)
		detail string
		each   float64
	}{
		{"unread", unread, "sending on a channel", 1},
		{"named", named, "receiving from a channel", 1},
		{"second", second, "in a select", 2},
	} {
		s := measure(t, test.f)
		claims := goroutineleak.Rule().Find(s)
		if len(claims) != 1 {
			t.Errorf("%s: %d claims: %+v, rise %+v", test.name, len(claims), claims, s.GoroutineCount)
			continue
		}
		c := claims[0]
		if c.Place.Line != mark(t, test.detail) || c.Place.Function != pkg+"."+test.name || filepath.Base(c.Place.File) != "answers_test.go" {
			t.Errorf("%s: place %+v", test.name, c.Place)
		}
		if l := c.Leak; l.Kind != finding.LeakGoroutines || l.Count != int64(test.each*iterations) || *l.PerOperation != test.each {
			t.Errorf("%s: %+v", test.name, l)
		}
		var said []string
		for _, e := range c.Evidence {
			said = append(said, e.Text)
		}
		if !strings.Contains(strings.Join(said, "; "), test.detail) {
			t.Errorf("%s: evidence %q", test.name, said)
		}
	}
}

func TestSilent(t *testing.T) {
	for name, f := range map[string]func(int){
		"a pool": pool, "waited for": waited, "bounded": bounded, "a timer": timer,
	} {
		s := measure(t, f)
		if claims := goroutineleak.Rule().Find(s); len(claims) > 0 {
			t.Errorf("%s: %+v, rise %+v", name, claims[0], s.GoroutineCount)
		}
	}
}

// at returns a snapshot with so many goroutines that stand in one function.
func at(n int64) diagnose.Snapshot {
	b := callstack.NewBuilder(callstack.ValueType{Type: "goroutine", Unit: "count"})
	b.AddFrames([]callstack.Frame{
		{Function: "runtime.gopark", File: "proc.go"},
		{Function: "runtime.chanrecv1", File: "chan.go"},
		{Function: "m/x.work", File: "/m/x.go", Line: 7},
	}, nil, n)
	return diagnose.Snapshot{Classified: &hot.Classified{Frames: b.Frames(), Class: make([]hot.Class, 1)}}
}

// A benchmark of 500 iterations that was over before it could be watched.
func TestShortBenchmark(t *testing.T) {
	for _, test := range []struct {
		end, operations int64
		want            bool
	}{
		{500, 500, true}, {501, 500, true}, {1500, 500, true}, {490, 500, true}, {128, 500, false}, {250, 500, false}, {700, 500, false},
		{19, 19, false}, {10, 10, false}, {500, 0, false},
	} {
		s := &diagnose.Subject{Kind: recording.TargetBenchmark, Package: "m/x", Module: "m", Operations: test.operations, Goroutines: []diagnose.Snapshot{at(test.end)}}
		claims := goroutineleak.Rule().Find(s)
		if (len(claims) == 1) != test.want {
			t.Errorf("%d after %d iterations: %+v", test.end, test.operations, claims)
		}
	}
}

// What the runtime proves needs no course.
func TestProven(t *testing.T) {
	for n, want := range map[int64]int{4: 0, 5: 1} {
		proven := at(n)
		s := &diagnose.Subject{Kind: recording.TargetProgram, Package: "m/x", Module: "m", Proven: &proven}
		claims := goroutineleak.Rule().Find(s)
		if len(claims) != want || want == 1 && !strings.Contains(claims[0].Evidence[0].Text, "the runtime's leak profile lists 5 goroutines") {
			t.Errorf("%d: %+v", n, claims)
		}
	}
}

// A number that rises while another kind of goroutines does is not this kind's.
func TestAnotherKindRises(t *testing.T) {
	rise := diagnose.Rise{Known: true, Steady: true, From: 100, To: 1100, Ns: 1e9}
	for added, want := range map[int64]int{19: 0, 99: 0, 100: 1, 1000: 1} {
		s := &diagnose.Subject{Kind: recording.TargetService, Package: "m/x", Module: "m", Goroutines: []diagnose.Snapshot{at(50), at(50 + added)}, GoroutineCount: rise}
		if claims := goroutineleak.Rule().Find(s); len(claims) != want {
			t.Errorf("%d of 1000: %+v", added, claims)
		}
	}
}
