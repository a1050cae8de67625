package syntax

import (
	"go/ast"
	"go/token"
	"slices"
)

// Function is a declared function or a literal with the parent of each of its
// nodes.
type Function struct {
	Node   ast.Node // *ast.FuncDecl or *ast.FuncLit
	parent map[ast.Node]ast.Node
}

// New reads a function.
func New(fn ast.Node) *Function {
	f := &Function{Node: fn, parent: make(map[ast.Node]ast.Node)}
	var open []ast.Node
	ast.Inspect(fn, func(n ast.Node) bool {
		if n == nil {
			open = open[:len(open)-1]
			return true
		}
		if len(open) > 0 {
			f.parent[n] = open[len(open)-1]
		}
		open = append(open, n)
		return true
	})
	return f
}

// Body returns the function's block; nil for one without.
func (f *Function) Body() *ast.BlockStmt {
	switch fn := f.Node.(type) {
	case *ast.FuncDecl:
		return fn.Body
	case *ast.FuncLit:
		return fn.Body
	}
	return nil
}

// Type returns the function's signature.
func (f *Function) Type() *ast.FuncType {
	switch fn := f.Node.(type) {
	case *ast.FuncDecl:
		return fn.Type
	case *ast.FuncLit:
		return fn.Type
	}
	return &ast.FuncType{}
}

// Parent returns the node around n, nil at the function itself.
func (f *Function) Parent(n ast.Node) ast.Node { return f.parent[n] }

// Within reports whether n lies in outer, or is it.
func (f *Function) Within(n, outer ast.Node) bool {
	for ; n != nil; n = f.parent[n] {
		if n == outer {
			return true
		}
	}
	return false
}

// Declaration is where a variable of a function comes from.
type Declaration struct {
	Ident *ast.Ident
	Node  ast.Node // the statement, or the field of the signature
	Scope ast.Node // in which the variable lives
	Value ast.Expr // it starts with; nil where there is none of its own
	Type  ast.Expr // nil where none is written
	Param bool     // a parameter or the receiver
}

// Declaration finds the declaration that a name refers to at a node. ok is
// false for a name that is declared outside the function, or in a function
// around the literal that the node lies in.
func (f *Function) Declaration(at ast.Node, name string) (d Declaration, ok bool) {
	for n := at; n != nil; n = f.parent[n] {
		scope := f.parent[n]
		switch s := scope.(type) {
		case *ast.BlockStmt:
			d, ok = declaredBefore(s.List, at, name)
		case *ast.CaseClause:
			d, ok = declaredBefore(s.Body, at, name)
		case *ast.CommClause:
			if d, ok = declaredBefore(s.Body, at, name); !ok && s.Comm != nil {
				d, ok = declaredBefore([]ast.Stmt{s.Comm}, at, name)
			}
		case *ast.IfStmt:
			d, ok = declaredIn(s.Init, n, name)
		case *ast.SwitchStmt:
			d, ok = declaredIn(s.Init, n, name)
		case *ast.TypeSwitchStmt:
			if d, ok = declaredIn(s.Init, n, name); !ok {
				d, ok = declaredIn(s.Assign, n, name)
			}
		case *ast.ForStmt:
			d, ok = declaredIn(s.Init, n, name)
		case *ast.RangeStmt:
			if s.Tok == token.DEFINE && n != s.X {
				for _, e := range []ast.Expr{s.Key, s.Value} {
					if id, is := e.(*ast.Ident); is && id.Name == name {
						d, ok = Declaration{Ident: id, Node: s}, true
					}
				}
			}
		}
		if ok {
			d.Scope = scope
			return d, true
		}
		if scope == f.Node {
			break
		}
		if _, isLit := scope.(*ast.FuncLit); isLit {
			return Declaration{}, false
		}
	}
	return f.declaredOutside(name)
}

// declaredOutside looks among parameters, results and the receiver.
func (f *Function) declaredOutside(name string) (Declaration, bool) {
	t := f.Type()
	lists := []*ast.FieldList{t.Params, t.Results}
	if fn, ok := f.Node.(*ast.FuncDecl); ok {
		lists = append(lists, fn.Recv)
	}
	for i, list := range lists {
		if list == nil {
			continue
		}
		for _, field := range list.List {
			for _, id := range field.Names {
				if id.Name == name {
					return Declaration{Ident: id, Node: field, Scope: f.Node, Type: field.Type, Param: i != 1}, true
				}
			}
		}
	}
	return Declaration{}, false
}

// declaredBefore returns the declaration of a name in a list that stands before
// a node: the first, as a further := of the same block sets the same variable.
func declaredBefore(list []ast.Stmt, at ast.Node, name string) (d Declaration, ok bool) {
	for _, st := range list {
		if st.End() > at.Pos() {
			break
		}
		if l, is := st.(*ast.LabeledStmt); is {
			st = l.Stmt
		}
		if d, ok = declares(st, name); ok {
			break
		}
	}
	return d, ok
}

// declaredIn looks into the first statement of an if, for or switch, for
// everything that comes behind it.
func declaredIn(st ast.Stmt, from ast.Node, name string) (Declaration, bool) {
	if st == nil || st == from {
		return Declaration{}, false
	}
	return declares(st, name)
}

// declares reads a statement as a declaration of a name.
func declares(st ast.Stmt, name string) (Declaration, bool) {
	switch st := st.(type) {
	case *ast.AssignStmt:
		if st.Tok != token.DEFINE {
			break
		}
		for i, l := range st.Lhs {
			if id, ok := l.(*ast.Ident); ok && id.Name == name {
				return Declaration{Ident: id, Node: st, Value: valueOf(st.Rhs, i, len(st.Lhs))}, true
			}
		}
	case *ast.DeclStmt:
		gen, ok := st.Decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.VAR {
			break
		}
		for _, spec := range gen.Specs {
			vs, ok := spec.(*ast.ValueSpec)
			if !ok {
				continue
			}
			for i, id := range vs.Names {
				if id.Name == name {
					return Declaration{Ident: id, Node: st, Value: valueOf(vs.Values, i, len(vs.Names)), Type: vs.Type}, true
				}
			}
		}
	}
	return Declaration{}, false
}

// valueOf returns the i-th of n values: the call itself where one call gives
// them all.
func valueOf(values []ast.Expr, i, n int) ast.Expr {
	switch {
	case len(values) == n:
		return values[i]
	case len(values) == 1:
		return values[0]
	}
	return nil
}

// Refers reports whether an identifier is a use of the variable that d
// declares: the same name, resolved to the same place.
func (f *Function) Refers(id *ast.Ident, d Declaration) bool {
	if id.Name != d.Ident.Name || id == d.Ident {
		return false
	}
	switch p := f.parent[id].(type) {
	case *ast.SelectorExpr:
		if p.Sel == id {
			return false
		}
	case *ast.KeyValueExpr:
		if lit, ok := f.parent[p].(*ast.CompositeLit); ok && p.Key == id && !isMap(lit.Type) {
			return false // a field's name
		}
	case *ast.Field, *ast.ValueSpec:
		if vs, ok := p.(*ast.ValueSpec); !ok || slices.Contains(vs.Names, id) {
			return false
		}
	case *ast.AssignStmt:
		if p.Tok == token.DEFINE && slices.Contains(p.Lhs, ast.Expr(id)) && d.Scope != f.parent[p] {
			return false // a variable of its own
		}
	case *ast.RangeStmt:
		if p.Tok == token.DEFINE && id != p.X {
			return false
		}
	}
	found, ok := f.Resolve(id)
	return ok && found.Ident == d.Ident
}

// Resolve is Declaration for an identifier, and through literals: what a literal
// captures is the function's own variable.
func (f *Function) Resolve(id *ast.Ident) (Declaration, bool) {
	for at := ast.Node(id); at != nil; {
		if d, ok := f.Declaration(at, id.Name); ok {
			return d, true
		}
		lit := f.literalAround(at)
		if lit == nil || lit == f.Node {
			return Declaration{}, false
		}
		if (&Function{Node: lit}).hasParameter(id.Name) {
			return Declaration{}, false
		}
		at = lit
	}
	return Declaration{}, false
}

func (f *Function) hasParameter(name string) bool {
	_, ok := f.declaredOutside(name)
	return ok
}

// literalAround returns the innermost literal that n lies in, nil for none.
func (f *Function) literalAround(n ast.Node) ast.Node {
	for n = f.parent[n]; n != nil; n = f.parent[n] {
		if lit, ok := n.(*ast.FuncLit); ok {
			return lit
		}
	}
	return nil
}

// LiteralAround returns the innermost literal inside the function that n lies
// in, nil where n belongs to the function itself.
func (f *Function) LiteralAround(n ast.Node) *ast.FuncLit {
	if lit, ok := f.literalAround(n).(*ast.FuncLit); ok && lit != f.Node {
		return lit
	}
	return nil
}

// Uses returns the identifiers that refer to a variable, in source order,
// without the declaring one.
func (f *Function) Uses(d Declaration) []*ast.Ident {
	var out []*ast.Ident
	ast.Inspect(f.Node, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && f.Refers(id, d) {
			out = append(out, id)
		}
		return true
	})
	return out
}

// Name renders x or x.f.g; "" for anything else.
func Name(e ast.Expr) string {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		if x := Name(e.X); x != "" {
			return x + "." + e.Sel.Name
		}
	}
	return ""
}

// Root returns the identifier that x.f, x[i], *x or x itself begins with.
func Root(e ast.Expr) *ast.Ident {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.Ident:
			return x
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		default:
			return nil
		}
	}
}

// Mentions reports whether a node holds an identifier of that name that is no
// field or method.
func Mentions(n ast.Node, name string) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			found = found || Mentions(n.X, name)
			return false
		case *ast.Ident:
			found = found || n.Name == name
		}
		return !found
	})
	return found
}

// Head visits a statement without the blocks inside it, which are statements
// of their own.
func Head(st ast.Stmt, visit func(ast.Node) bool) {
	ast.Inspect(st, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			return false
		case *ast.CaseClause:
			for _, e := range n.List {
				ast.Inspect(e, visit)
			}
			return false
		case *ast.CommClause:
			return false
		}
		return n == nil || visit(n)
	})
}

func isMap(t ast.Expr) bool {
	_, ok := t.(*ast.MapType)
	return ok
}

// Declarations returns the variables that the function's own statements
// declare, in source order, without those of literals inside it.
func (f *Function) Declarations() (out []Declaration) {
	ast.Inspect(f.Node, func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok && lit != f.Node {
			return false
		}
		var names []*ast.Ident
		switch st := n.(type) {
		case *ast.AssignStmt:
			if st.Tok == token.DEFINE {
				for _, l := range st.Lhs {
					if id, ok := l.(*ast.Ident); ok {
						names = append(names, id)
					}
				}
			}
		case *ast.DeclStmt:
			if gen, ok := st.Decl.(*ast.GenDecl); ok {
				for _, spec := range gen.Specs {
					if vs, ok := spec.(*ast.ValueSpec); ok {
						names = append(names, vs.Names...)
					}
				}
			}
		}
		for i, id := range names {
			d, ok := declares(n.(ast.Stmt), id.Name)
			if !ok || id.Name == "_" || i > 0 && sameValue(d.Value, names[0], n) {
				continue
			}
			d.Scope = f.parent[n]
			if before, again := f.Declaration(n, id.Name); again && before.Scope == d.Scope {
				continue
			}
			out = append(out, d)
		}
		return true
	})
	return out
}

// sameValue: a further result of the call that the first name takes.
func sameValue(value ast.Expr, first *ast.Ident, st ast.Node) bool {
	d, ok := declares(st.(ast.Stmt), first.Name)
	return ok && value != nil && d.Value == value
}
