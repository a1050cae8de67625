package slices

import "whet/casebook/havlak"

// block is a basic block and its neighbours.
type block struct {
	id      int
	in, out []*block
}

// graph is a control-flow graph. A block's id is its index; the first is the
// entry.
type graph struct{ blocks []*block }

func newGraph(g havlak.Graph) *graph {
	cfg := &graph{blocks: make([]*block, g.Blocks())}
	for id := range cfg.blocks {
		cfg.blocks[id] = &block{id: id}
	}
	for from, to := range g.Edges() {
		src, dst := cfg.blocks[from], cfg.blocks[to]
		src.out = append(src.out, dst)
		dst.in = append(dst.in, src)
	}
	return cfg
}
