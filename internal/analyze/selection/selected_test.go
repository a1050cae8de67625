package selection

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	google "github.com/google/pprof/profile"

	"whet/internal/format/profile"
)

// written is what google's package reads from a written profile: its head, and
// every sample with its values, labels and the whole of its locations.
type written struct {
	Head    []string
	Samples []string
}

// tester is what *testing.T and *rapid.T have.
type tester interface {
	Helper()
	Fatal(...any)
}

// pprofSelected returns what pprof's -proto writes.
func pprofSelected(t tester, profiles map[string]*google.Profile, args []string) written {
	t.Helper()
	out, _, err := pprof(profiles, append([]string{"-proto"}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	return readWritten(t, []byte(out))
}

func oursSelected(t tester, s *Selection) written {
	t.Helper()
	var b bytes.Buffer
	if err := profile.Write(&b, s.Selected()); err != nil {
		t.Fatal(err)
	}
	return readWritten(t, b.Bytes())
}

func readWritten(t tester, data []byte) (out written) {
	t.Helper()
	p, err := google.ParseData(data)
	if err != nil {
		t.Fatal(err)
	}
	say := func(format string, args ...any) { out.Head = append(out.Head, fmt.Sprintf(format, args...)) }
	for _, v := range p.SampleType {
		say("type %+v", *v)
	}
	if p.PeriodType != nil {
		say("period %s/%s", p.PeriodType.Type, p.PeriodType.Unit)
	}
	defaultType := p.DefaultSampleType
	if n := len(p.SampleType); n > 0 && !slices.ContainsFunc(p.SampleType, func(v *google.ValueType) bool { return v.Type == defaultType }) { // as pprof reads it
		defaultType = p.SampleType[n-1].Type
	}
	say("%d, at %d for %d, shows %s, %q, drops %q, keeps %q, comments %q", p.Period, p.TimeNanos, p.DurationNanos, defaultType, p.DocURL, p.DropFrames, p.KeepFrames, p.Comments)
	for _, m := range p.Mapping {
		say("mapping %+v", *m)
	}
	for _, s := range p.Sample {
		var b strings.Builder
		fmt.Fprintf(&b, "%d %v %v %v\n", s.Value, s.Label, s.NumLabel, s.NumUnit)
		for _, l := range s.Location {
			mapping := uint64(0)
			if l.Mapping != nil {
				mapping = l.Mapping.ID
			}
			fmt.Fprintf(&b, "%#x in %d, folded %t\n", l.Address, mapping, l.IsFolded)
			for _, line := range l.Line {
				f := line.Function
				fmt.Fprintf(&b, "  %q %q %s:%d:%d from %d\n", f.Name, f.SystemName, f.Filename, line.Line, line.Column, f.StartLine)
			}
		}
		out.Samples = append(out.Samples, b.String())
	}
	slices.Sort(out.Samples)
	return out
}

// TestSelectedIsWhatPprofWrites compares written profiles, sample by sample,
// for every fixture with each option and with some pairs of them.
func TestSelectedIsWhatPprofWrites(t *testing.T) {
	if testing.Short() {
		t.Skip("asks the second implementation of many profiles")
	}
	fixtures := []struct {
		name  string
		every int
	}{
		{"compile_stdcmd_merged.cpu.pb.gz", 397}, {"httpsrv_labels.cpu.pb.gz", 37}, {"http.heap.pb.gz", 7}, {"http.allocs.pb.gz", 7},
		{"http.block.pb.gz", 1}, {"http.mutex.pb.gz", 5}, {"http.goroutine.pb.gz", 1}, {"goroutine_1k.pb.gz", 29},
	}
	for f, fixture := range fixtures {
		t.Run(fixture.name, func(t *testing.T) {
			p, g := thinned(t, fixture.name, fixture.every)
			if p.Len() == 0 {
				t.Fatal("the fixture has no samples")
			}
			_, half := thinned(t, fixture.name, 2*fixture.every)
			profiles := map[string]*google.Profile{"a": g, "b": half}
			for i, a := range single {
				if a.SampleIndex == "1" && len(p.Types) == 1 {
					continue // refused: TestSaysWhatIsWrong
				}
				asSelected(t, profiles, []Source{{Profile: p}}, a)
				if i%len(fixtures) == f {
					asSelected(t, profiles, []Source{{Profile: p}, {Profile: read(t, half)}}, a)
					asSelected(t, profiles, []Source{{Profile: p}, {read(t, half), Base}}, a)
					asSelected(t, profiles, []Source{{Profile: p}, {read(t, half), DiffBase}}, a)
				}
				for j := range i {
					if o, ok := together(a, single[j]); ok && (i*31+j)%(16*len(fixtures)) == f {
						asSelected(t, profiles, []Source{{Profile: p}}, o)
					}
				}
			}
		})
	}
}

// asSelected compares what is written of the profiles a and b, of which sources
// are.
func asSelected(t *testing.T, profiles map[string]*google.Profile, sources []Source, o Options) {
	t.Helper()
	s, err := New(sources, o)
	if err != nil {
		t.Fatal(err)
	}
	roles := map[string]Role{"a": Measured}
	if len(sources) > 1 {
		roles["b"] = sources[1].Role
	}
	if diff := cmp.Diff(pprofSelected(t, profiles, arguments(o, "minimum", roles)), oursSelected(t, s)); diff != "" {
		t.Errorf("%s, %v (-pprof +whet):\n%.3000s", said(o), roles, diff)
	}
}
