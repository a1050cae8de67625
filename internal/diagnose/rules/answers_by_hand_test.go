package rules_test

import (
	"fmt"
	"strings"
	"testing"

	"whet/internal/diagnose"
	"whet/internal/diagnose/explain"
)

const answersSource = `package app

type chain struct { next *chain; code int; tag, name string } // 3

func (c chain) deepest() chain { // 5
	for c.next != nil {
		c = *c.next // 7
	}
	return c
}

func (c chain) Code() int { return c.deepest().code } // 12
func (c chain) Tag() string { return c.deepest().tag } // 13
func (c chain) Name() string { return c.deepest().name } // 14

func shown(c chain) (int, string) {
	n := c.Code() // 17
	t := c.Tag() // 18
	return n, t + c.Name() // 19
}

func two(c chain) (int, string) {
	n := c.Code() // 23
	return n, c.Tag() // 24
}

func each(list []chain, use func(int, string, string)) {
	for _, c := range list {
		use(c.Code(), c.Tag(), c.Name()) // 29
	}
}

func changed(c chain) (int, string) {
	n := c.Code() // 34
	c.next = nil
	t := c.Tag() // 36
	return n, t + c.Name() // 37
}

type reader struct { text string; at int } // 40

func (r *reader) word() string { // 42
	from := r.at
	for r.at < len(r.text) && r.text[r.at] != ' ' {
		r.at++ // 45
	}
	return r.text[from:r.at]
}

func (r *reader) Verb() string { return r.word() } // 50
func (r *reader) Path() string { return r.word() } // 51
func (r *reader) Proto() string { return r.word() } // 52

func line(r *reader) string {
	return r.Verb() + // 55
		r.Path() + // 56
		r.Proto() // 57
}

func again(c chain, list []int, use func(...any)) {
	for range list {
		use(
			c.Code(), // 63
			c.Tag(), // 64
			c.Name(), // 65
		)
	}
}

type row struct { a, b, c string }

func parse(s string) int { return len(s) } // 72

func (r row) A() int { return parse(r.a) } // 74
func (r row) B() int { return parse(r.b) } // 75
func (r row) C() int { return parse(r.c) } // 76

func sum(r row) int {
	return r.A() + // 79
		r.B() + // 80
		r.C() // 81
}

func one(c chain, kind int) any {
	switch kind {
	case 0:
		return c.Code() // 87
	case 1:
		return c.Tag() // 89
	}
	return c.Name() // 91
}

func (c *chain) cut() { c.next = nil }

func cut(c chain) (int, string) {
	n := c.Code() // 97
	c.cut()
	t := c.Tag() // 99
	return n, t + c.Name() // 100
}

func later(c chain) []func() any {
	return []func() any{
		func() any { return c.Code() }, // 105
		func() any { return c.Tag() }, // 106
		func() any { return c.Name() }, // 107
	}
}

type words struct { *reader }

func (w words) Verb() string { return w.word() } // 113
func (w words) Path() string { return w.word() } // 114
func (w words) Proto() string { return w.word() } // 115

func three(w words) string {
	return w.Verb() + // 118
		w.Path() + // 119
		w.Proto() // 120
}
`

// TestAnswers: a value that is asked for one thing after another, each of which goes through
// the same work.
func TestAnswers(t *testing.T) {
	const deepest = " m/app.chain.deepest:7"
	way := func(function string, lines ...int) (cpu []stack) {
		for i, method := range []string{"Code:12", "Tag:13", "Name:14"}[:len(lines)] {
			cpu = append(cpu, stack{frames: fmt.Sprintf("m/app.%s:%d m/app.chain.%s%s", function, lines[i], method, deepest), n: 150})
		}
		return append(cpu, stack{frames: "other.work", n: 500})
	}
	for _, test := range []struct {
		name string
		cpu  []stack
		line int // of the finding; 0: none
	}{
		{"three things of one chain", way("shown", 17, 18, 19), 17},
		{"two", way("two", 23, 24), 0},
		{"of each of a list", way("each", 29, 29, 29), 29},
		{"in a loop of something else", way("again", 63, 64, 65), 0},
		{"of what changes between them", way("changed", 34, 36, 37), 0},
		{"one that takes nearly all", append(way("shown", 17, 18, 19), stack{frames: "m/app.shown:17 m/app.chain.Code:12" + deepest, n: 1000}), 0},
		{"words of a text, each of which is another", []stack{
			{frames: "m/app.line:55 m/app.(*reader).Verb:50 m/app.(*reader).word:45", n: 150},
			{frames: "m/app.line:56 m/app.(*reader).Path:51 m/app.(*reader).word:45", n: 150},
			{frames: "m/app.line:57 m/app.(*reader).Proto:52 m/app.(*reader).word:45", n: 150},
			{frames: "other.work", n: 500},
		}, 0},
		{"words of a text behind a value", []stack{
			{frames: "m/app.three:118 m/app.words.Verb:113 m/app.(*reader).word:45", n: 150},
			{frames: "m/app.three:119 m/app.words.Path:114 m/app.(*reader).word:45", n: 150},
			{frames: "m/app.three:120 m/app.words.Proto:115 m/app.(*reader).word:45", n: 150},
			{frames: "other.work", n: 500},
		}, 0},
		{"the same for three parts", []stack{
			{frames: "m/app.sum:79 m/app.row.A:74 m/app.parse:72", n: 150},
			{frames: "m/app.sum:80 m/app.row.B:75 m/app.parse:72", n: 150},
			{frames: "m/app.sum:81 m/app.row.C:76 m/app.parse:72", n: 150},
			{frames: "other.work", n: 500},
		}, 0},
		{"one of three by a branch", way("one", 87, 89, 91), 0},
		{"of what a method changes between them", way("cut", 97, 99, 100), 0},
		{"in three literals", way("later.func1", 105, 106, 107), 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := app(t, answersSource, known, test.cpu, []stack{{frames: "m/app.other:300", n: 1, size: 16}})
			reg, err := diagnose.NewRegistry(explain.Rules()...)
			if err != nil {
				t.Fatal(err)
			}
			line := 0
			for _, f := range run(t, reg, []*diagnose.Subject{s}).Findings {
				if f.Rule == "computed-again" {
					line = f.Line
					if !strings.Contains(f.Why, "asks c for 3 things by a call each (Code, Name, Tag), and each call does the work of app.chain.deepest anew") {
						t.Errorf("it says %q", f.Why)
					}
				}
			}
			if line != test.line {
				t.Errorf("it speaks of line %d, want %d", line, test.line)
			}
		})
	}
}
