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

var ofJoined = []Shape{
	{Row: knowledge.Row{
		ID: "joined-compared", Cause: "joined-text",
		When:       knowledge.Words("strings are joined by + and the result is only compared by == or !=, or passed to strings.HasPrefix, HasSuffix or EqualFold with another string"),
		Cost:       "strings are joined to be compared",
		Instead:    "Compare with the parts: rest, ok := strings.CutPrefix(s, a), then rest == b or strings.HasPrefix(rest, b).",
		Confidence: finding.High,
		Example: knowledge.Example{Params: "path, dir string", Result: "bool", Args: "\"/usr/local/share/applications/mime\", \"/usr/local/share/applications\"",
			Before: "return strings.HasPrefix(path, dir+\"/\")",
			After:  "rest, ok := strings.CutPrefix(path, dir)\nreturn ok && strings.HasPrefix(rest, \"/\")"},
	}, Spends: []string{"runtime.concatstring", "runtime.intstring"}, Find: joinedCompared},
	{Row: knowledge.Row{
		ID: "joined-key", Cause: "joined-text",
		When:       knowledge.Words("strings are joined by + in a map index, m[a+\":\"+b], or into a variable that is used only as a map index"),
		Cost:       "strings are joined to form a map key",
		Instead:    "Use a key that holds the parts: map[[2]string]T, or a struct of them. Then nothing is joined, and no separator can be ambiguous.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "m map[string]int, pairs map[[2]string]int, a, b string", Result: "int", Args: "map[string]int{\"alpha of the first:beta of the second\": 1}, map[[2]string]int{{\"alpha of the first\", \"beta of the second\"}: 1}, \"alpha of the first\", \"beta of the second\"",
			Before: "return m[a+\":\"+b]",
			After:  "return pairs[[2]string{a, b}]"},
	}, Spends: []string{"runtime.concatstring"}, Find: joinedKey},
	{Row: knowledge.Row{
		ID: "pieces-joined", Cause: "joined-text",
		When:       knowledge.Words("a loop appends strings to a local slice, which is used only by strings.Join or len"),
		Cost:       "strings are collected in a slice to be joined",
		Instead:    "Write them into a strings.Builder as they come, with the separator before each but the first.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "list []string", Result: "string", Args: "strings.Fields(\"alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho\")",
			Before: "var parts []string\nfor _, s := range list {\n\tif len(s) > 2 {\n\t\tparts = append(parts, s)\n\t}\n}\nreturn strings.Join(parts, \",\")",
			After:  "var b strings.Builder\nfor _, s := range list {\n\tif len(s) > 2 {\n\t\tif b.Len() > 0 {\n\t\t\tb.WriteByte(',')\n\t\t}\n\t\tb.WriteString(s)\n\t}\n}\nreturn b.String()"},
	}, Spends: []string{"runtime.growslice", "runtime.memmove", "strings.Join"}, Find: piecesJoined},
}

func piecesJoined(p *typed.Package, n ast.Node) (m Match) {
	st, ok := n.(*ast.AssignStmt)
	if !ok || len(st.Lhs) != 1 || len(st.Rhs) != 1 || outer(p, st) == nil {
		return m
	}
	v := p.Var(st.Lhs[0])
	if v == nil || typed.Global(v) || !typed.IsString(typed.Element(v.Type())) {
		return m
	}
	if parameter, result := p.Named(v); parameter || result {
		return m
	}
	joins := 0
	for _, use := range p.Uses(v) {
		switch around := p.Parent(use).(type) {
		case *ast.CallExpr:
			switch {
			case p.Measured(use):
			case p.Called(around) == "strings.Join":
				joins++
				m.Goes = append(m.Goes, around)
			case p.Builtin(around) == "append" && around.Args[0] == use && !around.Ellipsis.IsValid():
				m.Goes = append(m.Goes, p.Parent(around))
			default:
				return Match{}
			}
		case *ast.AssignStmt:
		default:
			return Match{}
		}
	}
	if joins != 1 || len(m.Goes) < 2 || slices.ContainsFunc(p.Uses(v), func(use *ast.Ident) bool {
		call, ok := p.Parent(use).(*ast.CallExpr)
		return ok && p.Called(call) == "strings.Join" && outer(p, call) == outer(p, st)
	}) {
		return Match{}
	}
	return m
}

// join returns the outermost + of strings that a node is, and what stands around it; nil
// where it is none.
func join(p *typed.Package, n ast.Node) (sum ast.Expr, around ast.Node) {
	if !p.Joins(n) || p.Joins(p.Parent(n)) {
		return nil, nil
	}
	sum = n.(ast.Expr)
	for around = p.Parent(sum); ; around = p.Parent(around) {
		paren, ok := around.(*ast.ParenExpr)
		if !ok {
			return sum, around
		}
		sum = paren
	}
}

func joinedCompared(p *typed.Package, n ast.Node) (m Match) {
	if !comparesJoined(p, n) {
		return m
	}
	// One statement may compare a text with several.
	st := p.Parent(n)
	for _, is := st.(ast.Stmt); !is; _, is = st.(ast.Stmt) {
		st = p.Parent(st)
	}
	ast.Inspect(st, func(n ast.Node) bool {
		if _, block := n.(*ast.BlockStmt); n != nil && comparesJoined(p, n) {
			m.Goes = append(m.Goes, n)
		} else if block {
			return false
		}
		return true
	})
	return m
}

// comparesJoined reports whether a node joins strings that are only compared.
func comparesJoined(p *typed.Package, n ast.Node) bool {
	sum, around := join(p, n)
	switch around := around.(type) {
	case *ast.BinaryExpr:
		return sum != nil && (around.Op == token.EQL || around.Op == token.NEQ)
	case *ast.CallExpr:
		return slices.Contains([]string{"strings.HasPrefix", "strings.HasSuffix", "strings.EqualFold"}, p.Called(around))
	}
	return false
}

func joinedKey(p *typed.Package, n ast.Node) (m Match) {
	sum, around := join(p, n)
	if ix, ok := around.(*ast.IndexExpr); ok && ix.Index == sum {
		m.Goes = []ast.Node{sum}
	}
	if set, ok := around.(*ast.AssignStmt); ok && set.Tok == token.DEFINE && len(set.Rhs) == 1 && onlyKey(p, p.Var(set.Lhs[0])) {
		m.Goes = []ast.Node{sum}
	}
	return m
}

// onlyKey reports whether a variable is set once, and then stands in the brackets of
// maps alone.
func onlyKey(p *typed.Package, v *types.Var) bool {
	if v == nil || p.SetOnce(v) == nil || len(p.Uses(v)) == 0 {
		return false
	}
	return !slices.ContainsFunc(p.Uses(v), func(use *ast.Ident) bool {
		ix, ok := p.Parent(use).(*ast.IndexExpr)
		if !ok || ix.Index != use {
			return true
		}
		_, is := typed.Under[*types.Map](p.TypeOf(ix.X))
		return !is
	})
}
