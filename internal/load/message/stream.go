package message

import (
	"math/rand/v2"
	"unsafe"

	"whet/internal/schedule"
)

// # Where the strings of a message lie
//
// A Stream writes all that templates make for one message, after each other,
// into one buffer that it keeps, and the message's strings point into it. So a
// message costs no allocation, and its strings change when the next message is
// made. That is why a Message says until when it is valid,
// and why the strings are made in one place, here, and only of the buffer.
//
// Before the strings are made the buffer does not move any more, so none points
// into an old one that append has replaced.

// Stream makes one message after the other. It is for one goroutine at a time.
type Stream struct {
	set *Set
	rng *rand.Rand

	buf    []byte
	ends   []int // in buf, of each template's text
	fields []Field

	// Of the message that is being made:
	row []string // of the table
	seq int64    // from 0
}

// Stream returns the messages of loop or connection k. Its random values are a function
// of the set's seed, of k and of the number of messages it has made.
func (s *Set) Stream(k int) *Stream {
	// Streams of neighbouring numbers start far apart.
	return &Stream{set: s, rng: rand.New(rand.NewPCG(s.seed, schedule.Scramble(uint64(k))))}
}

// Next makes the next message. It does not allocate once it has made messages of
// every target and of their full size.
func (st *Stream) Next(m *Message) {
	s := st.set
	var i int
	switch {
	case len(s.targets) == 1:
	case s.upTo != nil:
		i = s.pick(st.rng.Float64())
	default:
		i = int((s.turns.Add(1) - 1) % int64(len(s.targets)))
	}
	c := &s.targets[i]
	*m = c.fixed
	if c.template {
		st.expand(c, m)
	}
}

// expand fills in the values of the templates.
func (st *Stream) expand(c *compiled, m *Message) {
	if c.rowed {
		st.row = st.nextRow()
	}
	if c.counted {
		st.seq = st.set.seqs.Add(1) - 1
	}
	st.buf, st.ends = st.buf[:0], st.ends[:0]
	st.add(c.path)
	for i := range c.header {
		st.add(c.header[i].value)
	}
	st.add(c.body)

	text := unsafe.String(unsafe.SliceData(st.buf), len(st.buf))
	from := st.ends[0]
	if c.path != nil {
		m.Target = text[:from]
	}
	if len(c.header) > 0 {
		st.fields = append(st.fields[:0], c.fixed.Header...)
		for i := range c.header {
			st.fields[c.header[i].field].Value = text[from:st.ends[1+i]]
			from = st.ends[1+i]
		}
		m.Header = st.fields
	}
	if c.body != nil {
		m.Body = st.buf[from:len(st.buf):len(st.buf)]
	}
	m.borrowed = true
}

// add writes the value of one template.
func (st *Stream) add(t template) {
	for i := range t {
		st.buf = t[i].append(st.buf, st)
	}
	st.ends = append(st.ends, len(st.buf))
}

// nextRow returns the table's row for one message.
func (st *Stream) nextRow() []string {
	s := st.set
	return s.table.rows[(s.rows.Add(1)-1)%int64(len(s.table.rows))]
}
