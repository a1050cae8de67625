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
		When:       knowledge.Words("a loop ranges by value over a slice or an array of values of 128 bytes or more, and only reads the copy, or calls functions with parts of it"),
		Cost:       "a loop copies each large element to read it",
		Instead:    "Range over the indexes and take the element's address: for i := range list { e := &list[i] … }. The loop then works on the element itself: if it changes the list, check whether it needs the copy.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "list []record", Result: "int", Args: "records()", Decls: large,
			Before: "n := 0\nfor i, r := range list {\n\tn += r.sums[i&15] + r.id\n}\nreturn n",
			After:  "n := 0\nfor i := range list {\n\tr := &list[i]\n\tn += r.sums[i&15] + r.id\n}\nreturn n"},
	}, Spends: []string{"", "runtime.duffcopy", "runtime.memmove", "runtime.typedmemmove", "runtime.wbMove"}, Find: largeRanged},
	{Row: knowledge.Row{
		ID: "large-value-passed", Cause: "large-copy",
		When:       knowledge.Words("a loop passes a variable, element or field of 256 bytes or more by value to a function or method of the program, as argument or receiver, and that function only reads it"),
		Cost:       "a loop passes a large value by copying it",
		Instead:    "Take a pointer: func f(r *record), func (r *record) m(). The function only reads the value and keeps no part of it.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "list []record", Result: "int", Args: "records()", Decls: large,
			Before: "n := 0\nfor i := range list {\n\tn += byValue(list[i], i)\n}\nreturn n",
			After:  "n := 0\nfor i := range list {\n\tn += byPointer(&list[i], i)\n}\nreturn n"},
	}, Spends: []string{"", "runtime.duffcopy", "runtime.memmove", "runtime.typedmemmove"}, Find: largePassed},
	{Row: knowledge.Row{
		ID: "large-value-sent", Cause: "large-copy",
		When:       knowledge.Words("a loop sends elements of a slice, or targets of pointers, of 512 bytes or more on a channel by value, and sets none of them"),
		Cost:       "a loop copies each large value into a channel, and out of it",
		Instead:    "Send the address: use a chan *T, and ch <- &list[i]. The receiver then works on the element itself: if the sender changes it later, keep the copy.",
		Confidence: finding.Low,
		Example: knowledge.Example{Params: "list []message, ch chan message, refs chan *message", Result: "int", Args: "make([]message, 50), make(chan message, 100), make(chan *message, 100)",
			Decls:  "type message struct{ words [128]int }\n",
			Before: "for i := range list {\n\tch <- list[i]\n}\nfor range list {\n\t<-ch\n}\nreturn len(ch)",
			After:  "for i := range list {\n\trefs <- &list[i]\n}\nfor range list {\n\t<-refs\n}\nreturn len(refs)"},
	}, Spends: []string{"", "runtime.chansend", "runtime.duffcopy", "runtime.memmove", "runtime.typedmemmove"}, Find: largeSent},
	{Row: knowledge.Row{
		ID: "large-value-boxed", Cause: "large-copy",
		When:       knowledge.Words("a loop converts elements of a slice, structs or arrays of 64 bytes or more, to an interface with methods, the compiler reports that they escape to the heap, and the loop sets none of them"),
		Cost:       "a loop copies each large value to the heap, for an interface",
		Instead:    "Convert the address: &list[i]. A pointer has the methods of its element type, and converting it does not allocate. The interface then refers to the element itself, and keeps the whole slice alive; a type switch sees *T in place of T.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "list []block, out []body", Result: "int", Args: "make([]block, 50), make([]body, 50)",
			Decls:  "type body interface{ volume() int }\n\ntype block struct{ sides [16]int }\n\nfunc (b block) volume() int { return b.sides[0] * b.sides[1] * b.sides[2] }\n\n//go:noinline\nfunc first(out []body) int { return out[0].volume() }\n",
			Before: "for i := range list {\n\tout[i] = list[i]\n}\nreturn first(out)",
			After:  "for i := range list {\n\tout[i] = &list[i]\n}\nreturn first(out)"},
	}, Spends: []string{"runtime.convT", blocks}, Find: largeBoxed},
}

// elementOf returns the slice of which an expression is an element as a whole, by its index or
// as a range statement's variable, or the pointer to what it is; nil for any other.
// Neither takes memory where its address is taken.
func elementOf(p *typed.Package, e ast.Expr) ast.Expr {
	switch e := ast.Unparen(e).(type) {
	case *ast.IndexExpr:
		if _, slice := typed.Under[*types.Slice](p.TypeOf(e.X)); slice {
			return e.X
		}
	case *ast.StarExpr:
		return e.X
	case *ast.Ident:
		def := p.Definition(p.Info.ObjectOf(e))
		if def == nil {
			return nil
		}
		v := p.Var(e)
		over, ok := p.Parent(def).(*ast.RangeStmt)
		if !ok || v == nil || over.Value != def || slices.ContainsFunc(p.Uses(v), func(use *ast.Ident) bool { return p.Written(use) || setPart(p, use) }) {
			return nil
		}
		if _, slice := typed.Under[*types.Slice](p.TypeOf(over.X)); slice {
			return over.X
		}
	}
	return nil
}

// setsPart reports whether a loop sets elements of a list, or parts of them.
func setsPart(p *typed.Package, list ast.Expr, loop ast.Node) bool {
	v := p.Var(p.Base(list))
	return v == nil || slices.ContainsFunc(p.Uses(v), func(use *ast.Ident) bool {
		return within(loop, use.Pos()) && (p.Written(use) || setPart(p, use))
	})
}

func largeSent(p *typed.Package, n ast.Node) (m Match) {
	send, ok := n.(*ast.SendStmt)
	if !ok {
		return m
	}
	loop, of := outer(p, send), elementOf(p, send.Value)
	if loop == nil || of == nil || p.Size(p.TypeOf(send.Value)) < 4*copied || setsPart(p, of, loop) {
		return m
	}
	m.Goes = []ast.Node{send}
	return m
}

func largeBoxed(p *typed.Package, n ast.Node) (m Match) {
	e, ok := n.(ast.Expr)
	if !ok || elementOf(p, e) == nil || p.Size(p.TypeOf(e)) < copied/2 {
		return m
	}
	into, ok := typed.Under[*types.Interface](putInto(p, e))
	loop := outer(p, e)
	if !ok || loop == nil || into.NumMethods() == 0 || types.IsInterface(p.TypeOf(e)) || setsPart(p, elementOf(p, e), loop) {
		return m
	}
	return Match{Goes: []ast.Node{e}, Decision: types.ExprString(e) + " escapes to heap", All: true}
}

// putInto returns the type of the variable, element or parameter that an expression is set to
// or handed to; nil where it is none of them.
func putInto(p *typed.Package, e ast.Expr) types.Type {
	switch around := p.Parent(e).(type) {
	case *ast.AssignStmt:
		if i := slices.Index(around.Rhs, e); i >= 0 && len(around.Lhs) == len(around.Rhs) && around.Tok == token.ASSIGN {
			return p.TypeOf(around.Lhs[i])
		}
	case *ast.CallExpr:
		i := slices.Index(around.Args, e)
		if p.Builtin(around) == "append" && i > 0 {
			return typed.Element(p.TypeOf(around))
		}
		if fn := p.Function(around); fn != nil && i >= 0 && i < fn.Signature().Params().Len() && !fn.Signature().Variadic() {
			return fn.Signature().Params().At(i).Type()
		}
	}
	return nil
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
