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

// causesOfCopies are the rules about copies that are made to be kept.
var causesOfCopies = []knowledge.Cause{
	{
		ID: "returned-copy", Title: "a copy on the heap because its address is returned",
		What:     "A function copies a struct or an array out of a field or an element into a variable that it never changes, and returns the variable's address.",
		Why:      "A variable whose address is returned is allocated on the heap, in each call, though the original is in memory already.",
		Silent:   "When the function sets the variable, or a part of it, or calls a method with a pointer receiver on it; where the function takes a lock; for copies of local variables; where the compiler does not report the move to the heap, or no heap block was sampled.",
		Fix:      "Return the address of the original, or the value.",
		Unneeded: "though the original has an address, too",
		Outranks: []string{"escaping-struct", "buffer-per-call"},
	},
	{
		ID: "copied-whole", Title: "all elements copied for each new object",
		What:     "An unexported function copies all elements of a slice field into a new slice, and stores that in a field of the object it makes.",
		Why:      "Each new object allocates memory and copies all elements, though most objects may never change them. If there is one object for each element, the work grows with the square of the number.",
		Silent:   "For exported functions, whose callers may rely on a copy; for slices of local variables.",
		Fix:      "Share the slice, and copy it only where it is changed.",
		Unneeded: "whether or not it is changed",
		Outranks: []string{"slice-growth", "collection-per-call"},
	},
}

var ofCopies = []Shape{
	{Row: knowledge.Row{
		ID: "copy-address-returned", Cause: "returned-copy",
		When:       knowledge.Words("a variable is declared as a copy of a field or an element that is a struct or an array, nothing sets it or a part of it, and its address is returned; the compiler reports that it is moved to the heap"),
		Cost:       "a copy is allocated because its address is returned",
		Instead:    "Return the address of the original, &x.field, if it does not change while the caller uses it; otherwise the value, which stays on the caller's stack.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "t *table", Result: "*mask", Args: "new(table)",
			Decls:  "type mask [4]uint64\n\ntype table struct{ masks [8]mask }\n\n//go:noinline\nfunc first(m *mask) uint64 { return m[0] }\n",
			Before: "m := t.masks[3]\nreturn &m",
			After:  "return &t.masks[3]"},
	}, Spends: []string{blocks}, Find: copyReturned},
	{Row: knowledge.Row{
		ID: "field-copied-whole", Cause: "copied-whole",
		When:       knowledge.Words("in an unexported function, a field of a struct literal is set to append([]T{}, x.f...), append([]T(nil), x.f...), slices.Clone(x.f) or bytes.Clone(x.f), where f is a field of another value"),
		Cost:       "all elements of a slice are copied for each new object",
		Instead:    "Let the objects share the slice (f: x.f), or a pointer to its owner, and copy it in the few places that change an element. With x.f[:len(x.f):len(x.f)], an append allocates a new slice.",
		Confidence: finding.Low,
		Example: knowledge.Example{Params: "c *scope", Result: "int", Args: "&scope{names: make([]string, 50)}",
			Decls:  "type scope struct {\n\tnames []string\n\tdepth int\n}\n",
			Before: "inner := &scope{depth: c.depth + 1, names: append([]string{}, c.names...)}\nreturn len(inner.names)",
			After:  "inner := &scope{depth: c.depth + 1, names: c.names}\nreturn len(inner.names)"},
	}, Spends: []string{blocks, "runtime.growslice", "runtime.memmove", "slices.Clone", "bytes.Clone"}, Find: fieldCopied},
}

func copyReturned(p *typed.Package, n ast.Node) (m Match) {
	set, ok := n.(*ast.AssignStmt)
	if !ok || set.Tok != token.DEFINE || len(set.Lhs) != 1 || len(set.Rhs) != 1 {
		return m
	}
	v := p.Var(set.Lhs[0])
	switch ast.Unparen(set.Rhs[0]).(type) {
	case *ast.SelectorExpr, *ast.IndexExpr:
	default:
		return m
	}
	if v == nil || v.Kind() != types.LocalVar || !steadyParts(p, set.Rhs[0]) {
		return m
	}
	if ix, ok := ast.Unparen(set.Rhs[0]).(*ast.IndexExpr); ok {
		if _, is := typed.Under[*types.Map](p.TypeOf(ix.X)); is {
			return m // an element of a map has no address
		}
	}
	switch v.Type().Underlying().(type) {
	case *types.Struct, *types.Array:
	default:
		return m
	}
	if p.Locks(p.FunctionAround(set.Pos())) {
		return m // a copy of what others change
	}
	returned := false
	for _, use := range p.Uses(v) {
		if u, ok := p.Parent(use).(*ast.UnaryExpr); ok && u.Op == token.AND {
			if _, is := p.Parent(u).(*ast.ReturnStmt); !is {
				return m
			}
			returned = true
			continue
		}
		if p.Written(use) || escapes(p, use, v) || setPart(p, use) {
			return m
		}
	}
	if returned {
		m = Match{Goes: []ast.Node{set}, Decision: "moved to heap: " + v.Name(), All: true}
	}
	return m
}

// setPart reports whether a use of a variable sets a field or an element of it.
func setPart(p *typed.Package, use ast.Expr) bool {
	for e := use; ; {
		switch around := p.Parent(e).(type) {
		case *ast.SelectorExpr:
			e = around
		case *ast.IndexExpr:
			if around.X != e {
				return false
			}
			e = around
		case *ast.ParenExpr:
			e = around
		default:
			return e != use && p.Written(e)
		}
		if p.Written(e) {
			return true
		}
	}
}

func fieldCopied(p *typed.Package, n ast.Node) (m Match) {
	pair, ok := n.(*ast.KeyValueExpr)
	if !ok {
		return m
	}
	lit, ok := p.Parent(pair).(*ast.CompositeLit)
	fn, is := p.FunctionAround(pair.Pos()).(*ast.FuncDecl)
	if !ok || !is || fn.Name.IsExported() {
		return m
	}
	if _, isStruct := typed.Under[*types.Struct](p.TypeOf(lit)); !isStruct {
		return m
	}
	call, ok := ast.Unparen(pair.Value).(*ast.CallExpr)
	if !ok {
		return m
	}
	var from ast.Expr
	switch {
	case p.Builtin(call) == "append" && len(call.Args) == 2 && call.Ellipsis.IsValid() && emptySlice(p, call.Args[0]):
		from = call.Args[1]
	case slices.Contains([]string{"slices.Clone", "bytes.Clone"}, p.Called(call)) && len(call.Args) == 1:
		from = call.Args[0]
	default:
		return m
	}
	field, ok := ast.Unparen(from).(*ast.SelectorExpr)
	if !ok || p.Info.Selections[field] == nil || p.Info.Selections[field].Kind() != types.FieldVal {
		return m
	}
	if _, slice := typed.Under[*types.Slice](p.TypeOf(from)); !slice {
		return m
	}
	m.Goes = []ast.Node{call}
	return m
}

// emptySlice reports whether an expression is []T{} or []T(nil), or nil.
func emptySlice(p *typed.Package, e ast.Expr) bool {
	if lit, ok := ast.Unparen(e).(*ast.CompositeLit); ok {
		return len(lit.Elts) == 0
	}
	return p.Info.Types[p.Converted(e)].IsNil()
}
