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
		When:       knowledge.Words("m[k] is read, where m is a package variable of at most 1,000 constant keys, written as a literal in its declaration, that the package only reads"),
		Cost:       "a map of constants is looked up",
		Instead:    "Use a function with a switch over the key, or an array indexed by it if the keys are small numbers. For a key of several numbers, switch over one number made of them; a switch over strings compares lengths and contents, without hashing.",
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
		When:       knowledge.Words("m[k] is read or set, and the underlying type of the keys is byte, int8 or bool"),
		Cost:       "a map is used for at most 256 different keys",
		Instead:    "Use an array indexed by the key, [256]T. If the program must know which keys are set, add a [256]bool, or use pointers.",
		Confidence: finding.High,
		Example: knowledge.Example{Params: "m map[byte]int, t *[256]int, text string", Result: "int", Args: "map[byte]int{'a': 1, 'b': 2, 'c': 3, 'd': 4, 'e': 5, 'f': 6, 'g': 7, 'h': 8, 'i': 9}, &[256]int{'a': 1, 'b': 2, 'c': 3, 'd': 4, 'e': 5, 'f': 6, 'g': 7, 'h': 8, 'i': 9}, \"abracadabra\"",
			Before: "n := 0\nfor i := range len(text) {\n\tn += m[text[i]]\n}\nreturn n",
			After:  "n := 0\nfor i := range len(text) {\n\tn += t[text[i]]\n}\nreturn n"},
	}, Spends: []string{"runtime.mapaccess", "runtime.mapassign"}, Find: byteKeyed},
	{Row: knowledge.Row{
		ID: "index-set", Cause: "set-of-indexes",
		When:       knowledge.Words("the function only looks up, sets and deletes keys of a local map from integers to booleans or empty structs, and each key is an index of a slice or an array in the same function, or of a type of the program's own whose values are, or a loop's counter"),
		Cost:       "a set of indexes is kept in a map",
		Instead:    "Use a []bool of the slice's length, seen := make([]bool, len(list)), or a []uint64 with a bit for each index. If a call touches few of very many indexes, keep it between calls and clear only those.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "next []int", Result: "int", Args: "[]int{5, 3, 7, 1, 2, 9, 4, 6, 0, 8}",
			Before: "seen, i := make(map[int]bool), 0\nfor !seen[i] {\n\tseen[i] = true\n\ti = next[i]\n}\nreturn i",
			After:  "seen, i := make([]bool, len(next)), 0\nfor !seen[i] {\n\tseen[i] = true\n\ti = next[i]\n}\nreturn i"},
	}, Spends: []string{"runtime.map", "internal/runtime/maps."}, Find: indexSet},
}

// causesOfSets are the rules about maps of numbers that are indexes.
var causesOfSets = []knowledge.Cause{{
	ID: "set-of-indexes", Title: "a set of indexes in a map",
	What:     "A function records in a local map which elements of a slice it has seen, by their index.",
	Why:      "Each lookup hashes the key and compares it with keys of the map, and the map grows as it fills; a slice takes one load, in memory allocated once.",
	Silent:   "When the function takes the map's length, ranges over it, or passes it on; when a key is neither an index of a slice in the function, by itself or by its type, nor a loop's counter; for parameters, fields and package variables.",
	Fix:      "Use a []bool of the slice's length.",
	Unneeded: "where a slice of the same length takes one load",
	Outranks: []string{"collection-per-call", "map-growth"},
}}

func indexSet(p *typed.Package, n ast.Node) (m Match) {
	ix, ok := n.(*ast.IndexExpr)
	if !ok {
		return m
	}
	v := p.Var(ix.X)
	if v == nil || v.Kind() != types.LocalVar || typed.Global(v) || !numberSet(v.Type()) {
		return m
	}
	if values, known := p.SetTo(v); !known || len(values) != 1 || !madeEmpty(p, values[0]) {
		return m
	}
	for _, use := range p.Uses(v) {
		switch around := p.Parent(use).(type) {
		case *ast.IndexExpr:
			if around.X != use || !isIndex(p, around.Index) {
				return Match{}
			}
			m.Goes = append(m.Goes, around)
		case *ast.CallExpr:
			if p.Builtin(around) != "delete" || len(around.Args) != 2 || !isIndex(p, around.Args[1]) {
				return Match{}
			}
			m.Goes = append(m.Goes, around)
		default:
			return Match{}
		}
	}
	return m
}

// numberSet reports whether a type is a map from integers, of more than a byte, to
// booleans or empty structs.
func numberSet(t types.Type) bool {
	of, ok := typed.Under[*types.Map](t)
	if !ok || !typed.IsInteger(of.Key()) {
		return false
	}
	if key, ok := typed.Under[*types.Basic](of.Key()); !ok || key.Kind() == types.Uint8 || key.Kind() == types.Int8 {
		return false
	}
	elem, isStruct := typed.Under[*types.Struct](of.Elem())
	b, isBasic := typed.Under[*types.Basic](of.Elem())
	return isStruct && elem.NumFields() == 0 || isBasic && b.Kind() == types.Bool
}

// madeEmpty reports whether a value is a new map without elements.
func madeEmpty(p *typed.Package, e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.CompositeLit:
		return !slices.ContainsFunc(e.Elts, func(e ast.Expr) bool {
			kv, ok := e.(*ast.KeyValueExpr)
			return !ok || !isIndex(p, kv.Key) // those that it begins with
		})
	case *ast.CallExpr:
		return p.Builtin(e) == "make"
	}
	return false
}

// isIndex reports whether an expression is the counter of a loop around it, or indexes a
// slice or an array in the same function; or is of a type of the program's own that does, as the
// numbers of nodes.
func isIndex(p *typed.Package, e ast.Expr) (found bool) {
	if named, ok := types.Unalias(p.TypeOf(e)).(*types.Named); ok && named.Obj().Pkg() == p.Types {
		ast.Inspect(p.Declaration(e.Pos()), func(n ast.Node) bool {
			ix, ok := n.(*ast.IndexExpr)
			if !ok {
				return !found
			}
			_, computed := ast.Unparen(ix.Index).(*ast.BinaryExpr) // of a larger number
			if !computed && typed.Element(p.TypeOf(ix.X)) != nil && types.Identical(p.TypeOf(ix.Index), named) {
				found = true
			}
			return !found
		})
		if found {
			return true
		}
	}
	v := p.Var(e)
	if v == nil || v.IsField() || typed.Global(v) {
		return false
	}
	for loop := range p.Repeats(e) {
		if st, ok := loop.(ast.Stmt); ok && counter(p, st) == v {
			return true
		}
	}
	return slices.ContainsFunc(p.Uses(v), func(use *ast.Ident) bool {
		ix, ok := p.Parent(use).(*ast.IndexExpr)
		if !ok || ix.Index != use {
			return false
		}
		_, slice := typed.Under[*types.Slice](p.TypeOf(ix.X))
		_, array := typed.Under[*types.Array](p.TypeOf(ix.X))
		return slice || array
	})
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
