//go:build linux

package fast

// Two kinds of waiting, neither of which costs a timer of the runtime.
//
// Every request has the same timeout, so those under way are kept in the order
// in which they began: the one that times out next is the first, and beginning
// and ending cost a few stores. none ends the list.
//
// Pauses and think times differ, and are few or far apart: they are a heap.

const none = -1

// queue is a list through connections.
type queue struct{ first, last int32 }

func (l *loop) enlist(c *conn) {
	c.prev, c.next = l.busy.last, none
	if l.busy.last == none {
		l.busy.first = c.index
	} else {
		l.conns[l.busy.last].next = c.index
	}
	l.busy.last = c.index
	l.underWay++
}

func (l *loop) delist(c *conn) {
	if c.prev == none {
		l.busy.first = c.next
	} else {
		l.conns[c.prev].next = c.next
	}
	if c.next == none {
		l.busy.last = c.prev
	} else {
		l.conns[c.next].prev = c.prev
	}
	l.underWay--
}

// alarm is when a connection is to go on.
type alarm struct {
	at   int64
	conn int32
	turn uint32 // of the connection; it means nothing once that has another request
}

// later has c go on at a moment, unless it has begun another request by then.
func (l *loop) later(c *conn, at int64) {
	l.alarms.push(alarm{at: at, conn: c.index, turn: c.turn})
}

// alarms is a binary heap with the earliest first. Each stays until its time.
type alarms []alarm

func (h *alarms) push(a alarm) {
	s := append(*h, a)
	i := len(s) - 1
	for i > 0 {
		up := (i - 1) / 2
		if s[up].at <= a.at {
			break
		}
		s[i] = s[up]
		i = up
	}
	s[i] = a
	*h = s
}

// pop takes the earliest out; there is one.
func (h *alarms) pop() alarm {
	s := *h
	top, a := s[0], s[len(s)-1]
	s = s[:len(s)-1]
	*h = s
	if len(s) == 0 {
		return top
	}
	i := 0
	for {
		down := 2*i + 1
		if down >= len(s) {
			break
		}
		if down+1 < len(s) && s[down+1].at < s[down].at {
			down++
		}
		if a.at <= s[down].at {
			break
		}
		s[i] = s[down]
		i = down
	}
	s[i] = a
	return top
}
