package lru

import (
	"fmt"
	"math"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// Cache is safe for concurrent use.
type Cache[K comparable, V any] struct {
	limit int64
	size  func(V) int64

	mu      sync.Mutex
	entries *simplelru.LRU[K, V]
	bytes   int64 // of all entries, at most limit
}

// New returns an empty cache that keeps at most limit bytes, by size's count.
func New[K comparable, V any](limit int64, size func(V) int64) (*Cache[K, V], error) {
	entries, err := simplelru.NewLRU[K, V](math.MaxInt, nil)
	if err != nil {
		return nil, fmt.Errorf("make a cache: %w", err)
	}
	return &Cache[K, V]{limit: limit, size: size, entries: entries}, nil
}

// Get returns an entry, which then is the one most recently used.
func (c *Cache[K, V]) Get(key K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.entries.Get(key)
}

// Add keeps a value, in place of one that has the same key, and drops others
// until all fit.
func (c *Cache[K, V]) Add(key K, value V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if old, ok := c.entries.Peek(key); ok {
		c.bytes -= c.size(old)
	}
	c.entries.Add(key, value)
	c.bytes += c.size(value)
	for c.bytes > c.limit {
		_, old, _ := c.entries.RemoveOldest()
		c.bytes -= c.size(old)
	}
}

// Bytes returns how much is kept.
func (c *Cache[K, V]) Bytes() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes
}
