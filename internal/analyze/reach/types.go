package reach

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"

	"whet/internal/format/goobj"
)

// A type descriptor ends with the table of its methods, and each row of it with
// three relocations that the linker follows only when the method can be called.
// So two descriptors may be a pair whose tables differ: a method that is
// on one side only, or has another type there, counts as soon as anything asks for a method
// of its name. That is a call through an interface or by name, reflection over all
// methods, and a conversion to an interface that has such a method: the descriptor of
// that interface is then reached. Code outside of the standard library that counts
// methods sees every one of them.
//
// A row is four offsets: name, type, and the function for two ways of calling it.
const (
	rowSize   = 16
	rowRelocs = 4
)

// methodTable is that of one descriptor.
type methodTable struct {
	at       int      // where it begins, in bytes
	first    int      // its first relocation
	keys     []string // by row: the name as it is stored
	exported int
}

// tableOf reads the table of a type; ok is false where it has another form.
func (w *walk) tableOf(p *Program, d def) (t methodTable, ok bool) {
	o := w.t.object(d)
	size, relocs := int(o.Symbol(int(d.symbol)).Size), o.Relocs(int(d.symbol))
	t.at, t.first = size, relocs.Len()
	for i := range relocs.Len() {
		if relocs.At(i).Type == goobj.MethodOff {
			t.first = i - 1 // after that of the name
			break
		}
	}
	rows := (relocs.Len() - t.first) / rowRelocs
	if rows == 0 {
		return t, true
	}
	if t.at -= rows * rowSize; t.first < 0 || t.at < 0 || t.first+rows*rowRelocs != relocs.Len() {
		return t, false
	}
	for i := range relocs.Len() {
		r := relocs.At(i)
		if i < t.first {
			if int(r.Off) >= t.at {
				return t, false
			}
			continue
		}
		row, column := (i-t.first)/rowRelocs, (i-t.first)%rowRelocs
		if int(r.Off) != t.at+row*rowSize+4*column || (r.Type == goobj.MethodOff) != (column > 0) {
			return t, false
		}
		if column > 0 {
			continue
		}
		n, _ := p.target(d, r.Ref)
		name, defined := p.definition(n)
		if !defined {
			return t, false
		}
		data := w.t.object(name).Data(int(name.symbol))
		text, isName := decodeName(data)
		if !isName {
			return t, false
		}
		t.keys = append(t.keys, string(data))
		if exported(text) {
			t.exported++
		}
	}
	return t, true
}

// equalTypes compares two descriptors, but for what they refer to and for their
// methods.
func (w *walk) equalTypes(d, e def) bool {
	x, okX := w.tableOf(w.new, d)
	y, okY := w.tableOf(w.old, e)
	// Packages reflect and encoding/json ask whether a type has methods at all.
	if !okX || !okY || x.at != y.at || x.first != y.first || (len(x.keys) == 0) != (len(y.keys) == 0) || (x.exported == 0) != (y.exported == 0) {
		return false
	}
	a, b := w.t.object(d), w.t.object(e)
	if len(x.keys)+len(y.keys) == 0 {
		return equalForm(a, b, int(d.symbol), int(e.symbol))
	}
	s, r := a.Symbol(int(d.symbol)), b.Symbol(int(e.symbol))
	if len(a.Data(int(d.symbol))) != int(s.Size) || len(b.Data(int(e.symbol))) != int(r.Size) {
		return false // zeros follow
	}
	s.Flags, r.Flags = s.Flags&^goobj.UsedInIface, r.Flags&^goobj.UsedInIface
	s.Size, r.Size = 0, 0
	if s != r {
		return false
	}
	for k := range x.first {
		if !bytes.Equal(a.Relocs(int(d.symbol)).Shape(k), b.Relocs(int(e.symbol)).Shape(k)) {
			return false
		}
	}
	p, q := a.Data(int(d.symbol))[:x.at], b.Data(int(e.symbol))[:y.at]
	if bytes.Equal(p, q) {
		return true
	}
	i := 0
	for p[i] == q[i] {
		i++
	}
	// The numbers of all methods and of exported ones, and how far the table is
	// from 4 bytes before them.
	const counts = 4
	i -= i % counts
	return i >= counts && i+2*counts <= x.at && x.counted(p, i) && y.counted(q, i) && bytes.Equal(p[i+counts:], q[i+counts:])
}

// oneCopy takes the same copy of an equal descriptor on both sides, where they
// link a package that has one: its name says what it is, and compilers only
// refer to the runtime in another way from within than from without.
func (w *walk) oneCopy(n, o node, d, e def) (def, def) {
	a, b := w.t.object(d).Symbol(int(d.symbol)).Flags, w.t.object(e).Symbol(int(e.symbol)).Flags
	const copied = goobj.GoType | goobj.DuplicateOK
	switch {
	case n != o || a&b&copied != copied:
	case w.old.rankOf(d) != 0:
		return d, d
	case w.new.rankOf(e) != 0:
		return e, e
	}
	return d, e
}

// counted reports whether the numbers of methods stand at i.
func (t methodTable) counted(data []byte, i int) bool {
	return int(binary.LittleEndian.Uint16(data[i:])) == len(t.keys) &&
		int(binary.LittleEndian.Uint16(data[i+2:])) == t.exported &&
		i-4+int(binary.LittleEndian.Uint32(data[i+4:])) == t.at
}

// pairRows pairs the rows of two tables by name. The rest is on one side only: it
// returns their names as they are stored. Names that are there twice are not
// understood, unless both tables have the same.
func pairRows(x, y methodTable) (pairs [][2]int, rest []string, ok bool) {
	if slices.Equal(x.keys, y.keys) {
		for i := range x.keys {
			pairs = append(pairs, [2]int{i, i})
		}
		return pairs, nil, true
	}
	rows := make(map[string]int)
	for j, key := range y.keys {
		rows[key] = j
	}
	distinct := make(map[string]bool)
	for i, key := range x.keys {
		distinct[key] = true
		if j, found := rows[key]; found {
			pairs = append(pairs, [2]int{i, j})
		} else {
			rest = append(rest, key)
		}
	}
	for _, key := range y.keys {
		if !distinct[key] {
			rest = append(rest, key)
		}
	}
	return pairs, rest, len(rows) == len(y.keys) && len(distinct) == len(x.keys)
}

// followMethods follows those of a pair of types.
func (w *walk) followMethods(d, e def, x, y methodTable, converted, first bool) {
	pairs, apart, ok := pairRows(x, y)
	if !ok {
		w.differ("the methods of %s are not understood", said(string(w.t.object(d).Name(int(d.symbol)))))
		return
	}
	a, b := w.t.object(d).Relocs(int(d.symbol)), w.t.object(e).Relocs(int(e.symbol))
	for _, p := range pairs {
		i, j := x.first+p[0]*rowRelocs, y.first+p[1]*rowRelocs
		w.edge(d, e, i, j)
		n, o, ok := w.ends(d, e, a.At(i+1).Ref, b.At(j+1).Ref)
		if !ok {
			w.differ("a reference of %s differs", said(string(w.t.object(d).Name(int(d.symbol)))))
			return
		}
		if n != o {
			apart = append(apart, x.keys[p[0]])
		}
		if converted {
			w.convert(n)
			w.methodOf(d, e, i+1, j+1)
		}
	}
	if !first {
		return
	}
	for _, key := range apart {
		name, _ := decodeName([]byte(key))
		w.apart[name] = true
	}
}

// ask notes what an interface asks types for: the names among what its
// descriptor refers to.
func (w *walk) ask(d def) {
	const kindInterface, kindMask = 20, 1<<5 - 1
	o := w.t.object(d)
	data := o.Data(int(d.symbol))
	is := false
	for _, at := range []int{15, 23} { // with pointers of 4 and of 8 bytes; the other byte is 0
		is = is || at < len(data) && data[at]&kindMask == kindInterface
	}
	if !is {
		return
	}
	relocs := o.Relocs(int(d.symbol))
	for i := range relocs.Len() {
		n, _ := w.new.target(d, relocs.At(i).Ref)
		if name, ok := w.new.definition(n); ok {
			if text, ok := decodeName(w.t.object(name).Data(int(name.symbol))); ok {
				w.asked.add(w.t.nameNumber(text))
			}
		}
	}
}

// checkApart finds what asks for a method that is not the same on both sides.
func (w *walk) checkApart() {
	if len(w.apart) == 0 {
		return
	}
	called := make(map[string]bool)
	for i, yes := range w.called {
		if yes {
			called[w.t.signatures[i].name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(w.apart)) {
		number := w.t.nameNumber(name)
		switch {
		case w.asked.has(number) || called[name] || w.named.has(number):
			w.differ("the method %s of a type differs, and an interface may ask for it", name)
		case w.reflect && exported(name):
			w.differ("the method %s of a type differs, and reflection may find it", name)
		case w.uses&counts != 0:
			w.differ("the method %s of a type differs, and its methods may be counted", name)
		}
	}
}
