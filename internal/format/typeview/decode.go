package typeview

import (
	"go/token"
	"go/types"
	"slices"
)

// typeRow is a type of the view: its record, and what is decoded of it.
type typeRow struct {
	at, end int
	typ     types.Type // nil: nobody asked yet
	pending bool       // it is being decoded
	size               // of it, once it is decoded
}

// size is how much of a type is written out where it is used.
type size struct {
	parts  int                // types in it, up to those with a name
	embeds []types.Type       // what interfaces in it embed
	free   []*types.TypeParam // in it, that belong to what is around it
}

// pendingTypes is the work that must wait until all types that a package reaches are
// declared: types may be recursive through their definitions, methods and
// constraints.
type pendingTypes struct {
	define     []*types.Named
	definition map[*types.Named]func()                 // of those that have none yet
	open       []func()                                // methods and constraints, which may reach more types
	constrain  []func()                                // once all types are defined
	siblings   map[*types.TypeParam][]*types.TypeParam // of a declaration
	interfaces []*types.Interface
	declared   []*types.Named
}

// finish defines all types that were declared.
func (c *content) finish() {
	l := &c.later
	for len(l.define) > 0 || len(l.open) > 0 {
		for len(l.define) > 0 {
			t := l.define[0]
			l.define = l.define[1:]
			c.define(t)
		}
		if len(l.open) > 0 {
			f := l.open[0]
			l.open = l.open[1:]
			f()
		}
	}
	for _, f := range l.constrain {
		f()
	}
	for _, t := range l.interfaces {
		t.Complete()
	}
	c.checkFinite(l.declared)
	*l = pendingTypes{}
}

// define gives a type its underlying type, if it has none yet.
func (c *content) define(t *types.Named) {
	if f := c.later.definition[t]; f != nil {
		delete(c.later.definition, t)
		f()
	}
}

// defineEmbedded defines what an interface embeds and what that embeds: to compare
// the interface go/types needs its methods.
func (c *content) defineEmbedded(t types.Type) {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || c.later.definition[named.Origin()] == nil {
		return
	}
	c.define(named.Origin())
	if i, ok := named.Underlying().(*types.Interface); ok {
		for e := range i.EmbeddedTypes() {
			c.defineEmbedded(e)
		}
	}
}

// typ decodes the type with a number, once.
func (c *content) typ(n int) types.Type {
	row := &c.types[n-1]
	if row.typ != nil {
		return row.typ
	}
	if c.depth++; row.pending || c.depth > c.limits.MaxDepth {
		fail("type %d contains itself, or is more than %d deep", n, c.limits.MaxDepth)
	}
	row.pending = true
	d := &decoder{cursor: *c.record(row.at, row.end), row: row}
	t := d.decode()
	d.end()
	row.typ, row.pending = t, false
	c.depth--
	return t
}

// decoder reads the record of one type.
type decoder struct {
	cursor
	row *typeRow
}

func (d *decoder) decode() types.Type {
	d.row.parts = 1
	switch k := kind(d.byte()); k {
	case kindBasic:
		name := d.text()
		t, ok := predeclared()[name]
		if !ok {
			fail("there is no predeclared type %q", name)
		}
		return t
	case kindPointer:
		return types.NewPointer(d.typ())
	case kindSlice:
		return types.NewSlice(d.typ())
	case kindArray:
		n := d.arrayLength()
		return types.NewArray(d.typ(), n)
	case kindMap:
		key := d.typ()
		return types.NewMap(key, d.typ())
	case kindChan:
		dir := d.uint()
		if dir > uint64(types.RecvOnly) {
			fail("a channel has direction %d", dir)
		}
		return types.NewChan(types.ChanDir(dir), d.typ())
	case kindStruct:
		return d.structure()
	case kindSignature:
		return d.signature(nil, nil)
	case kindInterface:
		return d.iface()
	case kindUnion:
		terms := make([]*types.Term, d.count(2))
		for i := range terms {
			tilde := d.flag()
			terms[i] = types.NewTerm(tilde, d.typ())
		}
		return types.NewUnion(terms)
	case kindParameter:
		return d.typeParam()
	case kindNamed:
		return d.named()
	case kindAlias:
		return d.alias()
	case kindInstance:
		return d.instance()
	case kindKept:
		return d.keptType()
	default:
		fail("a type is of kind %d", k)
	}
	return nil
}

// typ decodes a type that is named here, which is part of this one.
func (d *decoder) typ() types.Type {
	return d.checkValue(d.element())
}

// element decodes a type, or what only an interface embeds.
func (d *decoder) element() types.Type {
	n := d.number(len(d.types))
	t := d.content.typ(n)
	d.row.add(d.types[n-1].size, d.limits)
	return t
}

// checkValue refuses what no variable has for a type. A kept type may have become
// generic since.
func (c *content) checkValue(t types.Type) types.Type {
	_, union := t.(*types.Union)
	if g, ok := t.(generic); ok && g.TypeArgs().Len() == 0 && g.TypeParams().Len() > 0 {
		if pkg := g.Obj().Pkg(); pkg != nil && c.isKept(pkg) {
			return types.Typ[types.Invalid]
		}
		union = true
	}
	if union || isUntyped(t) {
		fail("%.100s is not the type of a variable", t)
	}
	return t
}

// generic is a named type or an alias. To ask an instance for its parameters expands
// it, which must wait until its origin is defined.
type generic interface {
	Obj() *types.TypeName
	TypeParams() *types.TypeParamList
	TypeArgs() *types.TypeList
}

func isUntyped(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && b.Info()&types.IsUntyped != 0 || t == types.Typ[types.UntypedNil]
}

func (s *size) add(of size, limits Limits) {
	if s.parts += of.parts; s.parts > limits.MaxParts {
		fail("a type without a name has more than %d parts", limits.MaxParts)
	}
	s.embeds = append(s.embeds, of.embeds...)
	for _, p := range of.free {
		if !slices.Contains(s.free, p) {
			s.free = append(s.free, p)
		}
	}
}

// bind takes type parameters out of those that belong to what is around a type.
func (s *size) bind(params []*types.TypeParam) {
	s.free = slices.DeleteFunc(s.free, func(p *types.TypeParam) bool { return slices.Contains(params, p) })
}

// closed refuses a type with type parameters that do not belong to it.
func (s *size) closed(name string) {
	if len(s.free) > 0 {
		fail("%s has type parameter %s, which is not its own", name, s.free[0].Obj().Name())
	}
}

// pkg returns the package that a name belongs to, which may be none.
func (d *decoder) pkg() *types.Package {
	n := d.uint()
	if n == 0 {
		return nil
	}
	if n > uint64(len(d.packages)) {
		fail("package %d is not in a table of %d", n, len(d.packages))
	}
	return d.content.pkg(int(n))
}

// declare makes the name of a type, in a package that is not a kept one.
func (d *decoder) declare() *types.TypeName {
	n := d.number(len(d.packages))
	if d.packages[n-1].kept {
		fail("type %q is of a kept package, and declared", d.text())
	}
	return types.NewTypeName(token.NoPos, d.content.pkg(n), d.text(), nil)
}

func (d *decoder) structure() types.Type {
	pkg := d.pkg()
	n := d.count(4)
	fields, tags := make([]*types.Var, n), make([]string, n)
	for i := range fields {
		name := d.text()
		t := d.typ()
		fields[i] = types.NewField(token.NoPos, pkg, name, t, d.flag())
		tags[i] = d.text()
	}
	return types.NewStruct(fields, tags)
}

// signature decodes the rest of a signature's record, as a type of its own each
// time: of a method with its receiver.
func (d *decoder) signature(recv *types.Var, params []*types.TypeParam) *types.Signature {
	pkg := d.pkg()
	own := d.typeParams()
	in, out := d.tuple(pkg, types.ParamVar), d.tuple(pkg, types.ResultVar)
	variadic := d.flag()
	if variadic {
		if in.Len() == 0 {
			fail("a function without parameters takes any number of them")
		}
		if _, ok := in.At(in.Len() - 1).Type().(*types.Slice); !ok {
			fail("a function takes any number of %T", in.At(in.Len()-1).Type())
		}
	}
	d.row.bind(own)
	return types.NewSignatureType(recv, params, own, in, out, variadic)
}

func (d *decoder) tuple(pkg *types.Package, kind types.VarKind) *types.Tuple {
	vars := make([]*types.Var, d.count(2))
	for i := range vars {
		name := d.text()
		vars[i] = types.NewParam(token.NoPos, pkg, name, d.typ())
		vars[i].SetKind(kind)
	}
	return types.NewTuple(vars...)
}

// method decodes the signature that is named here as a method's.
func (d *decoder) method(recv *types.Var, params []*types.TypeParam) *types.Signature {
	row := &d.types[d.number(len(d.types))-1]
	s := &decoder{cursor: *d.record(row.at, row.end), row: &typeRow{}}
	if kind(s.byte()) != kindSignature {
		fail("a method's type is no signature")
	}
	sig := s.signature(recv, params)
	s.row.bind(params)
	d.row.add(s.row.size, d.limits)
	return sig
}

func (d *decoder) iface() types.Type {
	pkg := d.pkg()
	var receiver types.Type
	if n := d.uint(); n > uint64(len(d.types)) {
		fail("type %d is not in a table of %d", n, len(d.types))
	} else if n > 0 {
		switch t := d.content.typ(int(n)).(type) {
		case *types.Named:
			receiver = t
		case *types.Basic, *types.Alias: // a kept type that is not there, or no longer so
		default:
			fail("the methods of an interface are of %T", t)
		}
	}
	implicit := d.flag()
	names := make(map[string]bool)
	methods := make([]*types.Func, d.count(2))
	for i := range methods {
		name := d.text()
		if names[name] {
			fail("an interface has method %s twice", name)
		}
		names[name] = true
		methods[i] = types.NewFunc(token.NoPos, pkg, name, d.method(receiverVar(pkg, "", receiver), nil))
	}
	embedded := make([]types.Type, d.count(1))
	for i := range embedded {
		embedded[i] = d.element()
	}
	d.row.embeds = append(d.row.embeds, embedded...)
	t := types.NewInterfaceType(methods, embedded)
	if implicit && len(embedded) > 0 {
		t.MarkImplicit()
	}
	d.later.interfaces = append(d.later.interfaces, t)
	return t
}
