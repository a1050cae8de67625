package rules_test

import (
	"slices"
	"testing"
)

// unaskedSource looks like lists that are kept for an answer nobody asks for, and
// like a clock that is asked for a deadline.
const unaskedSource = `package app

import "time"

type parser struct{ path []string } // 5

func matches(path []string, want string) bool { for _, p := range path { if p == want { return true } }; return false } // 7

func (p *parser) enter(name string) bool {
	p.path = append(p.path, name) // 10
	return matches(p.path, name) // 11
}

type deep struct{ open []string } // 14

func (d *deep) enter(name, want string) bool {
	d.open = append(d.open, name) // 17
	if len(d.open) > 1000 {
		return true
	}
	if want == "" {
		return false
	}
	return matches(d.open, want)
}

type two struct{ way []string } // 27

func holds(path []string, want string) bool { for _, p := range path { if p == want { return true } }; return false }

func (w *two) enter(name, want string) bool {
	w.way = append(w.way, name) // 32
	if want == "" {
		return false
	}
	return matches(w.way, want) && holds(w.way, want)
}

type limiter struct{ until time.Time } // 39

func (l *limiter) start(d time.Duration) {
	l.until = time.Now().Add(d) // 42
}

func (l *limiter) left() time.Duration { return l.until.Sub(time.Now()) }
`

// TestAskedEachTime: an answer that is asked each time, or besides another, or for
// what is left until a deadline, is not one that nobody asks for.
func TestAskedEachTime(t *testing.T) {
	for _, c := range []struct{ name, rule, at string }{
		{"asked each time", "used-in-part", "m/app.(*parser).enter:10 runtime.growslice runtime.mallocgc"},
		{"a bound on the length", "used-in-part", "m/app.(*deep).enter:17 runtime.growslice runtime.mallocgc"},
		{"two answers", "used-in-part", "m/app.(*two).enter:32 runtime.growslice runtime.mallocgc"},
		{"the time that is left", "one-at-a-time", "m/app.(*limiter).start:42 time.Now time.now"},
	} {
		cpu := slices.Concat([]stack{{frames: c.at, n: 400}, {frames: "other.work", n: 600}}, []stack{{frames: "m/app.(*parser).enter:11 m/app.matches:7", n: 19}})
		s := app(t, unaskedSource, known, cpu, []stack{{frames: "m/app.other:300", n: 1, size: 16}})
		for _, f := range said(t, c.rule, s) {
			t.Errorf("%s: line %d: %s %s", c.name, f.Line, f.Why, f.Remedy)
		}
	}
}
