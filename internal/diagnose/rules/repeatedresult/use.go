package repeatedresult

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"whet/internal/diagnose"
	"whet/internal/diagnose/purity"
	"whet/internal/diagnose/syntax"
	"whet/internal/symbolname"
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
	decl, _ := f.s.FunctionNamed(callee)
	if decl == nil || decl.Type.Results == nil || len(decl.Type.Results.List) == 0 {
		return unknown
	}
	switch t := decl.Type.Results.List[0].Type.(type) {
	case *ast.Ident:
		if t.Name == "string" || syntax.IsNumber(t.Name) {
			return value
		}
	case *ast.ArrayType, *ast.StarExpr:
		return memory
	}
	return unknown
}

// declared returns the variable that an assignment sets.
func declared(fn *syntax.Function, st *ast.AssignStmt, name *ast.Ident) (syntax.Declaration, bool) {
	if st.Tok == token.DEFINE {
		for _, d := range fn.Declarations() {
			if d.Ident == name {
				return d, true
			}
		}
	}
	return fn.Resolve(name)
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
func (u *use) onlyRead(file string, fn *syntax.Function, d syntax.Declaration) bool {
	if d.Scope == fn.Node && !d.Param && u.kind == memory {
		return false // a named result
	}
	return !slices.ContainsFunc(fn.Uses(d), func(id *ast.Ident) bool { return !u.reads(file, fn, id, true) })
}

// reads looks at what is done with an expression; whole says that it is the
// result and not an element or field of it.
func (u *use) reads(file string, fn *syntax.Function, n ast.Expr, whole bool) bool {
	switch p := fn.Parent(n).(type) {
	case *ast.ParenExpr:
		return u.reads(file, fn, p, whole)
	case *ast.StarExpr, *ast.SliceExpr:
		return u.reads(file, fn, p.(ast.Expr), whole)
	case *ast.IndexExpr:
		return p.X != n || u.reads(file, fn, p, false)
	case *ast.SelectorExpr:
		if call, ok := fn.Parent(p).(*ast.CallExpr); ok && call.Fun == p {
			return u.method(file, call)
		}
		return u.reads(file, fn, p, false)
	case *ast.UnaryExpr:
		return p.Op != token.AND
	case *ast.AssignStmt:
		if slices.Contains(p.Lhs, n) {
			_, plain := n.(*ast.Ident)
			return plain
		}
		return u.assigned(p, n, whole)
	case *ast.CallExpr:
		return p.Fun != n && u.argument(file, fn, p, n)
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

// assigned: a text or number may be copied to another variable, a part of
// anything too; what is put into a field or element is kept.
func (u *use) assigned(st *ast.AssignStmt, n ast.Expr, whole bool) bool {
	i := slices.Index(st.Rhs, n)
	if i < 0 || i >= len(st.Lhs) {
		return false
	}
	_, plain := st.Lhs[i].(*ast.Ident)
	return plain && (u.kind == value || !whole)
}

// method looks at a call of one of the result's own methods.
func (u *use) method(file string, call *ast.CallExpr) bool {
	callee := u.s.CalleeOf(file, call)
	if u.kind == value {
		return true
	}
	if decl, _ := u.s.FunctionNamed(callee); decl != nil {
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
func (u *use) argument(file string, fn *syntax.Function, call *ast.CallExpr, n ast.Expr) bool {
	at := slices.Index(call.Args, n)
	if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok {
		if _, local := fn.Resolve(id); !local {
			switch id.Name {
			case "len", "cap", "string", "print", "println", "min", "max":
				return true
			case "copy", "append":
				return at > 0
			}
		}
	}
	callee := u.s.CalleeOf(file, call)
	sym := symbolname.Parse(callee)
	if decl, in := u.s.FunctionNamed(callee); decl != nil {
		return u.handed(in, decl, at)
	}
	if _, isType := call.Fun.(*ast.ArrayType); isType || callee == "" {
		return u.kind == value // a conversion
	}
	if sym.Receiver != "" && syntax.Begins(sym.Name, keeping) && !strings.HasPrefix(callee, "net/http.Header.") {
		return false
	}
	if u.kind == value {
		return true
	}
	for _, p := range readers {
		if sym.Package == p || strings.HasSuffix(p, "/") && strings.HasPrefix(sym.Package, p) {
			return !harmful(sym.Name)
		}
	}
	return false
}

// handed follows the result into a function of the user's own.
func (u *use) handed(file string, decl *ast.FuncDecl, at int) bool {
	if u.depth >= maxHanded {
		return false
	}
	if decl.Recv != nil && syntax.Begins(decl.Name.Name, keeping) {
		return false
	}
	fn, i := syntax.New(decl), 0
	inner := *u
	inner.depth++
	for _, field := range decl.Type.Params.List {
		if _, variadic := field.Type.(*ast.Ellipsis); variadic {
			return u.kind == value
		}
		for _, id := range field.Names {
			if i == at {
				return id.Name == "_" || inner.onlyRead(file, fn, syntax.Declaration{Ident: id, Node: field, Scope: fn.Node, Type: field.Type, Param: true})
			}
			i++
		}
	}
	return false
}

// isInput reports whether an argument is a text that was made of bytes: the
// whole of what was read, which hardly comes back.
func isInput(fn *syntax.Function, arg ast.Expr) bool {
	switch e := ast.Unparen(arg).(type) {
	case *ast.CallExpr:
		id, ok := ast.Unparen(e.Fun).(*ast.Ident)
		return ok && id.Name == "string" && len(e.Args) == 1
	case *ast.Ident:
		d, ok := fn.Resolve(e)
		return ok && d.Value != nil && isInput(fn, d.Value)
	}
	return false
}

// missed reports whether a call is what is done where a look-up for the same
// found nothing: a condition before it or around it tests a comma-ok, or for nil,
// what an index or a call with one of the same arguments gave.
func missed(fn *syntax.Function, st ast.Stmt, call *ast.CallExpr) bool {
	var args []string
	for _, arg := range call.Args {
		args = append(args, types.ExprString(arg))
	}
	found := false
	ast.Inspect(fn.Node, func(n ast.Node) bool {
		cond, ok := n.(*ast.IfStmt)
		if !ok || found || cond.Pos() > st.Pos() {
			return !found
		}
		ast.Inspect(cond.Cond, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok || found {
				return !found
			}
			d, ok := fn.Resolve(id)
			if ok && d.Value != nil && d.Node != st {
				found = lookedUp(d, id, fn.Parent(id), args)
			}
			return !found
		})
		return !found
	})
	return found
}

// lookedUp: the second of two results that is tested as it is, or the first that
// is compared, and no error.
func lookedUp(d syntax.Declaration, id *ast.Ident, around ast.Node, args []string) bool {
	st, ok := d.Node.(*ast.AssignStmt)
	if !ok {
		return false
	}
	first := len(st.Lhs) > 0 && st.Lhs[0] == d.Ident
	_, compared := around.(*ast.BinaryExpr)
	if compared && (!first || id.Name == "err") || !compared && first && len(st.Lhs) > 1 {
		return false
	}
	var with []ast.Expr
	switch v := ast.Unparen(d.Value).(type) {
	case *ast.IndexExpr:
		with = []ast.Expr{v.Index}
	case *ast.CallExpr:
		with = v.Args
	}
	return slices.ContainsFunc(with, func(e ast.Expr) bool { return slices.Contains(args, types.ExprString(e)) })
}
