package callgraph

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"whet/internal/analyze/selection"
	"whet/internal/callstack"
)

// drawn returns a profile over few functions, so that recursion, calls that are
// inlined at times and values that cancel are common.
func drawn(t *rapid.T) *callstack.Profile {
	b := callstack.NewBuilder(callstack.ValueType{Type: "count", Unit: "count"}, callstack.ValueType{Type: "space", Unit: "bytes"})
	b.Profile().DefaultType = 1
	var functions []callstack.FunctionID
	for i := range 5 {
		functions = append(functions, b.Function(callstack.Function{Name: fmt.Sprint("f", i), File: "x.go"}))
	}
	line := rapid.Custom(func(t *rapid.T) callstack.SourceLine {
		return callstack.SourceLine{Function: functions[rapid.IntRange(0, 4).Draw(t, "function")], Line: rapid.IntRange(1, 2).Draw(t, "line")}
	})
	var locations []callstack.LocationID
	for i := range 7 {
		lines := rapid.SliceOfN(line, 1, 3).Draw(t, "lines")
		locations = append(locations, b.NewLocation(callstack.NoMapping, uint64(i+1), false, lines...))
	}
	for range rapid.IntRange(0, 20).Draw(t, "samples") {
		stack := rapid.SliceOfN(rapid.SampledFrom(locations), 0, 6).Draw(t, "stack")
		var labels []callstack.Label
		for range rapid.IntRange(0, 2).Draw(t, "labels") {
			if rapid.Bool().Draw(t, "number") {
				labels = append(labels, callstack.Label{Key: "bytes", Num: rapid.Int64Range(1, 3).Draw(t, "bytes"), Unit: "bytes"})
			} else {
				labels = append(labels, callstack.Label{Key: "k", Str: rapid.SampledFrom([]string{"v", "w"}).Draw(t, "value")})
			}
		}
		b.Add(stack, labels, rapid.Int64Range(0, 3).Draw(t, "count"), rapid.Int64Range(-4, 9).Draw(t, "space"))
	}
	return b.Profile()
}

func selected(t interface{ Fatal(...any) }, p *callstack.Profile, o selection.Options) *selection.Selection {
	s, err := selection.New([]selection.Source{{Profile: p}}, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sample is one of a walk, written out.
type sample struct {
	path           []selection.Step
	value, divisor int64
	labels         []callstack.Label
}

func samples(s *selection.Selection) []sample {
	var out []sample
	for w := s.Walk(); w.Next(); {
		out = append(out, sample{slices.Clone(w.Path), w.Value, w.Divisor, slices.Clone(w.Labels())})
	}
	return out
}

// bruteEdge is an edge as sums over all frames of all samples have it.
type bruteEdge struct {
	weight, divisor   int64
	residual, inlined bool
}

// brute sums up sample by sample, frame by frame, with a set of what the sample
// has counted for.
func brute(list []sample, kept []bool, nodes int) ([]Costs, map[[2]int32]bruteEdge) {
	out, edges := make([]Costs, nodes), make(map[[2]int32]bruteEdge)
	for _, s := range list {
		seenNode, seenEdge := make(map[int32]bool), make(map[[2]int32]bool)
		parent, residual := int32(none), false
		for _, step := range s.path {
			n := int32(step.Node)
			if kept != nil && !kept[n] {
				residual = true
				continue
			}
			if !seenNode[n] {
				seenNode[n] = true
				out[n].Cum += s.value
				out[n].CumDivisor += s.divisor
			}
			if at := [2]int32{parent, n}; parent != none && parent != n && !seenEdge[at] {
				seenEdge[at] = true
				e, ok := edges[at]
				e.weight += s.value
				e.divisor += s.divisor
				e.residual = e.residual || residual
				e.inlined = (!ok || e.inlined) && step.Inlined
				edges[at] = e
			}
			parent, residual = n, false
		}
		if parent != none && !residual {
			out[parent].Flat += s.value
			out[parent].FlatDivisor += s.divisor
		}
	}
	return out, edges
}

func TestFoldIsTheSumOverFrames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := selected(t, drawn(t), selection.Options{
			Mean:        rapid.Bool().Draw(t, "mean"),
			Granularity: rapid.SampledFrom([]string{"functions", "lines", "addresses"}).Draw(t, "granularity"),
		})
		var kept []bool
		if rapid.Bool().Draw(t, "some") {
			kept = rapid.SliceOfN(rapid.Bool(), len(s.Nodes), len(s.Nodes)).Draw(t, "kept")
		}
		b := &build{s: s}
		parts := rapid.IntRange(1, 4).Draw(t, "parts")
		calls := b.foldEdges(parts, kept).calls
		if diff := cmp.Diff(b.foldEdges(1, kept).calls, calls, cmp.AllowUnexported(call{}), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("edges in their order (-one +parts):\n%s", diff)
		}
		want, wantEdges := brute(samples(s), kept, len(s.Nodes))
		edges := make(map[[2]int32]bruteEdge)
		for _, c := range calls {
			edges[[2]int32{c.from, c.to}] = bruteEdge{c.weight, c.divisor, c.residual, !c.plain}
		}
		if kept == nil {
			if diff := cmp.Diff(want, foldNodes(s, parts, nodeFold{sums: make([]Costs, len(s.Nodes))}).sums); diff != "" {
				t.Fatalf("nodes (-brute +fold):\n%s", diff)
			}
		}
		if diff := cmp.Diff(wantEdges, edges, cmp.AllowUnexported(bruteEdge{}), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("edges (-brute +fold):\n%s", diff)
		}
	})
}

// TestEdgeOverWhatIsShared: of two samples, the second begins after a node that
// is left out and that it shares with the first, so that its edge goes over it.
func TestEdgeOverWhatIsShared(t *testing.T) {
	b := callstack.NewBuilder(callstack.ValueType{Type: "count", Unit: "count"})
	var ids []callstack.LocationID
	for i, name := range []string{"main", "left out", "first", "second"} {
		f := b.Function(callstack.Function{Name: name})
		ids = append(ids, b.NewLocation(callstack.NoMapping, uint64(i+1), false, callstack.SourceLine{Function: f}))
	}
	for _, leaf := range ids[2:] {
		b.Add([]callstack.LocationID{leaf, ids[1], ids[0]}, nil, 1)
	}
	s := selected(t, b.Profile(), selection.Options{})
	kept := make([]bool, len(s.Nodes))
	for i := range kept {
		kept[i] = s.Nodes[i].Name != "left out"
	}
	f := (&build{s: s}).foldEdges(1, kept)
	if len(f.calls) != 2 || !f.calls[0].residual || !f.calls[1].residual {
		t.Errorf("edges over a node left out: %+v", f.calls)
	}
}

// path names a node of a call tree by those above it.
func path(n *Node) string {
	if len(n.In) == 0 {
		return n.Name
	}
	return path(n.In[0].From) + ">" + n.Name
}

// TestCallTreeIsTheSumOverPaths: untrimmed, a tree's node is a prefix of
// stacks, and holds what it holds itself and what its children hold.
func TestCallTreeIsTheSumOverPaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := selected(t, drawn(t), selection.Options{})
		o := ForPicture().Untrimmed()
		o.CallTree = true
		g, err := NewPicture(s, o)
		if err != nil {
			t.Fatal(err)
		}
		want := make(map[string]Costs)
		for _, sample := range samples(s) {
			var at []string
			for i, step := range sample.path {
				at = append(at, s.Nodes[step.Node].Name)
				key := strings.Join(at, ">")
				v := want[key]
				v.Cum += sample.value
				if i == len(sample.path)-1 {
					v.Flat += sample.value
				}
				want[key] = v
			}
		}
		for key, v := range want {
			if v == (Costs{}) {
				delete(want, key)
			}
		}
		got := make(map[string]Costs)
		for _, n := range g.Nodes {
			got[path(n)] = Costs{Flat: n.Flat, Cum: n.Cum}
			sum := n.Flat
			for _, e := range n.Out {
				sum += e.Weight
			}
			if sum != n.Cum {
				t.Fatalf("%s: flat and the edges out are %d, cum is %d", path(n), sum, n.Cum)
			}
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("(-brute +tree):\n%s", diff)
		}
	})
}

// TestSumOfGroups: a group counts a sample once, whichever of its nodes the
// sample passes, and what is in no group counts nothing.
func TestSumOfGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := selected(t, drawn(t), selection.Options{})
		group := rapid.SliceOfN(rapid.Int32Range(NoGroup, 3), len(s.Nodes), len(s.Nodes)).Draw(t, "group")
		want, total := make([]Costs, 4), Costs{}
		for _, sample := range samples(s) {
			seen := make(map[int32]bool)
			for i, step := range sample.path {
				g := group[step.Node]
				if g == NoGroup {
					continue
				}
				if !seen[g] {
					want[g].Cum += sample.value
					want[g].CumDivisor += 2 * sample.value
				}
				seen[g] = true
				if i == len(sample.path)-1 {
					want[g].Flat += sample.value
					want[g].FlatDivisor += 2 * sample.value
				}
			}
			total.Flat += sample.value
			total.FlatDivisor += 2 * sample.value
		}
		got, all := Sum(s, group, 4, func(w *selection.Walk) int64 { return 2 * w.Value })
		if diff := cmp.Diff(want, got); diff != "" || all != total {
			t.Fatalf("all %v, want %v; groups (-brute +sum):\n%s", all, total, diff)
		}
	})
}

// TestTagsAreTheSumsOverSamples: of each node by its string labels and the
// bytes under them.
func TestTagsAreTheSumsOverSamples(t *testing.T) {
	type value struct{ flat, cum int64 }
	rapid.Check(t, func(t *rapid.T) {
		s := selected(t, drawn(t), selection.Options{})
		g := New(s, ForPicture().Untrimmed())
		want := make(map[string]value)
		for _, sample := range samples(s) {
			var texts, numbers []string
			for _, l := range sample.labels {
				if l.Str != "" {
					texts = append(texts, l.Key+":"+l.Str)
				} else {
					numbers = append(numbers, fmt.Sprint(l.Num, "B"))
				}
			}
			slices.Sort(texts)
			all := strings.Join(texts, `\n`)
			seen := make(map[selection.NodeID]bool)
			for i, step := range sample.path {
				var v value
				if !seen[step.Node] {
					v.cum = sample.value
				}
				if i == len(sample.path)-1 {
					v.flat = sample.value
				}
				seen[step.Node] = true
				tags := []string{"text " + all}
				if all == "" {
					tags = nil
				}
				for _, n := range numbers {
					tags = append(tags, "number "+all+" "+n)
				}
				for _, tag := range tags {
					key := s.Nodes[step.Node].Name + " " + tag
					sum := want[key]
					want[key] = value{sum.flat + v.flat, sum.cum + v.cum}
				}
			}
		}
		got := make(map[string]value)
		live := make(map[string]bool)
		for _, n := range g.Nodes {
			live[n.Name] = true
			for _, tag := range n.Labels {
				got[n.Name+" text "+tag.Name] = value{tag.Flat, tag.Cum}
			}
			for texts, tags := range n.Numbers {
				for _, tag := range tags {
					got[n.Name+" number "+texts+" "+tag.Name] = value{tag.Flat, tag.Cum}
				}
			}
		}
		for key, v := range want {
			if name, _, _ := strings.Cut(key, " "); v == (value{}) || !live[name] {
				delete(want, key)
			}
		}
		for key, v := range got {
			if v == (value{}) {
				delete(got, key)
			}
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(value{}), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("(-brute +tags):\n%s", diff)
		}
	})
}

// TestUntrimmedGraphsConserve: flat adds up to the samples' values, cum is
// never less than flat where no value is below zero, and what comes into a node
// and goes out of it stays within its cum.
func TestUntrimmedGraphsConserve(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := selected(t, drawn(t), selection.Options{SampleIndex: "count"})
		g := New(s, ForTree().Untrimmed())
		var values, flat int64
		for _, sample := range samples(s) {
			if len(sample.path) > 0 {
				values += sample.value
			}
		}
		for _, n := range g.Nodes {
			flat += n.Flat
			if n.Cum < n.Flat {
				t.Fatalf("%s: cum %d is less than flat %d", n.Name, n.Cum, n.Flat)
			}
			for _, e := range slices.Concat(n.In, n.Out) {
				if e.Weight > n.Cum {
					t.Fatalf("%s: an edge weighs %d, its cum is %d", n.Name, e.Weight, n.Cum)
				}
			}
		}
		if flat != values || flat != g.FlatSum() {
			t.Fatalf("flat adds up to %d and %d, the samples to %d", flat, g.FlatSum(), values)
		}
	})
}
