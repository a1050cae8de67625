package regexpreplace

import (
	"slices"

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
		Fixed: func(c *typed.Call) typed.Fixed {
			if len(c.Fixed) == 0 || !c.Fixed[0].Always() {
				return typed.Fixed{}
			}
			return c.Fixed[0]
		},
	}) {
		c := &compilation{place: p}
		calls, _ := s.StatementCalls(p.At)
		for i := range calls {
			if compiles(calls[i].Callee) {
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
	from := func(call *typed.Call) bool {
		m := call.Recv
		return m != nil && compiles(m.Callee) && (m.Held == "" || m.Held == "local") && c.place.At.First <= m.Line && m.Line <= c.place.At.Last
	}
	i := slices.IndexFunc(r.calls, func(call typed.Call) bool { return from(&call) })
	if i < 0 {
		return false
	}
	if r.calls[i].Recv.Held == "" {
		return true
	}
	uses := 0
	for _, call := range l.s.Calls[r.At.File] {
		if _, _, ok := equivalent(&call); ok && call.In == r.calls[i].In && from(&call) {
			uses++
		}
	}
	return uses == r.calls[i].Recv.Uses
}
