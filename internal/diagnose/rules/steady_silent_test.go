package rules_test

import "testing"

const otherwiseSource = `package app

import ("fmt"; "io"; "slices"; "sort"; "strings"; "time")

type store struct { rows []int; hits int }

func (s *store) walk(n int) error {
	for i := range s.rows {
		if s.rows[i]%7 == n { // 9
			return nil
		}
	}
	return fmt.Errorf("no %d", n)
}

func (s *store) check(n int) error {
	return s.walk(n) // 17
}

func (s *store) valid(l []int) (n int) {
	for _, x := range l {
		if err := s.check(x); err != nil { // 22
			n++
		}
	}
	return n
}

func (s *store) get(n int) (int, error) {
	if n >= len(s.rows) {
		return 0, fmt.Errorf("no row %d", n) // 31
	}
	return s.rows[n], nil
}

func (s *store) hit(n int) (v int, err error) {
	v, err = s.get(n) // 37
	if err == nil {
		s.hits++
	}
	return
}

func size(b []byte) (n int) {
	for _, x := range b {
		n = n<<8 | int(x) // 46
	}
	return n
}

func frames(r io.Reader, n int) (sum int) {
	head := make([]byte, 8)
	for range n {
		r.Read(head)
		sum += size(head) // 55
	}
	return sum
}

type framed struct { r io.Reader; buf []byte }

func (f *framed) next(most int) int {
	f.r.Read(f.buf)
	return min(most, size(f.buf)) // 64
}

func named(list []string, key string) string {
	for _, x := range list {
		if x == key {
			return strings.ToUpper(key) // 70
		}
	}
	return ""
}

func lazily(list []string, key string) (n int) {
	var upper string
	for _, x := range list {
		if upper == "" {
			upper = strings.ToUpper(key) // 80
		}
		if x == upper {
			n++
		}
	}
	return n
}

type worker struct { jobs chan string }

func (w *worker) run(n int) int {
	for job := range w.jobs {
		n += len(strings.Split(job, ",")) // 93
	}
	return n
}

type clocked struct { now func() string }

func (c *clocked) day() string { return strings.ToUpper(c.now()) } // 100

func (c *clocked) line(s string) string { return c.day() + s } // 102

func within(list []int, end time.Time) (n int) {
	for _, x := range list {
		if time.Now().After(end) { // 106
			return n
		}
		n += x
	}
	return n
}

type batch struct { at []int; lines []string }

func (b *batch) add(n int) {
	b.at = append(b.at, n)
	if len(b.at) < 100 {
		return
	}
	sort.Ints(b.at) // 121
	b.at = b.at[:0]
}

func (b *batch) fill(l []string) { b.lines = append(b.lines[:0], l...) }

func (b *batch) handle(l []string) (n int) {
	b.fill(l)
	for i := range b.lines {
		n += len(strings.Fields(b.lines[i])) // 130
	}
	return n
}

type tree struct { size int; of *tree; below []*tree }

type walker struct { n int }

func (w *walker) depth(t *tree) int {
	if t == nil {
		return 0
	}
	return 1 + w.depth(t.of) // 143
}

func (w *walker) walk(t *tree) int {
	sum := w.depth(t.of) // 147
	for _, b := range t.below {
		sum += w.walk(b) // 149
	}
	return sum
}

func sum(b []byte, n int) (h int) {
	for i := 0; i < n; i++ {
		h = h*31 + int(b[i]) // 156
	}
	return h
}

func sums(l [][]byte) (n int) {
	for _, b := range l {
		n += sum(b, len(b)) // 163
	}
	return n
}

type pod struct { kind string; n int }

type stock struct { items []pod }

func find(list []pod, kind string) *pod {
	for i := range list {
		if list[i].kind == kind { // 174
			return &list[i]
		}
	}
	return nil
}

func (s *stock) add(kind string) { s.items = append(s.items, pod{kind: kind}) }

func (s *stock) enter(kinds []string) {
	for _, k := range kinds {
		if find(s.items, k) == nil { // 185
			s.add(k)
		}
	}
}

func beginning(list []*pod, p string) *pod {
	for _, x := range list {
		if strings.HasPrefix(x.kind, p) { // 193
			return x
		}
	}
	return nil
}

func count(list []*pod, in []string) (n int) {
	var p string
	for _, s := range in {
		p = strings.TrimSpace(s)
		if beginning(list, p) != nil { // 204
			n++
		}
	}
	return n
}

type parser struct { src, sep string }

func Parse(src, sep string) int {
	p := &parser{src: src, sep: sep}
	return p.count() // 215
}

func (p *parser) count() int { return len(strings.Split(p.src, p.sep)) } // 218

func folded(a, b string) int { return strings.Compare(strings.ToLower(a), b) } // 220

func sorted(l []string) { slices.SortFunc(l, folded) }

func larger(a, b string) bool { return folded(a, b) > 0 } // 224

type stepper struct { left int; took time.Duration }

func stamp() time.Time { return time.Now() } // 228

func (s *stepper) step(n int) bool { s.left -= n; return s.left < 0 }

func (s *stepper) all(n int) {
	start := stamp() // 233
	if !s.step(n) {
		return
	}
	s.took = time.Since(start)
}

type globs struct { pattern string }

func parts(pattern string) []string { return strings.Split(pattern, "*") } // 242

func (g *globs) shared(name string) int {
	return len(parts(g.pattern)) + len(parts(name)) // 245
}

func weigh(s string) int { return len(strings.ToLower(s)) } // 248

func tokens(next func() string) (n int) {
	token := ""
	read := func() { token = next() }
	read()
	for token != "" {
		n += weigh(token) // 255
		read()
	}
	return n
}

func escaped(path string) string { return strings.ToUpper(path) } // 261

func (t *tree) visit(path string) (n int) {
	for _, b := range t.below {
		n += b.visit(path + "/x") // 265
	}
	t.size = len(escaped(path)) // 267
	return n + t.size
}

func (t *tree) from(n int) int { return t.visit("root") + n } // 271

func collapsed(s string) string {
	for strings.Contains(s, "//") {
		s = strings.Replace(s, "//", "/", 1) // 275
	}
	return s
}
`

// TestSteadyOtherwise: code that looks like work that is done again, and is not.
func TestSteadyOtherwise(t *testing.T) {
	for _, test := range []struct{ name, rule, at string }{
		{"an error of work that fails", "used-in-part", "m/app.(*store).valid:22 m/app.(*store).check:17 m/app.(*store).walk:9"},
		{"an error in a named result", "used-in-part", "m/app.(*store).hit:37 m/app.(*store).get:31 fmt.Errorf"},
		{"a list that each round reads into", "computed-again", "m/app.frames:55 m/app.size:46"},
		{"a field that each call reads into", "computed-again", "m/app.(*framed).next:64 m/app.size:46"},
		{"before a round leaves the loop", "computed-again", "m/app.named:70 strings.ToUpper"},
		{"in the first round alone", "computed-again", "m/app.lazily:80 strings.ToUpper"},
		{"of what a channel gives", "computed-again", "m/app.(*worker).run:93 strings.Split"},
		{"of what a function value gives", "computed-again", "m/app.(*clocked).line:102 m/app.(*clocked).day:100 strings.ToUpper"},
		{"of a list that is filled anew", "computed-again", "m/app.(*batch).handle:130 strings.Fields"},
		{"of an object that each call makes", "computed-again", "m/app.Parse:215 m/app.(*parser).count:218 strings.Split"},
		{"of a field, and of what is handed in", "computed-again", "m/app.(*globs).shared:245 m/app.parts:242 strings.Split"},
		{"of what a literal sets", "computed-again", "m/app.tokens:255 m/app.weigh:248 strings.ToLower"},
		{"of what a recursion hands on", "computed-again", "m/app.(*tree).from:271 m/app.(*tree).visit:265 m/app.(*tree).visit:267 m/app.escaped:261 strings.ToUpper"},
		{"a limit of the loop", "one-at-a-time", "m/app.within:106 time.Now"},
		{"a list sorted when it is full", "computed-again", "m/app.(*batch).add:121 sort.Ints"},
		{"a walker that goes elsewhere", "computed-again", "m/app.(*walker).walk:149 m/app.(*walker).walk:147 m/app.(*walker).depth:143 m/app.(*walker).depth:143"},
		{"all of another text in each round", "computed-again", "m/app.sums:163 m/app.sum:156"},
		{"replaced where it comes up again", "computed-again", "m/app.collapsed:275 strings.Replace"},
		{"a comparison that no sort calls", "computed-again", "m/app.larger:224 m/app.folded:220 strings.ToLower"},
		{"in a list that a method adds to", "all-for-one", "m/app.(*stock).enter:185 m/app.find:174"},
		{"for what is set in each round", "all-for-one", "m/app.count:204 m/app.beginning:193 strings.HasPrefix"},
		{"the time before a step", "used-in-part", "m/app.(*stepper).all:233 m/app.stamp:228 time.Now"},
	} {
		t.Run(test.name, func(t *testing.T) { speaksOf(t, otherwiseSource, test.rule, test.at, 0) })
	}
}
