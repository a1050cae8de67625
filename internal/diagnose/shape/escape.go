package shape

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"whet/internal/diagnose"
	"whet/internal/diagnose/knowledge"
	"whet/internal/finding"
	"whet/internal/typed"
)

var ofEscapes = []Shape{
	{Row: knowledge.Row{
		ID: "moved-for-branch", Cause: "escape-for-branch",
		When:       knowledge.Words("the compiler moves a parameter or a local variable to the heap, and everything that takes its address, or captures it in a function literal, is in a branch that leaves the function, or after which the variable is not used, and that has almost no samples"),
		Cost:       "a variable is on the heap because of a branch",
		Instead:    "Copy it in that branch and use the copy there: if err != nil { x := x; return fail(&x) }. The variable then stays on the stack, and only the branch allocates.",
		Confidence: finding.High,
		Example: knowledge.Example{Params: "n int", Result: "int", Args: "12",
			Decls:  "type point struct{ x, y, z int }\n\nvar last *point\n\n//go:noinline\nfunc report(p *point) int {\n\tlast = p\n\treturn -1\n}\n",
			Before: "p := point{n, n, n}\nif p.x < 0 {\n\treturn report(&p)\n}\nreturn p.x + p.y + p.z",
			After:  "p := point{n, n, n}\nif p.x < 0 {\n\tp := p\n\treturn report(&p)\n}\nreturn p.x + p.y + p.z"},
	}, Spends: []string{blocks}, Find: movedForBranch},
	{Row: knowledge.Row{
		ID: "leaks-for-branch", Cause: "escape-for-branch",
		When:       knowledge.Words("the compiler moves a parameter or a local variable to the heap, its address is only passed to a function of the program, and that function leaks its parameter only in branches that return, which have almost no samples"),
		Cost:       "a variable is on the heap because a function keeps its address in a branch",
		Instead:    "Copy in that branch of the called function, and keep the copy: if … { x := *p; return keep(&x) }. Its parameter then does not leak, and the variables of all callers stay on the stack.",
		Confidence: finding.High,
		Example: knowledge.Example{Params: "n int", Result: "int", Args: "12",
			Decls:  "type point struct{ x, y, z int }\n\nvar last *point\n\n//go:noinline\nfunc sum(p *point) int {\n\tif p.x < 0 {\n\t\tlast = p\n\t\treturn -1\n\t}\n\treturn p.x + p.y + p.z\n}\n\n//go:noinline\nfunc total(p *point) int {\n\tif p.x < 0 {\n\t\tx := *p\n\t\tlast = &x\n\t\treturn -1\n\t}\n\treturn p.x + p.y + p.z\n}\n",
			Before: "p := point{n, n, n}\nreturn sum(&p)",
			After:  "p := point{n, n, n}\nreturn total(&p)"},
	}, Spends: []string{blocks}, Find: leaksForBranch},
	{Row: knowledge.Row{
		ID: "object-dropped", Cause: "object-dropped",
		When:       knowledge.Words("a variable starts as &T{…} or new(T) of a struct of the package; the compiler reports that it escapes to the heap; the profile shows the allocation; and nothing lets it outlive the call: its fields are used, and called functions do not keep it"),
		Cost:       "an object is allocated on the heap for one call",
		Instead:    "Reuse it between calls: keep it " + diagnose.Anywhere + ", and reset its fields. If it escapes only because it is passed as an interface, let the callee take its type: it then stays on the stack.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "out io.Writer, list []int", Result: "int", Args: "io.Discard, []int{1, 2, 3}",
			Decls:  "type writer struct {\n\tout  io.Writer\n\tn    int\n\troom [512]byte\n}\n\n//go:noinline\nfunc (w *writer) Write(b []byte) (int, error) {\n\tw.n += len(b)\n\treturn copy(w.room[w.n&255:], b), nil\n}\n\nvar pool = sync.Pool{New: func() any { return new(writer) }}\n",
			Before: "w := &writer{out: out}\nfor range list {\n\tfmt.Fprint(w, \"a\")\n}\nreturn w.n",
			After:  "w := pool.Get().(*writer)\nw.out, w.n = out, 0\nfor range list {\n\tfmt.Fprint(w, \"a\")\n}\nn := w.n\npool.Put(w)\nreturn n"},
	}, Spends: []string{blocks}, Find: droppedObject},
}

// movable returns the parameter or local variable that a node declares, nil where it is none.
func movable(p *typed.Package, n ast.Node) *types.Var {
	id, ok := n.(*ast.Ident)
	if !ok {
		return nil
	}
	v, ok := p.Info.Defs[id].(*types.Var)
	if !ok || v.IsField() || typed.Global(v) || v.Kind() == types.ResultVar || v.Kind() == types.PackageVar || p.Definition(v) != id {
		return nil
	}
	return v
}

// leaksForBranch is movedForBranch where the branch is in the function that the address
// is handed to.
func leaksForBranch(p *typed.Package, n ast.Node) (m Match) {
	v := movable(p, n)
	if v == nil {
		return m
	}
	var to *typed.Function
	var param *types.Var
	for _, use := range p.Uses(v) {
		if !escapes(p, use, v) {
			continue
		}
		ref, _ := p.Parent(use).(*ast.UnaryExpr)
		if ref == nil {
			return m
		}
		call, _ := p.Parent(ref).(*ast.CallExpr)
		if call == nil || p.Started(call) || !p.RunsNow(use, v) {
			return m
		}
		callee, i := p.Reached(call), slices.Index(call.Args, ast.Expr(ref))
		if callee == nil || callee.Decl.Body == nil || i < 0 || i >= callee.Object.Signature().Params().Len() || callee.Object.Signature().Variadic() || to != nil && callee.Object != to.Object {
			return m
		}
		at := callee.Object.Signature().Params().At(i)
		if param != nil && at != param {
			return m
		}
		to, param = callee, at
	}
	if to == nil {
		return m
	}
	for _, use := range to.Package.Uses(param) {
		if lets(to.Package, use, param, maxDepth) {
			continue
		}
		b := leaving(to.Package, use, param)
		if b == nil {
			return Match{}
		}
		m.Rare = append(m.Rare, b)
	}
	if len(m.Rare) > 0 {
		m.Goes, m.RareIn, m.Decision, m.All = []ast.Node{n}, to.File, "moved to heap: "+v.Name(), true
	}
	return m
}

func movedForBranch(p *typed.Package, n ast.Node) (m Match) {
	v := movable(p, n)
	if v == nil {
		return m
	}
	var rare []ast.Node
	var uses []*ast.Ident
	leave := true
	for _, use := range p.Uses(v) {
		if !escapes(p, use, v) {
			continue
		}
		uses = append(uses, use)
		b := leaving(p, use, v)
		leave = leave && b != nil && (rare == nil || rare[0] == b)
		rare = []ast.Node{b}
	}
	if !leave {
		rare = mutual(p, v, uses)
	}
	if len(rare) > 0 {
		m = Match{Goes: []ast.Node{n}, Rare: rare, Decision: "moved to heap: " + v.Name(), All: true}
	}
	return m
}

// escapes reports whether a use of a variable may be what moves it to the heap: its
// address is taken, or that of a part, by & or by a method with a pointer as receiver,
// or a literal uses it.
func escapes(p *typed.Package, use *ast.Ident, v *types.Var) bool {
	if p.Literal(use) != p.Literal(p.Definition(v)) {
		return true
	}
	e := ast.Expr(use)
	for {
		switch around := p.Parent(e).(type) {
		case *ast.ParenExpr:
			e = around
		case *ast.SelectorExpr:
			sel := p.Info.Selections[around]
			if sel == nil {
				return true
			}
			if sel.Kind() != types.FieldVal {
				fn, ok := sel.Obj().(*types.Func)
				if !ok {
					return true
				}
				_, to := types.Unalias(fn.Signature().Recv().Type()).(*types.Pointer)
				_, is := types.Unalias(p.TypeOf(e)).(*types.Pointer)
				return to && !is
			}
			if _, ok := typed.Under[*types.Pointer](p.TypeOf(e)); ok {
				return false // what it points to is elsewhere
			}
			e = around
		case *ast.IndexExpr:
			if _, array := typed.Under[*types.Array](p.TypeOf(e)); !array || around.X != e {
				return false
			}
			e = around
		case *ast.SliceExpr:
			_, array := typed.Under[*types.Array](p.TypeOf(e))
			return array && around.X == e
		case *ast.UnaryExpr:
			return around.Op == token.AND
		default:
			return false
		}
	}
}

// leaving returns the innermost branch around a use that leaves the function at its end, and
// does not hold the variable's declaration; nil where there is none.
func leaving(p *typed.Package, use *ast.Ident, v *types.Var) ast.Node {
	// A return in a literal leaves the literal alone.
	from := ast.Node(use)
	for n := from; n != nil; n = p.Parent(n) {
		if lit, ok := n.(*ast.FuncLit); ok && !within(lit, v.Pos()) {
			from = lit
		}
	}
	for n := from; n != nil; n = p.Parent(n) {
		var list []ast.Stmt
		switch b := n.(type) {
		case *ast.BlockStmt:
			if _, ok := p.Parent(b).(*ast.IfStmt); !ok {
				continue
			}
			list = b.List
		case *ast.CaseClause:
			list = b.Body
		case *ast.FuncLit:
			if within(b, v.Pos()) {
				return nil
			}
		}
		if len(list) == 0 {
			continue
		}
		if within(n, v.Pos()) {
			return nil
		}
		switch last := list[len(list)-1].(type) {
		case *ast.ReturnStmt:
			return n
		case *ast.ExprStmt:
			if call, ok := last.X.(*ast.CallExpr); ok && p.Builtin(call) == "panic" {
				return n
			}
		}
	}
	return nil
}

// keepNothing are functions of the library that keep no argument, by how their names
// begin.
var keepNothing = []string{"fmt.Fprint", "io.Copy", "io.ReadFull", "io.ReadAll", "io.WriteString", "sort.", "encoding/json.Marshal", "encoding/binary.Write"}

// maxDepth bounds the functions that one is followed into.
const maxDepth = 4

func droppedObject(p *typed.Package, n ast.Node) (m Match) {
	st, ok := n.(ast.Stmt)
	if !ok {
		return m
	}
	for v, value := range p.Declared(typed.Specification(st)) {
		object, _ := types.Unalias(v.Type()).(*types.Pointer)
		if value == nil || object == nil || v.Kind() != types.LocalVar || typed.Global(v) || constructs(p, n) {
			continue
		}
		named, ok := types.Unalias(object.Elem()).(*types.Named)
		if !ok || named.Obj().Pkg() != p.Types {
			continue
		}
		if _, isStruct := typed.Under[*types.Struct](named); !isStruct || !newObject(p, value) {
			continue
		}
		if passes(p, v, maxDepth) {
			return Match{Goes: []ast.Node{value}, Decision: " escapes to heap", All: true}
		}
	}
	return m
}

// newObject reports whether a value is new(T), or &T{…} that makes nothing else.
func newObject(p *typed.Package, value ast.Expr) bool {
	switch e := ast.Unparen(value).(type) {
	case *ast.CallExpr:
		return p.Builtin(e) == "new"
	case *ast.UnaryExpr:
		lit, ok := ast.Unparen(e.X).(*ast.CompositeLit)
		if e.Op != token.AND || !ok {
			return false
		}
		makes := false
		for _, part := range lit.Elts {
			ast.Inspect(part, func(n ast.Node) bool {
				switch n.(type) {
				case *ast.CallExpr, *ast.CompositeLit, *ast.UnaryExpr, *ast.FuncLit, *ast.BinaryExpr:
					makes = true
				}
				return !makes
			})
		}
		return !makes
	}
	return false
}

// passes reports whether the methods and functions of the program's that are called
// with a pointer keep it no longer than the call, as far as their source shows: they
// use its fields, or hand it on to others of which the same holds.
func passes(p *typed.Package, v *types.Var, depth int) bool {
	return depth > 0 && !slices.ContainsFunc(p.Uses(v), func(use *ast.Ident) bool { return !lets(p, use, v, depth) })
}

// lets is passes for one use.
func lets(p *typed.Package, use *ast.Ident, v *types.Var, depth int) bool {
	if !p.RunsNow(use, v) {
		return false
	}
	switch around := p.Parent(use).(type) {
	case *ast.SelectorExpr:
		sel := p.Info.Selections[around]
		if sel == nil {
			return false
		}
		if sel.Kind() == types.FieldVal {
			switch outer := p.Parent(around).(type) {
			case *ast.UnaryExpr:
				if outer.Op == token.AND {
					return false
				}
			case *ast.SliceExpr:
				if _, array := typed.Under[*types.Array](p.TypeOf(around)); array {
					return false
				}
			}
			return true
		}
		call, ok := p.Parent(around).(*ast.CallExpr)
		if !ok || call.Fun != around || p.Started(call) {
			return false
		}
		to := p.Reached(call)
		if to == nil || len(sel.Index()) > 1 || !letsGo(to, to.Object.Signature().Recv(), depth) {
			return false
		}
	case *ast.CallExpr:
		to := p.Reached(around)
		i := slices.Index(around.Args, ast.Expr(use))
		if to == nil {
			return slices.ContainsFunc(keepNothing, func(begin string) bool { return strings.HasPrefix(p.Called(around), begin) })
		}
		params := to.Object.Signature().Params()
		if i < 0 || i >= params.Len() || to.Object.Signature().Variadic() || !letsGo(to, params.At(i), depth) {
			return false
		}
	case *ast.StarExpr, *ast.BinaryExpr:
	default:
		return false
	}
	return true
}

// letsGo reports whether a function keeps a parameter, or its receiver, no longer than
// its call.
func letsGo(to *typed.Function, v *types.Var, depth int) bool {
	return passes(to.Package, v, depth-1)
}
