package typed_test

import (
	"go/ast"
	"go/types"
	"slices"
	"testing"

	"whet/internal/typed/typedtest"
)

func TestValues(t *testing.T) {
	p := typedtest.Program(t, typedtest.File{Package: "m/x", Frame: "x.go", Text: `package x
type T struct{ buf, other []byte; n int }
func two() (int, []byte) { return 0, nil }
func f(t *T, a, b string) {
	t.buf = append(t.buf, 'a')
	t.n, t.buf = two()
	t.buf[0], t.n = 'b', 1
	t.n++
	_ = &T{buf: make([]byte, 8)}
	_ = a + b
	_ = "a" + "b"
	_ = t.n + 1
	_ = unknown + 2
}
`}).Package("m/x")
	of := func(name string) (values []string) {
		st := p.Types.Scope().Lookup("T").Type().Underlying().(*types.Struct)
		for field := range st.Fields() {
			if field.Name() == name {
				for _, e := range p.FieldValues(field) {
					values = append(values, types.ExprString(e))
				}
			}
		}
		return values
	}
	for name, want := range map[string][]string{"buf": {"append(t.buf, 'a')", "two()", "make([]byte, 8)"}, "n": {"two()", "1"}, "other": nil} {
		if got := of(name); !slices.Equal(got, want) {
			t.Errorf("%s is set to %q, want %q", name, got, want)
		}
	}
	var joined []string
	ast.Inspect(p.Files[0], func(n ast.Node) bool {
		if p.Joins(n) {
			joined = append(joined, types.ExprString(n.(ast.Expr)))
		}
		return true
	})
	if !slices.Equal(joined, []string{"a + b"}) {
		t.Errorf("joined: %q", joined)
	}
}
