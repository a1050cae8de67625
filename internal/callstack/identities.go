package callstack

import (
	"math"
	"math/bits"
	"slices"
)

// identities numbers samples by their identity: a hash table with linear
// probing, sixteen bytes a slot.
type identities struct {
	slots []identity
	used  int
}

type identity struct {
	first  uint64
	second uint32
	sample uint32 // 1 + its number; 0 is a free slot
}

// find returns the number of a sample and whether it was there; a new sample
// gets the given number.
func (s *identities) find(sum uint128, number int) (sample int, known bool) {
	if 4*s.used >= 3*len(s.slots) {
		s.reserve(s.used + s.used/2 + 256)
	}
	first, second := sum.upper, uint32(sum.lower>>32)
	at := s.slot(first, second)
	if at.sample > 0 {
		return int(at.sample) - 1, true
	}
	*at = identity{first, second, uint32(number) + 1}
	s.used++
	return number, false
}

// home returns the slot that a sample has, unless another has it.
func (s *identities) home(sum uint128) *identity { return &s.slots[s.index(sum.upper)] }

func (s *identities) index(first uint64) uint64 {
	i, _ := bits.Mul64(first, uint64(len(s.slots))) // spread evenly
	return i
}

// slot returns the sample's own or the free one in which it belongs.
func (s *identities) slot(first uint64, second uint32) *identity {
	for i := s.index(first); ; i++ {
		if i == uint64(len(s.slots)) {
			i = 0
		}
		if at := &s.slots[i]; at.sample == 0 || at.first == first && at.second == second {
			return at
		}
	}
}

// reserve makes room for so many samples in all.
func (s *identities) reserve(n int) {
	size := n + n/3 + 256
	if size <= len(s.slots) {
		return
	}
	old := s.slots
	s.slots = make([]identity, size)
	for _, o := range old {
		if o.sample > 0 {
			*s.slot(o.first, o.second) = o
		}
	}
}

// tallies sum up the values of samples. Most have 32 bits: the others, of which
// small has the smallest number there is, are in large.
type tallies struct {
	small []int32
	large map[int]int64
}

func (c *tallies) reserve(n int) { c.small = slices.Grow(c.small, max(0, n-len(c.small))) }

func (c *tallies) at(i int) int64 {
	if v := c.small[i]; v != math.MinInt32 {
		return int64(v)
	}
	return c.large[i]
}

// add adds to the i-th value; i may be one past the last.
func (c *tallies) add(i int, v int64) {
	if i == len(c.small) {
		c.small = append(c.small, 0)
	}
	v += c.at(i)
	if v > math.MinInt32 && v <= math.MaxInt32 {
		c.small[i] = int32(v)
		return
	}
	c.small[i] = math.MinInt32
	if c.large == nil {
		c.large = make(map[int]int64)
	}
	c.large[i] = v
}
