package wire

import "bytes"

// Sink receives the parts of an answer. The bytes are valid during the call.
type Sink interface {
	// Field gets each field of the head unchanged, a folded value in one line. Parser.Status is set before.
	Field(name, value []byte)
	// Body gets the body in pieces, without the lines of chunks.
	Body(p []byte)
}

// Parser recognises one answer after the other. The zero value is ready for the
// answer to a request that was not HEAD.
type Parser struct {
	Status    int   // of the answer, set with its status line
	Bytes     int64 // of the body so far
	KeepAlive bool  // once done: the connection may be used again
	Sink      Sink  // nil: not wanted, which is the quick way
	// Shape, where set, recognises a head that is like the one before. Parsers
	// that run on one goroutine may share one. It is not used with a Sink.
	Shape *Shape

	phase   phase
	toHead  bool // the request was HEAD
	started bool
	held    bool // carry is a whole line, which the next byte may continue
	err     error

	version int // ten times major plus minor
	fields  framing
	rest    uint64 // of the body or the chunk
	excess  int64  // see chunk
	size    int    // bytes of the heads, or of the trailer
	from    int    // where the last of the folded lines in carry begins
	carry   []byte // a line that a piece ended in
}

// framing is the information in a head's fields about the body and the connection.
type framing struct {
	length     int64 // valid if digits > 0
	digits     int   // of Content-Length
	chunked    bool
	badTrailer bool // announces a field that no trailer may hold
	close      bool
	keepAlive  bool
}

type phase uint8

const (
	inStatus phase = iota
	inFields
	inBody
	inRest // a body that ends with the connection
	inSize
	inChunk
	inChunkCR
	inChunkLF
	inTrailer
	over
	failed
)

const (
	maxHead    = 1 << 20
	maxChunk   = 4096 // bytes of a chunk's size line
	maxTrailer = 4096
	maxKept    = 16 << 10 // bytes of carry that one answer leaves to the next
)

// Headed reports that the head of the answer has come whole, and not yet its end.
func (p *Parser) Headed() bool { return inBody <= p.phase && p.phase < over }

// Reset prepares the parser for the next response; head reports whether the request is
// HEAD, whose response never has a body.
func (p *Parser) Reset(head bool) {
	p.Status, p.Bytes, p.KeepAlive = 0, 0, false
	p.phase, p.toHead, p.started, p.held, p.err = inStatus, head, false, false, nil
	p.size, p.from = 0, 0
	if cap(p.carry) > maxKept {
		p.carry = nil
	}
	p.carry = p.carry[:0]
}

// Feed takes the next piece of the answer. n bytes of it belong to the answer:
// fewer than all only if the answer is done or an error ends it. After either
// nothing more is taken until Reset.
func (p *Parser) Feed(b []byte) (n int, done bool, err error) {
	if !p.started && len(b) > 0 {
		p.started = true
		if p.Shape != nil && p.Sink == nil {
			n = p.Shape.match(p, b)
			if n == 0 {
				n = p.learn(b)
			}
		}
	}
	for {
		switch p.phase {
		case over:
			return n, true, nil
		case failed:
			return n, false, p.err
		}
		if n == len(b) {
			return n, false, nil
		}
		n += p.step(b[n:])
	}
}

// End tells the parser that the connection ended. A body that ends with the connection
// is then complete; any other response was truncated.
func (p *Parser) End() (done bool, err error) {
	switch p.phase {
	case over:
		return true, nil
	case failed:
		return false, p.err
	case inRest:
		p.phase = over
		return true, nil
	case inStatus, inFields:
		p.fail(ErrNoAnswer)
	default:
		p.fail(ErrShort)
	}
	return false, p.err
}

// fail ends the response. err is a constant converted to an error by the caller, where
// the compiler does it; a conversion here would allocate.
func (p *Parser) fail(err error) {
	p.phase, p.err = failed, err
}

// step reads the part of b that belongs to the phase; b is not empty.
func (p *Parser) step(b []byte) (n int) {
	switch p.phase {
	case inStatus:
		return p.statusLine(b)
	case inFields, inTrailer:
		return p.fieldLine(b)
	case inSize:
		return p.chunkSize(b)
	case inChunkCR, inChunkLF:
		return p.chunkEnd(b[0])
	case inRest:
		p.body(b)
		return len(b)
	}
	n = len(b)
	if p.rest <= uint64(n) {
		n = int(p.rest)
	}
	p.body(b[:n])
	p.rest -= uint64(n)
	if p.rest == 0 {
		if p.phase == inChunk {
			p.phase = inChunkCR
		} else {
			p.phase = over
		}
	}
	return n
}

func (p *Parser) body(b []byte) {
	p.Bytes += int64(len(b))
	if p.Sink != nil {
		p.Sink.Body(b)
	}
}

// line finds the line that b goes on with, without its line feed. Where it has
// no end yet, its bytes are put aside.
func (p *Parser) line(b []byte) (line []byte, n int, ok bool) {
	i := bytes.IndexByte(b, '\n')
	if i < 0 {
		p.carry = append(p.carry, b...)
		return nil, len(b), false
	}
	if len(p.carry) == 0 {
		return b[:i], i + 1, true
	}
	p.carry = append(p.carry, b[:i]...)
	return p.carry, i + 1, true
}

// withoutCR drops the CR of a CRLF.
func withoutCR(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\r' {
		return line[:n-1]
	}
	return line
}
