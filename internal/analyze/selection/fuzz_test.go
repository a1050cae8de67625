package selection

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	google "github.com/google/pprof/profile"
)

// FuzzExpressions gives pprof and a selection the same expressions: both refuse
// them, or both select the same samples and frames.
func FuzzExpressions(f *testing.F) {
	for _, seed := range [][2]string{
		{"main", "bytes=1kb:"}, {"f|g", ":2mb"}, {"[", "1:2"}, {"^$", "key=v,w"}, {"a.go", "-1:+1ms"}, {"x*", "key:v,:"}, {"", "1hour"}, {"(?i)MAIN", "1Kb:2KB"}, {"", "007"}, {"", "=v"}, {"", "9999999999999999999"},
	} {
		f.Add(seed[0], seed[1])
	}
	function := func(id uint64, name, file string) *google.Function {
		return &google.Function{ID: id, Name: name, Filename: file}
	}
	g := &google.Profile{SampleType: []*google.ValueType{{Type: "cpu", Unit: "ns"}}, Mapping: []*google.Mapping{{ID: 1, File: "/bin/main"}}}
	g.Function = []*google.Function{function(1, "main", "a.go"), function(2, "f(int)", "b.go"), function(3, "g", "")}
	for i := range 4 {
		l := &google.Location{ID: uint64(i + 1), Address: uint64(i)}
		if i%2 == 0 {
			l.Mapping = g.Mapping[0]
		}
		for _, fn := range g.Function[i%3:] {
			l.Line = append(l.Line, google.Line{Function: fn, Line: int64(i)})
		}
		g.Location = append(g.Location, l)
	}
	label := func(key string, unit string, numbers ...int64) (map[string][]int64, map[string][]string) {
		if unit == "" {
			return map[string][]int64{key: numbers}, nil
		}
		return map[string][]int64{key: numbers}, map[string][]string{key: {unit}}
	}
	for i, s := range []*google.Sample{{}, {Label: map[string][]string{"key": {"v"}}}, {Label: map[string][]string{"key": {"w", "x"}, "": {"v"}}}, {}, {}, {}} {
		switch i {
		case 3:
			s.NumLabel, s.NumUnit = label("bytes", "", 1<<10)
		case 4:
			s.NumLabel, s.NumUnit = label("wait", "ms", 3600e3)
		case 5:
			s.NumLabel, s.NumUnit = label("key", "", 7)
		}
		s.Value = []int64{1 << i}
		for j := range i%3 + 1 {
			s.Location = append(s.Location, g.Location[(i+j)%4])
		}
		g.Sample = append(g.Sample, s)
	}
	g = g.Copy()
	p := read(f, g)
	profiles, roles := map[string]*google.Profile{"p": g}, map[string]Role{"p": Measured}
	f.Fuzz(func(t *testing.T, name, tag string) {
		if strings.ContainsRune(name+tag, 0) {
			return // no argument of a program has it
		}
		for _, o := range []Options{{Focus: name, TagIgnore: tag}, {Hide: name, TagFocus: tag}, {ShowFrom: name, TagShow: tag}, {PruneFrom: name, TagHide: tag}} {
			o.Unit, o.RawPaths = "ns", true
			s, err := New([]Source{{Profile: p}}, o)
			want, wantErr := pprofs(t, profiles, arguments(o, o.Unit, roles), false)
			if (err != nil) != (wantErr != nil) {
				t.Fatalf("%s: %v, pprof: %v", said(o), err, wantErr)
			}
			if err != nil {
				continue
			}
			got := ours(s, o.Unit)
			got.Total = ""
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-pprof +whet):\n%s", said(o), diff)
			}
		}
	})
}
