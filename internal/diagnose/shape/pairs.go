package shape

import (
	"go/ast"
	"go/token"
	"go/types"

	"whet/internal/diagnose/knowledge"
	"whet/internal/finding"
	"whet/internal/typed"
)

var ofPairs = []Shape{
	{Row: knowledge.Row{
		ID: "pairs-compared", Cause: "scan-in-loop",
		When:       knowledge.Words("of two loops over a slice, the inner one starts at the outer's index and only tests whether two elements, or a field of both, are equal, and returns or breaks if they are"),
		Cost:       "each pair of elements is compared to find equal ones",
		Instead:    "Range over the elements once, and put each into a map (map[T]bool), which does not grow at a duplicate; or sort a copy and compare neighbours. For lists of at most about ten elements comparing pairs is as fast.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "list []string", Result: "bool", Args: "named(200)", Decls: named,
			Before: "for i := range list {\n\tfor j := i + 1; j < len(list); j++ {\n\t\tif list[i] == list[j] {\n\t\t\treturn true\n\t\t}\n\t}\n}\nreturn false",
			After:  "seen := make(map[string]bool, len(list))\nfor i, s := range list {\n\tif seen[s] = true; len(seen) <= i {\n\t\treturn true\n\t}\n}\nreturn false"},
	}, Spends: []string{"", "runtime.memequal", "runtime.efaceeq", "runtime.ifaceeq", "internal/bytealg.", "memeqbody"}, Square: true, Find: pairsCompared},
	{Row: knowledge.Row{
		ID: "map-scanned", Cause: "scan-in-loop",
		When:       knowledge.Words("a loop ranges over a map only to find the key that equals a value"),
		Cost:       "a map is ranged over to find one key",
		Instead:    "Look up the key: v, ok := m[k].",
		Confidence: finding.High,
		Example: knowledge.Example{Params: "m map[string]int, name string", Result: "int", Args: "numbers(named(100)), \"name-50\"", Decls: named,
			Before: "for k, n := range m {\n\tif k == name {\n\t\treturn n\n\t}\n}\nreturn -1",
			After:  "if n, ok := m[name]; ok {\n\treturn n\n}\nreturn -1"},
	}, Spends: []string{"", "runtime.map", "internal/runtime/maps.", "runtime.memequal"}, Find: mapScanned},
	{Row: knowledge.Row{
		ID: "rows-made-singly", Cause: "rows-made-singly",
		When:       knowledge.Words("a loop over a slice of slices only sets each element to make with a length that the loop does not change"),
		Cost:       "a loop allocates each row of a table separately",
		Instead:    "Allocate all rows at once, and slice them off: all := make([]T, rows*n), and table[i], all = all[:n:n], all[n:]. The table's memory is then one block, which lives as long as any row.",
		Confidence: finding.High,
		Example: knowledge.Example{Params: "rows, n int", Result: "int", Args: "50, 20",
			Before: "table := make([][]float64, rows)\nfor i := range table {\n\ttable[i] = make([]float64, n)\n}\nreturn len(table)",
			After:  "table, all := make([][]float64, rows), make([]float64, rows*n)\nfor i := range table {\n\ttable[i], all = all[:n:n], all[n:]\n}\nreturn len(table)"},
	}, Spends: []string{"runtime.make"}, Find: rowsMadeSingly},
	{Row: knowledge.Row{
		ID: "bits-by-hand", Cause: "bit-at-a-time",
		When:       knowledge.Words("a loop shifts an unsigned number by one, or clears its lowest bit, until it is zero, and only counts"),
		Cost:       "a loop counts bits one by one",
		Instead:    "bits.OnesCount64 counts the set bits, bits.Len64 the bits up to the highest; each takes an instruction or two.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "list []uint64", Result: "int", Args: "[]uint64{1, 300, 70000, 1 << 40, 12345678901234}",
			Before: "n := 0\nfor _, x := range list {\n\tfor x != 0 {\n\t\tx &= x - 1\n\t\tn++\n\t}\n}\nreturn n",
			After:  "n := 0\nfor _, x := range list {\n\tn += bits.OnesCount64(x)\n}\nreturn n"},
	}, Spends: []string{""}, Find: bitsByHand},
}

func pairsCompared(p *typed.Package, n ast.Node) (m Match) {
	inner, ok := n.(*ast.ForStmt)
	if !ok {
		return m
	}
	l := eachOf(p, outer(p, inner))
	from, _ := inner.Init.(*ast.AssignStmt)
	until, _ := inner.Cond.(*ast.BinaryExpr)
	st, _ := only(inner.Body).(*ast.IfStmt)
	if l == nil || from == nil || until == nil || st == nil || st.Else != nil || st.Init != nil || len(from.Lhs) != 1 || len(from.Rhs) != 1 || until.Op != token.LSS {
		return m
	}
	next, ok := from.Rhs[0].(*ast.BinaryExpr)
	measured, is := until.Y.(*ast.CallExpr)
	if !ok || !is || next.Op != token.ADD || !l.isKey(p, next.X) || p.Builtin(measured) != "len" || len(measured.Args) != 1 || !typed.Same(measured.Args[0], l.x) {
		return m
	}
	equal, ok := ast.Unparen(st.Cond).(*ast.BinaryExpr)
	if !ok || equal.Op != token.EQL || len(st.Body.List) == 0 {
		return m
	}
	j := p.Var(from.Lhs[0])
	second := func(e ast.Expr) bool { return j != nil && p.UsedIn(e, j) && p.Container(e) != nil }
	switch last := st.Body.List[len(st.Body.List)-1].(type) {
	case *ast.ReturnStmt:
	case *ast.BranchStmt:
		if last.Tok == token.CONTINUE && last.Label == nil {
			return m
		}
	default:
		return m
	}
	if l.holds(p, equal.X) && second(equal.Y) || l.holds(p, equal.Y) && second(equal.X) {
		m.Goes = []ast.Node{inner}
	}
	return m
}

func mapScanned(p *typed.Package, n ast.Node) (m Match) {
	loop, ok := n.(*ast.RangeStmt)
	if !ok || loop.Tok != token.DEFINE || p.Var(loop.Key) == nil {
		return m
	}
	if _, ok := typed.Under[*types.Map](p.TypeOf(loop.X)); !ok {
		return m
	}
	st, ok := only(loop.Body).(*ast.IfStmt)
	if !ok || st.Init != nil || st.Else != nil || len(st.Body.List) == 0 {
		return m
	}
	is, ok := ast.Unparen(st.Cond).(*ast.BinaryExpr)
	if !ok || is.Op != token.EQL {
		return m
	}
	wanted := is.Y
	if p.Var(is.X) != p.Var(loop.Key) {
		if wanted = is.X; p.Var(is.Y) != p.Var(loop.Key) {
			return m
		}
	}
	_, returns := st.Body.List[len(st.Body.List)-1].(*ast.ReturnStmt)
	if returns && steadyParts(p, wanted) && !varies(p, wanted, loop) {
		m.Goes = []ast.Node{loop}
	}
	return m
}

func rowsMadeSingly(p *typed.Package, n ast.Node) (m Match) {
	l := eachOf(p, n)
	if l == nil {
		return m
	}
	st, ok := only(l.body).(*ast.AssignStmt)
	if !ok || st.Tok != token.ASSIGN || len(st.Lhs) != 1 || len(st.Rhs) != 1 {
		return m
	}
	call, ok := st.Rhs[0].(*ast.CallExpr)
	if !ok || p.Builtin(call) != "make" || len(call.Args) != 2 || !l.isElement(p, st.Lhs[0]) || p.Var(st.Lhs[0]) != nil {
		return m
	}
	if _, slice := typed.Under[*types.Slice](p.TypeOf(call)); slice && steadyParts(p, call.Args[1]) && !varies(p, call.Args[1], l.loop) {
		m.Goes = []ast.Node{call}
	}
	return m
}

func bitsByHand(p *typed.Package, n ast.Node) (m Match) {
	loop, ok := n.(*ast.ForStmt)
	if !ok || len(loop.Body.List) > 2 {
		return m
	}
	until, ok := loop.Cond.(*ast.BinaryExpr)
	if !ok || until.Op != token.NEQ && until.Op != token.GTR {
		return m
	}
	x, zero := p.Var(until.X), p.Info.Types[until.Y].Value
	b, basic := typed.Under[*types.Basic](p.TypeOf(until.X))
	if x == nil || zero == nil || zero.ExactString() != "0" || !basic || b.Info()&types.IsUnsigned == 0 {
		return m
	}
	steps, counts := 0, 0
	for _, st := range append([]ast.Stmt{loop.Post}, loop.Body.List...) {
		switch st := st.(type) {
		case nil:
		case *ast.IncDecStmt:
			counts++
		case *ast.AssignStmt:
			if len(st.Lhs) != 1 || len(st.Rhs) != 1 {
				return m
			}
			one := p.Info.Types[st.Rhs[0]].Value
			less, ok := st.Rhs[0].(*ast.BinaryExpr)
			switch {
			case p.Var(st.Lhs[0]) == x && st.Tok == token.SHR_ASSIGN && one != nil && one.ExactString() == "1",
				p.Var(st.Lhs[0]) == x && st.Tok == token.AND_ASSIGN && ok && less.Op == token.SUB && p.Var(less.X) == x:
				steps++
			case p.Var(st.Lhs[0]) != x && st.Tok == token.ADD_ASSIGN:
				counts++
			default:
				return m
			}
		default:
			return m
		}
	}
	if steps == 1 && counts == 1 {
		m.Goes = []ast.Node{loop}
	}
	return m
}
