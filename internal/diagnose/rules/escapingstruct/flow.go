package escapingstruct

import (
	"cmp"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/diagnose/syntax"
	"whet/internal/symbolname"
)

// part is a field of the variable whose address leaves the user's own code.
type part struct {
	path   string // ".request.header"
	size   int64
	callee string
	file   string
	line   int
}

// flow follows where addresses of a variable and its parts go.
type flow struct {
	s     *diagnose.Subject
	pkg   string // that declares the struct
	parts map[string]part
	seen  map[seen]bool
}

type seen struct {
	ident *ast.Ident
	path  string
}

// function is one that the variable's address has come to.
type function struct {
	*syntax.Function
	file  string
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
	typ     ast.Expr // as far as it is known
	pointer bool
}

// variable follows the uses of a variable that holds a thing. Like all that
// follow, it returns false where more may leave than the parts that are noted.
func (f *flow) variable(fn function, d syntax.Declaration, t thing) bool {
	k := seen{d.Ident, t.path}
	if f.seen[k] {
		return true
	}
	f.seen[k] = true
	uses := fn.Uses(d)
	if len(f.seen) > maxSeen || len(uses) == 0 && !d.Param {
		return false // of a variable that an earlier statement declares
	}
	for _, id := range uses {
		if !runsNow(fn, id, d) || !f.used(fn, id, t) {
			return false
		}
	}
	return true
}

// runsNow reports whether a use lies in the function itself, or in a literal
// that is called on the spot.
func runsNow(fn function, id ast.Node, d syntax.Declaration) bool {
	for lit := fn.LiteralAround(id); lit != nil && !fn.Within(d.Node, lit); lit = fn.LiteralAround(lit) {
		call, ok := fn.Parent(lit).(*ast.CallExpr)
		if !ok || call.Fun != lit || started(fn, call) {
			return false
		}
	}
	return true
}

func started(fn function, call *ast.CallExpr) bool {
	_, ok := fn.Parent(call).(*ast.GoStmt)
	return ok
}

// used looks at what is done with an expression that stands for a thing.
func (f *flow) used(fn function, n ast.Node, t thing) bool {
	switch p := fn.Parent(n).(type) {
	case *ast.ParenExpr:
		return f.used(fn, p, t)
	case *ast.StarExpr:
		t.pointer = false
		return f.used(fn, p, t)
	case *ast.UnaryExpr:
		if p.Op != token.AND {
			return true
		}
		if t.pointer || strings.Contains(t.path, "[") {
			return false // of a pointer's own address, and of elements, nothing is known
		}
		t.pointer = true
		return f.used(fn, p, t)
	case *ast.SelectorExpr:
		return f.selected(fn, p, t)
	case *ast.IndexExpr:
		if p.X != n {
			return true
		}
		return f.used(fn, p, thing{path: t.path + "[]", typ: element(t.typ)})
	case *ast.SliceExpr:
		if id, ok := t.typ.(*ast.Ident); p.X != n || ok && id.Name == "string" {
			return true
		}
		return (&slicing{fn, make(map[*ast.Ident]bool)}).stays(p)
	case *ast.CallExpr:
		return f.argument(fn, p, n, t)
	case *ast.AssignStmt:
		i := slices.Index(p.Rhs, n.(ast.Expr))
		if i < 0 || !t.pointer {
			return true // is set, or copied
		}
		if i >= len(p.Lhs) || p.Tok != token.DEFINE {
			return false
		}
		return f.named(fn, p.Lhs[i], p, t)
	case *ast.ValueSpec:
		i := slices.Index(p.Values, n.(ast.Expr))
		return !t.pointer || i >= 0 && i < len(p.Names) && f.named(fn, p.Names[i], p, t)
	case *ast.BinaryExpr, *ast.RangeStmt, *ast.IncDecStmt:
		return true
	}
	return !t.pointer // a copy may go anywhere
}

// named follows a pointer into the variable that a statement declares for it.
func (f *flow) named(fn function, to ast.Expr, st ast.Node, t thing) bool {
	id, ok := to.(*ast.Ident)
	return ok && (id.Name == "_" || f.variable(fn, syntax.Declaration{Ident: id, Node: st, Scope: fn.Parent(st)}, t))
}

// element returns the type of an array's elements.
func element(t ast.Expr) ast.Expr {
	if a, ok := t.(*ast.ArrayType); ok {
		return a.Elt
	}
	return nil
}

// selected looks at a field, or at a method that is called.
func (f *flow) selected(fn function, sel *ast.SelectorExpr, t thing) bool {
	fields := f.fields(t.typ)
	if typ := fieldType(fields, sel.Sel.Name); typ != nil {
		t = thing{path: t.path + "." + sel.Sel.Name, typ: typ}
		if elsewhere(typ) && !addressTaken(fn, sel) {
			return true // what it refers to is other memory
		}
		return f.used(fn, sel, t)
	}
	call, ok := fn.Parent(sel).(*ast.CallExpr)
	if !ok || call.Fun != sel {
		// Of a type whose declaration is not at hand it is taken for a field.
		return fields == nil && f.used(fn, sel, thing{path: t.path + "." + sel.Sel.Name})
	}
	callee := f.s.CalleeOf(fn.file, call)
	if callee == "" {
		return false
	}
	if !strings.Contains(callee, "(*") {
		return true // is given a copy
	}
	decl, file := f.s.FunctionNamed(callee)
	if decl == nil {
		return slices.Contains(keepNoReceiver, symbolname.Package(callee))
	}
	recv := decl.Recv.List[0]
	star, ok := recv.Type.(*ast.StarExpr)
	if !ok || started(fn, call) || fn.depth == maxDepth || symbolname.Package(callee) != f.pkg {
		return false
	}
	typ, ok := star.X.(*ast.Ident)
	own, isName := t.typ.(*ast.Ident)
	if !ok || !isName || typ.Name != own.Name {
		return false // an embedded struct's
	}
	if len(recv.Names) == 0 {
		return true
	}
	t.pointer = true
	return f.variable(function{syntax.New(decl), file, fn.depth + 1}, syntax.Declaration{Ident: recv.Names[0], Node: recv, Scope: decl, Type: recv.Type, Param: true}, t)
}

// keepNoReceiver are packages whose methods let no receiver escape.
var keepNoReceiver = []string{"bytes", "strings", "sync", "sync/atomic"}

// fields returns the fields of a struct type, nil for any other.
func (f *flow) fields(typ ast.Expr) *ast.StructType {
	switch t := typ.(type) {
	case *ast.StructType:
		return t
	case *ast.Ident:
		return f.s.StructNamed(f.pkg, t.Name)
	}
	return nil
}

// fieldType returns the type of a field, nil where there is none of that name.
func fieldType(fields *ast.StructType, name string) ast.Expr {
	if fields == nil {
		return nil
	}
	for _, field := range fields.Fields.List {
		for _, id := range field.Names {
			if id.Name == name {
				return field.Type
			}
		}
		if id, ok := field.Type.(*ast.Ident); ok && len(field.Names) == 0 && id.Name == name {
			return field.Type
		}
	}
	return nil
}

// elsewhere reports whether values of a type refer to other memory.
func elsewhere(typ ast.Expr) bool {
	switch t := typ.(type) {
	case *ast.StarExpr, *ast.MapType, *ast.ChanType, *ast.FuncType, *ast.InterfaceType:
		return true
	case *ast.ArrayType:
		return t.Len == nil
	}
	return false
}

// addressTaken reports whether & stands before an expression.
func addressTaken(fn function, n ast.Node) bool {
	p := fn.Parent(n)
	for paren, ok := p.(*ast.ParenExpr); ok; paren, ok = p.(*ast.ParenExpr) {
		p = fn.Parent(paren)
	}
	u, ok := p.(*ast.UnaryExpr)
	return ok && u.Op == token.AND
}

// argument looks at a call that is handed a thing.
func (f *flow) argument(fn function, call *ast.CallExpr, n ast.Node, t thing) bool {
	if !t.pointer || call.Fun == n {
		return true
	}
	if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "any" {
		return f.used(fn, call, t)
	}
	callee := f.s.CalleeOf(fn.file, call)
	at := slices.Index(call.Args, n.(ast.Expr))
	if callee == "" || at < 0 || started(fn, call) {
		return false
	}
	if decl, file := f.s.FunctionNamed(callee); decl != nil {
		if fn.depth == maxDepth {
			return false
		}
		field, id := parameter(decl, at)
		if field == nil {
			return false
		}
		return id == nil || f.variable(function{syntax.New(decl), file, fn.depth + 1}, syntax.Declaration{Ident: id, Node: field, Scope: decl, Type: field.Type, Param: true}, t)
	}
	if f.s.Own(&callstack.Frame{Function: callee}) && (symbolname.Parse(callee).Receiver == "" || strings.Contains(callee, "(*")) {
		return false // its source is not at hand; an interface's methods have none
	}
	if symbolname.Package(callee) == "sync/atomic" {
		return true
	}
	size := f.pointee(fn.file, call, callee, at)
	if t.path == "" || size <= 0 {
		return false
	}
	p := part{path: t.path, size: size, callee: callee, file: fn.file, line: f.s.LineOf(fn.file, call)}
	if before, ok := f.parts[t.path]; !ok || p.file < before.file || p.file == before.file && p.line < before.line {
		f.parts[t.path] = p
	}
	return true
}

// parameter returns that of an index, nil for one of a variadic list; its name
// is nil where it has none that can be used.
func parameter(decl *ast.FuncDecl, at int) (*ast.Field, *ast.Ident) {
	i := 0
	for _, field := range decl.Type.Params.List {
		if _, variadic := field.Type.(*ast.Ellipsis); variadic {
			return nil, nil
		}
		if len(field.Names) == 0 && i == at {
			return field, nil
		}
		for _, id := range field.Names {
			if i == at && id.Name == "_" {
				return field, nil
			}
			if i == at {
				return field, id
			}
			i++
		}
		if len(field.Names) == 0 {
			i++
		}
	}
	return nil, nil
}

// pointee returns the size of what an argument points to, as it was recorded.
func (f *flow) pointee(file string, call *ast.CallExpr, callee string, at int) (size int64) {
	line := f.s.LineOf(file, call)
	for _, c := range f.s.Calls[file] {
		if c.Line == line && c.Callee == callee && at < len(c.Pointee) {
			size = max(size, c.Pointee[at])
		}
	}
	return size
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
