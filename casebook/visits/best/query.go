package best

import (
	"net/http"
	"strings"
)

// read fills in name and colour as r.FormValue would give them.
func (s *scratch) read(r *http.Request) {
	s.name, s.colour = s.name[:0], s.colour[:0]
	if r.Form == nil && r.PostForm == nil && r.URL != nil &&
		len(r.Header["Content-Type"]) == 0 && // a body of no type is no form
		s.readQuery(r.URL.RawQuery) {
		return
	}
	s.name = append(s.name[:0], r.FormValue("name")...)
	s.colour = append(s.colour[:0], r.FormValue("color")...)
}

// maxPairs is how many pairs of a query are looked at in place. It lies far
// below the number net/url stops at (10,000, or what GODEBUG says), so that
// such queries fail or not where they always did.
const maxPairs = 8

// readQuery reads a query by the rules of url.ParseQuery: pairs are separated
// by &; a pair with a semicolon or a bad escape is left out; the first pair
// of a key counts. It reports false where it does not know: at an escaped key,
// and at more than maxPairs pairs.
func (s *scratch) readQuery(query string) bool {
	var haveName, haveColour bool
	for range maxPairs {
		var ok bool
		switch {
		case !haveName && strings.HasPrefix(query, "name="):
			s.name, query, ok = appendValue(s.name[:0], query[len("name="):])
			haveName = ok
		case !haveColour && strings.HasPrefix(query, "color="):
			s.colour, query, ok = appendValue(s.colour[:0], query[len("color="):])
			haveColour = ok
		default:
			var pair string
			pair, query, _ = strings.Cut(query, "&")
			key, _, _ := strings.Cut(pair, "=") // one with a semicolon is no key of ours
			switch {
			case strings.Contains(key, "%"):
				return false
			case key == "name": // without a value
				haveName = true
			case key == "color":
				haveColour = true
			}
		}
		if query == "" {
			return true
		}
	}
	return false
}

// special marks the bytes of a value that do not stand for themselves.
var special = [256]bool{'&': true, ';': true, '+': true, '%': true}

// appendValue appends the value at the start of query, unescaped, up to its &
// and returns what follows. A value with a semicolon or a bad escape is passed
// over: nothing is appended then, and ok is false.
func appendValue(b []byte, query string) (_ []byte, rest string, ok bool) {
	start, from := len(b), 0
	for i := 0; i < len(query); i++ {
		c := query[i]
		if !special[c] {
			continue
		}
		if c == '&' {
			return append(b, query[from:i]...), query[i+1:], true
		}
		b = append(b, query[from:i]...)
		switch c {
		case '+':
			b = append(b, ' ')
		case '%':
			if i+2 < len(query) {
				hi, ok1 := unhex(query[i+1])
				lo, ok2 := unhex(query[i+2])
				if ok1 && ok2 {
					b = append(b, hi<<4|lo)
					i += 2
					break
				}
			}
			fallthrough
		case ';':
			_, rest, _ = strings.Cut(query[i:], "&")
			return b[:start], rest, false
		}
		from = i + 1
	}
	return append(b, query[from:]...), "", true
}

func unhex(c byte) (byte, bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10, true
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}
