package original

import "whet/casebook/havlak"

// block is a basic block and its neighbours.
type block struct {
	id      int
	in, out []*block
}

// graph is a control-flow graph.
type graph struct {
	start  *block
	blocks map[int]*block
}

func newGraph(g havlak.Graph) *graph {
	cfg := &graph{blocks: make(map[int]*block)}
	for id := range g.Blocks() {
		cfg.blocks[id] = &block{id: id}
	}
	cfg.start = cfg.blocks[0]
	for from, to := range g.Edges() {
		src, dst := cfg.blocks[from], cfg.blocks[to]
		src.out = append(src.out, dst)
		dst.in = append(dst.in, src)
	}
	return cfg
}
