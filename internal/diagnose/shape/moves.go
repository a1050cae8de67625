package shape

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"whet/internal/diagnose/knowledge"
	"whet/internal/finding"
	"whet/internal/typed"
)

var moves = []string{"runtime.memmove", "runtime.growslice", "runtime.typedslicecopy", "runtime.typedmemmove", "runtime.bulkBarrier", "runtime.newobject", "slices."}

var ofMoves = []Shape{
	{Row: knowledge.Row{
		ID: "put-first-in-loop", Cause: "rest-moved",
		When:       knowledge.Words("a loop inserts elements at the front of a slice declared outside it: s = append([]T{x}, s...), s = slices.Insert(s, 0, x)"),
		Cost:       "a loop inserts each element before all others",
		Instead:    "Append the elements, and reverse the slice once after the loop, with slices.Reverse; or, if the number is known, fill it from its end.",
		Confidence: finding.High,
		Example: knowledge.Example{Params: "n int", Result: "int", Args: "100",
			Before: "var list []int\nfor i := range n {\n\tlist = append([]int{i}, list...)\n}\nreturn list[0]",
			After:  "var list []int\nfor i := range n {\n\tlist = append(list, i)\n}\nslices.Reverse(list)\nreturn list[0]"},
	}, Spends: moves, Square: true, Find: putFirst},
	{Row: knowledge.Row{
		ID: "removed-in-loop", Cause: "rest-moved",
		When:       knowledge.Words("a loop removes single elements from a slice declared outside it, s = append(s[:i], s[i+1:]...) or slices.Delete(s, i, i+1), and continues"),
		Cost:       "a loop moves all elements after each one that it removes",
		Instead:    "Move the remaining elements only once: s = slices.DeleteFunc(s, func(x T) bool { … }), or kept := s[:0] and append. If the order does not matter, move the last element to the removed one's place and shorten the slice.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "from []int", Result: "int", Args: "make([]int, 400)",
			Before: "list := slices.Clone(from)\nfor i := 0; i < len(list); {\n\tif list[i] == 0 {\n\t\tlist = append(list[:i], list[i+1:]...)\n\t} else {\n\t\ti++\n\t}\n}\nreturn len(list)",
			After:  "list := slices.Clone(from)\nlist = slices.DeleteFunc(list, func(x int) bool { return x == 0 })\nreturn len(list)"},
	}, Spends: moves, Square: true, Find: removedInLoop},
	{Row: knowledge.Row{
		ID: "steady-in-loop", Cause: "steady-in-loop",
		When:       knowledge.Words("a loop calls a function without effects that returns a string, a number or a struct of them, one of the program or of strings, unicode/utf8, strconv or math that reads all of its input, with constants and at least one variable of basic type that the loop does not set"),
		Cost:       "a loop calls a function with the same arguments in each round",
		Instead:    "Call it once, before the loop, and use the result.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "names []string, prefix string", Result: "int", Args: "[]string{\"alpha\", \"beta\", \"gamma\", \"delta\"}, \"A-L\"", Decls: "func key(s string) string { return strings.ToLower(strings.ReplaceAll(s, \"-\", \"\")) }\n",
			Before: "n := 0\nfor _, name := range names {\n\tif strings.HasPrefix(name, key(prefix)) {\n\t\tn++\n\t}\n}\nreturn n",
			After:  "n, start := 0, key(prefix)\nfor _, name := range names {\n\tif strings.HasPrefix(name, start) {\n\t\tn++\n\t}\n}\nreturn n"},
	}, Spends: []string{calls}, Find: steadyInLoop},
}

// setInLoop returns the slice that a statement sets by a call, where a loop around it does
// not declare that; nil where it does neither.
func setInLoop(p *typed.Package, n ast.Node) (v *types.Var, call *ast.CallExpr) {
	st, ok := n.(*ast.AssignStmt)
	if !ok || st.Tok != token.ASSIGN || len(st.Lhs) != 1 || len(st.Rhs) != 1 {
		return nil, nil
	}
	v = p.Var(st.Lhs[0])
	call, ok = ast.Unparen(st.Rhs[0]).(*ast.CallExpr)
	loop := outer(p, st)
	if v == nil || !ok || loop == nil || within(loop, v.Pos()) || leaves(p, st) {
		return nil, nil
	}
	return v, call
}

// leaves reports whether the block around a statement ends by leaving the loop.
func leaves(p *typed.Package, st ast.Stmt) bool {
	list := after(p, st.(*ast.AssignStmt).Rhs[0])
	if len(list) == 0 {
		return false
	}
	switch last := list[len(list)-1].(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return last.Tok == token.BREAK || last.Tok == token.GOTO || last.Label != nil
	}
	return false
}

func putFirst(p *typed.Package, n ast.Node) (m Match) {
	v, call := setInLoop(p, n)
	if v == nil || len(call.Args) < 2 {
		return m
	}
	switch {
	case p.Builtin(call) == "append":
		_, list := ast.Unparen(call.Args[0]).(*ast.CompositeLit)
		if list && call.Ellipsis.IsValid() && p.Var(call.Args[1]) == v {
			m.Goes = []ast.Node{n}
		}
	case strings.HasPrefix(p.Called(call), "slices.Insert") && len(call.Args) > 2:
		if at := p.Info.Types[call.Args[1]].Value; at != nil && at.Kind() == constant.Int && constant.Sign(at) == 0 && p.Var(call.Args[0]) == v {
			m.Goes = []ast.Node{n}
		}
	}
	return m
}

func removedInLoop(p *typed.Package, n ast.Node) (m Match) {
	v, call := setInLoop(p, n)
	if v == nil || !p.UsedIn(call, v) {
		return m
	}
	switch {
	case p.Builtin(call) == "append" && call.Ellipsis.IsValid() && len(call.Args) == 2:
		to, ok := ast.Unparen(call.Args[0]).(*ast.SliceExpr)
		from, is := ast.Unparen(call.Args[1]).(*ast.SliceExpr)
		if !ok || !is || p.Var(to.X) != v || p.Var(from.X) != v || to.Low != nil || to.High == nil || from.High != nil {
			return m
		}
		if next, ok := from.Low.(*ast.BinaryExpr); ok && next.Op == token.ADD && typed.Same(next.X, to.High) {
			m.Goes = []ast.Node{n}
		}
	case strings.HasPrefix(p.Called(call), "slices.Delete[") || p.Called(call) == "slices.Delete":
		m.Goes = []ast.Node{n}
	}
	return m
}

// works reports whether a function has a loop, or calls others: what it does is not
// done in a few instructions.
func works(fn *typed.Function) (found bool) {
	ast.Inspect(fn.Decl.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		found = found || typed.LoopBody(n) != nil || ok && fn.Package.Function(call) != nil
		return !found
	})
	return found
}

// steadyCalls are functions of the library that take time in proportion to what they
// are given; of others a row of the dear calls speaks.
var steadyCalls = []string{
	"strings.Contains", "strings.ContainsAny", "strings.Count", "strings.Index", "strings.LastIndex", "strings.TrimSpace", "strings.Trim", "strings.TrimLeft", "strings.TrimRight",
	"unicode/utf8.RuneCountInString", "unicode/utf8.ValidString", "strconv.Itoa", "strconv.FormatInt", "strconv.Quote", "math.Sqrt", "math.Pow", "math.Log", "math.Exp", "math.Sin", "math.Cos",
}

func steadyInLoop(p *typed.Package, n ast.Node) (m Match) {
	call, ok := n.(*ast.CallExpr)
	if !ok || outer(p, call) == nil || len(call.Args) == 0 || call.Ellipsis.IsValid() {
		return m
	}
	fn := p.Function(call)
	if fn == nil || fn.Signature().Recv() != nil || fn.Signature().Results().Len() != 1 || !typed.Plain(fn.Signature().Results().At(0).Type()) {
		return m
	}
	if to := p.Reached(call); to == nil && !slices.Contains(steadyCalls, p.Called(call)) || to != nil && !works(to) {
		return m
	}
	always := true
	for _, arg := range call.Args {
		f := p.Fixed(arg)
		if f.By != typed.FixedLoop && !f.Always() {
			return m
		}
		always = always && f.Always()
	}
	if !always {
		m = Match{Goes: []ast.Node{call}, Pure: []*ast.CallExpr{call}}
	}
	return m
}
