package layered

import (
	"math/rand/v2"
	"testing"
)

// bilayered makes a component of a few layers whose edges go from one to the
// next.
func bilayered(rng *rand.Rand, layers, most, edges int) *component {
	c := &component{o: DefaultOptions()}
	var of [][]int
	for l := range layers {
		of = append(of, nil)
		for range 2 + rng.IntN(most-1) {
			of[l] = append(of[l], len(c.nodes))
			c.nodes = append(c.nodes, len(c.nodes))
			c.sizes = append(c.sizes, Node{Width: 30, Height: 20})
			c.layer = append(c.layer, l)
		}
	}
	seen := make(map[[2]int]bool)
	for range edges {
		l := rng.IntN(layers - 1)
		from, to := of[l][rng.IntN(len(of[l]))], of[l+1][rng.IntN(len(of[l+1]))]
		if !seen[[2]int{from, to}] {
			seen[[2]int{from, to}] = true
			c.edges = append(c.edges, link{from: from, to: to, weight: 1 + rng.IntN(30), span: 1})
		}
	}
	c.makeItems()
	return c
}

// counted counts crossings pair by pair.
func (c *component) counted(pos []int, cost bool) int {
	total := 0
	for i, a := range c.segs {
		for _, b := range c.segs[:i] {
			if c.items[a.from].layer != c.items[b.from].layer {
				continue
			}
			if (pos[a.from]-pos[b.from])*(pos[a.to]-pos[b.to]) < 0 {
				if cost {
					total += a.cross * b.cross
				} else {
					total++
				}
			}
		}
	}
	return total
}

func TestCrossingsAreCounted(t *testing.T) {
	for seed := range uint64(200) {
		c := bilayered(rand.New(rand.NewPCG(seed, 9)), 4, 8, 30)
		c.walkOrder(true)
		pos := make([]int, len(c.items))
		c.positions(pos)
		for _, cost := range []bool{false, true} {
			if got, want := c.crossings(pos, cost), c.counted(pos, cost); got != want {
				t.Fatalf("seed %d, cost %v: %d, counted %d", seed, cost, got, want)
			}
		}
	}
}

// least tries all orders of all layers.
func (c *component) least(layer int, pos []int) int {
	if layer == len(c.layers) {
		return c.counted(pos, true)
	}
	best := -1
	var permute func(i int)
	items := c.layers[layer]
	permute = func(i int) {
		if i == len(items) {
			if n := c.least(layer+1, pos); best < 0 || n < best {
				best = n
			}
			return
		}
		for j := i; j < len(items); j++ {
			items[i], items[j] = items[j], items[i]
			pos[items[i]], pos[items[j]] = i, j
			permute(i + 1)
			items[i], items[j] = items[j], items[i]
			pos[items[i]], pos[items[j]] = i, j
		}
	}
	permute(0)
	return best
}

// The orders found are held against the best there are: on small graphs nearly
// all are as good, and none is much worse.
func TestFewCrossingsBesideBruteForce(t *testing.T) {
	const graphs = 120
	same, found, possible := 0, 0, 0
	for seed := range uint64(graphs) {
		c := bilayered(rand.New(rand.NewPCG(seed, 11)), 3, 4, 12)
		c.order()
		pos := make([]int, len(c.items))
		c.positions(pos)
		got := c.counted(pos, true)
		best := c.least(0, pos)
		if got < best {
			t.Fatalf("seed %d: %d is less than the least, %d", seed, got, best)
		}
		if got == best {
			same++
		}
		found += got
		possible += best
	}
	t.Logf("%d of %d are the best there are; all together cost %d, the best %d", same, graphs, found, possible)
	if same < graphs*9/10 || found > possible*11/10 {
		t.Errorf("%d of %d are the best there are; all together cost %d, the best %d", same, graphs, found, possible)
	}
}

func TestTreeHasNoCrossings(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 13))
		nodes, edges := graph(rng, 60, 0, true)
		if d := draw(t, nodes, edges); d.Crossings != 0 {
			t.Errorf("seed %d: a tree with %d crossings", seed, d.Crossings)
		}
	}
}

// Upright segments never cross, whatever the order: blocks of them could not be
// placed otherwise.
func TestUprightSegmentsDoNotCross(t *testing.T) {
	bent := 0
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 29))
		nodes, edges := graph(rng, 24, 70, false)
		for _, c := range components(nodes, edges) {
			c.o = DefaultOptions()
			c.breakCycles()
			if err := c.assignLayers(); err != nil {
				t.Fatal(err)
			}
			c.makeItems()
			c.walkOrder(true)
			for _, layer := range c.layers { // an order that nobody would choose
				rng.Shuffle(len(layer), func(i, j int) { layer[i], layer[j] = layer[j], layer[i] })
			}
			pos := make([]int, len(c.items))
			c.positions(pos)
			of, _ := c.blocks()
			for i, a := range c.segs {
				if of[a.from] != of[a.to] {
					bent++
					continue
				}
				for _, b := range c.segs[:i] {
					if of[b.from] == of[b.to] && c.items[a.from].layer == c.items[b.from].layer && (pos[a.from]-pos[b.from])*(pos[a.to]-pos[b.to]) < 0 {
						t.Fatalf("seed %d: two upright segments cross", seed)
					}
				}
			}
			if err := c.placeAcross(); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
	}
	if bent == 0 {
		t.Error("no segment had to bend: the test shows nothing")
	}
}
