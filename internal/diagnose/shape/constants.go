package shape

import (
	"go/ast"
	"go/types"
	"slices"

	"whet/internal/diagnose/knowledge"
	"whet/internal/finding"
	"whet/internal/typed"
)

const weights = `var weights = map[int]int{1: 4, 2: 7, 3: 9, 5: 2, 8: 3, 13: 1, 21: 8, 34: 6, 55: 5}
`

var ofConstants = []Shape{
	{Row: knowledge.Row{
		ID: "constant-map", Cause: "map-of-constants",
		When:       knowledge.Words("m[k] is read, and m is a package variable of at most 1,000 constant keys, written out where it is declared, that the package only reads"),
		Cost:       "a map of constants is asked for what its keys stand for",
		Instead:    "A function with a switch over the key, or an array indexed by it where the keys are small numbers. For a key of several numbers, switch over one number made of them; texts are switched over by length and content, without hashing.",
		Confidence: finding.High,
		Example: knowledge.Example{Params: "list []int", Result: "int", Args: "[]int{1, 3, 21, 4, 55, 8, 2, 34, 5, 13}",
			Decls: weights + `
func weight(k int) int {
	switch k {
	case 1:
		return 4
	case 2:
		return 7
	case 3:
		return 9
	case 5:
		return 2
	case 8:
		return 3
	case 13:
		return 1
	case 21:
		return 8
	case 34:
		return 6
	case 55:
		return 5
	}
	return 0
}
`,
			Before: "n := 0\nfor _, k := range list {\n\tn += weights[k]\n}\nreturn n",
			After:  "n := 0\nfor _, k := range list {\n\tn += weight(k)\n}\nreturn n"},
	}, Spends: []string{"runtime.mapaccess"}, Find: constantMap},
	{Row: knowledge.Row{
		ID: "byte-keyed-map", Cause: "byte-keyed-map",
		When:       knowledge.Words("m[k] is read or set, and the type of its keys is byte, int8 or bool, or built on one"),
		Cost:       "a map is asked for keys of which there are 256 at most",
		Instead:    "An array indexed by the key, [256]T; where it matters which keys are set, beside a [256]bool, or of pointers.",
		Confidence: finding.High,
		Example: knowledge.Example{Params: "m map[byte]int, t *[256]int, text string", Result: "int", Args: "map[byte]int{'a': 1, 'b': 2, 'c': 3, 'd': 4, 'e': 5, 'f': 6, 'g': 7, 'h': 8, 'i': 9}, &[256]int{'a': 1, 'b': 2, 'c': 3, 'd': 4, 'e': 5, 'f': 6, 'g': 7, 'h': 8, 'i': 9}, \"abracadabra\"",
			Before: "n := 0\nfor i := range len(text) {\n\tn += m[text[i]]\n}\nreturn n",
			After:  "n := 0\nfor i := range len(text) {\n\tn += t[text[i]]\n}\nreturn n"},
	}, Spends: []string{"runtime.mapaccess", "runtime.mapassign"}, Find: byteKeyed},
}

func byteKeyed(p *typed.Package, n ast.Node) (m Match) {
	ix, ok := n.(*ast.IndexExpr)
	if !ok {
		return m
	}
	of, ok := typed.Under[*types.Map](p.TypeOf(ix.X))
	if !ok {
		return m
	}
	key, ok := typed.Under[*types.Basic](of.Key())
	if !ok || key.Kind() != types.Uint8 && key.Kind() != types.Int8 && key.Kind() != types.Bool || len(constantMap(p, n).Goes) > 0 {
		return m
	}
	ast.Inspect(p.Declaration(n.Pos()), func(n ast.Node) bool {
		if other, ok := n.(*ast.IndexExpr); ok && alike(p, other.X, ix.X) {
			m.Goes = append(m.Goes, other)
		}
		return true
	})
	return m
}

// mostConstants is from how many keys on a switch has no advantage.
const mostConstants = 1000

func constantMap(p *typed.Package, n ast.Node) (m Match) {
	ix, ok := n.(*ast.IndexExpr)
	if !ok || p.Written(ix) {
		return m
	}
	v := p.Var(ix.X)
	if v == nil || !typed.Global(v) || v.Exported() {
		return m
	}
	of, is := typed.Under[*types.Map](v.Type())
	list, ok := p.SetOnce(v).(*ast.CompositeLit)
	if !ok || !is || types.IsInterface(of.Key()) || len(list.Elts) == 0 || len(list.Elts) > mostConstants {
		return m
	}
	for _, e := range list.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); !ok || !isConstant(p, kv.Key) {
			return m
		}
	}
	for _, use := range p.Uses(v) {
		switch outer := p.Parent(p.Operand(use)).(type) {
		case *ast.IndexExpr:
			if p.Written(outer) {
				return Match{}
			}
			if p.Declaration(outer.Pos()) == p.Declaration(n.Pos()) {
				m.Goes = append(m.Goes, outer)
			}
		case *ast.RangeStmt:
		case *ast.CallExpr:
			if p.Builtin(outer) != "len" {
				return Match{}
			}
		default:
			return Match{}
		}
	}
	return m
}

// isConstant reports whether an expression is a constant, or a struct or an array of
// constants.
func isConstant(p *typed.Package, e ast.Expr) bool {
	list, ok := ast.Unparen(e).(*ast.CompositeLit)
	if !ok {
		return p.Info.Types[e].Value != nil
	}
	return !slices.ContainsFunc(list.Elts, func(e ast.Expr) bool {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			e = kv.Value
		}
		return !isConstant(p, e)
	})
}
