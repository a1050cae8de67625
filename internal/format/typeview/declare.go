package typeview

import (
	"go/token"
	"go/types"
	"slices"
)

// receiverVar returns a method's receiver; nil where the type is.
func receiverVar(pkg *types.Package, name string, t types.Type) *types.Var {
	if t == nil {
		return nil
	}
	v := types.NewVar(token.NoPos, pkg, name, t)
	v.SetKind(types.RecvVar)
	return v
}

func (d *decoder) typeParam() types.Type {
	pkg := d.pkg()
	t := types.NewTypeParam(types.NewTypeName(token.NoPos, pkg, d.text(), nil), nil)
	d.row.free = []*types.TypeParam{t}
	rest, l := d.rest(), &d.later
	l.open = append(l.open, func() {
		bound := rest.typ()
		if _, ok := types.Unalias(bound).(*types.TypeParam); ok {
			fail("a type parameter is constrained by another one")
		}
		rest.row.bind(l.siblings[t])
		rest.row.closed("the constraint of " + t.Obj().Name())
		rest.end()
		l.constrain = append(l.constrain, func() { t.SetConstraint(bound) })
	})
	return t
}

func (d *decoder) typeParams() []*types.TypeParam {
	list := make([]*types.TypeParam, d.count(1))
	for i := range list {
		t, ok := d.content.typ(d.number(len(d.types))).(*types.TypeParam)
		if !ok {
			fail("a type parameter is none")
		}
		list[i] = t
	}
	if d.later.siblings == nil {
		d.later.siblings = make(map[*types.TypeParam][]*types.TypeParam)
	}
	for _, t := range list {
		d.later.siblings[t] = list
	}
	return list
}

// rest returns a decoder of what is left of the record, for later.
func (d *decoder) rest() *decoder {
	rest := &decoder{cursor: d.cursor, row: &typeRow{}}
	d.at = len(d.data)
	return rest
}

func (d *decoder) named() types.Type {
	name := d.declare()
	t := types.NewNamed(name, nil, nil)
	name.Pkg().Scope().Insert(name)
	params := d.typeParams()
	if len(params) > 0 {
		t.SetTypeParams(params)
	}
	rest := d.rest()
	l := &d.later
	if l.definition == nil {
		l.definition = make(map[*types.Named]func())
	}
	l.define, l.declared = append(l.define, t), append(l.declared, t)
	l.definition[t] = func() {
		switch u := rest.typ().(type) {
		case *types.Named, *types.Alias, *types.TypeParam:
			fail("type %s is defined as %T", name.Name(), u)
		default:
			t.SetUnderlying(u)
		}
		rest.row.bind(params)
		rest.row.closed(name.Name())
		l.open = append(l.open, func() { rest.methods(t) })
	}
	return t
}

// maxMethods bounds what is searched for each method that a type gets.
const maxMethods = 10_000

func (d *decoder) methods(t *types.Named) {
	n := d.count(5)
	if n > maxMethods {
		fail("type %s has %d methods", t.Obj().Name(), n)
	}
	pkg := t.Obj().Pkg()
	for range n {
		name := d.text()
		pointer := d.flag()
		receiver := d.text()
		var of types.Type = t
		params := d.typeParams()
		if len(params) != t.TypeParams().Len() {
			fail("method %s.%s has %d type parameters of its receiver", t.Obj().Name(), name, len(params))
		}
		if len(params) > 0 {
			// The compiler takes their constraints from the type's declaration.
			args, both := make([]types.Type, len(params)), slices.AppendSeq(slices.Clone(params), t.TypeParams().TypeParams())
			for i, p := range params {
				args[i], d.later.siblings[p] = p, both
			}
			of = d.instantiate(t, args)
		}
		if pointer {
			of = types.NewPointer(of)
		}
		t.AddMethod(types.NewFunc(token.NoPos, pkg, name, d.method(receiverVar(pkg, receiver, of), params)))
		d.row.closed(t.Obj().Name() + "." + name)
	}
	d.end()
}

func (d *decoder) alias() types.Type {
	name := d.declare()
	params := d.typeParams()
	t := types.NewAlias(name, d.typ())
	name.Pkg().Scope().Insert(name)
	if len(params) > 0 {
		t.SetTypeParams(params)
	}
	d.row.bind(params)
	d.row.closed(name.Name())
	return t
}

func (d *decoder) instance() types.Type {
	origin := d.element()
	factor := d.row.parts
	args := make([]types.Type, d.count(1))
	for i := range args {
		args[i] = d.typ()
	}
	if _, ok := origin.(*types.Alias); ok { // the arguments are put into what it stands for
		for range d.row.parts - factor {
			d.row.add(size{parts: factor}, d.limits)
		}
	}
	if origin == types.Typ[types.Invalid] {
		return origin // a kept type that is not there
	}
	g, ok := origin.(generic)
	switch {
	case ok && g.TypeArgs().Len() == 0 && len(args) > 0 && len(args) == g.TypeParams().Len():
	case ok && g.Obj().Pkg() != nil && d.isKept(g.Obj().Pkg()):
		return types.Typ[types.Invalid] // its source was changed since
	default:
		fail("type %.100s has %d type arguments", origin, len(args))
	}
	for _, e := range d.row.embeds {
		d.defineEmbedded(e)
	}
	return d.instantiate(origin, args)
}

func (c *content) instantiate(origin types.Type, args []types.Type) types.Type {
	t, err := types.Instantiate(c.context, origin, args, false)
	if err != nil {
		fail("%v", err)
	}
	return t
}

// isKept reports whether a package was checked from source.
func (c *content) isKept(pkg *types.Package) bool {
	return c.kept[pkg.Path()]
}

// keptType returns a type of a package that was checked from source.
func (d *decoder) keptType() types.Type {
	row := &d.packages[d.number(len(d.packages))-1]
	name := d.text()
	if !row.kept {
		fail("type %s.%s is of no kept package", row.path, name)
	}
	if row.pkg != nil {
		if obj, ok := row.pkg.Scope().Lookup(name).(*types.TypeName); ok && obj.Type() != nil {
			return obj.Type()
		}
	}
	return types.Typ[types.Invalid]
}
