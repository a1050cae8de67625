package shape

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"whet/internal/diagnose/knowledge"
	"whet/internal/finding"
	"whet/internal/typed"
)

var ofLists = []Shape{
	{Row: knowledge.Row{
		ID: "copy-only-read", Cause: "copied-to-read",
		When:       knowledge.Words("a local variable is a copy of a slice, made by append to nil, slices.Clone, bytes.Clone or []byte of a string, and is only indexed, ranged over, measured or passed to functions of bytes, slices, unicode/utf8, encoding/binary or hash/crc32 that only read it, in a function that sets neither and takes no lock"),
		Cost:       "a slice is copied, and the copy only read",
		Instead:    "Read the slice itself. If another goroutine may change it meanwhile, keep the copy.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "list []int", Result: "int", Args: "make([]int, 100)",
			Before: "of, n := slices.Clone(list), 0\nfor _, x := range of {\n\tn += x\n}\nreturn n",
			After:  "n := 0\nfor _, x := range list {\n\tn += x\n}\nreturn n"},
	}, Spends: []string{calls, "runtime.growslice", "runtime.memmove", "runtime.stringtoslicebyte", "runtime.mallocgc", "runtime.typedslicecopy"}, Find: copyOnlyRead},
	{Row: knowledge.Row{
		ID: "sorted-per-call", Cause: "sorted-per-call",
		When:       knowledge.Words("a function collects keys of a map, which is a field or a package variable, in a new slice and sorts it"),
		Cost:       "the keys of a long-lived map are sorted in each call",
		Instead:    "Keep a sorted slice of the keys beside the map, and update it when the map changes: with slices.BinarySearch and slices.Insert, or with a flag that it must be sorted again. If the map changes between most calls, that gains nothing.",
		Confidence: finding.Low,
		Example: knowledge.Example{Params: "s *shelf", Result: "string", Args: "newShelf()", Decls: named + "\ntype shelf struct {\n\tbooks map[string]int\n\tsorted []string\n}\n\nfunc newShelf() *shelf {\n\ts := &shelf{books: numbers(named(50)), sorted: named(50)}\n\tslices.Sort(s.sorted)\n\treturn s\n}\n",
			Before: "keys := make([]string, 0, len(s.books))\nfor k := range s.books {\n\tkeys = append(keys, k)\n}\nsort.Strings(keys)\nreturn keys[0]",
			After:  "return s.sorted[0]"},
	}, Spends: []string{calls, "runtime.map", "internal/runtime/maps.", "runtime.growslice"}, Find: sortedPerCall},
	{Row: knowledge.Row{
		ID: "runes-searched", Cause: "rune-table",
		When:       knowledge.Words("a loop looks up a rune in a slice by binary search, with no earlier case for ASCII"),
		Cost:       "each character is looked up by a binary search in a table",
		Instead:    "Handle ASCII before the search, with an array: if r < 0x80 { return ascii[r] }. Neighbouring characters are mostly of one script: try the last range found first.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "text string", Result: "int", Args: "\"the quick brown fox jumps over the lazy dog\"",
			Decls:  "var ranges = func() (list [][3]int) {\n\tfor i := range 300 {\n\t\tlist = append(list, [3]int{i * 40, i*40 + 39, i % 3})\n\t}\n\treturn list\n}()\n\nvar ascii = func() (t [128]int) {\n\tfor i := range t {\n\t\tt[i] = ranges[i/40][2]\n\t}\n\treturn t\n}()\n",
			Before: "n := 0\nfor _, r := range text {\n\tlow, high := 0, len(ranges)\n\tfor low < high {\n\t\tmid := (low + high) / 2\n\t\tif int(r) < ranges[mid][0] {\n\t\t\thigh = mid\n\t\t} else if int(r) > ranges[mid][1] {\n\t\t\tlow = mid + 1\n\t\t} else {\n\t\t\tn += ranges[mid][2]\n\t\t\tbreak\n\t\t}\n\t}\n}\nreturn n",
			After:  "n := 0\nfor _, r := range text {\n\tif r < 0x80 {\n\t\tn += ascii[r]\n\t}\n}\nreturn n"},
	}, Spends: []string{""}, Find: runesSearched},
}

// readers are packages whose functions only read what they are given, but for those by
// how their names begin.
var (
	readers = []string{"bytes", "slices", "unicode/utf8", "encoding/binary", "hash/crc32", "strings"}
	setters = []string{"Sort", "Reverse", "Insert", "Delete", "Replace", "Compact", "Put", "Append", "Grow", "Clip", "NewBuffer", "NewReader", "Trim", "Split", "Fields", "Cut", "Chunk", "Values", "All", "Encode", "Write", "Read"}
)

func copyOnlyRead(p *typed.Package, n ast.Node) (m Match) {
	for v, value := range p.Declared(n) {
		from := copiedFrom(p, value)
		if from == nil || typed.Global(v) || len(p.Uses(v)) == 0 || locks(p, n) {
			continue
		}
		if base := p.Var(p.Base(from)); base == nil || setOrPointed(p, base, n.End()) {
			continue
		}
		if !slices.ContainsFunc(p.Uses(v), func(use *ast.Ident) bool { return !reads(p, use) }) {
			m.Goes = []ast.Node{value}
		}
	}
	return m
}

// copiedFrom returns what an expression makes a copy of; nil for any other.
func copiedFrom(p *typed.Package, e ast.Expr) ast.Expr {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return nil
	}
	from := ast.Expr(nil)
	if x, to := p.Conversion(call); x != nil {
		if isBytes(to) && typed.IsString(p.TypeOf(x)) && p.Info.Types[x].Value == nil {
			from = x
		}
	} else if name := strings.TrimSuffix(p.Called(call), "[...]"); (name == "slices.Clone" || name == "bytes.Clone") && len(call.Args) == 1 {
		from = call.Args[0]
	} else if p.Builtin(call) == "append" && call.Ellipsis.IsValid() && len(call.Args) == 2 {
		list, literal := ast.Unparen(call.Args[0]).(*ast.CompositeLit)
		nothing, _ := p.Conversion(call.Args[0])
		if literal && len(list.Elts) == 0 || nothing != nil && p.Info.Types[nothing].IsNil() {
			from = call.Args[1]
		}
	}
	if from == nil || !steadyParts(p, from) {
		return nil
	}
	return from
}

// setOrPointed reports whether a part of a variable is set after a position, or has
// its address taken.
func setOrPointed(p *typed.Package, v *types.Var, after token.Pos) bool {
	return typed.Global(v) || slices.ContainsFunc(p.Uses(v), func(use *ast.Ident) bool { return use.Pos() > after && p.Written(p.Operand(use)) })
}

// locks reports whether the function around a node takes a lock, starts goroutines or
// waits.
func locks(p *typed.Package, n ast.Node) (found bool) {
	ast.Inspect(p.Declaration(n.Pos()), func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt, *ast.SendStmt, *ast.SelectStmt:
			found = true
		case *ast.CallExpr:
			fn := p.Function(n)
			found = found || fn != nil && strings.Contains(fn.Name(), "Lock")
		}
		return !found
	})
	return found
}

// reads reports whether a use of a slice only looks at its elements.
func reads(p *typed.Package, use ast.Expr) bool {
	if p.Written(use) {
		return false
	}
	switch around := p.Parent(use).(type) {
	case *ast.RangeStmt:
		return around.X == use && typed.Plain(typed.Element(p.TypeOf(use)))
	case *ast.IndexExpr:
		return around.X == use && typed.Plain(typed.Element(p.TypeOf(use)))
	case *ast.CallExpr:
		fn := p.Function(around)
		return p.Measured(use) || fn != nil && fn.Pkg() != nil && slices.Contains(readers, fn.Pkg().Path()) && !slices.ContainsFunc(setters, func(name string) bool { return strings.Contains(fn.Name(), name) })
	}
	return false
}

func sortedPerCall(p *typed.Package, n ast.Node) (m Match) {
	st, ok := n.(*ast.ExprStmt)
	if !ok || constructs(p, n) {
		return m
	}
	call, ok := st.X.(*ast.CallExpr)
	if !ok || len(call.Args) == 0 || !(strings.HasPrefix(p.Called(call), "sort.") || strings.HasPrefix(p.Called(call), "slices.Sort")) {
		return m
	}
	v := p.Var(p.Converted(call.Args[0]))
	if v == nil || typed.Global(v) {
		return m
	}
	for _, use := range p.Uses(v) {
		grown, ok := p.Parent(use).(*ast.AssignStmt)
		if !ok || grown.Lhs[0] != use {
			continue
		}
		loop, ok := outer(p, grown).(*ast.RangeStmt)
		if !ok || within(loop, v.Pos()) {
			continue
		}
		over, _ := p.Object(loop.X).(*types.Var)
		if _, is := typed.Under[*types.Map](p.TypeOf(loop.X)); is && over != nil && (over.IsField() || typed.Global(over)) {
			m.Goes = []ast.Node{loop, st}
		}
	}
	return m
}

func runesSearched(p *typed.Package, n ast.Node) (m Match) {
	loop, ok := n.(*ast.ForStmt)
	if !ok {
		return m
	}
	bounds, ok := loop.Cond.(*ast.BinaryExpr)
	if !ok || p.Var(bounds.X) == nil || p.Var(bounds.Y) == nil {
		return m
	}
	halves, asks := false, false
	ast.Inspect(loop.Body, func(n ast.Node) bool {
		b, ok := n.(*ast.BinaryExpr)
		if !ok {
			return true
		}
		switch b.Op {
		case token.QUO, token.SHR:
			halves = halves || p.UsedIn(b.X, p.Var(bounds.X)) && p.UsedIn(b.X, p.Var(bounds.Y))
		case token.LSS, token.GTR, token.LEQ, token.GEQ:
			asks = asks || isRune(p, b.X) || isRune(p, b.Y)
		}
		return true
	})
	if halves && asks {
		m.Goes = []ast.Node{loop}
	}
	return m
}

// isRune reports whether an expression is a variable of type rune, converted or not.
func isRune(p *typed.Package, e ast.Expr) bool {
	v := p.Var(p.Converted(e))
	return v != nil && types.Identical(v.Type(), types.Typ[types.Rune])
}
