package profile

// numbering numbers ids in the order of their first appearance.
type numbering struct {
	dense  []uint32 // 1 + number, by id
	sparse map[uint64]uint32
	ids    []uint64 // by number
}

func (n *numbering) of(id uint64) uint32 {
	if id < uint64(len(n.dense)) && n.dense[id] != 0 {
		return n.dense[id] - 1
	}
	return n.add(id)
}

// memory is about how many bytes the numbers take.
func (n *numbering) memory() int64 {
	return 8*int64(len(n.ids)) + 4*int64(len(n.dense)) + 48*int64(len(n.sparse))
}

// add numbers an id that is not in n.dense. Writers count from 1, and a table
// serves; ids far beyond what has been seen go into a map.
func (n *numbering) add(id uint64) uint32 {
	if k, ok := n.sparse[id]; ok {
		return k
	}
	k := uint32(len(n.ids))
	n.ids = append(n.ids, id)
	if id >= uint64(len(n.dense)) && id < uint64(8*len(n.ids)+1024) {
		grown := make([]uint32, 2*id+64)
		copy(grown, n.dense)
		n.dense = grown
	}
	if id < uint64(len(n.dense)) {
		n.dense[id] = k + 1
		return k
	}
	if n.sparse == nil {
		n.sparse = make(map[uint64]uint32)
	}
	n.sparse[id] = k
	return k
}
