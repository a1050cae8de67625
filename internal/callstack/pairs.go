package callstack

// Pairs maps pairs of numbers, -1 and up, to values. It is a hash table with
// linear probing: a Go map takes three times as long, and there is a look-up for
// every frame that neighbouring samples do not share.
type Pairs struct {
	keys   []uint64 // the pair, each number plus one; 0 is a free slot
	values []int32
	used   int
}

// At returns a pointer to a pair's value, valid until the next call, and reports
// whether the pair was there.
func (p *Pairs) At(a, b int32) (value *int32, found bool) {
	if 2*p.used >= len(p.keys) {
		p.grow()
	}
	key := pairKey(a, b)
	i := p.slot(key)
	if p.keys[i] == key {
		return &p.values[i], true
	}
	p.keys[i] = key
	p.used++
	return &p.values[i], false
}

// Number returns the value of a pair. A new pair gets the number of pairs before
// it.
func (p *Pairs) Number(a, b int32) int32 {
	value, found := p.At(a, b)
	if !found {
		*value = int32(p.used - 1)
	}
	return *value
}

// Get returns the value of a pair, if the pair is there.
func (p *Pairs) Get(a, b int32) (value int32, found bool) {
	if len(p.keys) == 0 {
		return 0, false
	}
	key := pairKey(a, b)
	i := p.slot(key)
	return p.values[i], p.keys[i] == key
}

func pairKey(a, b int32) uint64 { return uint64(uint32(a+1))<<32 | uint64(uint32(b+1)) }

// slot returns the pair's own or the free one in which it belongs.
func (p *Pairs) slot(key uint64) int {
	mask := len(p.keys) - 1
	// Fibonacci hashing: the upper bits of the product depend on all of the key's.
	i := int(key*0x9e3779b97f4a7c15>>32) & mask
	for p.keys[i] != key && p.keys[i] != 0 {
		i = (i + 1) & mask
	}
	return i
}

func (p *Pairs) grow() {
	old, values := p.keys, p.values
	n := max(256, 2*len(old))
	p.keys, p.values = make([]uint64, n), make([]int32, n)
	for i, key := range old {
		if key != 0 {
			at := p.slot(key)
			p.keys[at], p.values[at] = key, values[i]
		}
	}
}
