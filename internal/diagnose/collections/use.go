package collections

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// Collection is a variable or a field that is a map or a slice.
type Collection struct {
	Var  *types.Var
	Uses []Use
	// Owner is the struct type that a field belongs to; nil for variables and
	// where it has no name.
	Owner *types.Named
	Work
	// foreign: its value, or that of a map or slice in it, may come from
	// elsewhere.
	foreign bool
	// handedOn: its value, or that of a map or slice in it, goes elsewhere: it is
	// returned, stored, an argument; or its use is not understood.
	handedOn bool
	declared *ast.Ident // of a local variable
	param    *ast.Ident // of a parameter of a declared function
	captured bool       // by a literal that may run later, or by a method that is not followed
	methods  bool       // it has some that are called
}

// Leaks reports whether anything but the uses may have part in it: it comes from
// elsewhere, or is handed on.
func (c *Collection) Leaks() bool { return c.foreign || c.handedOn }

// Field reports whether it is a field of a struct.
func (c *Collection) Field() bool { return c.Var.IsField() }

// Local reports whether it is a variable of a function that is no parameter and
// no named result.
func (c *Collection) Local() bool { return c.declared != nil }

// Kind is what is done with a collection.
type Kind uint8

const (
	other   Kind = iota
	Get          // an element is read
	Set          // an element is set, the key's, or that at an index
	Range        // gone through
	Append       // it, or a slice in it, is appended to
	Make         // it, or a map or slice in it, is made, empty
	Literal      // the same with elements
	Reset        // it is set to nil, to a part of itself, or cleared
	Delete       // an element is removed
	Measure      // its length is asked for, or whether it is nil
	Arg          // handed to a function of packages slices, sort or maps
	part         // of another use
)

// Use is one use.
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
	to    *types.Var // the parameter that it is handed to
	// method: one is called on it.
	method bool
}

// identifier enters a use of a map or slice.
func (p *Package) identifier(file string, id *ast.Ident) {
	v, ok := p.Info.ObjectOf(id).(*types.Var)
	if !ok {
		return
	}
	v = v.Origin()
	if !IsCollection(v.Type()) {
		return
	}
	c := p.known[v]
	if c == nil {
		c = &Collection{Var: v, Owner: p.owner[v]}
		p.known[v] = c
		if v.Pkg() == p.Types {
			p.Collections = append(p.Collections, c)
		}
	}
	var n ast.Expr = id
	if sel, ok := p.Parent(id).(*ast.SelectorExpr); ok && sel.Sel == id {
		n = sel
		if c.Owner != nil && !isOf(p.Type(sel.X), c.Owner) {
			c.foreign = true // a field of what it is embedded in
		}
	}
	if p.Info.Defs[id] != nil && !p.declares(c, id) {
		return
	}
	if from := p.Definition(v); from != nil && !v.IsField() {
		c.captured = c.captured || p.capturedAt(id, from)
	}
	u := p.use(n)
	if u.Kind == part {
		return
	}
	c.captured = c.captured || u.method && u.to == nil
	c.methods = c.methods || u.method
	if u.to != nil {
		p.hands = append(p.hands, handed{c, u.to})
	}
	u.File, u.Line = file, p.subject.LineOf(file, u.Node)
	if u.Value != nil && (u.Kind == Make || u.Kind == Literal || u.Kind == Append) {
		u.Line = p.subject.LineOf(file, u.Value)
		p.stands[ast.Unparen(u.Value)] = true
	}
	c.foreign = c.foreign || u.Kind == other && u.Value != nil
	c.handedOn = c.handedOn || u.Kind == other && u.Value == nil && u.to == nil
	c.Uses = append(c.Uses, u)
}

// declares looks at a declaring identifier: whether it is a use as well.
func (p *Package) declares(c *Collection, id *ast.Ident) bool {
	switch around := p.Parent(id).(type) {
	case *ast.Field: // of a struct or a signature
		if p.isParameter(around) {
			c.param = id
		} else {
			c.foreign = c.foreign || !c.Var.IsField()
		}
		return false
	case *ast.RangeStmt:
		c.foreign = true
		return false
	case *ast.AssignStmt, *ast.ValueSpec:
		if p.Function(around) != nil {
			c.declared = id
		}
		return true
	}
	c.foreign = true
	return false
}

// capturedAt reports whether a use lies in a literal that may run when the
// declaring function has gone on, or has returned.
func (p *Package) capturedAt(n, declared ast.Node) bool {
	for ; n != nil; n = p.Parent(n) {
		lit, ok := n.(*ast.FuncLit)
		if !ok {
			continue
		}
		if within(p, declared, lit) {
			return false
		}
		if !p.runsNow(lit) {
			return true
		}
	}
	return false
}

// runsNow reports whether a literal runs only while the function around it does:
// it is called on the spot, handed to a function that sorts or searches, or in a
// local variable that is called and nothing else.
func (p *Package) runsNow(lit *ast.FuncLit) bool {
	if known, ok := p.runs[lit]; ok {
		return known
	}
	p.runs[lit] = true // as far as it calls itself
	ok := false
	switch around := p.Parent(lit).(type) {
	case *ast.CallExpr:
		ok = !p.started(around) && (around.Fun == lit || p.standard(around) != "")
	case *ast.AssignStmt:
		if i := slices.Index(around.Rhs, ast.Expr(lit)); len(around.Lhs) == len(around.Rhs) {
			ok = p.onlyCalled(around.Lhs[i])
		}
	case *ast.ValueSpec:
		if i := slices.Index(around.Values, ast.Expr(lit)); len(around.Names) == len(around.Values) {
			ok = p.onlyCalled(around.Names[i])
		}
	}
	p.runs[lit] = ok
	return ok
}

// onlyCalled reports whether a variable of a function is set and called, by what
// runs only while the function does, and nothing else.
func (p *Package) onlyCalled(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	if !ok {
		return false
	}
	v, ok := p.Info.ObjectOf(id).(*types.Var)
	if !ok || p.Definition(v) == nil || p.Function(p.Definition(v)) == nil {
		return false
	}
	if _, ok := p.Parent(p.Definition(v)).(*ast.Field); ok {
		return false
	}
	for _, use := range p.Uses(v) {
		switch around := p.Parent(use).(type) {
		case *ast.CallExpr:
			ok = around.Fun == use && !p.started(around)
		case *ast.AssignStmt:
			ok = slices.Contains(around.Lhs, ast.Expr(use))
		default:
			ok = false
		}
		if !ok || p.capturedAt(use, p.Definition(v)) {
			return false
		}
	}
	return true
}

func (p *Package) use(n ast.Expr) Use {
	u := Use{Node: n}
	sliced := false
	typ := p.Type(n)
	if id, ok := n.(*ast.Ident); ok && typ == nil {
		if obj := p.Info.ObjectOf(id); obj != nil { // the key of a field in a literal
			typ = obj.Type()
		}
	}
	for {
		if x, ok := p.Parent(n).(*ast.ParenExpr); ok {
			n = x
			continue
		}
		if x, ok := p.Parent(n).(*ast.SliceExpr); ok && x.X == n && IsCollection(typ) {
			n, sliced = x, true
			continue
		}
		x, ok := p.Parent(n).(*ast.IndexExpr)
		if !ok || x.X != n || !IsCollection(typ) {
			break
		}
		u.InMap = isMap(typ)
		u.Map = u.Map || u.InMap
		n, typ = x, p.Type(x)
		u.Node, u.Key = x, x.Index
		u.Depth++
		if typ == nil {
			typ = types.Typ[types.Invalid]
		}
	}
	if IsCollection(typ) {
		return p.whole(u, n, typ, sliced)
	}
	return p.element(u, n)
}

// element is the use of an element that is no map or slice itself.
func (p *Package) element(u Use, n ast.Expr) Use {
	top := n
	for {
		switch x := p.Parent(top).(type) {
		case *ast.ParenExpr:
			top = x
			continue
		case *ast.SelectorExpr:
			if _, isStruct := underlying(p.Type(top)).(*types.Struct); !isStruct {
				u.Kind = Get // through a pointer, or a method of what it is
				return u
			}
			if call, ok := p.Parent(x).(*ast.CallExpr); ok && call.Fun == x && !u.InMap {
				return u // a method may be handed the element's address
			}
			top = x
			continue
		case *ast.IndexExpr:
			if _, isArray := underlying(p.Type(top)).(*types.Array); isArray && x.X == top {
				top = x
				continue
			}
		case *ast.SliceExpr:
			if _, isArray := underlying(p.Type(top)).(*types.Array); isArray {
				return u
			}
		case *ast.UnaryExpr:
			if x.Op == token.AND {
				return u
			}
		case *ast.IncDecStmt:
			u.Kind = Set
			return u
		case *ast.RangeStmt:
			if x.X != top {
				u.Kind = Set
				return u
			}
		case *ast.AssignStmt:
			if i := slices.Index(x.Lhs, top); i >= 0 {
				u.Kind = Set
				if top == n && x.Tok == token.ASSIGN && len(x.Lhs) == len(x.Rhs) {
					u.Value = x.Rhs[i]
				}
				return u
			}
		}
		u.Kind = Get
		return u
	}
}

// whole is the use of a map or slice, or of one in it.
func (p *Package) whole(u Use, n ast.Expr, typ types.Type, sliced bool) Use {
	switch x := p.Parent(n).(type) {
	case *ast.AssignStmt:
		if i := slices.Index(x.Lhs, n); i >= 0 {
			if len(x.Lhs) == len(x.Rhs) && (x.Tok == token.ASSIGN || x.Tok == token.DEFINE) {
				return p.given(u, x.Rhs[i], typ)
			}
			u.Value = x.Rhs[0]
		} else if i := slices.Index(x.Rhs, n); sliced && len(x.Lhs) == len(x.Rhs) && same(x.Lhs[i], u.Node) {
			u.Kind = part
		}
	case *ast.ValueSpec:
		i := slices.IndexFunc(x.Names, func(id *ast.Ident) bool { return ast.Expr(id) == n })
		switch {
		case i < 0:
		case len(x.Values) == 0:
			u.Kind = Reset
		case len(x.Values) == len(x.Names):
			return p.given(u, x.Values[i], typ)
		default:
			u.Value = x.Values[0]
		}
	case *ast.KeyValueExpr:
		if x.Key == n {
			return p.given(u, x.Value, typ)
		}
	case *ast.RangeStmt:
		if x.X == n {
			return p.ranged(u, x, typ)
		}
	case *ast.BinaryExpr:
		u.Kind = Measure
	case *ast.CallExpr:
		return p.argument(u, x, n, typ)
	case *ast.SelectorExpr: // a type of the user's own with methods
		if call, ok := p.Parent(x).(*ast.CallExpr); ok && call.Fun == x && u.Depth == 0 {
			u.to = p.receiver(call)
		}
		u.method = true
	}
	return u
}

func (p *Package) ranged(u Use, r *ast.RangeStmt, typ types.Type) Use {
	u.Map = u.Map || isMap(typ)
	if IsCollection(ElementOf(typ)) && !blank(r.Value) {
		return u // what it holds is followed no further
	}
	u.Kind = Range
	return u
}

// given is an assignment to the whole of it.
func (p *Package) given(u Use, value ast.Expr, typ types.Type) Use {
	u.Value = value
	switch v := ast.Unparen(value).(type) {
	case *ast.Ident:
		if p.Info.Uses[v] == types.Universe.Lookup("nil") {
			u.Kind = Reset
		}
	case *ast.CompositeLit:
		u.Kind = Make
		if len(v.Elts) > 0 {
			u.Kind = Literal
		}
		u.Map = u.Map || isMap(typ)
		// A literal's elements are somebody else's where they are collections.
		if IsCollection(ElementOf(typ)) && len(v.Elts) > 0 {
			u.Kind = other
		}
	case *ast.SliceExpr:
		if same(v.X, u.Node) {
			u.Kind = Reset
		}
	case *ast.CallExpr:
		switch p.Called(v) {
		case "make":
			u.Kind = Make
			u.Map = u.Map || isMap(typ)
		case "append":
			to := ast.Unparen(v.Args[0])
			if s, ok := to.(*ast.SliceExpr); ok {
				to = s.X
			}
			if same(to, u.Node) && !p.takesIn(v, typ) {
				u.Kind = Append
			}
		}
	}
	return u
}

// takesIn reports whether an append takes in maps or slices that are made
// elsewhere.
func (p *Package) takesIn(call *ast.CallExpr, typ types.Type) bool {
	if !IsCollection(ElementOf(typ)) {
		return false
	}
	return slices.ContainsFunc(call.Args[1:], func(e ast.Expr) bool {
		switch e := ast.Unparen(e).(type) {
		case *ast.Ident:
			return p.Info.Uses[e] != types.Universe.Lookup("nil")
		case *ast.CallExpr:
			return p.Called(e) != "make"
		}
		return true
	})
}

// argument is a call that is handed it.
func (p *Package) argument(u Use, call *ast.CallExpr, n ast.Expr, typ types.Type) Use {
	switch p.Called(call) {
	case "len", "cap":
		u.Kind = Measure
		return u
	case "clear":
		u.Kind, u.Map = Reset, u.Map || isMap(typ)
		return u
	case "delete":
		u.Kind, u.Map = Delete, true
		return u
	case "copy":
		if !IsCollection(ElementOf(typ)) {
			u.Kind = Get
		}
		return u
	case "append":
		if call.Args[0] != n {
			if call.Ellipsis != token.NoPos && !IsCollection(ElementOf(typ)) {
				u.Kind = Get // its elements are copied
			}
			return u
		}
		if st, ok := p.Parent(call).(*ast.AssignStmt); ok && len(st.Lhs) == len(st.Rhs) && same(st.Lhs[slices.Index(st.Rhs, ast.Expr(call))], u.Node) {
			u.Kind = part
		}
		return u
	}
	if u.Depth == 0 {
		if u.to = p.parameter(call, n); u.to != nil {
			return u
		}
	}
	if IsCollection(ElementOf(typ)) {
		return u
	}
	name := p.standard(call)
	switch around := p.Parent(call).(type) {
	case *ast.ExprStmt:
		if name != "" {
			u.Kind = Arg
		}
	case *ast.RangeStmt:
		if around.X == call && iterates[name] {
			u.Kind, u.Map = Range, u.Map || isMap(typ)
		}
	default:
		if answers[name] {
			u.Kind = Arg
		}
	}
	return u
}
