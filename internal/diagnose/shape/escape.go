package shape

import (
	"go/ast"
	"go/token"
	"go/types"

	"whet/internal/diagnose/knowledge"
	"whet/internal/finding"
	"whet/internal/typed"
)

var ofEscapes = []Shape{
	{Row: knowledge.Row{
		ID: "moved-for-branch", Cause: "escape-for-branch",
		When:       knowledge.Words("the compiler moves a parameter or a local variable to the heap, and all that takes its address, or is a function literal that uses it, is in one branch of an if or a switch that leaves the function and holds next to no samples"),
		Cost:       "a variable is on the heap for the sake of a branch",
		Instead:    "Copy it in that branch and use the copy there: if err != nil { x := x; return fail(&x) }. The variable stays on the stack then, and memory is taken only where the branch is.",
		Confidence: finding.High,
		Example: knowledge.Example{Params: "n int", Result: "int", Args: "12",
			Decls:  "type point struct{ x, y, z int }\n\nvar last *point\n\n//go:noinline\nfunc report(p *point) int {\n\tlast = p\n\treturn -1\n}\n",
			Before: "p := point{n, n, n}\nif p.x < 0 {\n\treturn report(&p)\n}\nreturn p.x + p.y + p.z",
			After:  "p := point{n, n, n}\nif p.x < 0 {\n\tp := p\n\treturn report(&p)\n}\nreturn p.x + p.y + p.z"},
	}, Spends: []string{blocks}, Find: movedForBranch},
}

func movedForBranch(p *typed.Package, n ast.Node) (m Match) {
	id, ok := n.(*ast.Ident)
	if !ok {
		return m
	}
	v, ok := p.Info.Defs[id].(*types.Var)
	if !ok || v.IsField() || typed.Global(v) || v.Kind() == types.ResultVar || v.Kind() == types.PackageVar || p.Definition(v) != id {
		return m
	}
	var rare ast.Node
	for _, use := range p.Uses(v) {
		if !escapes(p, use, v) {
			continue
		}
		b := leaving(p, use, v)
		if b == nil || rare != nil && rare != b {
			return m
		}
		rare = b
	}
	if rare != nil {
		m = Match{Goes: []ast.Node{id}, Rare: rare, Moved: v, All: true}
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

// leaving is the innermost branch around a use that leaves the function at its end, and
// does not hold the variable's declaration; nil where there is none.
func leaving(p *typed.Package, use *ast.Ident, v *types.Var) ast.Node {
	for n := ast.Node(use); n != nil; n = p.Parent(n) {
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
