package escape

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"whet/internal/callstack"
	"whet/internal/format/compiler"
)

const source = `package p

func keep(n int, p *T) { kept = p }

func pass(p *T) { keep(1, p) }

func Direct() {
	var x T
	keep(1, &x)
}

func Passed() {
	var y T
	pass(&y)
	use(1, "a", y)
}

func Swap(a, b *T) { left, right = a, b }

func Swapped() { var z T; Swap(nil, &z) }
`

const text = `# m/p
p.go:3:6: cannot inline keep: marked go:noinline
p.go:5:6: cannot inline pass: marked go:noinline
p.go:7:6: can inline Direct with cost 60 as: func() { }
p.go:12:6: can inline Passed with cost 61 as: func() { }
p.go:18:6: can inline Swap with cost 8 as: func() { }
p.go:3:18: parameter p leaks to {heap} for keep with derefs=0:
p.go:3:18:   flow: {heap} ← p:
p.go:3:18:     from kept = p (assign) at p.go:3:31
p.go:5:11: parameter p leaks to {heap} for pass with derefs=0:
p.go:5:11:   flow: {heap} ← p:
p.go:5:11:     from keep(1, p) (call parameter) at p.go:5:23
p.go:18:11: parameter a leaks to {heap} for Swap with derefs=0:
p.go:18:11:   flow: {heap} ← a:
p.go:18:11:     from left, right = a, b (assign-pair) at p.go:18:34
p.go:18:14: parameter b leaks to {heap} for Swap with derefs=0:
p.go:18:14:   flow: {heap} ← b:
p.go:18:14:     from left, right = a, b (assign-pair) at p.go:18:35
p.go:8:6: x escapes to heap in Direct:
p.go:8:6:   flow: {heap} ← &x:
p.go:8:6:     from &x (address-of) at p.go:9:10
p.go:8:6:     from keep(1, &x) (call parameter) at p.go:9:6
p.go:8:6: moved to heap: x
p.go:13:6: y escapes to heap in Passed:
p.go:13:6:   flow: {heap} ← &y:
p.go:13:6:     from &y (address-of) at p.go:14:7
p.go:13:6:     from pass(&y) (call parameter) at p.go:14:6
p.go:13:6: moved to heap: y
p.go:15:9: "a" escapes to heap
p.go:15:14: y escapes to heap in Passed:
p.go:15:14:   flow: {heap} ← &{storage for y}:
p.go:15:14:     from y (interface-converted) at p.go:15:14
p.go:15:14:     from i.use(1, y) (call parameter) at p.go:15:5
p.go:15:14: y escapes to heap
p.go:20:22: z escapes to heap in Swapped:
p.go:20:22:   flow: {heap} ← &z:
p.go:20:22:     from &z (address-of) at p.go:20:37
p.go:20:22:     from Swap(nil, &z) (call parameter) at p.go:20:31
p.go:20:22: moved to heap: z
`

const logged = `{"version":0,"package":"m/p","file":"p.go"}
{"range":{"start":{"line":9,"character":6}},"code":"isInBounds"}
{"range":{"start":{"line":15,"character":5}},"code":"nilcheck"}
`

func report(t *testing.T, text string) *compiler.Report {
	t.Helper()
	r := &compiler.Report{}
	r.AddText([]byte(text))
	if err := r.AddJSON([]byte(logged)); err != nil {
		t.Fatal(err)
	}
	return r
}

func sourceOf(file string) []byte {
	if file == "p.go" {
		return []byte(source)
	}
	return nil
}

// The place that keeps the pointer is the cause, through as many calls as there are;
// of several parameters it is the one that the value goes to.
func TestCauses(t *testing.T) {
	res := Analyze(report(t, text), Options{Source: sourceOf})
	got := make(map[string]string)
	for i := range res.Escapes {
		e := &res.Escapes[i]
		key := fmt.Sprintf("%s %d", e.What, e.Line)
		got[key] = "none"
		if e.Cause >= 0 {
			c := &res.Causes[e.Cause]
			got[key] = fmt.Sprintf("%s of %s at %v: %s (%s), %d", c.Parameter, c.Function, c.Position, c.Expr, c.Why, c.Values)
		}
		if want := map[int]string{8: "m/p.Direct", 20: "m/p.Swapped"}[e.Line]; want != "" && e.Site.Function != want {
			t.Errorf("%s stands in %q", key, e.Site.Function)
		}
	}
	for key, want := range map[string]string{
		"x 8":    "p of m/p.keep at p.go:3:31: kept = p (assign), 2",
		"y 13":   "p of m/p.keep at p.go:3:31: kept = p (assign), 2",
		"y 15":   "none", // through an interface
		"z 20":   "b of m/p.Swap at p.go:18:35: left, right = a, b (assign-pair), 1",
		`"a" 15`: "none",
	} {
		if got[key] != want {
			t.Errorf("%s: %s, want %s", key, got[key], want)
		}
	}
	// Of what is left, only the causes are.
	res.Escapes = slices.DeleteFunc(res.Escapes, func(e Escape) bool { return e.Line != 13 && e.Line != 15 })
	if res.SortCauses(); len(res.Causes) != 1 || res.Causes[0].Values != 1 || res.Escapes[0].Cause != 0 {
		t.Errorf("of one value there are the causes %+v", res.Causes)
	}
	// Calls that go in circles end.
	circle := strings.ReplaceAll(text, "from kept = p (assign) at p.go:3:31", "from pass(p) (call parameter) at p.go:3:31")
	if res := Analyze(report(t, circle), Options{Source: sourceOf}); len(res.Causes) == 0 {
		t.Error("no cause")
	}
}

// Each sample is charged once, below the runtime and through inlined calls, and what is
// placed and what is not sum to the profile's total.
func TestCosts(t *testing.T) {
	r := report(t, text+`p.go:8:20: new(T) escapes to heap
`)
	for i := range r.Escapes {
		if e := &r.Escapes[i]; e.What == "new(T)" { // written in line 3, inlined into line 8
			e.Inlined = []compiler.Position{{File: "p.go", Line: 3, Col: 4}}
		}
	}
	b := callstack.NewBuilder(callstack.ValueType{Type: "alloc_space", Unit: "bytes"}, callstack.ValueType{Type: "alloc_objects", Unit: "count"})
	at := func(line int, inlined bool) callstack.Frame {
		return callstack.Frame{Function: "m/p.F", File: "/src/p.go", Line: line, Inlined: inlined}
	}
	malloc := []callstack.Frame{{Function: "runtime.mallocgc", File: "malloc.go", Line: 1}, {Function: "runtime.newobject", File: "malloc.go", Line: 2}}
	for bytes, stack := range map[int64][]callstack.Frame{
		100: append(malloc[:2:2], at(8, false), at(20, false)),
		10:  {at(3, true), at(8, false)},
		7:   {at(3, false)},
		1:   {{Function: "other.F", File: "other.go", Line: 8}, at(8, false)},
		40:  {at(15, false)},
		3:   malloc,
	} {
		b.AddFrames(stack, nil, bytes, 1)
	}
	allocs := &Profile{Frames: b.Frames(), Columns: []int{0, 1}, File: func(file string, line int) (string, int) {
		if file == "/src/p.go" {
			return "p.go", line
		}
		return "", 0
	}}
	cpu := &Profile{Frames: allocs.Frames, Columns: []int{0}, File: allocs.File}
	res := Analyze(r, Options{Source: sourceOf, Allocs: allocs, CPU: cpu})
	got := make(map[string]string)
	for i := range res.Escapes {
		e := &res.Escapes[i]
		got[fmt.Sprintf("%s %d", e.What, e.Line)] = fmt.Sprint(*e.AllocBytes, *e.AllocObjects, e.Shared, *e.CPUNs)
	}
	for key, want := range map[string]string{"x 8": "100 1 1 100", "new(T) 8": "10 1 1 10", "y 15": "40 1 1 40", `"a" 15`: "0 0 1 40", "z 20": "0 0 1 0", "y 13": "0 0 1 0"} {
		if got[key] != want {
			t.Errorf("%s costs %s, want %s", key, got[key], want)
		}
	}
	if *res.Allocs != (Account{Total: 161, Placed: 150}) || *res.CPU != (Account{Total: 161, Placed: 150}) {
		t.Errorf("%+v, %+v", res.Allocs, res.CPU)
	}
	// What was not there when it was measured costs nobody knows what, and the rest as before.
	allocs.New = func(at compiler.Position) bool { return at.Line == 15 || at.Line == 3 }
	for i, e := range Analyze(r, Options{Source: sourceOf, Allocs: allocs, CPU: cpu}).Escapes {
		unknown := e.Line == 15 || e.What == "new(T)"
		if (e.AllocBytes == nil) != unknown || (e.AllocObjects == nil) != unknown || !unknown && *e.AllocBytes != *res.Escapes[i].AllocBytes || *e.CPUNs != *res.Escapes[i].CPUNs {
			t.Errorf("%s at %s: %+v", e.What, e.Position, e.Cost)
		}
	}
	if c := &res.Causes[0]; c.Function != "m/p.keep" || *c.AllocBytes != 100 || *c.AllocObjects != 1 {
		t.Errorf("the dearest cause is %+v", c)
	}

	// The text alone knows no inlined calls: the 10 bytes of line 3, inlined into line 8,
	// are line 8's, beside its 100, and two values share them.
	textOnly := report(t, text+"p.go:8:20: new(T) escapes to heap\n")
	textOnly.JSON, allocs.New = false, nil
	res = Analyze(textOnly, Options{Source: sourceOf, Allocs: allocs, CPU: cpu})
	if *res.Allocs != (Account{Total: 161, Placed: 150}) || *res.CPU != (Account{Total: 161, Placed: 150}) {
		t.Errorf("of text alone: %+v, %+v", res.Allocs, res.CPU)
	}
	for i := range res.Escapes {
		if e := &res.Escapes[i]; e.Line == 8 && (*e.AllocBytes != 110 || *e.AllocObjects != 2 || e.Shared != 2 || *e.CPUNs != 110) {
			t.Errorf("of text alone %s costs %d bytes, %d objects, %d ns, shared by %d", e.What, *e.AllocBytes, *e.AllocObjects, *e.CPUNs, e.Shared)
		}
	}
}

func TestCompare(t *testing.T) {
	old := Analyze(report(t, text), Options{Source: sourceOf})
	if same := Compare(old, Analyze(report(t, text), Options{Source: sourceOf})); len(same) != 0 {
		t.Errorf("the same is different: %+v", same)
	}
	// Everything is a line further down, and three decisions are others.
	moved := func(file string) []byte {
		return []byte(strings.Replace("\n"+source, "use(1, \"a\", y)", "use(1, \"a\", y, y)", 1))
	}
	var b strings.Builder
	for line := range strings.Lines(strings.Replace(text, "can inline Swap with cost 8 as: func() { }", "cannot inline Swap: function too complex: cost 81 exceeds budget 80", 1)) {
		for n := 20; n > 0; n-- {
			line = strings.ReplaceAll(line, fmt.Sprintf("p.go:%d:", n), fmt.Sprintf("p.go:%d:", n+1))
		}
		b.WriteString(line)
	}
	b.WriteString("p.go:16:17: y escapes to heap\n")
	next := &compiler.Report{}
	next.AddText([]byte(b.String()))
	if err := next.AddJSON([]byte(strings.NewReplacer(`"line":9`, `"line":10`, `"line":15`, `"line":13`).Replace(logged))); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range Compare(old, Analyze(next, Options{Source: moved})) {
		got = append(got, fmt.Sprintf("%s %v %s in %s at %d", c.Kind, c.Kind.Worse(), c.What, c.Function, c.Location.Line))
	}
	const want = "lost-inlining true Swap in m/p.Swap at 19\nnew-check true nil in m/p.Passed at 13\nnew-escape true y escapes to heap in m/p.Passed at 16\ngone-check false nil in m/p.Passed at 15"
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("%s\nwant\n%s", text, want)
	}
}

func TestLimits(t *testing.T) {
	res := Analyze(report(t, text), Options{Source: sourceOf})
	limits, err := ParseLimits([]byte("# all\np.Direct allocations<=1 checks<=1 inlined\nm/p.Passed no-escapes checks<=0 # two\np.keep inlined\np.gone no-escapes\n\np.Swap inlined no-escapes\n"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, b := range res.Broken(limits) {
		got = append(got, fmt.Sprintf("%d %s: %s", b.Limit.Line, b.Location.Position, b.Text))
	}
	const want = `3 p.go:13:6: 2 values on the heap, at most 0 allowed: moved to heap: y
3 p.go:15:5: 1 check left, at most 0 allowed: nil
4 p.go:3:6: it cannot be inlined: marked go:noinline
5 :0: no function p.gone in these packages`
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("%s\nwant\n%s", text, want)
	}
	for text, want := range map[string]string{
		"p.F":                           "line 1: p.F has no limit: add no-escapes, inlined, allocations<=N or checks<=N",
		"\np.F fast":                    `line 2: "fast" is not a limit: want no-escapes, inlined, allocations<=N or checks<=N`,
		"p.F allocations<=-1":           `line 1: "allocations<=-1" is not a limit: want no-escapes, inlined, allocations<=N or checks<=N`,
		"p.F inlined\np.F no-escapes\n": "line 2: p.F has limits on line 1 already",
	} {
		if _, err := ParseLimits([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// What a function allocates by calls that were inlined is one value at each call, though
// it is written in one place; two shapes of a generic function allocate one value.
func TestLimitsOfInlined(t *testing.T) {
	r := report(t, text)
	value := func(col int, what string, inlined ...compiler.Position) compiler.Escape {
		at := compiler.Position{File: "p.go", Line: 9, Col: col}
		return compiler.Escape{Location: compiler.Location{Position: at, Package: "m/p", Inlined: inlined}, Function: "Direct", What: what}
	}
	written := compiler.Position{File: "p.go", Line: 3, Col: 20}
	r.Escapes = []compiler.Escape{
		value(2, "&T{...}", written), value(8, "&T{...}", written),
		value(12, "make([]go.shape.int, n)"), value(12, "make([]go.shape.string, n)"),
	}
	for most, holds := range map[int]bool{2: false, 3: true} {
		broken := Analyze(r, Options{Source: sourceOf}).Broken([]Limit{{Function: "p.Direct", Allocations: most, Checks: -1}})
		if (len(broken) == 0) != holds {
			t.Errorf("at most %d: %+v", most, broken)
		}
	}
}

// Limits that are written out are read again.
func FuzzParseLimits(f *testing.F) {
	f.Add([]byte("p.F no-escapes inlined\n# x\nm/p.(*T).M allocations<=3 checks<=0\n"))
	f.Add([]byte("a checks<=00\r\nb inlined inlined#"))
	f.Fuzz(func(t *testing.T, data []byte) {
		limits, err := ParseLimits(data)
		if err != nil {
			return
		}
		var b strings.Builder
		for _, l := range limits {
			b.WriteString(l.String() + "\n")
		}
		again, err := ParseLimits([]byte(b.String()))
		if err != nil || len(again) != len(limits) {
			t.Fatalf("%d limits are %d, %v", len(limits), len(again), err)
		}
		for i := range again {
			again[i].Line = limits[i].Line
			if again[i] != limits[i] {
				t.Fatalf("%+v was read again as %+v", limits[i], again[i])
			}
		}
	})
}
