package regexpreplace

import (
	"go/ast"
	"slices"

	"whet/internal/diagnose"
	"whet/internal/diagnose/repeated"
	"whet/internal/typed"
)

// compilation is a statement that compiles constant patterns again and again.
type compilation struct {
	place *repeated.CallSite
	alone bool // it compiles one, which no replacement has taken
}

// compilations finds what regexp-compile would claim.
func compilations(s *diagnose.Subject) (out []*compilation) {
	for _, p := range repeated.Find(s, repeated.Search{
		Function: compiles,
		Fixed: func(c typed.Site) typed.FixedArgument {
			if f := c.FixedAt(0); f.Always() {
				return f
			}
			return typed.FixedArgument{}
		},
	}) {
		calls := slices.DeleteFunc(s.Sites(p.At), func(c typed.Site) bool { return !compiles(c.Callee()) })
		out = append(out, &compilation{place: p, alone: len(calls) == 1})
	}
	return out
}

// join gives a replacement the compilations that serve it alone: with it they
// go. It returns false where a compilation in the very statement remains: then
// regexp-compile has more to say about it.
func (r *replacement) join(list []*compilation) bool {
	for _, c := range list {
		at := c.place.At
		switch {
		case at.File != r.At.File:
		case c.alone && c.serves(r):
			c.alone = false
			r.with = append(r.with, c.place)
		case r.At.First <= at.First && at.First <= r.At.Last:
			return false
		}
	}
	return true
}

// serves reports whether a compilation is made for a replacement's calls, or by a
// variable for others that have an equivalent too, and for nothing else that keeps
// it.
func (c *compilation) serves(r *replacement) bool {
	i := slices.IndexFunc(r.calls, func(call typed.Site) bool {
		m := call.Receiver()
		return m != nil && (m.Held == "" || m.Held == "local") && c.place.At.First <= m.Line && m.Line <= c.place.At.Last
	})
	if i < 0 {
		return false
	}
	pkg := r.calls[i].In
	sel, ok := ast.Unparen(r.calls[i].Fun).(*ast.SelectorExpr)
	return ok && !slices.ContainsFunc(pkg.Uses(pkg.Var(sel.X)), func(id *ast.Ident) bool {
		method, ok := pkg.Parent(id).(*ast.SelectorExpr)
		if !ok {
			return true
		}
		call, ok := pkg.Parent(method).(*ast.CallExpr)
		if !ok {
			return true
		}
		_, ok = equivalent(typed.Site{CallExpr: call, In: pkg})
		return !ok
	})
}
