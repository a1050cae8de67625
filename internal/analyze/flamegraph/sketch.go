package flamegraph

import "math/bits"

// The tree of a heap profile of 1.4 million samples has 7 million nodes, of
// which some ten thousand are wide enough to be drawn, and building all of them
// takes a gigabyte. Which ones are wide enough is known before the tree is
// built, nearly:
//
// A first pass over the samples gives each prefix of a path a bucket of a table
// by its hash and adds the prefix's value there. Several prefixes may share a
// bucket, so that it holds at least what each of them does. A second pass makes
// nodes only of prefixes whose bucket reaches the bound: all that reach it
// themselves, whose values are then exact, and a few more, which are taken out
// at the end. (A count-min sketch of one row: Cormode and Muthukrishnan, "An
// improved data stream summary", J. Algorithms 55(1), 2005. A second row costs
// as much time again and was not worth it.)
//
// It needs values that are never negative: those of a difference are taken by
// their size, of either side.
type sketch struct {
	sums [2][]uint64 // of Value and of Base; nil while all are zero
}

// sketchBits: 2 MB fit the second cache. A heap profile whose whole tree has 2.3
// million nodes gets 30 thousand of them made, with 4 MB 25 thousand.
const sketchBits = 18

func (s *sketch) add(hash uint64, v sides) {
	for i, x := range v {
		if x != 0 {
			if s.sums[i] == nil {
				s.sums[i] = make([]uint64, 1<<sketchBits)
			}
			at := &s.sums[i][hash>>(64-sketchBits)]
			*at = add(*at, x)
		}
	}
}

// atMost bounds what a prefix can hold.
func (s *sketch) atMost(hash uint64) (v sides) {
	for i := range v {
		if s.sums[i] != nil {
			v[i] = s.sums[i][hash>>(64-sketchBits)]
		}
	}
	return v
}

// extend returns the hash of a prefix with one more frame.
func extend(hash uint64, frame int32) uint64 {
	hi, lo := bits.Mul64(hash^(uint64(uint32(frame))+1)*0x9e3779b97f4a7c15, 0xe7037ed1a0b428db)
	return hi ^ lo
}

// sides are what the two sides of a comparison hold, by size.
type sides [2]uint64

func (v *sides) plus(w sides) {
	v[0] += w[0]
	v[1] += w[1]
}

// plusAtMost is plus for values that are not yet known to fit.
func (v *sides) plusAtMost(w sides) {
	v[0], v[1] = add(v[0], w[0]), add(v[1], w[1])
}

// add stays at the largest number there is.
func add(a, b uint64) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	if carry != 0 {
		return ^uint64(0)
	}
	return sum
}

// counter counts different hashes in little memory: a bit for each, and where
// several share one, the new ones are counted for more by as many as are likely
// to have been missed (linear counting: Whang, Vander-Zanden and Taylor, "A
// linear-time probabilistic counting algorithm", ACM TODS 15(2), 1990). 7
// million in 16 million bits: within a thousandth. The 2 MB fit a cache; with 8
// MB counting took twice as long.
type counter struct {
	seen []uint64
	set  int
}

const counterBits = 24

// add returns what a hash counts for: 0 when it was seen before.
func (c *counter) add(hash uint64) float64 {
	if c.seen == nil {
		c.seen = make([]uint64, 1<<(counterBits-6))
	}
	// The sketch uses the upper bits; here it is the lower ones.
	word, bit := &c.seen[hash>>6&(1<<(counterBits-6)-1)], uint64(1)<<(hash&63)
	if *word&bit != 0 {
		return 0
	}
	*word |= bit
	c.set++
	return 1 / (1 - min(float64(c.set-1)/(1<<counterBits), 0.99))
}
