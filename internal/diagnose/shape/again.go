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

// causesOfAgain are the rules about work over all elements where little changed.
var causesOfAgain = []knowledge.Cause{{
	ID: "all-again", Title: "all elements scanned because one changed",
	What:     "A loop changes or removes an element and, in the same round, scans all elements to add them up or to find the least.",
	Why:      "The work grows with the number of rounds times the number of elements. The effect of one changed element on a total is known at once, and on the order of a heap after logarithmically many steps.",
	Silent:   "When an inner loop of the round changes the elements; when the round passes the slice to a function; when it adds up or compares anything but the elements or a field of them.",
	Fix:      "Keep a running total, or use a heap.",
	Unneeded: "because of one changed element",
}}

const heapOf = `// push and pop keep the least of h first.
func push(h []int, x int) []int {
	h = append(h, x)
	for i := len(h) - 1; i > 0 && h[i] < h[(i-1)/2]; i = (i - 1) / 2 {
		h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
	}
	return h
}

func pop(h []int) (int, []int) {
	x, n := h[0], len(h)-1
	h[0], h = h[n], h[:n]
	for i := 0; ; {
		c := 2*i + 1
		if c+1 < n && h[c+1] < h[c] {
			c++
		}
		if c >= n || h[i] <= h[c] {
			return x, h
		}
		h[i], h[c] = h[c], h[i]
		i = c
	}
}
`

var ofAgain = []Shape{
	{Row: knowledge.Row{
		ID: "sorted-scanned", Cause: "scan-in-loop",
		When:       knowledge.Words("a function scans a slice, which is a field or a package variable, by a loop, slices.Contains or slices.Index, for the element that equals a value, or of which a field does; and each function of the package that sets the slice, or an element of it, sorts it by the same key"),
		Cost:       "a sorted slice is scanned element by element",
		Instead:    "Use slices.BinarySearch(s, x), or slices.BinarySearchFunc with the field by which the slice is sorted. With fewer than some twenty numbers the loop is as fast.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "x *index, name string", Result: "int", Args: "newIndex(), \"name-90\"",
			Decls:  named + "\ntype index struct{ sorted []string }\n\nfunc newIndex() *index {\n\tx := &index{sorted: named(200)}\n\tsort.Strings(x.sorted)\n\treturn x\n}\n",
			Before: "for i, s := range x.sorted {\n\tif s == name {\n\t\treturn i\n\t}\n}\nreturn -1",
			After:  "i, found := slices.BinarySearch(x.sorted, name)\nif !found {\n\treturn -1\n}\nreturn i"},
	}, Spends: []string{"", "runtime.memequal", "memeqbody", calls}, Find: sortedScanned},
	{Row: knowledge.Row{
		ID: "total-again", Cause: "all-again",
		When:       knowledge.Words("a loop sets single elements of a slice declared outside it, and an inner loop of the same round only adds up all elements, or a field of them"),
		Cost:       "all elements are added up again in each round",
		Instead:    "Keep the total in a variable, and add the change of each element: total += new - old. With floating-point numbers rounding errors add up: recompute the sum now and then.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "list, at []int", Result: "int", Args: "make([]int, 64), []int{1, 7, 30, 12, 63, 5, 9, 44, 2, 18}",
			Before: "most := 0\nfor _, i := range at {\n\tlist[i] ^= 1\n\tsum := 0\n\tfor _, x := range list {\n\t\tsum += x\n\t}\n\tmost = max(most, sum)\n}\nreturn most * 0",
			After:  "most, sum := 0, 0\nfor _, x := range list {\n\tsum += x\n}\nfor _, i := range at {\n\tsum -= list[i]\n\tlist[i] ^= 1\n\tsum += list[i]\n\tmost = max(most, sum)\n}\nreturn most * 0"},
	}, Spends: []string{""}, Square: true, Find: totalAgain},
	{Row: knowledge.Row{
		ID: "least-scanned", Cause: "all-again",
		When:       knowledge.Words("in each round of a loop, an inner loop only compares the elements of a slice, or a field of them, to find the index of one, and the round then removes that element from the slice"),
		Cost:       "all elements are compared to find the next one in each round",
		Instead:    "Keep the elements in a heap: a slice with functions that sift up and down takes logarithmically many steps for an element; container/heap does the same through an interface. If no elements are added meanwhile, sort once.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "list []int", Result: "int", Args: "rand.New(rand.NewSource(1)).Perm(200)", Decls: heapOf,
			Before: "rest, sum := slices.Clone(list), 0\nfor len(rest) > 0 {\n\tleast := 0\n\tfor i, x := range rest {\n\t\tif x < rest[least] {\n\t\t\tleast = i\n\t\t}\n\t}\n\tsum = sum*3 + rest[least]\n\trest[least] = rest[len(rest)-1]\n\trest = rest[:len(rest)-1]\n}\nreturn sum",
			After:  "var rest []int\nfor _, x := range list {\n\trest = push(rest, x)\n}\nsum := 0\nfor len(rest) > 0 {\n\tvar x int\n\tx, rest = pop(rest)\n\tsum = sum*3 + x\n}\nreturn sum"},
	}, Spends: []string{""}, Square: true, Find: leastScanned},
}

// scans returns what a node looks through element by element for an equal one, and the part
// of the elements that it compares, "" for all of it; nil where it does not.
func scans(p *typed.Package, n ast.Node) (list ast.Expr, by string) {
	if call, ok := n.(*ast.CallExpr); ok {
		name := strings.TrimSuffix(p.Called(call), "[...]")
		if (name == "slices.Contains" || name == "slices.Index") && len(call.Args) == 2 {
			return call.Args[0], ""
		}
		return nil, ""
	}
	l, wanted := search(p, n)
	if l == nil {
		return nil, ""
	}
	ast.Inspect(l.body, func(n ast.Node) bool {
		if is, ok := n.(*ast.BinaryExpr); ok {
			for _, side := range []ast.Expr{is.X, is.Y} {
				if sel, ok := ast.Unparen(side).(*ast.SelectorExpr); ok && side != wanted {
					by = sel.Sel.Name
				}
			}
			return false
		}
		return true
	})
	return l.x, by
}

// keptList returns the field or package variable that an expression stands for, but for lists
// of a few elements that are written out.
func keptList(p *typed.Package, e ast.Expr) *types.Var {
	v, ok := p.Object(e).(*types.Var)
	if !ok || !v.IsField() && !typed.Global(v) {
		return nil
	}
	if list, ok := p.SetOnce(v).(*ast.CompositeLit); ok && len(list.Elts) < 16 {
		return nil
	}
	return v
}

func sortedScanned(p *typed.Package, n ast.Node) (m Match) {
	list, by := scans(p, n)
	if list == nil {
		return m
	}
	if v := keptList(p, list); v != nil && sortedBy(p, v, by) {
		m.Goes = []ast.Node{n}
	}
	return m
}

// sortedBy reports whether a package sorts a slice by a field of its elements, "" by the
// elements, and never by anything else, in each function that sets it or elements of it:
// what is sorted only in the end is not while it grows.
func sortedBy(p *typed.Package, v *types.Var, by string) bool {
	sorts, sets := make(map[ast.Decl]bool), make(map[ast.Decl]bool)
	for _, use := range p.Uses(v) {
		in := p.Declaration(use.Pos())
		if p.Written(use) || setByKey(p, use) {
			sets[in] = true
		}
		at := ast.Node(p.Operand(use))
		for x, _ := p.Parent(at).(ast.Expr); x != nil && p.Converted(x) == at; x, _ = p.Parent(at).(ast.Expr) {
			at = x
		}
		call, ok := p.Parent(at).(*ast.CallExpr)
		if !ok || len(call.Args) == 0 || call.Args[0] != at {
			continue
		}
		name := strings.TrimSuffix(p.Called(call), "[...]")
		if !strings.HasPrefix(name, "sort.") && !strings.HasPrefix(name, "slices.Sort") {
			continue
		}
		switch plain := slices.Contains([]string{"sort.Strings", "sort.Ints", "sort.Float64s", "slices.Sort"}, name); {
		case plain && by == "":
		case !plain && by != "" && len(call.Args) == 2 && onlyField(call.Args[1], by):
		default:
			return false
		}
		sorts[in] = true
	}
	for in := range sets {
		if !sorts[in] && !calledIn(p, in, sorts) {
			return false
		}
	}
	return len(sorts) > 0
}

// setByKey reports whether a name sets a field in a composite literal, to more than room
// for elements.
func setByKey(p *typed.Package, use *ast.Ident) bool {
	kv, ok := p.Parent(use).(*ast.KeyValueExpr)
	if !ok || kv.Key != use || p.Info.Types[kv.Value].IsNil() {
		return false
	}
	call, ok := ast.Unparen(kv.Value).(*ast.CallExpr)
	return !ok || p.Builtin(call) != "make"
}

// calledIn reports whether a declaration calls one of others.
func calledIn(p *typed.Package, in ast.Decl, others map[ast.Decl]bool) (found bool) {
	if in == nil {
		return false
	}
	ast.Inspect(in, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			to := p.Reached(call)
			found = found || to != nil && others[to.Decl]
		}
		return !found
	})
	return found
}

// onlyField reports whether a function literal names one field alone, of both that it
// compares.
func onlyField(less ast.Expr, field string) bool {
	lit, ok := ast.Unparen(less).(*ast.FuncLit)
	if !ok {
		return false
	}
	uses, only := 0, true
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr: // of the call itself a name is no field
			for _, arg := range n.Args {
				if sel, ok := ast.Unparen(arg).(*ast.SelectorExpr); ok && sel.Sel.Name == field {
					uses++
				} else {
					only = false
				}
			}
			return false
		case *ast.SelectorExpr:
			if n.Sel.Name == field {
				uses++
			}
			return false // what it is a field of
		}
		return true
	})
	return only && uses == 2
}

// elementsSet returns the statements of a loop's round, outside of loops in it, that set
// single elements of a list; other is set where the list is seen otherwise there than
// indexed, measured or gone over.
func elementsSet(p *typed.Package, v *types.Var, loop, inner ast.Node) (set int, other bool) {
	for _, use := range p.Uses(v) {
		if !within(loop, use.Pos()) || within(inner, use.Pos()) {
			continue
		}
		ix, ok := p.Parent(p.Operand(use)).(*ast.IndexExpr)
		switch {
		case p.Measured(p.Operand(use)):
		case !ok || ix.Index == p.Operand(use):
			other = true
		case p.Written(ix):
			if set++; outer(p, ix) != loop {
				other = true
			}
		}
	}
	return set, other
}

func totalAgain(p *typed.Package, n ast.Node) (m Match) {
	l := eachOf(p, n)
	if l == nil {
		return m
	}
	loop, list := outer(p, l.loop), p.Var(l.x)
	add, ok := only(l.body).(*ast.AssignStmt)
	if loop == nil || list == nil || within(loop, list.Pos()) || !ok || add.Tok != token.ADD_ASSIGN || len(add.Rhs) != 1 || !l.holds(p, add.Rhs[0]) {
		return m
	}
	sum := p.Var(add.Lhs[0])
	if sum == nil || !typed.IsNumber(sum.Type()) || !within(loop, sum.Pos()) || within(l.loop, sum.Pos()) {
		return m
	}
	if set, other := elementsSet(p, list, loop, l.loop); set > 0 && !other {
		m.Goes = []ast.Node{l.loop}
	}
	return m
}

func leastScanned(p *typed.Package, n ast.Node) (m Match) {
	l := eachOf(p, n)
	if l == nil || l.key == nil {
		return m
	}
	loop, list := outer(p, l.loop), p.Var(l.x)
	st, ok := only(l.body).(*ast.IfStmt)
	if loop == nil || list == nil || within(loop, list.Pos()) || !ok || st.Init != nil || st.Else != nil {
		return m
	}
	less, ok := ast.Unparen(st.Cond).(*ast.BinaryExpr)
	if !ok || !slices.Contains([]token.Token{token.LSS, token.GTR, token.LEQ, token.GEQ}, less.Op) || !l.holds(p, less.X) && !l.holds(p, less.Y) {
		return m
	}
	var best *types.Var
	for _, do := range st.Body.List {
		set, ok := do.(*ast.AssignStmt)
		if !ok || set.Tok != token.ASSIGN || len(set.Lhs) != len(set.Rhs) {
			return m
		}
		for i, value := range set.Rhs {
			if l.isKey(p, value) {
				best = p.Var(set.Lhs[i])
			}
		}
	}
	if best == nil {
		return m
	}
	shrinks, takes := false, false
	for _, use := range p.Uses(list) {
		if use.Pos() < l.loop.End() || !within(loop, use.Pos()) {
			continue
		}
		if set, ok := p.Parent(use).(*ast.AssignStmt); ok && slices.Contains(set.Lhs, ast.Expr(use)) {
			shrinks = true
			takes = takes || p.UsedIn(set, best)
		}
		if ix, ok := p.Parent(use).(*ast.IndexExpr); ok && p.Written(ix) && p.Var(ix.Index) == best {
			takes = true
		}
	}
	if shrinks && takes {
		m.Goes = []ast.Node{l.loop}
	}
	return m
}
