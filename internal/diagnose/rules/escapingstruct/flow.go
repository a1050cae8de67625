package escapingstruct

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/typed"
)

// part is a field of the variable whose address leaves the user's own code.
type part struct {
	path   string // ".request.header"
	size   int64
	callee string
	file   string
	line   int
}

// flow follows where addresses of a variable and its parts go, in a function that it
// has come to. Like all that follow, its methods return false where more may leave than
// the parts that are noted.
type flow struct {
	*typed.Package // of the function
	depth          int
	s              *diagnose.Subject
	parts          map[string]part
	seen           map[holder]bool
}

// holder is a variable that holds a thing, or a slice of an array in it.
type holder struct {
	v    *types.Var
	path string
}

const (
	maxDepth = 4  // calls from the variable's own function
	maxSeen  = 64 // variables that may hold an address
)

// thing is what an expression stands for: the variable, a part of it, or a
// pointer to either.
type thing struct {
	path    string
	pointer bool
}

// variable follows the uses of a variable that holds something.
func (f *flow) variable(v *types.Var, path string, used func(use ast.Expr) bool) bool {
	k := holder{v, path}
	if f.seen[k] {
		return true
	}
	f.seen[k] = true
	return len(f.seen) <= maxSeen && !slices.ContainsFunc(f.Uses(v), func(id *ast.Ident) bool { return !f.RunsNow(id, v) || !used(id) })
}

// holds follows a variable that holds a thing.
func (f *flow) holds(v *types.Var, t thing) bool {
	return f.variable(v, t.path, func(use ast.Expr) bool { return f.used(use, t) })
}

// used looks at what is done with an expression that stands for a thing.
func (f *flow) used(n ast.Expr, t thing) bool {
	switch p := f.Parent(n).(type) {
	case *ast.ParenExpr:
		return f.used(p, t)
	case *ast.StarExpr:
		return f.used(p, thing{path: t.path})
	case *ast.UnaryExpr:
		// Of a pointer's own address, and of elements, nothing is known.
		return p.Op != token.AND || !t.pointer && !strings.Contains(t.path, "[") && f.used(p, thing{t.path, true})
	case *ast.SelectorExpr:
		return f.selected(p, t)
	case *ast.IndexExpr:
		return p.X != n || f.used(p, thing{path: t.path + "[]"})
	case *ast.SliceExpr:
		return p.X != n || typed.IsString(f.TypeOf(n)) || f.stays(p)
	case *ast.CallExpr:
		return f.argument(p, n, t)
	case *ast.AssignStmt, *ast.ValueSpec:
		if !t.pointer {
			return true // is set, or copied
		}
		for v, value := range f.Declared(p) {
			if value == n {
				return f.holds(v, t)
			}
		}
		to, _ := typed.Sides(p)
		return slices.Contains(to, n)
	case *ast.BinaryExpr, *ast.RangeStmt, *ast.IncDecStmt:
		return true
	}
	return !t.pointer // a copy may go anywhere
}

// selected looks at a field, or at a method that is called.
func (f *flow) selected(sel *ast.SelectorExpr, t thing) bool {
	selection := f.Info.Selections[sel]
	if selection == nil || len(selection.Index()) > 1 {
		return false // an embedded struct's
	}
	if selection.Kind() == types.FieldVal {
		// What it refers to is other memory.
		return elsewhere(selection.Type()) && !f.addressTaken(sel) || f.used(sel, thing{path: t.path + "." + sel.Sel.Name})
	}
	call, ok := f.Parent(sel).(*ast.CallExpr)
	if !ok || call.Fun != sel || f.Function(call) == nil {
		return false
	}
	method := f.Function(call)
	if _, pointer := types.Unalias(method.Signature().Recv().Type()).(*types.Pointer); !pointer {
		return true // is given a copy
	}
	if to := f.Reached(call); to != nil {
		return f.into(call, to, to.Object.Signature().Recv(), t)
	}
	return slices.Contains(keepNoReceiver, method.Pkg().Path())
}

// into follows an address into a function that is called with it.
func (f *flow) into(call *ast.CallExpr, to *typed.Function, v *types.Var, t thing) bool {
	inside := *f
	inside.Package, inside.depth = to.Package, f.depth+1
	return !f.Started(call) && f.depth < maxDepth && inside.holds(v, thing{t.path, true})
}

// keepNoReceiver are packages whose methods let no receiver escape.
var keepNoReceiver = []string{"bytes", "strings", "sync", "sync/atomic"}

// elsewhere reports whether values of a type refer to other memory.
func elsewhere(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Chan, *types.Signature, *types.Interface, *types.Slice:
		return true
	}
	return false
}

// addressTaken reports whether & stands before an expression.
func (f *flow) addressTaken(n ast.Expr) bool {
	switch p := f.Parent(n).(type) {
	case *ast.ParenExpr:
		return f.addressTaken(p)
	case *ast.UnaryExpr:
		return p.Op == token.AND
	}
	return false
}

// argument looks at a call that is handed a thing.
func (f *flow) argument(call *ast.CallExpr, n ast.Expr, t thing) bool {
	if !t.pointer || call.Fun == n {
		return true
	}
	if _, to := f.Conversion(call); to != nil {
		return f.used(call, t)
	}
	callee, at := f.Function(call), slices.Index(call.Args, n)
	if callee == nil || f.Started(call) {
		return false
	}
	name, sig := typed.Symbol(callee), callee.Signature()
	if to := f.Reached(call); to != nil {
		params := to.Object.Signature().Params()
		return at < params.Len() && !(sig.Variadic() && at == params.Len()-1) && f.into(call, to, params.At(at), t)
	}
	if f.s.Own(&callstack.Frame{Function: name}) && (sig.Recv() == nil || !types.IsInterface(sig.Recv().Type())) {
		return false // its source is not at hand; an interface's methods have none
	}
	if callee.Pkg() != nil && callee.Pkg().Path() == "sync/atomic" {
		return true
	}
	p := part{path: t.path, size: f.Pointee(f.TypeOf(n)), callee: name}
	if t.path == "" || p.size <= 0 {
		return false
	}
	p.file, p.line = f.s.Program.Line(call.Pos())
	if before, ok := f.parts[t.path]; !ok || cmp.Or(cmp.Compare(p.file, before.file), cmp.Compare(p.line, before.line)) < 0 {
		f.parts[t.path] = p
	}
	return true
}

// stays follows a slice of an array: whether all that is done with an expression
// that shares the array leaves it on the stack. It is indexed, ranged over,
// appended to, sorted.
func (f *flow) stays(n ast.Expr) bool {
	switch p := f.Parent(n).(type) {
	case *ast.ParenExpr:
		return f.stays(p)
	case *ast.SliceExpr:
		return p.X != n || f.stays(p)
	case *ast.IndexExpr:
		return p.X != n || !f.addressTaken(p)
	case *ast.RangeStmt, *ast.BinaryExpr:
		return true
	case *ast.CallExpr:
		return f.handed(p, n)
	case *ast.AssignStmt:
		i := slices.Index(p.Rhs, n)
		if i < 0 || len(p.Lhs) != len(p.Rhs) {
			return i < 0 // is set
		}
		v := f.Var(p.Lhs[i])
		return v != nil && v.Kind() == types.LocalVar && f.variable(v, "[:]", f.stays)
	}
	return false
}

// handed knows the calls that let no slice escape.
func (f *flow) handed(call *ast.CallExpr, n ast.Expr) bool {
	first := len(call.Args) > 0 && call.Args[0] == n
	switch f.Builtin(call) {
	case "len", "cap", "copy", "clear":
		return true
	case "append":
		return first && f.stays(call) || !first && call.Ellipsis.IsValid() // its elements are copied
	}
	if _, to := f.Conversion(call); to != nil {
		return typed.IsString(to)
	}
	callee := f.Function(call)
	if callee == nil || callee.Pkg() == nil || callee.Signature().Recv() != nil {
		return false
	}
	name, result := callee.Name(), f.TypeOf(call)
	_, alone := f.Parent(call).(*ast.ExprStmt)
	switch callee.Pkg().Path() {
	case "sort":
		return name != "Sort" && name != "Stable" // which take interfaces
	case "slices", "strings":
		return alone || typed.IsNumber(result) || typed.IsString(result)
	case "strconv":
		return strings.HasPrefix(name, "Append") && first && f.stays(call)
	}
	return false
}

// outermost returns the parts that lie in no other, the largest first.
func (f *flow) outermost() (out []part) {
	for path, p := range f.parts {
		inside := func(other part) bool { return strings.HasPrefix(path, other.path+".") }
		if !slices.ContainsFunc(slices.Collect(maps.Values(f.parts)), inside) {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b part) int { return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.path, b.path)) })
	return out
}
