package explain

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"whet/internal/diagnose"
	"whet/internal/symbolname"
	"whet/internal/typed"
)

// errorTested is about an error that a function makes, with its text, for callers that only test
// whether there is one.
func errorTested(v *account, o *operation) (r reading) {
	st, ok := o.pkg.Parent(o.call).(*ast.ReturnStmt)
	if !ok || st.Results[len(st.Results)-1] != ast.Expr(o.call) || !isError(o.pkg.TypeOf(o.call)) || o.pkg.Literal(o.call) != nil || !makesError(o.pkg, o.call) {
		return r
	}
	by := v.callsOf(o)
	for _, c := range by {
		if !tested(c) {
			return r
		}
	}
	if len(by) == 0 || slices.ContainsFunc(callsTo(o.pkg, o.decl, o.pkg.Func(o.decl)), func(call *ast.CallExpr) bool {
		_, back := o.pkg.Parent(call).(*ast.ReturnStmt)
		return !back && !tested(&operation{pkg: o.pkg, call: call, decl: o.decl})
	}) {
		return r
	}
	r.of = v.among(o, o.callee)
	r.why = fmt.Sprintf("%s makes an error with its text in each call that fails, and %s only tests whether there is one: %s.", o.decl.Name.Name, by[0].decl.Name.Name, v.percent(r.of))
	r.remedy = fmt.Sprintf("Return a bool, or one error for all: a package variable, or a value without a text whose method Error writes it when it is asked for. Let those who report the error add the text of %s.", symbolname.Short(o.callee))
	return r
}

// makesError reports whether all that a call does is to make an error.
func makesError(p *typed.Package, call *ast.CallExpr) bool {
	name := p.Called(call)
	if slices.Contains([]string{"fmt.Errorf", "errors.New", "errors.Join"}, name) {
		return true
	}
	if pkg := symbolname.Package(name); strings.HasSuffix(pkg, "/errors") {
		return symbolname.Parse(name).Receiver == ""
	}
	to := p.Reached(call)
	if to == nil {
		return false
	}
	alone := true
	ast.Inspect(to.Decl.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			alone = alone && (n == nil || typed.LoopBody(n) == nil)
			return alone
		}
		x, _ := to.Package.Conversion(call)
		alone = alone && (x != nil || to.Package.Builtin(call) != "" || slices.Contains([]string{"fmt", "errors", "strings", "strconv", "runtime"}, symbolname.Package(to.Package.Called(call))))
		return alone
	})
	return alone && !answersWell(to)
}

// answersWell reports whether a function may return no error.
func answersWell(fn *typed.Function) (found bool) {
	ast.Inspect(fn.Decl.Body, func(n ast.Node) bool {
		if st, ok := n.(*ast.ReturnStmt); ok {
			found = found || len(st.Results) == 0 || fn.Package.Info.Types[st.Results[len(st.Results)-1]].IsNil()
		}
		return !found
	})
	return found
}

// callsOf returns the calls of an operation's function on the way to the place, where nearly all
// that the operation costs comes through them.
func (v *account) callsOf(o *operation) (by []*operation) {
	sum := new(diagnose.Sets)
	for _, c := range v.operations() {
		if to := v.FunctionOf(c.callee); to != nil && to.Decl == o.decl && c.decl != o.decl {
			by = append(by, c)
			sum.Join(c.of)
		}
	}
	shared := common(o.of, sum)
	if v.share(shared) < nearly*v.share(o.of) || v.AllocShare(shared.Allocs.Keep()) < nearly*v.AllocShare(o.of.Allocs.Keep()) {
		return nil
	}
	return by
}

// nearly is the part of a cost that stands for all of it.
const nearly = 0.9

func isError(t types.Type) bool {
	of, ok := types.Universe.Lookup("error").Type().Underlying().(*types.Interface)
	return ok && t != nil && types.Implements(t, of)
}

// tested reports whether a call's error, its last result, is only compared, or a branch that
// leaves the function is for an error that it does not use.
func tested(o *operation) bool {
	st, ok := o.pkg.Parent(o.call).(*ast.AssignStmt)
	if !ok || len(st.Rhs) != 1 {
		return false
	}
	of := o.pkg.Var(st.Lhs[len(st.Lhs)-1])
	if of == nil || typed.Global(of) || of.Kind() == types.ResultVar || !isError(of.Type()) {
		return false
	}
	others, branches := 0, 0
	for _, use := range o.pkg.Uses(of) {
		if use.Pos() < o.call.End() || o.pkg.Written(use) {
			continue
		}
		switch around := o.pkg.Parent(use).(type) {
		case *ast.BinaryExpr:
			if around.Op == token.NEQ || around.Op == token.EQL {
				if in := condition(o.pkg, around); around.Op == token.NEQ && in != nil && !o.pkg.UsedIn(in.Body, of) && len(in.Body.List) > 0 && escapes(in.Body) {
					branches++
				}
				continue
			}
		case *ast.CallExpr:
			if fn := o.pkg.Function(around); fn != nil && fn.FullName() == "errors.Is" {
				continue
			}
		}
		others++
	}
	return others == 0 || branches > 0
}

// condition returns the if that an expression is the condition of, or a part of it that has to
// hold.
func condition(p *typed.Package, e ast.Expr) *ast.IfStmt {
	for {
		switch around := p.Parent(e).(type) {
		case *ast.ParenExpr:
			e = around
		case *ast.BinaryExpr:
			if around.Op != token.LAND {
				return nil
			}
			e = around
		case *ast.IfStmt:
			if around.Cond == e {
				return around
			}
			return nil
		default:
			return nil
		}
	}
}

// copiedToRange is about a list that a function copies under a lock, for a caller that goes over
// it, though it changes far less often.
func copiedToRange(v *account, o *operation) (r reading) {
	to := v.FunctionOf(o.callee)
	if to == nil || to.Object == nil || !locks(to.Package, to.Decl) || typed.Element(result(o)) == nil || !only(o.uses(), ranged, measured) {
		return r
	}
	field := copiedField(to)
	in := &inputs{account: v, fields: make(map[string]bool)}
	if field == nil || !in.set(to.Package, field, nil) {
		return r
	}
	r.of = o.of
	r.why = fmt.Sprintf("%s copies %s in each call, and %s only goes over the copy; while the program runs, nothing changes %s: %s%s.", symbolname.Short(o.callee), field.Name(), o.decl.Name.Name, field.Name(), v.percent(r.of), v.perCall(r.of))
	r.remedy = fmt.Sprintf("Copy when it changes: let what changes %s put a new list in its place, and let readers take the list as it is, under the lock or from an atomic.Pointer.", field.Name())
	return r
}

// copiedField returns the field of the receiver that a function copies a list of, or that holds
// the list; nil where it does not.
func copiedField(fn *typed.Function) (field *types.Var) {
	p := fn.Package
	is := func(e ast.Expr) {
		for x := e; x != nil; x = p.Container(x) {
			if of, ok := p.Object(x).(*types.Var); ok && of.IsField() {
				field = of
			}
		}
	}
	ast.Inspect(fn.Decl.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		switch {
		case !ok || field != nil:
		case len(call.Args) == 0:
		case p.Builtin(call) == "copy":
			is(call.Args[len(call.Args)-1])
		case p.Builtin(call) == "append" && call.Ellipsis.IsValid():
			is(call.Args[len(call.Args)-1])
		case slices.Contains([]string{"slices.Clone", "slices.Clone[...]"}, p.Called(call)):
			is(call.Args[0])
		}
		return field == nil
	})
	return field
}

// clockInLoop is about the time that is asked for in each round of a loop over elements, and only
// compared.
func clockInLoop(v *account, o *operation) (r reading) {
	name := o.pkg.Called(o.call)
	if name != "time.Now" && name != "time.Since" && name != "time.Until" || !comparesTime(o.pkg, o.call) {
		return r
	}
	at := o
	loop, _ := v.loop(o).(*ast.RangeStmt)
	if by := v.callsOf(o); loop == nil && len(by) == 1 {
		at = by[0]
		loop, _ = v.loop(at).(*ast.RangeStmt)
	}
	if loop == nil || typed.Element(at.pkg.TypeOf(loop.X)) == nil && !isTable(at.pkg.TypeOf(loop.X)) || waits(at.pkg, loop.Body) || !ofElement(at, o, loop) {
		return r
	}
	r.of = v.among(o, o.callee)
	r.why = fmt.Sprintf("The clock is read for each element of %s, only to compare: %s.", types.ExprString(loop.X), v.percent(r.of))
	r.remedy = "Read it once, before the loop, and hand the time to what compares."
	return r
}

// ofElement reports whether what a time is compared with is of the element of a loop's round, in
// an operation or below it. A limit of the loop itself has to be asked for in each round.
func ofElement(at, o *operation, loop *ast.RangeStmt) (found bool) {
	inside := func(p *typed.Package, n ast.Node) (found bool) {
		ast.Inspect(n, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				of := p.Var(id)
				found = found || of != nil && !of.IsField() && loop.Pos() <= of.Pos() && of.Pos() < loop.End()
			}
			return !found
		})
		return found
	}
	whole := ast.Node(o.call)
	for e, ok := o.pkg.Parent(whole).(ast.Expr); ok; e, ok = o.pkg.Parent(e).(ast.Expr) {
		if is, binary := e.(*ast.BinaryExpr); binary && (is.Op == token.LAND || is.Op == token.LOR) {
			break
		}
		whole = e
	}
	if at == o {
		return inside(o.pkg, whole)
	}
	ast.Inspect(whole, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if which := handed(o.pkg, o.decl, o.pkg.Var(id)); o.pkg.Var(id) != nil && which >= 0 {
				e := handedFor(at.call, which)
				found = found || e != nil && inside(at.pkg, e)
			}
		}
		return !found
	})
	return found
}

func isTable(t types.Type) bool {
	_, is := typed.Under[*types.Map](t)
	return is
}

// comparesTime reports whether all that becomes of a time or a duration is that it is compared.
func comparesTime(p *typed.Package, call *ast.CallExpr) bool {
	switch around := p.Parent(call).(type) {
	case *ast.BinaryExpr:
		return slices.Contains([]token.Token{token.LSS, token.GTR, token.LEQ, token.GEQ}, around.Op)
	case *ast.SelectorExpr:
		by, ok := p.Parent(around).(*ast.CallExpr)
		return ok && slices.Contains(askedOfTimes, p.Called(by))
	case *ast.CallExpr:
		return slices.Contains(askedOfTimes, p.Called(around))
	}
	return false
}

// waits reports whether statements may block: on a channel, or asleep.
func waits(p *typed.Package, n ast.Node) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SendStmt, *ast.SelectStmt:
			found = true
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.CallExpr:
			found = found || p.Called(n) == "time.Sleep"
		}
		return !found
	})
	return found
}

// elementCalls is about a small method of an interface that a loop in a loop calls for each element,
// where only one type is seen behind the interface.
func elementCalls(v *account, o *operation) (r reading) {
	fn, to := o.pkg.Function(o.call), v.FunctionOf(o.callee)
	if fn == nil || to == nil || to.Object == nil || o.pkg.Reached(o.call) != nil || fn.Signature().Recv() == nil || !types.IsInterface(fn.Signature().Recv().Type()) {
		return r
	}
	loops := loopsOf(o.pkg, o.call)
	results := fn.Signature().Results()
	if len(loops) < 2 || fn.Signature().Params().Len() == 0 || results.Len() != 1 || !typed.IsNumber(results.At(0).Type()) || !isSmall(to.Decl.Body) {
		return r
	}
	for i := range fn.Signature().Params().Len() {
		if !typed.IsInteger(fn.Signature().Params().At(i).Type()) {
			return r
		}
	}
	of := v.Costs()[o.frame.File][o.frame.Line]
	for by := range of {
		if other := v.FunctionOf(by); other != nil && other.Decl != to.Decl && other.Decl.Name.Name == to.Decl.Name.Name {
			return r // of another type, too
		}
	}
	r.of, r.least = new(diagnose.Sets), leastShare
	r.of.Join(of[o.callee])
	if own := of[""]; own != nil {
		r.of.Join(own)
	}
	r.why = fmt.Sprintf("The innermost loop calls %s through an interface for each element, and only %s is behind it: the call is not inlined. That takes %s.", fn.Name(), symbolname.Short(o.callee), v.percent(r.of))
	r.remedy = "Find the type out once, before the loops, by a type switch: for this one, loop over its slice itself; keep the loop through the interface for the others. Or give the interface a method for a whole row."
	return r
}

// isSmall reports whether a body is a few statements without a loop.
func isSmall(body *ast.BlockStmt) bool {
	small := len(body.List) <= 3
	ast.Inspect(body, func(n ast.Node) bool {
		small = small && (n == nil || typed.LoopBody(n) == nil)
		return small
	})
	return small
}
