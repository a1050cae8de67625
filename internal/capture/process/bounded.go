package process

import (
	"fmt"
	"sync"
)

// Bounded keeps the first and the last bytes written to it and counts all.
// The zero value keeps nothing. It is safe for concurrent use.
type Bounded struct {
	mu    sync.Mutex
	limit int    // of head
	head  []byte // the first bytes
	ring  []byte // the last bytes, valid from next on once full
	next  int
	full  bool
	total int64
}

// NewBounded keeps the first head and the last tail bytes.
func NewBounded(head, tail int) *Bounded {
	return &Bounded{limit: head, ring: make([]byte, tail)}
}

// Write never fails.
func (b *Bounded) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := len(p)
	b.total += int64(n)
	if room := b.limit - len(b.head); room > 0 {
		take := min(room, len(p))
		b.head = append(b.head, p[:take]...)
		p = p[take:]
	}
	if len(p) == 0 || len(b.ring) == 0 {
		return n, nil
	}
	if len(p) >= len(b.ring) {
		copy(b.ring, p[len(p)-len(b.ring):])
		b.next, b.full = 0, true
		return n, nil
	}
	c := copy(b.ring[b.next:], p)
	if c < len(p) {
		b.full = true
		copy(b.ring, p[c:])
	}
	b.next += len(p)
	if b.next >= len(b.ring) {
		b.full = true
		b.next -= len(b.ring)
	}
	return n, nil
}

// Total returns the number of bytes written.
func (b *Bounded) Total() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.total
}

// Parts returns copies of the first and the last bytes kept, and how many
// between them were dropped.
func (b *Bounded) Parts() (head, tail []byte, dropped int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	head = append(head, b.head...)
	if b.full {
		tail = append(tail, b.ring[b.next:]...)
	}
	tail = append(tail, b.ring[:b.next]...)
	return head, tail, b.total - int64(len(head)) - int64(len(tail))
}

// Bytes returns the kept output, with a line in the place of the omitted part.
func (b *Bounded) Bytes() []byte {
	head, tail, dropped := b.Parts()
	if dropped > 0 {
		head = fmt.Appendf(head, "\n[%d bytes dropped]\n", dropped)
	}
	return append(head, tail...)
}
