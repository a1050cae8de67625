package shape

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"whet/internal/diagnose/knowledge"
	"whet/internal/finding"
	"whet/internal/typed"
)

var ofGrowth = []Shape{
	{Row: knowledge.Row{
		ID: "map-grown", Cause: "map-growth",
		When:       knowledge.Words("a map made without a size is filled in each round of a loop with a known number of rounds, a range over a slice, an array, a map or a string; blocks of several sizes were sampled"),
		Cost:       "a map made without a size grows in a loop",
		Instead:    "Make it with the number of keys that the loop may set: make(map[K]V, len(list)). If many keys are equal, that takes more memory than growth does.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "list []int", Result: "int", Args: "make([]int, 100)",
			Before: "m := make(map[int]int)\nfor i, x := range list {\n\tm[i] = x\n}\nreturn len(m)",
			After:  "m := make(map[int]int, len(list))\nfor i, x := range list {\n\tm[i] = x\n}\nreturn len(m)"},
	}, Spends: []string{blocks, "runtime.mapassign", "internal/runtime/maps."}, Find: mapGrown},
	{Row: knowledge.Row{
		ID: "builder-grown", Cause: "text-growth",
		When:       knowledge.Words("a strings.Builder, or a bytes.Buffer whose content is returned, is written in a loop over a string or a slice, without a call of Grow; blocks of several sizes were sampled"),
		Cost:       "a string grows as a loop writes it",
		Instead:    "Call Grow before the loop, with the number of rounds times the length that one round writes, or with the sum of the parts' lengths. A little too much costs less than one block too small.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "text string", Result: "string", Args: "strings.Repeat(\"alpha & beta; \", 20)",
			Before: "var b strings.Builder\nfor i := range len(text) {\n\tif text[i] != ';' {\n\t\tb.WriteByte(text[i])\n\t}\n}\nreturn b.String()",
			After:  "var b strings.Builder\nb.Grow(len(text))\nfor i := range len(text) {\n\tif text[i] != ';' {\n\t\tb.WriteByte(text[i])\n\t}\n}\nreturn b.String()"},
	}, Spends: []string{"strings.(*Builder).Write", "bytes.(*Buffer).Write"}, Find: builderGrown},
}

// counted reports whether the number of a loop's rounds is known before the first, and
// changes from call to call.
func counted(p *typed.Package, loop ast.Node) bool {
	switch loop := loop.(type) {
	case *ast.RangeStmt:
		of := p.TypeOf(loop.X)
		if of == nil {
			return false
		}
		switch t := of.Underlying().(type) {
		case *types.Slice, *types.Map:
			return true
		case *types.Basic:
			return p.Info.Types[loop.X].Value == nil && t.Info()&(types.IsString|types.IsInteger) != 0
		}
	case *ast.ForStmt:
		compares, ok := loop.Cond.(*ast.BinaryExpr)
		if !ok || compares.Op != token.LSS && compares.Op != token.NEQ {
			return false
		}
		call, ok := ast.Unparen(compares.Y).(*ast.CallExpr)
		return ok && p.Builtin(call) == "len"
	}
	return false
}

// starts returns the statement that declares a local variable, and the value that it starts
// with, nil where none is written.
func starts(p *typed.Package, v *types.Var) (st ast.Node, value ast.Expr) {
	def := p.Definition(v)
	if def == nil || v.Kind() != types.LocalVar || typed.Global(v) {
		return nil, nil
	}
	st = p.Parent(def)
	for of, e := range p.Declared(st) {
		if of == v {
			return st, e
		}
	}
	return nil, nil
}

func mapGrown(p *typed.Package, n ast.Node) (m Match) {
	st, ok := n.(ast.Stmt)
	if !ok {
		return m
	}
	for v, value := range p.Declared(typed.Specification(st)) {
		if _, ok := typed.Under[*types.Map](v.Type()); !ok || !unsized(p, value) || typed.Global(v) {
			continue
		}
		for _, use := range p.Uses(v) {
			at, ok := p.Parent(use).(*ast.IndexExpr)
			if !ok || at.X != use {
				continue
			}
			set, ok := p.Parent(at).(*ast.AssignStmt)
			if !ok || len(set.Lhs) != 1 || set.Lhs[0] != at || allocates(p, set) {
				continue
			}
			loop := outer(p, set)
			if loop == nil || within(loop, v.Pos()) || !counted(p, loop) || outer(p, loop) != outer(p, st) || conditional(p, set, loop) {
				continue
			}
			m.Goes, m.Grows = append(m.Goes, set), true
		}
	}
	return m
}

// unsized reports whether a value is a map that is made without a size.
func unsized(p *typed.Package, value ast.Expr) bool {
	switch e := ast.Unparen(value).(type) {
	case *ast.CallExpr:
		if p.Builtin(e) != "make" {
			return false
		}
		return len(e.Args) == 1 || p.Info.Types[e.Args[1]].Value != nil && constant.Sign(p.Info.Types[e.Args[1]].Value) == 0
	case *ast.CompositeLit:
		return len(e.Elts) == 0
	}
	return false
}

// allocates reports whether a statement may take memory beside the map that it sets an
// element of.
func allocates(p *typed.Package, st *ast.AssignStmt) (found bool) {
	ast.Inspect(st, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.UnaryExpr, *ast.FuncLit:
			found = true
		case *ast.CompositeLit:
			_, isStruct := typed.Under[*types.Struct](p.TypeOf(n))
			found = found || !isStruct
		case *ast.CallExpr:
			of, to := p.Conversion(n)
			found = found || slices.Contains([]string{"make", "new", "append"}, p.Builtin(n)) || of != nil && !typed.IsNumber(to)
		}
		found = found || p.Joins(n)
		return !found
	})
	return found
}

func builderGrown(p *typed.Package, n ast.Node) (m Match) {
	st, ok := n.(ast.Stmt)
	if !ok {
		return m
	}
	for v := range p.Declared(typed.Specification(st)) {
		of := strings.TrimPrefix(types.TypeString(v.Type(), nil), "*")
		_, value := starts(p, v)
		if of != "strings.Builder" && of != "bytes.Buffer" || !startsEmpty(p, value) {
			continue
		}
		text := false
		for _, use := range p.Uses(v) {
			sel, ok := p.Parent(use).(*ast.SelectorExpr)
			if !ok {
				continue
			}
			call, ok := p.Parent(sel).(*ast.CallExpr)
			if !ok {
				continue
			}
			switch name := sel.Sel.Name; {
			case name == "Grow" || name == "Reset" || name == "Truncate":
				return Match{}
			case name == "String" || name == "Bytes":
				_, returned := p.Parent(call).(*ast.ReturnStmt)
				text = text || returned
			case strings.HasPrefix(name, "Write"):
				loop := outer(p, call)
				if loop != nil && !within(loop, v.Pos()) && counted(p, loop) && outer(p, loop) == outer(p, st) {
					m.Goes, m.Grows = append(m.Goes, call), true
				}
			}
		}
		if !text {
			m = Match{}
		}
	}
	return m
}

// startsEmpty reports whether a value, nil for none, is a new buffer without memory.
func startsEmpty(p *typed.Package, value ast.Expr) bool {
	switch e := ast.Unparen(value).(type) {
	case nil:
		return true
	case *ast.UnaryExpr:
		return startsEmpty(p, e.X)
	case *ast.CompositeLit:
		return len(e.Elts) == 0
	case *ast.CallExpr:
		return p.Builtin(e) == "new"
	}
	return false
}
