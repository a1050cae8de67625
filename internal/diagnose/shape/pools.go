package shape

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"whet/internal/diagnose/knowledge"
	"whet/internal/finding"
	"whet/internal/typed"
)

// ofPools are about pools that give nothing back, or what they should not.
var ofPools = []Shape{
	{Row: knowledge.Row{
		ID: "pool-never-put", Cause: "pool-misused",
		When:       knowledge.Words("Get of an unexported sync.Pool, a package variable or a field, on which its package never calls Put, and which it passes nowhere"),
		Cost:       "nothing is ever put into a pool",
		Instead:    "Put the value back after use, defer pool.Put(x), and reset it; or allocate without a pool.",
		Confidence: finding.High,
		Example: knowledge.Example{Params: "text string", Result: "int", Args: `strings.Repeat("x", 1000)`,
			Decls:  "var left = sync.Pool{New: func() any { return bytes.NewBuffer(make([]byte, 0, 4096)) }}\n\nvar kept = sync.Pool{New: func() any { return bytes.NewBuffer(make([]byte, 0, 4096)) }}\n\n//go:noinline\nfunc upper(b *bytes.Buffer, s string) int {\n\tb.WriteString(s)\n\treturn b.Len()\n}\n\nfunc reuse(s string) int {\n\tb := kept.Get().(*bytes.Buffer)\n\tb.Reset()\n\tdefer kept.Put(b)\n\treturn upper(b, s)\n}\n",
			Before: "b := left.Get().(*bytes.Buffer)\nb.Reset()\nreturn upper(b, text)",
			After:  "return reuse(text)"},
	}, Spends: []string{poolGet}, Find: poolNeverPut},
	{Row: knowledge.Row{
		ID: "pool-per-call", Cause: "pool-misused",
		When:       knowledge.Words("Get of a sync.Pool that is a local variable of the same function, with no loop between the two, and that is passed nowhere"),
		Cost:       "a pool is made for each call, and so is empty",
		Instead:    "Make the pool a package variable, or a field of a value that outlives the call.",
		Confidence: finding.High,
		Example: knowledge.Example{Params: "text string", Result: "int", Args: `strings.Repeat("x", 1000)`,
			Decls:  "var shared = sync.Pool{New: func() any { return bytes.NewBuffer(make([]byte, 0, 4096)) }}\n\n//go:noinline\nfunc upper(b *bytes.Buffer, s string) int {\n\tb.WriteString(s)\n\treturn b.Len()\n}\n",
			Before: "pool := sync.Pool{New: func() any { return bytes.NewBuffer(make([]byte, 0, 4096)) }}\nb := pool.Get().(*bytes.Buffer)\nb.Reset()\ndefer pool.Put(b)\nreturn upper(b, text)",
			After:  "b := shared.Get().(*bytes.Buffer)\nb.Reset()\ndefer shared.Put(b)\nreturn upper(b, text)"},
	}, Spends: []string{poolGet}, Find: poolPerCall},
	{Row: knowledge.Row{
		ID: "pool-not-reset", Cause: "pool-misused",
		When:       knowledge.Words("a function gets a *bytes.Buffer from a sync.Pool, writes to it and puts it back, and its package calls neither Reset nor Truncate of a buffer; the blocks are of several sizes"),
		Cost:       "a buffer from a pool is written to and never emptied",
		Instead:    "Reset it after Get, or before Put: earlier content stays in it, and it grows until the garbage collector drops it.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "texts []string", Result: "int", Args: `slices.Repeat([]string{strings.Repeat("x", 5000)}, 200)`,
			Decls:  "var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}\n",
			Before: "n := 0\nfor _, text := range texts {\n\tb := buffers.Get().(*bytes.Buffer)\n\tb.WriteString(text)\n\tn += len(text)\n\tbuffers.Put(b)\n}\nreturn n",
			After:  "n := 0\nfor _, text := range texts {\n\tb := buffers.Get().(*bytes.Buffer)\n\tb.Reset()\n\tb.WriteString(text)\n\tn += len(text)\n\tbuffers.Put(b)\n}\nreturn n"},
	}, Spends: []string{"bytes.(*Buffer)."}, Find: poolNotReset},
	{Row: knowledge.Row{
		ID: "pool-growth-lost", Cause: "pool-misused",
		When:       knowledge.Words("a function gets a pointer to a slice from a sync.Pool, appends to a slice of its target and puts the pointer back without setting the target; or it defers Put of a slice to which it appends afterwards; the blocks are of several sizes"),
		Cost:       "a slice from a pool grows, and the old one is put back",
		Instead:    "Put the grown slice back: *p = b before pool.Put(p), and defer func() { pool.Put(…) }() in place of defer pool.Put(b), whose argument is evaluated at once.",
		Confidence: finding.High,
		Example: knowledge.Example{Params: "list []string", Result: "int", Args: `slices.Repeat([]string{"a few words of text"}, 50)`,
			Decls:  "var lines = sync.Pool{New: func() any { b := make([]byte, 0, 64); return &b }}\n",
			Before: "p := lines.Get().(*[]byte)\nb := (*p)[:0]\nfor _, s := range list {\n\tb = append(b, s...)\n}\nlines.Put(p)\nreturn len(list)",
			After:  "p := lines.Get().(*[]byte)\nb := (*p)[:0]\nfor _, s := range list {\n\tb = append(b, s...)\n}\n*p = b\nlines.Put(p)\nreturn len(list)"},
	}, Spends: []string{"runtime.growslice", blocks}, Find: poolGrowthLost},
	{Row: knowledge.Row{
		ID: "pool-any-size", Cause: "pool-misused",
		When:       knowledge.Words("the capacity of a slice from a sync.Pool is checked, if cap(b) < n, and if it is too small, a slice of exactly n elements is made, with n not constant; the blocks are of several sizes"),
		Cost:       "a pool's slices are often too small, and are allocated again with exactly the requested size",
		Instead:    "Allocate them in size classes: 1<<bits.Len(uint(n-1)), the next power of two, so that one serves most later requests; or keep a pool for each class. Drop slices that are much larger than most requests instead of putting them back.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "sizes []int", Result: "int", Args: "rising()",
			Decls:  "type room struct{ pool sync.Pool }\n\nfunc rising() (sizes []int) {\n\tfor n := 1000; n < 2000; n += 20 {\n\t\tsizes = append(sizes, n)\n\t}\n\treturn sizes\n}\n",
			Before: "r, n := new(room), 0\nfor _, size := range sizes {\n\tb, _ := r.pool.Get().(*[]byte)\n\tif b == nil || cap(*b) < size {\n\t\tfresh := make([]byte, size)\n\t\tb = &fresh\n\t}\n\tn += len((*b)[:size])\n\tr.pool.Put(b)\n}\nreturn n",
			After:  "r, n := new(room), 0\nfor _, size := range sizes {\n\tb, _ := r.pool.Get().(*[]byte)\n\tif b == nil || cap(*b) < size {\n\t\tfresh := make([]byte, 1<<bits.Len(uint(size-1)))\n\t\tb = &fresh\n\t}\n\tn += len((*b)[:size])\n\tr.pool.Put(b)\n}\nreturn n"},
	}, Spends: []string{blocks}, Find: poolAnySize},
}

const (
	poolGet = "sync.(*Pool).Get"
	poolPut = "sync.(*Pool).Put"
)

// causesOfPools are the rules about them.
var causesOfPools = []knowledge.Cause{{
	ID: "pool-misused", Title: "a sync.Pool that does not save allocations",
	What:     "A function calls Get of a sync.Pool into which nothing is put, or which is made in each call, so that New makes every value; or it puts back a buffer that is never reset, or a slice as it was before it grew; or it allocates slices of exactly the requested size when the pool's is too small.",
	Why:      "Each Get of an empty pool makes a new value, and costs more than allocating without a pool. A buffer that is never reset grows, and is copied as it grows. A slice too small for most requests is dropped and allocated again.",
	Silent:   "For exported pools and those that are passed on, into which other code may put values; where the pool is made outside the loop around Get; for buffers of a package that resets any; where sizes do not vary.",
	Fix:      "Use one pool for all calls, Put each value after use, and Reset before; allocate in size classes.",
	Unneeded: "so that it saves little or nothing",
	Outranks: []string{"buffer-per-call", "collection-per-call", "object-per-call", "slice-growth"},
}}

// pool returns the variable or field that holds the pool of a call of Get, nil where it is
// none that only its own package sees.
func pool(p *typed.Package, n ast.Node) (call *ast.CallExpr, of *types.Var) {
	call, ok := n.(*ast.CallExpr)
	if !ok || p.Called(call) != poolGet {
		return nil, nil
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return nil, nil
	}
	of, _ = p.Object(sel.X).(*types.Var)
	if x, ok := ast.Unparen(sel.X).(*ast.SelectorExpr); ok && p.Info.Selections[x] != nil {
		of, _ = p.Info.Selections[x].Obj().(*types.Var)
	}
	if of == nil || !ofPool(p, of) || of.Pkg() != p.Types || of.Exported() && (of.IsField() || typed.Global(of)) {
		return nil, nil
	}
	return call, of
}

// ofPool reports whether a variable or field is a sync.Pool itself, or points to one that
// its package makes for it alone: a type around a pool has methods of its own.
func ofPool(p *typed.Package, of *types.Var) bool {
	switch types.TypeString(of.Type(), nil) {
	case "sync.Pool":
		return true
	case "*sync.Pool":
	default:
		return false
	}
	values, known := p.FieldValues(of), of.IsField()
	if !known {
		values, known = p.SetTo(of)
	}
	return known && len(values) > 0 && !slices.ContainsFunc(values, func(e ast.Expr) bool { return !isPoolLiteral(p, e) })
}

// poolUses returns the methods that are called of a pool; known is false where anything else
// is done with it.
func poolUses(p *typed.Package, of *types.Var) (methods []string, known bool) {
	for _, id := range p.Uses(of) {
		at := ast.Node(p.Operand(id))
		if kv, ok := p.Parent(at).(*ast.KeyValueExpr); ok && kv.Key == at { // in a literal
			continue
		}
		sel, ok := p.Parent(at).(*ast.SelectorExpr)
		if !ok || sel.X != at {
			return nil, false
		}
		methods = append(methods, sel.Sel.Name)
	}
	return methods, true
}

func poolNeverPut(p *typed.Package, n ast.Node) (m Match) {
	call, of := pool(p, n)
	if call == nil || !of.IsField() && !typed.Global(of) {
		return m
	}
	if methods, known := poolUses(p, of); known && !slices.Contains(methods, "Put") {
		m.Goes = []ast.Node{call}
	}
	return m
}

func poolPerCall(p *typed.Package, n ast.Node) (m Match) {
	call, of := pool(p, n)
	if call == nil || of.IsField() || typed.Global(of) || p.Definition(of) == nil {
		return m
	}
	if parameter, _ := p.Named(of); parameter {
		return m
	}
	d, ok := p.Declaration(call.Pos()).(*ast.FuncDecl)
	if !ok || d.Recv == nil && (d.Name.Name == "main" || d.Name.Name == "init") || p.FunctionAround(call.Pos()) != p.FunctionAround(p.Definition(of).Pos()) {
		return m
	}
	if loop := outer(p, call); loop != nil && !within(loop, p.Definition(of).Pos()) {
		return m
	}
	values, known := p.SetTo(of)
	if !known || len(values) > 1 || len(values) == 1 && !isPoolLiteral(p, values[0]) {
		return m
	}
	if _, known := poolUses(p, of); known {
		m.Goes = []ast.Node{call}
	}
	return m
}

// isPoolLiteral reports whether an expression makes a pool where it stands.
func isPoolLiteral(p *typed.Package, e ast.Expr) bool {
	if ref, ok := ast.Unparen(e).(*ast.UnaryExpr); ok {
		e = ref.X
	}
	_, ok := ast.Unparen(e).(*ast.CompositeLit)
	if call, made := ast.Unparen(e).(*ast.CallExpr); made {
		ok = p.Builtin(call) == "new"
	}
	return ok
}

// empties reports whether a package empties any buffer.
func empties(p *typed.Package) (found bool) {
	for _, f := range p.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && slices.Contains([]string{"bytes.(*Buffer).Reset", "bytes.(*Buffer).Truncate"}, p.Called(call)) {
				found = true
			}
			return !found
		})
	}
	return found
}

func poolNotReset(p *typed.Package, n ast.Node) (m Match) {
	call, of := pool(p, n)
	if call == nil {
		return m
	}
	assert, ok := p.Parent(call).(*ast.TypeAssertExpr)
	if !ok || types.TypeString(p.TypeOf(assert), nil) != "*bytes.Buffer" {
		return m
	}
	methods, known := poolUses(p, of)
	if !known || !slices.Contains(methods, "Put") || empties(p) {
		return m
	}
	uses := p.Results(call)
	if st, ok := p.Parent(assert).(*ast.AssignStmt); ok {
		uses = nil
		if v := p.Var(st.Lhs[0]); v != nil && p.SetOnce(v) != nil {
			for _, id := range p.Uses(v) {
				uses = append(uses, id)
			}
		}
	}
	put := false
	var writes []ast.Node
	for _, use := range uses {
		sel, ok := p.Parent(use).(*ast.SelectorExpr)
		if ok {
			write, called := p.Parent(sel).(*ast.CallExpr)
			if !called {
				return m
			}
			switch sel.Sel.Name {
			case "Write", "WriteString", "WriteByte", "WriteRune":
				writes = append(writes, write)
			case "Len", "Bytes", "String", "Cap":
			default: // reading takes out
				return m
			}
			continue
		}
		handed, ok := p.Parent(use).(*ast.CallExpr)
		if !ok || p.Called(handed) != poolPut {
			return m
		}
		put = true
	}
	if put && len(writes) > 0 {
		m.Goes, m.Grows = writes, true
	}
	return m
}

// fromPool returns the variables of a function that hold what a call of Get returns, and the
// calls of Put that they are handed to.
func fromPool(p *typed.Package, n ast.Node) (v *types.Var, puts []*ast.CallExpr) {
	set, ok := n.(*ast.AssignStmt)
	if !ok || set.Tok != token.DEFINE || len(set.Rhs) != 1 {
		return nil, nil
	}
	assert, ok := ast.Unparen(p.Base(set.Rhs[0])).(*ast.TypeAssertExpr)
	if !ok {
		return nil, nil
	}
	call, ok := ast.Unparen(assert.X).(*ast.CallExpr)
	if !ok || p.Called(call) != poolGet {
		return nil, nil
	}
	if v = p.Var(set.Lhs[0]); v == nil {
		return nil, nil
	}
	for _, use := range p.Uses(v) {
		if put, ok := p.Parent(use).(*ast.CallExpr); ok && p.Called(put) == poolPut {
			puts = append(puts, put)
		}
	}
	return v, puts
}

// grows returns the appends to a variable that set it.
func grows(p *typed.Package, v *types.Var) (list []ast.Node) {
	for _, use := range p.Uses(v) {
		set, ok := p.Parent(use).(*ast.AssignStmt)
		if !ok || len(set.Lhs) != 1 || set.Lhs[0] != use {
			continue
		}
		if call, ok := ast.Unparen(set.Rhs[0]).(*ast.CallExpr); ok && p.Builtin(call) == "append" && len(call.Args) > 0 && p.Var(p.Base(call.Args[0])) == v {
			list = append(list, call)
		}
	}
	return list
}

func poolGrowthLost(p *typed.Package, n ast.Node) (m Match) {
	v, puts := fromPool(p, n)
	if len(puts) != 1 {
		return m
	}
	if _, slice := typed.Under[*types.Slice](v.Type()); slice {
		_, deferred := p.Parent(puts[0]).(*ast.DeferStmt)
		for _, grown := range grows(p, v) {
			if deferred && grown.Pos() > puts[0].End() {
				m.Goes = append(m.Goes, grown)
			}
		}
		m.Grows = true
		return m
	}
	if to, ok := typed.Under[*types.Pointer](v.Type()); !ok || typed.Element(to.Elem()) == nil {
		return m
	}
	for _, use := range p.Uses(v) {
		if p.Parent(use) == ast.Node(puts[0]) {
			continue
		}
		part, ok := p.Parent(use).(*ast.StarExpr)
		if !ok || p.Written(part) {
			return Match{}
		}
		at := ast.Expr(part)
		for x, _ := p.Parent(at).(ast.Expr); x != nil && p.Container(x) != nil || isParen(x); x, _ = p.Parent(at).(ast.Expr) {
			at = x
		}
		if to, values := typed.Sides(p.Parent(at)); len(to) == 1 && len(values) == 1 && p.Var(to[0]) != nil {
			m.Goes = append(m.Goes, grows(p, p.Var(to[0]))...)
		}
	}
	m.Grows = true
	return m
}

func isParen(e ast.Expr) bool {
	_, ok := e.(*ast.ParenExpr)
	return ok
}

// tooSmall returns what the capacity of what a use stands for is compared with by an if, and
// the if: if cap(*b) < n { … }.
func tooSmall(p *typed.Package, use *ast.Ident) (size ast.Expr, st *ast.IfStmt) {
	for n := p.Parent(use); n != nil; n = p.Parent(n) {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if of, ok := ast.Unparen(n.X).(*ast.CallExpr); ok && n.Op == token.LSS && p.Builtin(of) == "cap" {
				size = n.Y
			}
		case *ast.IfStmt:
			return size, n
		case ast.Stmt:
			return nil, nil
		}
	}
	return nil, nil
}

func poolAnySize(p *typed.Package, n ast.Node) (m Match) {
	v, puts := fromPool(p, n)
	if len(puts) == 0 {
		return m
	}
	for _, use := range p.Uses(v) {
		size, st := tooSmall(p, use)
		if size == nil || p.Info.Types[size].Value != nil {
			continue
		}
		ast.Inspect(st.Body, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && p.Builtin(call) == "make" && len(call.Args) > 0 && typed.Same(call.Args[len(call.Args)-1], size) {
				m.Goes = append(m.Goes, call)
			}
			return true
		})
	}
	m.Grows = true
	return m
}
