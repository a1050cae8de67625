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

var ofElements = []Shape{
	{Row: knowledge.Row{
		ID: "elements-copied", Cause: "element-at-a-time",
		When:       knowledge.Words("a loop over a slice only sets the same element of another slice of the same type: for i, v := range from { to[i] = v }"),
		Cost:       "a loop copies a slice element by element",
		Instead:    "Use copy(to, from). If to may be shorter, write to[:len(from)], which panics as the loop does. If both may overlap in one array, the loop copies elements it has already overwritten: keep it.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "to, from []byte", Result: "byte", Args: "make([]byte, 1000), make([]byte, 1000)",
			Before: "for i, c := range from {\n\tto[i] = c\n}\nreturn to[0]",
			After:  "copy(to, from)\nreturn to[0]"},
	}, Spends: []string{""}, Find: elementsCopied},
	{Row: knowledge.Row{
		ID: "bytes-counted", Cause: "element-at-a-time",
		When:       knowledge.Words("a loop over bytes or a string only adds one to a number if the element equals a given byte"),
		Cost:       "a loop counts a byte element by element",
		Instead:    "bytes.Count(b, []byte{c}) and strings.Count(s, string(c)) count 16 or 32 bytes at a time.",
		Confidence: finding.High,
		Example: knowledge.Example{Params: "text []byte", Result: "int", Args: "make([]byte, 1000)",
			Before: "n := 0\nfor _, c := range text {\n\tif c == '\\n' {\n\t\tn++\n\t}\n}\nreturn n",
			After:  "return bytes.Count(text, []byte{'\\n'})"},
	}, Spends: []string{""}, Find: bytesCounted},
	{Row: knowledge.Row{
		ID: "byte-searched", Cause: "element-at-a-time",
		When:       knowledge.Words("a loop over bytes only breaks or returns if the element equals a given byte"),
		Cost:       "a loop searches for a byte element by element",
		Instead:    "bytes.IndexByte(b, c) examines 16 or 32 bytes at a time. If the byte is nearly always among the first ten, the loop is as fast.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "line []byte", Result: "int", Args: "append(make([]byte, 100), ',')",
			Before: "for i, c := range line {\n\tif c == ',' {\n\t\treturn i\n\t}\n}\nreturn -1",
			After:  "return bytes.IndexByte(line, ',')"},
	}, Spends: []string{""}, Find: byteSearched},
	{Row: knowledge.Row{
		ID: "bytes-searched", Cause: "element-at-a-time",
		When:       knowledge.Words("a loop over bytes or a string only breaks or returns if the element equals one of two to four characters"),
		Cost:       "a loop searches for one of several characters element by element",
		Instead:    "Search for each of them in the part before the first match so far: end := len(s), and for each c: if i := strings.IndexByte(s[:end], c); i >= 0 { end = i }; for non-ASCII characters use strings.Index. IndexByte examines 16 or 32 bytes at a time. If one of them is nearly always among the first twenty bytes, the loop is as fast.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "line string", Result: "int", Args: "strings.Repeat(\"a line of some words \", 5)",
			Before: "for i := range len(line) {\n\tif line[i] == '\\r' || line[i] == '\\n' {\n\t\treturn i\n\t}\n}\nreturn len(line)",
			After:  "end := len(line)\nif i := strings.IndexByte(line, '\\n'); i >= 0 {\n\tend = i\n}\nif i := strings.IndexByte(line[:end], '\\r'); i >= 0 {\n\tend = i\n}\nreturn end"},
	}, Spends: []string{""}, Find: bytesSearched},
}

// elementLoop is a loop over all elements of x in order: key is the index and value
// the element; either may be nil.
type elementLoop struct {
	loop       ast.Stmt
	x          ast.Expr
	key, value *types.Var
	body       *ast.BlockStmt
}

// eachOf reads for i, v := range x, for i := range len(x) and
// for i := 0; i < len(x); i++, of an x without calls; nil for any other node.
func eachOf(p *typed.Package, n ast.Node) *elementLoop {
	var l elementLoop
	switch n := n.(type) {
	case *ast.RangeStmt:
		l = elementLoop{loop: n, x: n.X, body: n.Body}
		if x := measured(p, n.X); x != nil {
			l.x = x
		}
		if n.Tok != token.DEFINE {
			return nil
		}
		l.key = p.Var(n.Key)
		if n.Value != nil {
			l.value = p.Var(n.Value)
		}
	case *ast.ForStmt:
		init, _ := n.Init.(*ast.AssignStmt)
		cond, _ := n.Cond.(*ast.BinaryExpr)
		post, _ := n.Post.(*ast.IncDecStmt)
		if init == nil || cond == nil || post == nil || init.Tok != token.DEFINE || len(init.Lhs) != 1 || len(init.Rhs) != 1 || cond.Op != token.LSS || post.Tok != token.INC {
			return nil
		}
		from := p.Info.Types[init.Rhs[0]].Value
		l = elementLoop{loop: n, x: measured(p, cond.Y), key: p.Var(init.Lhs[0]), body: n.Body}
		if l.x == nil || l.key == nil || p.Var(cond.X) != l.key || p.Var(post.X) != l.key || from == nil || from.ExactString() != "0" {
			return nil
		}
	}
	if l.x == nil || p.TypeOf(l.x) == nil || !steadyParts(p, l.x) {
		return nil
	}
	return &l
}

// only returns the statement that a loop's body consists of, nil where there are others.
func only(b *ast.BlockStmt) ast.Stmt {
	if len(b.List) != 1 {
		return nil
	}
	return b.List[0]
}

// isElement reports whether an expression is the element of the round.
func (l *elementLoop) isElement(p *typed.Package, e ast.Expr) bool {
	if v := p.Var(e); v != nil {
		return v == l.value
	}
	ix, ok := ast.Unparen(e).(*ast.IndexExpr)
	return ok && l.isKey(p, ix.Index) && typed.Same(ix.X, l.x)
}

func (l *elementLoop) isKey(p *typed.Package, e ast.Expr) bool {
	return l.key != nil && p.Var(e) == l.key
}

func elementsCopied(p *typed.Package, n ast.Node) (m Match) {
	l := eachOf(p, n)
	if l == nil {
		return m
	}
	from, ok := typed.Under[*types.Slice](p.TypeOf(l.x))
	set, is := only(l.body).(*ast.AssignStmt)
	if !ok || !is || set.Tok != token.ASSIGN || len(set.Lhs) != 1 || len(set.Rhs) != 1 || !l.isElement(p, set.Rhs[0]) {
		return m
	}
	to, ok := set.Lhs[0].(*ast.IndexExpr)
	if !ok || !l.isKey(p, to.Index) || !steadyParts(p, to.X) || typed.Same(to.X, l.x) {
		return m
	}
	if into, ok := typed.Under[*types.Slice](p.TypeOf(to.X)); ok && types.Identical(into.Elem(), from.Elem()) && !slices.Equal(arrays(p, to.X), arrays(p, l.x)) {
		m.Goes = []ast.Node{l.loop}
	}
	return m
}

// arrays returns the variables and fields of which an expression is a part, through the
// variables that are set to parts of them. Those of two slices that are the same may
// overlap, where a loop repeats what it has copied before.
func arrays(p *typed.Package, e ast.Expr) (of []types.Object) {
	for range 4 {
		for x := p.Container(e); x != nil; x = p.Container(e) {
			if _, field := ast.Unparen(e).(*ast.SelectorExpr); field {
				break
			}
			e = x
		}
		v := p.Var(e)
		if v == nil || typed.Global(v) {
			break
		}
		values, known := p.SetTo(v)
		if !known || len(values) == 0 || p.Container(values[0]) == nil {
			break
		}
		e = values[0]
	}
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			of = append(of, p.Info.ObjectOf(id))
		}
		return true
	})
	return of
}

// comparedByte returns a loop over bytes, or a text, whose body only asks whether the
// element is a byte that is the same in all rounds, and what it does then.
func comparedByte(p *typed.Package, n ast.Node) (l *elementLoop, then ast.Stmt) {
	if l = eachOf(p, n); l == nil {
		return nil, nil
	}
	st, ok := only(l.body).(*ast.IfStmt)
	if !ok || st.Init != nil || st.Else != nil {
		return nil, nil
	}
	is, ok := ast.Unparen(st.Cond).(*ast.BinaryExpr)
	if !ok || is.Op != token.EQL || !l.isElement(p, is.X) {
		return nil, nil
	}
	of, _ := typed.Under[*types.Basic](typed.Element(p.TypeOf(l.x)))
	v, value := p.Var(is.Y), p.Info.Types[is.Y].Value
	switch {
	case of != nil && of.Kind() == types.Uint8:
		if value == nil && (v == nil || typed.Global(v) || v == l.key || v == l.value) {
			return nil, nil
		}
	case typed.IsString(p.TypeOf(l.x)) && value != nil:
		// Beyond ASCII a character is no byte.
		if c, exact := constant.Int64Val(constant.ToInt(value)); !exact || c < 0 || c > 127 {
			return nil, nil
		}
	default:
		return nil, nil
	}
	return l, only(st.Body)
}

func bytesCounted(p *typed.Package, n ast.Node) (m Match) {
	l, then := comparedByte(p, n)
	if add, ok := then.(*ast.IncDecStmt); ok && add.Tok == token.INC && p.Var(add.X) != nil && p.Var(add.X) != l.key {
		m.Goes = []ast.Node{l.loop}
	}
	return m
}

func byteSearched(p *typed.Package, n ast.Node) (m Match) {
	if l, then := comparedByte(p, n); then != nil && l.ends(p, []ast.Stmt{then}) {
		m.Goes = []ast.Node{l.loop}
	}
	return m
}

// bytesSearched is byteSearched for some characters.
func bytesSearched(p *typed.Package, n ast.Node) (m Match) {
	l := eachOf(p, n)
	if l == nil {
		return m
	}
	st, ok := only(l.body).(*ast.IfStmt)
	if !ok || st.Init != nil || st.Else != nil || !l.ends(p, st.Body.List) {
		return m
	}
	if of, _ := typed.Under[*types.Basic](typed.Element(p.TypeOf(l.x))); !typed.IsString(p.TypeOf(l.x)) && (of == nil || of.Kind() != types.Uint8) {
		return m
	}
	some := 0
	var isOne func(e ast.Expr) bool
	isOne = func(e ast.Expr) bool {
		is, ok := ast.Unparen(e).(*ast.BinaryExpr)
		switch {
		case ok && is.Op == token.LOR:
			return isOne(is.X) && isOne(is.Y)
		case ok && is.Op == token.EQL:
			some++
			return l.isElement(p, is.X) && p.Info.Types[is.Y].Value != nil
		}
		return false
	}
	if isOne(st.Cond) && 2 <= some && some <= 4 {
		m.Goes = []ast.Node{l.loop}
	}
	return m
}

// ends reports whether statements only leave the loop, with constants and the index.
func (l *elementLoop) ends(p *typed.Package, list []ast.Stmt) bool {
	values := func(all []ast.Expr) bool {
		return !slices.ContainsFunc(all, func(e ast.Expr) bool {
			tv := p.Info.Types[e]
			return tv.Value == nil && !tv.IsNil() && !l.isKey(p, e)
		})
	}
	if len(list) == 0 {
		return false
	}
	for _, st := range list[:len(list)-1] {
		if set, ok := st.(*ast.AssignStmt); !ok || set.Tok != token.ASSIGN || !values(set.Rhs) {
			return false
		}
	}
	switch last := list[len(list)-1].(type) {
	case *ast.ReturnStmt:
		return values(last.Results)
	case *ast.BranchStmt:
		return last.Tok == token.BREAK && last.Label == nil
	}
	return false
}
