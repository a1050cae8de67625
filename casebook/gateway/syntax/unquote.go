package syntax

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// Unquote returns what a string that has passed stands for, given without its
// quotes. Without an escape that is the text itself, and no memory of its own.
func Unquote(raw []byte) []byte {
	slash := bytes.IndexByte(raw, '\\')
	if slash < 0 {
		return raw
	}
	b := make([]byte, 0, len(raw)) // no escape is shorter than what it stands for
	for slash >= 0 {
		b = append(b, raw[:slash]...)
		size := 2
		switch e := raw[slash+1]; e {
		case 'b':
			b = append(b, '\b')
		case 'f':
			b = append(b, '\f')
		case 'n':
			b = append(b, '\n')
		case 'r':
			b = append(b, '\r')
		case 't':
			b = append(b, '\t')
		case 'u':
			size = 6
			r := unit(raw, slash)
			if isHigh(r) {
				r = utf16.DecodeRune(r, unit(raw, slash+6))
				size = 12
			}
			b = utf8.AppendRune(b, r)
		default:
			b = append(b, e)
		}
		raw = raw[slash+size:]
		slash = bytes.IndexByte(raw, '\\')
	}
	return append(b, raw...)
}
