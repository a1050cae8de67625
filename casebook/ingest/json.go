package ingest

import (
	"encoding/binary"
	"unicode/utf8"
)

// MaxDepth is how deep a document may be nested, itself included. Beyond some
// depth a search engine refuses it; here it bounds the stack.
const MaxDepth = 100

// isDocument reports whether b is one JSON object in UTF-8 with nothing around
// it, and tells m of its members.
//
// The functions below take the position of what they read and return the one
// after it, or -1.
func isDocument(b []byte, m *metadata) bool {
	return len(b) > 0 && b[0] == '{' && utf8.Valid(b) && object(b, 0, MaxDepth, m) == len(b)
}

func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\r' || b[i] == '\n') {
		i++
	}
	return i
}

// object reads an object; i is at its brace. m is nil but for the outermost.
func object(b []byte, i, depth int, m *metadata) int {
	if depth == 0 {
		return -1
	}
	i = space(b, i+1)
	if i < len(b) && b[i] == '}' {
		return i + 1
	}
	for {
		if i >= len(b) || b[i] != '"' {
			return -1
		}
		name := i + 1
		if i = text(b, i); i < 0 {
			return -1
		}
		nameEnd := i - 1
		i = space(b, i)
		if i >= len(b) || b[i] != ':' {
			return -1
		}
		from := space(b, i+1)
		if i = value(b, from, depth); i < 0 {
			return -1
		}
		if m != nil {
			m.add(b[name:nameEnd], b[from:i])
		}
		i = space(b, i)
		if i >= len(b) {
			return -1
		}
		switch b[i] {
		case '}':
			return i + 1
		case ',':
			i = space(b, i+1)
		default:
			return -1
		}
	}
}

// array reads an array; i is at its bracket.
func array(b []byte, i, depth int) int {
	if depth == 0 {
		return -1
	}
	i = space(b, i+1)
	if i < len(b) && b[i] == ']' {
		return i + 1
	}
	for {
		if i = value(b, i, depth); i < 0 {
			return -1
		}
		i = space(b, i)
		if i >= len(b) {
			return -1
		}
		switch b[i] {
		case ']':
			return i + 1
		case ',':
			i = space(b, i+1)
		default:
			return -1
		}
	}
}

// value reads a value inside an object or array that may be nested depth deep.
func value(b []byte, i, depth int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"':
		return text(b, i)
	case '{':
		return object(b, i, depth-1, nil)
	case '[':
		return array(b, i, depth-1)
	case 't':
		return word(b, i, "true")
	case 'f':
		return word(b, i, "false")
	case 'n':
		return word(b, i, "null")
	}
	return number(b, i)
}

func word(b []byte, i int, w string) int {
	if len(b)-i < len(w) || string(b[i:i+len(w)]) != w {
		return -1
	}
	return i + len(w)
}

// text reads text; i is at its opening quote.
func text(b []byte, i int) int {
	i++
	for {
		for len(b)-i >= 8 && plain(binary.LittleEndian.Uint64(b[i:])) {
			i += 8
		}
		for i < len(b) && !ends[b[i]] {
			i++
		}
		if i >= len(b) {
			return -1
		}
		switch b[i] {
		case '"':
			return i + 1
		case '\\':
			if i = escape(b, i); i < 0 {
				return -1
			}
		default:
			return -1 // a control character
		}
	}
}

// ends marks the bytes that do not stand for themselves in text.
var ends = func() (t [256]bool) {
	for c := range 0x20 {
		t[c] = true
	}
	t['"'], t['\\'] = true, true
	return t
}()

// plain reports whether all eight bytes of x stand for themselves in text. For
// each byte c it looks at bit 7 of three differences: c-0x20 borrows where c is
// a control character, and c^k-1 where c is k. A byte from 0x80 on has bit 7
// set in c itself and is none of the three, so those bits are masked out by ^x.
// A borrow can run on into the next byte, but only out of a byte that has been
// found already: the answer for all eight is exact.
func plain(x uint64) bool {
	const (
		ones = 0x0101010101010101
		high = 0x80 * ones
	)
	quote, slash := x^'"'*ones, x^'\\'*ones
	return ((x-0x20*ones)|(quote-ones)|(slash-ones))&^x&high == 0
}

// escape reads one escape; i is at its backslash.
func escape(b []byte, i int) int {
	if i+1 >= len(b) {
		return -1
	}
	switch b[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2
	case 'u':
		if len(b)-i < 6 {
			return -1
		}
		for _, c := range b[i+2 : i+6] {
			if c-'0' > 9 && c|0x20-'a' > 5 {
				return -1
			}
		}
		return i + 6
	}
	return -1
}

func number(b []byte, i int) int {
	if b[i] == '-' {
		i++
	}
	switch {
	case i >= len(b):
		return -1
	case b[i] == '0':
		i++
	default:
		if i = digits(b, i); i < 0 {
			return -1
		}
	}
	if i < len(b) && b[i] == '.' {
		if i = digits(b, i+1); i < 0 {
			return -1
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		return digits(b, i)
	}
	return i
}

// digits reads one digit or more.
func digits(b []byte, i int) int {
	from := i
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	if i == from {
		return -1
	}
	return i
}
