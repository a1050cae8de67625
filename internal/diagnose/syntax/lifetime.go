package syntax

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// Lifetime decides whether what a variable holds, or shares memory with it, can
// still be reached when its function has returned. It follows the uses of the
// variable, of other local variables that it is handed to, and of the parameters
// of functions whose source is known; of the standard library it knows which
// functions keep nothing.
type Lifetime struct {
	// Callee returns the source of a function of the user's own that is
	// called, nil where it is not known.
	Callee func(f *Function, call *ast.CallExpr) *Function
	// Shares reports of a method whether its result shares the variable's
	// memory, beside those that always do.
	Shares func(method string) bool

	seen map[*ast.Ident]bool
}

// followed bounds the variables that one question follows.
const followed = 64

// Ends reports whether nothing of the variable outlives the function's call.
// False means that it does, or that it is not known.
func (l *Lifetime) Ends(f *Function, d Declaration) bool {
	l.seen = make(map[*ast.Ident]bool)
	return l.variable(f, d)
}

// ValueEnds is Ends for the value of an expression that is used where it stands:
// as the receiver of a method, as an argument.
func (l *Lifetime) ValueEnds(f *Function, value ast.Expr) bool {
	l.seen = make(map[*ast.Ident]bool)
	return l.ends(f, value)
}

func (l *Lifetime) variable(f *Function, d Declaration) bool {
	if l.seen[d.Ident] {
		return true
	}
	l.seen[d.Ident] = true
	if len(l.seen) > followed || d.Scope == f.Node && !d.Param {
		return false // a named result
	}
	for _, id := range f.Uses(d) {
		if !runsNow(f, id, d) || !l.ends(f, id) {
			return false
		}
	}
	return true
}

// runsNow reports whether a use lies in the function itself, or in a literal
// that has run when it returns: one that is called or deferred on the spot.
func runsNow(f *Function, id ast.Node, d Declaration) bool {
	for lit := f.LiteralAround(id); lit != nil && !f.Within(d.Node, lit); lit = f.LiteralAround(lit) {
		call, ok := f.Parent(lit).(*ast.CallExpr)
		if !ok || call.Fun != lit {
			return false
		}
		if started(f, call) {
			return false
		}
	}
	return true
}

// started reports whether a call runs in a goroutine of its own: the
// function does not wait for it as far as its source shows.
func started(f *Function, call *ast.CallExpr) bool {
	_, ok := f.Parent(call).(*ast.GoStmt)
	return ok
}

// ends looks at what is done with an expression that shares the memory.
func (l *Lifetime) ends(f *Function, n ast.Node) bool {
	switch p := f.Parent(n).(type) {
	case *ast.ParenExpr, *ast.StarExpr, *ast.TypeAssertExpr:
		return l.ends(f, p)
	case *ast.UnaryExpr:
		return p.Op != token.AND || l.ends(f, p)
	case *ast.SliceExpr:
		return p.X != n || l.ends(f, p)
	case *ast.IndexExpr:
		switch around := f.Parent(p).(type) {
		case *ast.UnaryExpr:
			return around.Op != token.AND
		case *ast.AssignStmt, *ast.IncDecStmt:
			return p.X == n // as the key of a map it is kept
		}
		return true
	case *ast.SelectorExpr:
		switch around := f.Parent(p).(type) {
		case *ast.CallExpr:
			return !started(f, around) && (around.Fun != p || !l.shares(p.Sel.Name) || l.ends(f, around))
		case *ast.AssignStmt:
			return slices.Contains(around.Lhs, ast.Expr(p)) // a field that is set
		}
		return false
	case *ast.BinaryExpr, *ast.IfStmt, *ast.SwitchStmt, *ast.ExprStmt, *ast.IncDecStmt, *ast.RangeStmt, *ast.DeferStmt:
		return true
	case *ast.CallExpr:
		return p.Fun != n && !started(f, p) && l.argument(f, p, n)
	case *ast.AssignStmt:
		return l.assigned(f, p, n)
	case *ast.ValueSpec:
		if i := slices.Index(p.Values, n.(ast.Expr)); i >= 0 && i < len(p.Names) {
			return l.local(f, p.Names[i], p, true)
		}
	}
	return false // returned, sent, kept in a literal or a structure, …
}

func (l *Lifetime) shares(method string) bool {
	switch method {
	case "Bytes", "AvailableBuffer", "Next", "Peek", "ReadSlice", "ReadLine":
		return true
	}
	return l.Shares != nil && l.Shares(method)
}

// assigned looks at the variables that an assignment hands the memory to. Of a
// call with several results only the first can share it.
func (l *Lifetime) assigned(f *Function, st *ast.AssignStmt, n ast.Node) bool {
	if e, ok := n.(ast.Expr); ok && slices.Contains(st.Lhs, e) {
		return true
	}
	i := slices.Index(st.Rhs, n.(ast.Expr))
	if i < 0 || i >= len(st.Lhs) {
		return false
	}
	id, ok := ast.Unparen(st.Lhs[i]).(*ast.Ident)
	return ok && l.local(f, id, st, st.Tok == token.DEFINE)
}

func (l *Lifetime) local(f *Function, id *ast.Ident, st ast.Node, defined bool) bool {
	if id.Name == "_" {
		return true
	}
	d, ok := f.Resolve(id)
	if defined && (!ok || d.Scope != f.Parent(st)) {
		scope := f.Parent(st)
		for _, isSpec := scope.(*ast.GenDecl); isSpec; _, isSpec = scope.(*ast.GenDecl) {
			scope = f.Parent(f.Parent(scope))
		}
		d, ok = Declaration{Ident: id, Node: st, Scope: scope}, true
	}
	return ok && l.variable(f, d)
}

// argument looks at a call that is handed the memory.
func (l *Lifetime) argument(f *Function, call *ast.CallExpr, n ast.Node) bool {
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		switch fun.Name {
		case "len", "cap", "copy", "clear", "string":
			return true
		case "append":
			return call.Args[0] == n && l.ends(f, call) || call.Args[0] != n && call.Ellipsis != token.NoPos
		}
	case *ast.ArrayType:
		return l.ends(f, call)
	case *ast.SelectorExpr:
		name := fun.Sel.Name
		pkg, isName := fun.X.(*ast.Ident)
		if isName {
			if _, isLocal := f.Resolve(pkg); !isLocal && keepsNothing[pkg.Name] {
				return !wraps(name) || l.ends(f, call)
			}
		}
		switch {
		case returnsArgument(name):
			return l.ends(f, call)
		case harmless[name]:
			return true
		}
	}
	return l.own(f, call, n)
}

// own follows the memory into a function of the user's own.
func (l *Lifetime) own(f *Function, call *ast.CallExpr, n ast.Node) bool {
	if l.Callee == nil {
		return false
	}
	fn := l.Callee(f, call)
	if fn == nil || fn.Body() == nil || fn.Type().Params == nil {
		return false
	}
	at := slices.Index(call.Args, n.(ast.Expr))
	i := 0
	for _, field := range fn.Type().Params.List {
		if _, variadic := field.Type.(*ast.Ellipsis); variadic {
			return false
		}
		for _, id := range field.Names {
			if i == at {
				return id.Name == "_" || l.variable(fn, Declaration{Ident: id, Node: field, Scope: fn.Node, Type: field.Type, Param: true})
			}
			i++
		}
	}
	return false
}

// keepsNothing are packages of the standard library whose functions keep no
// argument after they have returned, unless their result does.
var keepsNothing = set("adler32", "aes", "base32", "base64", "binary", "bufio", "bytes", "cipher", "crc32", "crc64", "csv", "fmt", "flate", "fnv",
	"gob", "gzip", "hex", "hmac", "html", "io", "ioutil", "json", "md5", "os", "quotedprintable", "sha1", "sha256", "sha512", "slices", "sort",
	"strconv", "strings", "subtle", "tabwriter", "utf8", "xml", "zlib")

// wraps reports whether a function's result shares its argument's memory, by
// the names that the standard library gives such functions.
func wraps(name string) bool {
	for _, prefix := range []string{"New", "Trim", "Tee", "Multi", "Limit", "Nop", "Cut", "Fields", "Split", "Append", "Clip", "Grow", "Sort", "Seq", "Values", "Chunk", "Insert", "Delete", "Compact", "To"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// returnsArgument: methods that append to what they are given.
func returnsArgument(method string) bool {
	return strings.HasPrefix(method, "Append") || method == "Sum" || method == "Seal" || method == "Open"
}

// harmless are methods whose contract or custom is to keep no argument.
var harmless = set("Write", "WriteString", "WriteTo", "WriteAt", "Read", "ReadAt", "ReadFrom", "Execute", "ExecuteTemplate", "Encode", "Decode",
	"EncodeElement", "DecodeElement", "EncodeToString", "XORKeyStream", "CryptBlocks", "Encrypt", "Decrypt", "Render",
	"PutUint16", "PutUint32", "PutUint64", "Uint16", "Uint32", "Uint64", "Print", "Printf", "Println", "Reset")

func set(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, n := range names {
		m[n] = true
	}
	return m
}
