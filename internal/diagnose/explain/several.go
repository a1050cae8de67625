package explain

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"

	"whet/internal/diagnose"
	"whet/internal/symbolname"
	"whet/internal/typed"
)

// asking is a function that has the same object asked more than once.
type asking struct {
	pkg   *typed.Package
	in    *ast.FuncDecl
	about *types.Var
}

// severalTimes is about a call that depends on fields of one object alone, and that a function
// causes by several calls for the same object.
func (v *account) severalTimes(o *operation) (j diagnose.Judgement) {
	which := v.aboutObject(o)
	if which < 0 {
		return j
	}
	calls := make(map[asking][]*ast.CallExpr)
	var most asking
	v.askers(o, which, mostComparing, func(c *operation, of *types.Var) {
		by := asking{c.pkg, c.decl, of}
		calls[by] = append(calls[by], v.alike(c, of)...)
		if len(calls[by]) > len(calls[most]) {
			most = by
		}
	})
	var kept []*ast.CallExpr
	for _, call := range calls[most] {
		if !slices.ContainsFunc(kept, func(other *ast.CallExpr) bool { return other == call || exclusive(most.pkg, other, call) }) {
			kept = append(kept, call)
		}
	}
	n := len(kept)
	if n < 2 {
		return j
	}
	first, last := kept[0].Pos(), kept[0].Pos()
	for _, call := range kept {
		first, last = min(first, call.Pos()), max(last, call.Pos())
	}
	if slices.ContainsFunc(most.pkg.Uses(most.about), func(use *ast.Ident) bool { // another object in between
		return first < use.Pos() && use.Pos() < last && most.pkg.Written(use) && (&inputs{}).plain(most.pkg, use)
	}) {
		return j
	}
	goes := &diagnose.Sets{CPU: diagnose.Portion(v.CPU, v.CPUColumn, &o.of.CPU, 1-1/float64(n)), Allocs: diagnose.Portion(v.Allocs, v.AllocCol, &o.of.Allocs, 1-1/float64(n))}
	if max(v.share(goes), v.AllocShare(goes.Allocs.Keep())/2) < least {
		return j
	}
	j.Cause = fmt.Sprintf("%s is computed again by each of %d calls that %s makes for the same %s: %s.", shorten(o.call), n, most.in.Name.Name, most.about.Name(), v.percent(o.of))
	j.Claim = v.claimOf(o, o.of, j.Cause, fmt.Sprintf("Keep what %s gives in a field of the object, set on first use, and cleared by what changes its inputs.", symbolname.Short(o.callee)))
	if j.Claim != nil {
		j.Claim.Avoidable = goes.Samples()
	}
	return j
}

// aboutObject returns which parameter, 0 for the receiver, the inputs of a call are fields of, while
// nothing sets them; -1 where there are others.
func (v *account) aboutObject(o *operation) int {
	list := slices.Clone(o.call.Args)
	if sel, ok := ast.Unparen(o.call.Fun).(*ast.SelectorExpr); ok && o.pkg.Info.Selections[sel] != nil {
		list = append(list, sel.X)
	}
	in := &inputs{account: v, fields: make(map[string]bool)}
	which := -1
	for _, e := range list {
		if o.pkg.Fixed(e).Always() {
			continue
		}
		e = o.pkg.Converted(e)
		for x := e; o.pkg.Container(x) != nil; x = o.pkg.Container(x) {
			field, ok := o.pkg.Object(x).(*types.Var)
			if _, element := ast.Unparen(x).(*ast.IndexExpr); element || !ok || !field.IsField() || !in.set(o.pkg, field, nil) {
				return -1
			}
		}
		of := o.pkg.Var(o.pkg.Base(e))
		at := handed(o.pkg, o.decl, of)
		if of == nil || at < 0 || which >= 0 && at != which || slices.ContainsFunc(o.pkg.Uses(of), func(use *ast.Ident) bool { return in.plain(o.pkg, use) }) {
			return -1
		}
		if _, shared := typed.Under[*types.Pointer](of.Type()); !shared {
			return -1 // nothing to keep it in
		}
		which = at
	}
	return which
}

// askers calls f for each call on the way to an operation that hands on a variable for one of its
// function's parameters.
func (v *account) askers(o *operation, which, steps int, f func(c *operation, of *types.Var)) {
	if steps == 0 {
		return
	}
	for _, c := range v.callsOf(o) {
		of := c.pkg.Var(addressed(handedFor(c.call, which)))
		if of == nil || typed.Global(of) {
			continue
		}
		f(c, of)
		if at := handed(c.pkg, c.decl, of); at >= 0 {
			v.askers(c, at, steps-1, f)
		}
	}
}

// handedFor returns what a call hands on for a parameter, 0 for the receiver; nil where that does
// not show.
func handedFor(call *ast.CallExpr, which int) ast.Expr {
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); which == 0 && ok {
		return sel.X
	}
	if which > 0 && which <= len(call.Args) && !call.Ellipsis.IsValid() {
		return call.Args[which-1]
	}
	return nil
}

// alike returns the calls of an operation's statement of the same function, about the same variable.
func (v *account) alike(c *operation, of *types.Var) (calls []*ast.CallExpr) {
	for _, site := range v.Sites(v.Statement(c.frame.File, c.frame.Line)) {
		if site.Callee() == c.pkg.Called(c.call) && slices.ContainsFunc(handedTo(site.CallExpr), func(e ast.Expr) bool { return c.pkg.Var(addressed(e)) == of }) {
			calls = append(calls, site.CallExpr)
		}
	}
	return calls
}
