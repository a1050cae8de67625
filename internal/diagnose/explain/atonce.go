package explain

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"whet/internal/diagnose"
	"whet/internal/typed"
)

// stream is an object for input that comes in pieces, as of a hash, which a function makes for
// one piece alone.
type stream struct {
	made, written, summed *ast.CallExpr
	whole                 *types.Func // does the same for one piece
}

// atOnce is about a hasher that a function makes, writes one text to and asks for the sum, where
// its package has a function for that.
func (v *account) atOnce() (j diagnose.Judgement) {
	if v.pkg == nil || v.decl == nil {
		return j
	}
	ast.Inspect(v.decl.Body, func(n ast.Node) bool {
		st, ok := n.(ast.Stmt)
		if !ok || j.Cause != "" {
			return j.Cause == ""
		}
		for of, value := range v.pkg.Declared(typed.Specification(st)) {
			s := streamOf(v.pkg, of, value)
			if s == nil {
				continue
			}
			made, sum, writes := v.in(v.pkg, st), v.onLines(v.pkg, s.summed), v.onLines(v.pkg, s.written)
			sets := new(diagnose.Sets)
			for _, part := range []*diagnose.Sets{made, sum, writes} {
				sets.Join(part)
			}
			if v.share(sets) < leastShare || v.share(writes) > v.share(sets)/2 { // a long text takes as long in one piece
				continue
			}
			name := s.whole.Pkg().Name() + "." + s.whole.Name()
			j.Cause = fmt.Sprintf("%s makes an object for input in pieces, and writes one text to it: that takes %s, and %s does it at once.", shorten(s.made), v.percent(sets), name)
			j.Claim = v.claimAt(v.File, v.LineAt(s.made.Pos()), v.Function, sets, j.Cause, fmt.Sprintf("Call %s(%s): it sets nothing up, and gives the same %s.", name, types.ExprString(s.written.Args[0]), types.TypeString(s.whole.Signature().Results().At(0).Type(), types.RelativeTo(v.pkg.Types))))
			if made.Join(writes); j.Claim != nil { // the hashing itself stays
				j.Claim.Avoidable = made.Samples()
			}
			return false
		}
		return true
	})
	return j
}

// streamOf returns how a variable is used that is made by a function New… without arguments,
// written one text to, and asked for its sum; nil where anything else is done with it.
func streamOf(p *typed.Package, of *types.Var, value ast.Expr) *stream {
	s := new(stream)
	s.made, _ = ast.Unparen(value).(*ast.CallExpr)
	if s.made == nil || len(s.made.Args) > 0 || typed.Global(of) || len(p.Uses(of)) != 2 {
		return nil
	}
	maker := p.Function(s.made)
	if maker == nil || maker.Pkg() == nil || maker.Pkg() == p.Types || !strings.HasPrefix(maker.Name(), "New") {
		return nil
	}
	for _, use := range p.Uses(of) {
		sel, ok := p.Parent(use).(*ast.SelectorExpr)
		if !ok || sel.X != use {
			return nil
		}
		call, ok := p.Parent(sel).(*ast.CallExpr)
		switch {
		case !ok || call.Fun != sel || p.Literal(call) != p.Literal(s.made):
			return nil
		case slices.Contains([]string{"Write", "WriteString"}, sel.Sel.Name) && len(call.Args) == 1:
			s.written = call
		case strings.HasPrefix(sel.Sel.Name, "Sum") && len(call.Args) == 0:
			s.summed = call
		}
	}
	if s.written == nil || s.summed == nil || s.written.Pos() > s.summed.Pos() || branch(p, s.written) != branch(p, s.made) {
		return nil
	}
	for _, call := range []*ast.CallExpr{s.written, s.summed} {
		for loop := range p.Repeats(call) {
			if s.made.Pos() < loop.Pos() || loop.End() <= s.made.Pos() {
				return nil // it goes on from round to round
			}
			break
		}
	}
	scope := maker.Pkg().Scope()
	for _, name := range scope.Names() {
		other, ok := scope.Lookup(name).(*types.Func)
		if ok && other != maker && strings.HasPrefix(name, "New") && other.Signature().Params().Len() == 0 && givesSum(other, s.summed, p) {
			return nil // a sum of another kind
		}
	}
	for _, name := range scope.Names() {
		fn, ok := scope.Lookup(name).(*types.Func)
		if !ok || !fn.Exported() || fn.Signature().Params().Len() != 1 || fn.Signature().Results().Len() != 1 || fn.Signature().TypeParams().Len() > 0 {
			continue
		}
		if types.Identical(fn.Signature().Params().At(0).Type(), p.TypeOf(s.written.Args[0])) && types.Identical(fn.Signature().Results().At(0).Type(), p.TypeOf(s.summed)) && isSum(name) {
			if s.whole != nil {
				return nil // which of them?
			}
			s.whole = fn
		}
	}
	if s.whole == nil {
		return nil
	}
	return s
}

// givesSum reports whether what a function makes has a method of a call's name and result.
func givesSum(maker *types.Func, summed *ast.CallExpr, p *typed.Package) bool {
	if maker.Signature().Results().Len() == 0 {
		return false
	}
	sel := summed.Fun.(*ast.SelectorExpr)
	obj, _, _ := types.LookupFieldOrMethod(maker.Signature().Results().At(0).Type(), true, maker.Pkg(), sel.Sel.Name)
	fn, ok := obj.(*types.Func)
	return ok && fn.Signature().Results().Len() == 1 && types.Identical(fn.Signature().Results().At(0).Type(), p.TypeOf(summed))
}

// isSum reports whether a function's name says that it gives the sum of what it is given.
func isSum(name string) bool {
	return slices.ContainsFunc([]string{"Sum", "Hash", "Checksum"}, func(begin string) bool { return strings.HasPrefix(name, begin) })
}
