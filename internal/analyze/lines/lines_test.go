package lines

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"whet/internal/callstack"
	"whet/internal/format/compiler"
)

func frame(function, file string, line int, inlined bool) callstack.Frame {
	return callstack.Frame{Function: function, File: file, Line: line, Inlined: inlined, Start: 1}
}

func profileOf(add func(b *callstack.Builder)) *callstack.Frames {
	b := callstack.NewBuilder(callstack.ValueType{Type: "cpu", Unit: "nanoseconds"})
	add(b)
	return b.Frames()
}

func (m *Model) find(function string, line int) *Line {
	for _, f := range m.Functions {
		for _, l := range f.Lines {
			if f.Name == function && l.Number == line {
				return l
			}
		}
	}
	return nil
}

// An inlined call is charged to its own line, and stands under the line that it was
// inlined into with its part alone; a recursion counts once.
func TestInlined(t *testing.T) {
	p := profileOf(func(b *callstack.Builder) {
		b.AddFrames([]callstack.Frame{frame("get", "x.go", 3, true), frame("f", "x.go", 10, false), frame("main", "x.go", 20, false)}, nil, 5)
		b.AddFrames([]callstack.Frame{frame("get", "x.go", 3, true), frame("g", "x.go", 15, false), frame("main", "x.go", 21, false)}, nil, 7)
		b.AddFrames([]callstack.Frame{frame("f", "x.go", 10, false), frame("f", "x.go", 10, false)}, nil, 11)
		b.AddFrames([]callstack.Frame{{Address: 77}}, nil, 2)                // no symbols
		b.AddFrames([]callstack.Frame{frame("asm", "", 0, false)}, nil, 3)   // no file
		b.AddFrames([]callstack.Frame{frame("z", "x.go", 0, false)}, nil, 4) // no line
	})
	decided := &Decisions{}
	decided.Add([]compiler.Decision{
		{File: "x.go", Line: 10, Col: 4, Kind: compiler.Inlines, Text: "inlining call to get"},
		{File: "x.go", Line: 10, Col: 9, Kind: compiler.Inlines, Text: "inlining call to get"},
		{File: "x.go", Line: 10, Col: 4, Kind: compiler.DoesNot, Text: "p does not escape"},
		{File: "x.go", Line: 3, Col: 1, Kind: compiler.CannotInline, Text: "cannot inline get: function too complex: cost 99"},
	})
	m := New([]Evidence{{Kind: CPU, Profile: p}}, decided)
	if a := m.Accounts[CPU]; a != (Account{Known: true, Total: 32, Unplaced: 9}) || m.Accounts[Mutex].Known {
		t.Errorf("account %+v", m.Accounts[CPU])
	}
	get, f, main := m.find("get", 3), m.find("f", 10), m.find("main", 20)
	if get.Costs[CPU] != (callstack.Cost{Flat: 12, Cum: 12}) || f.Costs[CPU] != (callstack.Cost{Flat: 11, Cum: 16}) || main.Costs[CPU] != (callstack.Cost{Cum: 5}) {
		t.Errorf("get %v, f %v, main %v", get.Costs[CPU], f.Costs[CPU], main.Costs[CPU])
	}
	if len(f.Inlined) != 1 || f.Inlined[0].Function != "get" || f.Inlined[0].Line != 3 || f.Inlined[0].Costs[CPU] != (callstack.Cost{Flat: 5, Cum: 5}) || len(main.Inlined) != 0 {
		t.Errorf("inlined into f: %+v, into main: %+v", f.Inlined, main.Inlined)
	}
	if len(f.Decisions) != 1 || Said(&f.Decisions[0]) != "inlines get" || len(get.Decisions) != 1 {
		t.Errorf("decisions of f %+v, of get %+v", f.Decisions, get.Decisions)
	}
	if !decided.Knows("x.go") || decided.Knows("y.go") || (*Decisions)(nil).Knows("x.go") {
		t.Error("the compiler was asked about x.go alone")
	}
}

// Whatever stacks are like, flat values and what has no line sum to the total, no
// line has more than all or less cum than flat, what was inlined into lines has
// what its own lines have at most, and two profiles have the sum of each alone.
func TestConserves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) *callstack.Frames {
			return profileOf(func(b *callstack.Builder) {
				for i := range rapid.IntRange(0, 12).Draw(t, label) {
					var stack []callstack.Frame
					for j := range rapid.IntRange(0, 6).Draw(t, fmt.Sprint(label, i)) {
						n := rapid.IntRange(0, 5).Draw(t, fmt.Sprint(label, i, ".", j))
						stack = append(stack, frame([]string{"a", "b", "c", ""}[n%4], []string{"x.go", ""}[n/5], n, n%2 == 1))
					}
					if n := len(stack); n > 0 {
						stack[n-1].Inlined = false
					}
					b.AddFrames(stack, nil, rapid.Int64Range(0, 100).Draw(t, fmt.Sprint(label, i, "v")))
				}
			})
		}
		p, q := draw("p"), draw("q")
		one, other := New([]Evidence{{Kind: CPU, Profile: p}}, nil), New([]Evidence{{Kind: CPU, Profile: q}}, nil)
		both := New([]Evidence{{Kind: CPU, Profile: p}, {Kind: CPU, Profile: q}}, nil)
		for _, m := range []*Model{one, other, both} {
			account := m.Accounts[CPU]
			sum := account.Unplaced
			inlined := make(map[callstack.Line]int64)
			for _, f := range m.Functions {
				flat, cum := int64(0), int64(0)
				for _, l := range f.Lines {
					c := l.Costs[CPU]
					sum, flat, cum = sum+c.Flat, flat+c.Flat, max(cum, c.Cum)
					if c.Flat > c.Cum || c.Cum > account.Total {
						t.Fatalf("%s:%d has %v of %d", f.Name, l.Number, c, account.Total)
					}
					for _, in := range l.Inlined {
						inlined[callstack.Line{Function: in.Function, File: in.File, Line: in.Line}] += in.Costs[CPU].Flat
					}
				}
				if f.Costs[CPU].Flat != flat || f.Costs[CPU].Cum < cum || f.Costs[CPU].Cum > account.Total {
					t.Fatalf("%s has %v, its lines %d and at most %d", f.Name, f.Costs[CPU], flat, cum)
				}
			}
			if sum != account.Total {
				t.Fatalf("%d of %d", sum, account.Total)
			}
			for at, flat := range inlined {
				if l := m.find(at.Function, at.Line); flat > l.Costs[CPU].Flat {
					t.Fatalf("%v has %d, and %d where it was inlined", at, l.Costs[CPU].Flat, flat)
				}
			}
		}
		for _, f := range both.Functions {
			for _, l := range f.Lines {
				var sum callstack.Cost
				for _, m := range []*Model{one, other} {
					if part := m.find(f.Name, l.Number); part != nil {
						sum.Flat += part.Costs[CPU].Flat
						sum.Cum += part.Costs[CPU].Cum
					}
				}
				if sum != l.Costs[CPU] {
					t.Fatalf("%s:%d has %v, the parts %v", f.Name, l.Number, l.Costs[CPU], sum)
				}
			}
		}
	})
}

// A line that is found has the same text, found lines keep their order, each is
// found once, and a text is found in itself.
func TestMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom([]string{"", "}", "\tx := 1", "\treturn x", "func f() {", "a"})
		from := rapid.SliceOfN(line, 0, 40).Draw(t, "from")
		to := slices.Clone(from)
		for i := range rapid.IntRange(0, 6).Draw(t, "edits") {
			at := rapid.IntRange(0, len(to)).Draw(t, fmt.Sprint("at", i))
			to = slices.Concat(to[:at], rapid.SliceOfN(line, 0, 3).Draw(t, fmt.Sprint("new", i)), to[min(at+rapid.IntRange(0, 3).Draw(t, fmt.Sprint("old", i)), len(to)):])
		}
		m, last, found := Map(from, to), 0, 0
		for n := range len(from) + 2 {
			now, ok := m.To(n)
			if !ok {
				continue
			}
			found++
			if n < 1 || n > len(from) || now > len(to) || from[n-1] != to[now-1] || now <= last {
				t.Fatalf("line %d is found at %d, after %d", n, now, last)
			}
			last = now
		}
		if slices.Equal(from, to) && found != len(from) {
			t.Fatalf("%d of %d lines are found in the same text", found, len(from))
		}
	})
	from := strings.Split("package p\n\nfunc f() {\n\ta()\n\tb()\n}", "\n")
	to := strings.Split("package p\n\n// New.\n\nfunc f() {\n\ta()\n\tc()\n}", "\n")
	m := Map(from, to)
	for line, want := range map[int]int{1: 1, 3: 5, 4: 6, 5: 0, 6: 8} {
		if now, ok := m.To(line); now != want || ok != (want > 0) {
			t.Errorf("line %d is found at %d, want %d", line, now, want)
		}
	}
}

// Lines are the lines that At finds decisions on, whatever the order in which they came.
func TestDecisionsLines(t *testing.T) {
	d := &Decisions{}
	for _, text := range []string{
		"x.go:9:1: moved to heap: a\nx.go:4:1: moved to heap: b\nx.go:4:1: moved to heap: c\nx.go:5:1: b does not escape\ny.go:5:1: b does not escape\n",
		"x.go:7:1: moved to heap: a\nx.go:4:1: moved to heap: b\n",
	} {
		d.Add(compiler.Parse([]byte(text)))
	}
	for from := range 12 {
		for before := range 12 {
			var want []int
			for n := from; n < before; n++ {
				if len(d.At("x.go", n)) > 0 {
					want = append(want, n)
				}
			}
			if got := d.Lines("x.go", from, before); !slices.Equal(got, want) {
				t.Errorf("from %d to %d: %v, want %v", from, before, got, want)
			}
		}
	}
	if none := new(Decisions); len(d.Lines("y.go", 0, 9)) > 0 || !d.Knows("y.go") || d.Knows("z.go") || len(none.Lines("x.go", 0, 9)) > 0 {
		t.Error("a line without decisions, or a file that was not asked about")
	}
}
