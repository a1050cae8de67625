package flamegraph

// children finds the child of a node by its frame: open addressing, because the
// map of the language takes three times as long and it is asked for every
// change of a path.
type children struct {
	keys []uint64 // parent and frame, plus one; 0 is free
	node []int32
	used int
}

// at returns where the child's node is kept, and whether it was there.
func (c *children) at(parent, frame int32) (node *int32, found bool) {
	if 2*c.used >= len(c.keys) {
		c.grow()
	}
	key := (uint64(uint32(parent))<<32 | uint64(uint32(frame))) + 1
	i := c.place(key)
	if c.keys[i] == key {
		return &c.node[i], true
	}
	c.keys[i] = key
	c.used++
	return &c.node[i], false
}

func (c *children) find(parent, frame int32) (int32, bool) {
	if len(c.keys) == 0 {
		return 0, false
	}
	key := (uint64(uint32(parent))<<32 | uint64(uint32(frame))) + 1
	i := c.place(key)
	return c.node[i], c.keys[i] == key
}

// place is where a key is or belongs.
func (c *children) place(key uint64) int {
	mask := len(c.keys) - 1
	i := int(key*0x9e3779b97f4a7c15>>32) & mask
	for c.keys[i] != 0 && c.keys[i] != key {
		i = (i + 1) & mask
	}
	return i
}

func (c *children) grow() {
	old, nodes := c.keys, c.node
	c.keys, c.node = make([]uint64, max(2*len(old), 1024)), make([]int32, max(2*len(old), 1024))
	for i, key := range old {
		if key != 0 {
			at := c.place(key)
			c.keys[at], c.node[at] = key, nodes[i]
		}
	}
}
