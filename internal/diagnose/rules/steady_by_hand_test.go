package rules_test

import (
	"strings"
	"testing"

	"whet/internal/diagnose"
	"whet/internal/diagnose/explain"
)

const steadySource = `package app

import ("context"; "errors"; "fmt"; "reflect"; "slices"; "sort"; "strings"; "sync"; "testing"; "time")

type rule struct { pattern string; not bool } // 5

type ignore struct { rules []rule; seen int }

func parse(text string) *ignore {
	g := &ignore{} // 10
	for _, line := range strings.Fields(text) {
		g.rules = append(g.rules, rule{pattern: line}) // 12
	}
	return g
}

func translate(pattern string) []string { // 17
	return strings.Split(pattern, "*") // 18
}

func matches(pattern, name string) bool {
	for _, part := range translate(pattern) { // 22
		if !strings.Contains(name, part) {
			return false
		}
	}
	return true
}

func (g *ignore) match(name string) (ok bool) {
	for _, r := range g.rules {
		if matches(r.pattern, name) { // 32
			ok = !r.not
		}
	}
	return ok
}

func (g *ignore) any(name string) bool {
	return matches(name, "a") // 40
}

func list(names []string, pattern string) (n int) {
	for _, name := range names {
		if matches(pattern, name) { // 45
			n++
		}
	}
	return n
}

func all(patterns []string, name string) (n int) {
	for _, p := range patterns {
		if matches(p, name) { // 54
			n++
		}
	}
	return n
}

type handler func(n int) int // 61

type app struct { wrap []func(handler) handler; by map[string]handler; last string }

func (a *app) use(w func(handler) handler) { a.wrap = append(a.wrap, w) } // 65

func (a *app) get(path string, h handler) { a.by[path] = h } // 67

func (a *app) apply(h handler) handler {
	for _, w := range a.wrap {
		h = w(h) // 71
	}
	return h
}

func (a *app) serve(path string, n int) int {
	h := a.by[path]
	h = a.apply(h) // 78
	return h(n)
}

func (a *app) walk() int {
	return len(a.joined()) // 83
}

func (a *app) joined() []handler { // 86
	var out []handler
	for _, h := range a.by {
		out = append(out, h) // 89
	}
	return out
}

func (a *app) touch(path string) string {
	a.last = path
	return a.lower(3) // 96
}

func (a *app) lower(n int) string { return strings.ToLower(a.last) } // 99

type form struct { N int }

func checks(tag string) []string { return strings.Split(tag, ",") } // 103

func validate(v any) (n int) {
	t := reflect.TypeOf(v)
	for i := range t.NumField() {
		tag, ok := t.Field(i).Tag.Lookup("check")
		if ok {
			n += len(checks(tag)) // 110
		}
	}
	return n
}

func keyOf(ctx context.Context) string { // 116
	s, _ := ctx.Value("k").(string) // 117
	return s
}

func visit(ctx context.Context, n int) int {
	if keyOf(ctx) == "" { // 122
		return 0
	}
	return n
}

func visitAll(ctx context.Context, items []int) (n int) {
	for _, it := range items {
		n += visit(ctx, it) // 130
	}
	return n
}

type version struct { parts []string }

func parsed(s string) version { return version{strings.Split(s, ".")} } // 137

func compare(a, b string) int { // 139
	return len(parsed(a).parts) - len(parsed(b).parts) // 140
}

type byVersion []string

func (l byVersion) Less(i, j int) bool { return compare(l[i], l[j]) < 0 } // 145

func newest(a, b string) bool { return compare(a, b) > 0 } // 147

func titles(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) } // 149

func sorted(l []string) { slices.SortFunc(l, titles) }

func find(l []string) int {
	i, _ := slices.BinarySearchFunc(l, "x", other)
	return i
}

func other(a, b string) int { return strings.Compare(strings.ToLower(a), b) } // 158

type scope struct { up *scope; vars map[string]int } // 160

func (s *scope) get(name string) (int, error) {
	v, ok := s.vars[name]
	if !ok {
		return 0, fmt.Errorf("undefined: %s", name) // 165
	}
	return v, nil
}

func (s *scope) lookup(name string) (int, error) {
	v, err := s.get(name) // 171
	if err != nil && s.up != nil {
		return s.up.lookup(name)
	}
	return v, err
}

func (s *scope) must(name string) (int, error) {
	v, err := s.get(name) // 179
	if err != nil {
		return 0, errors.Join(err, nil)
	}
	return v, nil
}

type bus struct { mu sync.Mutex; to []handler; late []handler } // 186

func (b *bus) on(h handler) { b.to = append(b.to, h) }

func (b *bus) copied() []handler { // 190
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]handler(nil), b.to...) // 193
}

func (b *bus) emit(n int) {
	for _, h := range b.copied() { // 197
		h(n)
	}
}

func (b *bus) drained() []handler { // 202
	b.mu.Lock()
	defer b.mu.Unlock()
	l := append([]handler(nil), b.late...) // 205
	b.late = b.late[:0]
	return l
}

func (b *bus) flush(n int) {
	for _, h := range b.drained() { // 211
		h(n)
	}
}

type entry struct { until time.Time } // 216

func (e entry) old() bool { return time.Now().After(e.until) } // 218

func left(m map[string]entry) (n int) {
	for _, e := range m {
		if !e.old() { // 222
			n++
		}
	}
	return n
}

func poll(l []chan int, end time.Time) (n int) {
	for _, c := range l {
		if time.Now().After(end) { // 231
			return n
		}
		n += <-c
	}
	return n
}

type queue struct { at []int } // 239

func (q *queue) add(n int) {
	q.at = append(q.at, n)
	sort.Ints(q.at) // 243
}

func (q *queue) addAll(l []int) {
	for _, n := range l {
		q.at = append(q.at, n)
	}
	sort.Ints(q.at) // 250
}

type node struct { name string; below []*node } // 253

func (n *node) size() int { // 255
	sum := len(n.name)
	for _, b := range n.below {
		sum += b.size() // 258
	}
	return sum
}

func (n *node) write(to []byte) []byte {
	for _, b := range n.below {
		to = append(to, byte(b.size())) // 265
		to = b.write(to) // 266
	}
	return to
}

func (n *node) top() []byte {
	return append([]byte(nil), byte(n.size())) // 272
}

type file struct { src []byte } // 275

func (f *file) line(offset int) int { // 277
	n := 1
	for i := 0; i < offset; i++ {
		if f.src[i] == '\n' { // 280
			n++
		}
	}
	return n
}

func (f *file) report(at []int, use func(int)) {
	for _, a := range at {
		use(f.line(a)) // 289
	}
}

func (f *file) where(at int) int {
	return f.line(at) // 294
}

type made struct { parts []string } // 297

func (m *made) key(n string) string { return strings.Join(m.parts, n) } // 299

func (m *made) keyed(n string) string { return m.joined("-") + n } // 301

func (m *made) joined(by string) string { return strings.Join(m.parts, by) } // 303

func newMade(s string) *made { return &made{strings.Fields(s)} } // 305

func table() map[string]bool { // 307
	m := make(map[string]bool)
	for _, s := range strings.Fields("a b c d") { // 309
		m[s] = true
	}
	return m
}

func known2(s string) bool {
	return table()[s] // 316
}

func copied2() map[string]bool {
	m := table() // 320
	m["x"] = true
	return m
}

type pod struct { kind, name string } // 325

func byName(list []pod, kind, name string) *pod {
	for i := range list {
		if list[i].kind == kind && list[i].name == name { // 329
			return &list[i]
		}
	}
	return nil
}

func missing(old, now []pod) (n int) {
	for _, x := range now {
		if byName(old, x.kind, x.name) == nil { // 338
			n++
		}
	}
	return n
}

func grown(now []pod) (all []pod) {
	for _, x := range now {
		if byName(all, x.kind, x.name) == nil { // 347
			all = append(all, x)
		}
	}
	return all
}

func next(list []*pod, done map[string]bool) *pod {
	for _, x := range list {
		if !done[x.name] { // 356
			return x
		}
	}
	return nil
}

func order(list []*pod) (n int) {
	done := map[string]bool{}
	for n < len(list) {
		done[next(list, done).name] = true // 366
		n++
	}
	return n
}

func rounds(list []*pod, done []map[string]bool) (n int) {
	for _, d := range done {
		if next(list, d) != nil { // 374
			n++
		}
	}
	return n
}

func BenchmarkMade(b *testing.B) {
	for b.Loop() {
		(&app{}).serve("x", 1)
	}
}
`

// TestSteady: work that is done again for the same inputs, and more steps than it takes.
func TestSteady(t *testing.T) {
	for _, test := range []struct {
		name, rule, at string // the samples, of several stacks
		line           int    // of the finding; 0: none
	}{
		{"a pattern that is parsed for each name", "computed-again", "m/app.(*ignore).match:32 m/app.matches:22 m/app.translate:18 strings.Split", 22},
		{"a pattern of objects that the run makes", "computed-again", "m/app.(*ignore).match:32 m/app.matches:22 m/app.translate:18 strings.Split;m/app.parse:10 runtime.newobject", 0},
		{"a pattern that is handed in", "computed-again", "m/app.(*ignore).any:40 m/app.matches:22 m/app.translate:18 strings.Split", 0},
		{"one pattern for all rounds", "computed-again", "m/app.list:45 m/app.matches:22 m/app.translate:18 strings.Split", 22},
		{"a pattern for each round", "computed-again", "m/app.all:54 m/app.matches:22 m/app.translate:18 strings.Split", 0},
		{"for each name, and of what is handed in", "computed-again", "m/app.(*ignore).match:32 m/app.matches:22 m/app.translate:18 strings.Split;m/app.(*ignore).any:40 m/app.matches:22 m/app.translate:18 strings.Split", 0},
		{"a tag that is parsed for each value", "computed-again", "m/app.validate:110 m/app.checks:103 strings.Split", 110},
		{"a context's value in each round", "computed-again", "m/app.visitAll:130 m/app.visit:122 m/app.keyOf:117 context.value", 122},
		{"a context's value", "computed-again", "m/app.visit:122 m/app.keyOf:117 context.value", 0},
		{"all that an object has", "computed-again", "m/app.(*app).walk:83 m/app.(*app).joined:89 runtime.growslice", 0},
		{"of a field that the call sets", "computed-again", "m/app.(*app).touch:96 m/app.(*app).lower:99 strings.ToLower", 0},
		{"of an object made before", "computed-again", "m/app.(*made).keyed:301 m/app.(*made).joined:303 strings.Join", 301},
		{"of an object made for the call", "computed-again", "m/app.(*made).keyed:301 m/app.(*made).joined:303 strings.Join;m/app.newMade:305 runtime.newobject", 0},
		{"of constants", "computed-again", "m/app.known2:316 m/app.table:309 strings.Fields", 316},
		{"of constants, to be changed", "computed-again", "m/app.copied2:320 m/app.table:309 strings.Fields", 309},

		{"a key below a method Less", "computed-again", "m/app.byVersion.Less:145 m/app.compare:140 m/app.parsed:137 strings.Split", 140},
		{"a key of two", "computed-again", "m/app.newest:147 m/app.compare:140 m/app.parsed:137 strings.Split", 0},
		{"a key in a function that is handed to a sort", "computed-again", "m/app.sorted:151 slices.SortFunc m/app.titles:149 strings.ToLower", 149},
		{"a key in a function that is handed to a search", "computed-again", "m/app.other:158 strings.ToLower", 0},
		{"a list sorted after each element", "computed-again", "m/app.(*queue).add:243 sort.Ints", 243},
		{"a list sorted after all", "computed-again", "m/app.(*queue).addAll:250 sort.Ints", 0},
		{"sizes at each level", "computed-again", "m/app.(*node).write:266 m/app.(*node).write:265 m/app.(*node).size:258 m/app.(*node).size:256", 265},
		{"the size of the whole", "computed-again", "m/app.(*node).top:272 m/app.(*node).size:258 m/app.(*node).size:256", 0},
		{"lines counted from the start", "computed-again", "m/app.(*file).report:289 m/app.(*file).line:280", 289},
		{"one line counted", "computed-again", "m/app.(*file).where:294 m/app.(*file).line:280", 0},

		{"an element by its key in each round", "all-for-one", "m/app.missing:338 m/app.byName:329", 338},
		{"in a list that the rounds add to", "all-for-one", "m/app.grown:347 m/app.byName:329", 0},
		{"the next that is left", "all-for-one", "m/app.order:366 m/app.next:356", 366},
		{"one of other lists", "all-for-one", "m/app.rounds:374 m/app.next:356", 0},
		{"an error for a test", "used-in-part", "m/app.(*scope).lookup:171 m/app.(*scope).get:165 fmt.Errorf", 165},
		{"an error that is passed on", "used-in-part", "m/app.(*scope).must:179 m/app.(*scope).get:165 fmt.Errorf", 0},
		{"a list copied to go over it", "built-to-be-read", "m/app.(*bus).emit:197 m/app.(*bus).copied:193 runtime.growslice", 197},
		{"a list copied to empty it", "built-to-be-read", "m/app.(*bus).flush:211 m/app.(*bus).drained:205 runtime.growslice", 0},
		{"the clock for each element", "one-at-a-time", "m/app.left:222 m/app.entry.old:218 time.Now", 218},
		{"the clock between waits", "one-at-a-time", "m/app.poll:231 time.Now", 0},
	} {
		t.Run(test.name, func(t *testing.T) { speaksOf(t, steadySource, test.rule, test.at, test.line) })
	}
}

// speaksOf checks which line, 0 for none, a rule speaks of where a source has samples: of each of
// several stacks, in the order of their weight.
func speaksOf(t *testing.T, source, rule, stacks string, want int) {
	t.Helper()
	cpu, allocs := []stack{{frames: "other.work", n: 550}}, []stack{{frames: "m/app.other:500", n: 1, size: 16}}
	for i, at := range strings.Split(stacks, ";") {
		cpu = append(cpu, stack{frames: at, n: []int64{400, 50, 200, 200}[i]})
		allocs = append(allocs, stack{frames: at, n: []int64{1000, 100, 500, 500}[i], size: 64})
	}
	reg, err := diagnose.NewRegistry(explain.Rules()...)
	if err != nil {
		t.Fatal(err)
	}
	line := 0
	for _, f := range run(t, reg, []*diagnose.Subject{app(t, source, known, cpu, allocs)}).Findings {
		if f.Rule == rule {
			line = f.Line
		}
	}
	if line != want {
		t.Errorf("it speaks of line %d, want %d", line, want)
	}
}
