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

var ofRepeats = []Shape{
	{Row: knowledge.Row{
		ID: "key-per-comparison", Cause: "key-per-comparison",
		When:       knowledge.Words("the less or cmp function of a sort, or a method Less, calls functions of only one of the two elements"),
		Cost:       "a sort computes the keys of elements in each comparison",
		Instead:    "Compute the key of each element once, before the sort: sort a slice of structs of key and element by the key, or keep the key in the element.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "names []string", Result: "string", Args: "[]string{\"Delta\", \"alpha\", \"Echo\", \"bravo\", \"Hotel\", \"india\", \"Golf\", \"Charlie\", \"foxtrot\", \"Juliet\", \"Lima\", \"kilo\"}",
			Decls:  "type keyed struct{ key, name string }\n",
			Before: "sorted := slices.Clone(names)\nslices.SortFunc(sorted, func(a, b string) int {\n\treturn strings.Compare(strings.ToLower(a), strings.ToLower(b))\n})\nreturn sorted[0]",
			After:  "sorted := make([]keyed, len(names))\nfor i, name := range names {\n\tsorted[i] = keyed{strings.ToLower(name), name}\n}\nslices.SortFunc(sorted, func(a, b keyed) int { return strings.Compare(a.key, b.key) })\nreturn sorted[0].name"},
	}, Spends: []string{calls}, Find: keyPerComparison},
	{Row: knowledge.Row{
		ID: "scanned-in-loop", Cause: "scan-in-loop",
		When:       knowledge.Words("an inner loop scans a slice from outside the outer loop for the element that equals a value of the round, and ends there"),
		Cost:       "a loop scans a list in each of its rounds",
		Instead:    "Use a map of the elements, made before the outer loop and updated with the list. For lists of at most about ten elements the scan is as fast.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "list, known []int", Result: "int", Args: "numbers(3), numbers(2)", Decls: "func numbers(step int) []int {\n\tlist := make([]int, 1000)\n\tfor i := range list {\n\t\tlist[i] = i * step\n\t}\n\treturn list\n}\n",
			Before: "n := 0\nfor _, x := range list {\n\tfor _, k := range known {\n\t\tif k == x {\n\t\t\tn++\n\t\t\tbreak\n\t\t}\n\t}\n}\nreturn n",
			After:  "n := 0\nisKnown := make(map[int]bool, len(known))\nfor _, k := range known {\n\tisKnown[k] = true\n}\nfor _, x := range list {\n\tif isKnown[x] {\n\t\tn++\n\t}\n}\nreturn n"},
	}, Spends: []string{"", "runtime.memequal", "runtime.efaceeq", "runtime.ifaceeq", "internal/bytealg."}, Square: true, Find: scannedInLoop},
	{Row: knowledge.Row{
		ID: "scan-called-in-loop", Cause: "scan-in-loop",
		When:       knowledge.Words("a loop passes the same slice in each round to a function of the program that only searches it for a value"),
		Cost:       "a loop has a list scanned in each of its rounds",
		Instead:    "Use a map of the elements, made before the loop and updated with the list. For lists of at most about ten elements the scan is as fast.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "list, known []int", Result: "int", Args: "numbers(3), numbers(2)", Decls: "func numbers(step int) []int {\n\tlist := make([]int, 1000)\n\tfor i := range list {\n\t\tlist[i] = i * step\n\t}\n\treturn list\n}\n\nfunc contains(list []int, x int) bool {\n\tfor _, v := range list {\n\t\tif v == x {\n\t\t\treturn true\n\t\t}\n\t}\n\treturn false\n}\n",
			Before: "n := 0\nfor _, x := range list {\n\tif contains(known, x) {\n\t\tn++\n\t}\n}\nreturn n",
			After:  "n := 0\nisKnown := make(map[int]bool, len(known))\nfor _, k := range known {\n\tisKnown[k] = true\n}\nfor _, x := range list {\n\tif isKnown[x] {\n\t\tn++\n\t}\n}\nreturn n"},
	}, Spends: []string{calls}, Square: true, Find: scanCalledInLoop},
	{Row: knowledge.Row{
		ID: "field-scanned", Cause: "scan-in-loop",
		When:       knowledge.Words("a function scans a slice, which is a field or a package variable, for the element that equals its argument, or of which a field does, and returns there"),
		Cost:       "each call scans a long-lived list",
		Instead:    "Keep a map from the key to the element, or its index, beside the list, and change both together. For lists of at most about ten elements the scan is as fast.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "t *tools, name string", Result: "int", Args: "newTools(), \"name-70\"", Decls: named + "\ntype tool struct {\n\tname string\n\tn    int\n}\n\ntype tools struct {\n\tlist []tool\n\tbyName map[string]int\n}\n\nfunc newTools() *tools {\n\tt := &tools{byName: make(map[string]int)}\n\tfor i, name := range named(100) {\n\t\tt.list = append(t.list, tool{name, i})\n\t\tt.byName[name] = i\n\t}\n\treturn t\n}\n",
			Before: "for i := range t.list {\n\tif t.list[i].name == name {\n\t\treturn t.list[i].n\n\t}\n}\nreturn -1",
			After:  "if i, ok := t.byName[name]; ok {\n\treturn t.list[i].n\n}\nreturn -1"},
	}, Spends: []string{"", "runtime.memequal", "runtime.efaceeq", "runtime.ifaceeq", "internal/bytealg.", "memeqbody"}, Find: fieldScanned},
}

func fieldScanned(p *typed.Package, n ast.Node) (m Match) {
	l, wanted := search(p, n)
	if l == nil || outer(p, l.loop) != nil || sortedScanned(p, n).Goes != nil {
		return m
	}
	if parameter, _ := p.Named(p.Var(p.Base(wanted))); !parameter {
		return m
	}
	if _, slice := typed.Under[*types.Slice](p.TypeOf(l.x)); !slice || keptList(p, l.x) == nil {
		return m
	}
	m.Goes = []ast.Node{l.loop}
	return m
}

var sorts = []string{"sort.Slice", "sort.SliceStable", "slices.SortFunc", "slices.SortStableFunc"}

// comparison returns the body of a function that a sort calls with each two elements, and
// what stands for them.
func comparison(p *typed.Package, n ast.Node) (body *ast.BlockStmt, of []*types.Var) {
	var params *ast.FieldList
	switch n := n.(type) {
	case *ast.FuncDecl:
		if n.Recv == nil || n.Name.Name != "Less" || n.Body == nil {
			return nil, nil
		}
		body, params = n.Body, n.Type.Params
	case *ast.FuncLit:
		call, ok := p.Parent(n).(*ast.CallExpr)
		if !ok || !slices.Contains(sorts, strings.TrimSuffix(p.Called(call), "[...]")) || call.Fun == n {
			return nil, nil
		}
		body, params = n.Body, n.Type.Params
	default:
		return nil, nil
	}
	for _, field := range params.List {
		for _, name := range field.Names {
			if v := p.Var(name); v != nil {
				of = append(of, v)
			}
		}
	}
	if len(of) != 2 {
		return nil, nil
	}
	return body, of
}

func keyPerComparison(p *typed.Package, n ast.Node) (m Match) {
	body, of := comparison(p, n)
	if body == nil {
		return m
	}
	ast.Inspect(body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || p.Builtin(call) != "" {
			return true
		}
		if x, _ := p.Conversion(call); x != nil || p.UsedIn(call, of[0]) == p.UsedIn(call, of[1]) {
			return true
		}
		m.Goes = append(m.Goes, call)
		return false
	})
	return m
}

// search returns what a loop looks for in a slice: the loop's body is only an if that
// compares the element, or a part of it, with a value, and then leaves the loop.
func search(p *typed.Package, n ast.Node) (l *elementLoop, wanted ast.Expr) {
	if l = eachOf(p, n); l == nil || typed.Element(p.TypeOf(l.x)) == nil {
		return nil, nil
	}
	st, ok := only(l.body).(*ast.IfStmt)
	if !ok || st.Init != nil || st.Else != nil || len(st.Body.List) == 0 {
		return nil, nil
	}
	is, ok := ast.Unparen(st.Cond).(*ast.BinaryExpr)
	if !ok || is.Op != token.EQL {
		return nil, nil
	}
	wanted = is.Y
	if !l.holds(p, is.X) {
		if wanted = is.X; !l.holds(p, is.Y) {
			return nil, nil
		}
	}
	switch last := st.Body.List[len(st.Body.List)-1].(type) {
	case *ast.ReturnStmt:
	case *ast.BranchStmt:
		if last.Tok == token.CONTINUE && last.Label == nil {
			return nil, nil
		}
	default:
		return nil, nil
	}
	b, isBasic := typed.Under[*types.Basic](p.TypeOf(wanted))
	if p.Info.Types[wanted].Value != nil || isBasic && b.Kind() == types.Uint8 {
		return nil, nil
	}
	return l, wanted
}

// holds reports whether an expression is the element of the round, or a part of it.
func (l *elementLoop) holds(p *typed.Package, e ast.Expr) bool {
	for ; e != nil; e = p.Container(e) {
		if l.isElement(p, e) {
			return true
		}
	}
	return false
}

// outer returns the loop around a node in its function.
func outer(p *typed.Package, n ast.Node) ast.Node {
	for loop := range p.Repeats(n) {
		if _, literal := loop.(*ast.FuncLit); !literal {
			return loop
		}
		break
	}
	return nil
}

// keptField is kept of a field of a variable.
func keptField(p *typed.Package, list *ast.SelectorExpr, loop ast.Node) bool {
	of := p.Var(list.X)
	if of == nil || within(loop, of.Pos()) || p.Info.Selections[list] == nil {
		return false
	}
	changed := false
	ast.Inspect(loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			changed = changed || p.Var(n) == of && p.Written(n)
		case *ast.SelectorExpr:
			if !typed.Same(n, list) || !p.Written(n) {
				return true
			}
			st, ok := p.Parent(n).(*ast.AssignStmt)
			if !ok || len(st.Rhs) != 1 {
				changed = true
				return false
			}
			call, ok := st.Rhs[0].(*ast.CallExpr)
			changed = changed || !ok || p.Builtin(call) != "append" || len(call.Args) == 0 || !typed.Same(call.Args[0], list)
			return false
		}
		return !changed
	})
	return !changed
}

// kept reports whether a list is a variable from outside of a loop, or a field of one,
// that the loop at most appends to, of more than a few elements as far as that is known.
func kept(p *typed.Package, list ast.Expr, loop ast.Node) bool {
	if field, ok := ast.Unparen(list).(*ast.SelectorExpr); ok {
		return keptField(p, field, loop)
	}
	v := p.Var(list)
	if v == nil || within(loop, v.Pos()) {
		return false
	}
	if lit, ok := p.SetOnce(v).(*ast.CompositeLit); ok && len(lit.Elts) < 16 {
		return false
	}
	return !slices.ContainsFunc(p.Uses(v), func(use *ast.Ident) bool {
		if !within(loop, use.Pos()) || !p.Written(use) {
			return false
		}
		st, ok := p.Parent(use).(*ast.AssignStmt)
		if !ok || len(st.Rhs) != 1 {
			return true
		}
		call, ok := st.Rhs[0].(*ast.CallExpr)
		return !ok || p.Builtin(call) != "append" || len(call.Args) == 0 || p.Var(call.Args[0]) != v
	})
}

func scannedInLoop(p *typed.Package, n ast.Node) (m Match) {
	l, wanted := search(p, n)
	if l == nil {
		return m
	}
	loop := outer(p, l.loop)
	if loop == nil || !kept(p, l.x, loop) || !varies(p, wanted, loop) || sortedScanned(p, n).Goes != nil {
		return m
	}
	m.Goes = []ast.Node{l.loop}
	return m
}

// varies reports whether an expression names a variable that a loop declares or sets.
func varies(p *typed.Package, e ast.Expr, loop ast.Node) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && p.Var(id) != nil {
			v := p.Var(id)
			found = found || within(loop, v.Pos()) || slices.ContainsFunc(p.Uses(v), func(use *ast.Ident) bool {
				return within(loop, use.Pos()) && p.Written(use)
			})
		}
		return !found
	})
	return found
}

func scanCalledInLoop(p *typed.Package, n ast.Node) (m Match) {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return m
	}
	loop, to := outer(p, call), p.Reached(call)
	if loop == nil || to == nil || to.Decl.Recv != nil || to.Object.Signature().Variadic() || len(to.Decl.Body.List) != 2 || len(call.Args) != 2 {
		return m
	}
	l, wanted := search(to.Package, to.Decl.Body.List[0])
	if l == nil {
		return m
	}
	list, of := to.Package.Parameter(to.Package.Var(l.x)), to.Package.Var(wanted)
	if of == nil || list == 0 || to.Package.Parameter(of) != 3-list {
		return m
	}
	if kept(p, call.Args[list-1], loop) && varies(p, call.Args[2-list], loop) {
		m.Goes = []ast.Node{call}
	}
	return m
}

func within(n ast.Node, pos token.Pos) bool { return n.Pos() <= pos && pos < n.End() }
