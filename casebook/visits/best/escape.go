package best

import "unicode/utf8"

// mark says where a byte does not stand for itself.
type mark uint8

const (
	inHTML mark = 1 << iota
	inJSON
)

var marked = func() (t [256]mark) {
	for c := range t {
		switch c {
		case '"':
			t[c] = inHTML | inJSON
		case '&', '<', '>', '\'':
			t[c] = inHTML
		case '\\':
			t[c] = inJSON
		default:
			if c < 0x20 || c >= 0x7f {
				t[c] = inJSON
			}
		}
	}
	return t
}()

// marksOf looks at a text once for both places it goes to.
func marksOf(text []byte) (m mark) {
	for _, c := range text {
		m |= marked[c]
	}
	return m
}

// appendHTML appends text as html.EscapeString would escape it.
func appendHTML(b, text []byte) []byte {
	from := 0
	for i, c := range text {
		var entity string
		switch c {
		case '&':
			entity = "&amp;"
		case '<':
			entity = "&lt;"
		case '>':
			entity = "&gt;"
		case '\'':
			entity = "&#39;"
		case '"':
			entity = "&#34;"
		default:
			continue
		}
		b = append(b, text[from:i]...)
		b = append(b, entity...)
		from = i + 1
	}
	return append(b, text[from:]...)
}

// appendJSON appends the inside of a JSON string. A byte that is not UTF-8
// becomes U+FFFD.
func appendJSON(b, text []byte) []byte {
	const hex = "0123456789abcdef"
	from := 0
	for i := 0; i < len(text); {
		c := text[i]
		if marked[c]&inJSON == 0 {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			if r, size := utf8.DecodeRune(text[i:]); r != utf8.RuneError || size != 1 {
				i += size
				continue
			}
		}
		b = append(b, text[from:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\b':
			b = append(b, `\b`...)
		case '\f':
			b = append(b, `\f`...)
		case '\n':
			b = append(b, `\n`...)
		case '\r':
			b = append(b, `\r`...)
		case '\t':
			b = append(b, `\t`...)
		default:
			if c >= utf8.RuneSelf {
				b = append(b, `\ufffd`...)
			} else {
				b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xF])
			}
		}
		i++
		from = i
	}
	return append(b, text[from:]...)
}
