package rules_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"whet/internal/analyze/places"
	"whet/internal/diagnose"
	"whet/internal/diagnose/explain"
	"whet/internal/finding"
)

const explainSource = `package app

import ("encoding/hex"; "encoding/json"; "fmt"; "go/parser"; "go/token"; "io"; "reflect"; "regexp"; "strings")

func length(v any) int { // 5
	return reflect.ValueOf(v).Len() // 6
}

func valid(re *regexp.Regexp, name string) bool { // 9
	return re.MatchString(name) // 10
}

func digits(b []byte, out []byte) { // 13
	hex.Encode(out[0:8], b[0:4]) // 14
}

func run(vm *machine, n int) { // 17
	args := make([]any, n) // 18
	for i := range args {
		args[i] = vm.last
	}
	vm.last = vm.call(args) // 22
}

func Args(n int) []any { // 25
	return make([]any, n) // 26
}

func args(n int) []any { // 29
	return make([]any, n) // 30
}

type machine struct { // 33
	last any
	call func([]any) any
	buf  []byte
}

func cloneOf(m map[string]any) map[string]any { // 39
	out := make(map[string]any, len(m)) // 40
	for k, v := range m {
		out[k] = v // 42
	}
	return out
}

func emptied(m map[string]any) map[string]any { // 47
	out := make(map[string]any, 8) // 48
	out["a"] = len(m)
	return out
}

func (m *machine) escaped(s string) { // 53
	for i := range len(s) {
		m.add(s[i]) // 55
	}
}

func (m *machine) add(b byte) { // 59
	if b == '"' {
		m.buf = append(m.buf, '\\') // 61
	}
	m.buf = append(m.buf, b) // 63
}

func (m *machine) once(b byte) { // 66
	m.add(b) // 67
}

type field struct{ name string } // 70

func pairs(list []field) (n int) { // 72
	for i := range list {
		for j := i + 1; j < len(list); j++ { // 74
			if list[i].name == list[j].name { // 75
				n++
			}
		}
	}
	return n
}

func cross(list, other []field) (n int) { // 83
	for i := range list {
		for j := range other { // 85
			if list[i].name == other[j].name { // 86
				n++
			}
		}
	}
	return n
}

type text struct{ b strings.Builder } // 94

func (t *text) put(s string) { // 96
	t.b.WriteString(s) // 97
}

var _ = fmt.Sprint

func overlaps(list []field) { // 102
	for i, a := range list {
		for _, b := range list[i+1:] {
			compare(a, b) // 105
		}
	}
}

func compare(a, b field) bool { // 110
	return a.name == b.name // 111
}

func changed(m map[string]any) map[string]any { // 114
	m = cloneOf(m) // 115
	m["b"] = 1
	return m
}

type node struct{ next *node } // 120

var first *node

func keep(n *node) { first = n } // 124

func push() { // 126
	n := &node{first} // 127
	keep(n)
}

func AppendAll(dst []byte, b []byte) []byte { // 131
	for _, c := range b {
		dst = append(dst, c, c) // 133
	}
	return dst
}

func parsed(set *token.FileSet, src string) {
	parser.ParseFile(set, "x.go", src, 0) // 139
}

func matching(scheme string) *regexp.Regexp {
	return regexp.MustCompile("(?i)" + scheme + "://") // 143
}

func body(r io.Reader, to any) error {
	return json.NewDecoder(r).Decode(to) // 147
}

type stream struct{ *json.Decoder }

func (s stream) next(to any) error {
	return s.Decode(to) // 153
}

func one[T any](text []byte) (v T, err error) {
	err = json.Unmarshal(text, &v) // 157
	return v, err
}

func named(text []byte) (f struct{ Name string }, err error) {
	err = json.Unmarshal(text, &f) // 162
	return f, err
}

type page struct{ numbers []float64 }

func (p *page) number(v float64) *float64 { // 168
	if len(p.numbers) == cap(p.numbers) {
		p.numbers = make([]float64, 0, 32) // 170
	}
	p.numbers = append(p.numbers, v)
	return &p.numbers[len(p.numbers)-1]
}

func grown(buf []any, n int, use func([]any)) {
	if cap(buf) < n {
		buf = make([]any, n) // 178
	}
	use(buf)
}

func chosen[K comparable](n int, use func([]K)) {
	queue := make([]K, n) // 184
	use(queue)
}

func branches(n int, use func([]any)) {
	if n > 0 {
		list := make([]any, n) // 190
		use(list)
	}
}

func scheme() string { return fmt.Sprint("https?", "://") } // 195

func strict() *regexp.Regexp {
	exp := "(?i)" + scheme()
	return regexp.MustCompile(exp) // 199
}

func Key(n int, part []byte) []byte {
	key := make([]byte, n) // 203
	copy(key, part)
	return key[:len(part)]
}

func groups(b, out []byte, n int) {
	for i := range n {
		out[0] += b[i] // 210
		hex.Encode(out[4*i:], b[2*i:]) // 211
	}
	for i := range n {
		hex.Encode(out[8*i:], b[4*i:]) // 214
	}
}
`

// Each kind of cost is claimed where its condition holds, with the share that its samples
// are of the base, and not where one part of that is missing.
func TestKindsOfCost(t *testing.T) {
	const others = "m/app.other:90"
	decisions := decisionsOn(t, explainSource)
	some := func(at string, n int64) []stack {
		return []stack{{frames: at, n: n}, {frames: "other.work", n: 1000 - n}}
	}
	taken := func(at string, sizes ...int64) (out []stack) {
		for _, size := range sizes {
			out = append(out, stack{frames: at, n: 10, size: size})
		}
		return append(out, stack{frames: others, n: 1, size: 16})
	}
	for _, test := range []struct {
		name, rule  string
		cpu, allocs []stack
		line        int // of the finding; 0: none
		share       float64
		says        string
	}{
		{"reflection", "reflection", some("m/app.length:6 reflect.Value.Len", 400), nil, 6, 0.4, "40.0 % of the time"},
		{"little reflection", "reflection", some("m/app.length:6 reflect.Value.Len", 140), nil, 0, 0, ""},
		{"a small part of the place", "reflection", []stack{{frames: "m/app.length:6 reflect.Value.Len", n: 200}, {frames: "m/app.length:6", n: 600}}, nil, 0, 0, ""},
		{"a regular expression", "regexp-run", some("m/app.valid:10 regexp.(*Regexp).doExecute", 300), nil, 10, 0.3, "30.0 % of the time"},
		{"little of one", "regexp-run", some("m/app.valid:10 regexp.(*Regexp).doExecute", 100), nil, 0, 0, ""},
		{"hex", "library-work", some("m/app.digits:14 encoding/hex.Encode", 500), nil, 14, 0.5, "hex.Encode takes 50.0 % of the time"},
		{"reflection of a library", "reflection", some("m/app.length:6 other.Decode reflect.Value.Len", 400), nil, 6, 0.4, "most of it in other.Decode: "},
		{"hex in two loops", "library-work", []stack{{frames: "m/app.groups:210", n: 200}, {frames: "m/app.groups:211 encoding/hex.Encode", n: 80}, {frames: "m/app.groups:214 encoding/hex.Encode", n: 90}, {frames: "other.work", n: 630}}, nil, 214, 0.17, "on 2 lines of groups"},
		{"little in two loops", "library-work", []stack{{frames: "m/app.groups:210", n: 200}, {frames: "m/app.groups:211 encoding/hex.Encode", n: 70}, {frames: "m/app.groups:214 encoding/hex.Encode", n: 70}, {frames: "other.work", n: 660}}, nil, 0, 0, ""},
		{"a small part of the function", "library-work", []stack{{frames: "m/app.groups:210", n: 600}, {frames: "m/app.groups:211 encoding/hex.Encode", n: 80}, {frames: "m/app.groups:214 encoding/hex.Encode", n: 80}, {frames: "other.work", n: 240}}, nil, 0, 0, ""},
		{"own code that the library calls, on two lines", "library-work", []stack{{frames: "m/app.groups:210", n: 200}, {frames: "m/app.groups:211 sort.Slice m/app.run:22", n: 80}, {frames: "m/app.groups:214 sort.Slice m/app.run:22", n: 90}, {frames: "other.work", n: 630}}, nil, 0, 0, ""},
		{"an expression that is compiled", "regexp-run", some("m/app.matching:143 regexp.MustCompile regexp.compile regexp/syntax.Parse", 400), nil, 0, 0, ""},
		{"compiled in each call", "regexp-compile", some("m/app.strict:199 regexp.MustCompile regexp.compile regexp/syntax.Parse", 400), nil, 199, 0.4, "regexp.MustCompile compiles a regular expression in every call, which takes 40.0 %"},
		{"of the caller's text", "regexp-compile", some("m/app.matching:143 regexp.MustCompile regexp.compile regexp/syntax.Parse", 400), nil, 0, 0, ""},
		{"compiled once", "regexp-compile", some("sync.(*Once).doSlow m/app.strict:199 regexp.MustCompile regexp.compile", 400), nil, 0, 0, ""},
		{"compiled once and not run", "regexp-run", some("sync.(*Once).doSlow m/app.matching:143 regexp.MustCompile regexp.compile", 400), nil, 0, 0, ""},
		{"what only parses", "regexp-run", some("sync.(*Once).doSlow m/app.matching:143 regexp/syntax.Parse", 400), nil, 0, 0, ""},
		{"little compiled", "regexp-compile", some("m/app.strict:199 regexp.MustCompile regexp.compile regexp/syntax.Parse", 140), nil, 0, 0, ""},
		{"a few calls that compile", "regexp-compile", some("m/app.strict:199 regexp.MustCompile regexp.compile runtime.mallocgc", 400), []stack{{"m/app.strict:199 regexp.MustCompile regexp.compile", 2, 64}, {others, 1, 16}}, 0, 0, ""},
		{"Go source", "library-work", some("m/app.parsed:139 go/parser.ParseFile go/scanner.(*Scanner).Scan", 900), nil, 0, 0, ""},
		{"a known type", "library-work", some("m/app.named:162 encoding/json.Unmarshal", 500), nil, 162, 0.5, "json.Unmarshal takes 50.0 %"},
		{"a value of any type", "library-work", some("m/app.(*stream).next:153 encoding/json.(*Decoder).Decode", 500), nil, 0, 0, ""},
		{"a type parameter", "library-work", some("m/app.one:157 encoding/json.Unmarshal", 500), nil, 0, 0, ""},
		{"a decoder for each text", "library-work", append(some("m/app.body:147 encoding/json.(*Decoder).Decode encoding/json.(*Decoder).refill runtime.growslice", 400), stack{frames: "m/app.body:147 encoding/json.(*Decoder).Decode encoding/json.(*decodeState).value", n: 400}), nil, 147, 800.0 / 1400, "json.NewDecoder allocates a decoder and a buffer"},
		{"a decoder that costs little", "library-work", append(some("m/app.body:147 encoding/json.(*Decoder).Decode encoding/json.(*Decoder).refill net.(*conn).Read", 400), stack{frames: "m/app.body:147 encoding/json.(*Decoder).Decode encoding/json.(*decodeState).value", n: 400}), nil, 0, 0, ""},
		{"hashing", "library-work", some("m/app.digits:14 crypto/sha256.Sum256", 900), nil, 0, 0, ""},
		{"memory", "memory-per-call", some("m/app.run:18 runtime.makeslice runtime.mallocgc", 500), taken("m/app.run:18", 64), 18, 0.5, "a []any is allocated"},
		{"a page for many calls", "memory-per-call", some("m/app.(*page).number:170 runtime.makeslice runtime.mallocgc", 500), taken("m/app.(*page).number:170", 256), 0, 0, ""},
		{"where it is too small", "memory-per-call", some("m/app.grown:178 runtime.makeslice runtime.mallocgc", 500), taken("m/app.grown:178", 256), 0, 0, ""},
		{"of a type that the caller chooses", "memory-per-call", some("m/app.chosen[...]:184 runtime.makeslice runtime.mallocgc", 500), taken("m/app.chosen[...]:184", 256), 0, 0, ""},
		{"in a branch", "memory-per-call", some("m/app.branches:190 runtime.makeslice runtime.mallocgc", 500), taken("m/app.branches:190", 256), 190, 0.5, "a []any is allocated each time its branch is taken"},
		{"seldom", "memory-per-call", some("m/app.run:18 runtime.makeslice runtime.mallocgc", 500), []stack{{frames: "m/app.run:18", n: 0, size: 64}}, 0, 0, ""},
		{"for the caller", "memory-per-call", some("m/app.Args:26 runtime.makeslice runtime.mallocgc", 500), taken("m/app.Args:26", 64), 0, 0, ""},
		{"a part for the caller", "memory-per-call", some("m/app.Key:203 runtime.makeslice runtime.mallocgc", 500), taken("m/app.Key:203", 64), 0, 0, ""},
		{"for a caller in the package", "memory-per-call", some("m/app.args:30 runtime.makeslice runtime.mallocgc", 500), taken("m/app.args:30", 64), 30, 0.5, "a []any is allocated"},
		{"a clone", "value-cloned", some("m/app.changed:115 m/app.cloneOf:42 runtime.mapassign_faststr runtime.mallocgc", 500), taken("m/app.cloneOf:42", 64), 42, 0.5, "cloneOf copies all of m"},
		{"a clone that a benchmark asks for", "value-cloned", some("m/app.cloneOf:42 runtime.mapassign_faststr runtime.mallocgc", 500), taken("m/app.cloneOf:42", 64), 0, 0, ""},
		{"a node that is kept", "memory-per-call", some("m/app.push:127 runtime.newobject runtime.mallocgc", 500), taken("m/app.push:127", 64), 0, 0, ""},
		{"a caller's slice", "step-growth", some("m/app.AppendAll:133 runtime.growslice runtime.mallocgc", 500), taken("m/app.AppendAll:133", 8, 16, 32, 64), 0, 0, ""},
		{"pairs in a call", "all-pairs", some("m/app.overlaps:105 m/app.compare:111", 500), nil, 111, 0.5, "Every element of list"},
		{"none", "value-cloned", some("m/app.emptied:48 runtime.makemap runtime.mallocgc", 500), taken("m/app.emptied:48", 64), 0, 0, ""},
		{"a character", "call-per-character", some("m/app.(*machine).escaped:55 m/app.(*machine).add:63", 500), nil, 63, 0.5, "add is called in a loop for each character"},
		{"one character", "call-per-character", some("m/app.(*machine).once:67 m/app.(*machine).add:63", 500), nil, 0, 0, ""},
		{"pairs", "all-pairs", some("m/app.pairs:75", 500), nil, 75, 0.5, "Every element of list"},
		{"two lists", "all-pairs", some("m/app.cross:86", 500), nil, 0, 0, ""},
		{"growth", "step-growth", some("m/app.(*text).put:97 strings.(*Builder).WriteString runtime.growslice", 500), taken("m/app.(*text).put:97", 8, 16, 32, 64), 97, 0.5, "50.0 %"},
		{"the right size", "step-growth", some("m/app.(*text).put:97 strings.(*Builder).WriteString runtime.growslice", 500), taken("m/app.(*text).put:97", 64), 0, 0, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := app(t, explainSource, known, test.cpu, test.allocs)
			s.Decisions = decisions
			found := said(t, test.rule, s)
			if test.line == 0 {
				if len(found) > 0 {
					t.Errorf("it speaks: %+v", found)
				}
				return
			}
			if len(found) != 1 {
				t.Fatalf("%d findings", len(found))
			}
			f := found[0]
			if f.Line != test.line || math.Abs(f.CPURatio-test.share) > 1e-9 || f.Confidence != finding.Low || f.Remedy == "" || !strings.Contains(f.Why, test.says) {
				t.Errorf("line %d, %v of the time, %s confidence, %q, %q; want line %d, %v, %q", f.Line, f.CPURatio, f.Confidence, f.Why, f.Remedy, test.line, test.share, test.says)
			}
		})
	}
}

// A place has a finding of another rule, or of one that is asked last, and not of both;
// and what it is made of sums to what is charged to it.
func TestKindsOfCostAskedLast(t *testing.T) {
	cpu := []stack{{frames: "m/app.length:6 reflect.Value.Len", n: 400}, {frames: "m/app.length:6", n: 50}, {frames: "other.work", n: 550}}
	s := app(t, explainSource, known, cpu, nil)
	first := diagnose.Rule{ID: "first", Title: "t", MinSamples: 1, Evidence: []diagnose.EvidenceKind{diagnose.EvidenceCPU},
		Doc: diagnose.Doc{What: "w", Why: "w", Silent: "s", Fix: "f", Before: "b", After: "a"}}
	for _, part := range []struct {
		samples int // of the three that the other rule would take away
		asked   bool
	}{{0, true}, {1, false}} {
		first.Find = func(s *diagnose.Subject) []diagnose.Claim {
			var set diagnose.Set
			for i := range part.samples {
				set.Add(i)
			}
			return []diagnose.Claim{{Place: diagnose.Location{Function: "m/app.other", File: "app.go", Line: 99}, Cost: diagnose.Samples{CPU: set.Keep()}, Remedy: "r"}}
		}
		reg, err := diagnose.NewRegistry(append([]diagnose.Rule{first}, explain.Rules()...)...)
		if err != nil {
			t.Fatal(err)
		}
		res := run(t, reg, []*diagnose.Subject{s})
		asked := false
		for _, f := range res.Findings {
			asked = asked || f.Rule == "reflection"
		}
		if asked != part.asked {
			t.Errorf("with %d of its samples explained: asked is %v", part.samples, asked)
		}
	}
	at := &diagnose.Spot{Function: "m/app.length", File: "app.go", Lines: []int{6}}
	at.Cost.CPU.Add(0)
	at.Cost.CPU.Add(1)
	sums := make(map[places.Kind]int64)
	s.EachWork(at, func(w diagnose.Work) { sums[w.Kind] += w.Value })
	if sums[places.Reflection] != 400*10_000_000 || sums[places.Instructions] != 50*10_000_000 || len(sums) != 2 {
		t.Errorf("the place is made of %v", sums)
	}
}

// A place's cost is explained where that adds to the time spent there.
func TestKindsOfCostSay(t *testing.T) {
	for _, test := range []struct{ name, frames, says string }{
		{"its own instructions", "m/app.emptied:49", ""},
		{"work of a library", "m/app.emptied:49 other.Resize", ""},
		{"a map", "m/app.emptied:49 runtime.mapassign_faststr", "map operations"},
		{"a library's reflection", "m/app.length:6 other.Decode reflect.Value.Len", "most of it in other.Decode: "},
		{"made under a condition", "m/app.(*page).number:170 runtime.makeslice runtime.mallocgc", "each time its branch is taken"},
		{"an expression of the caller's", "m/app.matching:143 regexp.MustCompile regexp.compile regexp/syntax.Parse", "regexp.MustCompile compiles a regular expression in every call, which takes 90.0 % of the time."},
		{"a character at a time", "m/app.(*machine).escaped:55", "processes s one character at a time"},
	} {
		s := app(t, explainSource, known, []stack{{frames: test.frames, n: 900}, {frames: "other.work", n: 100}}, []stack{{frames: "m/app.(*page).number:170", n: 10, size: 256}})
		places := run(t, registry(t), []*diagnose.Subject{s}).HotPlaces
		i := slices.IndexFunc(places, func(p finding.HotPlace) bool { return p.CPURatio != nil && *p.CPURatio > 0.5 })
		switch {
		case i < 0:
			t.Errorf("%s: no place in %+v", test.name, places)
		case test.says == "" && places[i].Cause != nil:
			t.Errorf("%s: it says %q", test.name, *places[i].Cause)
		case test.says != "" && (places[i].Cause == nil || !strings.Contains(*places[i].Cause, test.says)):
			t.Errorf("%s: it says %v, want %q", test.name, places[i].Cause, test.says)
		}
	}
}
