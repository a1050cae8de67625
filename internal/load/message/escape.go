package message

import (
	"errors"
	"unicode/utf8"
)

// escape is how a value is written at its place.
type escape int

const (
	plain   escape = iota // as it is: in a header and a body
	inPath                // a segment of a URL's path
	inQuery               // a value of a URL's query, or of a form
	inJSON                // inside the quotes of a JSON string
	rawURL                // part of a URL, kept; only bytes that no URL may hold are escaped
	raw                   // of {{raw …}}: rawURL in a URL, plain elsewhere
)

// filters are the words before a generator that determine the escaping of its value.
var filters = map[string]escape{"raw": raw, "query": inQuery, "json": inJSON}

// filtered returns the escaping of a value with a filter at a position.
func (e escape) filtered(filter escape) (escape, error) {
	url := e == inPath || e == inQuery || e == rawURL
	switch {
	case filter == raw && url:
		return rawURL, nil
	case filter == raw:
		return plain, nil
	case filter == inJSON && url:
		return 0, errors.New("json is for headers and bodies; values in a URL are escaped for the URL")
	}
	return filter, nil
}

// longestEscape is the number of bytes that one becomes at most: \u001f in JSON.
const longestEscape = 6

const upperHex = "0123456789ABCDEF"

// append writes a value.
func (e escape) append(dst []byte, value string) []byte {
	switch e {
	case inPath, inQuery, rawURL:
		return e.appendURL(dst, value)
	case inJSON:
		return appendJSON(dst, value)
	}
	return append(dst, value...)
}

// appendURL writes a value into a URL. Paths and queries come out as those of
// net/url's PathEscape and QueryEscape.
func (e escape) appendURL(dst []byte, value string) []byte {
	for i := range len(value) {
		c := value[i]
		switch {
		case e == inQuery && c == ' ':
			dst = append(dst, '+')
		case e == rawURL && c == '%' && !percentAt(value, i):
			dst = append(dst, "%25"...)
		case e.stays(c):
			dst = append(dst, c)
		default:
			dst = append(dst, '%', upperHex[c>>4], upperHex[c&15])
		}
	}
	return dst
}

// stays reports whether a byte is written as it is.
func (e escape) stays(c byte) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		return true
	}
	switch c {
	case '-', '_', '.', '~':
		return true
	case '$', '&', '+', '=', ':', '@':
		return e != inQuery
	case '/', '?', '%', ';', ',', '!', '\'', '(', ')', '*', '[', ']':
		return e == rawURL
	}
	return false
}

// percentAt reports whether a percent sign begins an escaped byte.
func percentAt(s string, i int) bool {
	return i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2])
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// appendJSON writes a value between the quotes of a JSON string.
func appendJSON(dst []byte, value string) []byte {
	for _, r := range value { // invalid UTF-8 becomes U+FFFD, as in encoding/json
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r < 0x20:
			dst = append(dst, '\\', 'u', '0', '0', upperHex[r>>4], upperHex[r&15])
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return dst
}
