package typed_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"
	"testing"

	"whet/internal/format/typeview"
	"whet/internal/typed"
	"whet/internal/typed/typedtest"
)

// of makes a program of packages as a view has them, and texts by file.
func of(t *testing.T, texts map[string]string, packages ...typeview.Package) *typed.Program {
	t.Helper()
	var data bytes.Buffer
	if err := typeview.Write(&data, &typeview.View{GoVersion: "go1.26", GOARCH: "amd64", Packages: packages}, nil, nil); err != nil {
		t.Fatal(err)
	}
	view, err := typeview.Read(data.Bytes(), typeview.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	return typed.New(view, func(frame string) []byte {
		if text, ok := texts[frame]; ok {
			return []byte(text)
		}
		return nil
	})
}

// typeOf returns the type of a package's object, "" where it has none.
func typeOf(p *typed.Package, name string) string {
	if p == nil || p.Types == nil || p.Types.Scope().Lookup(name) == nil {
		return ""
	}
	return types.TypeString(p.Types.Scope().Lookup(name).Type(), (*types.Package).Path)
}

func TestPackages(t *testing.T) {
	p := typedtest.Program(t,
		typedtest.File{Package: "m/a", Frame: "a/a.go", Text: "package same\n\nimport b \"m/b\"\n\nvar V b.T\n\nfunc Near(x b.T) { x.M() }\n"},
		typedtest.File{Package: "m/b", Frame: "b/b.go", Text: "package same\n\nimport \"strings\"\n\ntype T struct{ strings.Builder }\n\nfunc (T) M() {}\n"},
		typedtest.File{Package: "m/b", Frame: "b/export_test.go", Text: "package same\n\nvar Inner = T{}\n"},
		typedtest.File{Package: "m/b_test", Frame: "b/b_test.go", Text: "package same_test\n\nimport \"m/b\"\n\nvar Outer = same.Inner\n"},
	)
	for _, test := range []struct{ path, name, want string }{
		{"m/a", "V", "m/b.T"}, {"m/b", "Inner", "m/b.T"}, {"m/b_test", "Outer", "m/b.T"}, {"m/c", "V", ""},
	} {
		if got := typeOf(p.Package(test.path), test.name); got != test.want {
			t.Errorf("%s.%s is %s, want %s", test.path, test.name, got, test.want)
		}
	}
	if a, b := p.Package("m/a"), p.Package("m/b"); a.Types.Scope().Lookup("V").Type() != b.Types.Scope().Lookup("T").Type() {
		t.Error("T is two types")
	}
	if pkg, f := p.FileOf("b/b_test.go"); pkg == nil || pkg.Path != "m/b_test" || f.Name.Name != "same_test" || pkg.Frame(f) != "b/b_test.go" {
		t.Errorf("%+v", pkg)
	}
	if pkg, f := p.FileOf("/go/src/fmt/print.go"); pkg != nil || f != nil {
		t.Errorf("%+v", pkg)
	}
	for _, test := range []struct{ symbol, file string }{
		{"m/a.Near", "a/a.go"}, {"m/a.Near.func1", "a/a.go"}, {"m/b.T.M", "b/b.go"}, {"m/b.T.M-fm", "b/b.go"}, {"m/b.(*T).M", ""}, {"m/a.Far", ""}, {"fmt.Sprint", ""}, {"", ""},
	} {
		fn := p.FuncOf(test.symbol)
		if got := ""; fn != nil {
			got = fn.File
			if got != test.file {
				t.Errorf("%s is in %s", test.symbol, got)
			}
		} else if test.file != "" {
			t.Errorf("%s is not known", test.symbol)
		}
	}
	if missing, typed := p.Missing(); len(missing) > 0 || !typed {
		t.Errorf("missing %q", missing)
	}
}

// A program's main package is main or goes by its path; which of two is meant nobody
// knows.
func TestMainPackage(t *testing.T) {
	a := typedtest.File{Package: "m/cmd/a", Frame: "a.go", Text: "package main\n\ntype I interface{ M() }\n\nfunc logf(string, ...any) {}\n"}
	b := typedtest.File{Package: "m/cmd/b", Frame: "b.go", Text: "package main\n"}
	for _, test := range []struct {
		symbol string
		in     *typed.Program
		want   bool
	}{
		{"main.logf", typedtest.Program(t, a), true}, {"m/cmd/a.logf", typedtest.Program(t, a), true}, {"main.I.M", typedtest.Program(t, a), true},
		{"main.logf", typedtest.Program(t, a, b), false}, {"main.logf", typedtest.Program(t), false},
	} {
		fn, obj := test.in.FuncOf(test.symbol), test.in.Object(test.symbol)
		if (obj != nil) != test.want || test.symbol != "main.I.M" && (fn != nil) != test.want {
			t.Errorf("%s: %v, %v", test.symbol, fn, obj)
		}
	}
}

// Each package is typed by itself, as far as it goes, and says what is wrong.
func TestBadInput(t *testing.T) {
	long := "package g\n\n" + strings.Repeat("func _() int { return len(\"x\") }\n", 50_000) + "var V = 1\n"
	for _, test := range []struct {
		name         string
		texts        map[string]string
		packages     []typeview.Package
		want, reason string // of V in the first package
	}{
		{"does not type-check", map[string]string{"x.go": "package x\n\nvar V = 1\n\nfunc f() int { return undefined + [](nil) }\n\nvar W = []T{{a: f}, struct{x U}{}}\n"},
			[]typeview.Package{{Path: "m/x", Files: []string{"x.go"}}}, "int", "undefined"},
		{"imports what does not type-check", map[string]string{"x.go": "package x\n\nimport \"m/y\"\n\nvar V = y.F()\nvar W = y.G()\n", "y.go": "package y\n\nfunc F() int { return missing }\nfunc G() T { panic(1) }\n"},
			[]typeview.Package{{Path: "m/x", Files: []string{"x.go"}}, {Path: "m/y", Files: []string{"y.go"}}}, "int", ""},
		{"does not parse", map[string]string{"x.go": "package x\n\nvar V = 1\n", "y.go": "package x\n\nfunc {"},
			[]typeview.Package{{Path: "m/x", Files: []string{"x.go", "y.go"}}}, "int", "y.go:3:6"},
		{"nothing parses", map[string]string{"x.go": "\x00\xff"}, []typeview.Package{{Path: "m/x", Files: []string{"x.go"}}}, "", "illegal character"},
		{"a file is not kept", map[string]string{"x.go": "package x\n\nvar V = W\n"},
			[]typeview.Package{{Path: "m/x", Files: []string{"x.go", "y.go"}}}, "invalid type", "y.go is not kept"},
		{"no file is kept", nil, []typeview.Package{{Path: "m/x", Files: []string{"x.go"}}}, "", "x.go is not kept"},
		{"a dialect too new", map[string]string{"x.go": "package x\n\nvar V = 1\n"},
			[]typeview.Package{{Path: "m/x", GoVersion: "go1.999", Files: []string{"x.go"}}}, "", "go1.999"},
		{"a file too new", map[string]string{"x.go": "//go:build go1.999\n\npackage x\n\nvar V = 1\n"},
			[]typeview.Package{{Path: "m/x", GoVersion: "go1.20", Files: []string{"x.go"}}}, "int", "go1.999"},
		{"an old dialect", map[string]string{"x.go": "package x\n\nvar V = max(1, 2)\n"},
			[]typeview.Package{{Path: "m/x", GoVersion: "go1.17", Files: []string{"x.go"}}}, "int", "go1.21"},
		{"generics of every shape", map[string]string{"x.go": "package x\n\ntype L[T any] struct{ next *L[T]; v T }\ntype N interface{ ~int | ~float64 }\ntype A[K comparable, V N] = map[K]L[V]\nfunc (l *L[T]) Each(yield func(T) bool) { for ; l != nil; l = l.next { if !yield(l.v) { return } } }\nfunc Sum[S ~[]E, E N](s S) (n E) { for _, e := range s { n += e }; return n }\nvar V = Sum([]float64{1})\nvar W A[string, int]\nfunc init() { var l *L[int]; for x := range l.Each { _ = x } }\n"},
			[]typeview.Package{{Path: "m/x", GoVersion: "go1.26", Files: []string{"x.go"}}}, "float64", ""},
		{"build tags", map[string]string{"x.go": "//go:build linux && !cgo\n\npackage x\n\nvar V = 1\n"}, []typeview.Package{{Path: "m/x", Files: []string{"x.go"}}}, "int", ""},
		{"vendored", map[string]string{"x.go": "package x\n\nimport \"example.com/y\"\n\nvar V y.T\n", "vendor/y.go": "package y\n\ntype T int\n"},
			[]typeview.Package{{Path: "m/x", Files: []string{"x.go"}, Imports: map[string]string{"example.com/y": "m/vendor/example.com/y"}}, {Path: "m/vendor/example.com/y", Files: []string{"vendor/y.go"}}},
			"m/vendor/example.com/y.T", ""},
		{"cgo", map[string]string{"x.go": "package x\n\n// #include <math.h>\nimport \"C\"\n\nvar V = 1\n\nfunc F() { _ = C.sqrt(2) }\n"},
			[]typeview.Package{{Path: "m/x", Files: []string{"x.go"}, Uncertain: "it uses cgo"}}, "int", "it uses cgo"},
		{"imports itself", map[string]string{"x.go": "package x\n\nimport \"m/y\"\n\nvar V = 1\nvar W = y.V\n", "y.go": "package y\n\nimport \"m/x\"\n\nvar V = x.V\n"},
			[]typeview.Package{{Path: "m/x", Files: []string{"x.go"}}, {Path: "m/y", Files: []string{"y.go"}}}, "int", ""},
		{"imports what is not there", map[string]string{"x.go": "package x\n\nimport \"example.com/y\"\n\nvar V = 1\nvar W = y.V\n"}, []typeview.Package{{Path: "m/x", Files: []string{"x.go"}}}, "int", "example.com/y"},
		{"a type of itself", map[string]string{"x.go": "package x\n\ntype T struct{ a [2]T }\ntype P *P\ntype I interface{ I }\n\nvar V = f(T{})\n\nfunc f(x ...any) int { var t T; return f(t, &t, t.a, P(nil)) }\n"}, []typeview.Package{{Path: "m/x", Files: []string{"x.go"}}}, "int", "invalid recursive type"},
		{"50,000 lines", map[string]string{"x.go": long}, []typeview.Package{{Path: "m/x", Files: []string{"x.go"}}}, "int", ""},
		{"two files of one name", map[string]string{"x.go": "package x\n\nvar V = 1\n"}, []typeview.Package{{Path: "m/x", Files: []string{"x.go", "x.go"}}}, "int", "redeclared"},
		{"of two packages", map[string]string{"x.go": "package x\n\nvar V = 1\n", "y.go": "package y\n"}, []typeview.Package{{Path: "m/x", Files: []string{"x.go", "y.go"}}}, "int", "package y; expected package x"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := of(t, test.texts, test.packages...)
			pkg := p.Package(test.packages[0].Path)
			if got := typeOf(pkg, "V"); got != test.want {
				t.Errorf("V is %q, want %q", got, test.want)
			}
			if !strings.Contains(pkg.Reason, test.reason) || (test.reason == "") != (pkg.Reason == "") {
				t.Errorf("reason %q, want %q", pkg.Reason, test.reason)
			}
			if missing, _ := p.Missing(); pkg.Reason != "" && len(missing) == 0 {
				t.Errorf("missing %q", missing)
			}
			callsIn(p)
			for pkg := range p.Packages {
				for _, f := range pkg.Files {
					for _, d := range f.Decls {
						if fn, ok := d.(*ast.FuncDecl); ok {
							p.FuncOf(pkg.Symbol(fn))
						}
					}
				}
			}
		})
	}
}

// What the checker could not resolve makes no call disappear, and no query fail.
func TestCallsOfBrokenCode(t *testing.T) {
	p := of(t, map[string]string{"x.go": "package x\n\nfunc F() { G(1); undefined(2); G(T{a: 1}, U{b: G}) }\n\nfunc G(...any) {}\n\ntype K struct{ A int }\n\nfunc H() { G(map[string]K{gone.Key: {A: 1}}, int{A: 1}); append() }\n"}, typeview.Package{Path: "m/x", Files: []string{"x.go"}})
	var got []string
	for _, c := range callsIn(p)["x.go"] {
		got = append(got, fmt.Sprint(c.Callee, len(c.Args)))
	}
	if want := []string{"m/x.G1", "1", "m/x.G2", "m/x.G2", "append0"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Calls are found by the file that profiles name, also where line directives put
// them into another, and none of those at a line of the same number.
func TestSitesOfLineDirectives(t *testing.T) {
	p := of(t, map[string]string{"d/x.go": "package x\n\nfunc F() {\n\tprint(1)\n//line grammar.y:4\n\tprintln(2)\n//line other.y:2\n\tprintln(3)\n}\n"}, typeview.Package{Path: "m/x", Files: []string{"d/x.go"}})
	for frame, want := range map[string]string{"d/x.go": "print", "d/grammar.y": "println", "d/nothing.y": "", "e/grammar.y": ""} {
		got := ""
		for _, s := range p.Sites(frame, 4, 4) {
			got += s.Callee()
		}
		if got != want {
			t.Errorf("%s:4 calls %q, want %q", frame, got, want)
		}
	}
}
