package wire

import "bytes"

// statusLine reads the status line, or the received part of it.
func (p *Parser) statusLine(b []byte) (n int) {
	line, n, ok := p.line(b)
	p.size += n
	if p.size > maxHead {
		p.fail(ErrHeadSize)
		return n
	}
	if !ok {
		const begin = "HTTP/"
		k := min(len(p.carry), len(begin))
		if string(p.carry[:k]) != begin[:k] {
			p.fail(ErrNotHTTP)
		}
		return n
	}
	var err error
	p.version, p.Status, err = parseStatus(withoutCR(line))
	p.carry = p.carry[:0]
	switch {
	case err != nil:
		p.fail(err)
	case p.Status == 101:
		p.fail(ErrSwitching)
	default:
		p.phase, p.fields = inFields, framing{}
	}
	return n
}

func parseStatus(line []byte) (version, status int, err error) {
	const proto = len("HTTP/1.1")
	if len(line) <= proto || string(line[:5]) != "HTTP/" || !isDigit(line[5]) || line[6] != '.' || !isDigit(line[7]) || line[8] != ' ' {
		return 0, 0, ErrNotHTTP
	}
	code := line[proto+1:]
	for len(code) > 0 && code[0] == ' ' {
		code = code[1:]
	}
	if len(code) < 3 || !isDigit(code[0]) || !isDigit(code[1]) || !isDigit(code[2]) ||
		len(code) > 3 && code[3] != ' ' || code[0] == '0' {
		return 0, 0, ErrStatus
	}
	return 10*int(line[5]-'0') + int(line[7]-'0'), 100*int(code[0]-'0') + 10*int(code[1]-'0') + int(code[2]-'0'), nil
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isSpace(c byte) bool { return c == ' ' || c == '\t' }

// trim drops spaces and tabs at both ends.
func trim(s []byte) []byte {
	for len(s) > 0 && isSpace(s[0]) {
		s = s[1:]
	}
	return trimRight(s)
}

func trimRight(s []byte) []byte {
	for len(s) > 0 && isSpace(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

// fieldLine reads a line of the head or of the trailer, or the received part of it.
//
// A line that begins with a space or tab belongs to the line before, so no line is
// complete before the next byte is known. If that byte is in b the line is read in
// place; otherwise it is held in carry. Folded lines are joined there by one space,
// each without the spaces around it, as net/http does.
func (p *Parser) fieldLine(b []byte) (n int) {
	if p.held {
		p.held = false
		if isSpace(b[0]) {
			p.carry = append(p.carry, ' ')
			p.from = len(p.carry)
		} else {
			p.field(p.carry)
			p.carry, p.from = p.carry[:0], 0
			if p.phase == failed {
				return 0
			}
		}
	}
	line, n, ok := p.line(b)
	p.size += n
	if p.tooLarge() || !ok {
		return n
	}
	physical := line[p.from:]
	whole := len(physical)
	physical = withoutCR(physical)
	if p.phase == inTrailer && len(physical) == whole {
		p.fail(ErrTrailerLF)
		return n
	}
	if p.from == 0 {
		if len(physical) == 0 {
			p.carry = p.carry[:0]
			p.endFields()
			return n
		}
		if bytes.IndexByte(physical, ':') < 0 {
			p.fail(p.fieldError())
			return n
		}
		if len(p.carry) == 0 && n < len(b) && !isSpace(b[n]) {
			p.field(physical)
			return n
		}
		// Spaces in front of the first line are an error, found by field.
		p.carry = append(p.carry[:0], trimRight(physical)...)
	} else {
		p.carry = append(p.carry[:p.from], trim(physical)...)
	}
	p.held = true
	return n
}

func (p *Parser) tooLarge() bool {
	if p.phase == inTrailer {
		if p.size > maxTrailer {
			p.fail(ErrTrailers)
		}
	} else if p.size > maxHead {
		p.fail(ErrHeadSize)
	}
	return p.phase == failed
}

func (p *Parser) fieldError() error {
	if p.phase == inTrailer {
		return ErrTrailer
	}
	return ErrField
}

// field takes a whole field.
func (p *Parser) field(line []byte) {
	colon := bytes.IndexByte(line, ':')
	name, value := line[:colon], line[colon+1:]
	if !validName(name) || !validValue(value) {
		p.fail(p.fieldError())
		return
	}
	if p.phase == inTrailer {
		return
	}
	for len(value) > 0 && isSpace(value[0]) {
		value = value[1:]
	}
	if p.from == 0 {
		// A folded value may end in the space that joins, which counts with net/http.
		value = trimRight(value)
	}
	if f := known(name); f != other {
		if err := p.fields.take(f, value, p.version); err != nil {
			p.fail(err)
			return
		}
	}
	if p.Sink != nil && p.Status >= 200 {
		p.Sink.Field(name, value)
	}
}

// validName reports whether a name consists of token characters and spaces, and does
// not begin with a space. A name with a space is not a known field.
func validName(name []byte) bool {
	if len(name) == 0 || name[0] == ' ' {
		return false
	}
	for _, c := range name {
		if !nameBytes[c] {
			return false
		}
	}
	return true
}

var nameBytes = func() (t [256]bool) {
	for c := byte('0'); c <= 'z'; c++ {
		t[c] = isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'z'
	}
	for _, c := range []byte("!#$%&'*+-.^_`|~ ") {
		t[c] = true
	}
	return t
}()

// meaning is the meaning of a field's name.
type meaning uint8

const (
	other meaning = iota
	contentLength
	transferEncoding
	connection
	trailer
)

// known tells by length and letters.
func known(name []byte) meaning {
	switch len(name) {
	case len("trailer"):
		if equalFold(name, "trailer") {
			return trailer
		}
	case len("connection"):
		if equalFold(name, "connection") {
			return connection
		}
	case len("content-length"):
		if equalFold(name, "content-length") {
			return contentLength
		}
	case len("transfer-encoding"):
		if equalFold(name, "transfer-encoding") {
			return transferEncoding
		}
	}
	return other
}

// equalFold reports that s is lower in letters of any case. lower holds letters
// in lower case and hyphens.
func equalFold(s []byte, lower string) bool {
	if len(s) != len(lower) {
		return false
	}
	for i := range len(lower) {
		c := s[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// take reads a field that matters.
func (f *framing) take(what meaning, value []byte, version int) error {
	switch what {
	case contentLength:
		n, digits, ok := parseLength(trimRight(value))
		if !ok {
			return ErrLength
		}
		// All digits, so that number and length are equal only if the texts are.
		if f.digits > 0 && (n != f.length || digits != f.digits) {
			return ErrLengths
		}
		f.length, f.digits = n, digits
	case transferEncoding:
		if !knowsChunks(version) {
			return nil
		}
		if f.chunked || !equalFold(value, "chunked") {
			return ErrEncoding
		}
		f.chunked = true
	case connection:
		for element := range bytes.SplitSeq(value, comma) {
			element = trim(element)
			f.close = f.close || equalFold(element, "close")
			f.keepAlive = f.keepAlive || equalFold(element, "keep-alive")
		}
	case trailer:
		for element := range bytes.SplitSeq(value, comma) {
			switch known(trim(element)) {
			case contentLength, transferEncoding, trailer:
				f.badTrailer = true
			}
		}
	}
	return nil
}

var comma = []byte{','}

// knowsChunks reports that Transfer-Encoding means something in a version.
// net/http takes 0.0 for 1.1 there.
func knowsChunks(version int) bool { return version >= 11 || version == 0 }

func parseLength(s []byte) (n int64, digits int, ok bool) {
	const most = 1<<63 - 1
	for _, c := range s {
		if !isDigit(c) || n > most/10 {
			return 0, 0, false
		}
		d := int64(c - '0')
		if n = 10 * n; n > most-d {
			return 0, 0, false
		}
		n += d
	}
	return n, len(s), len(s) > 0
}

// endFields selects the phase after the head, or ends the trailer.
func (p *Parser) endFields() {
	if p.phase == inTrailer {
		p.phase = over
		return
	}
	f := &p.fields
	if f.chunked && f.badTrailer {
		p.fail(ErrTrailerKey)
		return
	}
	if p.Status < 200 {
		p.phase = inStatus
		return
	}
	switch {
	case p.version < 10:
		p.KeepAlive = false
	case p.version == 10:
		p.KeepAlive = f.keepAlive && !f.close
	default:
		p.KeepAlive = !f.close
	}
	switch {
	case p.toHead || p.Status == 204 || p.Status == 304:
		p.phase = over
	case f.chunked:
		p.excess = 0
		p.phase = inSize
	case f.digits == 0:
		p.KeepAlive = false
		p.phase = inRest
	case f.length == 0:
		p.phase = over
	default:
		p.rest = uint64(f.length)
		p.phase = inBody
	}
}
