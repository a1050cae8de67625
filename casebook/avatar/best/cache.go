package best

import (
	"strconv"
	"sync"
	"sync/atomic"

	"whet/casebook/avatar"
)

// answer is a picture that is ready to be written. All but its place in the
// list and whether it is used never changes.
type answer struct {
	picture avatar.Picture
	png     []byte
	length  []string // the Content-Length header

	used         atomic.Bool // asked for since its turn to go came last
	older, newer *answer     // of the ring that begins and ends at cache.ring
}

func newAnswer(p avatar.Picture, png []byte) *answer {
	return &answer{picture: p, png: png, length: []string{strconv.Itoa(len(png))}}
}

// overhead is what an answer takes beside its PNG, in bytes: itself, its
// header's slice and text, and its part of a map that has just grown.
const overhead = 256

func (a *answer) cost() int64 { return int64(cap(a.png)) + overhead }

// cache keeps answers within a bound of bytes, and knows which are being drawn.
//
// When there is no room, the oldest answer goes, unless it was asked for since
// its turn came last: then it counts as new. Unlike a list in the order of use,
// which an LRU keeps, that leaves a request whose answer is at hand nothing to
// change that others read, so that requests share the lock, and one that the
// system stops while it holds it stops no other.
type cache struct {
	limit int64

	mu      sync.RWMutex
	kept    map[avatar.Picture]*answer
	ring    answer // its older is the newest answer, its newer the oldest
	bytes   int64  // what all that is kept costs, at most limit
	flights map[avatar.Picture]*flight
}

func (c *cache) init(limit int64) {
	c.limit = limit
	c.kept = make(map[avatar.Picture]*answer)
	c.flights = make(map[avatar.Picture]*flight)
	c.ring.older, c.ring.newer = &c.ring, &c.ring
}

func (c *cache) size() int64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.bytes
}

// get returns an answer, or nil.
func (c *cache) get(p avatar.Picture) *answer {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.find(p)
}

// find does get's work. The lock is held, alone or not.
func (c *cache) find(p avatar.Picture) *answer {
	a := c.kept[p]
	if a != nil && !a.used.Load() { // a store takes its memory away from others
		a.used.Store(true)
	}
	return a
}

// add keeps a new answer, after others went to make room for it. The lock is
// held.
func (c *cache) add(a *answer) {
	if a.cost() > c.limit {
		return // rather than drop all others for nothing
	}
	for c.bytes+a.cost() > c.limit {
		oldest := c.ring.newer
		oldest.unlink()
		if oldest.used.Swap(false) {
			c.link(oldest)
			continue
		}
		delete(c.kept, oldest.picture)
		c.bytes -= oldest.cost()
	}
	c.kept[a.picture] = a
	c.link(a)
	c.bytes += a.cost()
}

// link makes an answer the newest.
func (c *cache) link(a *answer) {
	a.newer, a.older = &c.ring, c.ring.older
	a.older.newer, c.ring.older = a, a
}

func (a *answer) unlink() {
	a.newer.older, a.older.newer = a.older, a.newer
}
