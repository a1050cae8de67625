package wire

import "bytes"

// # Shapes
//
// A server under load repeats the same response, except for the time in Date, a
// request's number or the like. A Shape stores the head of a response, with the result
// of parsing it, and the positions of values that may differ. A later response whose
// head has the same bytes at all other positions has the same result, without being
// parsed. The comparison is word by word, of two or three pieces of memory.
//
// Why the result is the same: a position is the value of one field, from after the
// colon to before the end of the line, of a field whose meaning the parser does not
// know (not Content-Length, Transfer-Encoding, Connection or Trailer) and that is not
// folded. Only characters that a value may contain are accepted instead. So the lines
// end at the same places, have the same names, and the fields that matter have the same
// values. The Shape stores the content of the head, and not its consequences, which
// also depend on whether the request was HEAD. A fuzz target compares shapes with the
// parser.

// Shape recognises heads that are like one seen before. The zero value knows
// none. It is for one goroutine.
type Shape struct {
	head    []byte
	spans   [maxSpans]span
	n       int // of spans
	status  int
	version int
	fields  framing

	// Learning costs about as much as parsing; where answers differ all the
	// time it is tried less and less often.
	wait, pauses int
}

// span is the range of a value in a head that may differ.
type span struct{ from, to int }

const (
	maxSpans = 4
	maxShape = 2048 // bytes of a head that is worth remembering
	maxPause = 256  // answers between two tries to learn
)

// match takes the head that b begins with, if it is of the shape; otherwise
// nothing.
func (s *Shape) match(p *Parser, b []byte) (n int) {
	if len(s.head) == 0 || len(b) < len(s.head) {
		return 0
	}
	for _, v := range s.spans[:s.n] {
		if !bytes.Equal(b[n:v.from], s.head[n:v.from]) || !validValue(b[v.from:v.to]) {
			return 0
		}
		n = v.to
	}
	if !bytes.Equal(b[n:len(s.head)], s.head[n:]) {
		return 0
	}
	s.pauses = 0
	p.Status, p.version, p.fields = s.status, s.version, s.fields
	p.size = len(s.head)
	p.endFields()
	return len(s.head)
}

// learn parses the head at the beginning of b and stores it, if it is a plain one that
// is completely in b; otherwise it reads what the parser reads of it.
func (p *Parser) learn(b []byte) (n int) {
	for n < len(b) && p.phase <= inFields {
		n += p.step(b[n:])
	}
	s := p.Shape
	if p.phase <= inFields || p.phase == failed || n > maxShape {
		return n
	}
	if s.wait > 0 {
		s.wait--
		return n
	}
	s.pauses = min(2*s.pauses+1, maxPause)
	s.wait = s.pauses - 1
	s.remember(p, b[:n])
	return n
}

// remember keeps a head that p has just parsed. A value may differ if it is a
// date, or differs from the value at the same place of the head known so far.
func (s *Shape) remember(p *Parser, head []byte) {
	before := s.head
	same := len(before) == len(head)
	s.n = 0
	at := bytes.IndexByte(head, '\n') + 1
	for at < len(head) {
		end := at + bytes.IndexByte(head[at:], '\n')
		colon := bytes.IndexByte(head[at:end], ':')
		if isSpace(head[at]) || len(head) > end+1 && isSpace(head[end+1]) || colon < 0 && end+1 < len(head) {
			s.head = s.head[:0] // folded, or the head of a 1xx before: not plain
			return
		}
		if colon < 0 {
			break // the blank line
		}
		v := span{at + colon + 1, at + len(withoutCR(head[at:end]))}
		name := head[at : at+colon]
		if s.n < maxSpans && known(name) == other &&
			(equalFold(name, "date") || same && !bytes.Equal(before[v.from:v.to], head[v.from:v.to])) {
			s.spans[s.n] = v
			s.n++
		}
		at = end + 1
	}
	s.head = append(s.head[:0], head...)
	s.status, s.version, s.fields = p.Status, p.version, p.fields
}
