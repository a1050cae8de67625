package profile

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	google "github.com/google/pprof/profile"

	"whet/internal/callstack"
)

func fixtures(t testing.TB) []string {
	t.Helper()
	names, err := filepath.Glob("testdata/*.pb.gz")
	if err != nil || len(names) < 8 {
		t.Fatalf("fixtures: %v, %v", names, err)
	}
	return names
}

func mustRead(t testing.TB, data []byte) *callstack.Frames {
	t.Helper()
	p, err := ReadFrames(data, DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// flat is a sample as text: what two readers must agree on.
type flat struct {
	Stack, Labels []string
	Values        []int64
}

// ours lists the samples of a model.
func ours(p *callstack.Frames) []flat {
	var out []flat
	text := make([]string, p.NumFrames())
	for i := range text {
		f := p.Frame(callstack.FrameID(i))
		text[i] = fmt.Sprintf("%s %s:%d start=%d inlined=%t %#x %s", f.Function, f.File, f.Line, f.Start, f.Inlined, f.Address, f.Object)
	}
	for at := p.Stacks(nil); at.Next(); {
		var s flat
		for _, id := range at.Stack {
			s.Stack = append(s.Stack, text[id])
		}
		for _, l := range at.Labels() {
			// google/pprof drops labels without a value.
			if l != (callstack.Label{Key: l.Key}) {
				s.Labels = append(s.Labels, fmt.Sprintf("%s=%q %d %s", l.Key, l.Str, l.Num, l.Unit))
			}
		}
		sort.Strings(s.Labels)
		for t := range p.Types {
			s.Values = append(s.Values, at.Value(t))
		}
		out = append(out, s)
	}
	return out
}

// clamp is 0 for lines that no file has.
func clamp(n int64) int64 {
	if n < 0 || n > 1<<31-1 {
		return 0
	}
	return n
}

// theirs lists the samples as google/pprof reads them.
func theirs(p *google.Profile) []flat {
	text := make(map[*google.Location][]string)
	for _, l := range p.Location {
		object := ""
		if l.Mapping != nil {
			object = l.Mapping.File
		}
		if len(l.Line) == 0 {
			text[l] = []string{fmt.Sprintf(" :0 start=0 inlined=false %#x %s", l.Address, object)}
		}
		for i, line := range l.Line {
			address, object := l.Address, object
			if line.Function.Name != "" {
				address, object = 0, ""
			}
			text[l] = append(text[l], fmt.Sprintf("%s %s:%d start=%d inlined=%t %#x %s", line.Function.Name, line.Function.Filename,
				clamp(line.Line), clamp(line.Function.StartLine), i < len(l.Line)-1, address, object))
		}
	}
	var out []flat
	for _, g := range p.Sample {
		s := flat{Values: g.Value}
		for _, l := range g.Location {
			s.Stack = append(s.Stack, text[l]...)
		}
		for k, vs := range g.Label {
			for _, v := range vs {
				if v != "" {
					s.Labels = append(s.Labels, fmt.Sprintf("%s=%q 0 ", k, v))
				}
			}
		}
		for k, vs := range g.NumLabel {
			for i, v := range vs {
				unit := ""
				if u := g.NumUnit[k]; len(u) > 0 {
					unit = u[i]
				}
				if v != 0 || unit != "" {
					s.Labels = append(s.Labels, fmt.Sprintf("%s=%q %d %s", k, "", v, unit))
				}
			}
		}
		sort.Strings(s.Labels)
		out = append(out, s)
	}
	return out
}

func TestReadAgreesWithGooglePprof(t *testing.T) {
	if testing.Short() {
		t.Skip("works through large inputs")
	}
	for _, name := range fixtures(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			p := mustRead(t, data)
			if strings.Contains(name, "damaged") {
				data = data[:len(data)-2523]
			} else if len(p.Warnings) != 0 {
				t.Errorf("warnings: %q", p.Warnings)
			}
			g, err := google.ParseData(data)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, p, g)
			compareExactly(t, mustReadSamples(t, data), g)
		})
	}
}

func compare(t *testing.T, p *callstack.Frames, g *google.Profile) {
	t.Helper()
	if want, got := theirs(g), ours(p); !reflect.DeepEqual(want, got) { // cmp.Diff takes long to find no difference
		t.Errorf("samples (-google/pprof +whet):\n%.4000s", cmp.Diff(want, got))
	}
	compareMeta(t, &p.Meta, g)
}

func compareMeta(t testing.TB, p *callstack.Meta, g *google.Profile) {
	t.Helper()
	var types []callstack.ValueType
	for _, s := range g.SampleType {
		types = append(types, callstack.ValueType{Type: s.Type, Unit: s.Unit})
	}
	if !slices.Equal(types, p.Types) {
		t.Errorf("types %v, want %v", p.Types, types)
	}
	if want, _ := g.SampleIndexByName(""); p.DefaultType != want {
		t.Errorf("default type %d, want %d", p.DefaultType, want)
	}
	period := callstack.ValueType{}
	if g.PeriodType != nil {
		period = callstack.ValueType{Type: g.PeriodType.Type, Unit: g.PeriodType.Unit}
	}
	if p.PeriodType != period || p.Period != g.Period || p.TimeNanos != g.TimeNanos || p.Duration != g.DurationNanos {
		t.Errorf("period %v %d, time %d, duration %d; want %v %d %d %d", p.PeriodType, p.Period, p.TimeNanos, p.Duration, period, g.Period, g.TimeNanos, g.DurationNanos)
	}
	if p.DropFrames != g.DropFrames || p.KeepFrames != g.KeepFrames || p.DocURL != g.DocURL || !slices.Equal(p.Comments, g.Comments) {
		t.Errorf("drop %q, keep %q, doc %q, comments %q", p.DropFrames, p.KeepFrames, p.DocURL, p.Comments)
	}
	var mappings []callstack.Mapping
	for _, m := range g.Mapping {
		mappings = append(mappings, mappingOf(m))
	}
	if !slices.Equal(mappings, p.Mappings) {
		t.Errorf("mappings %v, want %v", p.Mappings, mappings)
	}
}

func TestDamagedFixtureSaysWhatWasDropped(t *testing.T) {
	data, err := os.ReadFile("../../../docs/testdata/damaged.cpu.pb.gz")
	if err != nil {
		t.Fatal(err)
	}
	p := mustRead(t, data)
	want := []string{"2,523 bytes after the profile could not be read and were dropped"}
	if diff := cmp.Diff(want, p.Warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

func TestWriteThenRead(t *testing.T) {
	if testing.Short() {
		t.Skip("works through large inputs")
	}
	for _, name := range fixtures(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			p := mustRead(t, data)
			p.Warnings = nil
			var out bytes.Buffer
			if err := Write(&out, p.Profile); err != nil {
				t.Fatal(err)
			}
			sameModel(t, mustRead(t, out.Bytes()), p)
			g, err := google.ParseData(out.Bytes())
			if err != nil {
				t.Fatalf("google/pprof refuses what Write wrote: %v", err)
			}
			compare(t, p, g)
			rewrite(t, mustReadSamples(t, data), DefaultLimits())
		})
	}
}

func sameModel(t *testing.T, got, want *callstack.Frames) {
	t.Helper()
	if a, b := ours(want), ours(got); !reflect.DeepEqual(a, b) {
		t.Errorf("samples after writing (-want +got):\n%.4000s", cmp.Diff(a, b))
	}
	for w, g := want.Stacks(nil), got.Stacks(nil); w.Next() && g.Next(); {
		if !slices.Equal(w.Labels(), g.Labels()) {
			t.Fatalf("sample %d: labels %v, want %v", w.Index(), g.Labels(), w.Labels())
		}
	}
	type head struct {
		Types                []callstack.ValueType
		Default              int
		PeriodType           callstack.ValueType
		Period, Time, Length int64
		Mappings             []callstack.Mapping
		Comments             []string
		Drop, Keep, Doc      string
	}
	heads := func(p *callstack.Frames) head {
		return head{p.Types, p.DefaultType, p.PeriodType, p.Period, p.TimeNanos, p.Duration, p.Mappings, p.Comments, p.DropFrames, p.KeepFrames, p.DocURL}
	}
	if diff := cmp.Diff(heads(want), heads(got)); diff != "" {
		t.Errorf("head after writing (-want +got):\n%s", diff)
	}
}
