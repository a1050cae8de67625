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

var ofRounds = []Shape{
	{Row: knowledge.Row{
		ID: "one-by-one", Cause: "one-by-one",
		When:       knowledge.Words("for each element a loop calls a method Insert, Add, Put, Set, Push, Append or Store of a value from outside it, and the method's type or package has a function for many: InsertAll, AddMany, PutBatch, BulkLoad"),
		Cost:       "a loop adds elements one by one",
		Instead:    "Collect the elements, and add them with one call. Check the requirements of that function: sorted input, an empty receiver.",
		Confidence: finding.Low,
		Example: knowledge.Example{Params: "list []int", Result: "int", Args: "rand.New(rand.NewSource(1)).Perm(200)",
			Decls:  "type sorted struct{ list []int }\n\nfunc (s *sorted) Add(x int) {\n\ti, _ := slices.BinarySearch(s.list, x)\n\ts.list = slices.Insert(s.list, i, x)\n}\n\nfunc (s *sorted) AddAll(list []int) {\n\ts.list = append(s.list, list...)\n\tslices.Sort(s.list)\n}\n",
			Before: "var s sorted\nfor _, x := range list {\n\ts.Add(x)\n}\nreturn s.list[0]",
			After:  "var s sorted\ns.AddAll(list)\nreturn s.list[0]"},
	}, Spends: []string{calls}, Find: oneByOne},
	{Row: knowledge.Row{
		ID: "closure-per-round", Cause: "closure-per-round",
		When:       knowledge.Words("a loop makes a function literal that captures only variables from outside it, or a method value x.m of such an x, and that allocates"),
		Cost:       "a loop allocates the same function value in each round",
		Instead:    "Make it once, before the loop: f := x.m, f := func(…) { … }.",
		Confidence: finding.High,
		Example: knowledge.Example{Params: "list []int, t *tally", Result: "int", Args: "make([]int, 50), new(tally)", Decls: "type tally struct {\n\tn int\n\tlast func(int)\n}\n\nfunc (t *tally) add(x int) { t.n += x }\n\n//go:noinline\nfunc (t *tally) each(f func(int), x int) {\n\tt.last = f\n\tf(x)\n}\n",
			Before: "for _, x := range list {\n\tt.each(t.add, x)\n}\nreturn t.n * 0",
			After:  "add := t.add\nfor _, x := range list {\n\tt.each(add, x)\n}\nreturn t.n * 0"},
	}, Spends: []string{"runtime.newobject"}, Find: closurePerRound},
	{Row: knowledge.Row{
		ID: "atomic-in-loop", Cause: "atomic-in-loop",
		When:       knowledge.Words("a loop over a slice, an array, a map, a string or a number calls an Add of package sync/atomic for the same counter in each round, and does not block"),
		Cost:       "a loop adds to an atomic counter in its rounds",
		Instead:    "Count in a local variable, and add it once after the loop. If others must see the count grow meanwhile, add it every thousand rounds.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "list []int, n *atomic.Int64", Result: "int64", Args: "make([]int, 100), new(atomic.Int64)",
			Before: "n.Store(0)\nfor _, x := range list {\n\tif x == 0 {\n\t\tn.Add(1)\n\t}\n}\nreturn n.Load()",
			After:  "n.Store(0)\nsum := int64(0)\nfor _, x := range list {\n\tif x == 0 {\n\t\tsum++\n\t}\n}\nn.Add(sum)\nreturn n.Load()"},
	}, Spends: []string{"", calls}, Find: atomicInLoop},
	{Row: knowledge.Row{
		ID: "modulo-step", Cause: "modulo-step",
		When:       knowledge.Words("a variable or field is set to itself plus one modulo a variable: i = (i + 1) % n"),
		Cost:       "a step around a ring divides",
		Instead:    "Write if i++; i == n { i = 0 }. If the ring's length is a power of two, i = (i + 1) & (n - 1).",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "list []int, steps int", Result: "int", Args: "make([]int, 60), 200",
			Before: "i, n := 0, 0\nfor range steps {\n\tn += list[i]\n\ti = (i + 1) % len(list)\n}\nreturn n",
			After:  "i, n := 0, 0\nfor range steps {\n\tn += list[i]\n\tif i++; i == len(list) {\n\t\ti = 0\n\t}\n}\nreturn n"},
	}, Spends: []string{""}, Find: moduloStep},
	{Row: knowledge.Row{
		ID: "defer-recorded", Cause: "defer-recorded",
		When:       knowledge.Words("a function has a defer statement in a loop, or the number of its defer statements times that of its return statements exceeds 15, so that the compiler records each deferred call instead of inlining it at the returns"),
		Cost:       "each deferred call is recorded, and looked up when the function returns",
		Instead:    "Move the code with many returns into a function of its own, and call it from the one that defers: with few returns the compiler inlines the deferred calls. In a loop, make the body a function.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "list []int", Result: "int", Args: "[]int{1, 2, 3, 4, 5, 6, 7, 8}", Decls: "var total int\n\nfunc add(x int) { total += x }\n\nfunc step(x int) { defer add(x) }\n",
			Before: "total = 0\nfunc() {\n\tfor _, x := range list {\n\t\tdefer add(x)\n\t}\n}()\nreturn total",
			After:  "total = 0\nfor _, x := range list {\n\tstep(x)\n}\nreturn total"},
	}, Spends: []string{"runtime.deferproc", "runtime.deferreturn", "runtime.(*_panic).", "runtime.newdefer", "runtime.freedefer"}, Find: deferRecorded},
	{Row: knowledge.Row{
		ID: "goroutine-per-item", Cause: "goroutine-per-item",
		When:       knowledge.Words("a loop over all elements of a slice or an array starts a goroutine in each round, with go or with Go of a sync.WaitGroup or an errgroup.Group, and the profile shows the starts"),
		Cost:       "a loop starts a goroutine for each item",
		Instead:    "Start as many goroutines as processors, runtime.GOMAXPROCS(0), and let each process a part of the items, list[lo:hi], or take the next few indexes from an atomic counter. If each item waits, for a file or a connection, use a larger limit.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "list []int", Result: "int64", Args: "make([]int, 400)", Decls: "var sum atomic.Int64\n",
			Before: "sum.Store(0)\nvar wg sync.WaitGroup\nfor i := range list {\n\twg.Add(1)\n\tgo func() {\n\t\tdefer wg.Done()\n\t\tsum.Add(int64(i))\n\t}()\n}\nwg.Wait()\nreturn sum.Load()",
			After:  "sum.Store(0)\nvar wg sync.WaitGroup\nparts := runtime.GOMAXPROCS(0)\nstart := func(lo, hi int) {\n\twg.Add(1)\n\tgo func() {\n\t\tdefer wg.Done()\n\t\tfor i := lo; i < hi; i++ {\n\t\t\tsum.Add(int64(i))\n\t\t}\n\t}()\n}\nfor part := range parts {\n\tstart(len(list)*part/parts, len(list)*(part+1)/parts)\n}\nwg.Wait()\nreturn sum.Load()"},
	}, Spends: []string{"runtime.newproc", "sync.(*WaitGroup).Go", "golang.org/x/sync/errgroup.(*Group).Go"}, Find: goroutinePerItem},
}

var handsOver = []string{"Insert", "Add", "Put", "Set", "Push", "Append", "Store"}

func oneByOne(p *typed.Package, n ast.Node) (m Match) {
	call, ok := n.(*ast.CallExpr)
	if !ok || outer(p, call) == nil {
		return m
	}
	fn := p.Function(call)
	if fn == nil || fn.Signature().Recv() == nil || !slices.Contains(handsOver, fn.Name()) || len(call.Args) == 0 || p.Literal(call) != nil {
		return m
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !varies(p, call.Args[0], outer(p, call)) || varies(p, p.Base(sel.X), outer(p, call)) {
		return m
	}
	var names []string
	methods := types.NewMethodSet(types.NewPointer(deref(fn.Signature().Recv().Type())))
	for i := range methods.Len() {
		names = append(names, methods.At(i).Obj().Name())
	}
	if fn.Pkg() != nil {
		names = append(names, fn.Pkg().Scope().Names()...)
	}
	if slices.ContainsFunc(names, func(name string) bool {
		return slices.Contains([]string{fn.Name() + "All", fn.Name() + "Many", fn.Name() + "Batch", fn.Name() + "Bulk", fn.Name() + "Multi", "Bulk" + fn.Name(), "BulkLoad"}, name)
	}) {
		m.Goes = []ast.Node{call}
	}
	return m
}

func deref(t types.Type) types.Type {
	if to, ok := typed.Under[*types.Pointer](t); ok {
		return to.Elem()
	}
	return t
}

func closurePerRound(p *typed.Package, n ast.Node) (m Match) {
	e, ok := n.(ast.Expr)
	if !ok {
		return m
	}
	loop := outer(p, n)
	if loop == nil {
		return m
	}
	switch e := e.(type) {
	case *ast.FuncLit:
		if around, ok := p.Parent(e).(*ast.CallExpr); ok && around.Fun == e {
			return m
		}
	case *ast.SelectorExpr:
		sel := p.Info.Selections[e]
		if sel == nil || sel.Kind() != types.MethodVal {
			return m
		}
		if around, ok := p.Parent(e).(*ast.CallExpr); ok && around.Fun == e {
			return m
		}
	default:
		return m
	}
	inner := false // a variable of the loop's
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && p.Var(id) != nil {
			v := p.Var(id)
			inner = inner || !within(e, v.Pos()) && (within(loop, v.Pos()) || slices.ContainsFunc(p.Uses(v), func(use *ast.Ident) bool {
				return within(loop, use.Pos()) && !within(e, use.Pos()) && p.Written(use)
			}))
		}
		return !inner
	})
	if lit, ok := e.(*ast.FuncLit); ok {
		n = lit.Type // the lines of the body are those of its calls
	}
	if !inner {
		m.Goes = []ast.Node{n}
	}
	return m
}

func atomicInLoop(p *typed.Package, n ast.Node) (m Match) {
	call, ok := n.(*ast.CallExpr)
	if !ok || p.Literal(call) != nil {
		return m
	}
	loop, ok := outer(p, call).(*ast.RangeStmt)
	fn := p.Function(call)
	if !ok || fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != "sync/atomic" || !strings.HasPrefix(fn.Name(), "Add") || len(call.Args) == 0 || waits(p, loop) {
		return m
	}
	counter := call.Args[0]
	if sel, ok := call.Fun.(*ast.SelectorExpr); ok && fn.Signature().Recv() != nil {
		counter = sel.X
	}
	if _, result := p.Parent(call).(*ast.ExprStmt); result && !varies(p, counter, loop) {
		m.Goes = []ast.Node{call}
	}
	return m
}

// waits reports whether a loop goes over a channel or an iterator, or waits in a round.
func waits(p *typed.Package, loop *ast.RangeStmt) (found bool) {
	over := p.TypeOf(loop.X)
	if over == nil {
		return true
	}
	switch over.Underlying().(type) {
	case *types.Chan, *types.Signature:
		return true
	}
	ast.Inspect(loop.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SendStmt, *ast.SelectStmt, *ast.GoStmt:
			found = true
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.CallExpr:
			x, _ := p.Conversion(n)
			fn := p.Function(n)
			found = found || x == nil && p.Builtin(n) == "" && (fn == nil || fn.Pkg() == nil || !slices.Contains([]string{"sync/atomic", "strings", "bytes", "math", "math/bits", "unicode/utf8"}, fn.Pkg().Path()))
		}
		return !found
	})
	return found
}

func moduloStep(p *typed.Package, n ast.Node) (m Match) {
	st, ok := n.(*ast.AssignStmt)
	if !ok || st.Tok != token.ASSIGN || len(st.Lhs) != 1 || len(st.Rhs) != 1 || !typed.IsInteger(p.TypeOf(st.Lhs[0])) {
		return m
	}
	mod, ok := ast.Unparen(st.Rhs[0]).(*ast.BinaryExpr)
	if !ok || mod.Op != token.REM || p.Info.Types[mod.Y].Value != nil {
		return m
	}
	sum, ok := ast.Unparen(mod.X).(*ast.BinaryExpr)
	if !ok || sum.Op != token.ADD || !typed.Same(sum.X, st.Lhs[0]) {
		return m
	}
	if one := p.Info.Types[sum.Y].Value; one != nil && one.ExactString() == "1" {
		m.Goes = []ast.Node{st}
	}
	return m
}

// writtenOut is the number of deferred calls, at all returns together, that the compiler writes
// out.
const writtenOut = 15

func deferRecorded(p *typed.Package, n ast.Node) (m Match) {
	first, ok := n.(*ast.DeferStmt)
	if !ok {
		return m
	}
	var body *ast.BlockStmt
	switch around := p.FunctionAround(first.Pos()).(type) {
	case *ast.FuncDecl:
		body = around.Body
	case *ast.FuncLit:
		body = around.Body
	}
	returns, looped := 1, false
	var ends []ast.Node
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			returns++
			ends = append(ends, n)
		case *ast.DeferStmt:
			m.Goes = append(m.Goes, n)
			looped = looped || outer(p, n) != nil
		}
		return true
	})
	if len(m.Goes) == 0 || !looped && len(m.Goes)*returns <= writtenOut {
		return Match{}
	}
	// It is recorded at the statement, and run where the function returns.
	m.Goes = append(append(m.Goes, ends...), &ast.EmptyStmt{Semicolon: body.Rbrace})
	return m
}

func goroutinePerItem(p *typed.Package, n ast.Node) (m Match) {
	switch n := n.(type) {
	case *ast.GoStmt:
	case *ast.CallExpr:
		if !slices.Contains([]string{"sync.(*WaitGroup).Go", "golang.org/x/sync/errgroup.(*Group).Go"}, p.Called(n)) {
			return m
		}
	default:
		return m
	}
	var over ast.Expr
	switch loop := outer(p, n).(type) {
	case *ast.RangeStmt:
		over = loop.X
		if typed.Element(p.TypeOf(over)) == nil {
			over = measured(p, over)
		}
	case *ast.ForStmt:
		if until, ok := loop.Cond.(*ast.BinaryExpr); ok {
			over = measured(p, until.Y)
		}
	}
	if over != nil {
		m.Goes = []ast.Node{n}
	}
	return m
}

// measured returns the x of len(x), nil of any other expression.
func measured(p *typed.Package, e ast.Expr) ast.Expr {
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok && p.Builtin(call) == "len" && len(call.Args) == 1 {
		return call.Args[0]
	}
	return nil
}
