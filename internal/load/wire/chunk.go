package wire

import "bytes"

// chunkSize takes the line in front of a chunk. It ends in CRLF and holds no
// other CR; extensions after a semicolon are dropped.
func (p *Parser) chunkSize(b []byte) (n int) {
	line, n, ok := p.line(b)
	if len(line)+1 > maxChunk || !ok && len(p.carry) >= maxChunk {
		p.fail(ErrChunkSize)
		return n
	}
	if !ok {
		return n
	}
	if i := bytes.IndexByte(line, '\r'); i < 0 || i != len(line)-1 {
		p.fail(ErrChunk)
		return n
	}
	line = line[:len(line)-1]
	p.carry = p.carry[:0]
	size, ok := parseSize(line)
	if !ok {
		p.fail(ErrChunk)
		return n
	}

	// A sender may spend 16 bytes on each chunk and two on each byte of data beyond its
	// size; 16 KiB more are too much. This is net/http's rule.
	p.excess += int64(len(line)) + 2
	p.excess = max(0, p.excess-16-2*int64(min(size, 1<<20)))
	if p.excess > 16<<10 {
		p.fail(ErrOverhead)
		return n
	}

	p.rest = size
	if size == 0 {
		p.phase, p.size = inTrailer, 0
	} else {
		p.phase = inChunk
	}
	return n
}

func parseSize(line []byte) (n uint64, ok bool) {
	line = trimRight(line)
	if i := bytes.IndexByte(line, ';'); i >= 0 {
		line = line[:i]
	}
	if len(line) == 0 || len(line) > 16 {
		return 0, false
	}
	for _, c := range line {
		switch {
		case isDigit(c):
			c -= '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		n = n<<4 | uint64(c)
	}
	return n, true
}

// chunkEnd takes one byte of the CRLF after a chunk.
func (p *Parser) chunkEnd(c byte) (n int) {
	switch {
	case p.phase == inChunkCR && c == '\r':
		p.phase = inChunkLF
	case p.phase == inChunkLF && c == '\n':
		p.phase = inSize
	default:
		p.fail(ErrChunk)
	}
	return 1
}
