package best

import (
	"strconv"
	"sync"

	"whet/casebook/avatar"
)

// answer is a picture that is ready to be written. All but its place in the
// list never changes.
type answer struct {
	picture avatar.Picture
	png     []byte
	length  []string // the Content-Length header

	older, newer *answer // of the ring that begins and ends at cache.ring
}

func newAnswer(p avatar.Picture, png []byte) *answer {
	return &answer{picture: p, png: png, length: []string{strconv.Itoa(len(png))}}
}

// overhead is what an answer takes beside its PNG, in bytes: itself, its
// header's slice and text, and its part of a map that has just grown.
const overhead = 256

func (a *answer) cost() int64 { return int64(cap(a.png)) + overhead }

// cache keeps the answers most recently asked for, within a bound of bytes, and
// knows which are being drawn. One lock is enough for it: it is held for a
// look-up and six pointers, some hundredth of what net/http takes for a request.
type cache struct {
	limit int64

	mu      sync.Mutex
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
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes
}

// get returns an answer, which then is the newest, or nil.
func (c *cache) get(p avatar.Picture) *answer {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.find(p)
}

// find does get's work. The lock is held.
func (c *cache) find(p avatar.Picture) *answer {
	a := c.kept[p]
	if a != nil {
		a.unlink()
		c.link(a)
	}
	return a
}

// add keeps a new answer and drops the oldest ones until all fit. The lock is
// held.
func (c *cache) add(a *answer) {
	if a.cost() > c.limit {
		return // rather than drop all others for nothing
	}
	c.kept[a.picture] = a
	c.link(a)
	c.bytes += a.cost()
	for c.bytes > c.limit {
		oldest := c.ring.newer
		oldest.unlink()
		delete(c.kept, oldest.picture)
		c.bytes -= oldest.cost()
	}
}

// link makes an answer the newest.
func (c *cache) link(a *answer) {
	a.newer, a.older = &c.ring, c.ring.older
	a.older.newer, c.ring.older = a, a
}

func (a *answer) unlink() {
	a.newer.older, a.older.newer = a.older, a.newer
}
