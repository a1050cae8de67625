package typeview

import (
	"fmt"
	"go/token"
	"go/types"
)

// Import returns the package that the kept sources import under a path: what was
// decoded of it, always the same one, or of a kept package what own returns, which
// is the package as it was checked from source, the same one each time. Where own
// returns an error, or its package lacks a type, what refers to that is
// types.Typ[types.Invalid].
//
// own may call Import: nothing is decoded halfway when it is called. That it is asked
// for a package which it is checking is for own to refuse. Import is not for
// concurrent use. It is an error if the path is not in the view, or if that is
// damaged.
func (v *View) Import(path string, own func(path string) (*types.Package, error)) (_ *types.Package, err error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	c := &v.content
	if c.kept[path] {
		return own(path)
	}
	n := c.paths[path]
	if n == 0 || !c.packages[n-1].imported {
		return nil, fmt.Errorf("package %q is not in the typed view", path)
	}
	row := &c.packages[n-1]
	switch {
	case c.broken != nil:
		return nil, c.broken
	case row.done:
		return row.pkg, nil
	case row.importing:
		return nil, fmt.Errorf("package %q imports itself", path)
	}
	row.importing = true
	for _, i := range row.reached {
		if kept := &c.packages[i-1]; kept.kept && kept.pkg == nil {
			kept.pkg, _ = own(kept.path)
		}
	}
	if c.broken == nil && !row.done {
		c.broken = c.decode(n)
	}
	row.importing = false
	if c.broken != nil {
		return nil, c.broken
	}
	return row.pkg, nil
}

// decode decodes the objects of a package and all that they reach.
func (c *content) decode(n int) (err error) {
	defer guard(&err)
	row := &c.packages[n-1]
	pkg := c.pkg(n)
	r := c.record(row.at, row.end)
	for range r.count(3) {
		kind, name := objectKind(r.byte()), r.text()
		if !token.IsExported(name) {
			fail("object %.100s of package %s is not exported", name, row.path)
		}
		number := r.number(len(c.types))
		t := c.typ(number)
		c.types[number-1].closed(name)
		if kind != objectType && !(kind == objectConst && isUntyped(t)) {
			t = c.checkValue(t)
		}
		var obj types.Object
		switch kind {
		case objectConst:
			obj = types.NewConst(token.NoPos, pkg, name, t, r.value(0))
		case objectVar:
			obj = types.NewVar(token.NoPos, pkg, name, t)
		case objectFunc:
			sig, ok := t.(*types.Signature)
			if !ok {
				fail("the type of function %s is %T", name, t)
			}
			obj = types.NewFunc(token.NoPos, pkg, name, sig)
		case objectType:
			named, ok := t.(interface{ Obj() *types.TypeName })
			if !ok || named.Obj().Pkg() != pkg || named.Obj().Name() != name {
				fail("type %s.%s is another one", row.path, name)
			}
			continue // it was declared when it was decoded
		default:
			fail("object %s is of kind %d", name, kind)
		}
		if pkg.Scope().Insert(obj) != nil {
			fail("%s.%s is there twice", row.path, name)
		}
	}
	r.end()
	c.finish()
	var imports []*types.Package
	for _, i := range row.reached {
		if p := c.pkg(i); p != nil && p != pkg {
			imports = append(imports, p)
		}
	}
	pkg.SetImports(imports)
	pkg.MarkComplete()
	row.done = true
	return nil
}

// pkg returns a package, of which perhaps nothing is decoded yet; nil: it is a kept
// one that could not be had.
func (c *content) pkg(n int) *types.Package {
	row := &c.packages[n-1]
	if row.pkg == nil && !row.kept {
		row.pkg = types.NewPackage(row.path, row.name)
	}
	return row.pkg
}
