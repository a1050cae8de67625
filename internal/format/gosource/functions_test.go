package gosource

import (
	"fmt"
	"strings"
	"testing"
)

func TestFunctions(t *testing.T) {
	functions, external := Functions([]byte(`package p_test

var x = func() int { return 1 }()

func F[A any](a, b A, _ int) {}

func (T) V(string) {
	go func() {
		func() {}()
	}()
}

func (t *T[K, V]) P() {}

func outside()
`))
	var got []string
	for _, f := range functions {
		got = append(got, fmt.Sprintf("%s %d-%d %q %d", f.Name, f.First.Line, f.Last.Line, f.Parameters, len(f.Literals)))
	}
	const want = `F[...] 5-5 ["a" "b" "_"] 0; T.V 7-11 ["" ""] 2; (*T[...]).P 13-13 ["t"] 0; init 0-0 [] 1`
	if text := strings.Join(got, "; "); text != want || !external {
		t.Errorf("%s, %v; want %s", text, external, want)
	}
	for line, want := range map[int]string{3: "init", 5: "F[...]", 9: "T.V", 13: "(*T[...]).P", 12: "", 15: ""} {
		name := ""
		if f := At(functions, Position{line, 20}); f != nil {
			name = f.Name
		}
		if name != want {
			t.Errorf("line %d is in %q, want %q", line, name, want)
		}
	}
	if f, _ := Functions([]byte("package p\nfunc")); f != nil {
		t.Errorf("of what does not parse: %v", f)
	}
}

func FuzzFunctions(f *testing.F) {
	f.Add([]byte("package p\n\nfunc F() { func() {}() }\n\nfunc (t *T[A]) M(a, b int, _ string) { go func() { x = func() {} }() }\n"))
	f.Add([]byte("package p_test\nfunc f() { go func() { defer func() {}() }() }\n//line x.go:9\nvar x = func(){}\n"))
	f.Add([]byte("package p\nfunc (t ?) f() {"))
	f.Fuzz(func(t *testing.T, src []byte) {
		functions, _ := Functions(src)
		for _, fn := range functions {
			for i, l := range fn.Literals {
				if !l.First.Before(l.Last) {
					t.Fatalf("%s: literal %d ends before it begins", fn.Name, i)
				}
				if fn.Name != Init && (l.First.Before(fn.First) || fn.Last.Before(l.Last)) {
					t.Fatalf("%s: literal %d lies outside", fn.Name, i)
				}
				// The first place inside a literal is its own.
				if got := fn.LiteralAt(Position{l.First.Line, l.First.Col + 1}); got != i {
					t.Fatalf("%s: inside literal %d is said to be %d", fn.Name, i, got)
				}
				if got := fn.LiteralAt(l.First); got == i {
					t.Fatalf("%s: literal %d begins inside itself", fn.Name, i)
				}
			}
		}
	})
}
