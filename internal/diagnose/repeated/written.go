package repeated

import (
	"go/ast"
	"go/token"
	"strconv"

	"whet/internal/format/compiler"
	"whet/internal/symbolname"
)

// written reads the calls of a function of a package from a statement's source,
// without types: only literals are fixed. A method's receiver cannot be known.
func written(st ast.Stmt, callee string) []compiler.Call {
	sym := symbolname.Parse(callee)
	if st == nil || sym.Receiver != "" || sym.Name == "" {
		return nil
	}
	base := symbolname.Base(sym.Package)
	var out []compiler.Call
	ast.Inspect(st, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.BlockStmt:
			return false
		case *ast.CallExpr:
			sel, ok := n.Fun.(*ast.SelectorExpr)
			if !ok || sel.Sel.Name != sym.Name {
				return true
			}
			if pkg, ok := sel.X.(*ast.Ident); !ok || pkg.Name != base {
				return true
			}
			c := compiler.Call{Callee: callee}
			for _, arg := range n.Args {
				c.Fixed = append(c.Fixed, literal(arg))
			}
			out = append(out, c)
		}
		return true
	})
	return out
}

// literal reads a literal, or strings of them added up.
func literal(e ast.Expr) compiler.Fixed {
	switch e := ast.Unparen(e).(type) {
	case *ast.BasicLit:
		f := compiler.Fixed{By: compiler.FixedConst}
		if e.Kind == token.STRING {
			if s, err := strconv.Unquote(e.Value); err == nil {
				f.Value = &s
			}
		}
		return f
	case *ast.BinaryExpr:
		x, y := literal(e.X), literal(e.Y)
		if e.Op == token.ADD && x.Value != nil && y.Value != nil {
			s := *x.Value + *y.Value
			return compiler.Fixed{By: compiler.FixedConst, Value: &s}
		}
	}
	return compiler.Fixed{}
}
