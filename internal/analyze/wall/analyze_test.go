package wall

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAnalyzeAddsTracesUp(t *testing.T) {
	if testing.Short() {
		t.Skip("works through large inputs")
	}
	one, run := analyzePlanted(t)
	trace := func(name string, startNs int64) Trace {
		return Trace{Name: name, Source: bytes.NewReader(run.trace), StartNs: startNs}
	}
	hour := int64(3600e9)
	r, err := Analyze([]Trace{trace("second", hour), trace("first", 0)})
	if err != nil {
		t.Fatal(err)
	}
	if r.CoveredNs != 2*one.CoveredNs {
		t.Errorf("two traces cover %d ns, one %d", r.CoveredNs, one.CoveredNs)
	}
	for i := range one.Profile.Types {
		if got, want := r.Profile.Total(i), 2*one.Profile.Total(i); got != want {
			t.Errorf("%s: %d ns in two traces, want %d", one.Profile.Types[i].Type, got, want)
		}
	}
	for _, g := range one.Groups {
		twice := groupNamed(r, g.Name)
		if twice.Total() != 2*g.Total() || g.Handler && twice.Count != 2*g.Count {
			t.Errorf("%s: %d of %d ns in two traces, %d of %d in one", g.Name, twice.Count, twice.Total(), g.Count, g.Total())
		}
	}

	// A second trace of the same time counts nothing twice.
	r, err = Analyze([]Trace{trace("trace-000", 0), trace("flight-000", one.CoveredNs/2)})
	if err != nil {
		t.Fatal(err)
	}
	if r.CoveredNs != one.CoveredNs || len(r.Warnings) == 0 || !strings.HasPrefix(r.Warnings[0], "flight-000: left out") {
		t.Errorf("%d ns covered of %d, warnings %q", r.CoveredNs, one.CoveredNs, r.Warnings)
	}
}

func TestAnalyzeIsDeterministic(t *testing.T) {
	if testing.Short() {
		t.Skip("works through large inputs")
	}
	one, _ := analyzePlanted(t)
	two, _ := analyzePlanted(t)
	if diff := cmp.Diff(one.Groups, two.Groups); diff != "" {
		t.Errorf("groups differ (-one +two):\n%s", diff)
	}
	if one.Profile.Len() != two.Profile.Len() {
		t.Fatalf("%d and %d samples", one.Profile.Len(), two.Profile.Len())
	}
	for a, b := one.Profile.Stacks(nil), two.Profile.Stacks(nil); a.Next() && b.Next(); {
		if a.Value(0) != b.Value(0) || !cmp.Equal(a.Stack, b.Stack) {
			t.Fatalf("sample %d differs", a.Index())
		}
	}
}

// failing is a source that cannot be read.
type failing struct{ err error }

func (f failing) ReadAt([]byte, int64) (int, error) { return 0, f.err }
func (failing) Size() int64                         { return 1 << 20 }

func TestAnalyzeRefuses(t *testing.T) {
	broken := errors.New("connection reset")
	for _, c := range []struct {
		traces []Trace
		want   string
	}{
		{nil, "no execution trace"},
		{[]Trace{{Name: "trace-000", Source: strings.NewReader("<html>")}}, "trace-000: the file is not a Go execution trace"},
		{[]Trace{{Name: "trace-000", Source: failing{broken}}}, "connection reset"},
	} {
		if _, err := Analyze(c.traces); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	// Where another trace can be read, the broken one is a warning.
	_, run := analyzePlanted(t)
	r, err := Analyze([]Trace{{Name: "cut", Source: strings.NewReader("go 1.26 tr")}, {Name: "good", Source: bytes.NewReader(run.trace)}})
	if err != nil || len(r.Warnings) == 0 || !strings.HasPrefix(r.Warnings[0], "cut: ") {
		t.Errorf("error %v, warnings %q", err, r.Warnings)
	}
}

// BenchmarkAnalyze is in bytes of trace.
func BenchmarkAnalyze(b *testing.B) {
	run := planted()
	if run.err != nil {
		b.Fatal(run.err)
	}
	b.SetBytes(int64(len(run.trace)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Analyze([]Trace{{Name: "planted", Source: bytes.NewReader(run.trace)}}); err != nil {
			b.Fatal(err)
		}
	}
}
