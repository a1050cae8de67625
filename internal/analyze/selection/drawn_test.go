package selection

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	google "github.com/google/pprof/profile"
	"pgregory.net/rapid"

	"whet/internal/quantity"
)

// drawProfile makes a small profile with all that options look at: mappings
// loaded at different addresses, locations without lines and with several,
// names that pprof cuts before it drops them, labels of both kinds. It is of
// the kind of another one, or of a kind that may not fit it.
func drawProfile(t *rapid.T, who string, like *google.Profile) *google.Profile {
	pick := func(from ...string) string { return rapid.SampledFrom(from).Draw(t, who) }
	number := func(low, high int) int { return rapid.IntRange(low, high).Draw(t, who) }
	p := &google.Profile{
		PeriodType: &google.ValueType{Type: "cpu", Unit: pick("nanoseconds", "ns", "ms")}, Period: int64(number(0, 3)),
		DropFrames: pick("", "", "a|main.*", "deep", "("), KeepFrames: pick("", "", "main.inner", "("),
		DefaultSampleType: pick("", "cpu", "samples"),
	}
	types := []*google.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: pick("nanoseconds", "ms")}, {Type: "space", Unit: pick("bytes", "kb", "bytes", "kb", "bytes", "ns")}}
	if number(0, 3) == 0 {
		types[0], types[1] = types[1], types[0]
	}
	p.SampleType = types[:min(3, number(1, 6))]
	if like != nil && number(0, 3) > 0 {
		p.SampleType, p.PeriodType = like.SampleType, like.PeriodType
	}
	for i := range number(0, 2) {
		p.Mapping = append(p.Mapping, &google.Mapping{
			ID: uint64(i + 1), Start: uint64(number(0, 2)) << 16, Limit: 4 << 16, File: pick("", "/bin/prog", "/lib/deep.so"), BuildID: pick("", "b1"),
		})
	}
	for i := range 6 {
		p.Function = append(p.Function, &google.Function{
			ID: uint64(i + 1), Name: pick("", "a", "b", "main.main", "main.inner", "deep(int)", ".deep", "(anonymous namespace)::a(x)"),
			Filename: pick("", "a.go", "/src/deep/./b.go", "/proc/self/cwd/a.go"), StartLine: int64(number(0, 2)),
		})
	}
	for i := range 6 {
		l := &google.Location{ID: uint64(i + 1), Address: uint64(number(0, 3)<<16 + 1 + i)}
		if len(p.Mapping) > 0 && number(0, 3) > 0 {
			l.Mapping = rapid.SampledFrom(p.Mapping).Draw(t, who)
		}
		for range number(0, 3) {
			l.Line = append(l.Line, google.Line{Function: rapid.SampledFrom(p.Function).Draw(t, who), Line: int64(number(0, 2)), Column: int64(number(0, 2))})
		}
		p.Location = append(p.Location, l)
	}
	positive := number(0, 2) > 0
	for range number(0, 9) {
		s := &google.Sample{Location: rapid.SliceOfN(rapid.SampledFrom(p.Location), 0, 5).Draw(t, who)}
		for range p.SampleType {
			v := int64(rapid.SampledFrom([]int{0, 0, 1, 2, 7, 5000, -3}).Draw(t, who))
			if positive {
				v = max(v, -v)
			}
			s.Value = append(s.Value, v)
		}
		if number(0, 2) > 0 {
			s.Label = map[string][]string{pick("key", "other", "pprof::base"): {pick("one", "two", "true")}}
			if number(0, 1) > 0 {
				s.Label["key"] = []string{"one", "three"}[:number(1, 2)]
			}
		}
		if number(0, 2) > 0 {
			key, unit := pick("bytes", "request", "key"), pick("", "", "kb", "ms")
			s.NumLabel = map[string][]int64{key: []int64{int64(number(0, 3)), 2048}[:number(1, 2)]}
			if unit != "" {
				s.NumUnit = map[string][]string{key: []string{unit, pick("", "bytes")}[:len(s.NumLabel[key])]}
			}
		}
		p.Sample = append(p.Sample, s)
	}
	// pprof warns of no expression that matches a location without samples.
	p.Location = slices.DeleteFunc(p.Location, func(l *google.Location) bool {
		return !slices.ContainsFunc(p.Sample, func(s *google.Sample) bool { return slices.Contains(s.Location, l) })
	})
	return p.Copy() // as it is once written and read
}

func drawOptions(t *rapid.T) Options {
	pick := func(what string, from ...string) string {
		if rapid.IntRange(0, 4).Draw(t, what+" is set") > 0 {
			return ""
		}
		s := rapid.SampledFrom(from).Draw(t, what)
		if s == "(" && rapid.Bool().Draw(t, "no error") {
			return ""
		}
		return s
	}
	names := []string{"a", "^main", "deep", "prog", `\.go`, "^$", "nothing", ".", "one", "a|b", "main|deep", "("}
	flag := func(what string) bool { return rapid.IntRange(0, 5).Draw(t, what) == 0 }
	list := func(what string) []string {
		return strings.Split(pick(what, "key", "key,bytes", "other,,request", "nothing"), ",")
	}
	tags := []string{"one", "key:one", "o,e", "key=one,two", "key=nothing", "2", "bytes=1:", ":2kb", "1:3", "request=0", "ms", "2kb:1", "key=(", "-1:2mb", "99999999999999999999", "1ms:2kb"}
	return Options{
		SampleIndex: pick("sample_index", "0", "0", "1", "2", "cpu", "inuse_space", "samples", "-1"), Mean: flag("mean"),
		Focus: pick("focus", names...), Ignore: pick("ignore", names...), Hide: pick("hide", names...), Show: pick("show", names...),
		ShowFrom: pick("show_from", names...), PruneFrom: pick("prune_from", names...),
		TagFocus: pick("tagfocus", tags...), TagIgnore: pick("tagignore", tags...),
		TagShow: pick("tagshow", "key", "e", "base", "nothing", "("), TagHide: pick("taghide", "key", "base", "nothing", "."),
		TagRoot: list("tagroot"), TagLeaf: list("tagleaf"),
		Unit:        pick("unit", "kb", "s", "count"),
		Granularity: pick("granularity", "functions", "filefunctions", "files", "lines", "addresses"),
		ShowColumns: flag("columns"), NoInlines: flag("noinlines"), AllFrames: flag("all_frames"),
		TrimPath: pick("trim_path", "/src", "/src/deep:a"), SourcePath: pick("source_path", "/home/deep", "/home/src"),
		Normalize: flag("normalize"), RelativePercentages: flag("relative"), DivideBy: rapid.SampledFrom([]float64{0, 0, 1, 3, -2}).Draw(t, "divide"),
	}
}

// TestAnyProfileAnyOptions compares with pprof on profiles and options made at
// random: stacks, total, warnings, and the flat and cum of every node.
func TestAnyProfileAnyOptions(t *testing.T) {
	if testing.Short() {
		t.Skip("asks the second implementation of many profiles")
	}
	check := func(rt *rapid.T) {
		profiles, roles := make(map[string]*google.Profile), make(map[string]Role)
		var sources []Source
		add := func(role Role) {
			name := fmt.Sprint("p", len(profiles))
			profiles[name], roles[name] = drawProfile(rt, name, profiles["p0"]), role
			sources = append(sources, Source{Profile: read(rt, profiles[name]), Role: role})
		}
		add(Measured)
		if rapid.IntRange(0, 3).Draw(rt, "another one") == 0 {
			add(Measured)
		}
		for i := range rapid.SampledFrom([]int{0, 0, 1, 1, 2}).Draw(rt, "bases") {
			role := rapid.SampledFrom([]Role{Base, DiffBase}).Draw(rt, "role")
			if i > 0 { // in any order
				role = sources[len(sources)-1].Role
			}
			add(role)
		}
		o := drawOptions(rt)
		if sources[len(sources)-1].Role == Measured && rapid.IntRange(0, 9).Draw(rt, "no error") > 0 {
			o.Normalize = false
		}
		compare(t, rt, profiles, roles, sources, o)
	}
	for range 4 { // a hundred each
		rapid.Check(t, check)
	}
}

// compare is same, for random input, and looks at nodes, too.
func compare(t *testing.T, rt *rapid.T, profiles map[string]*google.Profile, roles map[string]Role, sources []Source, o Options) {
	raw := o
	raw.RawPaths = true
	s, err := New(sources, raw)
	if err == nil && o.Unit == "" { // in which all values print in full
		o.Unit = s.Type.Unit
		raw.Unit = o.Unit
		s, err = New(sources, raw)
	}
	unit := o.Unit
	args := arguments(o, unit, roles)
	want, wantErr := pprofs(t, profiles, args, true)
	if (err != nil) != (wantErr != nil) {
		rt.Fatalf("%s: %v, pprof: %v", said(o), err, wantErr)
	}
	if err != nil {
		return
	}
	if diff := cmp.Diff(want, ours(s, unit)); diff != "" {
		rt.Fatalf("%s (-pprof +whet):\n%s\n%s", said(o), diff, dump(profiles))
	}
	if diff := cmp.Diff(pprofSelected(rt, profiles, args), oursSelected(rt, s)); diff != "" {
		rt.Fatalf("written with %s (-pprof +whet):\n%s\n%s", said(o), diff, dump(profiles))
	}
	if s, err = New(sources, o); err != nil {
		rt.Fatal(err)
	}
	top, _, err := pprof(profiles, append([]string{"-top"}, args...)...)
	if err != nil {
		rt.Fatal(err)
	}
	if diff := cmp.Diff(rows(top), sums(s, unit)); diff != "" {
		rt.Fatalf("nodes with %s (-pprof +whet):\n%s\n%s", said(o), diff, dump(profiles))
	}
	overlap(rt, s)
	for _, p := range profiles {
		for _, m := range p.Mapping {
			if m.BuildID != "" && m.File != "/bin/prog" {
				return // a build under two names may go by either
			}
		}
	}
	o.SumsOnly = true
	quick, err := New(sources, o)
	if err != nil {
		rt.Fatal(err)
	}
	if diff := cmp.Diff(rows(top), sums(quick, unit)); diff != "" || quick.Total != s.Total {
		rt.Fatalf("sums only: total %d, want %d, nodes with %s (-pprof +whet):\n%s\n%s", quick.Total, s.Total, said(o), diff, dump(profiles))
	}
	for _, w := range quick.Warnings {
		if !slices.Contains(s.Warnings, w) { // fewer where only samples of zero match
			rt.Fatalf("sums only: %s, but otherwise %q", w, s.Warnings)
		}
	}
	overlap(rt, quick)
}

var rowOfTop = regexp.MustCompile(`(?m)^ *(\S+) +\S+ +\S+ +(\S+) +\S+  (.*?)(?: \((?:partial-)?inline\))?$`)

// rows returns the name, flat and cum of each line of pprof's top.
func rows(top string) (out []string) {
	_, table, _ := strings.Cut(top, "cum%\n")
	for _, m := range rowOfTop.FindAllStringSubmatch(table, -1) {
		out = append(out, fmt.Sprintf("%s flat %s cum %s", m[3], m[1], m[2]))
	}
	slices.Sort(out)
	return out
}

// sums adds flat and cum up by node, the plain way.
func sums(s *Selection, unit string) (out []string) {
	type cost struct{ flat, flatDivisor, cum, cumDivisor int64 }
	costs := make(map[NodeID]cost)
	for w := s.Walk(); w.Next(); {
		seen := make(map[NodeID]bool)
		for i, step := range w.Path {
			c := costs[step.Node]
			if !seen[step.Node] {
				seen[step.Node] = true
				c.cum += w.Value
				c.cumDivisor += w.Divisor
			}
			if i == len(w.Path)-1 {
				c.flat += w.Value
				c.flatDivisor += w.Divisor
			}
			costs[step.Node] = c
		}
	}
	format := func(v, divisor int64) string {
		if divisor != 0 {
			v /= divisor
		}
		if r := s.Ratio; r > 0 && r != 1 {
			v = int64(float64(v) * r)
		}
		return quantity.PprofLabel(v, s.Type.Unit, unit)
	}
	for id, c := range costs {
		if c.flat != 0 || c.cum != 0 {
			out = append(out, fmt.Sprintf("%s flat %s cum %s", printable(&s.Nodes[id]), format(c.flat, c.flatDivisor), format(c.cum, c.cumDivisor)))
		}
	}
	slices.Sort(out)
	return out
}

// overlap holds Shared to what it says, and to being worth something.
func overlap(t *rapid.T, s *Selection) {
	var before []Step
	for w := s.Walk(); w.Next(); {
		if w.Shared > len(before) || w.Shared > len(w.Path) || !slices.Equal(before[:w.Shared], w.Path[:w.Shared]) {
			t.Fatalf("%d steps of %v are not those of %v", w.Shared, w.Path, before)
		}
		before = slices.Clone(w.Path)
	}
}

// dump returns what a failure is about.
func dump(profiles map[string]*google.Profile) (out string) {
	for _, name := range slices.Sorted(maps.Keys(profiles)) {
		out += name + ":\n" + profiles[name].String()
	}
	return out
}
