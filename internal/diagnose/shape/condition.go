package shape

import (
	"go/ast"
	"go/token"
	"go/types"

	"whet/internal/diagnose/knowledge"
	"whet/internal/finding"
	"whet/internal/typed"
)

var ofConditions = []Shape{
	{Row: knowledge.Row{
		ID: "steady-condition", Cause: "steady-in-loop",
		When:       knowledge.Words("the condition of a for loop calls a function or method without effects on variables that the loop does not use elsewhere, and the loop body calls nothing and sets only local variables and elements of slices of numbers"),
		Cost:       "a loop's condition makes the same call in each round",
		Instead:    "Make the call before the loop: for i, n := 0, x.Size(); i < n; i++. Nothing in the loop can change its result.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "parts [][]byte", Result: "int", Args: "[][]byte{make([]byte, 20), make([]byte, 30), make([]byte, 50)}",
			Decls:  "//go:noinline\nfunc counted(parts [][]byte) (n int) {\n\tfor _, p := range parts {\n\t\tn += len(p)\n\t}\n\treturn n\n}\n",
			Before: "sum := 0\nfor i := 0; i < counted(parts); i++ {\n\tsum += i & 3\n}\nreturn sum",
			After:  "sum, n := 0, counted(parts)\nfor i := 0; i < n; i++ {\n\tsum += i & 3\n}\nreturn sum"},
	}, Spends: []string{calls}, Find: steadyCondition},
}

var ofAdded = []Shape{
	{Row: knowledge.Row{
		ID: "joined-then-added", Cause: "joined-text",
		When:       knowledge.Words("the result of strings.Join is only concatenated with other strings by +, or also returned beside that"),
		Cost:       "strings are joined, and the result is copied again into a longer string",
		Instead:    "Write all of it into one strings.Builder grown to the whole length. If the joined part is also needed separately, slice it off the whole: all[len(name)+1:].",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "name string, tags []string", Result: "string", Args: "\"checkout.requests\", []string{\"env:production\", \"service:checkout\", \"region:eu-west-1\"}",
			Before: "return name + \":\" + strings.Join(tags, \",\")",
			After:  "n := len(name) + len(tags)\nfor _, t := range tags {\n\tn += len(t)\n}\nvar b strings.Builder\nb.Grow(n)\nb.WriteString(name)\nby := byte(':')\nfor _, t := range tags {\n\tb.WriteByte(by)\n\tb.WriteString(t)\n\tby = ','\n}\nreturn b.String()"},
	}, Spends: []string{"strings.Join"}, Find: joinedThenAdded},
}

func joinedThenAdded(p *typed.Package, n ast.Node) (m Match) {
	call, ok := n.(*ast.CallExpr)
	if !ok || p.Called(call) != "strings.Join" {
		return m
	}
	added := func(e ast.Expr) bool {
		sum, ok := p.Parent(e).(*ast.BinaryExpr)
		return ok && sum.Op == token.ADD
	}
	if added(call) {
		m.Goes = []ast.Node{call}
		return m
	}
	v := setBy(p, call)
	if v == nil {
		return m
	}
	if values, known := p.SetTo(v); !known || len(values) != 1 {
		return m
	}
	once := false
	for _, use := range p.Uses(v) {
		if _, returned := p.Parent(use).(*ast.ReturnStmt); added(use) {
			once = true
		} else if !returned {
			return m
		}
	}
	if once {
		m.Goes = []ast.Node{call}
	}
	return m
}

func steadyCondition(p *typed.Package, n ast.Node) (m Match) {
	loop, ok := n.(*ast.ForStmt)
	if !ok || loop.Cond == nil || !onlyComputes(p, loop.Body) {
		return m
	}
	ast.Inspect(loop.Cond, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if x, _ := p.Conversion(call); x != nil || p.Builtin(call) != "" {
			return true
		}
		if p.Function(call) != nil && steadyNames(p, call, loop) {
			m.Goes, m.Pure = append(m.Goes, call), append(m.Pure, call)
		}
		return false
	})
	return m
}

// steadyNames reports whether a call names variables that a loop names nowhere else, at
// least one, and nothing but them, fields and constants.
func steadyNames(p *typed.Package, call *ast.CallExpr, loop *ast.ForStmt) bool {
	named, steady := false, true
	ast.Inspect(call, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			steady = steady && n == call
		case *ast.Ident:
			v, ok := p.Info.Uses[n].(*types.Var)
			if !ok || v.IsField() {
				return true
			}
			named = true
			for _, use := range p.Uses(v) {
				if within(loop, use.Pos()) && !within(call, use.Pos()) {
					steady = false
				}
			}
		case *ast.FuncLit, *ast.UnaryExpr, *ast.CompositeLit:
			steady = false
		}
		return steady
	})
	return named && steady
}

// onlyComputes reports whether statements call nothing but builtin functions and
// conversions, wait for nothing, and set local variables and elements of slices of
// numbers alone.
func onlyComputes(p *typed.Package, body *ast.BlockStmt) bool {
	only := true
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			x, _ := p.Conversion(n)
			only = only && (x != nil || p.Builtin(n) != "")
		case *ast.FuncLit, *ast.GoStmt, *ast.DeferStmt, *ast.SendStmt, *ast.SelectStmt:
			only = false
		case *ast.UnaryExpr:
			only = only && n.Op != token.ARROW && n.Op != token.AND
		case *ast.AssignStmt:
			for _, to := range n.Lhs {
				only = only && computed(p, to)
			}
		case *ast.IncDecStmt:
			only = only && computed(p, n.X)
		}
		return only
	})
	return only
}

// computed reports whether what is set is a local variable, or an element of a slice
// of numbers, which holds no other's length.
func computed(p *typed.Package, to ast.Expr) bool {
	switch to := ast.Unparen(to).(type) {
	case *ast.Ident:
		v := p.Var(to)
		return to.Name == "_" || v != nil && !typed.Global(v)
	case *ast.IndexExpr:
		of, ok := typed.Under[*types.Basic](typed.Element(p.TypeOf(to.X)))
		_, slice := typed.Under[*types.Slice](p.TypeOf(to.X))
		return ok && slice && of.Info()&types.IsNumeric != 0
	}
	return false
}
