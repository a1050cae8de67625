package collections

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"whet/internal/typed"
)

// Collection is a variable or a field that is a map or a slice.
type Collection struct {
	Var  *types.Var
	Uses []Use
	// Owner is the struct type that a field belongs to; nil for variables and
	// where it has no name.
	Owner *types.Named
	Work
	local    bool
	foreign  bool // its value, or that of a map or slice in it, may come from elsewhere
	handedOn bool // it, or a map or slice in it, goes elsewhere; or its use is not understood
	captured bool // by a literal that may run later, or by a method that is not followed
	methods  bool // it has some that are called
}

// Leaks reports whether code other than the uses may reach it: it comes from
// elsewhere, or is passed on.
func (c *Collection) Leaks() bool { return c.foreign || c.handedOn }

// Local reports whether it is a local variable that is not a parameter or a
// named result.
func (c *Collection) Local() bool { return c.local }

// Has reports whether a collection has a use of one of some kinds.
func (c *Collection) Has(kinds ...Kind) bool {
	return slices.ContainsFunc(c.Uses, func(u Use) bool { return slices.Contains(kinds, u.Kind) })
}

// Kind is the kind of use of a collection.
type Kind uint8

const (
	handed  Kind = iota // to somewhere else: returned, stored, an argument
	strange             // it is set to what may come from elsewhere
	part                // of another use
	Get                 // an element is read
	Set                 // an element is set, the key's, or that at an index
	Range               // gone through
	Append              // it, or a slice in it, is appended to
	Make                // it, or a map or slice in it, is made, empty
	Literal             // the same with elements
	Reset               // it is set to nil, to a part of itself, or cleared
	Delete              // an element is removed
	Look                // its length is asked for, whether it is nil, or what package slices, sort or maps knows of it
)

// Use is a use of a collection.
type Use struct {
	Kind  Kind
	File  string   // as the frames have it
	Line  int      // of what takes the time or the memory
	Node  ast.Expr // x, x.f, x.f[i]
	Depth int      // how often it is indexed: 2 of x.f[i][j]
	Key   ast.Expr // the last index
	Value ast.Expr // what is set, made or appended; nil where it is not one
	// Map: maps are looked into, gone through, or made.
	Map bool
	// InMap: the element that is set belongs to a map.
	InMap bool
}

// collection returns the variable or field of a collection that is a map or a slice.
func (p *Package) collection(v *types.Var) *Collection {
	v = v.Origin()
	c := p.known[v]
	if c != nil {
		return c
	}
	if from := p.source(v); from != v {
		c = p.collection(from)
		p.known[v] = c
		return c
	}
	c = &Collection{Var: v, Owner: p.owner[v]}
	if def := p.Definition(v); def != nil && !v.IsField() && !typed.Global(v) {
		switch p.Parent(def).(type) {
		case *ast.AssignStmt, *ast.ValueSpec:
			c.local = true
		default: // a parameter, a result, an element of what is gone through
			c.foreign = true
		}
	}
	p.known[v] = c
	if v.Pkg() == p.Types {
		p.Collections = append(p.Collections, c)
	}
	return c
}

// identifier enters a use of a map or slice.
func (p *Package) identifier(file string, id *ast.Ident) {
	v, ok := p.Info.ObjectOf(id).(*types.Var)
	if !ok || !IsCollection(v.Type()) {
		return
	}
	c, n := p.collection(v), ast.Expr(id)
	switch around := p.Parent(id).(type) {
	case *ast.Field, *ast.RangeStmt:
		if p.Info.Defs[id] != nil {
			return
		}
	case *ast.SelectorExpr:
		if around.Sel == id {
			n = around
			c.foreign = c.foreign || c.Owner != nil && !isOf(p.Type(around.X), c.Owner) // a field of what it is embedded in
		}
	}
	c.captured = c.captured || !v.IsField() && !p.RunsNow(id, v)
	u := p.use(c, Use{Node: n}, n, p.Type(n))
	at := u.Node
	switch u.Kind {
	case part:
		return
	case handed:
		c.handedOn = true
	case strange:
		c.foreign = true
	case Make, Literal, Append:
		at = u.Value
		p.stands[ast.Unparen(at)] = true
	}
	u.File, u.Line = file, p.subject.LineAt(at.Pos())
	c.Uses = append(c.Uses, u)
	p.line(file, u.Line).add(c, u)
}

// use follows an expression of the type typ, in which a collection stands, to what is
// done with it.
func (p *Package) use(c *Collection, u Use, n ast.Expr, typ types.Type) Use {
	if !IsCollection(typ) {
		return p.element(u, n)
	}
	switch x := p.Parent(n).(type) {
	case *ast.ParenExpr:
		return p.use(c, u, x, typ)
	case *ast.SliceExpr:
		return p.use(c, u, x, typ)
	case *ast.IndexExpr:
		if x.X == n {
			u.InMap = isMap(typ)
			u.Map = u.Map || u.InMap
			u.Node, u.Key = x, x.Index
			u.Depth++
			return p.use(c, u, x, p.Type(x))
		}
	case *ast.AssignStmt, *ast.ValueSpec:
		left, right := typed.Sides(x)
		switch i := slices.Index(left, n); {
		case i < 0 && p.setsItself(n, u):
			u.Kind = part
		case i < 0:
		case len(right) == 0:
			u.Kind = Reset
		case len(right) < len(left):
			u.Kind = strange
		default:
			return p.given(u, right[i], typ)
		}
	case *ast.KeyValueExpr:
		if x.Key == n {
			return p.given(u, x.Value, typ)
		}
	case *ast.RangeStmt:
		u.Map = u.Map || isMap(typ)
		if value, _ := x.Value.(*ast.Ident); x.X == n && (x.Value == nil || value != nil && value.Name == "_" || !IsCollection(ElementOf(typ))) {
			u.Kind = Range
		}
	case *ast.BinaryExpr:
		u.Kind = Look
	case *ast.CallExpr:
		return p.argument(c, u, x, n, typ)
	case *ast.SelectorExpr: // a type of the user's own with methods
		c.methods = true
		if call, ok := p.Parent(x).(*ast.CallExpr); ok && call.Fun == x && u.Depth == 0 && p.receives(p.receiver(call), c) {
			u.Kind = part
		} else {
			c.captured = true
		}
	}
	return u
}

// setsItself reports whether something is set to what is made of it: v = v[1:],
// v = append(v, x).
func (p *Package) setsItself(value ast.Expr, u Use) bool {
	left, right := typed.Sides(p.Parent(value))
	i := slices.Index(right, value)
	return i >= 0 && len(left) == len(right) && typed.Same(left[i], u.Node)
}

// element returns the use of an element that is no map or slice itself, or of a part of it.
func (p *Package) element(u Use, n ast.Expr) Use {
	u.Kind = Get
	_, isArray := typed.Under[*types.Array](p.Type(n))
	switch x := p.Parent(n).(type) {
	case *ast.ParenExpr:
		return p.element(u, x)
	case *ast.SelectorExpr:
		if _, isStruct := typed.Under[*types.Struct](p.Type(n)); !isStruct {
			break // through a pointer, or a method of what it is
		}
		if call, ok := p.Parent(x).(*ast.CallExpr); !ok || call.Fun != x || u.InMap {
			return p.element(u, x)
		}
		u.Kind = handed // a method may be handed the element's address
	case *ast.IndexExpr:
		if isArray && x.X == n {
			return p.element(u, x)
		}
	case *ast.SliceExpr:
		if isArray {
			u.Kind = handed
		}
	case *ast.UnaryExpr:
		if x.Op == token.AND {
			u.Kind = handed
		}
	case *ast.IncDecStmt:
		u.Kind = Set
	case *ast.RangeStmt:
		if x.X != n {
			u.Kind = Set
		}
	case *ast.AssignStmt:
		i := slices.Index(x.Lhs, n)
		if i < 0 {
			break
		}
		u.Kind = Set
		if n == u.Node && x.Tok == token.ASSIGN && len(x.Lhs) == len(x.Rhs) {
			u.Value = x.Rhs[i]
		}
	}
	return u
}

// given returns an assignment to the whole of it.
func (p *Package) given(u Use, value ast.Expr, typ types.Type) Use {
	u.Kind, u.Value = strange, value
	switch v := ast.Unparen(value).(type) {
	case *ast.Ident:
		if p.Info.Types[v].IsNil() {
			u.Kind = Reset
		}
	case *ast.CompositeLit:
		u.Map = u.Map || isMap(typ)
		switch {
		case len(v.Elts) == 0:
			u.Kind = Make
		case !IsCollection(ElementOf(typ)): // which may be somebody else's
			u.Kind = Literal
		}
	case *ast.SliceExpr:
		if typed.Same(v.X, u.Node) {
			u.Kind = Reset
		}
	case *ast.CallExpr:
		switch p.Builtin(v) {
		case "make":
			u.Kind = Make
			u.Map = u.Map || isMap(typ)
		case "append":
			if p.appends(v, u, typ) {
				u.Kind = Append
			}
		}
	}
	return u
}

// appends reports whether an append is to what is set, and takes in no maps or slices
// that are made elsewhere.
func (p *Package) appends(call *ast.CallExpr, u Use, typ types.Type) bool {
	if len(call.Args) == 0 {
		return false // it does not compile
	}
	to := ast.Unparen(call.Args[0])
	if s, ok := to.(*ast.SliceExpr); ok {
		to = s.X
	}
	elsewhere := IsCollection(ElementOf(typ)) && slices.ContainsFunc(call.Args[1:], func(e ast.Expr) bool {
		made, ok := ast.Unparen(e).(*ast.CallExpr)
		return !p.Info.Types[e].IsNil() && (!ok || p.Builtin(made) != "make")
	})
	return typed.Same(to, u.Node) && !elsewhere
}

// argument returns a call that is handed it.
func (p *Package) argument(c *Collection, u Use, call *ast.CallExpr, n ast.Expr, typ types.Type) Use {
	nested := IsCollection(ElementOf(typ)) // what it holds is followed no further
	switch p.Builtin(call) {
	case "len", "cap":
		u.Kind = Look
		return u
	case "clear":
		u.Kind, u.Map = Reset, u.Map || isMap(typ)
		return u
	case "delete":
		u.Kind, u.Map = Delete, true
		return u
	case "copy":
		if !nested {
			u.Kind = Get
		}
		return u
	case "append":
		switch {
		case call.Args[0] == n && p.setsItself(call, u):
			u.Kind = part
		case call.Args[0] != n && call.Ellipsis.IsValid() && !nested:
			u.Kind = Get // its elements are copied
		}
		return u
	}
	if to := p.parameter(call, n); to != nil && u.Depth == 0 && p.receives(to, c) {
		u.Kind = part
		return u
	}
	fn := p.Function(call)
	if nested || fn == nil || fn.Pkg() == nil || !slices.Contains([]string{"slices", "sort", "maps"}, fn.Pkg().Path()) {
		return u
	}
	result := p.Type(call)
	switch around := p.Parent(call).(type) {
	case *ast.ExprStmt:
		u.Kind = Look
	case *ast.RangeStmt:
		if around.X == call && slices.Contains([]string{"All", "Backward", "Values", "Keys"}, fn.Name()) {
			u.Kind, u.Map = Range, u.Map || isMap(typ)
		}
	default:
		if typed.IsNumber(result) || typed.IsString(result) || fn.Name() == "Clone" {
			u.Kind = Look
		}
	}
	return u
}
