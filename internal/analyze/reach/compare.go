package reach

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"whet/internal/format/goobj"
)

// Verdict is the result for one benchmark.
type Verdict struct {
	Same bool
	Why  string // the difference or doubt, as a clause; "": the same
}

// scanBytes is by how much the variables with pointers of two programs, reached
// or not, may differ: each collection scans them all, and the size of the heap at
// which it begins grows with them. It is a thousandth of that of a heap of 8 MiB.
const scanBytes = 8 << 10

// Compare compares the reachable code of the benchmarks of two programs, linked from
// the packages of one table. The verdicts are of the benchmarks of both.
func Compare(old, new *Program, beside OtherDifferences) (map[string]Verdict, error) {
	if old.line != new.line {
		return nil, fmt.Errorf("compare programs: old is made by %q, new by %q", old.line, new.line)
	}
	var tops [2]map[string]node
	for i, p := range []*Program{old, new} {
		var err error
		if tops[i], err = p.benchmarks(); err != nil {
			return nil, err
		}
	}
	w := newWalk(old, new)
	if a, b := old.initOrder(), new.initOrder(); !slices.Equal(a, b) {
		w.differ("%s", initialised(a, b))
	}
	if a, b := old.scanned(), new.scanned(); max(a, b)-min(a, b) > scanBytes {
		w.differ("the collector scans more of the variables on one side")
	}
	w.roots()
	w.flood()
	w.tellsBefore = w.uses&places != 0
	out := make(map[string]Verdict)
	for _, name := range slices.Sorted(maps.Keys(tops[1])) {
		o, ok := tops[0][name]
		if !ok {
			continue
		}
		base := w.mark()
		w.reach(tops[1][name], o)
		w.flood()
		out[name] = w.verdict(beside)
		w.reset(base)
	}
	return out, nil
}

// walk walks both programs at once. Nodes are those of new, unless it says so.
type walk struct {
	t        *Table
	old, new *Program
	cut      []node // the lists of tests

	partner []node // by node: that of old; 0: not reached
	back    []node // by node of old
	bits    []bits
	usedOld []bool // by node of old: marked as converted to an interface

	aux      [2][]goobj.Aux // room for those of a pair
	searched []*search      // that looked through all that was reached before the benchmarks

	tellsBefore bool // what runs before the benchmarks may read its place in the source

	state
	changed []node // whose partner or bits changed since the mark
	before  []bits
}

// state is what grows while the walk goes on, besides what is kept by node.
type state struct {
	queue   []node
	methods []method        // of types that are converted to an interface
	called  set             // by number of signature
	named   set             // methods that are called by name, by number of name
	asked   set             // methods of interfaces, by number of name
	apart   map[string]bool // methods of types that are not the same on both sides
	reflect bool            // methods are looked up by reflection
	weak    [][2]node       // pairs that are equal if reached at all
	uses    use
	moved   bool // code says of itself to be elsewhere in the source
	// mainMoved is moved of the function main that the go command writes. Benchmarks run
	// in goroutines of their own, and it is on the stack of none.
	mainMoved bool
	why       string
}

type bits uint8

const (
	reached bits = 1 << iota
	visited
	inIface // the type is converted to an interface
)

// signature is a method as interfaces know it.
type signature struct {
	name string
	typ  node
}

// method is one of a type, as three relocations of a pair of definitions.
type method struct {
	number, name uint32 // of its signature and name
	exported     bool
	kept         bool
	new, old     def
	at, atOld    int
}

// set is a set of small numbers.
type set []bool

func (s set) has(i uint32) bool { return int(i) < len(s) && s[i] }

func (s *set) add(i uint32) {
	if n := int(i) + 1 - len(*s); n > 0 {
		*s = append(*s, make([]bool, n)...)
	}
	(*s)[i] = true
}

func newWalk(old, new *Program) *walk {
	t := new.t
	n := len(t.names)
	w := &walk{
		t: t, old: old, new: new,
		partner: make([]node, n), back: make([]node, n), bits: make([]bits, n), usedOld: make([]bool, n),
		state: state{apart: make(map[string]bool)},
	}
	for _, list := range []string{"tests", "benchmarks", "fuzzTargets", "examples"} {
		if n := t.lookup("main."+list, 0); n != 0 {
			w.cut = append(w.cut, n)
		}
	}
	for _, pkg := range new.packages {
		new.eachUsed(pkg, func(n node) { w.bits[n] |= inIface })
	}
	for _, pkg := range old.packages {
		old.eachUsed(pkg, func(n node) { w.usedOld[n] = true })
	}
	return w
}

// eachUsed calls f with every type that a package marks as converted to an
// interface.
func (p *Program) eachUsed(pkg *Package, f func(node)) {
	for _, n := range pkg.used {
		f(n)
	}
	for _, r := range pkg.usedBy {
		if n, ok := p.target(def{pkg: pkg.id, object: uint32(r.object)}, r.ref); ok && n != 0 {
			f(n)
		}
	}
}

// differ notes the first thing that is not the same.
func (w *walk) differ(format string, args ...any) {
	if w.why == "" {
		w.why = fmt.Sprintf(format, args...)
	}
}

// roots reaches what every run of the program does.
func (w *walk) roots() {
	paths := slices.Collect(maps.Keys(w.new.packages))
	for path := range w.old.packages {
		if w.new.packages[path] == nil {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	for _, path := range paths {
		old, new := w.old.packages[path], w.new.packages[path]
		for _, pkg := range []*Package{old, new} {
			if pkg == nil {
				continue
			}
			for _, n := range pkg.roots {
				w.reach(n, n)
			}
			foreign := len(pkg.archive.Foreign) > 0
			if foreign && !pkg.trusted {
				w.uses |= opens | lists
			}
			if path != "runtime" && !foreign {
				continue
			}
			if old != new {
				w.differ("package %s, which is not all Go, differs", path)
			}
			for i, nodes := range pkg.nodes {
				o := pkg.archive.Objects[i]
				for s, n := range nodes[:o.Defs()] {
					if o.Symbol(s).IsLoaded() {
						w.reach(n, n)
					}
				}
			}
		}
	}
}

// reach follows an edge to a pair.
func (w *walk) reach(n, o node) {
	if n == 0 || o == 0 {
		if n != o {
			w.differ("old refers to %s where new refers to %s", w.said(o), w.said(n))
		}
		return
	}
	switch {
	case w.partner[n] == o:
	case w.partner[n] != 0 || w.back[o] != 0:
		if !w.sameContent(n, o) {
			w.differ("%s stands for two symbols", w.said(n))
		}
		return
	default:
		w.change(n)
		w.partner[n], w.back[o] = o, n
	}
	if w.bits[n]&reached == 0 {
		w.set(n, reached)
		w.queue = append(w.queue, n)
	}
}

func (w *walk) set(n node, b bits) {
	w.change(n)
	w.bits[n] |= b
}

// convert notes that a type is converted to an interface: it has methods to
// look at again.
func (w *walk) convert(n node) {
	if n == 0 || w.bits[n]&inIface != 0 {
		return
	}
	w.set(n, inIface)
	if w.bits[n]&visited != 0 {
		w.queue = append(w.queue, n)
	}
}

func (w *walk) name(n node) string {
	if n == 0 {
		return "nothing"
	}
	if name := w.t.names[n]; name != "" {
		return name
	}
	if d := w.t.defs[n]; d.pkg != 0 {
		if name := w.t.object(d).Name(int(d.symbol)); len(name) > 0 {
			return string(name)
		}
		return "a symbol of " + w.t.packages[d.pkg-1].path
	}
	return "a symbol"
}

// said is how a user knows a node.
func (w *walk) said(n node) string { return said(w.name(n)) }

// said is how a user knows the name of a symbol.
func said(symbol string) string {
	for _, kind := range []struct{ prefix, noun string }{{"type:", "the type "}, {"go:string.", "the string "}, {"go:itab.", "the method table of "}} {
		if rest, ok := strings.CutPrefix(symbol, kind.prefix); ok {
			return kind.noun + rest
		}
	}
	return symbol
}

// flood visits what was reached until nothing new is. After a difference it
// stops: one is enough.
func (w *walk) flood() {
	for w.why == "" {
		for len(w.queue) > 0 && w.why == "" {
			n := w.queue[len(w.queue)-1]
			w.queue = w.queue[:len(w.queue)-1]
			w.visit(n)
		}
		for i := range w.methods {
			if m := &w.methods[i]; !m.kept && (w.reflect && m.exported || w.called.has(m.number) || w.named.has(m.name)) {
				m.kept = true
				for j := range 3 {
					w.edge(m.new, m.old, m.at+j, m.atOld+j)
				}
			}
		}
		if len(w.queue) == 0 {
			break
		}
	}
	w.checkApart()
	for _, p := range w.weak {
		if n, o := p[0], p[1]; w.partner[n] != o && (w.bits[n]&reached != 0 || w.back[o] != 0) && !w.sameContent(n, o) {
			w.differ("%s stands for two symbols", w.said(n))
		}
	}
}

// visit compares a pair and follows its edges. A type is visited again when it
// turns out to be converted to an interface.
func (w *walk) visit(n node) {
	o := w.partner[n]
	if slices.Contains(w.cut, n) {
		return
	}
	d, isNew := w.new.definition(n)
	e, isOld := w.old.definition(o)
	switch {
	case !isNew && !isOld:
		w.undefined(n, o)
		return
	case !isNew || !isOld:
		w.differ("%s is on one side only", w.said(n))
		return
	}
	if w.usedOld[o] {
		w.set(n, inIface)
	}
	first := w.bits[n]&visited == 0
	w.set(n, visited)
	if first && d != e && !w.equal(d, e) {
		w.differ("%s differs", w.said(n))
		return
	}
	d, e = w.oneCopy(n, o, d, e)
	if first && d != e && !w.moved && !w.samePlace(d, e) {
		if d.pkg == w.new.packages["main"].id {
			w.mainMoved = true
		} else {
			w.moved = true
		}
	}
	w.follow(n, d, e, first)
}

// undefined deals with a name that no object defines.
func (w *walk) undefined(n, o node) {
	// An assembler's function is called by its name in another ABI.
	if a, b := w.t.otherABI(n), w.t.otherABI(o); a != 0 && b != 0 {
		_, isNew := w.new.definition(a)
		_, isOld := w.old.definition(b)
		if isNew && isOld {
			w.reach(a, b)
			return
		}
	}
	// The arguments of an assembler's function that has no declaration in Go.
	if a, ok := w.t.missing[n]; ok && a == w.t.missing[o] {
		return
	}
	if n != o {
		w.differ("%s and %s are defined nowhere", w.said(o), w.said(n))
	} else if !ofLinker(w.t.names[n]) {
		w.differ("%s is defined nowhere", w.said(n))
	}
}

// ends returns what two references mean; ok is false where they cannot be a pair.
func (w *walk) ends(d, e def, x, y goobj.Ref) (n, o node, ok bool) {
	if x.Nil() || y.Nil() {
		return 0, 0, x.Nil() && y.Nil()
	}
	if d == e && x == y {
		pkg := w.t.packages[d.pkg-1]
		if i, ok := pkg.archive.Objects[d.object].Local(x); ok {
			n = pkg.nodes[d.object][i]
			return n, n, true
		}
	}
	i, builtin := x.Builtin()
	if j, also := y.Builtin(); builtin || also {
		return 0, 0, builtin && also && i == j
	}
	n, okN := w.new.target(d, x)
	o, okO := w.old.target(e, y)
	return n, o, okN && okO
}

// edge follows the i-th relocation of new and the j-th of old.
func (w *walk) edge(d, e def, i, j int) {
	x, y := w.t.object(d).Relocs(int(d.symbol)).At(i).Ref, w.t.object(e).Relocs(int(e.symbol)).At(j).Ref
	n, o, ok := w.ends(d, e, x, y)
	if !ok {
		w.differ("a reference of %s differs", w.t.object(d).Name(int(d.symbol)))
		return
	}
	if n != 0 || o != 0 {
		w.reach(n, o)
	}
}
