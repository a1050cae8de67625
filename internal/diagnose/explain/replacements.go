package explain

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"whet/internal/typed"
)

// replacedSingly is about a text in which a loop replaces one occurrence after another, each time
// from the start, in a copy of all of it.
func replacedSingly(v *account, o *operation) (r reading) {
	name := o.pkg.Called(o.call)
	if name != "strings.Replace" && name != "bytes.Replace" || v.loop(o) == nil || len(o.call.Args) != 4 {
		return r
	}
	n := o.pkg.Info.Types[o.call.Args[3]].Value
	st, ok := o.pkg.Parent(o.call).(*ast.AssignStmt)
	if n == nil || n.String() != "1" || !ok || len(st.Lhs) != 1 || !typed.Same(st.Lhs[0], o.call.Args[0]) {
		return r
	}
	if !separate(o.pkg, o.call.Args[1], o.call.Args[2]) {
		return r
	}
	line := v.LineAt(v.loop(o).Pos())
	r.of = v.among(o, name)
	for at := line; at <= v.LineAt(o.call.End()); at++ { // what asks whether there is another one
		for by, sets := range v.Costs()[o.frame.File][at] {
			if strings.HasPrefix(by, "strings.Contains") || strings.HasPrefix(by, "strings.Index") || strings.HasPrefix(by, "strings.Count") {
				r.of.Join(sets)
			}
		}
	}
	text := types.ExprString(o.call.Args[0])
	r.why = fmt.Sprintf("Each round of the loop at line %d searches %s from its start, and copies all of it to replace one occurrence: the work grows with the square of the length. That takes %s.", line, text, v.percent(r.of))
	r.remedy = fmt.Sprintf("Go through %s once: strings.Cut or IndexByte finds the next occurrence in the rest, and a strings.Builder takes the part before it and what replaces it.", text)
	return r
}

// separate reports whether a text is the same in all rounds of a loop, and what replaces it makes
// no new one where the text around it is like it, as far as both are known.
func separate(p *typed.Package, old, by ast.Expr) bool {
	o := p.Fixed(old)
	if o.By == typed.NotFixed || o.By == typed.FixedElement {
		return false
	}
	b := p.Fixed(by)
	if b.Value == nil || o.Value == nil {
		return true
	}
	return !strings.ContainsAny(*b.Value, *o.Value) && (*b.Value != "" || len(*o.Value) == 1)
}

// setIn reports whether a part of what a variable refers to is set in a loop that it is declared
// before.
func setIn(p *typed.Package, of *types.Var, loop ast.Node) bool {
	return of != nil && of.Pos() < loop.Pos() && slices.ContainsFunc(p.Uses(of), func(use *ast.Ident) bool {
		return loop.Pos() <= use.Pos() && use.Pos() < loop.End() && p.Written(use)
	})
}
