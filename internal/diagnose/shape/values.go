package shape

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"whet/internal/diagnose/knowledge"
	"whet/internal/finding"
	"whet/internal/typed"
)

const large = `type record struct {
	id, next int
	key [4]string
	sums [24]int
}

func records() []record { return make([]record, 200) }

//go:noinline
func byValue(r record, n int) int { return r.sums[n&15] + r.id }

//go:noinline
func byPointer(r *record, n int) int { return r.sums[n&15] + r.id }
`

var ofValues = []Shape{
	{Row: knowledge.Row{
		ID: "large-value-ranged", Cause: "large-copy",
		When:       knowledge.Words("a loop goes over a slice or an array of values of 128 bytes or more by value, and only reads the copy, or calls functions with parts of it"),
		Cost:       "a loop copies each large element to look at it",
		Instead:    "Go over the indexes and take the element's address: for i := range list { e := &list[i] … }. It is then the element itself that is looked at: where the loop changes the list, look whether the copy is needed.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "list []record", Result: "int", Args: "records()", Decls: large,
			Before: "n := 0\nfor i, r := range list {\n\tn += r.sums[i&15] + r.id\n}\nreturn n",
			After:  "n := 0\nfor i := range list {\n\tr := &list[i]\n\tn += r.sums[i&15] + r.id\n}\nreturn n"},
	}, Spends: []string{"", "runtime.duffcopy", "runtime.memmove", "runtime.typedmemmove", "runtime.wbMove"}, Find: largeRanged},
	{Row: knowledge.Row{
		ID: "large-value-passed", Cause: "large-copy",
		When:       knowledge.Words("a variable, element or field of 256 bytes or more is handed by value to a function or method of the program's in a loop, as argument or receiver, and that function only reads it"),
		Cost:       "a loop hands a large value on by copying it",
		Instead:    "Take a pointer: func f(r *record), func (r *record) m(). The function reads the value and keeps no part of it.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "list []record", Result: "int", Args: "records()", Decls: large,
			Before: "n := 0\nfor i := range list {\n\tn += byValue(list[i], i)\n}\nreturn n",
			After:  "n := 0\nfor i := range list {\n\tn += byPointer(&list[i], i)\n}\nreturn n"},
	}, Spends: []string{"", "runtime.duffcopy", "runtime.memmove", "runtime.typedmemmove"}, Find: largePassed},
}

// copied is the size of values from which a loop that copies them is asked about.
const copied = 128

func largeRanged(p *typed.Package, n ast.Node) (m Match) {
	loop, ok := n.(*ast.RangeStmt)
	if !ok || loop.Value == nil || loop.Tok != token.DEFINE {
		return m
	}
	v := p.Var(loop.Value)
	if v == nil || typed.Element(p.TypeOf(loop.X)) == nil || p.Size(v.Type()) < copied || !onlyRead(p, v) {
		return m
	}
	m.Goes = []ast.Node{loop.X} // whose line the copy is on
	return m
}

// onlyRead reports whether a variable is only looked into, part by part: no part is set
// or has its address taken, and it is nowhere used as a whole.
func onlyRead(p *typed.Package, v *types.Var) bool {
	uses := p.Uses(v)
	return len(uses) > 0 && !slices.ContainsFunc(uses, func(use *ast.Ident) bool {
		if p.Written(use) || p.Literal(use) != p.Literal(p.Definition(v)) {
			return true
		}
		switch outer := p.Parent(use).(type) {
		case *ast.SelectorExpr:
			sel := p.Info.Selections[outer]
			method, called := p.Parent(outer).(*ast.SelectorExpr) // which may change the field
			return sel == nil || sel.Kind() != types.FieldVal || called && p.Info.Selections[method] != nil && p.Info.Selections[method].Kind() != types.FieldVal
		case *ast.IndexExpr:
			return outer.X != use
		}
		return true
	})
}

func largePassed(p *typed.Package, n ast.Node) (m Match) {
	call, ok := n.(*ast.CallExpr)
	if !ok || outer(p, call) == nil {
		return m
	}
	to := p.Reached(call)
	if to == nil || to.Decl.Body == nil {
		return m
	}
	sig := to.Object.Signature()
	large := func(v *types.Var, value ast.Expr) bool {
		return v != nil && value != nil && (p.Var(value) != nil || p.Container(value) != nil) && p.Size(v.Type()) >= 2*copied && onlyRead(to.Package, v)
	}
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && sig.Recv() != nil && large(sig.Recv(), sel.X) {
		return Match{Goes: []ast.Node{call}}
	}
	if sig.Variadic() || sig.Params().Len() != len(call.Args) {
		return m
	}
	for i, arg := range call.Args {
		if large(sig.Params().At(i), ast.Unparen(arg)) {
			m.Goes = []ast.Node{call}
		}
	}
	return m
}
