package lru

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// model is the same cache, written plainly: keys from old to new.
type model struct {
	keys  []int
	sizes map[int]int64
	limit int64
}

func (m *model) bytes() (n int64) {
	for _, k := range m.keys {
		n += m.sizes[k]
	}
	return n
}

func (m *model) touch(k int) bool {
	i := slices.Index(m.keys, k)
	if i < 0 {
		return false
	}
	m.keys = append(slices.Delete(m.keys, i, i+1), k)
	return true
}

func (m *model) add(k int, size int64) {
	if !m.touch(k) {
		m.keys = append(m.keys, k)
	}
	m.sizes[k] = size
	for m.bytes() > m.limit {
		m.keys = m.keys[1:]
	}
}

func TestAgainstModel(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		limit := random.Int64N(60)
		c, err := New[int](limit, func(v int64) int64 { return v })
		if err != nil {
			t.Fatal(err)
		}
		m := &model{sizes: map[int]int64{}, limit: limit}
		for step := range 500 {
			k := random.IntN(8)
			if random.IntN(2) == 0 {
				v, ok := c.Get(k)
				if want := m.touch(k); ok != want || ok && v != m.sizes[k] {
					t.Fatalf("seed %d, step %d: key %d gives %d, %v; want %d, %v", seed, step, k, v, ok, m.sizes[k], want)
				}
			} else {
				size := random.Int64N(25)
				c.Add(k, size)
				m.add(k, size)
			}
			if got, want := c.Bytes(), m.bytes(); got != want || got > limit {
				t.Fatalf("seed %d, step %d: %d bytes are kept, want %d of at most %d", seed, step, got, want, limit)
			}
		}
	}
}

func TestConcurrent(t *testing.T) {
	c, err := New[int](100, func(v []byte) int64 { return int64(len(v)) })
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for j := range 500 {
				k := (i + j) % 30
				if v, ok := c.Get(k); ok && len(v) != k {
					t.Errorf("key %d has %d bytes", k, len(v))
				}
				c.Add(k, make([]byte, k))
				if n := c.Bytes(); n > 100 {
					t.Errorf("%d bytes are kept, want at most 100", n)
				}
			}
		})
	}
	wg.Wait()
}
