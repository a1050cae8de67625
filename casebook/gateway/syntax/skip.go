package syntax

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

func skipSpace(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || text[i] == '\r') {
		i++
	}
	return i
}

// levels has a bit for each array or object that is open, set for objects.
type levels [MaxDepth / 64]uint64

func (l *levels) set(n int, object bool) {
	if object {
		l[n/64] |= 1 << (n % 64)
	} else {
		l[n/64] &^= 1 << (n % 64)
	}
}

func (l *levels) object(n int) bool { return l[n/64]>>(n%64)&1 != 0 }

// skipValue returns the end of the value that begins at text[i].
func skipValue(text []byte, i, depth int) (int, error) {
	var open levels
	n := 0 // how many are open
	for {
		// A value begins.
		if i = skipSpace(text, i); i == len(text) {
			return 0, Broken
		}
		switch b := text[i]; b {
		case '"':
			i = skipString(text, i)
		case '{', '[':
			if n >= depth {
				return 0, Deep
			}
			i = skipSpace(text, i+1)
			if i < len(text) && text[i] == b+2 { // { and }, [ and ] are two apart
				i++
				break
			}
			open.set(n, b == '{')
			n++
			if b == '{' {
				i = skipName(text, i)
			}
			if i < 0 {
				return 0, Broken
			}
			continue
		case 't':
			i = skipWord(text, i, "true")
		case 'f':
			i = skipWord(text, i, "false")
		case 'n':
			i = skipWord(text, i, "null")
		default:
			i = skipNumber(text, i)
		}
		if i < 0 {
			return 0, Broken
		}
		// A value has ended, and with it perhaps those it was in.
		for more := false; !more; {
			if n == 0 {
				return i, nil
			}
			if i = skipSpace(text, i); i == len(text) {
				return 0, Broken
			}
			object := open.object(n - 1)
			switch b := text[i]; {
			case b == ',':
				i++
				if object {
					i = skipName(text, skipSpace(text, i))
				}
				if i < 0 {
					return 0, Broken
				}
				more = true
			case b == '}' && object, b == ']' && !object:
				i++
				n--
			default:
				return 0, Broken
			}
		}
	}
}

// skipName returns the end of a name and its colon, or -1.
func skipName(text []byte, i int) int {
	if i = skipString(text, i); i < 0 {
		return -1
	}
	if i = skipSpace(text, i); i == len(text) || text[i] != ':' {
		return -1
	}
	return i + 1
}

func skipWord(text []byte, i int, word string) int {
	if len(text)-i < len(word) || string(text[i:i+len(word)]) != word {
		return -1
	}
	return i + len(word)
}

// skipNumber returns the end of a number by RFC 8259, section 6, or -1.
func skipNumber(text []byte, i int) int {
	if i < len(text) && text[i] == '-' {
		i++
	}
	if i < len(text) && text[i] == '0' {
		i++
	} else if i = skipDigits(text, i); i < 0 {
		return -1
	}
	if i < len(text) && text[i] == '.' {
		if i = skipDigits(text, i+1); i < 0 {
			return -1
		}
	}
	if i < len(text) && text[i]|0x20 == 'e' {
		i++
		if i < len(text) && (text[i] == '+' || text[i] == '-') {
			i++
		}
		return skipDigits(text, i)
	}
	return i
}

// skipDigits returns the end of at least one digit, or -1.
func skipDigits(text []byte, i int) int {
	from := i
	for i < len(text) && text[i]-'0' <= 9 {
		i++
	}
	if i == from {
		return -1
	}
	return i
}

// skipString returns the end of the string at text[i], or -1.
func skipString(text []byte, i int) int {
	if i >= len(text) || text[i] != '"' {
		return -1
	}
	i++
	for {
		if i = skipPlain(text, i); i == len(text) {
			return -1
		}
		switch b := text[i]; {
		case b == '"':
			return i + 1
		case b == '\\':
			if i = skipEscape(text, i); i < 0 {
				return -1
			}
		case b < 0x20:
			return -1
		default:
			r, size := utf8.DecodeRune(text[i:])
			if r == utf8.RuneError && size == 1 {
				return -1
			}
			i += size
		}
	}
}

// skipPlain goes to the first byte that does not just stand for itself: a
// quote, a backslash, a control character, a byte that is not ASCII.
//
// Eight bytes at a time are looked at in one word. For each byte b,
// (b-0x20)&^b has its high bit set when b is below 0x20, and (z-1)&^z when z,
// which is b with a quote or a backslash taken away by exclusive or, is 0. The
// subtractions run over the whole word, so a byte that is found may make the
// ones after it look found: only the first counts.
func skipPlain(text []byte, i int) int {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	for len(text)-i >= 8 {
		b := binary.LittleEndian.Uint64(text[i:])
		quote, slash := b^'"'*ones, b^'\\'*ones
		found := (b | (b-0x20*ones)&^b | (quote-ones)&^quote | (slash-ones)&^slash) & high
		if found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
		i += 8
	}
	for i < len(text) && text[i] >= 0x20 && text[i] < utf8.RuneSelf && text[i] != '"' && text[i] != '\\' {
		i++
	}
	return i
}

// skipEscape returns the end of the escape at text[i], of both where two make
// one character, or -1.
func skipEscape(text []byte, i int) int {
	if i+1 >= len(text) {
		return -1
	}
	switch text[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2
	case 'u':
		r := unit(text, i)
		switch {
		case r < 0 || isLow(r):
			return -1
		case !isHigh(r):
			return i + 6
		case isLow(unit(text, i+6)):
			return i + 12
		}
	}
	return -1
}

// unit returns what the escape \uXXXX at text[i] stands for, or -1 if there is
// none.
func unit(text []byte, i int) rune {
	if len(text)-i < 6 || text[i] != '\\' || text[i+1] != 'u' {
		return -1
	}
	var r rune
	for _, b := range text[i+2 : i+6] {
		switch {
		case b-'0' <= 9:
			b -= '0'
		case b|0x20-'a' <= 5:
			b = b | 0x20 - 'a' + 10
		default:
			return -1
		}
		r = r<<4 | rune(b)
	}
	return r
}

func isHigh(r rune) bool { return 0xd800 <= r && r < 0xdc00 }

func isLow(r rune) bool { return 0xdc00 <= r && r < 0xe000 }
