package rules_test

import (
	"math"
	"strings"
	"testing"

	"whet/internal/analyze/places"
	"whet/internal/diagnose"
	"whet/internal/diagnose/kinds"
	"whet/internal/finding"
)

const kindsSource = `package app

import ("encoding/hex"; "fmt"; "reflect"; "regexp"; "strings")

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
`

// Each kind of cost is claimed where its condition holds, with the share that its samples
// are of the base, and not where one part of that is missing.
func TestKindsOfCost(t *testing.T) {
	const others = "m/app.other:90"
	decisions := decisionsOn(t, kindsSource)
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
		{"hashing", "library-work", some("m/app.digits:14 crypto/sha256.Sum256", 900), nil, 0, 0, ""},
		{"memory", "memory-per-call", some("m/app.run:18 runtime.makeslice runtime.mallocgc", 500), taken("m/app.run:18", 64), 18, 0.5, "a []any is made anew"},
		{"seldom", "memory-per-call", some("m/app.run:18 runtime.makeslice runtime.mallocgc", 500), []stack{{frames: "m/app.run:18", n: 0, size: 64}}, 0, 0, ""},
		{"for the caller", "memory-per-call", some("m/app.Args:26 runtime.makeslice runtime.mallocgc", 500), taken("m/app.Args:26", 64), 0, 0, ""},
		{"for a caller in the package", "memory-per-call", some("m/app.args:30 runtime.makeslice runtime.mallocgc", 500), taken("m/app.args:30", 64), 30, 0.5, "a []any is made anew"},
		{"a clone", "value-cloned", some("m/app.changed:115 m/app.cloneOf:42 runtime.mapassign_faststr runtime.mallocgc", 500), taken("m/app.cloneOf:42", 64), 42, 0.5, "cloneOf copies m as a whole"},
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
			s := app(t, kindsSource, known, test.cpu, test.allocs)
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
	s := app(t, kindsSource, known, cpu, nil)
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
			return []diagnose.Claim{{Place: diagnose.Place{Function: "m/app.other", File: "app.go", Line: 99}, Cost: diagnose.Samples{CPU: set.Keep()}, Remedy: "r"}}
		}
		reg, err := diagnose.NewRegistry(append([]diagnose.Rule{first}, kinds.Rules()...)...)
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
