package shape

import (
	"go/ast"
	"go/token"
	"go/types"

	"whet/internal/diagnose/knowledge"
	"whet/internal/finding"
	"whet/internal/typed"
)

// causesOfDivisions are the rules about divisions that a loop could do without.
var causesOfDivisions = []knowledge.Cause{{
	ID: "division-in-loop", Title: "a division in each round of a loop",
	What:     "A loop divides by a variable that does not change in it: the elements of a slice, or its own counter modulo another slice's length.",
	Why:      "The compiler turns divisions by constants into multiplications, but not divisions by variables: a division takes 10 to 40 cycles, several times as long as a multiplication or a comparison.",
	Silent:   "For constants; when the loop sets the divisor; when the round calls functions, which outweigh a division; for divisions of integers other than the loop's counter.",
	Fix:      "Use a counter that wraps around, a multiplication by 1/x, or, if the length is a power of two, a mask.",
	Unneeded: "by the same number in all rounds",
}}

var ofDivisions = []Shape{
	{Row: knowledge.Row{
		ID: "counter-modulo", Cause: "division-in-loop",
		When:       knowledge.Words("a loop that counts up by one calls only builtin functions, and takes its counter modulo a variable that it does not set: key[i%len(key)]"),
		Cost:       "a loop divides its counter in each round",
		Instead:    "Count with a second variable that wraps around: if j++; j == n { j = 0 }.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "text, key []byte", Result: "byte", Args: "make([]byte, 1000), []byte(\"a key of 19 letters\")",
			Before: "for i := range text {\n\ttext[i] ^= key[i%len(key)]\n}\nreturn text[0]",
			After:  "j := 0\nfor i := range text {\n\ttext[i] ^= key[j]\n\tif j++; j == len(key) {\n\t\tj = 0\n\t}\n}\nreturn text[0]"},
	}, Spends: []string{""}, Find: counterModulo},
	{Row: knowledge.Row{
		ID: "floats-divided", Cause: "division-in-loop",
		When:       knowledge.Words("a loop over a slice of floating-point numbers only divides its elements by a variable that it does not set: for i := range s { s[i] /= x }"),
		Cost:       "a loop divides each element by the same number",
		Instead:    "Compute inv := 1 / x before the loop, and s[i] *= inv in it. The last bit of a result may differ.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "list []float64, by float64", Result: "float64", Args: "slices.Repeat([]float64{3, 4, 5}, 100), 2",
			Before: "for i := range list {\n\tlist[i] /= by\n}\nreturn list[0] * 0",
			After:  "inv := 1 / by\nfor i := range list {\n\tlist[i] *= inv\n}\nreturn list[0] * 0"},
	}, Spends: []string{""}, Find: floatsDivided},
	{Row: knowledge.Row{
		ID: "slot-modulo", Cause: "division-in-loop",
		When:       knowledge.Words("a loop indexes a slice by an unsigned number modulo the slice's length, s[h%uint64(len(s))]"),
		Cost:       "a loop divides to find a slot",
		Instead:    "Make the slice's length a power of two, and mask: s[h&uint64(len(s)-1)]. The low bits of the hash must then be well distributed. For 32-bit hashes, uint64(h)*uint64(len(s))>>32 works for any length.",
		Confidence: finding.Low,
		Example: knowledge.Example{Params: "slots []int, hashes []uint64", Result: "int", Args: "make([]int, 256), slices.Repeat([]uint64{0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb}, 100)",
			Before: "n := 0\nfor _, h := range hashes {\n\tn += slots[h%uint64(len(slots))]\n}\nreturn n",
			After:  "n := 0\nfor _, h := range hashes {\n\tn += slots[h&uint64(len(slots)-1)]\n}\nreturn n"},
	}, Spends: []string{""}, Find: slotModulo},
}

// divides returns a division, or what it leaves, by a number that is no constant and that a
// loop around it does not set; nil for any other node.
func divides(p *typed.Package, n ast.Node, op token.Token) (*ast.BinaryExpr, ast.Stmt) {
	div, ok := n.(*ast.BinaryExpr)
	if !ok || div.Op != op || p.Info.Types[div.Y].Value != nil {
		return nil, nil
	}
	loop, _ := outer(p, div).(ast.Stmt)
	if loop == nil || p.Literal(div) != p.Literal(loop) || varies(p, div.Y, loop) {
		return nil, nil
	}
	return div, loop
}

// counter returns the variable that a loop adds one to in each round, nil where there is none.
func counter(p *typed.Package, loop ast.Stmt) *types.Var {
	switch loop := loop.(type) {
	case *ast.RangeStmt:
		if _, ofMap := typed.Under[*types.Map](p.TypeOf(loop.X)); ofMap || loop.Tok != token.DEFINE || loop.Key == nil {
			return nil
		}
		if v := p.Var(loop.Key); v != nil && typed.IsInteger(v.Type()) {
			return v
		}
	case *ast.ForStmt:
		if post, ok := loop.Post.(*ast.IncDecStmt); ok && post.Tok == token.INC {
			return p.Var(post.X)
		}
	}
	return nil
}

func counterModulo(p *typed.Package, n ast.Node) (m Match) {
	mod, loop := divides(p, n, token.REM)
	if mod == nil || !quiet(p, loop) {
		return m
	}
	v := counter(p, loop)
	if v == nil || p.Var(p.Converted(mod.X)) != v || typed.IsString(p.TypeOf(rangedOver(loop))) {
		return m // the indexes of a text's runes leave some out
	}
	for _, use := range p.Uses(v) {
		if within(typed.LoopBody(loop), use.Pos()) && p.Written(use) {
			return m
		}
	}
	m.Goes = []ast.Node{mod}
	return m
}

// rangedOver returns what a range statement goes over, nil of another loop.
func rangedOver(loop ast.Stmt) ast.Expr {
	if over, ok := loop.(*ast.RangeStmt); ok {
		return over.X
	}
	return nil
}

// quiet reports whether a loop's rounds call nothing but builtin functions, and have no
// loop in them: beside what those do a division is little.
func quiet(p *typed.Package, loop ast.Stmt) bool {
	found := true
	ast.Inspect(typed.LoopBody(loop), func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			x, _ := p.Conversion(n)
			found = found && (x != nil && !typed.IsString(p.TypeOf(n)) || p.Builtin(n) != "")
		case *ast.ForStmt, *ast.RangeStmt, *ast.FuncLit, *ast.GoStmt, *ast.SendStmt, *ast.SelectStmt:
			found = false
		case *ast.UnaryExpr:
			found = found && n.Op != token.ARROW
		}
		return found
	})
	return found
}

func floatsDivided(p *typed.Package, n ast.Node) (m Match) {
	l := eachOf(p, n)
	if l == nil {
		return m
	}
	set, ok := only(l.body).(*ast.AssignStmt)
	if !ok || len(set.Lhs) != 1 || len(set.Rhs) != 1 || p.Container(set.Lhs[0]) == nil {
		return m
	}
	of, ok := typed.Under[*types.Basic](p.TypeOf(set.Lhs[0]))
	if !ok || of.Info()&types.IsFloat == 0 {
		return m
	}
	by := set.Rhs[0]
	switch set.Tok {
	case token.QUO_ASSIGN:
	case token.ASSIGN:
		div, ok := ast.Unparen(by).(*ast.BinaryExpr)
		if !ok || div.Op != token.QUO || !l.isElement(p, div.X) {
			return m
		}
		by = div.Y
	default:
		return m
	}
	to, ok := ast.Unparen(set.Lhs[0]).(*ast.IndexExpr)
	if ok && l.isKey(p, to.Index) && p.Info.Types[by].Value == nil && steadyParts(p, by) && p.Container(by) == nil && !varies(p, by, l.loop) {
		m.Goes = []ast.Node{l.loop}
	}
	return m
}

func slotModulo(p *typed.Package, n ast.Node) (m Match) {
	ix, ok := n.(*ast.IndexExpr)
	if !ok {
		return m
	}
	if _, slice := typed.Under[*types.Slice](p.TypeOf(ix.X)); !slice {
		return m
	}
	mod, loop := divides(p, p.Converted(ix.Index), token.REM)
	if mod == nil || !quiet(p, loop) {
		return m
	}
	if v := counter(p, loop); v != nil && p.UsedIn(mod.X, v) {
		return m
	}
	of, ok := typed.Under[*types.Basic](p.TypeOf(mod.X))
	if x := measured(p, p.Converted(mod.Y)); ok && of.Info()&types.IsUnsigned != 0 && x != nil && typed.Same(x, ix.X) {
		m.Goes = []ast.Node{ix}
	}
	return m
}
