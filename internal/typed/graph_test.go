package typed_test

import (
	"go/ast"
	"go/types"
	"slices"
	"testing"

	"whet/internal/typed"
	"whet/internal/typed/typedtest"
)

// What follows a call that does not return is not reached.
func TestGraph(t *testing.T) {
	for call, want := range map[string]bool{
		`panic(1)`: false, `os.Exit(1)`: false, `log.Fatalf("")`: false, `l.Panicln()`: false, `log.Print()`: true, `func() { panic(1) }()`: true,
		`defer panic(1)`: true, `go panic(1)`: true, `if l != nil { panic(1) }`: true, `for {}`: false, `for { break }`: true, `exit(1)`: true,
	} {
		pkg := typedtest.Program(t, typedtest.File{Package: "m/x", Frame: "x.go", Text: `package x; import ("log"; "os")
func f(l *log.Logger, exit func(int)) { ` + call + `; after() }
func after() { os.Exit(0); log.Print() }
`}).Package("m/x")
		reached := false
		for _, b := range pkg.Graph(pkg.Files[0].Decls[1].(*ast.FuncDecl).Body).Blocks {
			for _, n := range b.Nodes {
				if st, ok := n.(*ast.ExprStmt); ok && types.ExprString(st.X) == "after()" {
					reached = b.Live
				}
			}
		}
		if reached != want {
			t.Errorf("%s: what follows is reached: %v", call, reached)
		}
	}
}

func TestEachCall(t *testing.T) {
	p := typedtest.Program(t, typedtest.File{Package: "m/x", Frame: "x.go", Text: `package x
func a() { b(); c(); d() }
func b() { c() }
func c() { a(); e(); func() { g() }() }
func d() { e() }
func e() { g() }
func g() {}
`})
	for _, test := range []struct {
		levels int
		want   []string
	}{
		{0, nil},
		{1, []string{"b", "c", "d"}},
		{2, []string{"b", "c", "d", "c", "a", "e", "", "g"}}, // d is not followed, and c once
		{3, []string{"b", "c", "d", "c", "a", "e", "", "g", "g"}},
		{4, []string{"b", "c", "d", "c", "a", "e", "", "g", "g"}},
	} {
		var got []string
		p.FuncOf("m/x.a").EachCall(test.levels, func(c typed.Site) bool {
			name := c.Callee()
			if name != "" {
				name = name[len("m/x."):]
			}
			got = append(got, name)
			return name != "d"
		})
		if !slices.Equal(got, test.want) {
			t.Errorf("%d levels: %q, want %q", test.levels, got, test.want)
		}
	}
	p.FuncOf("m/x.missing").EachCall(1, func(typed.Site) bool { t.Error("of a function that is not there"); return true })
}
