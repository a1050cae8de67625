package best

import (
	"math/rand/v2"
	"slices"
	"testing"

	"whet/casebook/avatar"
)

func key(n int) avatar.Picture { return avatar.Picture{Initials: [2]rune{rune(n)}} }

// contents returns the keys from old to new, read in both directions.
func contents(t *testing.T, c *cache) (keys []int) {
	t.Helper()
	for a := c.ring.newer; a != &c.ring; a = a.newer {
		keys = append(keys, int(a.picture.Initials[0]))
	}
	var back []int
	for a := c.ring.older; a != &c.ring; a = a.older {
		back = append(back, int(a.picture.Initials[0]))
	}
	slices.Reverse(back)
	if !slices.Equal(keys, back) || len(keys) != len(c.kept) {
		t.Fatalf("the list holds %v forwards and %v backwards, the map %d", keys, back, len(c.kept))
	}
	return keys
}

// The cache does what a plain list of keys and costs does.
func TestCacheAgainstModel(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 2))
		limit := random.Int64N(5000)
		var c cache
		c.init(limit)
		var keys []int // from old to new
		costs := map[int]int64{}
		bytes := func() (n int64) {
			for _, k := range keys {
				n += costs[k]
			}
			return n
		}
		for step := range 500 {
			k := random.IntN(12)
			i := slices.Index(keys, k)
			a := c.get(key(k))
			if (a != nil) != (i >= 0) {
				t.Fatalf("seed %d, step %d: key %d gives %v, the list is %v", seed, step, k, a, keys)
			}
			if a != nil {
				keys = append(slices.Delete(keys, i, i+1), k)
			} else {
				a := newAnswer(key(k), make([]byte, random.IntN(1500)))
				if costs[k] = int64(cap(a.png)) + overhead; costs[k] <= limit {
					keys = append(keys, k)
				}
				for bytes() > limit {
					keys = keys[1:]
				}
				c.add(a)
			}
			if got := contents(t, &c); !slices.Equal(got, keys) || c.size() != bytes() || c.size() > limit {
				t.Fatalf("seed %d, step %d: the cache holds %v in %d bytes, want %v in %d of %d", seed, step, got, c.size(), keys, bytes(), limit)
			}
		}
	}
}
