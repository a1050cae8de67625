package collections

import (
	"strings"
	"testing"

	"whet/internal/diagnose"
)

// Which map a line looks into, and what alone may take memory in it.
func TestLines(t *testing.T) {
	const head = `package app

import (
	"gone"
	"maps"
)

type T struct{ m map[string]int; l []string; a any; p *T }
type list[K comparable] struct{ all []K }
type table[K comparable] map[K]int

var x, y T
var text string
var bytes []byte
var number float64
func named(s string) string { return s }
func f(v any, n int, g list[int]) {
	`
	for _, test := range []struct{ statement, looks, takes string }{
		{"x.m[text] = 1", "m", "m"},
		{"x.m[text]++", "m", "m"},
		{"n = x.m[text]", "m", ""},
		{"n = x.m[text] + y.m[text]", "m", ""}, // one field is one collection
		{"delete(x.m, text)", "m", ""},
		{"clear(x.m)", "m", ""},
		{"for k := range x.m { _ = k }", "m", ""},
		{"for k := range maps.Keys(x.m) { _ = k }", "m", ""},
		{"var u table[string]; u[text] = 1", "u", "u"},
		{"n = len(x.m)", "", ""},
		{"x.m = make(map[string]int)", "m", "m"},
		{"x.l = append(x.l, text)", "", "l"},
		{"x.l = append(x.l, named(text))", "", "l"},
		{"x.l = make([]string, n)", "", "l"},
		{"x.l = []string{text}", "", "l"},
		{"x.l[0] = text", "", ""},
		{"g.all = append(g.all, int(number))", "", "all"},
		{"var u list[int]; u.all = append(u.all, 1)", "", "all"},
		{"x.l = append(x.l, `a`+`b`)", "", "l"},
		{"if n > 1 && n < 2 { n = n + 1 }; x.m[text] = n + 1", "m", "m"},
		{"x.l, n = append(x.l, text), x.m[text]", "m", "l"},

		{"x.l = append(x.l, text+`a`)", "", ""},
		{"x.l = append(x.l, string(bytes))", "", ""},
		{"x.l = append(x.l, text); bytes = []byte(text)", "", ""},
		{"x.l = append(x.l, text); x.a = any(n)", "", ""},
		{"x.l = append(x.l, text); x.p = new(T)", "", ""},
		{"x.l = append(x.l, text); x.p = &T{}", "", ""},
		{"x.l = append(x.l, text); x.a = []int{n}", "", ""},
		{"x.l = append(x.l, text); x.a = func() int { return n }", "", ""},
		{"x.l = append(x.l, text); x.a = make(chan int)", "", ""},
		{"x.l = append(x.l, text); text += `a`", "", ""},
		{"x.l = append(x.l, text); g.all = append(g.all, n)", "", ""},
		{"x.m[text] = gone.Number() + gone.Other()", "m", ""},
		{"x.m[text] = gone.Map[text]", "", "m"},
		{"x.m[text] = v.(map[string]int)[text]", "", "m"},
		{"for k := range gone.Map { n = x.m[k] }", "", ""},
		{"clear(gone.Map); x.m[text] = 1", "", "m"},
	} {
		p := reading(t, map[string]string{"app.go": head + test.statement + "\n}\n"})
		l := p.lines[diagnose.SourceLine{File: "app.go", Line: strings.Count(head, "\n") + 1}]
		looks, takes := "", ""
		if c := l.oneMap(); c != nil {
			looks = c.Var.Name()
		}
		if c := l.oneTaker(); c != nil {
			takes = c.Var.Name()
		}
		if looks != test.looks || takes != test.takes {
			t.Errorf("%s: looks into %q, takes memory for %q", test.statement, looks, takes)
		}
	}
}
