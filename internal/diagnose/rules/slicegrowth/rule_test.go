package slicegrowth

import (
	"testing"

	"whet/internal/diagnose"
	"whet/internal/typed/typedtest"
)

func TestAllocates(t *testing.T) {
	for _, test := range []struct {
		body string
		want bool
	}{
		{"x = append(x, y)", false}, {"x = append(x, T{1})", false}, {"x = append(x, f(y))", false}, {"x = append(x, a+b)", false},
		{"x = append(x, &T{1})", true}, {"x = append(x, []int{1})", true}, {"x = append(x, map[int]int{})", true},
		{"x = append(x, func() {})", true}, {`x = append(x, s+"b")`, true}, {"x = append(x, s+s)", true}, {"x = append(x, [2]int{})", false},
		{"if y { x = &T{} }", false}, // a statement of its own
	} {
		s := &diagnose.Subject{Program: typedtest.Program(t, typedtest.File{Package: "m/p", Frame: "p.go", Text: "package p\n\nfunc g(x []any, y bool, a, b int, s string) {\n" + test.body + "\n}\n\ntype T struct{ n int }\n\nfunc f(bool) int { return 1 }\n"})}
		st := s.FunctionAt("p.go", 4).Node.Body.List[0]
		if got := allocates(s.PackageOf("p.go"), diagnose.Statement{File: "p.go", Node: st}); got != test.want {
			t.Errorf("%s: %v", test.body, got)
		}
	}
}
