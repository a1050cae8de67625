package rules_test

import (
	"strings"
	"testing"
)

const escapeSource = `package app; import ("io"; "regexp"; "sort"; "sync"; "sync/atomic"; "testing"; "x/lib")

type order struct {
	head  head
	tail  head
	lines [32]string
	next  *order
	notes []string
	w     io.Writer
	mu    sync.Mutex
	re    regexp.Regexp
	from  lib.Address; n int64
}

type head struct {
	name string
	inner struct{ id int }
}

func decoded(b []byte) { // 20
	var o order // 21
	o.decode(b)
	o.send()
}

func (o *order) decode(b []byte) {
	lib.Decode(b, &o.head) // 27
}

func (o *order) send() {
	t := &o.tail
	o.mu.Lock(); atomic.AddInt64(&o.n, 1)
	o.w.Write(o.notes[0])
	keep(o.next, o.from.Street)
	lib.Encode(t) // 35
	names := o.lines[:0]
	for range 3 {
		names = append(names, o.head.name)
	}
	sort.Strings(names)
}

func inner() { // 43
	o := order{next: last} // 44
	fill(&o)
	use(o, o.head, *o.next)
}

func fill(o *order) {
	into.Decode(&o.head.inner) // 50
	lib.Decode(nil, &o.head) // 51
}

func whole() { // 54
	var o order // 55
	lib.Decode(nil, &o)
}

func returned() *order {
	var o order // 60
	lib.Decode(nil, &o.head)
	return &o
}

func stored() {
	var o order // 66
	lib.Decode(nil, &o.head)
	last.next = &o
}

func later() {
	var o order // 72
	lib.Decode(nil, &o.head)
	go func() { use(o) }()
}

func spot() {
	var o order // 78
	func() { lib.Decode(nil, &o.head) }()
}

func method() {
	var o order // 83
	lib.Decode(nil, &o.head)
	o.re.Match(nil)
}

func dynamic(f func(*head)) {
	var o order // 89
	f(&o.head)
}

func hidden() {
	var o order // 94
	elsewhere(&o.head)
}

func sliced() {
	var o order // 99
	lib.Decode(nil, &o.head)
	lib.Print(o.lines[:2])
}

func calls() {
	o := order{head: made()} // 105
	lib.Decode(nil, &o.head)
}

func two() {
	var o, p order // 110
	lib.Decode(nil, &o.head, &p.head)
}

func pointer() {
	o := &order{} // 115
	lib.Decode(nil, &o.head)
}

func element() {
	var o order // 120
	lib.Decode(nil, &o.lines[3])
}

func chained() {
	var o order // 125
	a(&o)
}

func a(o *order) { b(o) }
func b(o *order) { c(o) }
func c(o *order) { d(o) }
func d(o *order) { e(o) }
func e(o *order) { lib.Decode(nil, &o.head) } // 133

func unused() {
	var o order // 136
	use(o)
}

func BenchmarkOrder(b *testing.B) {
	for b.Loop() {
		var o order // 142
		lib.Decode(nil, &o.head)
	}
}

var last *order
var into interface{ Decode(...any) }

func elsewhere(*head)
func use(...any)
func keep(...any)
func made() head
`

// Half of the bytes are the variable's. What goes is its block without the parts:
// head and tail take 24 bytes each, and of 704 bytes one of them leaves 680, and two
// leave 656.
func TestEscapesByHand(t *testing.T) {
	for _, test := range []struct {
		name      string
		place     string
		size      int64
		blocks    int64
		want      int
		avoidable float64
		says      string
	}{
		{"two parts, in methods", "decoded:21", 704, 100, 21, 656.0 / 704 / 2, "o.head, 24 bytes, to x/lib.Decode at app.go:27; o.tail, 24 bytes, to x/lib.Encode at app.go:35"},
		{"a part of a part, by an interface", "inner:44", 704, 100, 44, 680.0 / 704 / 2, "o.head, 24 bytes, to x/lib.Decode at app.go:51"},
		{"the whole", "whole:55", 704, 100, 0, 0, ""},
		{"returned", "returned:60", 704, 100, 0, 0, ""},
		{"stored", "stored:66", 704, 100, 0, 0, ""},
		{"captured by a goroutine", "later:72", 704, 100, 0, 0, ""},
		{"in a literal that is called on the spot", "spot:78", 704, 100, 78, 680.0 / 704 / 2, ""},
		{"a method that may keep its receiver", "method:83", 704, 100, 0, 0, ""},
		{"a function value", "dynamic:89", 704, 100, 0, 0, ""},
		{"an own function without source", "hidden:94", 704, 100, 0, 0, ""},
		{"a slice of an array is handed out", "sliced:99", 704, 100, 0, 0, ""},
		{"made by a call", "calls:105", 704, 100, 0, 0, ""},
		{"two variables", "two:110", 704, 100, 0, 0, ""},
		{"a pointer from the start", "pointer:115", 704, 100, 0, 0, ""},
		{"an element", "element:120", 704, 100, 0, 0, ""},
		{"five calls deep", "chained:125", 704, 100, 0, 0, ""},
		{"no address leaves", "unused:136", 704, 100, 0, 0, ""},
		{"the benchmark's own", "BenchmarkOrder:142", 704, 100, 0, 0, ""},
		{"made in one call of ten", "spot:78", 704, 10, 78, 680.0 / 704 / 2, ""},
		{"more seldom than that", "spot:78", 704, 9, 0, 0, ""},
		{"the smallest block", "spot:78", 256, 100, 78, 232.0 / 256 / 2, ""},
		{"the largest that a stack takes", "spot:78", 128 << 10, 100, 78, (131072 - 24.0) / 131072 / 2, ""},
		{"larger ones", "spot:78", 131073, 100, 0, 0, ""},
		{"smaller ones", "spot:78", 240, 100, 0, 0, ""},
	} {
		s := app(t, escapeSource, known, []stack{{frames: "m/app.work:999 runtime.mallocgc", n: 1000}},
			[]stack{{"m/app." + test.place, test.blocks, test.size}, {"m/app.work:999", test.blocks, test.size}})
		s.AllocIterations = 100
		got := said(t, "escaping-struct", s)
		switch {
		case test.want == 0 && len(got) > 0:
			t.Errorf("%s: %s", test.name, describe(got[0]))
		case test.want != 0 && (len(got) != 1 || got[0].Line != test.want || !near(got[0].AllocBytesRatio, 0.5) || !near(got[0].AvoidableAllocBytesRatio, test.avoidable) || !strings.Contains(describe(got[0]), test.says)):
			t.Errorf("%s: %+v", test.name, got)
		}
	}
}

// CPU time is that of the allocator below the statement, 200 of 1000 samples; of
// that goes what goes of the block: 0.2 · 680/704.
func TestEscapeTakesTime(t *testing.T) {
	cpu := []stack{{frames: "m/app.spot:78 runtime.newobject runtime.mallocgc", n: 200}, {frames: "m/app.spot:78", n: 100},
		{frames: "m/app.spot:78 lib.New runtime.newobject", n: 100}, {frames: "m/app.work:999", n: 600}}
	s := app(t, escapeSource, known, cpu, []stack{{"m/app.spot:78", 1, 704}})
	s.AllocIterations = 1
	got := said(t, "escaping-struct", s)
	if len(got) != 1 || !near(got[0].CPURatio, 0.2) || !near(got[0].AvoidableCPURatio, 0.2*680/704) || !near(got[0].AllocBytesRatio, 1) {
		t.Errorf("%+v", got)
	}
	// Blocks of two sizes cannot all be the variable.
	s = app(t, escapeSource, known, cpu, []stack{{"m/app.spot:78", 1, 704}, {"m/app.spot:78", 1, 512}})
	if got := said(t, "escaping-struct", s); len(got) > 0 {
		t.Errorf("two sizes: %s", describe(got[0]))
	}
}
