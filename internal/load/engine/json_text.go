package engine

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// keepText begins a string.
func (s *scanner) keepText(keeping bool) {
	s.state, s.keeping, s.kept = inString, keeping, s.kept[:0]
}

// keep keeps as much of a text as can matter.
func (s *scanner) keep(p []byte) {
	if room := s.longest + 1 - len(s.kept); s.keeping && room > 0 {
		s.kept = append(s.kept, p[:min(room, len(p))]...)
	}
}

func (s *scanner) keepRune(r rune) {
	if s.keeping && len(s.kept) <= s.longest {
		s.kept = utf8.AppendRune(s.kept, r)
	}
}

// flush ends half of a surrogate pair that nothing follows.
func (s *scanner) flush() {
	if s.high != 0 {
		s.keepRune(utf8.RuneError)
		s.high = 0
	}
}

// text takes a byte of a string that is not text: its end or an escape's begin.
func (s *scanner) text(c byte) {
	switch c {
	case '\\':
		s.state = inEscape
	case '"':
		s.flush()
		if !s.isKey {
			s.endScalar()
			return
		}
		depth := len(s.open)
		for i := range s.ways {
			w := &s.ways[i]
			if w.on == depth-1 && len(w.steps) >= depth && equal(s.kept, w.steps[depth-1]) {
				w.on = depth
			}
		}
		s.state = wantColon
	default:
		s.fail("a control character in a string")
	}
}

func (s *scanner) escape(c byte) {
	if c == 'u' {
		s.state, s.hex, s.unit = inHex, 4, 0
		return
	}
	i := strings.IndexByte(`"\/bfnrt`, c)
	if i < 0 {
		s.fail("an invalid escape")
		return
	}
	s.flush()
	s.keepRune(rune("\"\\/\b\f\n\r\t"[i]))
	s.state = inString
}

func (s *scanner) digit(c byte) {
	var d byte
	switch {
	case '0' <= c && c <= '9':
		d = c - '0'
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		d = c | 0x20 - 'a' + 10
	default:
		s.fail("an invalid escape")
		return
	}
	s.unit = s.unit<<4 | uint16(d)
	if s.hex--; s.hex > 0 {
		return
	}
	s.state = inString
	r := rune(s.unit)
	if s.high != 0 {
		if pair := utf16.DecodeRune(rune(s.high), r); pair != utf8.RuneError {
			s.high = 0
			s.keepRune(pair)
			return
		}
		s.flush()
	}
	switch {
	case 0xd800 <= r && r < 0xdc00:
		s.high = s.unit
	case utf16.IsSurrogate(r):
		s.keepRune(utf8.RuneError)
	default:
		s.keepRune(r)
	}
}

// number takes a byte after the begin of a number, and reports whether it
// belongs to it. If not, the number has ended, or is broken.
func (s *scanner) number(c byte) bool {
	digit := '0' <= c && c <= '9'
	next := broken
	switch s.state {
	case inMinus:
		if c == '0' {
			next = inZero
		} else if digit {
			next = inDigits
		}
	case inZero, inDigits:
		switch {
		case digit && s.state == inDigits:
			next = inDigits
		case c == '.':
			next = inPoint
		case c|0x20 == 'e':
			next = inE
		}
	case inPoint, inFraction:
		switch {
		case digit:
			next = inFraction
		case c|0x20 == 'e' && s.state == inFraction:
			next = inE
		}
	case inE:
		switch {
		case c == '+' || c == '-':
			next = inSign
		case digit:
			next = inExponent
		}
	case inSign, inExponent:
		if digit {
			next = inExponent
		}
	}
	switch {
	case next != broken:
		s.state = next
		return true
	case s.state.endsNumber():
		s.endScalar()
	default:
		s.fail("a truncated number")
	}
	return false
}

// equal compares stored bytes with a text, in which invalid UTF-8 counts as U+FFFD,
// byte by byte.
func equal(kept []byte, text string) bool {
	for len(kept) > 0 {
		if c := kept[0]; c < utf8.RuneSelf {
			if text == "" || text[0] != c {
				return false
			}
			kept, text = kept[1:], text[1:]
			continue
		}
		r, n := utf8.DecodeRune(kept)
		want, m := utf8.DecodeRuneInString(text)
		if r != want || m == 0 || want == utf8.RuneError && m == 1 {
			return false
		}
		kept, text = kept[n:], text[m:]
	}
	return text == ""
}
