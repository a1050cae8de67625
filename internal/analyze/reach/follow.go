package reach

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"whet/internal/format/goobj"
)

// follow follows the edges of a pair of equal definitions as the linker does.
func (w *walk) follow(n node, d, e def, first bool) {
	a, b := w.t.object(d), w.t.object(e)
	flags := a.Symbol(int(d.symbol)).Flags
	w.reflect = w.reflect || flags&goobj.ReflectMethod != 0
	converted := flags&goobj.GoType != 0 && w.bits[n]&inIface != 0
	// All packages are initialised, in whatever order.
	x, y := a.Relocs(int(d.symbol)).After(goobj.InitOrder), b.Relocs(int(e.symbol)).After(goobj.InitOrder)
	edges := x.Len()
	if flags&goobj.GoType != 0 {
		m, okM := w.tableOf(w.new, d)
		o, okO := m, okM
		if d != e {
			o, okO = w.tableOf(w.old, e)
		}
		if !okM || !okO {
			w.differ("the methods of %s are not understood", w.said(n))
			return
		}
		edges = m.first
		w.followMethods(d, e, m, o, converted, first)
		if first {
			w.ask(d)
		}
	}
	for i := range edges {
		r, s := x.At(i), y.At(i)
		p, q, ok := w.ends(d, e, r.Ref, s.Ref)
		if !ok {
			w.differ("a reference of %s differs", w.said(n))
			return
		}
		if p != 0 && !w.t.packages[d.pkg-1].trusted {
			u := w.t.uses[p]
			if u&self != 0 && w.parsesFlags(d, r.Off) {
				u &^= self
			}
			w.uses |= u
		}
		switch r.Type {
		case goobj.UseType:
		case goobj.MethodOff:
			w.differ("the methods of %s are not understood", w.said(n))
			return
		case goobj.UseIface:
			w.convert(p)
			w.convertItab(p)
		case goobj.UseIfaceMethod:
			w.call(d, r, s, p, q)
		case goobj.UseNamedMethod:
			w.callNamed(p, q)
		default:
			switch {
			case p == 0: // nothing, or the same builtin: the runtime is a root
			case r.Type&goobj.Weak != 0 && !isCall(a, d, r):
				if first {
					w.weak = append(w.weak, [2]node{p, q})
				}
			default:
				if converted && w.isType(p) {
					w.convert(p)
				}
				w.reach(p, q)
			}
		}
	}
	if !first {
		return
	}
	ax, ay := w.auxes(d, e)
	for i := range ax {
		if ax[i].Kind == goobj.AuxGoType || ax[i].Kind == goobj.AuxFuncInfo {
			continue
		}
		p, q, ok := w.ends(d, e, ax[i].Ref, ay[i].Ref)
		if !ok {
			w.differ("a table of %s differs", w.said(n))
		} else if p != 0 {
			w.reach(p, q)
		}
	}
}

// parsesFlags reports whether the code at an offset is that of flag.Parse, which the
// compiler inlines: it reads os.Args, but not the name of the program.
func (w *walk) parsesFlags(d def, off int32) bool {
	p, ok := w.t.object(d).Places(int(d.symbol))
	if !ok {
		return false
	}
	for call := p.CallAt(uint64(off)); call >= 0 && call < len(p.Inlined); call = int(p.Inlined[call].Parent) {
		if n, ok := w.new.target(d, p.Inlined[call].Func); ok && w.t.names[n] == "flag.Parse" {
			return true
		}
	}
	return false
}

// isCall reports whether a weak reference is a call, that of the initialisation
// of a map: it is made unless the linker finds that nothing reads the map.
func isCall(o *goobj.Object, d def, r goobj.Reloc) bool {
	return o.Symbol(int(d.symbol)).IsText()
}

func (w *walk) isType(n node) bool {
	d := w.t.defs[n]
	return d.pkg != 0 && w.t.object(d).Symbol(int(d.symbol)).Flags&goobj.GoType != 0
}

// convertItab notes that the type in an itab is converted to an interface.
func (w *walk) convertItab(n node) {
	if n == 0 {
		return
	}
	d := w.t.defs[n]
	if d.pkg == 0 || w.t.object(d).Symbol(int(d.symbol)).Flags&goobj.Itab == 0 {
		return
	}
	d, ok := w.new.definition(n)
	if !ok {
		return // it is visited, and found to be missing
	}
	relocs := w.t.object(d).Relocs(int(d.symbol))
	for i := range relocs.Len() {
		// The interface is among them: it has no methods of its own to keep.
		if p, ok := w.new.target(d, relocs.At(i).Ref); ok && p != 0 && w.isType(p) {
			w.convert(p)
		}
	}
}

// methodOf notes a method of a type that is converted to an interface. Its name
// stands before the first of its relocations.
func (w *walk) methodOf(d, e def, i, j int) {
	s, ok := w.signatureAt(w.new, d, i-1)
	if !ok {
		w.differ("the methods of %s are not understood", said(string(w.t.object(d).Name(int(d.symbol)))))
		return
	}
	w.methods = append(w.methods, method{number: w.t.numberOf(s), name: w.t.nameNumber(s.name), exported: exported(s.name), new: d, old: e, at: i, atOld: j})
}

// call notes that a method of an interface is called.
func (w *walk) call(by def, r, s goobj.Reloc, n, o node) {
	if n == 0 {
		w.named.add(w.t.nameNumber("Error")) // the one interface that is a builtin
		return
	}
	a, okA := w.new.definition(n)
	b, okB := w.old.definition(o)
	if !okA || !okB {
		w.differ("%s is an interface that is defined nowhere", w.said(n))
		return
	}
	x, okX := w.signature(w.new, a, r.Add)
	y, okY := w.signature(w.old, b, s.Add)
	if !okX || !okY || x != y {
		w.differ("a call of a method of %s differs", w.said(n))
		return
	}
	w.called.add(w.t.numberOf(x))
	if countsMethods(strings.ToLower(x.name)) && !w.t.packages[by.pkg-1].trusted {
		w.uses |= counts
	}
}

// callNamed notes that methods of a name are called.
func (w *walk) callNamed(n, o node) {
	a, okA := w.new.definition(n)
	b, okB := w.old.definition(o)
	if !okA || !okB || !bytes.Equal(w.t.object(a).Data(int(a.symbol)), w.t.object(b).Data(int(b.symbol))) {
		w.differ("a call of methods by name differs")
		return
	}
	w.named.add(w.t.nameNumber(string(w.t.object(a).Data(int(a.symbol)))))
}

// signature reads a method's name and type, which stand in a type descriptor
// from this offset on.
func (w *walk) signature(p *Program, d def, off int64) (s signature, ok bool) {
	relocs := w.t.object(d).Relocs(int(d.symbol))
	for i := range relocs.Len() {
		if int64(relocs.At(i).Off) == off {
			return w.signatureAt(p, d, i)
		}
	}
	return s, false
}

// signatureAt reads a method's name and type, which the i-th relocation and the next
// one are of.
func (w *walk) signatureAt(p *Program, d def, i int) (s signature, ok bool) {
	relocs := w.t.object(d).Relocs(int(d.symbol))
	if i < 0 || i+1 >= relocs.Len() || relocs.At(i+1).Off != relocs.At(i).Off+4 {
		return s, false
	}
	n, _ := p.target(d, relocs.At(i).Ref)
	name, one := p.definition(n)
	if !one {
		return s, false
	}
	if s.name, ok = decodeName(w.t.object(name).Data(int(name.symbol))); !ok {
		return s, false
	}
	s.typ, ok = p.target(d, relocs.At(i+1).Ref)
	return s, ok
}

// decodeName reads a name as type descriptors refer to it: a byte of flags, the
// length as a varint, the bytes.
func decodeName(data []byte) (string, bool) {
	n, at := 0, 1
	for shift := 0; ; shift += 7 {
		if at >= len(data) || shift > 21 {
			return "", false
		}
		b := data[at]
		at++
		if n |= int(b&0x7f) << shift; b < 0x80 {
			break
		}
	}
	if n > len(data)-at {
		return "", false
	}
	return string(data[at : at+n]), true
}

func exported(name string) bool {
	r, _ := utf8.DecodeRuneInString(name)
	return unicode.IsUpper(r)
}

// equalPointers reports whether the collector sees the same of variables of two
// types: size, and where pointers are.
func (w *walk) equalPointers(n, o node) bool {
	if n == 0 || o == 0 {
		return n == o
	}
	d, okD := w.new.definition(n)
	e, okE := w.old.definition(o)
	if !okD || !okE {
		return n == o && okD == okE
	}
	if d == e {
		return true
	}
	a, b := w.t.object(d).Data(int(d.symbol)), w.t.object(e).Data(int(e.symbol))
	const sizes = 16 // of the type, and of its part with pointers
	if len(a) < sizes || len(b) < sizes || !bytes.Equal(a[:sizes], b[:sizes]) {
		return false
	}
	mask := w.mask(w.new, d)
	return mask == w.mask(w.old, e) && (mask != "" || bytes.Equal(a[sizes/2:sizes], make([]byte, sizes/2)))
}

// mask returns what marks the pointers of a type; "" where there are none, or the
// runtime makes it.
func (w *walk) mask(p *Program, d def) string {
	relocs := w.t.object(d).Relocs(int(d.symbol))
	for i := range relocs.Len() {
		n, _ := p.target(d, relocs.At(i).Ref)
		bits, ok := p.definition(n)
		if name := w.name(n); ok && strings.HasPrefix(name, "runtime.gcbits.") {
			return name + string(w.t.object(bits).Data(int(bits.symbol)))
		}
	}
	return ""
}
