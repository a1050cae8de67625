package reach

import (
	"bytes"

	"whet/internal/format/goobj"
)

// sameContent reports whether two symbols are constants that are known by their
// content alone and refer to nothing. A linker makes one of all copies, so how
// many objects have one says nothing.
func (w *walk) sameContent(n, o node) bool {
	d, okD := w.new.definition(n)
	e, okE := w.old.definition(o)
	if !okD || !okE {
		return false
	}
	a, b, i, j := w.t.object(d), w.t.object(e), int(d.symbol), int(e.symbol)
	return a.Hashed(i) && b.Hashed(j) && a.Relocs(i).Len() == 0 && equalForm(a, b, i, j)
}

// equal compares two definitions, but for what they refer to.
func (w *walk) equal(d, e def) bool {
	a, b := w.t.object(d), w.t.object(e)
	if a.Symbol(int(d.symbol)).Flags&goobj.GoType != 0 {
		return w.equalTypes(d, e) && w.equalAux(d, e)
	}
	// Any package that needs them has a copy of some symbols: theirs are not the
	// pragmas of the package that the linker takes the copy of.
	copies := a.Symbol(int(d.symbol)).Flags&b.Symbol(int(e.symbol)).Flags&goobj.DuplicateOK != 0
	return (copies || a.Text == b.Text) && equalForm(a, b, int(d.symbol), int(e.symbol)) && w.equalAux(d, e)
}

// equalForm compares what two symbols are, and where they refer to something.
func equalForm(a, b *goobj.Object, i, j int) bool {
	s, r := a.Symbol(i), b.Symbol(j)
	s.Flags, r.Flags = s.Flags&^goobj.UsedInIface, r.Flags&^goobj.UsedInIface
	if s != r || !bytes.Equal(a.Data(i), b.Data(j)) {
		return false
	}
	x, y := a.Relocs(i).After(goobj.InitOrder), b.Relocs(j).After(goobj.InitOrder)
	if x.Len() != y.Len() {
		return false
	}
	for k := range x.Len() {
		if !bytes.Equal(x.Shape(k), y.Shape(k)) {
			return false
		}
	}
	return true
}

// auxes appends the auxiliary symbols of a definition that are no positions.
func (t *Table) auxes(out []goobj.Aux, d def) []goobj.Aux {
	o := t.object(d)
	for i := range o.NumAux(int(d.symbol)) {
		if x := o.Aux(int(d.symbol), i); !x.Kind.Position() {
			out = append(out, x)
		}
	}
	return out
}

// auxes returns those of a pair, until the next call.
func (w *walk) auxes(d, e def) (x, y []goobj.Aux) {
	for i, of := range []def{d, e} {
		w.aux[i] = w.t.auxes(w.aux[i][:0], of)
	}
	return w.aux[0], w.aux[1]
}

// equalAux compares what belongs to two definitions: of a function its frame,
// of a variable what the collector sees of its type.
func (w *walk) equalAux(d, e def) bool {
	x, y := w.auxes(d, e)
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i].Kind != y[i].Kind {
			return false
		}
		switch n, o, ok := w.ends(d, e, x[i].Ref, y[i].Ref); {
		case !ok:
			return false
		case x[i].Kind == goobj.AuxFuncInfo:
			a, okA := w.new.definition(n)
			b, okB := w.old.definition(o)
			if !okA || !okB {
				return false
			}
			f := goobj.FuncInfo(w.t.object(a).Data(int(a.symbol)))
			if f == nil || !bytes.Equal(f, goobj.FuncInfo(w.t.object(b).Data(int(b.symbol)))) {
				return false
			}
		case x[i].Kind == goobj.AuxGoType && !w.equalPointers(n, o):
			return false
		}
	}
	return true
}

// samePlace reports whether two definitions say the same of their place in the
// source: name, files and lines, and those of inlined calls.
func (w *walk) samePlace(d, e def) bool {
	a, b := w.t.object(d), w.t.object(e)
	if !a.Symbol(int(d.symbol)).IsText() {
		return true
	}
	x, okX := a.Places(int(d.symbol))
	y, okY := b.Places(int(e.symbol))
	if !okX || !okY || !x.Equal(&y) || !bytes.Equal(a.Name(int(d.symbol)), b.Name(int(e.symbol))) {
		return false
	}
	for i := range x.Inlined {
		n, o, ok := w.ends(d, e, x.Inlined[i].Func, y.Inlined[i].Func)
		if !ok || n != o && w.name(n) != w.name(o) {
			return false
		}
	}
	return true
}
