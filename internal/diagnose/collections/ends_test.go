package collections

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"whet/internal/diagnose"
	"whet/internal/typed/typedtest"
)

type source map[string]string

func (s source) Text(file string) []byte    { return []byte(s[file]) }
func (s source) Display(file string) string { return file }

// reading reads a package m/app from files, by name; other packages' files are
// named after them: "m/other/x.go".
func reading(t *testing.T, files map[string]string) *Package {
	t.Helper()
	var of []typedtest.File
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := "m/app"
		if i := strings.LastIndexByte(name, '/'); i > 0 {
			path = name[:i]
		}
		of = append(of, typedtest.File{Package: path, Frame: name, Text: files[name]})
	}
	p := read(&diagnose.Subject{Source: source(files), Program: typedtest.Program(t, of...)}, "m/app")
	if p == nil {
		t.Fatal("nothing was read")
	}
	return p
}

func (p *Package) named(t *testing.T, name string) *Collection {
	t.Helper()
	for _, c := range p.Collections {
		if c.Var.Name() == name {
			return c
		}
	}
	t.Fatalf("no collection %s", name)
	return nil
}

// What a local variable holds ends with the call, or may not.
func TestLocalEnds(t *testing.T) {
	const head = "package app\n\nimport \"slices\"\n\nfunc f(n int, xs []int, lists [][]int) int {\n\t"
	const others = `
func helper(x []int) int { return len(x) }
func keep(x []int) { kept = x }
var kept []int
func found() map[int]int { return nil }
func foundOr() (map[int]int, error) { return nil, nil }
var stored map[int]int
var hook func(int)
type T struct { f []int }
func fill(m map[int]int) { m[1] = 2; if len(m) < 3 { fill(m) } }
func deep(l [][]int, n int) { l[0] = append(l[0], n); if n > 0 { deep(l, n - 1) } }
func both(m map[int]int) { m[1] = 2 }
func give(m map[int]int) map[int]int { return m }
func also(m map[int]int) { m[1] = 2 }
func anew(m map[int]int) { m = make(map[int]int); m[1] = 2 }
func call(m map[int]int) { m[1] = 2 }
func (T) two(a, b map[int]int) { stored = a }
func spread(l ...[]int) { l[0][0] = 1 }
func taken(m map[int]int) { m[1] = 2 }
var f2 func(map[int]int)
func Exported(m map[int]int) { m[1] = 2 }
type has interface { has(map[int]int) }
func (T) has(m map[int]int) { m[1] = 2 }
func (T) own(m map[int]int) { m[1] = 2 }
type list []int
func (l list) set(i int) { l[i] = 1 }
func (l list) len() int { return len(l) }
func (l list) part(i int) []int { return l[:i] }
func (l list) Public() { l[0] = 1 }
func (l *list) push(i int) { *l = append(*l, i) }
var stored2 []int
`
	for _, test := range []struct {
		body string
		want bool
	}{
		{"v := make(map[int]int); v[1]++; delete(v, 2); return len(v)", true},
		{"v := map[int][]int{}; v[1] = append(v[1], 3); return len(v[1])", true},
		{"var v []int; v = append(v, 1, 2); slices.Sort(v); return v[0]", true},
		{"var v []int; v = append(v, 1); v = v[1:]; v = append(v[:0], 2); for i := range v { n += i }; return n", true},
		{"v := make([][]int, 3); for i := range v { v[i] = make([]int, 0, n); v[i] = append(v[i], n) }; return len(v)", true},
		{"v := make(map[int]int); if v == nil { v = make(map[int]int, n) }; for k, x := range v { n += k * x }; return n", true},
		{"v := make(map[int]int); slices.SortFunc(xs, func(a, b int) int { return v[a] - v[b] }); return n", true},
		{"v := make(map[int]int); func() { v[1] = 2 }(); return n", true},
		{"var v []int; v = append(v, 1); kept = append(kept, v...); copy(kept, v); return n", true},
		{"var v []int; v = append(v, 1)\n\treturn helper(v)", true},
		{"v := make([]*T, 0, n); v = append(v, &T{}); return len(v[0].f)", true},
		{"v := make([]T, 3); v[0].f = nil; return n", true},
		{"v := make([]T, 3); for i, x := range slices.Backward(v) { n += i + len(x.f) }; return n", true},

		{"v := make(map[int]int); var visit func(int); visit = func(i int) { v[i] = n; if i > 0 { visit(i - 1) } }; visit(n); return len(v)", true},
		{"v := make(map[int]int); count := func(i int) { v[i]++ }; for _, x := range xs { count(x) }; defer func() { count(3) }(); return n", true},

		{"v := make(map[int]int); count := func(i int) { v[i]++ }; later = count; return n", false},
		{"v := make(map[int]int); count := func(i int) { v[i]++ }; later = func() { count(1) }; return n", false},
		{"v := make(map[int]int); count := func(i int) { v[i]++ }; go count(1); return n", false},
		{"v := make(map[int]int); var count func(int); show(&count); count = func(i int) { v[i]++ }; return n", false},
		{"v := make(map[int]int); hook = func(i int) { v[i]++ }; return n", false},
		{"v := make(map[int]int); x := v; x[1] = 2; kept = nil; show(x); return n", false},
		{"v := make(map[int]int); show(v); return n", false},
		{"v := make(map[int]int); any = v; return n", false},
		{"v := make(map[int]int); ch <- v; return n", false},
		{"v := make(map[int]int); _ = struct{ m map[int]int }{v}; return n", false},
		{"v := make(map[int]int); go func() { v[1] = 2 }(); return n", false},
		{"v := make(map[int]int); later = func() { v[1] = 2 }; return n", false},
		{"v := stored; v[1] = 2; return n", false},
		{"v := found(); v[1] = 2; return n", false},
		{"v, err := foundOr(); v[1] = 2; _ = err; return n", false},
		{"var v []int; v = append(kept, 1); return n", false},
		{"var v []int; v = append(v, 1); kept = v; return n", false},
		{"var v []int; v = append(v, 1); kept = append(v, 2); return n", false},
		{"var v []int; v = append(v, 1); kept = v[:1]; return n", false},
		{"var v []int; v = append(v, 1); p = &v[0]; return n", false},
		{"var v []int; v = append(v, 1); p = &v; return n", false},
		{"var v []int; v = append(v, 1)\n\tkeep(v); return n", false},
		{"v := make([]T, 3); v[0].method(); return n", false},
		{"v := make([]T, 3); p = &v[0].n; return n", false},
		{"v := make([][3]int, 3); kept = v[0][:]; return n", false},
		{"v := make([][]int, 3); v[0] = append(v[0], 1); kept = v[0]; return n", false},
		{"v := make([][]int, 3); v[0] = append(v[0], 1)\n\treturn helper(v[0])", false}, // what is in it is not followed
		{"v := make([][]int, 3); v[0] = kept; return n", false},
		{"v := [][]int{kept}; v[0] = append(v[0], 1); return n", false},
		{"v := make([]int, 3); spread(v); return n", false},
		{"v := make(map[int]int); call(v); call(found()); return n", true},
		{"var x T; v := make(map[int]int); T.two(x, v, nil); return n", false},
		{"v := make([][]int, 0); v = append(v, kept); return n", false},
		{"v := make([][]int, 3); for _, x := range v { kept = x }; return n", false},
		{"for _, v := range lists { v = append(v, 1) }; return n", false},
		{"v := make(map[int][]int); x, ok := v[1]; kept = x; _ = ok; return n", false},

		// A function of the package is followed.
		{"v := make(map[int]int); fill(v); return len(v)", true},
		{"v := make([][]int, n); deep(v, 1); deep(v, 2); return n", true},
		{"v := make(map[int]int); u := make(map[int]int); u[1] = 2; both(u); both(v); return n", true},
		{"v := make(map[int]int); stored = give(v); return n", false},
		{"v := make(map[int]int); also(v); hook = func(int) { also(stored) }; return n", true},
		{"v := make(map[int]int); go fill(v); return n", false},
		{"v := make(map[int]int); Exported(v); return n", true},
		{"v := make(map[int]int); anew(v); return n", true},
		{"v := make(map[int]int); taken(v); f2 = taken; return n", true},
		{"var x T; v := make(map[int]int); x.has(v); return n", true},
		{"var x T; v := make(map[int]int); x.own(v); return n", true},
		{"v := make(list, n); v.set(1); return v.len()", true},
		{"v := make(list, n); stored2 = v.part(1); return n", false},
		{"v := make(list, n); later = v.len; return n", false},
		{"v := make(list, n); v.Public(); return n", false},
		{"v := make(list, n); v.push(1); return n", false},
	} {
		p := reading(t, map[string]string{"app.go": head + test.body + "\n}\n" + others})
		if got, _ := p.Ends(p.named(t, "v")); got != test.want {
			t.Errorf("%s: %v", test.body, got)
		}
	}
	// What it does is done with the variable where all that it is given is seen.
	for _, test := range []struct {
		body string
		want bool
	}{
		{"v := make(map[int]int); fill(v); return len(v)", true},
		{"var x T; v := make(map[int]int); x.own(v); return n", true},
		{"v := make(map[int]int); u := make(map[int]int); u[1] = 2; both(u); both(v); return n", false},
		{"v := make(map[int]int); also(v); hook = func(int) { also(stored) }; return n", false},
		{"v := make(map[int]int); call(v); call(found()); return n", false},
		{"v := make(map[int]int); Exported(v); return n", false},
		{"v := make(map[int]int); anew(v); return n", false},
		{"v := make(map[int]int); taken(v); f2 = taken; return n", false},
		{"var x T; v := make(map[int]int); x.has(v); return n", false},
	} {
		p := reading(t, map[string]string{"app.go": head + test.body + "\n}\n" + others})
		if got := !p.named(t, "v").Leaks(); got != test.want {
			t.Errorf("%s: all uses are seen: %v", test.body, got)
		}
	}
}

// Of a struct's fields nothing is left after the call where no value of it is.
func TestCallScoped(t *testing.T) {
	const head = "package app\n\ntype s struct { f []string; next *s }\n\nfunc (x *s) add(w string) { x.f = append(x.f, w) }\n\n"
	for _, test := range []struct {
		src  string
		want bool
	}{
		{"func F() int { x := &s{}; x.add(`a`); return len(x.f) }", true},
		{"func F() int { var x s; x.add(`a`); return len(x.f) }", true},
		{"func F() int { x := make2(3); x.add(`a`); return len(x.f) }\nfunc make2(n int) *s { x := &s{f: make([]string, n)}; return x }", true},
		{"func F() int { x, err := make2(3); if err != nil { return 0 }; x.add(`a`); return len(x.f) }\nfunc make2(n int) (*s, error) { return new(s), nil }", true},
		{"func F() int { x := s{}; help(&x, 1); y := x; y.add(`b`); return 0 }\nfunc help(x *s, n int) { x.add(`a`) }", true},
		{"func F() int { x := new(s); defer x.add(`a`); if x == nil { return 0 }; func() { x.add(`b`) }(); return 0 }", true},
		{"func F() int { (&s{}).add(`a`); for i := range 3 { x := s{}; x.add(`b`); _ = i }; return 0 }", true},
		{"func F() (n int) { x := &s{}; for w := range words { x.add(w) }; *x = s{}; return n }", true},

		{"func F() *s { x := &s{}; x.add(`a`); return x }", false},
		{"func F() (*s, error) { return help() }\nfunc help() (*s, error) { return &s{}, nil }", false},
		{"func F() any { x := &s{}; x.add(`a`); return x }", false},
		{"func F() adder { return help() }\nfunc help() adder { return &s{} }\ntype adder interface{ add(string) }", false},
		{"var kept *s\nfunc F() { x := &s{}; x.add(`a`); kept = x }", false},
		{"var kept s\nfunc F() { kept.add(`a`) }", false},
		{"var kept = &s{}\nfunc F() { }", false},
		{"type spare struct { x *s }\nfunc (k *spare) F() { x := k.x; if x == nil { x = &s{} }; x.add(`a`) }", false},
		{"type spare struct { x *s }\nfunc (k *spare) F() { x := &s{}; x.add(`a`); k.x = x }", false},
		{"type spare struct { x s }\nfunc (k *spare) F() { k.x.add(`a`) }", false},
		{"type spare struct { s }\nfunc (k *spare) F() { k.f = append(k.f, `a`) }", false},
		{"func F() { x := &s{}; x.next = &s{}; x.add(`a`) }", false},
		{"func F() { list := []*s{{}}; list[0].add(`a`) }", false},
		{"func F() { var list []s; list = append(list, s{}) }", false},
		{"func F() { m := map[int]*s{1: {}}; m[1].add(`a`) }", false},
		{"func F(ch chan *s) { x := &s{}; x.add(`a`); ch <- x }", false},
		{"func F() { x := &s{}; go x.add(`a`) }", false},
		{"func F() { x := &s{}; go help(x) }\nfunc help(x *s) { x.add(`a`) }", false},
		{"func F() { x := &s{}; run(x.add) }\nfunc run(f func(string)) { }", false},
		{"func F() { x := &s{}; run(func() { x.add(`a`) }) }\nfunc run(f func()) { }", false},
		{"func F() { x := &s{}; show(x) }\nfunc show(x any) { }", false},
		{"func F() { x := &s{}; show(x) }\nfunc show(x ...*s) { }", false},
		{"func F() { x := &s{}; show(x) }\nfunc show[T any](x T) { }", false},
		{"func F() { x := &s{}; other.Show(x) }", false},
		{"func F() { var x any = &s{}; _ = x }", false},
		{"func F(y any) { x := y.(*s); x.add(`a`) }", false},
		{"func F(y any) { switch x := y.(type) { case *s: x.add(`a`) } }", false},
		{"func F(ch chan *s) { for x := range ch { x.add(`a`) } }", false},
		{"func F() { f := func() *s { return &s{} }; f().add(`a`) }", false},
		{"func F() { x := &s{}; y := (*s).add; y(x, `a`) }", false},
		{"func F() { x := &s{}; (*s).add(x, `a`) }", false}, // it is handed to no parameter
		{"func F() { help() }\nfunc help() *s { run(func() *s { return &s{} }); return nil }\nfunc run(f func() *s) { }", false},
		{"func F() { x := s{kept, nil}; x.add(`a`) }\nvar kept []string", false},
		{"func F() { x := s{}; p := &x.f; _ = p; x.add(`a`) }", false},
		{"func F() []string { x := s{}; x.add(`a`); return x.f }", false},
		{"func F() { x := s{}; x.add(`a`); g = x.f }\nvar g []string", false},
	} {
		p := reading(t, map[string]string{"app.go": head + test.src + "\n"})
		if got, _ := p.Ends(p.named(t, "f")); got != test.want {
			t.Errorf("%s: %v", test.src, got)
		}
	}
	exported := strings.NewReplacer("*s", "*S", "&s", "&S", "type s", "type S").Replace(head + "func F() int { x := &s{}; x.add(`a`); return len(x.f) }\n")
	p := reading(t, map[string]string{"app.go": exported})
	if got, _ := p.Ends(p.named(t, "f")); got {
		t.Error("a struct that others can make")
	}
}

// A type of another of the user's packages is known, and one that is not
// recorded is not.
func TestTypesOfOtherPackages(t *testing.T) {
	p := reading(t, map[string]string{
		"app.go":         "package app\n\nimport (\n\t\"m/other\"\n\t\"gone\"\n)\n\nfunc f(x *other.T, y *gone.T) {\n\tv := make(map[*other.T]int)\n\tv[x] = 1\n\tx.List = append(x.List, 1)\n\ty.List = append(y.List, 1)\n}\n",
		"m/other/one.go": "package other\n\nimport \"m/app\"\n\n// T is one.\ntype T struct { List []int }\n\nvar _ = app.F\n", // and a cycle
	})
	if len(p.Collections) != 1 || p.Collections[0].Var.Name() != "v" {
		t.Errorf("%d collections", len(p.Collections))
	}
	if l := p.lines[diagnose.SourceLine{File: "app.go", Line: 11}]; l == nil || l.oneTaker() == nil || l.oneTaker().Var.Name() != "List" {
		t.Error("line 11 appends to a list that is known")
	}
	if l := p.lines[diagnose.SourceLine{File: "app.go", Line: 12}]; l.oneTaker() != nil || !l.memory {
		t.Error("line 12 appends to a list that is not known")
	}
}
