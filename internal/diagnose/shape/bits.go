package shape

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"whet/internal/diagnose/knowledge"
	"whet/internal/finding"
	"whet/internal/typed"
)

const bitset = `func words(step int) []uint64 {
	set := make([]uint64, 16)
	for i := 0; i < 1024; i += step {
		set[i>>6] |= 1 << (i & 63)
	}
	return set
}

func has(set []uint64, i int) bool { return set[i>>6]&(1<<(i&63)) != 0 }
`

var ofBits = []Shape{
	{Row: knowledge.Row{
		ID: "bits-asked", Cause: "bit-at-a-time",
		When:       knowledge.Words("a loop tests single bits of a slice of words, w[i>>6]&(1<<(i&63)), directly or with functions of the program that do only that, and calls nothing else"),
		Cost:       "a loop tests a set bit by bit",
		Instead:    "Work on whole words: a &^ b != 0 tells whether a has bits that b lacks, bits.OnesCount64(w) counts bits, w &= w - 1 with bits.TrailingZeros64(w) iterates over the set bits.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "set, in []uint64", Result: "bool", Args: "words(6), words(2)", Decls: bitset,
			Before: "for i := range 1024 {\n\tif has(set, i) && !has(in, i) {\n\t\treturn false\n\t}\n}\nreturn true",
			After:  "for i, w := range set {\n\tif w&^in[i] != 0 {\n\t\treturn false\n\t}\n}\nreturn true"},
	}, Spends: []string{"", calls}, Find: bitsAsked},
	{Row: knowledge.Row{
		ID: "bits-written", Cause: "bit-at-a-time",
		When:       knowledge.Words("b[len(b)-1] |= x << n or x >> n, of a slice of bytes, where a loop, or the caller's loop, writes values with a varying number of bits"),
		Cost:       "values of a few bits are written to a slice byte by byte",
		Instead:    "Collect the bits in a uint64, and append 4 or 8 bytes at once when it is full: binary.BigEndian.AppendUint32.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "codes []uint32, lengths []uint8", Result: "int", Args: "[]uint32{5, 300, 17, 2, 1000, 77, 9, 4000, 3, 250}, []uint8{5, 10, 6, 3, 11, 8, 5, 13, 5, 9}",
			Before: "b, left := make([]byte, 0, 32), uint8(0)\nfor i, code := range codes {\n\tn := lengths[i]\n\tfor n > 0 {\n\t\tif left == 0 {\n\t\t\tb, left = append(b, 0), 8\n\t\t}\n\t\tif n < left {\n\t\t\tleft -= n\n\t\t\tb[len(b)-1] |= byte(code << left)\n\t\t\tbreak\n\t\t}\n\t\tn -= left\n\t\tb[len(b)-1] |= byte(code >> n)\n\t\tleft = 0\n\t}\n}\nreturn len(b)",
			After:  "b, w, n := make([]byte, 0, 32), uint64(0), uint8(0)\nfor i, code := range codes {\n\tw = w<<lengths[i] | uint64(code)\n\tif n += lengths[i]; n >= 32 {\n\t\tn -= 32\n\t\tb = binary.BigEndian.AppendUint32(b, uint32(w>>n))\n\t}\n}\nfor ; n >= 8; n -= 8 {\n\tb = append(b, byte(w>>(n-8)))\n}\nif n > 0 {\n\tb = append(b, byte(w<<(8-n)))\n}\nreturn len(b)"},
	}, Spends: []string{"", "runtime.growslice"}, Find: bitsWritten},
}

// ofWord reports whether an expression is the number of the word in which a bit is:
// i >> 6, i / 64.
func ofWord(p *typed.Package, e ast.Expr) bool {
	at, ok := ast.Unparen(p.Converted(e)).(*ast.BinaryExpr)
	if !ok || at.Op != token.SHR && at.Op != token.QUO {
		return false
	}
	v := p.Info.Types[at.Y].Value
	if v == nil {
		return false
	}
	n, _ := constant.Int64Val(constant.ToInt(v))
	return at.Op == token.SHR && n >= 3 && n <= 6 || at.Op == token.QUO && slices.Contains([]int64{8, 16, 32, 64}, n)
}

// asksBit reports whether a node takes a word of a set by the number of a bit: w[i>>6].
func asksBit(p *typed.Package, n ast.Node) bool {
	ix, ok := n.(*ast.IndexExpr)
	if !ok || p.Written(ix) {
		return false
	}
	of := typed.Element(p.TypeOf(ix.X))
	b, ok := typed.Under[*types.Basic](of)
	if !ok || b.Info()&types.IsUnsigned == 0 {
		return false
	}
	if v := p.Var(ix.Index); v != nil {
		values, _ := p.SetTo(v)
		return slices.ContainsFunc(values, func(e ast.Expr) bool { return ofWord(p, e) })
	}
	return ofWord(p, ix.Index)
}

// bitReader reports whether a function asks for bits and is short.
func bitReader(fn *typed.Function) (found bool) {
	if fn == nil || fn.Decl.Body == nil || len(fn.Decl.Body.List) > 16 {
		return false
	}
	ast.Inspect(fn.Decl.Body, func(n ast.Node) bool {
		found = found || n != nil && asksBit(fn.Package, n)
		return !found
	})
	return found
}

func bitsAsked(p *typed.Package, n ast.Node) (m Match) {
	if typed.LoopBody(n) == nil {
		return m
	}
	asks, more := false, false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			x, _ := p.Conversion(n)
			switch {
			case x != nil || p.Builtin(n) == "len" || len(n.Args) == 0:
			case bitReader(p.Reached(n)):
				asks = true
			default:
				more = true
			}
		case *ast.IndexExpr:
			asks = asks || asksBit(p, n)
		}
		return !more
	})
	if asks && !more {
		m.Goes = []ast.Node{n}
	}
	return m
}

func bitsWritten(p *typed.Package, n ast.Node) (m Match) {
	if typed.LoopBody(n) == nil {
		return m
	}
	ast.Inspect(n, func(inner ast.Node) bool {
		st, ok := inner.(*ast.AssignStmt)
		if !ok || st.Tok != token.OR_ASSIGN || outer(p, st) != n {
			return true
		}
		ix, ok := st.Lhs[0].(*ast.IndexExpr)
		if ok && isBytes(p.TypeOf(ix.X)) && isLast(p, ix) && shifts(p, st) {
			m.Goes = []ast.Node{n}
		}
		return true
	})
	return m
}

// isLast reports whether an index is that of a slice's last element: b[len(b)-1].
func isLast(p *typed.Package, ix *ast.IndexExpr) bool {
	last, ok := ix.Index.(*ast.BinaryExpr)
	if !ok || last.Op != token.SUB {
		return false
	}
	call, ok := last.X.(*ast.CallExpr)
	return ok && p.Builtin(call) == "len" && len(call.Args) == 1 && typed.Same(call.Args[0], ix.X)
}

// shifts reports whether what is or'ed to a byte was shifted by a number that varies.
func shifts(p *typed.Package, st *ast.AssignStmt) (found bool) {
	value := st.Rhs[0]
	if v := p.Var(value); v != nil {
		if values, known := p.SetTo(v); known && len(values) == 1 {
			value = values[0]
		}
	}
	ast.Inspect(value, func(n ast.Node) bool {
		b, ok := n.(*ast.BinaryExpr)
		found = found || ok && (b.Op == token.SHL || b.Op == token.SHR) && p.Info.Types[b.Y].Value == nil
		return !found
	})
	return found
}
