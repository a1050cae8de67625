package escapingstruct

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
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

// flow follows where addresses of a variable and its parts go. Like all that
// follow, its methods return false where more may leave than the parts that are
// noted.
type flow struct {
	s     *diagnose.Subject
	parts map[string]part
	seen  map[holder]bool
}

// holder is a variable that holds a thing, or a slice of an array in it.
type holder struct {
	v    *types.Var
	path string
}

// function is one that the variable's address has come to.
type function struct {
	*typed.Package
	depth int
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
func (f *flow) variable(fn function, v *types.Var, path string, used func(use ast.Expr) bool) bool {
	k := holder{v, path}
	if f.seen[k] {
		return true
	}
	f.seen[k] = true
	return len(f.seen) <= maxSeen && !slices.ContainsFunc(fn.Uses(v), func(id *ast.Ident) bool { return !fn.RunsNow(id, v) || !used(id) })
}

// holds follows a variable that holds a thing.
func (f *flow) holds(fn function, v *types.Var, t thing) bool {
	return f.variable(fn, v, t.path, func(use ast.Expr) bool { return f.used(fn, use, t) })
}

// used looks at what is done with an expression that stands for a thing.
func (f *flow) used(fn function, n ast.Expr, t thing) bool {
	switch p := fn.Parent(n).(type) {
	case *ast.ParenExpr:
		return f.used(fn, p, t)
	case *ast.StarExpr:
		return f.used(fn, p, thing{path: t.path})
	case *ast.UnaryExpr:
		if p.Op != token.AND {
			return true
		}
		// Of a pointer's own address, and of elements, nothing is known.
		return !t.pointer && !strings.Contains(t.path, "[") && f.used(fn, p, thing{t.path, true})
	case *ast.SelectorExpr:
		return f.selected(fn, p, t)
	case *ast.IndexExpr:
		return p.X != n || f.used(fn, p, thing{path: t.path + "[]"})
	case *ast.SliceExpr:
		return p.X != n || typed.IsString(fn.TypeOf(n)) || f.stays(fn, p)
	case *ast.CallExpr:
		return f.argument(fn, p, n, t)
	case *ast.AssignStmt, *ast.ValueSpec:
		if !t.pointer {
			return true // is set, or copied
		}
		for v, value := range fn.Declared(p) {
			if value == n {
				return f.holds(fn, v, t)
			}
		}
		st, ok := p.(*ast.AssignStmt)
		return ok && slices.Contains(st.Lhs, n)
	case *ast.BinaryExpr, *ast.RangeStmt, *ast.IncDecStmt:
		return true
	}
	return !t.pointer // a copy may go anywhere
}

// selected looks at a field, or at a method that is called.
func (f *flow) selected(fn function, sel *ast.SelectorExpr, t thing) bool {
	selection := fn.Info.Selections[sel]
	if selection == nil || len(selection.Index()) > 1 {
		return false // an embedded struct's
	}
	if selection.Kind() == types.FieldVal {
		// What it refers to is other memory.
		return elsewhere(selection.Type()) && !addressTaken(fn, sel) || f.used(fn, sel, thing{path: t.path + "." + sel.Sel.Name})
	}
	call, ok := fn.Parent(sel).(*ast.CallExpr)
	if !ok || call.Fun != sel {
		return false
	}
	method := fn.Function(call)
	if method == nil {
		return false
	}
	recv := method.Signature().Recv()
	if _, pointer := types.Unalias(recv.Type()).(*types.Pointer); !pointer {
		return true // is given a copy
	}
	to := fn.Reached(call)
	if to == nil {
		return slices.Contains(keepNoReceiver, method.Pkg().Path())
	}
	return f.into(fn, call, to, to.Object.Signature().Recv(), t)
}

// into follows an address into a function that is called with it.
func (f *flow) into(fn function, call *ast.CallExpr, to *typed.Function, v *types.Var, t thing) bool {
	return !fn.Started(call) && fn.depth < maxDepth && f.holds(function{to.Package, fn.depth + 1}, v, thing{t.path, true})
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
func addressTaken(fn function, n ast.Expr) bool {
	p := fn.Parent(n)
	for paren, ok := p.(*ast.ParenExpr); ok; paren, ok = p.(*ast.ParenExpr) {
		p = fn.Parent(paren)
	}
	u, ok := p.(*ast.UnaryExpr)
	return ok && u.Op == token.AND
}

// argument looks at a call that is handed a thing.
func (f *flow) argument(fn function, call *ast.CallExpr, n ast.Expr, t thing) bool {
	if !t.pointer || call.Fun == n {
		return true
	}
	if _, to := fn.Conversion(call); to != nil {
		return f.used(fn, call, t)
	}
	callee, at := fn.Function(call), slices.Index(call.Args, n)
	if callee == nil || fn.Started(call) {
		return false
	}
	name, sig := typed.Symbol(callee), callee.Signature()
	if to := fn.Reached(call); to != nil {
		params := to.Object.Signature().Params()
		return at < params.Len() && !(sig.Variadic() && at == params.Len()-1) && f.into(fn, call, to, params.At(at), t)
	}
	if f.s.Own(&callstack.Frame{Function: name}) && (sig.Recv() == nil || !types.IsInterface(sig.Recv().Type())) {
		return false // its source is not at hand; an interface's methods have none
	}
	if callee.Pkg() != nil && callee.Pkg().Path() == "sync/atomic" {
		return true
	}
	p := part{path: t.path, size: fn.Pointee(fn.TypeOf(n)), callee: name}
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
func (f *flow) stays(fn function, n ast.Expr) bool {
	switch p := fn.Parent(n).(type) {
	case *ast.ParenExpr:
		return f.stays(fn, p)
	case *ast.SliceExpr:
		return p.X != n || f.stays(fn, p)
	case *ast.IndexExpr:
		return p.X != n || !addressTaken(fn, p)
	case *ast.RangeStmt, *ast.BinaryExpr:
		return true
	case *ast.CallExpr:
		return f.handed(fn, p, n)
	case *ast.AssignStmt:
		i := slices.Index(p.Rhs, n)
		if i < 0 || len(p.Lhs) != len(p.Rhs) {
			return i < 0 // is set
		}
		v, ok := fn.Object(p.Lhs[i]).(*types.Var)
		return ok && v.Kind() == types.LocalVar && f.variable(fn, v, "[:]", func(use ast.Expr) bool { return f.stays(fn, use) })
	}
	return false
}

// handed knows the calls that let no slice escape.
func (f *flow) handed(fn function, call *ast.CallExpr, n ast.Expr) bool {
	first := len(call.Args) > 0 && call.Args[0] == n
	switch fn.Builtin(call) {
	case "len", "cap", "copy", "clear":
		return true
	case "append":
		return first && f.stays(fn, call) || !first && call.Ellipsis.IsValid() // its elements are copied
	}
	if _, to := fn.Conversion(call); to != nil {
		return typed.IsString(to)
	}
	callee := fn.Function(call)
	if callee == nil || callee.Pkg() == nil || callee.Signature().Recv() != nil {
		return false
	}
	switch name := callee.Name(); callee.Pkg().Path() {
	case "sort":
		return name != "Sort" && name != "Stable" // which take interfaces
	case "slices":
		_, alone := fn.Parent(call).(*ast.ExprStmt)
		return alone || slices.Contains([]string{"BinarySearch", "Compare", "Contains", "Equal", "Index", "IsSorted", "Max", "Min"}, name)
	case "strings":
		return name == "Join"
	case "strconv":
		return strings.HasPrefix(name, "Append") && first && f.stays(fn, call)
	}
	return false
}

// outermost returns the parts that lie in no other, the largest first.
func (f *flow) outermost() (out []part) {
	for path, p := range f.parts {
		inside := false
		for other := range f.parts {
			inside = inside || strings.HasPrefix(path, other+".")
		}
		if !inside {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b part) int { return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.path, b.path)) })
	return out
}
