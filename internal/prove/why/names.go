package why

import (
	"fmt"
	"strings"

	"whet/internal/analyze/compare"
	"whet/internal/callstack"
	"whet/internal/format/gosource"
	"whet/internal/symbolname"
)

// pair relates a package's two sides: the functions of one to their names on the other.
type pair struct {
	sides   [2]Side
	trees   [2]*tree
	renames [][2]string // import paths of old, and their counterparts in new

	named     map[key]*name
	literals  map[[2]*function][]int // the literal of new for each of old, -1: none
	decisions [2]sideDecisions
}

// name is how a key is shown, and where it is declared.
type name struct {
	symbol, file [2]string // of each side, "" where it was not seen
	// The declared function, "" where its source was not found.
	path, function, base string
	literal              bool
}

func newPair(old, new Side) *pair {
	p := &pair{sides: [2]Side{old, new}, named: make(map[key]*name), literals: make(map[[2]*function][]int)}
	a, b := old.Binary.Target, new.Binary.Target
	p.trees = [2]*tree{newTree(a), newTree(b)}
	if a.ImportPath != b.ImportPath {
		p.renames = append(p.renames, [2]string{a.ImportPath, b.ImportPath})
	}
	if a.Module != b.Module && a.Module != "" && b.Module != "" {
		p.renames = append(p.renames, [2]string{a.Module, b.Module})
	}
	return p
}

// renamed puts to in place of from where a path is from or lies below it.
// Packages below the one under test are taken for the other side's, unless that
// is one of them.
func renamed(path, from, to string) (string, bool) {
	if path == from || path == from+"_test" {
		return to + path[len(from):], true
	}
	if rest, ok := strings.CutPrefix(path, from+"/"); ok && !strings.HasPrefix(to, from+"/") {
		return to + "/" + rest, true
	}
	return path, false
}

// path returns an import path of one side as new has it.
func (p *pair) path(s side, path string) string {
	if s == sideNew {
		return path
	}
	for _, r := range p.renames {
		if to, ok := renamed(path, r[0], r[1]); ok {
			return to
		}
	}
	return path
}

// original returns the reverse of path.
func (p *pair) original(s side, path string) string {
	if s == sideNew {
		return path
	}
	for _, r := range p.renames {
		if to, ok := renamed(path, r[1], r[0]); ok {
			return to
		}
	}
	return path
}

// keys says which functions the frames of a side's profile are.
func (p *pair) keys(s side, prof *callstack.Frames) frameKeys {
	n := prof.NumFrames()
	out := frameKeys{of: make([]key, n), harness: make([]bool, n), interrupts: make([]bool, n)}
	for i := range n {
		f := prof.Frame(callstack.FrameID(i))
		out.of[i] = p.key(s, f)
		out.interrupts[i] = f.Function == "runtime.asyncPreempt"
		out.harness[i] = strings.HasPrefix(f.Function, "testing.(*B).") || p.trees[s].loops.InBenchmark(f.File, f.Line)
	}
	return out
}

// key returns the function of a frame.
func (p *pair) key(s side, f *callstack.Frame) key {
	fn := p.trees[s].at(f.File, gosource.Position{Line: f.Line, Col: 0})
	if fn == nil {
		return p.enter(p.symbolKey(s, f.Function), s, f, name{})
	}
	k := key(p.path(s, fn.path) + "." + fn.Name)
	_, made := cutMade(f.Function)
	switch {
	case made == "func":
		i := -1
		if f.Start > 0 {
			i = fn.LiteralFrom(f.Start)
		}
		return p.enter(k+p.literal(s, fn, i), s, f, p.declared(s, fn, true))
	case made != "":
		return p.enter(k+key("."+made), s, f, p.declared(s, fn, false))
	}
	return p.enter(k, s, f, p.declared(s, fn, false))
}

func (p *pair) declared(s side, fn *function, literal bool) name {
	return name{path: p.path(s, fn.path), function: fn.Name, base: fn.file, literal: literal}
}

func (p *pair) enter(k key, s side, f *callstack.Frame, n name) key {
	have := p.named[k]
	if have == nil {
		have = &n
		p.named[k] = have
	}
	if have.symbol[s] == "" {
		have.symbol[s], have.file[s] = f.Function, f.File
	}
	return k
}

// symbolKey returns the key of a function without source, from its symbol alone,
// without the numbers that the compiler adds.
func (p *pair) symbolKey(s side, symbol string) key {
	if s == sideOld {
		for _, r := range p.renames {
			from, to := symbolname.Escape(r[0]), symbolname.Escape(r[1])
			rest, ok := strings.CutPrefix(symbol, from)
			if ok && (strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, "_test.") || strings.HasPrefix(rest, "/") && !strings.HasPrefix(to, from+"/")) {
				symbol = to + rest
				break
			}
		}
	}
	if base, made := cutMade(symbol); made != "" {
		return key(base + "." + made)
	}
	return key(symbol)
}

// cutMade separates a symbol from the suffix of a function that the compiler made:
// "F.func1.2" is ("F", "func"), "F.gowrap1" ("F", "gowrap"), "F-range1" ("F", "range"),
// "F-fm" ("F", "fm").
func cutMade(symbol string) (base, made string) {
	_, kind := symbolname.Cut(symbol)
	if kind == symbolname.Written {
		return symbol, ""
	}
	return symbolname.Parse(symbol).Declared(), kind.String()
}

// literal returns the part of a key for one of a function's literals, the i-th in
// the source; -1 is one that was not found there.
func (p *pair) literal(s side, fn *function, i int) key {
	if i < 0 {
		return ".func"
	}
	if s == sideNew {
		return key(fmt.Sprintf(".func#%d", i))
	}
	new := p.trees[sideNew].find(p.path(s, fn.path), fn.Name, fn.file)
	if new == nil {
		return key(fmt.Sprintf(".func#%d", i)) // the function is on one side only
	}
	both := [2]*function{fn, new}
	matched, ok := p.literals[both]
	if !ok {
		matched = matchLiterals(fn.Literals, new.Literals)
		p.literals[both] = matched
	}
	if j := matched[i]; j >= 0 {
		return key(fmt.Sprintf(".func#%d", j))
	}
	return key(fmt.Sprintf(".func#old%d", i))
}

// maxLiterals bounds the table that matches literals by text.
const maxLiterals = 500

// matchLiterals returns for each literal of old the one of new that it is, -1
// for none. Where both have as many the order decides, so that one may have
// changed; else those of equal text are the same, as many as keep their order.
func matchLiterals(old, new []gosource.Literal) []int {
	out := make([]int, len(old))
	for i := range out {
		out[i] = i
	}
	if len(old) == len(new) {
		return out
	}
	for i := range out {
		out[i] = -1
	}
	if len(old) > maxLiterals || len(new) > maxLiterals {
		return out
	}
	// length[i][j] is that of the longest common sequence of old[i:], new[j:].
	length := make([][]int, len(old)+1)
	for i := range length {
		length[i] = make([]int, len(new)+1)
	}
	for i := len(old) - 1; i >= 0; i-- {
		for j := len(new) - 1; j >= 0; j-- {
			length[i][j] = max(length[i+1][j], length[i][j+1])
			if old[i].Text == new[j].Text {
				length[i][j] = length[i+1][j+1] + 1
			}
		}
	}
	for i, j := 0, 0; i < len(old) && j < len(new); {
		switch {
		case old[i].Text == new[j].Text:
			out[i] = j
			i, j = i+1, j+1
		case length[i+1][j] >= length[i][j+1]:
			i++
		default:
			j++
		}
	}
	return out
}

// display returns how a function is shown: as new calls it, if new was seen to run
// it, and the file it lies in.
func (p *pair) display(k key) (symbol, file string) {
	n := p.named[k]
	if n == nil || n.symbol[sideOld] == "" && n.symbol[sideNew] == "" {
		return "(unknown)", ""
	}
	s := sideNew
	if n.symbol[s] == "" {
		s = sideOld
	}
	symbol = n.symbol[s]
	if strings.HasSuffix(string(k), ".func") {
		// Several literals under one name.
		symbol, _ = cutMade(symbol)
		symbol += ".func"
	}
	return symbol, n.file[s]
}

// only returns the side that alone has the function, "" when both do or that is not
// known.
func (p *pair) only(k key) string {
	n := p.named[k]
	if n == nil || n.path == "" || n.symbol[sideOld] != "" && n.symbol[sideNew] != "" {
		return ""
	}
	here, there := sideOld, sideNew
	if n.symbol[here] == "" {
		here, there = there, here
	}
	other := p.trees[there].find(p.original(there, n.path), n.function, n.base)
	if other == nil {
		return here.String()
	}
	if _, number, ok := strings.Cut(string(k), ".func#"); ok && n.literal {
		switch {
		case strings.HasPrefix(number, "old"):
			return here.String()
		case here == sideNew && !p.matches(other, n, number):
			return here.String()
		}
	}
	return ""
}

// matches reports whether any literal of old's function is the one of new with
// that number.
func (p *pair) matches(old *function, n *name, number string) bool {
	for i := range old.Literals {
		if p.literal(sideOld, old, i) == key(".func#"+number) {
			return true
		}
	}
	return false
}

// packagesOf lists the user's packages that the listed functions are declared
// in, as one side calls them.
func (p *pair) packagesOf(s side, d *differ, c *compare.Change) []string {
	var out []string
	for i, k := range d.listed {
		if n := p.named[k]; n != nil && n.path != "" && c.Functions[i].Only == "" {
			path := strings.TrimSuffix(p.original(s, n.path), "_test")
			out = append(out, path)
		}
	}
	return out
}
