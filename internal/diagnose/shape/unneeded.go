package shape

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"whet/internal/diagnose/knowledge"
	"whet/internal/diagnose/purity"
	"whet/internal/finding"
	"whet/internal/typed"
)

var ofUnneeded = []Shape{
	{Row: knowledge.Row{
		ID: "made-of-settings", Cause: "settings-work",
		When:       knowledge.Words("a function of package strings, strconv, fmt, net, net/url, path or time that returns a string, or a concatenation, has only constants and unexported fields that only constructors set as arguments"),
		Cost:       "a string is built from fields that only constructors set",
		Instead:    "Build it once, where the fields are set, and keep it in a field of its own.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "s *server", Result: "string", Args: "newServer(\"localhost\", 8080)",
			Decls:  "type server struct {\n\thost, addr string\n\tport int\n}\n\nfunc newServer(host string, port int) *server {\n\treturn &server{host: host, port: port, addr: net.JoinHostPort(host, strconv.Itoa(port))}\n}\n",
			Before: "return net.JoinHostPort(s.host, strconv.Itoa(s.port))",
			After:  "return s.addr"},
	}, Spends: []string{calls}, Find: madeOfSettings},
	{Row: knowledge.Row{
		ID: "needed-in-one-branch", Cause: "early-work",
		When:       knowledge.Words("only one branch of a later if or switch of the same block uses the result of a function without effects, or a literal, and that branch contains calls and has almost no samples"),
		Cost:       "a value is computed before it is known whether it is needed",
		Instead:    "Compute it in the branch that uses it.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "list []int", Result: "string", Args: "[]int{1, 2, 3, 4, 5, 6, 7, 8}",
			Decls:  "func report(s string) string { return s + \" is negative\" }\n",
			Before: "for _, n := range list {\n\ttext := strconv.Itoa(n * 1000)\n\tif n < 0 {\n\t\treturn report(text)\n\t}\n}\nreturn \"\"",
			After:  "for _, n := range list {\n\tif n < 0 {\n\t\treturn report(strconv.Itoa(n * 1000))\n\t}\n}\nreturn \"\""},
	}, Spends: []string{calls}, Find: neededInOneBranch},
	{Row: knowledge.Row{
		ID: "map-ranged", Cause: "needless-map",
		When:       knowledge.Words("a map is filled with the keys of another, and the function or its callers only range over it, or look up the key of the round"),
		Cost:       "a map is filled only to be iterated over",
		Instead:    "Use a slice of structs of key and element, made with the length of the original map.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "m map[string]int", Result: "int", Args: "numbers(named(100))", Decls: named + "\ntype entry struct {\n\tname string\n\tn    int\n}\n",
			Before: "all, n := make(map[string]int), 0\nfor name, i := range m {\n\tall[name] = i\n}\nfor name, i := range all {\n\tn += len(name) + i\n}\nreturn n",
			After:  "all, n := make([]entry, 0, len(m)), 0\nfor name, i := range m {\n\tall = append(all, entry{name, i})\n}\nfor _, e := range all {\n\tn += len(e.name) + e.n\n}\nreturn n"},
	}, Spends: []string{"runtime.map", "runtime.makemap", "internal/runtime/maps."}, Find: mapRanged},
}

// ofSettings are packages whose functions make the same of the same.
var ofSettings = []string{"strings", "strconv", "fmt", "net", "net/url", "path", "path/filepath", "time", "encoding/base64", "encoding/hex"}

func madeOfSettings(p *typed.Package, n ast.Node) (m Match) {
	e, ok := n.(ast.Expr)
	if !ok || constructs(p, n) {
		return m
	}
	if t := p.TypeOf(e); t == nil || !typed.IsString(t) && !isBytes(t) && !typed.IsString(typed.Element(t)) {
		return m
	}
	if fields, ok := settings(p, e); ok && fields > 0 {
		m.Goes = []ast.Node{n}
	}
	return m
}

// settings reports whether an expression is a call or a concatenation of nothing but
// constants and fields that only constructors set, and of how many fields.
func settings(p *typed.Package, e ast.Expr) (fields int, ok bool) {
	var parts []ast.Expr
	switch e := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		fn := p.Function(e)
		if fn == nil || fn.Pkg() == nil || fn.Signature().Recv() != nil || !slices.Contains(ofSettings, fn.Pkg().Path()) || !purity.OfItsArguments(p.Called(e)) || strings.HasPrefix(fn.Name(), "Fp") || strings.HasPrefix(fn.Name(), "Errorf") {
			return 0, false
		}
		parts = e.Args
	case *ast.BinaryExpr:
		if !p.Joins(e) {
			return 0, false
		}
		parts = []ast.Expr{e.X, e.Y}
	default:
		return 0, false
	}
	for _, part := range parts {
		part = p.Converted(part)
		if p.Fixed(part).Always() {
			continue
		}
		if n, ok := settings(p, part); ok {
			fields += n
			continue
		}
		sel, is := part.(*ast.SelectorExpr)
		if !is || !setting(p, sel) {
			return 0, false
		}
		fields++
	}
	return fields, true
}

// setting reports whether an expression is an unexported field that nothing but
// constructors set, of a parameter or receiver.
func setting(p *typed.Package, sel *ast.SelectorExpr) bool {
	field, ok := p.Object(sel).(*types.Var)
	if !ok || !field.IsField() || field.Exported() || field.Pkg() != p.Types {
		return false
	}
	if parameter, _ := p.Named(p.Var(sel.X)); !parameter {
		return false
	}
	set := 0
	for _, use := range p.Uses(field) {
		if kv, ok := p.Parent(use).(*ast.KeyValueExpr); ok && kv.Key == use || p.Written(p.Operand(use)) {
			set++
			if !constructs(p, use) {
				return false
			}
		}
	}
	return set > 0
}

// constructs reports whether a node is in a function that makes what it is about, by
// its name.
func constructs(p *typed.Package, n ast.Node) bool {
	d, ok := p.Declaration(n.Pos()).(*ast.FuncDecl)
	return !ok || slices.ContainsFunc([]string{"New", "new", "Make", "make", "init", "Init", "With", "with", "Open", "open", "Parse", "parse", "Load", "load", "Default", "default", "Must"}, func(begin string) bool {
		return strings.HasPrefix(d.Name.Name, begin)
	})
}

func neededInOneBranch(p *typed.Package, n ast.Node) (m Match) {
	st, ok := n.(*ast.AssignStmt)
	if !ok || st.Tok != token.DEFINE || len(st.Lhs) != 1 || len(st.Rhs) != 1 {
		return m
	}
	v := p.Var(st.Lhs[0])
	if v == nil || p.Definition(v) != st.Lhs[0] || len(p.Uses(v)) == 0 {
		return m
	}
	var calls []*ast.CallExpr
	movable := true
	ast.Inspect(st.Rhs[0], func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.IndexExpr, *ast.StarExpr, *ast.TypeAssertExpr:
			movable = false
		case *ast.UnaryExpr:
			movable = movable && n.Op != token.ARROW
		case *ast.CallExpr:
			calls = append(calls, n)
		case *ast.Ident:
			of := p.Var(n)
			movable = movable && (of == nil || !slices.ContainsFunc(p.Uses(of), func(use *ast.Ident) bool {
				return use.Pos() > st.End() && use.Pos() < p.Uses(v)[0].Pos() && p.Written(p.Operand(use))
			}))
		}
		return movable
	})
	_, list := ast.Unparen(st.Rhs[0]).(*ast.CompositeLit)
	if !movable || len(calls) == 0 && !list {
		return m
	}
	following := after(p, st.Rhs[0])
	if len(following) < 2 {
		return m
	}
	for _, next := range following[1:] {
		if !p.UsedIn(next, v) {
			continue
		}
		if b := branch(p, next, v); b != nil && callsIn(p, b) {
			m = Match{Goes: []ast.Node{st}, Pure: calls, Rare: []ast.Node{b}}
		}
		return m
	}
	return m
}

// branch returns the one branch of an if or a switch that holds all uses of a variable; nil
// where there is none, or a literal holds them.
func branch(p *typed.Package, st ast.Stmt, v *types.Var) ast.Node {
	var in []ast.Node
	switch st := st.(type) {
	case *ast.IfStmt:
		if in = []ast.Node{st.Body}; st.Else != nil {
			in = append(in, st.Else)
		}
	case *ast.SwitchStmt:
		for _, c := range st.Body.List {
			in = append(in, c)
		}
	case *ast.TypeSwitchStmt:
		for _, c := range st.Body.List {
			in = append(in, c)
		}
	}
	for _, b := range in {
		if slices.ContainsFunc(p.Uses(v), func(use *ast.Ident) bool {
			c, ok := b.(*ast.CaseClause)
			return !within(b, use.Pos()) || p.Written(use) || ok && use.Pos() < c.Colon || p.Literal(use) != p.Literal(st)
		}) {
			continue
		}
		if chain, ok := b.(*ast.IfStmt); ok {
			return branch(p, chain, v)
		}
		return b
	}
	return nil
}

// callsIn reports whether a node holds calls of functions.
func callsIn(p *typed.Package, n ast.Node) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		found = found || ok && p.Function(call) != nil
		return !found
	})
	return found
}

func mapRanged(p *typed.Package, n ast.Node) (m Match) {
	loop, ok := n.(*ast.RangeStmt)
	if !ok || loop.Tok != token.DEFINE {
		return m
	}
	if _, ok := typed.Under[*types.Map](p.TypeOf(loop.X)); !ok {
		return m
	}
	set, ok := only(loop.Body).(*ast.AssignStmt)
	if !ok || len(set.Lhs) != 1 {
		return m
	}
	at, ok := set.Lhs[0].(*ast.IndexExpr)
	if !ok || p.Var(at.X) == nil || p.Var(loop.Key) == nil || p.Var(at.Index) != p.Var(loop.Key) {
		return m
	}
	v := p.Var(at.X)
	values, known := p.SetTo(v)
	if !known || len(values) != 1 {
		return m
	}
	made, ok := values[0].(*ast.CallExpr)
	if !ok || typed.Global(v) || p.Builtin(made) != "make" || outer(p, loop) != nil || !onlyRanged(p, v, at.X, true) {
		return m
	}
	m.Goes = []ast.Node{loop, made}
	return m
}

// onlyRanged reports whether all that sees a map, but for one place, goes over it or
// takes its length; where returned is set the callers of its function may do that too.
func onlyRanged(p *typed.Package, v *types.Var, but ast.Expr, returned bool) bool {
	return !slices.ContainsFunc(p.Uses(v), func(use *ast.Ident) bool {
		return use != but && !ranges(p, use, returned)
	})
}

func ranges(p *typed.Package, use ast.Expr, returned bool) bool {
	switch outer := p.Parent(use).(type) {
	case *ast.CallExpr:
		return p.Measured(use)
	case *ast.RangeStmt:
		return outer.X == use
	case *ast.IndexExpr: // of the key of the round
		for loop := range p.Repeats(outer) {
			r, ok := loop.(*ast.RangeStmt)
			if ok && typed.Same(r.X, use) && r.Key != nil && p.Var(outer.Index) == p.Var(r.Key) && !p.Written(outer) {
				return true
			}
		}
	case *ast.ReturnStmt:
		fn, ok := p.FunctionAround(use.Pos()).(*ast.FuncDecl)
		if !ok || !returned || fn.Name.IsExported() || len(outer.Results) != 1 || p.Func(fn) == nil {
			return false
		}
		calls := p.Uses(p.Func(fn))
		return len(calls) > 0 && !slices.ContainsFunc(calls, func(id *ast.Ident) bool {
			call, ok := p.Parent(p.Operand(id)).(*ast.CallExpr)
			if !ok || call.Fun != p.Operand(id) {
				return true
			}
			seen := p.Results(call)
			return len(seen) == 0 || slices.ContainsFunc(seen, func(use ast.Expr) bool { return !ranges(p, use, false) })
		})
	}
	return false
}
