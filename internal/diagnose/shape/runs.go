package shape

import (
	"go/ast"
	"go/token"
	"go/types"

	"whet/internal/diagnose/knowledge"
	"whet/internal/finding"
	"whet/internal/typed"
)

var ofRuns = []Shape{
	{Row: knowledge.Row{
		ID: "elements-appended", Cause: "element-at-a-time",
		When:       knowledge.Words("a loop over a slice only appends the element to another slice of the same type"),
		Cost:       "a loop appends a slice element by element",
		Instead:    "Use to = append(to, from...), which grows the slice once and moves all elements at once.",
		Confidence: finding.High,
		Example: knowledge.Example{Params: "from []int", Result: "int", Args: "make([]int, 300)",
			Before: "var to []int\nfor _, x := range from {\n\tto = append(to, x)\n}\nreturn len(to)",
			After:  "var to []int\nto = append(to, from...)\nreturn len(to)"},
	}, Spends: []string{"", "runtime.growslice", "runtime.memmove", "runtime.typedmemmove", "runtime.gcWriteBarrier"}, Find: elementsAppended},
	{Row: knowledge.Row{
		ID: "bytes-compared", Cause: "element-at-a-time",
		When:       knowledge.Words("a loop over bytes or a string only returns if the element differs from the one at the same index of another"),
		Cost:       "a loop compares bytes one by one",
		Instead:    "bytes.Equal(a[:n], b[:n]), and == of strings, compare 16 or 32 bytes at a time. To find the first difference, compare 8 at a time as numbers (binary.LittleEndian.Uint64) and take bits.TrailingZeros64 of their xor.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "a, b []byte", Result: "bool", Args: "make([]byte, 200), make([]byte, 200)",
			Before: "if len(a) != len(b) {\n\treturn false\n}\nfor i, c := range a {\n\tif c != b[i] {\n\t\treturn false\n\t}\n}\nreturn true",
			After:  "return bytes.Equal(a, b)"},
	}, Spends: []string{""}, Find: bytesCompared},
	{Row: knowledge.Row{
		ID: "bytes-xored", Cause: "element-at-a-time",
		When:       knowledge.Words("a loop over bytes only sets an element to the xor of two at the same index, or at indexes a fixed distance apart"),
		Cost:       "a loop xors bytes one by one",
		Instead:    "Use subtle.XORBytes(dst, a, b) of package crypto/subtle; dst may be a or b. For bytes a distance apart slice first: subtle.XORBytes(dst, dst[:n], b[k:k+n]).",
		Confidence: finding.High,
		Example: knowledge.Example{Params: "a, b []byte", Result: "byte", Args: "make([]byte, 200), make([]byte, 200)",
			Before: "for i := range a {\n\ta[i] ^= b[i]\n}\nreturn a[0]",
			After:  "subtle.XORBytes(a, a, b)\nreturn a[0]"},
	}, Spends: []string{""}, Find: bytesXored},
	{Row: knowledge.Row{
		ID: "bytes-filled", Cause: "element-at-a-time",
		When:       knowledge.Words("a loop over a slice of bytes only sets the element to one value other than zero"),
		Cost:       "a loop fills bytes one by one",
		Instead:    "Set the first byte, and double: for n := 1; n < len(b); n *= 2 { copy(b[n:], b[:n]) }. If the length is bounded, copy from a constant string of that byte; for a new slice, use bytes.Repeat.",
		Confidence: finding.High,
		Example: knowledge.Example{Params: "b []byte", Result: "byte", Args: "make([]byte, 200)",
			Before: "for i := range b {\n\tb[i] = ' '\n}\nreturn b[0]",
			After:  "if len(b) == 0 {\n\treturn 0\n}\nb[0] = ' '\nfor n := 1; n < len(b); n *= 2 {\n\tcopy(b[n:], b[:n])\n}\nreturn b[0]"},
	}, Spends: []string{""}, Find: bytesFilled},
	{Row: knowledge.Row{
		ID: "byte-written-again", Cause: "element-at-a-time",
		When:       knowledge.Words("a loop only writes or appends one constant byte, rune or one-byte string"),
		Cost:       "a loop writes the same byte again and again",
		Instead:    "Write many at a time from a constant: b = append(b, spaces[:n]...), w.WriteString(spaces[:n]), in several rounds if n may exceed its length.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "n int", Result: "int", Args: "60", Decls: "const spaces = \"                                                                \"\n",
			Before: "var b strings.Builder\nb.Grow(64)\nfor i := 0; i < n; i++ {\n\tb.WriteByte(' ')\n}\nreturn b.Len()",
			After:  "var b strings.Builder\nb.Grow(64)\nfor ; n > len(spaces); n -= len(spaces) {\n\tb.WriteString(spaces)\n}\nb.WriteString(spaces[:n])\nreturn b.Len()"},
	}, Spends: []string{"", "strings.(*Builder).", "bytes.(*Buffer).", "bufio.(*Writer).Write", "runtime.growslice"}, Find: byteWrittenAgain},
}

// sets returns the assignment of one element of bytes that a loop's body consists of.
func sets(p *typed.Package, n ast.Node) (l *elementLoop, st *ast.AssignStmt, to *ast.IndexExpr) {
	if l = eachOf(p, n); l == nil {
		return nil, nil, nil
	}
	st, ok := only(l.body).(*ast.AssignStmt)
	if !ok || len(st.Lhs) != 1 || len(st.Rhs) != 1 {
		return nil, nil, nil
	}
	to, ok = st.Lhs[0].(*ast.IndexExpr)
	if !ok || !l.isKey(p, to.Index) || !isBytes(p.TypeOf(to.X)) || !steadyParts(p, to.X) {
		return nil, nil, nil
	}
	return l, st, to
}

// atKey reports whether an expression is the byte of the round of some bytes.
func (l *elementLoop) atKey(p *typed.Package, e ast.Expr) bool {
	ix, ok := ast.Unparen(e).(*ast.IndexExpr)
	return l.isElement(p, e) || ok && l.isKey(p, ix.Index) && isBytes(p.TypeOf(ix.X)) && steadyParts(p, ix.X)
}

func elementsAppended(p *typed.Package, n ast.Node) (m Match) {
	l := eachOf(p, n)
	if l == nil {
		return m
	}
	st, ok := only(l.body).(*ast.AssignStmt)
	if !ok || st.Tok != token.ASSIGN || len(st.Lhs) != 1 || len(st.Rhs) != 1 {
		return m
	}
	call, ok := st.Rhs[0].(*ast.CallExpr)
	if !ok || p.Builtin(call) != "append" || len(call.Args) != 2 || call.Ellipsis.IsValid() || !typed.Same(call.Args[0], st.Lhs[0]) || !l.isElement(p, call.Args[1]) || typed.Same(st.Lhs[0], l.x) {
		return m
	}
	from, ok := typed.Under[*types.Slice](p.TypeOf(l.x))
	to, is := typed.Under[*types.Slice](p.TypeOf(call.Args[0]))
	if ok && is && types.Identical(from.Elem(), to.Elem()) {
		m.Goes = []ast.Node{l.loop}
	}
	return m
}

func bytesCompared(p *typed.Package, n ast.Node) (m Match) {
	l := eachOf(p, n)
	if l == nil || !isBytes(p.TypeOf(l.x)) && (!typed.IsString(p.TypeOf(l.x)) || l.value != nil) {
		return m
	}
	st, ok := only(l.body).(*ast.IfStmt)
	if !ok || st.Init != nil || st.Else != nil {
		return m
	}
	is, ok := ast.Unparen(st.Cond).(*ast.BinaryExpr)
	if !ok || is.Op != token.NEQ {
		return m
	}
	other, ok := ast.Unparen(is.Y).(*ast.IndexExpr)
	if !l.isElement(p, is.X) {
		other, ok = ast.Unparen(is.X).(*ast.IndexExpr)
		if !l.isElement(p, is.Y) {
			return m
		}
	}
	if _, returns := only(st.Body).(*ast.ReturnStmt); returns && ok && l.isKey(p, other.Index) && steadyParts(p, other.X) && (isBytes(p.TypeOf(other.X)) || typed.IsString(p.TypeOf(other.X))) {
		m.Goes = []ast.Node{l.loop}
	}
	return m
}

func bytesXored(p *typed.Package, n ast.Node) (m Match) {
	l, st, _ := sets(p, n)
	if l == nil {
		return xoredAtOffset(p, n)
	}
	x, ok := ast.Unparen(st.Rhs[0]).(*ast.BinaryExpr)
	if st.Tok == token.XOR_ASSIGN && l.atKey(p, st.Rhs[0]) || st.Tok == token.ASSIGN && ok && x.Op == token.XOR && l.atKey(p, x.X) && l.atKey(p, x.Y) {
		m.Goes = []ast.Node{l.loop}
	}
	return m
}

// sameBytes reports whether two elements are of the same slice: a byte that was set in
// one round is read in a later one then, and XORBytes panics where they overlap.
func sameBytes(x, y ast.Expr) bool {
	return typed.Same(ast.Unparen(x).(*ast.IndexExpr).X, ast.Unparen(y).(*ast.IndexExpr).X)
}

// xoredAtOffset is bytesXored of a loop with any bound, for i := 0; i < n; i++, that
// xors a byte at i, or at i and a distance, to one at i and another.
func xoredAtOffset(p *typed.Package, n ast.Node) (m Match) {
	loop, ok := n.(*ast.ForStmt)
	if !ok || loop.Cond == nil {
		return m
	}
	init, _ := loop.Init.(*ast.AssignStmt)
	cond, _ := loop.Cond.(*ast.BinaryExpr)
	post, _ := loop.Post.(*ast.IncDecStmt)
	set, _ := only(loop.Body).(*ast.AssignStmt)
	if init == nil || cond == nil || post == nil || set == nil || len(init.Lhs) != 1 || cond.Op != token.LSS || post.Tok != token.INC || set.Tok != token.XOR_ASSIGN {
		return m
	}
	key := p.Var(init.Lhs[0])
	at := func(e ast.Expr) bool {
		ix, ok := ast.Unparen(e).(*ast.IndexExpr)
		if !ok || !isBytes(p.TypeOf(ix.X)) || !steadyParts(p, ix.X) {
			return false
		}
		if sum, ok := ast.Unparen(ix.Index).(*ast.BinaryExpr); ok && sum.Op == token.ADD {
			return p.Var(sum.X) == key && steadyParts(p, sum.Y) && !p.UsedIn(sum.Y, key)
		}
		return p.Var(ix.Index) == key
	}
	if key != nil && p.Var(cond.X) == key && p.Var(post.X) == key && at(set.Lhs[0]) && at(set.Rhs[0]) && !sameBytes(set.Lhs[0], set.Rhs[0]) {
		m.Goes = []ast.Node{loop}
	}
	return m
}

func bytesFilled(p *typed.Package, n ast.Node) (m Match) {
	l, st, to := sets(p, n)
	if l == nil || st.Tok != token.ASSIGN || !typed.Same(to.X, l.x) {
		return m
	}
	v := p.Info.Types[st.Rhs[0]].Value
	if of := p.Var(st.Rhs[0]); v != nil && v.ExactString() != "0" || of != nil && of != l.value && of != l.key && !typed.Global(of) {
		m.Goes = []ast.Node{l.loop}
	}
	return m
}

func byteWrittenAgain(p *typed.Package, n ast.Node) (m Match) {
	body := typed.LoopBody(n)
	if body == nil {
		return m
	}
	var call *ast.CallExpr
	switch st := only(body).(type) {
	case *ast.ExprStmt:
		call, _ = st.X.(*ast.CallExpr)
	case *ast.AssignStmt:
		if len(st.Rhs) == 1 {
			call, _ = st.Rhs[0].(*ast.CallExpr)
		}
	}
	if call == nil || call.Ellipsis.IsValid() || len(call.Args) > 2 {
		return m
	}
	arg := writes(p, call)
	if arg == nil || p.Info.Types[arg].Value == nil {
		return m
	}
	if v := p.Info.Types[arg].Value.ExactString(); !typed.IsString(p.TypeOf(arg)) || len(v) == len(`" "`) {
		m.Goes = []ast.Node{n}
	}
	return m
}
