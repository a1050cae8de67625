package lines

import "github.com/aymanbagabas/go-udiff/lcs"

// Mapping maps the lines of one text to those of another.
type Mapping struct {
	to []int // by line, from 1; 0: it is not there
}

// Map finds the lines of one text in another by the difference of the two. A line
// that is found has the same text in both, and found lines have the same order; one
// that was changed is not found.
func Map(from, to []string) Mapping {
	m := Mapping{to: make([]int, len(from)+1)}
	at, now := 0, 0
	same := func(end int) {
		for ; at < end; at, now = at+1, now+1 {
			m.to[at+1] = now + 1
		}
	}
	for _, d := range lcs.DiffLines(from, to) {
		same(d.Start)
		at, now = d.End, d.ReplEnd
	}
	same(len(from))
	return m
}

// To returns the present number of a line; ok is false if it changed or is gone.
func (m Mapping) To(line int) (now int, ok bool) {
	if line < 1 || line >= len(m.to) || m.to[line] == 0 {
		return 0, false
	}
	return m.to[line], true
}
