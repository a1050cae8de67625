package repeatedresult

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"whet/internal/diagnose/purity"
	"whet/internal/symbolname"
	"whet/internal/typed"
)

// sort says what a function returns, as far as sharing it goes.
type sort int

const (
	unknown sort = iota
	value        // a number or text: nobody can change it
	memory       // a slice or pointer: its holder may
)

// returned returns what a type's values are that a function returns.
func returned(t types.Type) sort {
	switch types.Unalias(t).(type) {
	case *types.Basic:
		return value
	case *types.Slice, *types.Array, *types.Pointer:
		return memory
	}
	return unknown
}

// use follows what is done with a result.
type use struct {
	*typed.Package
	judge *purity.Judge
	kind  sort
	depth int
}

// maxHanded bounds how many functions a result is followed into.
const maxHanded = 3

// onlyRead reports whether a variable's value is nowhere changed, kept or handed
// to somebody who might.
func (u *use) onlyRead(v *types.Var) bool {
	if v.Kind() == types.ResultVar && u.kind == memory {
		return false
	}
	return !slices.ContainsFunc(u.Uses(v), func(id *ast.Ident) bool { return !u.reads(id, true) })
}

// reads looks at what is done with an expression; whole says that it is the
// result and not an element or field of it.
func (u *use) reads(n ast.Expr, whole bool) bool {
	mayBeKept := u.kind == value || !whole // a text, a number, or a part of anything
	switch p := u.Parent(n).(type) {
	case *ast.ParenExpr, *ast.StarExpr, *ast.SliceExpr:
		return u.reads(p.(ast.Expr), whole)
	case *ast.IndexExpr:
		return p.X != n || u.reads(p, false)
	case *ast.SelectorExpr:
		if call, ok := u.Parent(p).(*ast.CallExpr); ok && call.Fun == p {
			return u.method(call)
		}
		return u.reads(p, false)
	case *ast.UnaryExpr:
		return p.Op != token.AND
	case *ast.AssignStmt:
		if slices.Contains(p.Lhs, n) {
			_, plain := n.(*ast.Ident)
			return plain
		}
		// What is put into a field or element is kept.
		i := slices.Index(p.Rhs, n)
		return i >= 0 && i < len(p.Lhs) && u.Var(p.Lhs[i]) != nil && mayBeKept
	case *ast.CallExpr:
		return p.Fun != n && u.argument(p, n)
	case *ast.BinaryExpr, *ast.IfStmt, *ast.SwitchStmt, *ast.CaseClause, *ast.ExprStmt, *ast.ForStmt:
		return true
	case *ast.RangeStmt:
		return p.X == n
	case *ast.ReturnStmt:
		return mayBeKept
	case *ast.CompositeLit, *ast.KeyValueExpr, *ast.ValueSpec:
		return u.kind == value
	}
	return false // sent, counted up, …
}

// method looks at a call of one of the result's own methods.
func (u *use) method(call *ast.CallExpr) bool {
	fn := u.Function(call)
	switch {
	case u.kind == value:
		return true
	case fn == nil:
		return false
	case u.Reached(call) != nil:
		return u.judge.ReadOnly(typed.Symbol(fn))
	}
	switch fn.Name() {
	case "String", "Len", "Bounds", "At", "Format", "Equal", "Compare":
		return true
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
func (u *use) argument(call *ast.CallExpr, n ast.Expr) bool {
	at := slices.Index(call.Args, n)
	switch u.Builtin(call) {
	case "len", "cap", "print", "println", "min", "max":
		return true
	case "copy", "append":
		return at > 0
	}
	if x, to := u.Conversion(call); x != nil {
		return u.kind == value || typed.IsString(to)
	}
	fn := u.Function(call)
	switch {
	case fn == nil || fn.Pkg() == nil:
		return u.kind == value
	case u.Reached(call) != nil:
		return u.handed(u.Reached(call), at)
	}
	path := fn.Pkg().Path()
	if fn.Signature().Recv() != nil && symbolname.Begins(fn.Name(), keeping) && !strings.HasPrefix(typed.Symbol(fn), "net/http.Header.") {
		return false
	}
	return u.kind == value || !harmful(fn.Name()) && slices.ContainsFunc(readers, func(p string) bool {
		return path == p || strings.HasSuffix(p, "/") && strings.HasPrefix(path, p)
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
	inner := &use{fn.Package, u.judge, u.kind, u.depth + 1}
	return at < sig.Params().Len() && inner.onlyRead(sig.Params().At(at))
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
	found := false
	ast.Inspect(pkg.Declaration(st.Pos()), func(n ast.Node) bool {
		if around, ok := n.(*ast.IfStmt); ok && around.Pos() < st.Pos() {
			ast.Inspect(around.Cond, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && pkg.Var(id) != nil {
					found = found || lookedUp(pkg, id, st, args)
				}
				return !found
			})
		}
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
