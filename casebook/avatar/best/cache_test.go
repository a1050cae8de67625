package best

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

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

// The cache does what a plain list of keys, costs and uses does.
func TestCacheAgainstModel(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 2))
		limit := random.Int64N(5000)
		var c cache
		c.init(limit)
		var keys []int // from old to new
		used := map[int]bool{}
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
			if used[k] = a != nil; a == nil {
				a := newAnswer(key(k), make([]byte, random.IntN(1500)))
				costs[k] = int64(cap(a.png)) + overhead
				for costs[k] <= limit && bytes()+costs[k] > limit {
					oldest := keys[0]
					if keys = keys[1:]; used[oldest] {
						keys = append(keys, oldest)
					}
					used[oldest] = false
				}
				if costs[k] <= limit {
					keys = append(keys, k)
				}
				c.add(a)
			}
			if got := contents(t, &c); !slices.Equal(got, keys) || c.size() != bytes() || c.size() > limit {
				t.Fatalf("seed %d, step %d: the cache holds %v in %d bytes, want %v in %d of %d", seed, step, got, c.size(), keys, bytes(), limit)
			}
		}
	}
}

// What is asked for now and then stays, whoever else passes by.
func TestUsedStay(t *testing.T) {
	const room = 10
	var c cache
	c.init(room * overhead)
	c.add(newAnswer(key(0), nil))
	for passing := 1; passing < 100*room; passing++ {
		c.add(newAnswer(key(passing), nil))
		if passing%(room/2) == 0 && c.get(key(0)) == nil {
			t.Fatalf("what is used is gone after %d others", passing)
		}
	}
	if n := len(contents(t, &c)); n != room {
		t.Errorf("%d answers are kept, want %d", n, room)
	}
}

// Requests whose answers are at hand do not wait for each other.
func TestHitsShareTheLock(t *testing.T) {
	var c cache
	c.init(1 << 20)
	c.add(newAnswer(key(1), nil))
	c.mu.RLock() // as a request that is stopped within its look-up
	defer c.mu.RUnlock()
	got := make(chan *answer)
	go func() { got <- c.get(key(1)) }()
	select {
	case a := <-got:
		if a == nil {
			t.Error("the answer is not found")
		}
	case <-time.After(20 * time.Second): // no passing test waits for it
		t.Fatal("a request waits for another one's look-up")
	}
}
