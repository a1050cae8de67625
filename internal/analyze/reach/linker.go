package reach

import (
	"slices"
	"strings"

	"whet/internal/format/goobj"
)

// rank is the order in which a linker loads packages: that of the imports, as
// objects list them, breadth first from the test program on.
func (p *Program) rank() {
	p.order = make([]uint32, len(p.t.packages)+1)
	queue := []*Package{p.packages["main"]}
	p.order[queue[0].id] = 1
	for i := 0; i < len(queue); i++ {
		for _, o := range queue[i].archive.Objects {
			for _, imp := range o.Imports() {
				if pkg := p.packages[imp.Path]; p.order[pkg.id] == 0 {
					queue = append(queue, pkg)
					p.order[pkg.id] = uint32(len(queue))
				}
			}
		}
	}
	for _, pkg := range p.packages {
		if p.order[pkg.id] == 0 { // the runtime's own, which nothing imports
			p.order[pkg.id] = uint32(len(p.t.packages)) + 1 + pkg.id
		}
	}
}

// rankOf returns the place of a definition's package in that order; 0: it is not
// linked. Packages may have come into the table since.
func (p *Program) rankOf(d def) uint32 {
	if int(d.pkg) >= len(p.order) {
		return 0
	}
	return p.order[d.pkg]
}

// definition returns the one of a node that the linker takes: of several the first
// that it loads, unless a later one is larger, or the first has no content.
func (p *Program) definition(n node) (def, bool) {
	if n == 0 {
		return def{}, false
	}
	best := p.t.defs[n]
	found := p.rankOf(best) != 0
	if !p.t.several[n] {
		return best, found
	}
	for _, d := range p.t.more[n] {
		if p.rankOf(d) != 0 && (!found || p.prefers(d, best)) {
			best, found = d, true
		}
	}
	return best, found
}

// prefers reports whether the linker takes d rather than e.
func (p *Program) prefers(d, e def) bool {
	a, b := p.t.object(d), p.t.object(e)
	if x, y := a.Symbol(int(d.symbol)).Size, b.Symbol(int(e.symbol)).Size; x != y {
		return x > y
	}
	if x, y := len(a.Data(int(d.symbol))), len(b.Data(int(e.symbol))); (x == 0) != (y == 0) {
		return y == 0
	}
	return p.rankOf(d) < p.rankOf(e)
}

// initOrder returns the packages that have something to run before main, in the
// order in which the linker has them do it: of those whose imports are done the
// first by name.
func (p *Program) initOrder() (order []string) {
	waits, importers := make(map[node]int), make(map[node][]node)
	var ready []string
	found := []node{p.t.lookup("main..inittask", 0)}
	for i := 0; i < len(found); i++ {
		n := found[i]
		d, ok := p.definition(n)
		if !ok {
			continue
		}
		relocs := p.t.object(d).Relocs(int(d.symbol))
		for j := range relocs.Len() - relocs.After(goobj.InitOrder).Len() {
			imp, _ := p.target(d, relocs.At(j).Ref)
			if importers[imp] == nil {
				found = append(found, imp)
			}
			importers[imp] = append(importers[imp], n)
			waits[n]++
		}
		if waits[n] == 0 {
			ready = append(ready, p.t.names[n])
		}
	}
	for len(ready) > 0 {
		name := slices.Min(ready)
		ready = slices.DeleteFunc(ready, func(s string) bool { return s == name })
		n := p.t.lookup(name, 0)
		const header = 8 // of a task, before its functions
		if d, ok := p.definition(n); ok && p.t.object(d).Symbol(int(d.symbol)).Size > header {
			order = append(order, name)
		}
		for _, by := range importers[n] {
			if waits[by]--; waits[by] == 0 {
				ready = append(ready, p.t.names[by])
			}
		}
	}
	return order
}

// initialised says how two orders of initialisation differ.
func initialised(old, new []string) string {
	only := func(a, b []string) string {
		i := slices.IndexFunc(a, func(task string) bool { return !slices.Contains(b, task) })
		if i < 0 {
			return ""
		}
		return strings.TrimSuffix(a[i], "..inittask")
	}
	switch {
	case only(new, old) != "":
		return "package " + only(new, old) + " is initialised in new only"
	case only(old, new) != "":
		return "package " + only(old, new) + " is initialised in old only"
	}
	return "packages are initialised in another order"
}

// scanned returns the size of all variables with pointers.
func (p *Program) scanned() (size int64) {
	for _, pkg := range p.packages {
		size += pkg.scanned
	}
	return size
}

// otherABI returns the node of the same name in the other calling convention.
func (t *Table) otherABI(n node) node {
	name := t.names[n]
	if name == "" {
		return 0
	}
	for abi := range uint16(2) {
		if m := t.lookup(name, abi); m != 0 && m != n {
			return m
		}
	}
	return 0
}

// ofLinker reports whether the linker itself defines a name.
func ofLinker(name string) bool {
	switch name {
	case "go:buildid", "go:fipsinfo", "go:main.inittasks", "go:textsectionmap":
		return true
	}
	if strings.HasSuffix(name, ".arginfo0") || strings.HasSuffix(name, ".args_stackmap") {
		return true // of an assembler's function without a declaration in Go
	}
	section, ok := strings.CutPrefix(name, "runtime.")
	if !ok {
		return false
	}
	section, _ = strings.CutPrefix(section, "e")
	switch section {
	case "text", "rodata", "types", "noptrdata", "data", "bss", "noptrbss", "end", "gcdata", "gcbss", "symtab", "epclntab", "pclntab", "firstmoduledata":
		return true
	}
	return false
}
