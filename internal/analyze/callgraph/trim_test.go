package callgraph

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"whet/internal/analyze/selection"
	"whet/internal/callstack"
)

// stacks makes a selection of stacks written "root>caller>leaf", in pairs with
// their values.
func stacks(t *testing.T, pairs ...any) *selection.Selection {
	t.Helper()
	b := callstack.NewBuilder(callstack.ValueType{Type: "cpu", Unit: "nanoseconds"})
	for i := 0; i < len(pairs); i += 2 {
		var stack []callstack.LocationID
		for name := range strings.SplitSeq(pairs[i].(string), ">") {
			f := b.Function(callstack.Function{Name: name})
			stack = append(stack, b.Location(callstack.NoMapping, 0, false, callstack.SourceLine{Function: f}))
		}
		slices.Reverse(stack)
		b.Add(stack, nil, int64(pairs[i+1].(int)))
	}
	return selected(t, b.Profile(), selection.Options{})
}

// lines writes a graph out: nodes in their order, each with its edges out.
func lines(g *Graph) []string {
	var out []string
	for _, n := range g.Nodes {
		s := fmt.Sprintf("%s %d/%d", n.Name, n.Flat, n.Cum)
		for _, e := range n.Out {
			arrow := "->"
			if e.Residual {
				arrow = ".."
			}
			s += fmt.Sprintf(" %s%s %d", arrow, e.To.Name, e.Weight)
		}
		out = append(out, s)
	}
	return out
}

// TestTrimming: of 1000, b (cum 4) is below 0.005; what it calls is reached over
// it. The call of 1 to d is below an edge fraction of 0.002.
func TestTrimming(t *testing.T) {
	s := stacks(t, "main>a", 500, "main>b>c", 4, "main>a>c", 100, "main>c>d", 1, "main>d", 395)
	o := ForTree()
	o.EdgeFraction = 0.002
	g := New(s, o)
	want := []string{"a 500/600 ->c 100", "d 396/396", "c 104/105", "main 0/1000 ->a 600 ->d 395 ..c 5"}
	if diff := cmp.Diff(want, lines(g)); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
	if g.DroppedNodes != 1 || g.Remaining != 4 || g.FlatSum() != 1000 {
		t.Errorf("%d nodes dropped, %d remain, flat adds up to %d; want 1, 4 and 1000: b has no flat", g.DroppedNodes, g.Remaining, g.FlatSum())
	}
	// Two nodes: a and d have the most flat. Nothing calls from one to the other.
	o.NodeCount = 2
	if diff := cmp.Diff([]string{"a 500/600", "d 396/396"}, lines(New(s, o))); diff != "" {
		t.Errorf("two nodes (-want +got):\n%s", diff)
	}
	o = ForTop()
	o.Cum = true
	if g := New(s, o); g.Nodes[0].Name != "main" || g.Nodes[1].Name != "a" {
		t.Errorf("by cum: %v", lines(g))
	}
}

// TestRedundantEdges: a picture has no residual edge where another path leads
// to the same node: main reaches c through a.
func TestRedundantEdges(t *testing.T) {
	s := stacks(t, "main>a>c", 600, "main>b>c", 4, "main", 396)
	text, picture := ForTree(), ForPicture()
	if diff := cmp.Diff([]string{"c 604/604", "main 396/1000 ->a 600 ..c 4", "a 0/600 ->c 600"}, lines(New(s, text))); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	// Entropy: main has no callers (1) and spreads 396, 600 and 4 over itself
	// and two edges; c has no callees (1); a passes on what it gets (0).
	if diff := cmp.Diff([]string{"main 396/1000 ->a 600", "c 604/604", "a 0/600 ->c 600"}, lines(New(s, picture))); diff != "" {
		t.Errorf("picture (-want +got):\n%s", diff)
	}
}

// TestCallTreesTrim: nodes that go hand their children up.
func TestCallTreesTrim(t *testing.T) {
	s := stacks(t, "main>a>x", 500, "main>b>x", 300, "main>b", 200)
	o := ForPicture()
	o.CallTree = true
	o.NodeCount = 3
	g, err := NewPicture(s, o)
	if err != nil {
		t.Fatal(err)
	}
	// Scores are cum * (in + out) + flat. main: 1000*(1 + 1) = 2000. x under a:
	// 500*(0 + 1) + 500 = 1000. b: 500*(0 + H(0.6, 0.4) = 0.97) + 200 = 685. x
	// under b: 300*(0 + 1) + 300 = 600. a: 500*(0 + 0) = 0.
	want := []string{"main 0/1000 ->b 500 ..x 500", "x 500/500", "b 200/500"}
	if diff := cmp.Diff(want, lines(g)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
