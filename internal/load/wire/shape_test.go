package wire

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// shaped holds a parser with a shape that has seen first, and then near, a head
// like it, against one without: the same result for second.
func shaped(t testing.TB, first, near, second []byte, head bool, cut int) (matched bool) {
	t.Helper()
	s := &Shape{}
	p := &Parser{Shape: s}
	parse(t, p, first, head)
	parse(t, p, near, head)
	matched = len(second) > 0 && s.match(&Parser{}, second[:cut]) > 0 // only says whether, on a parser of its own
	got, want := parse(t, p, second, head, cut), parse(t, &Parser{}, second, head, cut)
	if got != want {
		t.Fatalf("after %q and %q: %q (HEAD %v), cut at %d: with a shape %+v, parsed %+v", first, near, second, head, cut, got, want)
	}
	return matched
}

// TestShapeOfFolds: the second line of a field that matters looks like a field
// that does not.
func TestShapeOfFolds(t *testing.T) {
	answer := func(end string) []byte {
		return []byte("HTTP/1.1 200 OK\r\nConnection: a\r\n b:" + end + "\r\nContent-Length: 0\r\n\r\n")
	}
	if shaped(t, answer(",cl0se"), answer(",clo5e"), answer(",close"), false, len(answer(",close"))) {
		t.Error("matched")
	}
}

const dated = "HTTP/1.1 200 OK\r\nDate: %s\r\nX-Request-Id: %s\r\nContent-Length: %d\r\n\r\n%s"

func TestShapeMatches(t *testing.T) {
	answer := func(date, id string, body string) []byte { return fmt.Appendf(nil, dated, date, id, len(body), body) }
	first := answer("Sat, 21 Nov 2026 06:58:43 GMT", "aaaa", "hello")
	for _, c := range []struct {
		name         string
		near, second []byte
		want         bool
	}{
		{"equal", first, first, true},
		{"another date", first, answer("Sat, 21 Nov 2026 06:58:44 GMT", "aaaa", "hello"), true},
		{"another body", first, answer("Sat, 21 Nov 2026 06:58:43 GMT", "aaaa", "world"), true},
		{"another number", first, answer("Sat, 21 Nov 2026 06:58:43 GMT", "aaab", "hello"), false},
		{"another number, as before", answer("Sat, 21 Nov 2026 06:58:43 GMT", "aaab", "hello"), answer("Sat, 21 Nov 2026 06:58:43 GMT", "aaac", "hello"), true},
		{"another length", first, answer("Sat, 21 Nov 2026 06:58:43 GMT", "aaaa", "hell"), false},
		{"another length, as before", answer("Sat, 21 Nov 2026 06:58:43 GMT", "aaaa", "hell"), first, false},
		{"a line feed in the date", first, answer("Sat, 21 Nov 2026 06:58:4\n GMT", "aaaa", "hello"), false},
		{"another status", first, bytes.Replace(first, []byte("200"), []byte("500"), 1), false},
		{"cut off", first, first[:40], false},
	} {
		if got := shaped(t, first, c.near, c.second, false, len(c.second)); got != c.want {
			t.Errorf("%s: matched %v", c.name, got)
		}
	}
}

// TestShapeOfHEAD: the answers to HEAD and GET may have the same head.
func TestShapeOfHEAD(t *testing.T) {
	in := []byte("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
	p := &Parser{Shape: &Shape{}}
	for _, head := range []bool{true, true, false, false, true} {
		got, want := parse(t, p, in, head), parse(t, &Parser{}, in, head)
		if got != want {
			t.Errorf("HEAD %v: %+v, want %+v", head, got, want)
		}
	}
}

// TestShapePauses: answers that are never alike cost little more than parsing,
// and the shape is found again once they are.
func TestShapePauses(t *testing.T) {
	p := &Parser{Shape: &Shape{}}
	learned, last := 0, ""
	for i := range 10_000 {
		parse(t, p, fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nX: %s\r\nContent-Length: 0\r\n\r\n", strings.Repeat("x", i%1000)), false)
		if now := string(p.Shape.head); now != last {
			learned, last = learned+1, now
		}
	}
	if learned > 200 {
		t.Errorf("%d of 10,000 answers were learned", learned)
	}
	in := []byte("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
	for range maxPause + 1 {
		parse(t, p, in, false)
	}
	if p.Shape.match(&Parser{}, in) == 0 {
		t.Error("equal answers are not recognised")
	}
}

// TestShapesOfAnswers tries each seed as the answer after each other one, and
// after itself with bytes changed.
func TestShapesOfAnswers(t *testing.T) {
	for i, first := range answers {
		if len(first) > 300 {
			continue
		}
		for _, second := range answers {
			shaped(t, []byte(first), []byte(first), []byte(second), i%2 == 0, len(second))
		}
		for at := range len(first) {
			for _, c := range []byte("\r\n:0 \tax\x00") {
				second := []byte(first)
				second[at] = c
				shaped(t, []byte(first), []byte(first), second, false, len(second))
			}
		}
	}
}

// FuzzShape changes some bytes of an answer twice, and cuts it.
func FuzzShape(f *testing.F) {
	for i, in := range answers {
		f.Add([]byte(in), uint16(i), "a", uint16(3*i), "b", i%2 == 0, uint16(i*5))
	}
	f.Fuzz(func(t *testing.T, first []byte, a uint16, x string, b uint16, y string, head bool, cut uint16) {
		near := overwrite(first, int(a), x)
		second := overwrite(overwrite(first, int(a), y), int(b), x)
		shaped(t, first, near, second, head, int(cut)%(len(second)+1))
		shaped(t, first, near, second, head, len(second))
	})
}

// overwrite puts s into b at some place, without changing its length.
func overwrite(b []byte, at int, s string) []byte {
	b = bytes.Clone(b)
	if len(b) > 0 {
		copy(b[at%len(b):], s)
	}
	return b
}
