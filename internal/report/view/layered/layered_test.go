package layered

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

// graph makes a connected graph like a call graph: most edges lead down, some
// back, a few are heavy, some nodes call themselves.
func graph(rng *rand.Rand, nodes, edges int, labels bool) ([]Node, []Edge) {
	ns := make([]Node, nodes)
	for i := range ns {
		ns[i] = Node{Width: 40 + rng.IntN(160), Height: 20 + rng.IntN(60)}
		if rng.IntN(6) == 0 {
			ns[i].Beside, ns[i].BesideHeight = 20+rng.IntN(100), 10+rng.IntN(100)
		}
	}
	var es []Edge
	looped := make([]bool, nodes)
	add := func(from, to int) {
		if from == to && looped[from] {
			return
		}
		looped[from] = looped[from] || from == to
		e := Edge{From: from, To: to, Weight: 1 + rng.IntN(3), Arrow: 8}
		if rng.IntN(5) == 0 {
			e.Weight = 1 + rng.IntN(100)
		}
		if labels {
			e.LabelWidth, e.LabelHeight = 30+rng.IntN(30), 12
		}
		es = append(es, e)
	}
	for i := 1; i < nodes; i++ {
		add(rng.IntN(i), i)
	}
	for len(es) < edges {
		a, b := rng.IntN(nodes), rng.IntN(nodes)
		if rng.IntN(10) > 0 && a > b {
			a, b = b, a
		}
		add(a, b)
	}
	return ns, es
}

func draw(t *testing.T, nodes []Node, edges []Edge) *Drawing {
	t.Helper()
	d, err := Draw(nodes, edges, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// flat cuts a curve into short straight pieces.
func flat(curve []Point) []Point {
	out := []Point{curve[0]}
	for i := 1; i+2 < len(curve); i += 3 {
		a, b, c, d := curve[i-1], curve[i], curve[i+1], curve[i+2]
		const pieces = 16
		for k := 1; k <= pieces; k++ {
			t := float64(k) / pieces
			u := 1 - t
			out = append(out, Point{
				u*u*u*a.X + 3*u*u*t*b.X + 3*u*t*t*c.X + t*t*t*d.X,
				u*u*u*a.Y + 3*u*u*t*b.Y + 3*u*t*t*c.Y + t*t*t*d.Y,
			})
		}
	}
	return out
}

type rect struct{ left, top, right, bottom float64 }

func (r rect) inside(p Point) bool {
	const border = 0.01
	return p.X > r.left+border && p.X < r.right-border && p.Y > r.top+border && p.Y < r.bottom-border
}

func (r rect) overlaps(s rect) bool {
	return r.left < s.right && s.left < r.right && r.top < s.bottom && s.top < r.bottom
}

func boxOf(n Node, p NodePosition) rect {
	w, h := float64(n.Width)/2, float64(n.Height)/2
	return rect{p.X - w, p.Y - h, p.X + w, p.Y + h}
}

// check tests everything that must be true of a drawing of any graph.
func check(t *testing.T, nodes []Node, edges []Edge, d *Drawing) {
	t.Helper()
	boxes := make([]rect, 0, len(nodes)+len(edges))
	for i, n := range nodes {
		boxes = append(boxes, boxOf(n, d.Nodes[i]))
	}
	for i, n := range nodes {
		if n.Beside > 0 {
			p := d.Nodes[i]
			boxes = append(boxes, rect{p.Beside, p.Y - float64(n.BesideHeight)/2, p.Beside + float64(n.Beside), p.Y + float64(n.BesideHeight)/2})
			if p.Beside < boxes[i].right {
				t.Errorf("node %d, %v: the room beside it is at %v", i, boxes[i], p.Beside)
			}
		}
	}
	for i, e := range edges {
		r := d.Edges[i]
		from, to := boxes[e.From], boxes[e.To]
		start, end := r.Curve[0], r.Curve[len(r.Curve)-1]
		tip := r.Tip
		switch a, b := d.Nodes[e.From], d.Nodes[e.To]; {
		case len(r.Curve)%3 != 1:
			t.Errorf("edge %d: a curve of %d points", i, len(r.Curve))
		case e.From == e.To:
			if start.X != from.right || tip.X != to.right || end != (Point{tip.X + float64(e.Arrow), tip.Y}) {
				t.Errorf("edge %d: a loop from %v over %v to %v at %v", i, start, end, tip, from)
			}
		case r.Back:
			if b.Layer > a.Layer-max(1, e.Layers) {
				t.Errorf("edge %d: it goes up from layer %d to %d", i, a.Layer, b.Layer)
			}
			if start.Y != from.top || tip.Y != to.bottom || end != (Point{tip.X, tip.Y + float64(e.Arrow)}) {
				t.Errorf("edge %d: from %v over %v to %v: not from the top of %v to the bottom of %v", i, start, end, tip, from, to)
			}
		default:
			if b.Layer < a.Layer+max(1, e.Layers) {
				t.Errorf("edge %d: it goes down from layer %d to %d", i, a.Layer, b.Layer)
			}
			if start.Y != from.bottom || tip.Y != to.top || end != (Point{tip.X, tip.Y - float64(e.Arrow)}) {
				t.Errorf("edge %d: from %v over %v to %v: not from the bottom of %v to the top of %v", i, start, end, tip, from, to)
			}
		}
		if e.From != e.To && (start.X < from.left || start.X > from.right || tip.X < to.left || tip.X > to.right) {
			t.Errorf("edge %d: from %v to %v: not at %v and %v", i, start, tip, from, to)
		}
		for _, p := range flat(r.Curve) {
			for n := range nodes {
				if boxes[n].inside(p) {
					t.Fatalf("edge %d: it runs through node %d at %v", i, n, p)
				}
			}
			if p.X < 0 || p.Y < 0 || p.X > d.Width || p.Y > d.Height {
				t.Fatalf("edge %d: it leaves the drawing at %v", i, p)
			}
		}
		if e.LabelWidth > 0 {
			boxes = append(boxes, rect{r.Label.X, r.Label.Y - float64(e.LabelHeight)/2, r.Label.X + float64(e.LabelWidth), r.Label.Y + float64(e.LabelHeight)/2})
		}
	}
	for i, a := range boxes {
		if a.left < 0 || a.top < 0 || a.right > d.Width || a.bottom > d.Height {
			t.Errorf("box %d, %v, leaves the drawing of %v by %v", i, a, d.Width, d.Height)
		}
		for j, b := range boxes[:i] {
			if a.overlaps(b) {
				t.Errorf("box %d, %v, overlaps box %d, %v (of %d nodes, then what is beside them, then labels)", i, a, j, b, len(nodes))
			}
		}
	}
	for i, r := range d.Edges { // lines and labels of other edges
		for _, p := range flat(r.Curve) {
			for j, b := range boxes[len(nodes):] {
				if b.inside(p) {
					t.Fatalf("edge %d runs through label %d at %v", i, j, p)
				}
			}
		}
	}
}

func TestNothingOverlaps(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		n := 1 + rng.IntN(40)
		nodes, edges := graph(rng, n, n+rng.IntN(2*n), seed%3 > 0)
		if seed%4 == 0 { // several components
			edges = edges[len(edges)/2:]
		}
		check(t, nodes, edges, draw(t, nodes, edges))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func TestSameGraphSameDrawing(t *testing.T) {
	nodes, edges := graph(rand.New(rand.NewPCG(7, 7)), 60, 160, true)
	first := draw(t, nodes, edges)
	for range 3 {
		if !reflect.DeepEqual(first, draw(t, nodes, edges)) {
			t.Fatal("another drawing of the same graph")
		}
	}
}

func TestNothingToDraw(t *testing.T) {
	if d := draw(t, nil, nil); d.Width != 0 || d.Height != 0 {
		t.Errorf("a drawing of nothing takes %v by %v", d.Width, d.Height)
	}
	d := draw(t, []Node{{Width: 10, Height: 6}}, nil)
	if want := (NodePosition{X: 5, Y: 3, Beside: 10}); d.Nodes[0] != want || d.Width != 10 || d.Height != 6 {
		t.Errorf("one node: %+v", d)
	}
}

func TestRefusals(t *testing.T) {
	two := []Node{{Width: 1, Height: 1}, {Width: 1, Height: 1}}
	for _, c := range []struct {
		nodes []Node
		edge  Edge
	}{
		{two, Edge{From: 0, To: 2, Weight: 1}},
		{two, Edge{From: -1, To: 0, Weight: 1}},
		{two, Edge{From: 0, To: 1}},
		{[]Node{{Width: -1}, {}}, Edge{From: 0, To: 1, Weight: 1}},
	} {
		if _, err := Draw(c.nodes, []Edge{c.edge}, DefaultOptions()); err == nil {
			t.Errorf("%+v is drawn", c)
		}
	}
	if _, err := Draw(two, []Edge{{Weight: 1}, {Weight: 1}}, DefaultOptions()); err == nil {
		t.Error("two loops at one node are drawn")
	}
	o := DefaultOptions()
	o.MaxItems = 1
	if _, err := Draw(two, nil, o); !errors.Is(err, ErrTooLarge) {
		t.Errorf("two nodes where one is allowed: %v", err)
	}
}

func TestHeavyPathIsStraight(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 3))
		nodes, edges := graph(rng, 30, 60, true)
		// A trunk of new nodes through the whole of it.
		trunk := []int{0}
		for range 6 {
			trunk = append(trunk, len(nodes))
			nodes = append(nodes, Node{Width: 80, Height: 30})
		}
		for i := 1; i < len(trunk); i++ {
			edges = append(edges, Edge{From: trunk[i-1], To: trunk[i], Weight: 5000, LabelWidth: 40, LabelHeight: 12, Arrow: 8})
		}
		d := draw(t, nodes, edges)
		for i := len(edges) - len(trunk) + 1; i < len(edges); i++ {
			for _, p := range d.Edges[i].Curve {
				if p.X != d.Edges[i].Curve[0].X {
					t.Fatalf("seed %d: a heavy edge from %v to %v bends: %v", seed, d.Nodes[edges[i].From], d.Nodes[edges[i].To], d.Edges[i].Curve)
				}
			}
		}
	}
}

func TestLightestEdgeOfACycleGoesUp(t *testing.T) {
	nodes := make([]Node, 4)
	for i := range nodes {
		nodes[i] = Node{Width: 50, Height: 20}
	}
	edges := []Edge{
		{From: 0, To: 1, Weight: 10}, {From: 1, To: 2, Weight: 9}, {From: 2, To: 3, Weight: 8},
		{From: 3, To: 1, Weight: 2}, {From: 2, To: 2, Weight: 1}, {From: 2, To: 1, Weight: 3},
	}
	d := draw(t, nodes, edges)
	check(t, nodes, edges, d)
	for i, want := range []bool{false, false, false, true, false, true} {
		if d.Edges[i].Back != want {
			t.Errorf("edge %d goes up: %v, want %v", i, d.Edges[i].Back, want)
		}
	}
}

// within is math.Abs with a name for what it is for.
func within(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance }

func TestCallerStandsAboveTheMiddleOfItsCallees(t *testing.T) {
	nodes := make([]Node, 4)
	for i := range nodes {
		nodes[i] = Node{Width: 50, Height: 20}
	}
	edges := []Edge{{From: 0, To: 1, Weight: 1}, {From: 0, To: 2, Weight: 1}, {From: 0, To: 3, Weight: 1}}
	if d := draw(t, nodes, edges); !within(d.Nodes[0].X, d.Nodes[2].X, 0) {
		t.Errorf("three callees: %+v", d.Nodes)
	}
	if d := draw(t, nodes[:3], edges[:2]); !within(d.Nodes[0].X, (d.Nodes[1].X+d.Nodes[2].X)/2, 1) {
		t.Errorf("two callees: %+v", d.Nodes)
	}
}

func BenchmarkDraw(b *testing.B) {
	for _, size := range []struct {
		name         string
		nodes, edges int
	}{{"80", 80, 200}, {"500", 500, 2000}} {
		b.Run(size.name, func(b *testing.B) {
			nodes, edges := graph(rand.New(rand.NewPCG(1, 2)), size.nodes, size.edges, true)
			for b.Loop() {
				if _, err := Draw(nodes, edges, DefaultOptions()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
