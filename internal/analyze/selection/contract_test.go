package selection

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	google "github.com/google/pprof/profile"

	"whet/internal/callstack"
)

// selected sums the values by stack, written out.
func selected(t testing.TB, o Options, sources ...Source) (*Selection, map[string]int64) {
	t.Helper()
	s, err := New(sources, o)
	if err != nil {
		t.Fatal(err)
	}
	stacks := make(map[string]int64)
	for w := s.Walk(); w.Next(); {
		stacks[stackText(s, w.Path)] += w.Value
	}
	return s, stacks
}

// stackText is root first: "main.main/main.f/".
func stackText(s *Selection, path []Step) string {
	var b strings.Builder
	for _, step := range path {
		b.WriteString(printable(&s.Nodes[step.Node]))
		b.WriteByte('/')
	}
	return b.String()
}

func add(sums ...map[string]int64) map[string]int64 {
	out := make(map[string]int64)
	for _, m := range sums {
		for k, v := range m {
			out[k] += v
		}
	}
	maps.DeleteFunc(out, func(_ string, v int64) bool { return v == 0 })
	return out
}

// TestNothingIsLost: without options the samples add up to the total and the
// profile's sum; what matches an expression and what does not, to all.
func TestNothingIsLost(t *testing.T) {
	for _, name := range []string{"compile_stdcmd_merged.cpu.pb.gz", "http.allocs.pb.gz", "httpsrv_labels.cpu.pb.gz"} {
		p, _ := thinned(t, name, 11)
		source := Source{Profile: p}
		s, all := selected(t, Options{}, source)
		var sum int64
		for _, v := range all {
			sum += v
		}
		if sum == 0 || sum != s.Total || sum != p.Total(s.Column) {
			t.Errorf("%s: the samples add up to %d, the total is %d, the profile's %d", name, sum, s.Total, p.Total(s.Column))
		}
		for _, expression := range []string{`runtime`, `json|ssa`, `nothing`, `.`} {
			_, with := selected(t, Options{Focus: expression}, source)
			_, without := selected(t, Options{Ignore: expression}, source)
			if diff := cmp.Diff(add(all), add(with, without)); diff != "" {
				t.Errorf("%s: focus and ignore of %s (-all +both):\n%.1000s", name, expression, diff)
			}
			_, with = selected(t, Options{TagFocus: expression}, source)
			_, without = selected(t, Options{TagIgnore: expression}, source)
			if diff := cmp.Diff(add(all), add(with, without)); diff != "" {
				t.Errorf("%s: tagfocus and tagignore of %s (-all +both):\n%.1000s", name, expression, diff)
			}
		}
	}
}

// TestDifferences: a profile less itself is nothing, and of a comparison
// percentages are of the base.
func TestDifferences(t *testing.T) {
	p := fixture(t, "http.allocs.pb.gz")
	whole, all := selected(t, Options{}, Source{Profile: p})
	if s, left := selected(t, Options{}, Source{Profile: p}, Source{p, Base}); len(left) != 0 || s.Total != 0 {
		t.Errorf("a profile less itself has the total %d and the stacks %v", s.Total, left)
	}
	for _, o := range []Options{{}, {SumsOnly: true}} {
		for i, sources := range [][]Source{{{p, DiffBase}, {Profile: p}}, {{Profile: p}, {p, DiffBase}}} {
			s, left := selected(t, o, sources...)
			if s.Total != whole.Total || len(add(left)) != 0 || len(left) != len(all) {
				t.Errorf("compared with itself: total %d, want %d, and %d stacks, want %d that cancel", s.Total, whole.Total, len(left), len(all))
			}
			for w := s.Walk(); w.Next(); {
				base := w.Value < 0
				if base != (w.Source() == i) || base && !o.SumsOnly != slices.Contains(w.Labels(), baseLabel) {
					t.Fatalf("%s: a sample of %d is from source %d, with %v", said(o), w.Value, w.Source(), w.Labels())
				}
			}
		}
	}
	s, twice := selected(t, Options{}, Source{Profile: p}, Source{Profile: p})
	if diff := cmp.Diff(add(all, all), add(twice)); diff != "" || s.Total != 2*whole.Total {
		t.Errorf("twice: total %d of %d (-want +got):\n%.1000s", s.Total, whole.Total, diff)
	}
	s, _ = selected(t, Options{Normalize: true}, Source{Profile: s.Profile()}, Source{p, Base})
	if s.Total != 0 {
		t.Errorf("twice itself, normalized, differs by %d", s.Total)
	}
}

// TestSourcesAsPprofTakesThem compares several real profiles, added up and
// subtracted, with options.
func TestSourcesAsPprofTakesThem(t *testing.T) {
	if testing.Short() {
		t.Skip("asks the second implementation of many profiles")
	}
	heap, gHeap := thinned(t, "http.heap.pb.gz", 1)
	allocs, gAllocs := thinned(t, "http.allocs.pb.gz", 1)
	labels, gLabels := thinned(t, "httpsrv_labels.cpu.pb.gz", 29)
	compile, gCompile := thinned(t, "compile_stdcmd_merged.cpu.pb.gz", 399)
	options := []Options{
		{SampleIndex: "0"}, {Focus: `http`, RelativePercentages: true}, {TagShow: "nothing", RelativePercentages: true},
		{Granularity: "addresses"}, {Granularity: "files", Mean: true}, {TagRoot: []string{"pprof::base"}}, {TagFocus: "base"}, {Hide: `^runtime`, Normalize: true},
	}
	for _, c := range []struct {
		a, b   *callstack.Profile
		ga, gb *google.Profile
	}{{heap, allocs, gHeap, gAllocs}, {labels, compile, gLabels, gCompile}} {
		for _, role := range []Role{Measured, Base, DiffBase} {
			for _, o := range options {
				profiles := map[string]*google.Profile{"a": c.ga, "b": c.gb}
				same(t, profiles, map[string]Role{"a": Measured, "b": role}, []Source{{Profile: c.a}, {c.b, role}}, o)
			}
		}
	}
}

// TestWalksAreIndependent runs several at once; the race detector looks on.
func TestWalksAreIndependent(t *testing.T) {
	p := fixture(t, "httpsrv_labels.cpu.pb.gz")
	s, want := selected(t, Options{TagShow: "end", TagRoot: []string{"endpoint"}, Hide: "^runtime"}, Source{Profile: p})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			got := make(map[string]int64)
			for w := s.Walk(); w.Next(); {
				got[stackText(s, w.Path)] += w.Value
				w.Labels()
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-alone +together):\n%.1000s", diff)
			}
		})
	}
	wg.Wait()
}

// TestShared: all that a profile knows of common roots is passed on, and steps
// that an option had cut off are not said to have been there.
func TestShared(t *testing.T) {
	p := fixture(t, "compile_stdcmd_merged.cpu.pb.gz")
	s, err := New([]Source{{Profile: p}}, Options{NoInlines: true})
	if err != nil {
		t.Fatal(err)
	}
	c := p.Cursor(s.Column)
	for w := s.Walk(); w.Next(); {
		if c.Next(); w.Shared != c.Shared || len(w.Path) != len(c.Path) {
			t.Fatalf("sample %d shares %d of %d steps, of %d in %d locations", w.Sample(), w.Shared, len(w.Path), c.Shared, len(c.Path))
		}
	}

	b := callstack.NewBuilder(callstack.ValueType{Type: "cpu", Unit: "ns"})
	at := func(name string) callstack.LocationID {
		return b.Location(callstack.NoMapping, 0, false, callstack.SourceLine{Function: b.Function(callstack.Function{Name: name})})
	}
	root, middle, cut := at("root"), at("middle"), at("cut")
	b.Add([]callstack.LocationID{middle, middle, cut, root}, nil, 1)
	b.Add([]callstack.LocationID{cut, middle, middle, cut, root}, nil, 1)
	b.Add([]callstack.LocationID{middle, middle, cut, root}, nil, 1)
	if s, err = New([]Source{{Profile: b.Profile()}}, Options{PruneFrom: "cut"}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for w := s.Walk(); w.Next(); {
		got = append(got, fmt.Sprint(stackText(s, w.Path), w.Shared))
	}
	if diff := cmp.Diff([]string{"root/cut/0", "root/cut/middle/middle/cut/2", "root/cut/2"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestNothingIsAllocatedPerSample: of thousands of samples.
func TestNothingIsAllocatedPerSample(t *testing.T) {
	p := fixture(t, "compile_stdcmd_merged.cpu.pb.gz")
	for _, o := range []Options{{}, {Focus: "gc", PruneFrom: "malloc"}, {TagIgnore: "x", TagLeaf: []string{"x"}}} {
		s, err := New([]Source{{Profile: p}}, o)
		if err != nil {
			t.Fatal(err)
		}
		allocs := testing.AllocsPerRun(1, func() {
			for w := s.Walk(); w.Next(); {
			}
		})
		if allocs > 50 || p.Len() < 5000 {
			t.Errorf("%s: %v allocations for %d samples", said(o), allocs, p.Len())
		}
	}
}

// TestObjectNames: a function of two binaries is one node, unless they are to
// be told apart.
func TestObjectNames(t *testing.T) {
	b := callstack.NewBuilder(callstack.ValueType{Type: "cpu", Unit: "ns"})
	b.Profile().Mappings = []callstack.Mapping{{File: "/bin/a"}, {File: "/bin/b"}}
	f := callstack.SourceLine{Function: b.Function(callstack.Function{Name: "f", File: "x/../f.go", Start: 3}), Line: 5}
	b.Add([]callstack.LocationID{b.Location(0, 1, false, f)}, nil, 1)
	b.Add([]callstack.LocationID{b.Location(1, 1, false, f)}, nil, 1)
	s, _ := selected(t, Options{Granularity: "lines"}, Source{Profile: b.Profile()})
	if diff := cmp.Diff([]Node{{Name: "f", File: "f.go", Line: 5}}, s.Nodes); diff != "" {
		t.Error(diff)
	}
	s, _ = selected(t, Options{Granularity: "lines", ObjectNames: true}, Source{Profile: b.Profile()})
	want := []Node{{Name: "f", File: "f.go", Line: 5, StartLine: 3, Object: "/bin/a"}, {Name: "f", File: "f.go", Line: 5, StartLine: 3, Object: "/bin/b"}}
	if diff := cmp.Diff(want, s.Nodes); diff != "" {
		t.Error(diff)
	}
}

// TestSaysWhatIsWrong: errors name the option and what is the matter with it.
func TestSaysWhatIsWrong(t *testing.T) {
	p := fixture(t, "http.heap.pb.gz")
	cpu := fixture(t, "httpsrv_labels.cpu.pb.gz")
	self := []Source{{Profile: p}}
	for _, c := range []struct {
		o       Options
		sources []Source
		want    string
	}{
		{Options{Focus: "a(b"}, self, "-focus=a(b is not a regular expression: missing closing ): `a(b`"},
		{Options{PruneFrom: "*"}, self, "-prune_from=* is not a regular expression: missing argument to repetition operator: `*`"},
		{Options{TagHide: "["}, self, "-taghide=[ is not a regular expression: missing closing ]: `[`"},
		{Options{TagFocus: "key=a,)"}, self, "-tagfocus=key=a,) is neither a range of numbers nor a regular expression: unexpected ): `)`"},
		{Options{TagIgnore: "1:99999999999999999999"}, self, "-tagignore=1:99999999999999999999: 99999999999999999999 is not a 64-bit number"},
		{Options{SampleIndex: "4"}, self, "sample_index 4 is outside the range [0..3]"},
		{Options{SampleIndex: "cpu"}, self, `sample_index "cpu" must be one of: [alloc_objects alloc_space inuse_objects inuse_space]`},
		{Options{Granularity: "words"}, self, `granularity "words": want functions, filefunctions, files, lines or addresses`},
		{Options{Normalize: true}, self, "-normalize needs a profile to scale to: -base or -diff_base"},
		{Options{Normalize: true}, []Source{{Profile: p}, {cpu, Base}}, "-normalize needs profiles of one kind: this one has [alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes], its base [samples/count cpu/nanoseconds]"},
		{Options{}, nil, "select samples: no profile was given"},
		{Options{}, []Source{{p, Base}}, "select samples: no profile was given"},
		{Options{}, []Source{{Profile: p}, {p, Base}, {p, DiffBase}}, "-base and -diff_base exclude each other"},
		{Options{}, []Source{{Profile: p}, {cpu, Base}}, "the profiles have no sample type in common: the first has [alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes], the second [samples/count cpu/nanoseconds]"},
		{Options{}, []Source{{Profile: callstack.NewBuilder().Profile()}}, "the profile has no sample types"},
	} {
		if _, err := New(c.sources, c.o); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", said(c.o), err, c.want)
		}
	}
	bad := *p
	bad.DropFrames = "("
	s, _ := selected(t, Options{PruneFrom: "nothing", TagFocus: "bytes=:1kb"}, Source{Profile: &bad})
	want := []string{
		"the profile's drop_frames is not a regular expression (missing closing ): `^(()$`): those frames are shown",
		"-tagfocus=bytes=:1kb is read as a range of numbers, not as a regular expression",
		"-prune_from=nothing matched no samples",
	}
	if diff := cmp.Diff(want, s.Warnings); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
