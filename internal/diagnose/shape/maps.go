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

const named = `func named(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = "name-" + strconv.Itoa(i)
	}
	return list
}

func numbers(list []string) map[string]int {
	m := make(map[string]int)
	for i, s := range list {
		m[s] = i
	}
	return m
}
`

var ofMaps = []Shape{
	{Row: knowledge.Row{
		ID: "map-read-twice", Cause: "map-lookup-twice",
		When:       knowledge.Words("m[k] is read, and read again in the same round and block, and nothing in between can set m, k or their parts"),
		Cost:       "the same key is looked up again in the same map",
		Instead:    "Keep the result of the first lookup: if v, ok := m[k]; ok { … v … }, or v := m[k] before both.",
		Confidence: finding.High,
		Example: knowledge.Example{Params: "m map[string]int, names []string", Result: "int", Args: "numbers(named(200)), named(200)", Decls: named,
			Before: "n := 0\nfor _, name := range names {\n\tif _, ok := m[name]; ok {\n\t\tn += m[name]\n\t}\n}\nreturn n",
			After:  "n := 0\nfor _, name := range names {\n\tif v, ok := m[name]; ok {\n\t\tn += v\n\t}\n}\nreturn n"},
	}, Spends: []string{"runtime.mapaccess"}, Find: readTwice},
	{Row: knowledge.Row{
		ID: "map-read-in-loop", Cause: "map-lookup-twice",
		When:       knowledge.Words("m[k] is read in a loop that sets neither m, k nor their parts, and calls no function that could"),
		Cost:       "the same key is looked up in each round of a loop",
		Instead:    "Look it up before the loop, and use the value: v := m[k]; with a map of maps, keep the inner one, in := m[a], and look up in[b].",
		Confidence: finding.High,
		Example: knowledge.Example{Params: "m map[string]map[string]int, names []string", Result: "int", Args: "map[string]map[string]int{\"all\": numbers(named(200))}, named(200)", Decls: named,
			Before: "n := 0\nfor _, name := range names {\n\tn += m[\"all\"][name]\n}\nreturn n",
			After:  "n, all := 0, m[\"all\"]\nfor _, name := range names {\n\tn += all[name]\n}\nreturn n"},
	}, Spends: []string{"runtime.mapaccess"}, Find: readInLoop},
}

func readInLoop(p *typed.Package, n ast.Node) (m Match) {
	ix := lookUp(p, n)
	if ix == nil || pointed(p, ix) {
		return m
	}
	loop, _ := outer(p, ix).(ast.Stmt)
	if loop == nil || varies(p, ix, loop) || changes(p, ix, loop, loop.Pos(), nil) {
		return m
	}
	m.Goes = []ast.Node{ix}
	return m
}

// lookUp returns a look-up in a map that a node is, without a function call in it; nil
// where it is none.
func lookUp(p *typed.Package, n ast.Node) *ast.IndexExpr {
	ix, ok := n.(*ast.IndexExpr)
	if !ok || p.Written(ix) || !steadyParts(p, ix) {
		return nil
	}
	if _, ok := typed.Under[*types.Map](p.TypeOf(ix.X)); !ok {
		return nil
	}
	return ix
}

// steadyParts reports whether an expression is built of names, constants, fields and
// conversions alone.
func steadyParts(p *typed.Package, e ast.Expr) bool {
	steady := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case nil, *ast.Ident, *ast.SelectorExpr, *ast.BasicLit, *ast.ParenExpr, *ast.StarExpr, *ast.ArrayType:
		case *ast.IndexExpr:
			steady = steady && n == e
		case *ast.CallExpr:
			x, _ := p.Conversion(n)
			steady = steady && x != nil
		default:
			steady = false
		}
		return steady
	})
	return steady
}

func readTwice(p *typed.Package, n ast.Node) (m Match) {
	first := lookUp(p, n)
	if first == nil || pointed(p, first) {
		return m
	}
	seen := false // the first
	for _, st := range after(p, first) {
		ends := false
		ast.Inspect(st, func(n ast.Node) bool {
			if _, literal := n.(*ast.FuncLit); n == nil || literal || ends {
				return false
			}
			if n == first {
				seen = true
			}
			if !seen {
				return true
			}
			if again := lookUp(p, n); again != nil && again != first && alike(p, again, first) && sameRound(p, first, again) {
				if changes(p, first, st, first.End(), again) {
					ends = true
					return false
				}
				m.Goes = append(m.Goes, again)
			}
			return true
		})
		if ends || changes(p, first, st, first.End(), nil) {
			break
		}
	}
	if len(m.Goes) > 0 {
		m.Stays = []ast.Node{first}
	}
	return m
}

// pointed reports whether the package takes the address of a variable that an
// expression names.
func pointed(p *typed.Package, e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && p.Var(id) != nil && !p.Var(id).IsField() {
			found = found || slices.ContainsFunc(p.Uses(p.Var(id)), func(use *ast.Ident) bool {
				addr, ok := p.Parent(p.Operand(use)).(*ast.UnaryExpr)
				return ok && addr.Op == token.AND
			})
		}
		return !found
	})
	return found
}

// alike reports whether two expressions are written alike and their names stand for the
// same.
func alike(p *typed.Package, a, b ast.Expr) bool {
	names := func(e ast.Expr) (of []types.Object) {
		ast.Inspect(e, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				of = append(of, p.Info.ObjectOf(id))
			}
			return true
		})
		return of
	}
	return typed.Same(a, b) && slices.Equal(names(a), names(b))
}

// after returns the statement around an expression and those that follow it in its block.
func after(p *typed.Package, e ast.Expr) []ast.Stmt {
	for n := ast.Node(e); n != nil; n = p.Parent(n) {
		st, ok := n.(ast.Stmt)
		if !ok {
			continue
		}
		var list []ast.Stmt
		switch outer := p.Parent(st).(type) {
		case *ast.BlockStmt:
			list = outer.List
		case *ast.CaseClause:
			list = outer.Body
		case *ast.CommClause:
			list = outer.Body
		case *ast.IfStmt:
			if outer.Else == st {
				return []ast.Stmt{st}
			}
			continue
		case *ast.FuncLit, *ast.FuncDecl, nil:
			return nil
		case *ast.ForStmt:
			if outer.Post == st {
				return nil
			}
			continue
		default:
			continue
		}
		if i := slices.Index(list, st); i >= 0 {
			return list[i:]
		}
		return nil
	}
	return nil
}

// sameRound reports whether two nodes have the same loop or function literal around
// them.
func sameRound(p *typed.Package, a, b ast.Node) bool {
	around := func(n ast.Node) ast.Node {
		for outer := range p.Repeats(n) {
			return outer
		}
		return nil
	}
	return around(a) == around(b)
}

// changes reports whether what stands after a position in a statement, and before a
// look-up (nil: in all of it), may make the same look-up give another value.
func changes(p *typed.Package, of *ast.IndexExpr, st ast.Stmt, from token.Pos, to *ast.IndexExpr) (found bool) {
	until := st.End()
	if to != nil {
		until = to.Pos()
	}
	parts := make(map[types.Object]bool)
	ast.Inspect(of, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			parts[p.Info.ObjectOf(id)] = true
		}
		return true
	})
	ast.Inspect(st, func(n ast.Node) bool {
		if n == nil || found || n.End() <= from || n.Pos() >= until {
			return false
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			found = true
		case *ast.Ident:
			v, _ := p.Info.ObjectOf(n).(*types.Var)
			if v != nil && n.Pos() >= from && parts[v] {
				found = p.Written(p.Operand(n))
			}
		case *ast.IndexExpr:
			_, ofMap := typed.Under[*types.Map](p.TypeOf(n.X))
			found = ofMap && n.Pos() >= from && p.Written(n)
		case *ast.CallExpr:
			// The arguments of a call are evaluated before it.
			if to == nil || n.End() <= until {
				found = !harmless(p, n)
			}
		case *ast.SendStmt, *ast.GoStmt, *ast.DeferStmt, *ast.SelectStmt, *ast.LabeledStmt:
			found = true
		case *ast.UnaryExpr:
			found = n.Op == token.ARROW
		case *ast.RangeStmt:
			switch p.TypeOf(n.X).(type) {
			case nil, *types.Chan, *types.Signature:
				found = true
			}
		}
		return !found
	})
	return found
}

// harmless reports whether a call changes no map and no variable of its caller's that
// it is not given.
func harmless(p *typed.Package, call *ast.CallExpr) bool {
	if x, _ := p.Conversion(call); x != nil {
		return true
	}
	switch p.Builtin(call) {
	case "len", "cap", "min", "max", "append", "copy", "make", "new", "string", "real", "imag", "complex", "print", "println", "panic":
		return true
	case "":
	default:
		return false
	}
	fn := p.Function(call)
	if fn == nil || fn.Pkg() == nil || fn.Signature().Recv() != nil {
		return false
	}
	return slices.Contains([]string{"errors", "math", "math/bits", "strconv", "strings", "unicode", "unicode/utf8"}, fn.Pkg().Path())
}
