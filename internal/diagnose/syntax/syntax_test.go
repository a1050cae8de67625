package syntax

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// read parses functions; the first is the one asked about.
func read(t *testing.T, src string) (first *Function, others map[string]*Function) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("%v in %s", err, src)
	}
	others = make(map[string]*Function)
	for _, d := range file.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok {
			f := New(fd)
			if first == nil {
				first = f
			}
			others[fd.Name.Name] = f
		}
	}
	return first, others
}

// declared returns the first declaration of v.
func declared(t *testing.T, f *Function, name string) Declaration {
	t.Helper()
	for _, d := range f.Declarations() {
		if d.Ident.Name == name {
			return d
		}
	}
	t.Fatalf("%s is not declared", name)
	return Declaration{}
}

func TestDeclaration(t *testing.T) {
	f, _ := read(t, `func f(a int, b []T) (c string) {
		a := 1
		if d := g(); d > a {
			var a, e = 2, 3
			use1(a, e, d)
		} else {
			use2(a)
		}
		for i, x := range b {
			use3(i, x)
			func(a int) { use4(a, b) }(2)
		}
		switch t := c.(type) {
		case int:
			n := 1
			use5(t, n)
		}
		use6(a, b, c, outside)
	}`)
	for _, test := range []struct{ call, names string }{
		{"use1", "a=2 e=3 d=g()"}, {"use2", "a=1"}, {"use3", "i x"}, {"use4", "a? b?"}, {"use5", "t=c.(type) n=1"}, {"use6", "a=1 b c outside?"},
	} {
		var got []string
		ast.Inspect(f.Node, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || Name(call.Fun) != test.call {
				return true
			}
			for _, arg := range call.Args {
				name := Name(arg)
				d, ok := f.Declaration(arg, name)
				switch {
				case !ok:
					name += "?"
				case d.Value != nil:
					name += "=" + text(d.Value)
				}
				got = append(got, name)
			}
			return true
		})
		if s := strings.Join(got, " "); s != test.names {
			t.Errorf("%s: %s, want %s", test.call, s, test.names)
		}
	}
}

func text(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Value
	case *ast.CallExpr:
		return Name(e.Fun) + "()"
	case *ast.TypeAssertExpr:
		return Name(e.X) + ".(type)"
	}
	return "?"
}

// Uses of a variable are those of its name that no other declaration hides.
func TestUses(t *testing.T) {
	f, _ := read(t, `func f() {
		v := 1
		use(v, x.v, T{v: v})
		{
			v := 2
			use(v)
		}
		func() { use(v) }()
		func(v int) { use(v) }(v)
	}`)
	if got := len(f.Uses(declared(t, f, "v"))); got != 4 {
		t.Errorf("%d uses, want 4: two in the first line, one in the first literal, one that it is called with", got)
	}
}

func TestAllocates(t *testing.T) {
	for _, test := range []struct {
		body string
		want bool
	}{
		{"x = append(x, y)", false}, {"x = append(x, T{1})", false}, {"x = append(x, f(y))", false}, {"x = append(x, a+b)", false},
		{"x = append(x, &T{1})", true}, {"x = append(x, []int{1})", true}, {"x = append(x, map[int]int{})", true},
		{"x = append(x, func() {})", true}, {`x = append(x, a+"b")`, true}, {"x = append(x, [2]int{})", false},
		{"if y { x = &T{} }", false}, // a statement of its own
	} {
		f, _ := read(t, "func f() { "+test.body+" }")
		if got := Allocates(f.Body().List[0]); got != test.want {
			t.Errorf("%s: %v", test.body, got)
		}
	}
}

func TestWords(t *testing.T) {
	for name, want := range map[string]bool{"Add": true, "AddAll": true, "Add2": true, "Address": false, "add": false, "Readd": false, "PutUint32": true} {
		if got := Begins(name, []string{"Put", "Add"}); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
