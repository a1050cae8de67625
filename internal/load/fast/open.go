//go:build linux

package fast

// # The open loop
//
// Arrival n of the schedule belongs to loop n mod loops. Each loop stores only the time
// of its next arrival: an arrival that finds no connection free stays the next one, and
// the times of those after it follow from the schedule. So a service that stalls for an
// hour costs no memory, and every arrival is sent once, in order, with its due time.
//
// Connections take turns, the least recently used first, so that all of them carry
// their share, as connections of users do.
//
// An arrival of the warm-up that finds no connection free is dropped: a backlog of the
// warm-up would delay the requests that count.

// fifo is a queue of connections that are free, as large as their number.
type fifo struct {
	slots       []int32
	first, free int // free: how many are in it
}

func newFIFO(n int) fifo { return fifo{slots: make([]int32, n)} }

func (r *fifo) push(i int32) {
	at := r.first + r.free
	if at >= len(r.slots) {
		at -= len(r.slots)
	}
	r.slots[at] = i
	r.free++
}

func (r *fifo) pop() int32 {
	i := r.slots[r.first]
	if r.first++; r.first == len(r.slots) {
		r.first = 0
	}
	r.free--
	return i
}

// launch sends the due requests while connections are free. Each counts as sent when
// its turn comes: after a pause there are many, and the last of them is late by the
// time that the others take.
func (l *loop) launch(now int64) {
	for sent := now; l.due <= now && l.due < l.end && l.idle.free > 0 && l.take(l.due); sent = l.job.Now() {
		c := &l.conns[l.idle.pop()]
		due := l.due
		l.advance()
		l.begin(c, due, sent)
	}
	l.letGo(now)
}

// letGo passes over the arrivals of the warm-up that find no connection free.
func (l *loop) letGo(now int64) {
	for l.idle.free == 0 && l.due <= now && l.due < int64(l.job.Warmup) {
		l.advance()
	}
}

// release makes c free for the next arrival.
func (l *loop) release(c *conn, now int64) {
	l.letGo(now)
	l.idle.push(c.index)
}

// advance goes to the next arrival.
func (l *loop) advance() { l.due = int64(l.arrivals.Next()) }
