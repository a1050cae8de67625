package regexpreplace

import (
	"math"

	"whet/internal/diagnose"
	"whet/internal/diagnose/repeated"
	"whet/internal/typed"
)

// compilation is a statement that compiles constant patterns again and again.
type compilation struct {
	place *repeated.Place
	calls int // that compile, in the statement
	taken bool
}

type compiledList struct {
	s    *diagnose.Subject
	list []*compilation
}

// compilations finds what regexp-compile would claim.
func compilations(s *diagnose.Subject) *compiledList {
	out := &compiledList{s: s}
	for _, p := range repeated.Find(s, repeated.Search{
		Function: compiles,
		Fixed: func(c typed.Site) typed.Fixed {
			if f := c.FixedAt(0); f.Always() {
				return f
			}
			return typed.Fixed{}
		},
	}) {
		c := &compilation{place: p}
		for _, call := range s.Sites(p.At) {
			if compiles(call.Callee()) {
				c.calls++
			}
		}
		out.list = append(out.list, c)
	}
	return out
}

// join gives a replacement the compilations that serve it alone: with it they
// go. It returns false where a compilation in the very statement remains: then
// regexp-compile has more to say about it.
func (l *compiledList) join(r *replacement) bool {
	for _, c := range l.list {
		at := c.place.At
		if at.File != r.At.File {
			continue
		}
		if !c.taken && c.calls == 1 && l.serves(c, r) {
			c.taken = true
			r.with = append(r.with, c.place)
		} else if r.At.First <= at.First && at.First <= r.At.Last {
			return false
		}
	}
	return true
}

// serves reports whether a compilation is made for a replacement's calls and
// for nothing else that keeps it.
func (l *compiledList) serves(c *compilation, r *replacement) bool {
	from := func(call typed.Site) *typed.Made {
		m := call.Receiver()
		if m == nil || !compiles(m.Callee) || m.Held != "" && m.Held != "local" || m.Line < c.place.At.First || c.place.At.Last < m.Line {
			return nil
		}
		return m
	}
	for _, call := range r.calls {
		m := from(call)
		if m == nil {
			continue
		}
		uses := 0
		for _, other := range l.s.Program.Sites(r.At.File, 0, math.MaxInt-1) {
			if _, _, ok := equivalent(other); ok && other.Function() == call.Function() && from(other) != nil {
				uses++
			}
		}
		return m.Held == "" || uses == m.Uses
	}
	return false
}
