package view

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/driver"
	google "github.com/google/pprof/profile"

	"whet/internal/analyze/callgraph"
	"whet/internal/analyze/selection"
	"whet/internal/format/profile"
)

// theirDOT runs the pprof program in this process and returns the graph it
// writes.
func theirDOT(t *testing.T, p *google.Profile, args ...string) string {
	t.Helper()
	out := &dotFile{}
	set := &dotFlags{FlagSet: flag.NewFlagSet("pprof", flag.ContinueOnError)}
	set.SetOutput(io.Discard)
	set.args = append(append([]string{"-dot"}, args...), "-output=out", "-symbolize=none", "fixture")
	err := driver.PProf(&driver.Options{Flagset: set, Fetch: dotFetcher{p}, Writer: out, UI: dotUI{}, Obj: dotNoTools{}})
	if err != nil {
		t.Fatalf("pprof %v: %v", args, err)
	}
	return out.String()
}

type dotFile struct{ bytes.Buffer }

func (m *dotFile) Open(string) (io.WriteCloser, error) { return m, nil }
func (m *dotFile) Close() error                        { return nil }

type dotFetcher struct{ p *google.Profile }

func (f dotFetcher) Fetch(string, time.Duration, time.Duration) (*google.Profile, string, error) {
	return f.p.Copy(), "", nil
}

type dotFlags struct {
	*flag.FlagSet
	args []string
}

func (f *dotFlags) ExtraUsage() string   { return "" }
func (f *dotFlags) AddExtraUsage(string) {}
func (f *dotFlags) StringList(name, def, usage string) *[]*string {
	return &[]*string{f.String(name, def, usage)}
}
func (f *dotFlags) Parse(func()) []string {
	if err := f.FlagSet.Parse(f.args); err != nil {
		panic(err) // the test named a flag that pprof does not have
	}
	return f.Args()
}

type dotUI struct{}

func (dotUI) ReadLine(string) (string, error)     { return "", io.EOF }
func (dotUI) Print(...any)                        {}
func (dotUI) PrintErr(...any)                     {}
func (dotUI) IsTerminal() bool                    { return false }
func (dotUI) WantBrowser() bool                   { return false }
func (dotUI) SetAutoComplete(func(string) string) {}

// dotNoTools spares pprof the search for objdump and the like.
type dotNoTools struct{}

func (dotNoTools) Open(string, uint64, uint64, uint64, string) (driver.ObjFile, error) {
	return nil, io.EOF
}
func (dotNoTools) Disasm(string, uint64, uint64, bool) ([]driver.Inst, error) { return nil, io.EOF }

// choice is one way to draw a graph, in our options and in pprof's.
type choice struct {
	selection selection.Options
	graph     func(*callgraph.Options)
	unit      string
	filters   []string
	flags     []string
}

// defaults are all flags that a choice may set: pprof keeps them for the next
// run in a process.
var defaults = []string{
	"-sample_index=", "-nodecount=-1", "-nodefraction=0.005", "-edgefraction=0.001", "-call_tree=false", "-trim=true", "-unit=minimum",
	"-divide_by=1", "-mean=false", "-functions", "-noinlines=false", "-drop_negative=false", "-normalize=false",
	"-relative_percentages=false", "-focus=", "-ignore=", "-hide=", "-show=", "-show_from=", "-tagfocus=", "-tagignore=", "-tagshow=",
	"-taghide=", "-tagroot=", "-tagleaf=",
}

// flagsOf returns all defaults but for what a choice sets.
func flagsOf(flags []string) []string {
	out := slices.Clone(defaults)
	for _, f := range flags {
		name, _, valued := strings.Cut(f, "=")
		i := slices.IndexFunc(out, func(d string) bool { return valued && strings.HasPrefix(d, name+"=") || !valued && d == "-functions" })
		if i < 0 {
			panic("no default of " + f)
		}
		out[i] = f
	}
	return out
}

func readBoth(t *testing.T, data []byte) (*selection.Source, *google.Profile) {
	t.Helper()
	g, err := google.ParseData(data)
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.ReadPacked(bytes.NewReader(data), int64(len(data)), profile.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	return &selection.Source{Profile: p}, g
}

func ourGraph(t *testing.T, source *selection.Source, c choice) *Graph {
	t.Helper()
	s, err := selection.New([]selection.Source{*source}, c.selection)
	if err != nil {
		t.Fatal(err)
	}
	o := callgraph.ForPicture()
	if c.graph != nil {
		c.graph(&o)
	}
	o.Unit = c.unit
	return NewGraph(s, o, Options{Unit: c.unit, Filters: c.filters, Zone: time.Local})
}

// What differs from pprof on purpose, or cannot be compared:
//
//	edges to N0               pprof writes calls of nodes that it does not draw, as their
//	                          values cancel or round to nothing, to a node 0 that is none
//	                          of the profile's; whet leaves them out
//	nodes of equal names      pprof leaves their order to chance (files of which several
//	                          functions have nodes; call trees), and with it their numbers
//	                          and the order of their edges; so it does with which of them
//	                          are shown where they rank alike, and with which of two edges
//	                          that make each other redundant goes; whet's choice is always
//	                          the same
//	weights of opposite sign  as large as each other: likewise, in the order of edges
//	names with quotes         pprof writes tags, files and the title as they are, so that a
//	                          quote or a backslash in them makes a file that Graphviz
//	                          refuses; whet escapes them
//	names with controls       whet has escapes in their place
//
// The first three are undone before comparing; where pprof differs from itself
// all the same, the legend and the number of nodes are compared. The others have a test below.
func sameDOT(t *testing.T, source *selection.Source, g *google.Profile, c choice) {
	t.Helper()
	theirs := func() []string {
		lines := strings.SplitAfter(theirDOT(t, g, flagsOf(c.flags)...), "\n")
		return slices.DeleteFunc(lines, func(l string) bool { return strings.Contains(l, " -> N0 [") })
	}
	want := theirs()
	v := ourGraph(t, source, c)
	var b bytes.Buffer
	if err := v.WriteDOT(&b); err != nil {
		t.Fatal(err)
	}
	got := strings.SplitAfter(b.String(), "\n")
	names, weights, chance := make(map[string]bool), make(map[int64]bool), false
	for _, n := range v.Nodes {
		chance = chance || names[n.Name]
		names[n.Name] = true
	}
	for _, e := range v.Edges {
		chance = chance || weights[-e.Weight] && e.Weight != 0
		weights[e.Weight] = true
	}
	if chance {
		want, got = withoutNumbers(want), withoutNumbers(got)
		for range 3 {
			if again := withoutNumbers(theirs()); !slices.Equal(want, again) {
				want, got = heads(want), heads(got) // chance has a say in what is drawn, too
				break
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%v (-pprof +whet):\n%.4000s", c.flags, diff)
	}
}

// heads are the legend and, for each node, nothing but that it is there.
func heads(lines []string) []string {
	var out []string
	for _, l := range lines {
		switch {
		case strings.HasPrefix(l, "subgraph"):
			out = append(out, l)
		case strings.Contains(l, "> [label=") && !strings.Contains(l, "> -> N"):
			out = append(out, "node")
		}
	}
	return out
}

var nodeNumber = regexp.MustCompile(`\b(N+|node)(\d+)(?:_|\b)`)

// withoutNumbers replaces the numbers of nodes by what is said of the nodes,
// and sorts the lines.
func withoutNumbers(lines []string) []string {
	said := make(map[string]string)
	for _, l := range lines {
		if m := regexp.MustCompile(`^N(\d+) \[(.*)\]`).FindStringSubmatch(l); m != nil {
			said[m[1]] = nodeNumber.ReplaceAllString(m[2], "")
		}
	}
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = nodeNumber.ReplaceAllStringFunc(l, func(s string) string {
			m := nodeNumber.FindStringSubmatch(s)
			return m[1] + "<" + said[m[2]] + ">"
		})
	}
	slices.Sort(out)
	return out
}

// choices are the ways to draw any profile.
var choices = []choice{
	{},
	{flags: []string{"-nodecount=12"}, graph: func(o *callgraph.Options) { o.NodeCount = 12 }},
	{flags: []string{"-nodecount=300", "-nodefraction=0", "-edgefraction=0"}, graph: func(o *callgraph.Options) { o.NodeCount, o.NodeFraction, o.EdgeFraction = 300, 0, 0 }},
	{flags: []string{"-nodefraction=0.05", "-edgefraction=0.02"}, graph: func(o *callgraph.Options) { o.NodeFraction, o.EdgeFraction = 0.05, 0.02 }},
	{flags: []string{"-trim=false"}, graph: func(o *callgraph.Options) { *o = o.Untrimmed() }},
	{flags: []string{"-call_tree=true", "-nodecount=30"}, graph: func(o *callgraph.Options) { o.CallTree, o.NodeCount = true, 30 }},
	{flags: []string{"-lines", "-nodecount=40"}, selection: selection.Options{Granularity: "lines"}, graph: func(o *callgraph.Options) { o.NodeCount = 40 }},
	{flags: []string{"-files"}, selection: selection.Options{Granularity: "files"}},
	{flags: []string{"-filefunctions"}, selection: selection.Options{Granularity: "filefunctions"}},
	{flags: []string{"-addresses", "-nodecount=50"}, selection: selection.Options{Granularity: "addresses"}, graph: func(o *callgraph.Options) { o.NodeCount = 50 }},
	{flags: []string{"-noinlines=true"}, selection: selection.Options{NoInlines: true}},
	{flags: []string{"-mean=true"}, selection: selection.Options{Mean: true}},
	{flags: []string{"-divide_by=7"}, selection: selection.Options{DivideBy: 7}},
	{flags: []string{"-call_tree=true", "-nodecount=25", "-lines", "-trim=true"}, selection: selection.Options{Granularity: "lines"}, graph: func(o *callgraph.Options) { o.CallTree, o.NodeCount = true, 25 }},
	{flags: []string{"-focus=json|sync|alloc"}, selection: selection.Options{Focus: "json|sync|alloc"}, filters: []string{"focus=json|sync|alloc"}},
	{flags: []string{"-focus=json|sync|alloc", "-relative_percentages=true"}, selection: selection.Options{Focus: "json|sync|alloc", RelativePercentages: true}, filters: []string{"focus=json|sync|alloc"}},
	{flags: []string{"-ignore=runtime", "-hide=net"}, selection: selection.Options{Ignore: "runtime", Hide: "net"}, filters: []string{"ignore=runtime", "hide=net"}},
	{flags: []string{"-tagroot=endpoint,bytes", "-nodecount=20"}, selection: selection.Options{TagRoot: []string{"endpoint", "bytes"}}, graph: func(o *callgraph.Options) { o.NodeCount = 20 }},
	{flags: []string{"-tagleaf=endpoint", "-taghide=bytes"}, selection: selection.Options{TagLeaf: []string{"endpoint"}, TagHide: "bytes"}, filters: []string{"taghide=bytes"}},
}

var dotFixtures = []string{
	"compile_stdcmd_merged.cpu.pb.gz", "httpsrv_labels.cpu.pb.gz", "http.heap.pb.gz", "http.allocs.pb.gz",
	"http.block.pb.gz", "http.mutex.pb.gz", "http.goroutine.pb.gz", "goroutine_1k.pb.gz",
}

func TestDOTIsThatOfPprof(t *testing.T) {
	for f, name := range dotFixtures {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("../format/profile/testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			source, g := readBoth(t, data)
			for i, c := range choices {
				if i == 0 || (i+f)%4 == 0 { // every choice on two fixtures; on the odd profile below all
					sameDOT(t, source, g, c)
				}
			}
			for i, st := range g.SampleType {
				c := choice{flags: []string{fmt.Sprint("-sample_index=", i)}, selection: selection.Options{SampleIndex: fmt.Sprint(i)}}
				sameDOT(t, source, g, c)
				if st.Unit == "nanoseconds" || st.Unit == "bytes" {
					unit := map[string]string{"nanoseconds": "ms", "bytes": "kb"}[st.Unit]
					c.unit, c.flags = unit, append(c.flags, "-unit="+unit)
					sameDOT(t, source, g, c)
				}
			}
		})
	}
}

// odd is a profile of what real ones here do not have: names of other
// languages, numbers in groups, values below zero, recursion, locations without
// lines.
func odd(t *testing.T) []byte {
	t.Helper()
	names := []string{
		"main.main", "github.com/some/module/v2/pkg/sub.(*Type[...]).Method", "gopkg.in/yaml.v3.Unmarshal", "example.com/a-b/c.d/v10.F.func1.2",
		"com.example.deep.Class$Inner.method(int)", "com.example.Class.<init>", "(anonymous namespace)::Space::Class::~method<int>", "ns::inner::Klass::call",
		"pkg.Generic[github.com/x/y.T]", "plain", "v2/v3.v4", "",
	}
	p := &google.Profile{
		SampleType: []*google.ValueType{{Type: "events", Unit: "count"}, {Type: "space", Unit: "bytes"}},
		Mapping:    []*google.Mapping{{ID: 1, Start: 0x1000, Limit: 0x90000, File: "/usr/bin/odd one", BuildID: "abc"}},
		Comments:   []string{"#hidden", "shown"}, DocURL: "https://example.com/doc", TimeNanos: 1_700_000_000_000_000_000, DurationNanos: 3_456_000_000,
	}
	var locations []*google.Location
	for i, n := range names {
		f := &google.Function{ID: uint64(i + 1), Name: n, SystemName: n, Filename: fmt.Sprintf("/src/dir/file%d.go", i%5), StartLine: int64(i)}
		p.Function = append(p.Function, f)
		l := &google.Location{ID: uint64(i + 1), Mapping: p.Mapping[0], Address: uint64(0x1000 + 16*i), Line: []google.Line{{Function: f, Line: int64(10 + i)}}}
		if i%4 == 3 { // a call that is inlined into main
			l.Line = append(l.Line, google.Line{Function: p.Function[0], Line: 77})
		}
		locations = append(locations, l)
	}
	locations = append(locations, &google.Location{ID: 50, Mapping: p.Mapping[0], Address: 0x8000}, &google.Location{ID: 51, Address: 0x99999})
	p.Location = locations
	rng := rand.New(rand.NewPCG(5, 5))
	for i := range 300 {
		s := &google.Sample{Value: []int64{1 + rng.Int64N(5), (rng.Int64N(40) - 6) * 100_000}}
		for range 1 + rng.IntN(7) {
			s.Location = append(s.Location, locations[rng.IntN(len(locations))])
		}
		s.Location = append(s.Location, locations[0])
		if i%2 == 0 {
			s.NumLabel = map[string][]int64{"bytes": {1 << rng.IntN(24)}, "other": {7}}
		}
		if i%3 == 0 {
			s.Label = map[string][]string{"key": {fmt.Sprint("value", rng.IntN(7))}, "user": {"name"}}
		}
		p.Sample = append(p.Sample, s)
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestDOTOfOddProfilesIsThatOfPprof(t *testing.T) {
	source, g := readBoth(t, odd(t))
	for _, c := range choices {
		sameDOT(t, source, g, c)
		c.flags = append([]string{"-sample_index=0"}, c.flags...)
		c.selection.SampleIndex = "0"
		sameDOT(t, source, g, c)
		c.selection.DropNegative, c.selection.SampleIndex = true, "1"
		c.flags = append([]string{"-sample_index=1", "-drop_negative=true"}, c.flags[1:]...)
		sameDOT(t, source, g, c)
	}
}

func TestDOTOfNamesThatWouldEndAString(t *testing.T) {
	_, g := readBoth(t, odd(t))
	bad := `end" ] injected [label="\`
	for _, f := range g.Function {
		f.Name, f.Filename = bad, "/dir/"+bad
	}
	g.Mapping[0].File = "/bin/" + bad + "\x1b[31m"
	for _, s := range g.Sample {
		s.Label = map[string][]string{"key": {bad}}
	}
	var b bytes.Buffer
	if err := g.Write(&b); err != nil {
		t.Fatal(err)
	}
	source, _ := readBoth(t, b.Bytes())
	for _, grain := range []string{"functions", "files", "lines"} {
		var out bytes.Buffer
		if err := ourGraph(t, source, choice{selection: selection.Options{Granularity: grain}}).WriteDOT(&out); err != nil {
			t.Fatal(err)
		}
		rest := regexp.MustCompile(`"(?:[^"\\]|\\.)*"`).ReplaceAllString(out.String(), "") // all strings taken out
		if strings.Contains(rest, "injected") || strings.ContainsAny(rest, `"\`) || strings.Contains(out.String(), "\x1b") {
			t.Errorf("%s: outside of strings:\n%.2000s", grain, rest)
		}
	}
}
