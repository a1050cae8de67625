package reach

import (
	"fmt"
	"strings"

	"whet/internal/format/goobj"
)

// node is a symbol by name, or one that only its own object can name. 0 is none.
type node uint32

// def is a place that defines a symbol.
type def struct {
	pkg, object uint32
	symbol      uint32
}

type symbolKey struct {
	name string
	abi  uint16
}

// Table has the symbols of all packages that programs are linked from, each package
// once.
type Table struct {
	packages []*Package
	nodes    map[symbolKey]node
	names    []string        // by node; "": it has none that others could use
	uses     []use           // by node
	defs     []def           // by node: the first
	several  []bool          // by node: there are more
	more     map[node][]def  // further ones
	missing  map[node]string // names of static symbols that their object does not define
	searches map[string]*search

	signatures  []signature // by number
	numbers     map[signature]uint32
	nameNumbers map[string]uint32 // of methods
}

// The nodes of a test program of some size, and the names among them: room that is made
// at once need not grow.
const (
	usualNodes = 3 << 17
	usualNames = 1 << 16
)

// NewTable returns an empty one.
func NewTable() *Table {
	return &Table{
		nodes: make(map[symbolKey]node, usualNames),
		names: make([]string, 1, usualNodes), uses: make([]use, 1, usualNodes), defs: make([]def, 1, usualNodes), several: make([]bool, 1, usualNodes),
		more: make(map[node][]def), missing: make(map[node]string), searches: make(map[string]*search),
		numbers: make(map[signature]uint32), nameNumbers: make(map[string]uint32),
	}
}

// numberOf returns the number of a signature.
func (t *Table) numberOf(s signature) uint32 {
	n, ok := t.numbers[s]
	if !ok {
		n = uint32(len(t.signatures))
		t.signatures, t.numbers[s] = append(t.signatures, s), n
	}
	return n
}

// nameNumber returns the number of the name of a method.
func (t *Table) nameNumber(name string) uint32 {
	n, ok := t.nameNumbers[name]
	if !ok {
		n = uint32(len(t.nameNumbers))
		t.nameNumbers[name] = n
	}
	return n
}

// Package is a compiled package in a table.
type Package struct {
	path    string
	id      uint32 // from 1
	archive *goobj.Archive
	trusted bool       // what it does with files is known by the names of its functions
	nodes   [][]node   // by object and symbol
	imports [][]string // by object and number of package
	roots   []node     // what initialises it, and what it defines of the runtime
	used    []node     // marked as converted to an interface
	usedBy  []reference
	scanned int64 // the size of its variables with pointers
}

// reference is one of an object to another package.
type reference struct {
	object int
	ref    goobj.Ref
}

// Add enters the package that programs link under this path.
func (t *Table) Add(path string, a *goobj.Archive) *Package {
	p := &Package{path: path, id: uint32(len(t.packages) + 1), archive: a}
	t.packages = append(t.packages, p)
	switch path {
	case "golang.org/x/sys/cpu", "golang.org/x/sys/unix", "golang.org/x/sys/windows", "golang.org/x/sys/plan9":
		p.trusted = true
	default:
		p.trusted = len(a.Objects) > 0 && a.Objects[0].Std
	}
	for i, o := range a.Objects {
		nodes := make([]node, o.Symbols())
		for s := range nodes {
			nodes[s] = t.symbol(p, uint32(i), uint32(s), o)
		}
		for s := range o.Defs() {
			// Compilers know functions of the runtime by number, wherever they are defined.
			if name := t.names[nodes[s]]; s < o.Own() && strings.HasSuffix(name, "..inittask") || strings.HasPrefix(name, "runtime.") && o.Symbol(s).IsText() {
				p.roots = append(p.roots, nodes[s])
			}
		}
		for _, ref := range o.RefsUsedInIface() {
			p.usedBy = append(p.usedBy, reference{i, ref})
		}
		p.nodes = append(p.nodes, nodes)
		p.imports = append(p.imports, o.Packages())
	}
	return p
}

func (t *Table) symbol(p *Package, object, index uint32, o *goobj.Object) node {
	s := o.Symbol(int(index))
	if s.IsDebug() {
		return 0 // of a third of all symbols: no code or data refers to them
	}
	n := t.named(o, int(index), s)
	if n == 0 {
		n = t.add("")
	}
	if s.Flags&goobj.UsedInIface != 0 {
		p.used = append(p.used, n)
	}
	if int(index) >= o.Defs() {
		if t.names[n] == "" {
			t.missing[n] = string(o.Name(int(index)))
		}
		return n
	}
	if d := (def{p.id, object, index}); t.defs[n].pkg == 0 {
		t.defs[n] = d
	} else {
		t.several[n], t.more[n] = true, append(t.more[n], d)
	}
	if s.IsScanned() {
		p.scanned += int64(s.Size)
	}
	return n
}

// named returns the node of a symbol that other objects can name; 0 of another.
func (t *Table) named(o *goobj.Object, index int, s goobj.Symbol) node {
	if o.Hashed(index) || s.ABI == goobj.StaticABI {
		return 0
	}
	name := o.Name(index)
	if len(name) == 0 {
		return 0
	}
	if n, ok := t.nodes[symbolKey{string(name), s.ABI}]; ok {
		return n
	}
	n := t.add(string(name))
	t.nodes[symbolKey{t.names[n], s.ABI}] = n
	t.uses[n] = useOf(t.names[n])
	return n
}

func (t *Table) add(name string) node {
	t.names, t.uses = append(t.names, name), append(t.uses, 0)
	t.defs, t.several = append(t.defs, def{}), append(t.several, false)
	return node(len(t.names) - 1)
}

func (t *Table) object(d def) *goobj.Object { return t.packages[d.pkg-1].archive.Objects[d.object] }

// Program is a test program: the objects it was linked from.
type Program struct {
	t        *Table
	packages map[string]*Package
	order    []uint32       // by id of package; 0: it is not linked
	others   [][][]*Package // by id of package, object and number there; nil: not looked up yet
	line     string         // the toolchain's, of all objects
}

// Link makes a program of its packages, by the paths they are linked under. It
// is an error where they were not compiled against each other, or are not all
// there.
func (t *Table) Link(packages map[string]*Package) (*Program, error) {
	p := &Program{t: t, packages: packages, others: make([][][]*Package, len(t.packages)+1)}
	for path, pkg := range packages {
		if len(pkg.archive.Objects) == 0 || pkg.archive.Objects[0].Assembly {
			return nil, fmt.Errorf("link: %s has no object of the compiler", path)
		}
		for _, o := range pkg.archive.Objects {
			if p.line == "" {
				p.line = o.Line
			}
			if o.Line != p.line {
				return nil, fmt.Errorf("link: %s is made by %q, and others by %q", path, o.Line, p.line)
			}
			for _, i := range o.Imports() {
				if other := packages[i.Path]; other == nil || len(other.archive.Objects) == 0 || other.archive.Objects[0].Fingerprint != i.Fingerprint {
					return nil, fmt.Errorf("link: %s was compiled against another package %s", path, i.Path)
				}
			}
		}
	}
	for _, path := range []string{"runtime", "main"} {
		if packages[path] == nil {
			return nil, fmt.Errorf("link: there is no package %s", path)
		}
	}
	p.rank()
	return p, nil
}

// target returns what a reference in a definition means in this program; ok is
// false where there is no such thing. A builtin has the node 0.
func (p *Program) target(d def, ref goobj.Ref) (n node, ok bool) {
	pkg := p.t.packages[d.pkg-1]
	if i, ok := pkg.archive.Objects[d.object].Local(ref); ok {
		return pkg.nodes[d.object][i], true
	}
	if _, ok := ref.Builtin(); ok || ref.Nil() {
		return 0, true
	}
	number, index := ref.Package()
	other := p.other(pkg, d.object, number)
	if other == nil || len(other.nodes) == 0 || index >= other.archive.Objects[0].Own() {
		return 0, false
	}
	return other.nodes[0][index], true
}

// other returns the package that an object of a package knows by a number; nil where
// the program has none.
func (p *Program) other(pkg *Package, object uint32, number int) *Package {
	if int(pkg.id) >= len(p.others) { // it came into the table since
		return nil
	}
	if p.others[pkg.id] == nil {
		all := make([][]*Package, len(pkg.imports))
		for i, paths := range pkg.imports {
			for _, path := range paths {
				all[i] = append(all[i], p.packages[path])
			}
		}
		p.others[pkg.id] = all
	}
	return p.others[pkg.id][object][number]
}

// lookup returns the node of a name, 0 where no object has it.
func (t *Table) lookup(name string, abi uint16) node { return t.nodes[symbolKey{name, abi}] }

// Benchmarks are the functions in the list of benchmarks of the program, by name.
func (p *Program) benchmarks() (map[string]node, error) {
	const list = "main.benchmarks"
	fail := func(what string) (map[string]node, error) {
		return nil, fmt.Errorf("read the list of benchmarks: %s", what)
	}
	d, ok := p.definition(p.t.lookup(list, 0))
	if !ok {
		return fail("there is none")
	}
	relocs := p.t.object(d).Relocs(int(d.symbol))
	if relocs.Len() != 1 {
		return fail("it is no slice")
	}
	array, _ := p.target(d, relocs.At(0).Ref)
	if d, ok = p.definition(array); !ok {
		return fail("it is not initialised by the linker")
	}
	relocs = p.t.object(d).Relocs(int(d.symbol))
	out := make(map[string]node)
	for i := 0; i+1 < relocs.Len(); i += 2 {
		name, _ := p.target(d, relocs.At(i).Ref)
		text, ok := p.definition(name)
		function, _ := p.target(d, relocs.At(i+1).Ref)
		if !ok || function == 0 {
			return fail("an entry is no name and function")
		}
		key := string(p.t.object(text).Data(int(text.symbol)))
		if out[key] != 0 {
			return fail("two packages have " + key)
		}
		out[key] = function
	}
	return out, nil
}
