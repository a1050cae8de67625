package typed_test

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
	"testing"

	"whet/internal/typed"
	"whet/internal/typed/typedtest"
)

const originSource = `package m

import "strconv"

type T struct { n int; rows []int; next *T; at [2]string }

var list = []int{1}

func f(given *T, some ...int) (named int, err error) {
	zero := 0
	read := given.rows[zero]
	parts, err := strconv.Atoi("1")
	for i, row := range given.next.rows {
		given.next.rows[i] = row
		list[read]++
	}
	func(inner int) { parts = inner }(len(some))
	p := &given.n
	*p = (*given).n
	switch kind := any(parts).(type) {
	case int:
		return kind, err
	}
	return
}

func g(a, plain int) int { return plain }
`

func TestVariables(t *testing.T) {
	p := typedtest.Program(t, typedtest.File{Package: "m", Frame: "m.go", Text: originSource})
	pkg, file := p.FileOf("m.go")
	if pkg == nil || pkg.Errors > 0 {
		t.Fatalf("%+v", pkg)
	}
	vars := make(map[string]*types.Var)
	for id, obj := range pkg.Info.Defs {
		if v, ok := obj.(*types.Var); ok {
			vars[id.Name] = v
		}
	}
	for name, want := range map[string]string{
		"zero": "0", "read": "given.rows[zero]", "parts": `strconv.Atoi("1"), inner`, "row": "given.next.rows", "i": "given.next.rows",
		"err": `strconv.Atoi("1")`, "named": "", "given": "?", "inner": "?", "kind": "?", "list": "[]int{…}",
	} {
		values, known := pkg.SetTo(vars[name])
		var got []string
		for _, v := range values {
			got = append(got, types.ExprString(v))
		}
		if text := strings.Join(got, ", "); known && text != want || !known && want != "?" {
			t.Errorf("%s is set to %s, %v", name, text, known)
		}
	}
	for name, want := range map[string][3]bool{ // parameter, result, global
		"given": {true}, "some": {true}, "inner": {true}, "named": {false, true}, "err": {false, true}, "zero": {}, "list": {false, false, true},
	} {
		v := vars[name]
		parameter, result := pkg.Named(v)
		if got := [3]bool{parameter, result, typed.Global(v)}; got != want {
			t.Errorf("%s: parameter, result, global are %v", name, got)
		}
	}
	if plain, given := pkg.Parameter(vars["plain"]), pkg.Parameter(vars["given"]); plain != 2 || given != 0 {
		t.Errorf("plain is parameter %d, and given, which is changed, %d", plain, given)
	}
	if v := pkg.Var(nil); v != nil || pkg.Definition(nil) != nil || len(pkg.Uses(v)) > 0 {
		t.Error("nothing is no variable")
	}
	for name, want := range map[string]bool{"n": true, "rows": false, "at": true, "next": false} {
		if got := typed.Plain(vars[name].Type()); got != want {
			t.Errorf("%s is plain: %v", name, got)
		}
	}

	// What is written, and what it begins with.
	written := make(map[string]bool)
	ast.Inspect(file, func(n ast.Node) bool {
		if e, ok := n.(*ast.IndexExpr); ok {
			written[types.ExprString(e)] = pkg.Written(e)
			if v := pkg.Var(pkg.Base(e)); v != vars["given"] && v != vars["list"] {
				t.Errorf("%s begins with %v", types.ExprString(e), v)
			}
		}
		return true
	})
	for e, want := range map[string]bool{"given.rows[zero]": false, "given.next.rows[i]": true, "list[read]": true} {
		if got, found := written[e]; got != want || !found {
			t.Errorf("%s is written: %v", e, got)
		}
	}
	if uses := pkg.Uses(vars["parts"]); len(uses) != 2 || pkg.Literal(uses[0]) == nil || pkg.Literal(uses[1]) != nil {
		t.Errorf("of %d uses of parts the first is in a literal", len(uses))
	}
	if v := vars["parts"]; !pkg.UsedIn(file, v) || pkg.UsedIn(pkg.Definition(v), v) {
		t.Error("parts is used in the file, and not where it is declared")
	}
}

func TestResults(t *testing.T) {
	const source = `package m

import "strings"

var kept []string

func f(s string) (n int, named []string) {
	n = len(strings.Fields("yes"))
	a := strings.Fields("yes")
	n, m := len(a), cap(strings.Fields("no"))
	b := strings.Fields("no")
	n += len(b) + len(b[0]) + m
	_ = strings.Fields("no")
	kept = strings.Fields("no")
	named = strings.Fields("no")
	c, d := strings.Cut("yes", s)
	n += len(c)
	use(strings.Fields("no"), d)
	func() { e := strings.Fields("yes"); n += len(e) }()
	return len(kept) + len(named), nil
}

func use([]string, string) {}
`
	p := typedtest.Program(t, typedtest.File{Package: "m", Frame: "m.go", Text: source})
	counted := func(s typed.Site) bool {
		uses := s.In.Results(s.CallExpr)
		return len(uses) > 0 && !slices.ContainsFunc(uses, func(e ast.Expr) bool { return !s.In.Measured(e) })
	}
	checked := 0
	for _, s := range p.Sites("m.go", 1, 99) {
		if strings.HasPrefix(s.Callee(), "strings.") {
			checked++
			if want := *s.FixedAt(0).Value; counted(s) != (want == "yes") {
				t.Errorf("line %d: want %s", s.Line(), want)
			}
		}
	}
	if checked != 10 {
		t.Errorf("%d calls", checked)
	}
}

func TestSites(t *testing.T) {
	p := typedtest.Program(t, typedtest.File{Package: "m", Frame: "m.go", Text: originSource})
	var got []string
	for _, s := range p.Sites("m.go", 12, 17) {
		got = append(got, s.Callee())
		if s.Function() != "m.f" || s.Line() < 12 || s.Line() > 17 {
			t.Errorf("%s in %s at line %d", s.Callee(), s.Function(), s.Line())
		}
	}
	if text := strings.Join(got, " "); text != "strconv.Atoi  len" {
		t.Errorf("%q", text)
	}
	if fixed := p.Sites("m.go", 12, 12)[0].FixedAt(0); fixed.By != typed.FixedConst || p.Sites("m.go", 12, 12)[0].FixedAt(1).By != typed.NotFixed {
		t.Errorf("%+v", fixed)
	}
	if len(p.Sites("m.go", 17, 12)) > 0 || len(p.Sites("other.go", 1, 9)) > 0 {
		t.Error("calls of no lines")
	}
}
