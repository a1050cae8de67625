package flamegraph

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"whet/internal/analyze/selection"
	"whet/internal/callstack"
)

// sample is a written out, its path from the root.
type sample struct {
	path  []string
	value int64
}

// selectionOf packs samples; a name may be "a+b": b inlined into a.
func selectionOf(t interface{ Fatal(...any) }, samples []sample) *selection.Selection {
	b := callstack.NewBuilder(callstack.ValueType{Type: "cpu", Unit: "nanoseconds"})
	for _, s := range samples {
		var leafFirst []callstack.LocationID
		for _, place := range slices.Backward(s.path) {
			var lines []callstack.SourceLine
			for _, name := range slices.Backward(strings.Split(place, "+")) {
				f := b.Function(callstack.Function{Name: name, File: name + ".go", Start: 7})
				lines = append(lines, callstack.SourceLine{Function: f, Line: 10})
			}
			leafFirst = append(leafFirst, b.Location(callstack.NoMapping, 0, false, lines...))
		}
		b.Add(leafFirst, nil, s.value)
	}
	s, err := selection.New([]selection.Source{{Profile: b.Profile()}}, selection.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// lines prints a tree for comparison: indented names with values.
func (g *Graph) lines() []string {
	if g == nil {
		return nil
	}
	depth := make([]int, len(g.Nodes))
	var out []string
	for i, n := range g.Nodes {
		if n.Parent >= 0 {
			depth[i] = depth[n.Parent] + 1
		}
		name := g.Frames[n.Frame].Name
		if n.Collapsed > 0 {
			name = fmt.Sprintf("(%d frames)", n.Collapsed)
		}
		line := fmt.Sprintf("%s%s %d", strings.Repeat(" ", depth[i]), name, n.Value)
		if n.Base != 0 {
			line += fmt.Sprintf(" against %d", n.Base)
		}
		out = append(out, line)
	}
	return out
}

func want(t *testing.T, g *Graph, err error, lines ...string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(lines, g.lines()); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

func path(names ...string) []string { return names }

func TestByHand(t *testing.T) {
	s := selectionOf(t, []sample{
		{path("main", "b+c"), 3},
		{path("main", "a"), 5},
		{path("main", "b"), 4},
		{path("main", "b", "c", "b"), 2}, // recursion
		{path("other"), 1},
		{nil, 7},
		{path("main", "a"), 0},
	})
	o := DefaultOptions()
	g, err := Build(s, o)
	want(t, g, err, "all 22", " (no stack) 7", " main 14", "  a 5", "  b 9", "   c 5", "    b 2", " other 1")
	if f := g.Frames[g.Nodes[2].Frame]; f != (Frame{Name: "main", File: "main.go", Line: 7}) {
		t.Errorf("main is %+v", f)
	}
	if g.Differential || g.Estimated || g.Scale != 1 || g.Parts != o.Parts || len(g.Warnings) != 0 || g.Type.Type != "cpu" {
		t.Errorf("%+v", g)
	}
	o.ByValue = true
	g, err = Build(s, o)
	want(t, g, err, "all 22", " main 14", "  b 9", "   c 5", "    b 2", "  a 5", " (no stack) 7", " other 1")
	o.ByValue, o.Reversed = false, true
	g, err = Build(s, o)
	want(t, g, err, "all 22", " (no stack) 7", " a 5", "  main 5", " b 6", "  c 2", "   b 2", "    main 2", "  main 4", " c 3", "  b 3", "   main 3", " other 1")
	o.Reversed = false
	p, err := Sandwich(s, "b", func(name string) bool { return name == "b" }, o)
	want(t, p.Callers, err, "b 9", " main 9")
	want(t, p.Callees, err, "b 9", " c 5", "  b 2")
	p, err = Sandwich(s, "c", func(name string) bool { return name == "c" }, o)
	want(t, p.Callers, err, "c 5", " b 5", "  main 5")
	want(t, p.Callees, err, "c 5", " b 2")
	if p, err = Sandwich(s, "none", func(string) bool { return false }, o); p.Callers != nil || p.Callees != nil || err != nil {
		t.Errorf("a sandwich of nothing: %+v, %v", p, err)
	}
	if g, err := Build(selectionOf(t, []sample{{path("a"), 0}}), o); g != nil || err != nil {
		t.Errorf("a graph of nothing: %v, %v", g.lines(), err)
	}
	o.File = strings.ToUpper
	if g, _ = Build(s, o); g.Frames[g.Nodes[2].Frame].File != "MAIN.GO" {
		t.Errorf("files %+v", g.Frames)
	}
}

func TestDiffByHand(t *testing.T) {
	before := selectionOf(t, []sample{{path("main", "gone"), 30}, {path("main", "less"), 40}, {path("main", "same"), 30}})
	after := selectionOf(t, []sample{{path("main", "same"), 30}, {path("main", "less"), 10}, {path("main", "new"), 10}})
	o := DefaultOptions()
	g, err := Diff(before, after, o)
	want(t, g, err, "all 50 against 100", " main 50 against 100", "  gone 0 against 30", "  less 10 against 40", "  new 10", "  same 30 against 30")
	o.Normalize = true
	g, err = Diff(before, after, o)
	want(t, g, err, "all 50 against 100", " main 50 against 100", "  gone 0 against 30", "  less 10 against 40", "  new 10", "  same 30 against 30")
	if g.Scale != 0.5 || g.Change(&g.Nodes[0]) != 0 || g.Change(&g.Nodes[5]) != 15 || g.Weight(&g.Nodes[2]) != 15 || !g.Differential {
		t.Errorf("scale %g, changes %g and %g", g.Scale, g.Change(&g.Nodes[0]), g.Change(&g.Nodes[5]))
	}
	// Within one selection, what is negative stands against the rest.
	g, err = Build(selectionOf(t, []sample{{path("a", "b"), -3}, {path("a", "c"), 2}}), DefaultOptions())
	want(t, g, err, "all 2 against 3", " a 2 against 3", "  b 0 against 3", "  c 2")
	if !g.Differential || len(g.Warnings) != 1 || !strings.Contains(g.Warnings[0], "1 samples are negative") {
		t.Errorf("%v, warnings %q", g.Differential, g.Warnings)
	}
}

func TestCollapses(t *testing.T) {
	// 1/20,000 of 20,001,000 is 1,000.05: 1,000 is below it, 1,001 not.
	s := selectionOf(t, []sample{
		{path("main", "wide"), 20_001_000 - 1000 - 1001 - 3},
		{path("main", "narrow", "under", "under2"), 1000},
		{path("main", "enough"), 1001},
		{path("main", "n2"), 3},
	})
	for _, plain := range []int{plainSteps, 0} {
		g, err := built(s, DefaultOptions(), plain)
		want(t, g, err, "all 20001000", " main 20001000", "  enough 1001", "  wide 19998996", "  (4 frames) 1003")
	}
	// A frame of exactly 1/20,000 is drawn.
	s = selectionOf(t, []sample{{path("a"), 20_000_000 - 1000 - 999}, {path("b"), 1000}, {path("c"), 999}})
	g, err := Build(s, DefaultOptions())
	want(t, g, err, "all 20000000", " a 19998001", " b 1000", " (1 frames) 999")
	o := DefaultOptions()
	o.Parts = 0
	g, err = Build(s, o)
	want(t, g, err, "all 20000000", " a 19998001", " b 1000", " c 999")
}

// built builds with the sketch where there are more than plain steps.
func built(s *selection.Selection, o Options, plain int) (*Graph, error) {
	b := newBuilder(s, o)
	b.plain = plain
	b.value = b.orient(selected(b.names, s))
	return b.build()
}

func TestBounds(t *testing.T) {
	if testing.Short() {
		t.Skip("asks the second implementation of many profiles")
	}
	var deep []string
	for i := range 2000 {
		deep = append(deep, fmt.Sprintf("f%d", i))
	}
	o := DefaultOptions()
	g, err := Build(selectionOf(t, []sample{{deep, 10}}), o)
	if err != nil {
		t.Fatal(err)
	}
	if last := g.Nodes[len(g.Nodes)-1]; len(g.Nodes) != 1+o.MaxDepth+1 || last.Collapsed != int64(2000-o.MaxDepth) || last.Value != 10 {
		t.Errorf("%d nodes, the last is %+v", len(g.Nodes), last)
	}
	// 150 towers of 500 frames, each wide enough to draw: 75,000.
	var samples []sample
	for i := range 150 {
		var frames []string
		for d := range 500 {
			frames = append(frames, fmt.Sprintf("f%d_%d", i, d))
		}
		samples = append(samples, sample{frames, int64(100 + i)})
	}
	o.MaxNodes = 50_000
	g, err = Build(selectionOf(t, samples), o)
	if err != nil {
		t.Fatal(err)
	}
	frames := int64(0)
	for _, n := range g.Nodes[1:] {
		frames += max(n.Collapsed, 1)
	}
	if len(g.Nodes) > o.MaxNodes+1 || frames != 75_000 || g.Parts >= o.Parts {
		t.Errorf("%d nodes for %d frames, parts %d", len(g.Nodes), frames, g.Parts)
	}
	for _, bad := range []Options{{Parts: -1, MaxDepth: 1, MaxNodes: 2}, {}, {MaxDepth: 10, MaxNodes: 10}, {MaxDepth: 1, MaxNodes: math.MaxInt}} {
		if _, err := Build(selectionOf(t, samples[:1]), bad); err == nil {
			t.Errorf("%+v is valid", bad)
		}
	}
}

// Means do not add up, and values are divided when they are printed.
func TestMeanAndRatio(t *testing.T) {
	b := callstack.NewBuilder(callstack.ValueType{Type: "contentions", Unit: "count"}, callstack.ValueType{Type: "delay", Unit: "nanoseconds"})
	f := b.Function(callstack.Function{Name: "f"})
	b.Add([]callstack.LocationID{b.Location(callstack.NoMapping, 0, false, callstack.SourceLine{Function: f})}, nil, 4, 100)
	s, err := selection.New([]selection.Source{{Profile: b.Profile()}}, selection.Options{SampleIndex: "delay", Mean: true, DivideBy: 8})
	if err != nil {
		t.Fatal(err)
	}
	g, err := Build(s, DefaultOptions())
	want(t, g, err, "all 100", " f 100")
	if len(g.Warnings) != 1 || !strings.Contains(g.Warnings[0], "sums of delay/nanoseconds") || g.Ratio != 0.125 {
		t.Errorf("warnings %q, ratio %g", g.Warnings, g.Ratio)
	}
}

func TestHuge(t *testing.T) {
	var samples []sample
	for i := range 9 {
		samples = append(samples, sample{path(fmt.Sprint("f", i)), math.MaxInt64})
	}
	samples = append(samples, sample{path("min"), math.MinInt64})
	g, err := Build(selectionOf(t, samples), DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	if root := g.Nodes[0]; root.Value <= 0 || bits.Len64(uint64(root.Value+root.Base)) > 62 || len(g.Nodes) != 11 || len(g.Warnings) != 3 {
		t.Errorf("root %+v, %d nodes, warnings %q", root, len(g.Nodes), g.Warnings)
	}
	conserves(t, g)
}

// conserves holds a graph to its contract: parents first, children never more
// than their parent, blocks without children, siblings in order.
func conserves(t interface{ Fatalf(string, ...any) }, g *Graph) {
	if g.Nodes[0].Parent != -1 {
		t.Fatalf("node 0 is not the root: %+v", g.Nodes[0])
	}
	value, base := make([]int64, len(g.Nodes)), make([]int64, len(g.Nodes))
	last := make([]string, len(g.Nodes)) // name of the child before
	for i, n := range g.Nodes[1:] {
		if n.Parent < 0 || int(n.Parent) > i || g.Nodes[n.Parent].Collapsed > 0 {
			t.Fatalf("node %d has the parent %d", i+1, n.Parent)
		}
		value[n.Parent] += n.Value
		base[n.Parent] += n.Base
		name := g.Frames[n.Frame].Name
		if last[n.Parent] == "(block)" || n.Collapsed == 0 && name <= last[n.Parent] {
			t.Fatalf("%q follows %q below one parent", name, last[n.Parent])
		}
		if last[n.Parent] = name; n.Collapsed > 0 {
			last[n.Parent] = "(block)"
		}
	}
	for i, n := range g.Nodes {
		if value[i] > n.Value || base[i] > n.Base {
			t.Fatalf("children of node %d hold %d against %d, it holds %d against %d", i, value[i], base[i], n.Value, n.Base)
		}
	}
}

// separator stands between the names of a path.
const separator = "\x00"

// reference is what a flame graph is, in the plainest way: sums by path.
func reference(samples []sample, side int, sums map[string]sides, orient func([]string) []string) {
	for _, s := range samples {
		var names []string
		for _, place := range s.path {
			names = append(names, strings.Split(place, "+")...)
		}
		if len(names) == 0 {
			names = []string{noStackName}
		}
		v := sidesOf(s.value, side)
		if v == (sides{}) {
			continue
		}
		at := ""
		have := sums[at]
		have.plus(v)
		sums[at] = have
		for _, name := range orient(names) {
			at += separator + name
			have := sums[at]
			have.plus(v)
			sums[at] = have
		}
	}
}

// against compares a graph with the reference: every frame drawn has its sums,
// everything narrow is collapsed, and every frame is drawn or counted.
func against(t interface{ Fatalf(string, ...any) }, g *Graph, sums map[string]sides, parts int) {
	if g == nil {
		if len(sums) > 0 {
			t.Fatalf("no graph of %v", sums)
		}
		return
	}
	conserves(t, g)
	paths := make([]string, len(g.Nodes))
	own := make([]sides, len(g.Nodes)) // of frames that are not drawn, by where they are counted
	frames := make([]int64, len(g.Nodes))
	at := make(map[string]int)
	for i, n := range g.Nodes {
		if i > 0 {
			paths[i] = paths[n.Parent] + separator + g.Frames[n.Frame].Name
		}
		if n.Collapsed > 0 {
			continue
		}
		at[paths[i]] = i
		if got, want := (sides{uint64(n.Value), uint64(n.Base)}), sums[paths[i]]; got != want {
			t.Fatalf("%q holds %v, want %v", paths[i], got, want)
		}
	}
	root := sums[""]
	for path, v := range sums {
		_, drawn := at[path]
		if path != "" && drawn == (parts > 0 && (v[0]+v[1])*uint64(parts) < root[0]+root[1]) {
			t.Fatalf("%q with %v of %v: drawn %v", path, v, root, drawn)
		}
		if drawn {
			continue
		}
		caller := path[:strings.LastIndex(path, separator)]
		if i, ok := at[caller]; ok {
			own[i].plus(v)
		}
		for {
			if i, ok := at[caller]; ok {
				frames[i]++
				break
			}
			caller = caller[:strings.LastIndex(caller, separator)]
		}
	}
	for _, n := range g.Nodes {
		if n.Collapsed > 0 {
			if got := (sides{uint64(n.Value), uint64(n.Base)}); got != own[n.Parent] || n.Collapsed != frames[n.Parent] {
				t.Fatalf("the block of %q: %d frames with %v, want %d with %v", paths[n.Parent], n.Collapsed, got, frames[n.Parent], own[n.Parent])
			}
			frames[n.Parent] = 0
		}
	}
	for i, n := range frames {
		if n > 0 {
			t.Fatalf("%d frames below %q are counted nowhere", n, paths[i])
		}
	}
}

// partsOf returns the bound that a graph was drawn with.
func partsOf(g *Graph) int {
	if g == nil {
		return 0
	}
	return g.Parts
}

func drawn(t *rapid.T, label string) []sample {
	places := []string{"a", "b", "c", "a+b", "b+c", "z"}
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) sample {
		return sample{
			path:  rapid.SliceOfN(rapid.SampledFrom(places), 0, 8).Draw(t, "path"),
			value: rapid.OneOf(rapid.Int64Range(-3, 5), rapid.Int64Range(0, 1_000_000)).Draw(t, "value"),
		}
	}), 0, 40).Draw(t, label)
}

func same(names []string) []string { return names }

func backward(names []string) []string {
	names = slices.Clone(names)
	slices.Reverse(names)
	return names
}

func TestAgainstReference(t *testing.T) {
	if testing.Short() {
		t.Skip("asks the second implementation of many profiles")
	}
	rapid.Check(t, func(t *rapid.T) {
		samples, before := drawn(t, "samples"), drawn(t, "before")
		o := DefaultOptions()
		o.Parts = rapid.SampledFrom([]int{0, 10, 1000, 20_000}).Draw(t, "parts")
		s := selectionOf(t, samples)
		for _, o.Reversed = range []bool{false, true} {
			orient := same
			if o.Reversed {
				orient = backward
			}
			sums := make(map[string]sides)
			reference(samples, 0, sums, orient)
			var graphs []*Graph
			for _, plain := range []int{plainSteps, 0} { // without and with the sketch
				g, err := built(s, o, plain)
				if err != nil {
					t.Fatal(err)
				}
				against(t, g, sums, partsOf(g))
				graphs = append(graphs, g)
			}
			if d := cmp.Diff(graphs[0].lines(), graphs[1].lines()); o.Parts > 0 && d != "" {
				t.Fatalf("the sketch changes the graph:\n%s", d)
			}
			reference(before, 1, sums, orient)
			g, err := Diff(selectionOf(t, before), s, o)
			if err != nil {
				t.Fatal(err)
			}
			against(t, g, sums, o.Parts)
		}
		// The same against itself has changed nowhere.
		if g, _ := Diff(s, s, o); g != nil {
			for _, n := range g.Nodes {
				if g.Change(&n) != 0 {
					t.Fatalf("unchanged, but %+v", n)
				}
			}
		}
		// The order of samples is nobody's business.
		g, _ := Build(s, o)
		other := slices.Clone(samples)
		slices.Reverse(other)
		h, _ := Build(selectionOf(t, other), o)
		if d := cmp.Diff(g.lines(), h.lines()); d != "" {
			t.Fatalf("samples backward give another graph:\n%s", d)
		}
		// The profile's frames give the same.
		p, err := s.Profile().Frames(1 << 20)
		if err != nil {
			t.Fatal(err)
		}
		if h, _ = FromProfile(p, 0, nil, o); cmp.Diff(g.lines(), h.lines()) != "" {
			t.Fatalf("expanded:\n%s", cmp.Diff(g.lines(), h.lines()))
		}
	})
}

// TestSandwichAgainstReference takes the outermost b of every sample.
func TestSandwichAgainstReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := drawn(t, "samples")
		var above, below []sample
		for _, s := range samples {
			names := strings.Split(strings.Join(s.path, "+"), "+")
			if at := slices.Index(names, "b"); at >= 0 {
				above = append(above, sample{append(path("#"), backward(names[:at])...), s.value})
				below = append(below, sample{append(path("#"), names[at+1:]...), s.value})
			}
		}
		o := DefaultOptions()
		o.Parts = 0
		p, err := Sandwich(selectionOf(t, samples), "b", func(name string) bool { return name == "b" }, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, half := range []struct {
			g       *Graph
			samples []sample
		}{{p.Callers, above}, {p.Callees, below}} {
			whole := make(map[string]sides)
			reference(half.samples, 0, whole, same)
			sums := make(map[string]sides)
			for path, v := range whole {
				if rest, ok := strings.CutPrefix(path, separator+"#"); ok {
					sums[rest] = v
				}
			}
			against(t, half.g, sums, 0)
		}
	})
}
