package purity

import (
	"go/ast"
	"go/token"
	"strings"

	"whet/internal/diagnose/syntax"
	"whet/internal/symbolname"
)

// changed is what the functions of a package write to after it was made.
type changed struct {
	vars   map[string]bool // package variables
	fields map[string]bool // "T.f", or ".f" where the type is not known
}

// changedIn reads the functions of a package, once.
func (j *Judge) changedIn(pkg string) *changed {
	if c := j.changed[pkg]; c != nil {
		return c
	}
	c := &changed{vars: make(map[string]bool), fields: make(map[string]bool)}
	j.changed[pkg] = c
	filled := make(map[string][]int) // parameters whose elements a function of that name sets
	j.s.EachFunction(func(p, file string, decl *ast.FuncDecl) {
		if p != pkg {
			return
		}
		fn := syntax.New(decl)
		eachWrite(decl, func(target ast.Expr) {
			root := syntax.Root(target)
			if root == nil {
				c.note(target, "")
				return
			}
			d, local := fn.Resolve(root)
			switch {
			case !local:
				if decl.Name.Name != "init" {
					c.vars[root.Name] = true
					c.note(target, "")
				}
			case d.Param:
				c.note(target, typeName(d.Type))
				if root != target { // a plain name is set to something else
					filled[decl.Name.Name] = append(filled[decl.Name.Name], place(decl, d.Ident))
				}
			case !j.made(&function{fn: fn, file: file, pkg: pkg}, d):
				c.note(target, "")
				c.through(fn, d.Value)
				if loop, ok := d.Node.(*ast.RangeStmt); ok {
					c.through(fn, loop.X)
				}
			}
		})
		c.addresses(fn)
	})
	j.s.EachFunction(func(p, _ string, decl *ast.FuncDecl) {
		if p == pkg {
			c.handed(syntax.New(decl), filled)
		}
	})
	return c
}

// place returns which of a function's parameters a name is, -1 for the receiver.
func place(decl *ast.FuncDecl, name *ast.Ident) int {
	i := 0
	for _, field := range decl.Type.Params.List {
		for _, id := range field.Names {
			if id == name {
				return i
			}
			i++
		}
	}
	return -1
}

// handed enters what calls hand to functions that write to it.
func (c *changed) handed(fn *syntax.Function, filled map[string][]int) {
	ast.Inspect(fn.Node, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		name := ""
		switch fun := ast.Unparen(call.Fun).(type) {
		case *ast.Ident:
			name = fun.Name
		case *ast.SelectorExpr:
			name = fun.Sel.Name
		}
		for _, i := range filled[name] {
			if 0 <= i && i < len(call.Args) {
				c.through(fn, call.Args[i])
			}
		}
		return true
	})
}

// addresses enters the fields and variables whose addresses are taken: somebody
// may write through them, as a decoder does.
func (c *changed) addresses(fn *syntax.Function) {
	ast.Inspect(fn.Node, func(n ast.Node) bool {
		if u, ok := n.(*ast.UnaryExpr); ok && u.Op == token.AND {
			c.through(fn, u)
		}
		return true
	})
}

// through enters what may be written by another name for it: a slice or map of
// a field or package variable, or its address.
func (c *changed) through(fn *syntax.Function, value ast.Expr) {
	if u, ok := ast.Unparen(value).(*ast.UnaryExpr); ok && u.Op == token.AND {
		value = u.X
	}
	root := syntax.Root(value)
	if root == nil {
		return
	}
	if _, local := fn.Resolve(root); !local {
		c.vars[root.Name] = true
	}
	switch x := ast.Unparen(value).(type) {
	case *ast.SelectorExpr:
		c.fields["."+x.Sel.Name] = true
	case *ast.IndexExpr, *ast.SliceExpr:
		c.note(x, "")
	}
}

// note enters the fields on the way to what is written.
func (c *changed) note(target ast.Expr, of string) {
	for {
		switch x := ast.Unparen(target).(type) {
		case *ast.SelectorExpr:
			owner := ""
			if _, direct := ast.Unparen(x.X).(*ast.Ident); direct {
				owner = of
			}
			c.fields[owner+"."+x.Sel.Name] = true
			target = x.X
		case *ast.IndexExpr:
			target = x.X
		case *ast.SliceExpr:
			target = x.X
		case *ast.StarExpr:
			target = x.X
		default:
			return
		}
	}
}

// ofAny reports whether a field of that name is written to, whichever type's.
func (c *changed) ofAny(field string) bool {
	for name := range c.fields {
		if name[strings.IndexByte(name, '.')+1:] == field {
			return true
		}
	}
	return false
}

// reads reports whether a function reads nothing that changes: no package
// variable, and no field through a parameter or receiver.
func (j *Judge) reads(f *function) bool {
	c := j.changedIn(f.pkg)
	ok := true
	ast.Inspect(f.fn.Node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if id, direct := ast.Unparen(n.X).(*ast.Ident); direct {
				d, local := f.fn.Resolve(id)
				switch {
				case local && d.Param && !f.fresh[d.Ident]:
					ok = ok && !c.fields[typeName(d.Type)+"."+n.Sel.Name] && !c.fields["."+n.Sel.Name]
				case local:
					ok = ok && (!c.ofAny(n.Sel.Name) || j.made(f, d))
				case !local:
					ok = ok && !c.vars[id.Name] && !c.ofAny(n.Sel.Name)
				}
				return false
			}
			ok = ok && (!c.ofAny(n.Sel.Name) || j.fresh(f, n))
			ast.Inspect(n.X, func(n ast.Node) bool {
				if id, is := n.(*ast.Ident); is && c.vars[id.Name] {
					_, local := f.fn.Resolve(id)
					ok = ok && local
				}
				return true
			})
		case *ast.Ident:
			if c.vars[n.Name] {
				switch p := f.fn.Parent(n).(type) {
				case *ast.KeyValueExpr:
					if _, inLiteral := f.fn.Parent(p).(*ast.CompositeLit); inLiteral && p.Key == n {
						return true // a field's name
					}
				}
				_, local := f.fn.Resolve(n)
				ok = ok && local
			}
		}
		return ok
	})
	return ok
}

// eachWrite visits what the statements of a function assign to, or hand to a
// builtin that writes, but for plain names that := declares.
func eachWrite(n ast.Node, visit func(target ast.Expr)) {
	assigned := func(e ast.Expr, tok token.Token) {
		if id, plain := e.(*ast.Ident); e != nil && (!plain || tok != token.DEFINE && id.Name != "_") {
			visit(e)
		}
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				assigned(l, n.Tok)
			}
		case *ast.IncDecStmt:
			visit(n.X)
		case *ast.RangeStmt:
			assigned(n.Key, n.Tok)
			assigned(n.Value, n.Tok)
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && len(n.Args) > 0 {
				switch id.Name {
				case "copy", "clear", "delete", "append":
					visit(element(n.Args[0]))
				}
			}
		}
		return true
	})
}

// element makes of a slice or map that a builtin writes to what is written: its
// elements, so that a plain name is no assignment to the name.
func element(e ast.Expr) ast.Expr { return &ast.IndexExpr{X: e} }

// typeName returns T of T, *T and T[…]; "" for any other type.
func typeName(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.Ident:
		return t.Name
	case *ast.StarExpr:
		return typeName(t.X)
	case *ast.IndexExpr:
		return typeName(t.X)
	case *ast.IndexListExpr:
		return typeName(t.X)
	}
	return ""
}

// function is one that is looked at, with what is new in its call.
type function struct {
	fn    *syntax.Function
	file  string
	pkg   string
	fresh map[*ast.Ident]bool // parameters and receiver that are
}

// made reports whether what a local variable holds, or refers to, is new in the
// call.
func (j *Judge) made(f *function, d syntax.Declaration) bool {
	if d.Param {
		return f.fresh[d.Ident]
	}
	if j.visiting[d.Ident] {
		return true // as far as its other values are
	}
	j.visiting[d.Ident] = true
	defer delete(j.visiting, d.Ident)
	switch node := d.Node.(type) {
	case *ast.RangeStmt:
		return j.fresh(f, node.X)
	case *ast.Field: // a named result
	default:
		if d.Value == nil && d.Type == nil || d.Value != nil && !j.fresh(f, d.Value) {
			return false
		}
	}
	for _, id := range f.fn.Uses(d) {
		st, ok := f.fn.Parent(id).(*ast.AssignStmt)
		if !ok {
			continue
		}
		for i, l := range st.Lhs {
			if l != id {
				continue
			}
			if i < len(st.Rhs) && len(st.Rhs) == len(st.Lhs) && !j.fresh(f, st.Rhs[i]) || len(st.Rhs) == 1 && !j.fresh(f, st.Rhs[0]) {
				return false
			}
		}
	}
	return true
}

// fresh is the same of an expression.
func (j *Judge) fresh(f *function, e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.BasicLit, *ast.CompositeLit, *ast.FuncLit, *ast.BinaryExpr, *ast.StarExpr:
		return true // a value of its own, or a copy
	case *ast.UnaryExpr:
		return e.Op != token.AND || j.fresh(f, e.X)
	case *ast.TypeAssertExpr:
		return j.fresh(f, e.X)
	case *ast.Ident:
		switch e.Name {
		case "nil", "true", "false":
			return true
		}
		d, local := f.fn.Resolve(e)
		return local && j.made(f, d)
	case *ast.SelectorExpr, *ast.IndexExpr, *ast.SliceExpr:
		root := syntax.Root(e)
		if root == nil {
			return j.ofCall(f, e)
		}
		d, local := f.fn.Resolve(root)
		return local && j.made(f, d)
	case *ast.CallExpr:
		return j.result(f, e)
	}
	return false
}

// ofCall is the same of f().x, f()[i] and the like.
func (j *Judge) ofCall(f *function, e ast.Expr) bool {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.CallExpr:
			return j.result(f, x)
		case *ast.CompositeLit:
			return true
		default:
			return false
		}
	}
}

// result is the same of what a call gives.
func (j *Judge) result(f *function, call *ast.CallExpr) bool {
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		if fun.Name == "append" && len(call.Args) > 0 {
			return j.fresh(f, call.Args[0])
		}
		return true
	case *ast.SelectorExpr:
		if j.ofPackage(f, fun) || j.s.CalleeOf(f.file, call) == "sync.(*Pool).Get" {
			return true
		}
		return j.fresh(f, fun.X)
	}
	return true // a conversion, or a literal that is called
}

// ofPackage: x.F is a function of a package, not a method or a field.
func (j *Judge) ofPackage(f *function, sel *ast.SelectorExpr) bool {
	id, ok := sel.X.(*ast.Ident)
	if !ok {
		return false
	}
	if _, local := f.fn.Resolve(id); local {
		return false
	}
	call, ok := f.fn.Parent(sel).(*ast.CallExpr)
	return !ok || symbolname.Parse(j.s.CalleeOf(f.file, call)).Receiver == ""
}
