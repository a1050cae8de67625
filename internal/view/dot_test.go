package view

import (
	"bytes"
	"flag"
	"fmt"
	"io"
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
//	                          and the order of their edges; whet's is always the same
//	names with quotes         pprof writes tags, files and the title as they are, so that a
//	                          quote or a backslash in them makes a file that Graphviz
//	                          refuses; whet escapes them
//	names with controls       whet's legend has escapes in their place
//
// The first two are undone before comparing; the others have a test below.
func sameDOT(t *testing.T, source *selection.Source, g *google.Profile, c choice) {
	t.Helper()
	text := theirDOT(t, g, flagsOf(c.flags)...)
	want := slices.DeleteFunc(strings.SplitAfter(text, "\n"), func(l string) bool { return strings.Contains(l, " -> N0 [") })
	v := ourGraph(t, source, c)
	var b bytes.Buffer
	if err := v.WriteDOT(&b); err != nil {
		t.Fatal(err)
	}
	got := strings.SplitAfter(b.String(), "\n")
	names := make(map[string]bool)
	for _, n := range v.Nodes {
		names[n.Name] = true
	}
	if len(names) < len(v.Nodes) {
		want, got = withoutNumbers(want), withoutNumbers(got)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%v (-pprof +whet):\n%.4000s", c.flags, diff)
	}
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
}

var dotFixtures = []string{
	"compile_stdcmd_merged.cpu.pb.gz", "httpsrv_labels.cpu.pb.gz", "http.heap.pb.gz", "http.allocs.pb.gz",
	"http.block.pb.gz", "http.mutex.pb.gz", "http.goroutine.pb.gz", "goroutine_1k.pb.gz",
}

func TestDOTIsThatOfPprof(t *testing.T) {
	for _, name := range dotFixtures {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("../format/profile/testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			source, g := readBoth(t, data)
			for _, c := range choices {
				sameDOT(t, source, g, c)
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
