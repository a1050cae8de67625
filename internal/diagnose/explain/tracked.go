package explain

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"

	"whet/internal/diagnose"
	"whet/internal/quantity"
	"whet/internal/symbolname"
	"whet/internal/typed"
)

// tracked is about a list in a field, as of the way to where a parser is, that grows at the
// place, for functions alone that next to no sample is in.
func tracked(s *diagnose.Subject, at *diagnose.Spot) (j diagnose.Judgement) {
	v := look(s, at)
	if v.pkg == nil || v.decl == nil {
		return j
	}
	line := v.heaviest(&v.Cost)
	set, ok := v.Statement(v.File, line).Node.(*ast.AssignStmt)
	if !ok || len(set.Lhs) != 1 || len(set.Rhs) != 1 {
		return j
	}
	field, ok := v.pkg.Object(ast.Unparen(set.Lhs[0])).(*types.Var)
	if !ok || !field.IsField() || field.Exported() || field.Pkg() != v.pkg.Types || !grownFrom(v.pkg, set.Rhs[0], field) {
		return j
	}
	read, by := new(diagnose.Sets), (*types.Func)(nil)
	for _, use := range v.pkg.Uses(field) {
		if v.inTest(v.pkg, use) {
			continue
		}
		e := v.pkg.Operand(use)
		switch around := v.pkg.Parent(e).(type) {
		case *ast.AssignStmt:
			if !slices.Contains(around.Lhs, e) {
				return j
			}
		case *ast.SliceExpr:
			if !setTo(v.pkg, around, field) {
				return j
			}
		case *ast.CallExpr:
			to := v.pkg.Reached(around)
			switch {
			case v.pkg.Measured(e) && v.shortens(around, field) || grownFrom(v.pkg, around, field) && setTo(v.pkg, around, field):
			case to != nil && (by == nil || by == to.Object) && answers(to) && v.pure(typed.Symbol(to.Object), false) && !v.always(set, around):
				read.Join(v.onLines(v.pkg, around))
				by = to.Object
			default:
				return j
			}
		default:
			return j
		}
	}
	of := v.lines[line]
	if by == nil || v.share(of) < least || seldom*v.share(read) > v.share(of) {
		return j
	}
	j.Cause = fmt.Sprintf("%s is updated each time, though only %s reads it, and that does almost no work: %s of the time here, %s there.", field.Name(), by.Name(), quantity.Percent(v.share(of)), quantity.Percent(v.share(read)))
	j.Claim = v.claimAt(v.File, line, v.Function, of, j.Cause, fmt.Sprintf("Update %s only if %s will be called: decide that once, before the work begins, with a flag or a variant without it.", field.Name(), by.Name()))
	return j
}

// shortens reports whether a length is that of a slice of a field, which the field is
// set to.
func (v *account) shortens(n ast.Node, field *types.Var) bool {
	for ; n != nil; n = v.pkg.Parent(n) {
		if part, ok := n.(*ast.SliceExpr); ok {
			return setTo(v.pkg, part, field)
		}
	}
	return false
}

// always reports whether a call is made each time that the place's statement is run: in
// the same function, in no branch, and not after a return that stands between them.
func (v *account) always(set *ast.AssignStmt, call *ast.CallExpr) bool {
	if call.Pos() < v.decl.Pos() || call.End() > v.decl.End() || branch(v.pkg, call) != nil {
		return false
	}
	leaves := false
	ast.Inspect(v.decl.Body, func(n ast.Node) bool {
		st, ok := n.(*ast.ReturnStmt)
		leaves = leaves || ok && set.End() < st.Pos() && st.End() < call.Pos()
		return true
	})
	return !leaves
}

// grownFrom reports whether an expression appends to a field.
func grownFrom(p *typed.Package, e ast.Expr, field *types.Var) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	return ok && p.Builtin(call) == "append" && len(call.Args) > 0 && p.Object(ast.Unparen(call.Args[0])) == field
}

// setTo reports whether all that becomes of an expression is that a field is set to it.
func setTo(p *typed.Package, e ast.Expr, field *types.Var) bool {
	st, ok := p.Parent(e).(*ast.AssignStmt)
	return ok && len(st.Lhs) == 1 && p.Object(ast.Unparen(st.Lhs[0])) == field
}

// answers reports whether a function returns one number or one bool, and takes a loop to
// find it: samples would be there if it had something to do.
func answers(fn *typed.Function) (loops bool) {
	results := fn.Object.Signature().Results()
	if results.Len() != 1 {
		return false
	}
	if basic, ok := results.At(0).Type().Underlying().(*types.Basic); !ok || basic.Info()&(types.IsNumeric|types.IsBoolean) == 0 {
		return false
	}
	ast.Inspect(fn.Decl.Body, func(n ast.Node) bool {
		loops = loops || n != nil && typed.LoopBody(n) != nil
		return !loops
	})
	return loops
}

// inTest reports whether a node is in a test.
func (v *account) inTest(p *typed.Package, n ast.Node) bool {
	return v.OfTest(v.fileOf(p, n), v.LineAt(n.Pos()))
}

// askedOfTimes are methods of a time that compare it.
var askedOfTimes = []string{"time.Time.Before", "time.Time.After", "time.Time.Compare", "time.Time.IsZero", "time.Time.Equal"}

// ofDeadline is about the clock that is asked for a deadline in a field, which is only
// compared.
func ofDeadline(v *account, o *operation) (r reading) {
	if o.pkg.Called(o.call) != "time.Now" {
		return r
	}
	add, _ := o.pkg.Parent(o.pkg.Parent(o.call)).(*ast.CallExpr)
	if add == nil || o.pkg.Called(add) != "time.Time.Add" {
		return r
	}
	field := (&operation{pkg: o.pkg, call: add}).keptIn()
	if field == nil || field.Exported() || field.Pkg() != o.pkg.Types {
		return r
	}
	compared := 0
	for _, use := range o.pkg.Uses(field) {
		e := o.pkg.Operand(use)
		if o.pkg.Written(e) || v.inTest(o.pkg, use) {
			continue
		}
		call, _ := o.pkg.Parent(e).(*ast.CallExpr)
		if sel, ok := o.pkg.Parent(e).(*ast.SelectorExpr); ok && sel.X == e {
			call, _ = o.pkg.Parent(sel).(*ast.CallExpr)
		}
		if call == nil || !slices.Contains(askedOfTimes, o.pkg.Called(call)) {
			return r
		}
		compared++
	}
	if compared == 0 {
		return r
	}
	r.of, r.least = v.among(o, o.callee), diagnose.Threshold
	r.why = fmt.Sprintf("%s reads the clock in each call, for a deadline (%s) that is only compared: %s.", symbolname.Short(v.functionOf(o)), field.Name(), v.percent(r.of))
	r.remedy = "Read the time from a variable that one goroutine sets every few milliseconds while there is a deadline to watch; a deadline needs no more precision. Or start checking only after a number of steps that short work does not reach."
	return r
}
