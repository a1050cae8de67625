package view

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	google "github.com/google/pprof/profile"

	"whet/internal/analyze/callgraph"
	"whet/internal/analyze/selection"
	"whet/internal/callstack"
	"whet/internal/format/profile"
)

// profiles are real ones, with the reader's tests.
const profiles = "../../format/profile/testdata"

// fixture is a profile as both implementations have read it, and another of
// the same kind that it can be compared with.
type fixture struct {
	ours, ourBase  *callstack.Profile
	theirs         *google.Profile
	data, baseData []byte
	number         int // by which the pprof program knows it; 0: it does not yet
}

// readFixture reads a fixture. The base is made from it: every third sample is
// missing there, and every fifth weighs double, so that a difference has
// samples that came, cancel and went.
func readFixture(t testing.TB, name string) *fixture {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(profiles, name))
	if err != nil {
		t.Fatal(err)
	}
	g, err := google.ParseData(data)
	if err != nil {
		t.Fatal(err)
	}
	return newSubject(t, g, data)
}

func newSubject(t testing.TB, g *google.Profile, data []byte) *fixture {
	t.Helper()
	s := &fixture{ours: readOurs(t, data), theirs: g, data: data}
	base := g.Copy()
	kept := base.Sample[:0]
	for i, sample := range base.Sample {
		if i%3 == 0 {
			continue
		}
		if i%5 == 0 {
			for v := range sample.Value {
				sample.Value[v] *= 2
			}
		}
		kept = append(kept, sample)
	}
	base.Sample = kept
	var b bytes.Buffer
	if err := base.Write(&b); err != nil {
		t.Fatal(err)
	}
	s.baseData = b.Bytes()
	s.ourBase = readOurs(t, s.baseData)
	return s
}

func readOurs(t testing.TB, data []byte) *callstack.Profile {
	t.Helper()
	p, err := profile.Read(bytes.NewReader(data), int64(len(data)), profile.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	p.Warnings = nil
	return p
}

// optionSet is a set of options to test together.
type optionSet struct {
	selection.Options
	base         selection.Role // Base or DiffBase: compared with the subject's base
	cum          bool
	nodeCount    int // 0: the view's own
	nodeFraction float64
	edgeFraction float64
	untrimmed    bool
	compact      bool
	callTree     bool // of -dot
}

// options returns the options of a graph, given the view's own.
func (a *optionSet) graph(o callgraph.Options) callgraph.Options {
	o.Cum, o.Unit, o.CallTree = a.cum, a.Unit, a.callTree
	if a.nodeCount > 0 {
		o.NodeCount = a.nodeCount
	}
	if a.nodeFraction > 0 {
		o.NodeFraction = a.nodeFraction
	}
	if a.edgeFraction > 0 {
		o.EdgeFraction = a.edgeFraction
	}
	if a.untrimmed {
		o = o.Untrimmed()
	}
	return o
}

// view returns the options of the text.
func (a *optionSet) view() Options {
	var filters []string
	for _, f := range a.filters() {
		if f[1] != "" {
			filters = append(filters, f[0]+"="+f[1])
		}
	}
	return Options{Unit: a.Unit, Compact: a.compact, Filters: filters, Zone: time.Local}
}

func (a *optionSet) filters() [][2]string {
	return [][2]string{
		{"focus", a.Focus}, {"ignore", a.Ignore}, {"hide", a.Hide}, {"show", a.Show}, {"show_from", a.ShowFrom},
		{"tagfocus", a.TagFocus}, {"tagignore", a.TagIgnore}, {"tagshow", a.TagShow}, {"taghide", a.TagHide},
	}
}

// selection returns what whet selects.
func (s *fixture) selection(t testing.TB, a *optionSet) *selection.Selection {
	t.Helper()
	sources := []selection.Source{{Profile: s.ours}}
	if a.base != selection.Measured {
		sources = append(sources, selection.Source{Profile: s.ourBase, Role: a.base})
	}
	sel, err := selection.New(sources, a.Options)
	if err != nil {
		t.Fatal(err)
	}
	sel.Warnings = nil
	return sel
}

// pprof asks the pprof program and returns what it prints. Every option is named:
// pprof keeps them for the next run in a process.
func (s *fixture) pprof(command string, a *optionSet) (string, error) {
	or := func(v, instead string) string {
		if v == "" {
			return instead
		}
		return v
	}
	number := func(v, instead float64) float64 {
		if v == 0 {
			return instead
		}
		return v
	}
	sort := "-flat"
	if a.cum {
		sort = "-cum"
	}
	count := a.nodeCount
	if count == 0 {
		count = -1
	}
	args := []string{
		command, sort, "-output=out", "-symbolize=none", "-unit=" + or(a.Unit, "minimum"), fmt.Sprint("-trim=", !a.untrimmed), fmt.Sprint("-call_tree=", a.callTree),
		"-" + or(a.Granularity, "functions"), "-sample_index=" + a.SampleIndex, fmt.Sprint("-mean=", a.Mean),
		fmt.Sprint("-nodecount=", count), fmt.Sprint("-nodefraction=", number(a.nodeFraction, 0.005)), fmt.Sprint("-edgefraction=", number(a.edgeFraction, 0.001)),
		"-prune_from=" + a.PruneFrom, "-tagroot=" + strings.Join(a.TagRoot, ","), "-tagleaf=" + strings.Join(a.TagLeaf, ","),
		fmt.Sprint("-showcolumns=", a.ShowColumns), fmt.Sprint("-noinlines=", a.NoInlines), fmt.Sprint("-all_frames=", a.AllFrames),
		fmt.Sprint("-relative_percentages=", a.RelativePercentages), fmt.Sprint("-normalize=", a.Normalize), fmt.Sprint("-drop_negative=", a.DropNegative),
		fmt.Sprint("-divide_by=", number(a.DivideBy, 1)), "-trim_path=" + a.TrimPath, "-source_path=" + a.SourcePath,
		fmt.Sprint("-compact_labels=", a.compact),
	}
	for _, f := range a.filters() {
		args = append(args, "-"+f[0]+"="+f[1])
	}
	switch a.base {
	case selection.Base:
		args = append(args, "-base=base")
	case selection.DiffBase:
		args = append(args, "-diff_base=base")
	}
	return s.ask(append(args, "measured"))
}

// fixtures returns the profiles that pprof reads.
func fixtures(t testing.TB) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(profiles, "*.pb.gz"))
	if err != nil || len(names) < 8 {
		t.Fatalf("%d fixtures: %v", len(names), err)
	}
	for i := range names {
		names[i] = filepath.Base(names[i])
	}
	return names
}
