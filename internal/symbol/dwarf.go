package symbol

import (
	"debug/dwarf"
	"sort"
	"sync"
)

// debugInfo names code by its DWARF: that of C, where Go has no table of its
// own. A compile unit is read when an address in it is asked for.
type debugInfo struct {
	data  *dwarf.Data
	units []unitRange // by address
	mu    sync.Mutex
	read  map[dwarf.Offset]*unit
}

type unitRange struct {
	low, high uint64
	entry     *dwarf.Entry
}

// unit is a compile unit.
type unit struct {
	functions []codeRange
	lines     []dwarf.LineEntry // by address
	files     []*dwarf.LineFile
}

// codeRange is a function's or an inlined call's code. Calls inlined into it
// are its children.
type codeRange struct {
	low, high  uint64
	name, link string
	start      int
	callFile   int64 // of an inlined call
	callLine   int
	callColumn int
	children   []codeRange
}

// The most that is read of one compile unit, and how deep.
const (
	maxEntries = 4 << 20
	maxLines   = 8 << 20
	maxDepth   = 200
)

// readDebugInfo lists the compile units. Without DWARF, or with a damaged
// one, there are none.
func (b *Binary) readDebugInfo() (d *debugInfo) {
	d = &debugInfo{read: make(map[dwarf.Offset]*unit)}
	defer func() {
		if recover() != nil {
			d.units = nil
		}
	}()
	data, err := b.dwarf()
	if err != nil {
		return d
	}
	d.data = data
	r := data.Reader()
	for range maxEntries {
		e, err := r.Next()
		if e == nil || err != nil {
			break
		}
		if e.Tag == dwarf.TagCompileUnit {
			ranges, err := data.Ranges(e)
			if err == nil {
				for _, one := range ranges {
					d.units = append(d.units, unitRange{one[0], one[1], e})
				}
			}
		}
		r.SkipChildren()
	}
	sort.SliceStable(d.units, func(i, j int) bool { return d.units[i].low < d.units[j].low })
	return d
}

// frames returns the functions at an address, innermost first.
func (d *debugInfo) frames(address uint64) []Frame {
	i := sort.Search(len(d.units), func(i int) bool { return d.units[i].low > address }) - 1
	if i < 0 || address >= d.units[i].high {
		return nil
	}
	u := d.unit(d.units[i].entry)
	var path []*codeRange // outermost first
	for within := u.functions; len(path) < maxDepth; {
		found := -1
		for i := range within {
			if address >= within[i].low && address < within[i].high {
				found = i
				break
			}
		}
		if found < 0 {
			break
		}
		path = append(path, &within[found])
		within = within[found].children
	}
	here := u.line(address)
	if len(path) == 0 {
		if here.File == "" {
			return nil
		}
		return []Frame{here}
	}
	out := make([]Frame, 0, len(path))
	for i := len(path) - 1; i >= 0; i-- {
		p := path[i]
		f := here
		f.Function, f.System, f.Start = p.name, p.link, p.start
		out = append(out, f)
		here = Frame{Line: p.callLine, Column: p.callColumn}
		if p.callFile >= 0 && p.callFile < int64(len(u.files)) && u.files[p.callFile] != nil {
			here.File = u.files[p.callFile].Name
		}
	}
	return out
}

// line returns the place of an address: that of the last entry before it.
func (u *unit) line(address uint64) Frame {
	i := sort.Search(len(u.lines), func(i int) bool { return u.lines[i].Address > address }) - 1
	if i < 0 || u.lines[i].EndSequence {
		return Frame{}
	}
	f := Frame{Line: u.lines[i].Line, Column: u.lines[i].Column}
	if u.lines[i].File != nil {
		f.File = u.lines[i].File.Name
	}
	return f
}

func (d *debugInfo) unit(e *dwarf.Entry) *unit {
	d.mu.Lock()
	defer d.mu.Unlock()
	if u := d.read[e.Offset]; u != nil {
		return u
	}
	u := &unit{}
	d.read[e.Offset] = u
	defer func() {
		if recover() != nil {
			*u = unit{}
		}
	}()
	d.readLines(e, u)
	r := d.data.Reader()
	r.Seek(e.Offset)
	if _, err := r.Next(); err != nil || !e.Children {
		return u
	}
	left := maxEntries
	u.functions = d.readCode(r, &left, 0)
	return u
}

func (d *debugInfo) readLines(e *dwarf.Entry, u *unit) {
	r, err := d.data.LineReader(e)
	if err != nil || r == nil {
		return
	}
	var line dwarf.LineEntry
	for len(u.lines) < maxLines && r.Next(&line) == nil {
		u.lines = append(u.lines, line)
	}
	u.files = r.Files()
	u.sortLines()
}

// sortLines puts lines in order of address. Where one sequence ends and another
// begins at one address, the beginning holds.
func (u *unit) sortLines() {
	sort.SliceStable(u.lines, func(i, j int) bool {
		x, y := &u.lines[i], &u.lines[j]
		return x.Address < y.Address || x.Address == y.Address && x.EndSequence && !y.EndSequence
	})
}

// readCode reads the functions, or the inlined calls, among the children of
// the entry that was read last. What only groups them (a namespace, a block)
// is looked through.
func (d *debugInfo) readCode(r *dwarf.Reader, left *int, depth int) []codeRange {
	var out []codeRange
	for *left > 0 {
		*left--
		e, err := r.Next()
		if e == nil || err != nil || e.Tag == 0 {
			return out
		}
		var children []codeRange
		if e.Children {
			if depth >= maxDepth {
				r.SkipChildren()
			} else {
				children = d.readCode(r, left, depth+1)
			}
		}
		if e.Tag != dwarf.TagSubprogram && e.Tag != dwarf.TagInlinedSubroutine {
			out = append(out, children...)
			continue
		}
		ranges, err := d.data.Ranges(e)
		if err != nil || len(ranges) == 0 {
			continue // a declaration
		}
		c := codeRange{callFile: -1, children: children}
		d.describe(e, &c, 0)
		if n, ok := e.Val(dwarf.AttrCallFile).(int64); ok {
			c.callFile = n
		}
		if n, ok := e.Val(dwarf.AttrCallLine).(int64); ok {
			c.callLine = int(n)
		}
		if n, ok := e.Val(dwarf.AttrCallColumn).(int64); ok {
			c.callColumn = int(n)
		}
		for _, one := range ranges {
			c.low, c.high = one[0], one[1]
			out = append(out, c)
		}
	}
	return out
}

// describe finds a function's names, which may stand where it is declared.
func (d *debugInfo) describe(e *dwarf.Entry, c *codeRange, hops int) {
	if s, ok := e.Val(dwarf.AttrName).(string); ok && c.name == "" {
		c.name = s
	}
	if s, ok := e.Val(dwarf.AttrLinkageName).(string); ok && c.link == "" {
		c.link = s
	}
	if n, ok := e.Val(dwarf.AttrDeclLine).(int64); ok && c.start == 0 {
		c.start = int(n)
	}
	for _, attr := range []dwarf.Attr{dwarf.AttrAbstractOrigin, dwarf.AttrSpecification} {
		if at, ok := e.Val(attr).(dwarf.Offset); ok && hops < 4 {
			r := d.data.Reader()
			r.Seek(at)
			if origin, err := r.Next(); err == nil && origin != nil {
				d.describe(origin, c, hops+1)
			}
		}
	}
	if hops == 0 && c.link == c.name {
		c.link = ""
	}
}
