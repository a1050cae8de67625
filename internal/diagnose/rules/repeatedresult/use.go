package repeatedresult

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"whet/internal/diagnose"
	"whet/internal/diagnose/purity"
	"whet/internal/symbolname"
	"whet/internal/typed"
)

// sort says what a function returns, as far as sharing it goes.
type sort int

const (
	unknown sort = iota
	value        // a number or text: nobody can change it
	memory       // a slice or pointer: whoever has it may
)

// returns reads the first result of a function's signature.
func (f *finder) returns(callee string) sort {
	fn := f.s.FunctionOf(callee)
	if fn == nil || fn.Object.Signature().Results().Len() == 0 {
		return unknown
	}
	switch types.Unalias(fn.Object.Signature().Results().At(0).Type()).(type) {
	case *types.Basic:
		return value
	case *types.Slice, *types.Array, *types.Pointer:
		return memory
	}
	return unknown
}

// use follows what is done with a result.
type use struct {
	s     *diagnose.Subject
	judge *purity.Judge
	kind  sort
	depth int
}

// maxHanded bounds how many functions a result is followed into.
const maxHanded = 3

// onlyRead reports whether a variable's value is nowhere changed, kept or handed
// to somebody who might.
func (u *use) onlyRead(pkg *typed.Package, v *types.Var) bool {
	if _, result := pkg.Named(v); result && u.kind == memory {
		return false
	}
	return !slices.ContainsFunc(pkg.Uses(v), func(id *ast.Ident) bool { return !u.reads(pkg, id, true) })
}

// reads looks at what is done with an expression; whole says that it is the
// result and not an element or field of it.
func (u *use) reads(pkg *typed.Package, n ast.Expr, whole bool) bool {
	switch p := pkg.Parent(n).(type) {
	case *ast.ParenExpr:
		return u.reads(pkg, p, whole)
	case *ast.StarExpr, *ast.SliceExpr:
		return u.reads(pkg, p.(ast.Expr), whole)
	case *ast.IndexExpr:
		return p.X != n || u.reads(pkg, p, false)
	case *ast.SelectorExpr:
		if call, ok := pkg.Parent(p).(*ast.CallExpr); ok && call.Fun == p {
			return u.method(pkg.Called(call))
		}
		return u.reads(pkg, p, false)
	case *ast.UnaryExpr:
		return p.Op != token.AND
	case *ast.AssignStmt:
		if slices.Contains(p.Lhs, n) {
			_, plain := n.(*ast.Ident)
			return plain
		}
		// A text or number may be copied to another variable, a part of anything
		// too; what is put into a field or element is kept.
		i := slices.Index(p.Rhs, n)
		return i >= 0 && i < len(p.Lhs) && pkg.Var(p.Lhs[i]) != nil && (u.kind == value || !whole)
	case *ast.CallExpr:
		return p.Fun != n && u.argument(pkg, p, n)
	case *ast.BinaryExpr, *ast.IfStmt, *ast.SwitchStmt, *ast.CaseClause, *ast.ExprStmt, *ast.ForStmt:
		return true
	case *ast.RangeStmt:
		return p.X == n
	case *ast.ReturnStmt:
		return u.kind == value || !whole
	case *ast.CompositeLit, *ast.KeyValueExpr, *ast.ValueSpec:
		return u.kind == value
	}
	return false // sent, counted up, …
}

// method looks at a call of one of the result's own methods.
func (u *use) method(callee string) bool {
	if u.kind == value {
		return true
	}
	if u.s.FunctionOf(callee) != nil {
		return u.judge.ReadOnly(callee)
	}
	sym := symbolname.Parse(callee)
	switch sym.Name {
	case "String", "Len", "Bounds", "At", "Format", "Equal", "Compare":
		return sym.Receiver != ""
	}
	return false
}

// readers are packages whose functions and methods change no argument and keep
// none, but for those of harmful.
var readers = []string{"bytes", "encoding/", "fmt", "hash", "hash/", "html", "html/template", "image/gif", "image/jpeg", "image/png", "io", "log", "log/slog", "math", "net/http", "strconv", "strings", "text/template", "unicode/"}

// harmful reports whether a function of theirs may keep an argument or write to
// it, by its name.
func harmful(name string) bool {
	for _, prefix := range []string{"Read", "Scan", "Sscan", "Fscan", "Unmarshal", "Decode", "NewBuffer", "Append", "Put", "Trim", "Cut", "Split", "Fields", "MultiReader"} {
		if strings.HasPrefix(name, prefix) && name != "NewBufferString" {
			return true
		}
	}
	return false
}

// keeping are the beginnings of the names of methods that put their arguments
// somewhere.
var keeping = []string{"Add", "Cache", "Insert", "Keep", "LoadOrStore", "Push", "Put", "Register", "Remember", "Save", "Send", "Set", "Store", "Swap"}

// argument looks at a call that is handed the result.
func (u *use) argument(pkg *typed.Package, call *ast.CallExpr, n ast.Expr) bool {
	at := slices.Index(call.Args, n)
	switch pkg.Builtin(call) {
	case "len", "cap", "print", "println", "min", "max":
		return true
	case "copy", "append":
		return at > 0
	}
	if x, to := pkg.Conversion(call); x != nil {
		return u.kind == value || typed.IsString(to)
	}
	callee := pkg.Called(call)
	sym := symbolname.Parse(callee)
	if fn := u.s.FunctionOf(callee); fn != nil {
		return u.handed(fn, at)
	}
	if sym.Receiver != "" && symbolname.Begins(sym.Name, keeping) && !strings.HasPrefix(callee, "net/http.Header.") {
		return false
	}
	return u.kind == value || !harmful(sym.Name) && slices.ContainsFunc(readers, func(p string) bool {
		return sym.Package == p || strings.HasSuffix(p, "/") && strings.HasPrefix(sym.Package, p)
	})
}

// handed follows the result into a function of the user's own.
func (u *use) handed(fn *typed.Function, at int) bool {
	sig := fn.Object.Signature()
	switch {
	case u.depth >= maxHanded || sig.Recv() != nil && symbolname.Begins(fn.Object.Name(), keeping):
		return false
	case sig.Variadic() && at >= sig.Params().Len()-1:
		return u.kind == value
	}
	inner := *u
	inner.depth++
	return at < sig.Params().Len() && inner.onlyRead(fn.Package, sig.Params().At(at))
}

// isInput reports whether an argument is a text that was made of bytes: the
// whole of what was read, which hardly comes back. steps bounds the variables that
// are followed.
func isInput(pkg *typed.Package, arg ast.Expr, steps int) bool {
	if x, to := pkg.Conversion(arg); x != nil {
		return typed.IsString(to) && !typed.IsString(pkg.TypeOf(x))
	}
	v := pkg.Var(arg)
	if v == nil || typed.Global(v) || steps == 0 {
		return false
	}
	values, _ := pkg.SetTo(v)
	return len(values) > 0 && isInput(pkg, values[0], steps-1)
}

// missed reports whether a call is what is done where a look-up for the same
// found nothing: a condition before it or around it tests a comma-ok, or for nil,
// what an index or a call with one of the same arguments gave.
func missed(st ast.Stmt, call typed.Site) bool {
	pkg := call.In
	var args []string
	for _, arg := range call.Args {
		args = append(args, types.ExprString(arg))
	}
	fn := ast.Node(st)
	for pkg.Parent(fn) != nil {
		fn = pkg.Parent(fn)
	}
	found := false
	ast.Inspect(fn, func(n ast.Node) bool {
		cond, ok := n.(*ast.IfStmt)
		if !ok || found || cond.Pos() > st.Pos() {
			return !found
		}
		ast.Inspect(cond.Cond, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && pkg.Var(id) != nil {
				found = found || lookedUp(pkg, id, st, args)
			}
			return !found
		})
		return !found
	})
	return found
}

// lookedUp: the second of two results that is tested as it is, or the first that
// is compared, and no error.
func lookedUp(pkg *typed.Package, id *ast.Ident, not ast.Stmt, args []string) bool {
	def := pkg.Definition(pkg.Var(id))
	if def == nil {
		return false
	}
	st, ok := pkg.Parent(def).(*ast.AssignStmt)
	if !ok || st == not {
		return false
	}
	first := st.Lhs[0] == def
	_, compared := pkg.Parent(id).(*ast.BinaryExpr)
	if compared && (!first || id.Name == "err") || !compared && first && len(st.Lhs) > 1 {
		return false
	}
	var with []ast.Expr
	switch v := ast.Unparen(st.Rhs[min(slices.Index(st.Lhs, ast.Expr(def)), len(st.Rhs)-1)]).(type) {
	case *ast.IndexExpr:
		with = []ast.Expr{v.Index}
	case *ast.CallExpr:
		with = v.Args
	}
	return slices.ContainsFunc(with, func(e ast.Expr) bool { return slices.Contains(args, types.ExprString(e)) })
}
