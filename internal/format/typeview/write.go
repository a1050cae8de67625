package typeview

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"go/types"
	"io"
	"maps"
	"slices"

	"github.com/klauspost/compress/gzip"
)

// Write writes the header of v and its packages, and of the imported packages,
// which are complete, all exported objects for which keep is true, nil: all of them,
// with what they reach. Types of packages in v become references to these. Packages
// that refer to each other come from one importer: a path is one package.
func Write(w io.Writer, v *View, imported []*types.Package, keep func(types.Object) bool) error {
	e := &encoder{
		kept: make(map[string]bool), texts: make(map[string]uint64), packages: make(map[string]uint64),
		types: make(map[types.Type]uint64), same: make(map[string]uint64),
	}
	for _, p := range v.Packages {
		e.kept[p.Path] = true
	}
	for _, p := range imported {
		if p != types.Unsafe && !e.kept[p.Path()] {
			e.pkg(p)
		}
	}
	direct := len(e.table)
	for i := range direct {
		e.table[i].direct, e.table[i].objects = true, e.objects(e.table[i].of, keep)
	}
	e.complete()
	for i := range direct {
		e.reach(&e.table[i])
	}
	if _, err := io.WriteString(w, magic); err != nil {
		return fmt.Errorf("write the typed view: %w", err)
	}
	z, err := gzip.NewWriterLevel(w, 6)
	if err == nil {
		err = e.write(z, v)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		return fmt.Errorf("write the typed view: %w", err)
	}
	return nil
}

// encoder numbers texts, packages and types from 1; 0 is none.
type encoder struct {
	kept     map[string]bool
	texts    map[string]uint64
	list     []string
	packages map[string]uint64
	table    []packageEntry
	types    map[types.Type]uint64
	same     map[string]uint64 // records by their content
	records  []record
	open     []types.Type // that have a number, and no content yet
	visited  []int        // by which package a record was reached last
}

type packageEntry struct {
	of      *types.Package
	direct  bool
	objects record
	reached []uint64 // packages
}

// record is what was written of a type or a package, with the types and packages
// that it names.
type record struct {
	data              []byte
	typeRefs, pkgRefs []uint64
}

// part is a record that is being written.
type part struct {
	*encoder
	record
}

func (e *encoder) text(s string) uint64 {
	n, ok := e.texts[s]
	if !ok {
		e.list = append(e.list, s)
		n = uint64(len(e.list))
		e.texts[s] = n
	}
	return n
}

func (e *encoder) pkg(p *types.Package) uint64 {
	if p == nil {
		return 0
	}
	n, ok := e.packages[p.Path()]
	if !ok {
		e.table = append(e.table, packageEntry{of: p})
		n = uint64(len(e.table))
		e.packages[p.Path()] = n
	}
	return n
}

func (p *part) uint(n uint64)  { p.data = binary.AppendUvarint(p.data, n) }
func (p *part) int(n int)      { p.uint(uint64(n)) }
func (p *part) text(s string)  { p.uint(p.encoder.text(s)) }
func (p *part) bytes(b []byte) { p.int(len(b)); p.data = append(p.data, b...) }
func (p *part) kind(k kind)    { p.data = append(p.data, byte(k)) }
func (p *part) flag(is ...bool) { // as bits, the first lowest
	bits := uint64(0)
	for i, b := range is {
		if b {
			bits |= 1 << i
		}
	}
	p.uint(bits)
}

func (p *part) pkg(of *types.Package) {
	n := p.encoder.pkg(of)
	p.uint(n)
	if n > 0 && !slices.Contains(p.pkgRefs, n) {
		p.pkgRefs = append(p.pkgRefs, n)
	}
}

func (p *part) typ(t types.Type) {
	n := p.encoder.typ(t)
	p.uint(n)
	p.typeRefs = append(p.typeRefs, n)
}

func (p *part) typeParams(list *types.TypeParamList) {
	p.int(list.Len())
	for t := range list.TypeParams() {
		p.typ(t)
	}
}

// typ returns the number of a type. What has an identity gets its number before
// its content, since types may be recursive there.
func (e *encoder) typ(t types.Type) uint64 {
	if t == nil {
		return 0
	}
	if n, ok := e.types[t]; ok {
		return n
	}
	p := part{encoder: e}
	switch t := t.(type) {
	case *types.Named:
		switch {
		case t.Origin() != t:
			p.instance(t.Origin(), t.TypeArgs())
		case t.Obj().Pkg() == nil:
			p.basic(t.Obj().Name())
		case e.kept[t.Obj().Pkg().Path()]:
			p.keptType(t.Obj())
		default:
			return e.begin(t)
		}
	case *types.Alias:
		switch {
		case t.Origin() != t:
			p.instance(t.Origin(), t.TypeArgs())
		case t.Obj().Pkg() == nil:
			p.basic(t.Obj().Name())
		case e.kept[t.Obj().Pkg().Path()]:
			p.keptType(t.Obj())
		default:
			return e.begin(t)
		}
	case *types.TypeParam:
		return e.begin(t)
	default:
		p.literal(t)
	}
	// Two constraints that look alike stay two: [A ~int, B ~int] is not [A, B ~int].
	n, ok := e.same[string(p.data)]
	if !ok || kind(p.data[0]) == kindInterface {
		e.records = append(e.records, p.record)
		n = uint64(len(e.records))
		e.same[string(p.data)] = n
	}
	e.types[t] = n
	return n
}

func (e *encoder) begin(t types.Type) uint64 {
	e.records = append(e.records, record{})
	n := uint64(len(e.records))
	e.types[t] = n
	e.open = append(e.open, t)
	return n
}

// complete writes the content of all types that have a number only.
func (e *encoder) complete() {
	for len(e.open) > 0 {
		t := e.open[0]
		e.open = e.open[1:]
		p := part{encoder: e}
		switch t := t.(type) {
		case *types.Named:
			p.named(t)
		case *types.Alias:
			p.kind(kindAlias)
			p.pkg(t.Obj().Pkg())
			p.text(t.Obj().Name())
			p.typeParams(t.TypeParams())
			p.typ(t.Rhs())
		case *types.TypeParam:
			p.kind(kindParameter)
			p.pkg(t.Obj().Pkg())
			p.text(t.Obj().Name())
			p.typ(t.Constraint())
		}
		e.records[e.types[t]-1] = p.record
	}
}

func (p *part) basic(name string) {
	p.kind(kindBasic)
	p.text(name)
}

func (p *part) keptType(obj *types.TypeName) {
	p.kind(kindKept)
	p.pkg(obj.Pkg())
	p.text(obj.Name())
}

func (p *part) instance(origin types.Type, args *types.TypeList) {
	p.kind(kindInstance)
	p.typ(origin)
	p.int(args.Len())
	for t := range args.Types() {
		p.typ(t)
	}
}

func (p *part) named(t *types.Named) {
	p.kind(kindNamed)
	p.pkg(t.Obj().Pkg())
	p.text(t.Obj().Name())
	p.typeParams(t.TypeParams())
	p.typ(t.Underlying())
	p.int(t.NumMethods())
	for m := range t.Methods() {
		sig := m.Signature()
		_, pointer := types.Unalias(sig.Recv().Type()).(*types.Pointer)
		p.text(m.Name())
		p.flag(pointer)
		p.text(sig.Recv().Name())
		p.typeParams(sig.RecvTypeParams())
		p.signature(m.Pkg(), sig)
	}
}

// literal writes a type without a name.
func (p *part) literal(t types.Type) {
	switch t := t.(type) {
	case *types.Basic:
		p.basic(basicName(t))
	case *types.Pointer:
		p.kind(kindPointer)
		p.typ(t.Elem())
	case *types.Slice:
		p.kind(kindSlice)
		p.typ(t.Elem())
	case *types.Array:
		p.kind(kindArray)
		p.uint(uint64(max(t.Len(), 0)))
		p.typ(t.Elem())
	case *types.Map:
		p.kind(kindMap)
		p.typ(t.Key())
		p.typ(t.Elem())
	case *types.Chan:
		p.kind(kindChan)
		p.int(int(t.Dir()))
		p.typ(t.Elem())
	case *types.Signature:
		var pkg *types.Package
		for _, list := range []*types.Tuple{t.Params(), t.Results()} {
			for v := range list.Variables() {
				pkg = cmp.Or(pkg, v.Pkg())
			}
		}
		p.kind(kindSignature)
		p.pkg(pkg)
		p.typeParams(t.TypeParams())
		p.tuple(t.Params())
		p.tuple(t.Results())
		p.flag(t.Variadic())
	case *types.Struct:
		p.kind(kindStruct)
		var pkg *types.Package
		if t.NumFields() > 0 {
			pkg = t.Field(0).Pkg()
		}
		p.pkg(pkg)
		p.int(t.NumFields())
		for i := range t.NumFields() {
			f := t.Field(i)
			p.text(f.Name())
			p.typ(f.Type())
			p.flag(f.Embedded())
			p.text(t.Tag(i))
		}
	case *types.Interface:
		p.iface(t)
	case *types.Union:
		p.kind(kindUnion)
		p.int(t.Len())
		for term := range t.Terms() {
			p.flag(term.Tilde())
			p.typ(term.Type())
		}
	default: // what could not be checked
		p.basic(types.Typ[types.Invalid].Name())
	}
}

func (p *part) tuple(t *types.Tuple) {
	p.int(t.Len())
	for v := range t.Variables() {
		p.text(v.Name())
		p.typ(v.Type())
	}
}

// signature is the type of a method without its receiver.
func (p *part) signature(pkg *types.Package, s *types.Signature) {
	p.typ(types.NewSignatureType(nil, nil, nil, s.Params(), s.Results(), s.Variadic()))
}

func (p *part) iface(t *types.Interface) {
	p.kind(kindInterface)
	var pkg *types.Package
	var receiver types.Type // nil: the interface itself
	if t.NumExplicitMethods() > 0 {
		m := t.ExplicitMethod(0)
		pkg = m.Pkg()
		if recv := m.Signature().Recv(); recv != nil {
			if named, ok := recv.Type().(*types.Named); ok {
				receiver = named
			}
		}
	}
	p.pkg(pkg)
	p.typ(receiver)
	p.flag(t.IsImplicit())
	p.int(t.NumExplicitMethods())
	for m := range t.ExplicitMethods() {
		p.text(m.Name())
		p.signature(m.Pkg(), m.Signature())
	}
	p.int(t.NumEmbeddeds())
	for e := range t.EmbeddedTypes() {
		p.typ(e)
	}
}

// objects writes the exported objects of a package that a kept one imports.
func (e *encoder) objects(of *types.Package, keep func(types.Object) bool) record {
	p := part{encoder: e}
	scope := of.Scope()
	count := 0
	for _, name := range scope.Names() {
		obj := scope.Lookup(name)
		if !obj.Exported() || keep != nil && !keep(obj) {
			continue
		}
		var k objectKind
		switch obj.(type) {
		case *types.Const:
			k = objectConst
		case *types.TypeName:
			k = objectType
		case *types.Var:
			k = objectVar
		case *types.Func:
			k = objectFunc
		default:
			continue
		}
		count++
		p.data = append(p.data, byte(k))
		p.text(name)
		p.typ(obj.Type())
		if c, ok := obj.(*types.Const); ok {
			p.value(c.Val())
		}
	}
	p.data = append(binary.AppendUvarint(nil, uint64(count)), p.data...)
	return p.record
}

// reach finds the packages of all that a package's objects refer to.
func (e *encoder) reach(entry *packageEntry) {
	if e.visited == nil {
		e.visited = make([]int, len(e.records)+1)
	}
	own := e.packages[entry.of.Path()]
	found := make(map[uint64]bool)
	stack := slices.Clone(entry.objects.typeRefs)
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if n == 0 || e.visited[n] == int(own) {
			continue
		}
		e.visited[n] = int(own)
		for _, pkg := range e.records[n-1].pkgRefs {
			found[pkg] = true
		}
		stack = append(stack, e.records[n-1].typeRefs...)
	}
	delete(found, own)
	entry.reached = slices.Sorted(maps.Keys(found))
}

// write writes all that was numbered: texts, the header, the packages, the types,
// and what the packages export.
func (e *encoder) write(w io.Writer, v *View) error {
	p := part{encoder: e}
	p.text(v.GoVersion)
	p.text(v.GOARCH)
	p.int(len(v.Packages))
	for _, pkg := range v.Packages {
		for _, s := range []string{pkg.Path, pkg.Name, pkg.GoVersion, pkg.Uncertain} {
			p.text(s)
		}
		p.int(len(pkg.Files))
		for _, f := range pkg.Files {
			p.text(f)
		}
		p.int(len(pkg.Imports))
		for _, from := range slices.Sorted(maps.Keys(pkg.Imports)) {
			p.text(from)
			p.text(pkg.Imports[from])
		}
	}
	p.int(len(e.table))
	for _, entry := range e.table {
		p.text(entry.of.Path())
		p.text(entry.of.Name())
		p.flag(e.kept[entry.of.Path()], entry.direct)
		if entry.direct {
			p.int(len(entry.objects.data))
			p.int(len(entry.reached))
			for _, n := range entry.reached {
				p.uint(n)
			}
		}
	}
	p.int(len(e.records))
	for _, r := range e.records {
		p.int(len(r.data))
	}
	texts := part{encoder: e}
	texts.int(len(e.list))
	for _, s := range e.list {
		texts.int(len(s))
	}
	if _, err := w.Write(texts.data); err != nil {
		return err
	}
	for _, s := range e.list {
		if _, err := io.WriteString(w, s); err != nil {
			return err
		}
	}
	if _, err := w.Write(p.data); err != nil {
		return err
	}
	for _, r := range e.records {
		if _, err := w.Write(r.data); err != nil {
			return err
		}
	}
	for _, entry := range e.table {
		if _, err := w.Write(entry.objects.data); err != nil {
			return err
		}
	}
	return nil
}
