package profile

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	google "github.com/google/pprof/profile"
	"pgregory.net/rapid"

	"whet/internal/callstack"
)

func TestMergeAgreesWithGooglePprof(t *testing.T) {
	if testing.Short() {
		t.Skip("works through large inputs")
	}
	for _, names := range [][]string{
		{"http.heap.pb.gz", "http.allocs.pb.gz"},
		{"httpsrv_labels.cpu.pb.gz", "httpsrv_labels.cpu.pb.gz"},
		{"httpsrv_labels.cpu.pb.gz", "compile_stdcmd_merged.cpu.pb.gz", "httpsrv_labels.cpu.pb.gz"},
		{"http.block.pb.gz", "http.mutex.pb.gz"},
		{"goroutine_1k.pb.gz", "http.goroutine.pb.gz", "goroutine_1k.pb.gz"},
	} {
		for _, scales := range [][]float64{nil, {1, -1, -1}, {0.3, 1e-3, 7}} {
			if scales != nil && strings.HasPrefix(names[1], "compile") {
				continue // too large to be compared three times
			}
			var files [][]byte
			for _, name := range names {
				data, err := os.ReadFile(filepath.Join("testdata", name))
				if err != nil {
					t.Fatal(err)
				}
				files = append(files, data)
			}
			if scales != nil {
				scales = scales[:len(files)]
			}
			if !compareMerged(t, scales, files) {
				t.Errorf("%q were not added up as they were read", names)
			}
		}
	}
}

// compareMerged merges what both read, and what is read as it is added, and reports
// whether that can be.
func compareMerged(t testing.TB, scales []float64, files [][]byte) (added bool) {
	t.Helper()
	var parts []*callstack.Profile
	var theirParts []*google.Profile
	for i, data := range files {
		g, err := google.ParseData(data)
		if err != nil {
			t.Fatal(err)
		}
		if scales != nil {
			g.Scale(scales[i])
		}
		theirParts = append(theirParts, g)
		parts = append(parts, mustReadSamples(t, data))
	}
	g, theirErr := google.Merge(theirParts)
	p, err := callstack.Merge(scales, parts...)
	if (err != nil) != (theirErr != nil) {
		t.Fatalf("%v, google/pprof says %v", err, theirErr)
	}
	if err != nil {
		return false
	}
	compareExactly(t, p, g)
	sum := callstack.NewMerger(&parts[0].Meta)
	scale := func(i int) float64 {
		if scales == nil {
			return 1
		}
		return scales[i]
	}
	if err := sum.Add(scale(0), parts[0]); err != nil {
		t.Fatal(err)
	}
	for i, data := range files[1:] {
		if !addTo(sum, scale(1+i), data, DefaultLimits()) {
			return false
		}
	}
	streamed, err := packed(sum.Merged())
	merged, mergedErr := packed(p)
	if err != nil || mergedErr != nil || !bytes.Equal(streamed, merged) {
		t.Errorf("%v, %v: added up as it is read it has %d bytes, %d else", err, mergedErr, len(streamed), len(merged))
	}
	return true
}

// drawnProfile returns a profile of a few functions in a program that the system
// loaded somewhere, with labels in any order; a sound one has names for all of its
// locations and no value below zero.
func drawnProfile(t *rapid.T, sound bool) []byte {
	leastLines, leastValue := 0, int64(-2)
	if sound {
		leastLines, leastValue = 1, 0
	}
	base := rapid.SampledFrom([]uint64{0x400000, 0x550000000000, 1 << 63}).Draw(t, "base")
	g := &google.Profile{
		SampleType: []*google.ValueType{{Type: "a", Unit: "count"}, {Type: "b", Unit: "bytes"}},
		PeriodType: &google.ValueType{Type: "a", Unit: "count"},
		Period:     rapid.Int64Range(0, 2).Draw(t, "period"),
		TimeNanos:  rapid.Int64Range(1, 3).Draw(t, "time"), DurationNanos: rapid.Int64Range(0, 3).Draw(t, "duration"),
		DefaultSampleType: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "default"),
		DocURL:            rapid.SampledFrom([]string{"", "https://example.com/a", "https://example.com/b"}).Draw(t, "doc"),
		Comments:          rapid.SliceOfN(rapid.SampledFrom([]string{"x", "y"}), 0, 2).Draw(t, "comments"),
	}
	for i := range 3 {
		m := &google.Mapping{
			ID: uint64(i + 1), Start: base + uint64(i)<<20, Limit: base + uint64(i)<<20 + uint64(rapid.SampledFrom([]int{0x1000, 0x1001, 0x2000}).Draw(t, "size")),
			File: rapid.SampledFrom([]string{"", "/bin/x", "/lib/y"}).Draw(t, "file"), BuildID: rapid.SampledFrom([]string{"", "1"}).Draw(t, "build id"),
			HasFunctions: rapid.Bool().Draw(t, "functions"),
		}
		g.Mapping = append(g.Mapping, m)
		g.Function = append(g.Function, &google.Function{
			ID: uint64(i + 1), Name: rapid.SampledFrom([]string{"f", "g"}).Draw(t, "name"), SystemName: "f", Filename: "f.go",
			StartLine: rapid.Int64Range(0, 1).Draw(t, "start"),
		})
	}
	for i := range 6 {
		l := &google.Location{ID: uint64(i + 1), IsFolded: rapid.Bool().Draw(t, "folded")}
		l.Address = uint64(rapid.IntRange(0, 1).Draw(t, "address"))
		if m := rapid.IntRange(0, 3).Draw(t, "mapping"); m < 3 {
			l.Mapping = g.Mapping[m]
			l.Address += l.Mapping.Start
		}
		for range rapid.IntRange(leastLines, 2).Draw(t, "lines") {
			l.Line = append(l.Line, google.Line{Function: rapid.SampledFrom(g.Function).Draw(t, "function"), Line: rapid.Int64Range(0, 1).Draw(t, "line"), Column: rapid.Int64Range(0, 1).Draw(t, "column")})
		}
		g.Location = append(g.Location, l)
	}
	for range rapid.IntRange(0, 30).Draw(t, "samples") {
		s := &google.Sample{
			Location: rapid.SliceOfN(rapid.SampledFrom(g.Location), 0, 4).Draw(t, "stack"),
			Value:    rapid.SliceOfN(rapid.Int64Range(leastValue, 2), 2, 2).Draw(t, "values"),
			Label:    map[string][]string{}, NumLabel: map[string][]int64{}, NumUnit: map[string][]string{},
		}
		for _, k := range rapid.SliceOfN(rapid.SampledFrom([]string{"k", "l"}), 0, 2).Draw(t, "text labels") {
			s.Label[k] = append(s.Label[k], rapid.SampledFrom([]string{"v", "w"}).Draw(t, "text"))
		}
		for _, k := range rapid.SliceOfN(rapid.SampledFrom([]string{"k", "n"}), 0, 2).Draw(t, "number labels") {
			s.NumLabel[k] = append(s.NumLabel[k], rapid.Int64Range(1, 2).Draw(t, "number"))
			s.NumUnit[k] = append(s.NumUnit[k], rapid.SampledFrom([]string{"bytes", "count"}).Draw(t, "unit"))
		}
		g.Sample = append(g.Sample, s)
	}
	var out bytes.Buffer
	if err := g.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestMergeSamplesOfAnything(t *testing.T) {
	streamed := 0
	rapid.Check(t, func(rt *rapid.T) {
		var files [][]byte
		sound := rapid.Bool().Draw(rt, "sound")
		for range rapid.IntRange(1, 3).Draw(rt, "profiles") {
			files = append(files, drawnProfile(rt, sound))
		}
		var scales []float64
		if rapid.Bool().Draw(rt, "scaled") {
			for range files {
				scales = append(scales, rapid.SampledFrom([]float64{1, -1, 0, 0.3, 2.5}).Draw(rt, "scale"))
			}
		}
		if compareMerged(rapidTB{t, rt}, scales, files) && len(files) > 1 {
			streamed++
		}
	})
	if streamed == 0 {
		t.Error("none was added up as it was read")
	}
}

// rapidTB lets a helper for testing.TB fail a draw of rapid.
type rapidTB struct {
	testing.TB
	rt *rapid.T
}

func (t rapidTB) Fatal(args ...any)                 { t.rt.Fatal(args...) }
func (t rapidTB) Fatalf(format string, args ...any) { t.rt.Fatalf(format, args...) }
func (t rapidTB) Errorf(format string, args ...any) { t.rt.Errorf(format, args...) }

// Labels in another order, and those that say nothing, make no other sample.
func TestMergeSamplesLabels(t *testing.T) {
	b := callstack.NewBuilder(callstack.ValueType{Type: "a", Unit: "count"})
	l := b.Location(callstack.NoMapping, 1, false)
	for i, labels := range [][]callstack.Label{
		{{Key: "a", Str: "1"}, {Key: "b", Num: 2}},
		{{Key: "b", Num: 2}, {Key: "a", Str: "1"}},
		{{Key: "b", Num: 2}, {Key: "z"}, {Key: "a", Str: "1"}},
		{{Key: "a", Str: "1"}, {Key: "a", Str: "2"}},
		{{Key: "a", Str: "2"}, {Key: "a", Str: "1"}}, // the order of one key's values counts
		{{Key: "c", Str: "1"}, {Key: "d", Str: "2"}},
		{{Key: "d", Str: "2"}, {Key: "c", Str: "1"}},
	} {
		b.Add([]callstack.LocationID{l}, labels, 1<<i)
	}
	p, err := callstack.Merge(nil, b.Profile())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for c := p.Samples(); c.Next(); {
		got = append(got, fmt.Sprint(p.Labels(c.LabelSet()), c.Value(0)))
	}
	if want := []string{"[{a 1 0 } {b  2 }] 7", "[{a 1 0 } {a 2 0 }] 8", "[{a 2 0 } {a 1 0 }] 16", "[{c 1 0 } {d 2 0 }] 96"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A sample that is scaled to nothing leaves no trace, though the next one
// shares its stack.
func TestMergeSamplesScaledToNothing(t *testing.T) {
	b := callstack.NewBuilder(callstack.ValueType{Type: "a", Unit: "count"})
	var x [4]callstack.LocationID
	for i := range x {
		x[i] = b.Location(callstack.NoMapping, uint64(i), false)
	}
	one, two := []callstack.LocationID{x[0], x[1]}, []callstack.LocationID{x[2], x[3]}
	b.Add(one, nil, 10)
	b.Add(two, nil, 1)
	b.Add(two, nil, 20)
	b.Add(one, nil, 30)
	b.Add(two, nil, 40)
	p, err := callstack.Merge([]float64{0.3}, b.Profile())
	if err != nil {
		t.Fatal(err)
	}
	var got []int64
	for c := p.Samples(); c.Next(); {
		got = append(got, c.Value(0))
	}
	if want := []int64{3 + 9, 6 + 12}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestMergeSamplesRefuses(t *testing.T) {
	profile := func(typ, period string, value int64) *callstack.Profile {
		b := callstack.NewBuilder(callstack.ValueType{Type: typ, Unit: "count"})
		b.Add(nil, nil, value)
		b.Profile().PeriodType.Type = period
		return b.Profile()
	}
	var mergeErr *callstack.MergeError
	if _, err := callstack.Merge(nil, profile("a", "", 1), profile("b", "", 1)); !errors.As(err, &mergeErr) || mergeErr.Index != 1 {
		t.Errorf("other types: %v", err)
	}
	for name, c := range map[string]struct {
		scales []float64
		parts  []*callstack.Profile
		want   string
	}{
		"periods":          {nil, []*callstack.Profile{profile("a", "x", 1), profile("a", "y", 1)}, "sampled by"},
		"too few scales":   {[]float64{1}, []*callstack.Profile{profile("a", "", 1), profile("a", "", 1)}, "1 scales for 2"},
		"sum":              {nil, []*callstack.Profile{profile("a", "", math.MaxInt64), profile("a", "", 1)}, "overflows an int64"},
		"sum that cancels": {nil, []*callstack.Profile{profile("a", "", math.MaxInt64), profile("a", "", -1)}, "overflows an int64"},
		"scaled":           {[]float64{1e19}, []*callstack.Profile{profile("a", "", 1)}, "overflows an int64"},
		"not a number":     {[]float64{math.NaN()}, []*callstack.Profile{profile("a", "", 1)}, "overflows an int64"},
		"smallest":         {nil, []*callstack.Profile{profile("a", "", math.MinInt64)}, "overflows an int64"},
	} {
		if _, err := callstack.Merge(c.scales, c.parts...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	none, err := callstack.Merge(nil)
	if err != nil || none.Len() != 0 {
		t.Errorf("nothing: %v", err)
	}
	// Nothing is left of a profile minus itself.
	left, err := callstack.Merge([]float64{1, -1}, profile("a", "", 5), profile("a", "", 5))
	if err != nil || left.Len() != 0 || len(left.Locations) != 0 {
		t.Errorf("%v, %d samples", err, left.Len())
	}
}

// addTo adds a profile to a sum while it is read.
func addTo(sum *callstack.Merger, scale float64, data []byte, limits Limits) bool {
	a, ok := ReadAddend(bytes.NewReader(data), int64(len(data)), limits)
	return ok && a.AddTo(sum, scale)
}

// TestAddToRefuses: what Read warns of is not added as it is read, nor what needs more
// memory than the limit.
func TestAddToRefuses(t *testing.T) {
	mapped := func(m *message) *message { return m.body(profileMapping, num(1, 1), num(2, 0x1000), num(3, 0x2000)) }
	added := func(data []byte, limits Limits) bool {
		t.Helper()
		first := zip(mapped(small()).Bytes())
		p, err := Read(bytes.NewReader(first), int64(len(first)), DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		sum := callstack.NewMerger(&p.Meta)
		if err := sum.Add(1, p); err != nil {
			t.Fatal(err)
		}
		return addTo(sum, 1, data, limits)
	}
	for name, c := range map[string]struct {
		location []byte   // a line of the location of the second sample
		names    []string // of the functions
		sound    bool
	}{
		"sound":           {line(2, 4), []string{"main.f", "main.main"}, true},
		"function's lack": {line(9, 4), []string{"main.f", "main.main"}, false},
		"no names":        {line(2, 4), []string{"", ""}, false},
	} {
		m := mapped(new(message)).body(profileSampleType, num(1, 1), num(2, 2))
		m.body(profileSample, num(1, 1), num(2, 5)).body(profileSample, num(1, 2), num(2, 7))
		m.body(profileLocation, num(1, 1), line(1, 7), line(2, 3)).body(profileLocation, num(1, 2), c.location)
		m.body(profileFunction, num(1, 1), num(2, 3)).body(profileFunction, num(1, 2), num(2, 4))
		data := zip(m.strings("", "cpu", "nanoseconds", c.names[0], c.names[1]).Bytes())
		p, err := Read(bytes.NewReader(data), int64(len(data)), DefaultLimits())
		if err != nil || (len(p.Warnings) == 0) != c.sound {
			t.Errorf("%s: %v, read with %q", name, err, p.Warnings)
		}
		if added(data, DefaultLimits()) != c.sound {
			t.Errorf("%s: added %v", name, !c.sound)
		}
	}

	const depth = 14
	many := mapped(small())
	for i := range uint64(1 << depth) {
		var fields [][]byte
		for bit := range depth {
			fields = append(fields, num(1, 1+i>>bit&1))
		}
		many.body(profileSample, append(fields, num(2, 1))...)
	}
	data, limits := zip(many.Bytes()), DefaultLimits()
	if !added(data, limits) {
		t.Error("many stacks were not added")
	}
	if limits.MaxMemory = 1 << 20; added(data, limits) {
		t.Error("the memory of what is added has no limit")
	}
}

// TestLabelSetsAreShared: of label sets of which each is that of several samples, in any
// order, there are no more than the file has.
func TestLabelSetsAreShared(t *testing.T) {
	const sets = fewSets + 1000
	m, r := small(), rand.New(rand.NewPCG(1, 2))
	for range 10 * sets {
		m.body(profileSample, num(1, 1), num(2, 1), label(num(1, 3), num(3, 1+r.Uint64N(sets))))
	}
	data := m.Bytes()
	p, err := Read(bytes.NewReader(data), int64(len(data)), DefaultLimits())
	if err != nil || p.LabelSets() > sets+1 {
		t.Errorf("%v, %d label sets", err, p.LabelSets())
	}
}
