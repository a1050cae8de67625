package rules_test

import "testing"

const rescansSource = `package app

import ("fmt"; "strings")

func numbered(q string) string { // 5
	for i := 1; strings.Contains(q, "?"); i++ {
		q = strings.Replace(q, "?", fmt.Sprint(i), 1) // 7
	}
	return q
}

func each2(list []string) {
	for i, q := range list {
		list[i] = strings.Replace(q, "?", "x", 1) // 14
	}
}

type kind struct { name string; ext []string } // 18

type kinds struct { all, late []kind }

func (k *kinds) by(ext string) (kind, bool) { // 22
	for _, t := range k.all {
		for _, e := range t.ext {
			if strings.EqualFold(e, ext) { // 25
				return t, true
			}
		}
	}
	return kind{}, false
}

func (k *kinds) of(file string) (kind, bool) { return k.by(file[1:]) } // 33

func (k *kinds) find(name string) *kind {
	for i := range k.late {
		if k.late[i].name == name { // 37
			return &k.late[i]
		}
	}
	return nil
}

func (k *kinds) enter(name string) *kind {
	if t := k.find(name); t != nil { // 45
		return t
	}
	k.late = append(k.late, kind{name: name}) // 48
	return nil
}

type matrix interface { at(i, j int) float64 } // 52

type dense struct { n int; data []float64 }

func (d *dense) at(i, j int) float64 { return d.data[i*d.n+j] } // 56

type turned struct { of matrix }

func (t turned) at(i, j int) float64 { return t.of.at(j, i) } // 60

func sumOf(m matrix, n int) (sum float64) {
	for i := range n {
		for j := range n {
			sum += m.at(i, j) // 65
		}
	}
	return sum
}

func trace(m matrix, n int) (sum float64) {
	for i := range n {
		sum += m.at(i, i) // 73
	}
	return sum
}

type query struct { raw string; n int } // 78

func (q *query) value(name string) string {
	return strings.Join(strings.Split(q.raw, "&"), name) // 81
}

func (q *query) number(name string) int { return len(q.value(name)) } // 84

func pageOf(q *query) int {
	return q.number("from") + q.number("to") + len(q.value("sort")) // 87
}

func one2(q *query) string {
	return q.value("sort") // 91
}

type sub struct { pattern string; n int } // 94

type broker struct { subs []*sub }

func fits(pattern []string, topic string) bool { return len(pattern) > len(topic) } // 98

func (b *broker) publish(topic string) {
	for _, s := range b.subs {
		if fits(strings.Split(s.pattern, "."), topic) { // 102
			s.n++
		}
	}
}

func (b *broker) renamed(topic string) {
	for _, s := range b.subs {
		s = &sub{pattern: topic}
		fits(strings.Split(s.pattern, "."), topic) // 111
	}
}

type scanner struct { src string; pos, limit int } // 115

func (s *scanner) line() int { return strings.Count(s.src[:s.pos], "x") } // 117

func (s *scanner) next() int { s.pos++; return s.line() } // 119

func lines(s *scanner) (n int) {
	for s.pos < s.limit {
		n += s.next() // 123
	}
	return n
}

func oneLine(s *scanner) int { return s.next() } // 128

type command struct { name string; short []string; below []*command } // 130

func (c *command) child(name string) *command {
	for _, b := range c.below {
		if b.name == name { // 134
			return b
		}
		for _, s := range b.short {
			if s == name {
				return b
			}
		}
	}
	return nil
}

func (c *command) find(name string) *command { return c.child(name) } // 146

type bough struct { key int; left, right *bough } // 148

func height(n *bough) int {
	if n == nil {
		return 0
	}
	return 1 + max(height(n.left), height(n.right)) // 154
}

func put(n *bough, key int) *bough {
	if n == nil {
		return &bough{key: key}
	}
	n.left = put(n.left, key) // 161
	if height(n.left) > 5 { // 162
		n.left, n.right = n.right, n.left
	}
	return n
}

func tall(n *bough) bool { return height(n.left) > 5 } // 168
`

// TestRescans: texts, lists and objects that are gone over again for each question.
func TestRescans(t *testing.T) {
	for _, test := range []struct {
		name, rule, at string // the samples, of several stacks
		line           int    // of the finding; 0: none
	}{
		{"one occurrence after another", "computed-again", "m/app.numbered:7 strings.Replace", 7},
		{"one occurrence of each", "computed-again", "m/app.each2:14 strings.Replace", 0},
		{"an element in a list that stays", "all-for-one", "m/app.(*kinds).of:33 m/app.(*kinds).by:25 strings.EqualFold", 33},
		{"an element in a list that grows", "all-for-one", "m/app.(*kinds).enter:45 m/app.(*kinds).find:37;m/app.(*kinds).enter:48 runtime.growslice", 0},
		{"elements through an interface", "one-at-a-time", "m/app.sumOf:65 m/app.(*dense).at:56", 65},
		{"elements of two types", "one-at-a-time", "m/app.sumOf:65 m/app.(*dense).at:56;m/app.sumOf:65 m/app.turned.at:60 m/app.(*dense).at:56", 0},
		{"a row through an interface", "one-at-a-time", "m/app.trace:73 m/app.(*dense).at:56", 0},
		{"parts of one text, each from all of it", "computed-again", "m/app.pageOf:87 m/app.(*query).number:84 m/app.(*query).value:81 strings.Split;m/app.pageOf:87 m/app.(*query).value:81 strings.Split;m/app.pageOf:87 m/app.(*query).number:84 m/app.(*query).value:81 strings.Split strings.genSplit;m/app.pageOf:87 m/app.(*query).value:81 strings.Split strings.genSplit", 81},
		{"a pattern of each element", "computed-again", "m/app.(*broker).publish:102 strings.Split", 102},
		{"a pattern of another element", "computed-again", "m/app.(*broker).renamed:111 strings.Split", 0},
		{"lines counted to where it is", "computed-again", "m/app.lines:123 m/app.(*scanner).next:119 m/app.(*scanner).line:117 strings.Count", 119},
		{"lines counted once", "computed-again", "m/app.oneLine:128 m/app.(*scanner).next:119 m/app.(*scanner).line:117 strings.Count", 0},
		{"an element by its name or another", "all-for-one", "m/app.(*command).find:146 m/app.(*command).child:134", 146},
		{"heights at each level", "computed-again", "m/app.put:161 m/app.put:162 m/app.height:154 m/app.height:154", 162},
		{"one height", "computed-again", "m/app.tall:168 m/app.height:154 m/app.height:154", 0},
		{"one part of a text", "computed-again", "m/app.one2:91 m/app.(*query).value:81 strings.Split", 0},
	} {
		t.Run(test.name, func(t *testing.T) { speaksOf(t, rescansSource, test.rule, test.at, test.line) })
	}
}
