package explain

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"whet/internal/symbolname"
	"whet/internal/typed"
)

// sortedAgain is about a list that is kept, and sorted as a whole after each element that is added.
func sortedAgain(v *account, o *operation) (r reading) {
	name := o.pkg.Called(o.call)
	if len(o.call.Args) == 0 || !strings.HasPrefix(name, "sort.") && !strings.HasPrefix(name, "slices.Sort") || v.loop(o) != nil {
		return r
	}
	list := o.pkg.Converted(o.call.Args[0])
	field, ok := o.pkg.Object(list).(*types.Var)
	if !ok || !field.IsField() && !typed.Global(field) {
		return r
	}
	of := o.pkg.Var(o.pkg.Base(list))
	if parameter, _ := o.pkg.Named(of); !parameter && (of == nil || !typed.Global(of)) || o.decl.Type.Params.NumFields() == 0 || branch(o.pkg, o.call) != nil {
		return r // made here, or not for each element
	}
	added := false
	ast.Inspect(o.decl.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || call.Pos() > o.call.Pos() || o.pkg.Builtin(call) != "append" || len(call.Args) != 2 || call.Ellipsis.IsValid() || !typed.Same(call.Args[0], list) {
			return true
		}
		added = true
		for range o.pkg.Repeats(call) {
			added = false // many, and then one sort
		}
		if leavesBetween(o.decl.Body, call, o.call) {
			added = false // one sort for some
		}
		return !added
	})
	if !added {
		return r
	}
	r.of = v.among(o, o.callee)
	r.why = fmt.Sprintf("%s adds one element to %s and sorts all of it: n elements take n sorts. That takes %s.", o.decl.Name.Name, types.ExprString(list), v.percent(r.of))
	r.remedy = "Insert the element where it belongs: slices.BinarySearchFunc finds the place, and slices.Insert moves the rest. Or append only, and sort once, before the first read; or keep a heap, if only the least is taken."
	return r
}

// leavesBetween reports whether a return stands between two nodes of a function.
func leavesBetween(body *ast.BlockStmt, a, b ast.Node) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		st, ok := n.(*ast.ReturnStmt)
		found = found || ok && a.End() <= st.Pos() && st.End() <= b.Pos()
		return !found
	})
	return found
}

// belowAgain is about a recursion that asks another one, at each level, for all that is below.
func belowAgain(v *account, o *operation) (r reading) {
	to := o.pkg.Reached(o.call)
	self := o.pkg.Func(o.decl)
	if to == nil || self == nil || to.Decl == o.decl || !callsItself(to) || to.Object.Signature().Results().Len() == 0 || !v.judge().Harmless(typed.Symbol(to.Object)) {
		return r
	}
	about := subject(o.pkg, o.call)
	if about == nil || !slices.ContainsFunc(callsTo(o.pkg, o.decl, self), func(call *ast.CallExpr) bool {
		other := subject(o.pkg, call)
		return other != nil && typed.Same(about, other) && !oneAtMost(o.pkg, o.call, call)
	}) {
		return r
	}
	r.of = v.among(o, o.callee)
	r.why = fmt.Sprintf("%s calls %s for all that is below, at each level of a recursion that goes there, too: what is n levels deep is gone over n times. That takes %s.", o.decl.Name.Name, shorten(o.call), v.percent(r.of))
	r.remedy = fmt.Sprintf("Compute %s once for each, from the leaves up: in a field beside the data, or as a result that the recursion returns.", symbolname.Short(o.callee))
	return r
}

// subject returns what a call is about: its receiver, or its first argument. What the function is
// called for itself, as the walker of a tree, is not below it.
func subject(p *typed.Package, call *ast.CallExpr) ast.Expr {
	below := func(e ast.Expr) bool { parameter, _ := p.Named(p.Var(addressed(e))); return !parameter }
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && p.Info.Selections[sel] != nil && below(sel.X) {
		return sel.X
	}
	if len(call.Args) > 0 && below(call.Args[0]) {
		return call.Args[0]
	}
	return nil
}

// oneAtMost reports whether of two nodes of a function a round or a call comes to one at most.
func oneAtMost(p *typed.Package, a, b ast.Node) bool {
	if exclusive(p, a, b) {
		return true
	}
	if a.Pos() > b.Pos() {
		a, b = b, a
	}
	for in := p.Parent(a); in != nil && b.Pos() >= in.End(); in = p.Parent(in) {
		if block, ok := in.(*ast.BlockStmt); ok && len(block.List) > 0 && escapes(block) {
			return true
		}
	}
	return false
}

// callsTo returns the calls of a function in a declaration.
func callsTo(p *typed.Package, d *ast.FuncDecl, fn *types.Func) (calls []*ast.CallExpr) {
	ast.Inspect(d.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if to := p.Function(call); to != nil && to.Origin() == fn {
				calls = append(calls, call)
			}
		}
		return true
	})
	return calls
}

func callsItself(fn *typed.Function) bool {
	return len(callsTo(fn.Package, fn.Decl, fn.Object)) > 0
}

// counting are functions of the library that go through all of a text.
var counting = []string{"bytes.Count", "strings.Count", "unicode/utf8.RuneCount", "unicode/utf8.RuneCountInString"}

// fromStart is about a place in a text that a function finds by going through all that is before
// it, called for one place after another.
func fromStart(v *account, o *operation) (r reading) {
	to := o.pkg.Reached(o.call)
	if to == nil {
		return r
	}
	text, place := v.countsUpTo(to)
	if text == nil || !v.goesOn(o, to, text, place) {
		return r
	}
	r.of = v.among(o, o.callee)
	r.why = fmt.Sprintf("%s goes through %s from its start in each call, up to the place that it is asked for: the work grows with the square of the length. That takes %s.", symbolname.Short(o.callee), types.ExprString(text), v.percent(r.of))
	r.remedy = "Keep a table of where the lines (or whatever is counted) begin, made once, and find the place in it by slices.BinarySearch; or go on from the last place, if the next is behind it."
	return r
}

// goesOn reports whether a loop around an operation, or around a call of its function, asks for one
// place after another of the same text.
func (v *account) goesOn(o *operation, to *typed.Function, text, place ast.Expr) bool {
	which := handed(to.Package, to.Decl, to.Package.Var(to.Package.Base(text)))
	at := -1 // of the receiver
	if of := to.Package.Var(place); of != nil {
		at = handed(to.Package, to.Decl, of)
	}
	return v.asksOn(o, which, at, mostComparing)
}

func (v *account) asksOn(o *operation, which, at, steps int) bool {
	over, e := handedFor(o.call, which), ast.Expr(nil)
	if at > 0 {
		e = handedFor(o.call, at)
	}
	if which < 0 || over == nil || steps == 0 || at > 0 && e == nil {
		return false
	}
	of := o.pkg.Var(o.pkg.Base(addressed(over)))
	if of == nil {
		return false
	}
	if loop := v.rounds(o); loop != nil { // the text is from before the loop, and the place is not
		return (of.Pos() < loop.Pos() || loop.End() <= of.Pos()) && !setIn(o.pkg, of, loop) && (e == nil || varies(o.pkg, e, loop))
	}
	which = handed(o.pkg, o.decl, of)
	if e != nil {
		place := o.pkg.Var(o.pkg.Base(o.pkg.Converted(e)))
		if at = handed(o.pkg, o.decl, place); place == nil || at < 0 {
			return false
		}
	}
	return slices.ContainsFunc(v.callsOf(o), func(c *operation) bool { return v.asksOn(c, which, at, steps-1) })
}

// varies reports whether an expression is made of what a loop declares or sets.
func varies(p *typed.Package, e ast.Expr, loop ast.Node) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			of := p.Var(id)
			found = found || of != nil && (loop.Pos() <= of.Pos() && of.Pos() < loop.End() || setIn(p, of, loop))
		}
		return !found
	})
	return found
}

// countsUpTo returns the text that a function goes through from the start to a parameter, and that
// is not all there is of it, and the parameter; nil where it does not.
func (v *account) countsUpTo(fn *typed.Function) (text, place ast.Expr) {
	p := fn.Package
	given := func(e ast.Expr) bool { // by a parameter, or by where the receiver is
		e = p.Converted(e)
		if sel, ok := e.(*ast.SelectorExpr); ok && p.Info.Selections[sel] != nil {
			of := p.Var(sel.X)
			return of != nil && of == fn.Object.Signature().Recv() && typed.IsInteger(p.TypeOf(sel))
		}
		of := p.Var(e)
		return of != nil && p.Parameter(of) > 0 && typed.IsInteger(of.Type())
	}
	kept := func(e ast.Expr) bool { // by the receiver, or handed in
		parameter, _ := p.Named(p.Var(p.Base(e)))
		return parameter && isText(p.TypeOf(e))
	}
	ast.Inspect(fn.Decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if len(n.Args) > 0 && slices.Contains(counting, p.Called(n)) {
				part, ok := p.Converted(n.Args[0]).(*ast.SliceExpr)
				if ok && (part.Low == nil || isZero(p, part.Low)) && part.High != nil && given(part.High) && kept(part.X) {
					text, place = part.X, p.Converted(part.High)
				}
			}
		case *ast.ForStmt:
			is, ok := n.Cond.(*ast.BinaryExpr)
			if !ok || is.Op != token.LSS || !given(is.Y) {
				break
			}
			init, ok := n.Init.(*ast.AssignStmt)
			if !ok || len(init.Rhs) != 1 || !isZero(p, init.Rhs[0]) {
				break
			}
			counter := p.Var(init.Lhs[0])
			ast.Inspect(n.Body, func(n ast.Node) bool {
				if at, ok := n.(*ast.IndexExpr); ok && counter != nil && p.Var(at.Index) == counter && kept(at.X) && !p.Written(at) {
					text, place = at.X, p.Converted(is.Y)
				}
				return text == nil
			})
		}
		return text == nil
	})
	return text, place
}

func isZero(p *typed.Package, e ast.Expr) bool {
	value := p.Info.Types[e].Value
	return value != nil && value.String() == "0"
}

// inEachRound is about a loop whose rounds each look through a list, from its start: for the next
// element that is left, or for one of some key.
func inEachRound(v *account, o *operation) (r reading) {
	to := o.pkg.Reached(o.call)
	loop := v.rounds(o)
	if to == nil || loop == nil {
		return r
	}
	list, keys := firstThatFits(to)
	at := handed(to.Package, to.Decl, list)
	over := handedFor(o.call, at)
	if list == nil || over == nil {
		return r
	}
	if of := o.pkg.Var(o.pkg.Base(over)); of == nil || of.Pos() >= loop.Pos() || setIn(o.pkg, of, loop) || v.handedToChange(o.pkg, of, loop) {
		return r
	}
	marks := slices.ContainsFunc(o.call.Args, func(e ast.Expr) bool {
		return e != over && v.changeable(o.pkg.TypeOf(e)) && setIn(o.pkg, o.pkg.Var(o.pkg.Base(e)), loop)
	})
	r.of, r.least = v.among(o, o.callee), leastShare
	switch {
	case len(keys) > 0:
		r.why = fmt.Sprintf("Each round of the loop at line %d looks through %s for the element of one %s: n rounds examine n² elements. That takes %s.", v.LineAt(loop.Pos()), types.ExprString(over), strings.Join(keys, " and "), v.percent(r.of))
		r.remedy = fmt.Sprintf("Before the loop, enter the elements of %s into a map by %s (a struct of them, if they are several), and look them up.", types.ExprString(over), strings.Join(keys, " and "))
	case marks:
		r.why = fmt.Sprintf("Each round of the loop at line %d looks through %s from the start for one that is left: n rounds examine n² elements. That takes %s.", v.LineAt(loop.Pos()), types.ExprString(over), v.percent(r.of))
		r.remedy = "Keep those that are left, or ready, in a queue of their own, and let what marks one as done add those that become ready: a counter in each tells when."
	default:
		return reading{}
	}
	return r
}

// handedToChange reports whether a loop hands a variable on to what may change what it refers to.
func (v *account) handedToChange(p *typed.Package, of *types.Var, loop ast.Node) bool {
	return slices.ContainsFunc(p.Uses(of), func(use *ast.Ident) bool {
		if use.Pos() < loop.Pos() || loop.End() <= use.Pos() {
			return false
		}
		call, ok := p.Parent(use).(*ast.CallExpr)
		if sel, is := p.Parent(use).(*ast.SelectorExpr); is {
			if call, ok = p.Parent(sel).(*ast.CallExpr); !ok || call.Fun != sel {
				return false
			}
		} else if _, pointer := typed.Under[*types.Pointer](of.Type()); !pointer {
			return false
		}
		return ok && p.Function(call) != nil && !v.judge().Harmless(p.Called(call))
	})
}

// firstThatFits returns the parameter or receiver of which a function returns the first element
// that fits, and by which parts of an element, where it is by these alone: each equals a
// parameter. list is nil where it does not.
func firstThatFits(fn *typed.Function) (list *types.Var, keys []string) {
	p := fn.Package
	ast.Inspect(fn.Decl.Body, func(n ast.Node) bool {
		loop, ok := n.(*ast.RangeStmt)
		if !ok || list != nil || typed.Element(p.TypeOf(loop.X)) == nil {
			return list == nil
		}
		of := p.Var(p.Base(loop.X))
		if parameter, _ := p.Named(of); !parameter {
			return true
		}
		for _, st := range loop.Body.List {
			in, ok := st.(*ast.IfStmt)
			if !ok || len(in.Body.List) == 0 {
				continue
			}
			back, ok := in.Body.List[len(in.Body.List)-1].(*ast.ReturnStmt)
			if ok && slices.ContainsFunc(back.Results, func(e ast.Expr) bool { return elementOf(p, e, loop) }) {
				list = of
				if all, ok := keyParts(p, in.Cond, loop); ok && len(loop.Body.List) == 1 {
					keys = all
				}
			}
		}
		return list == nil
	})
	return list, keys
}

// elementOf reports whether an expression is the element or the index of a loop's round, or the
// element's address.
func elementOf(p *typed.Package, e ast.Expr, loop *ast.RangeStmt) bool {
	e = ast.Unparen(addressed(e))
	if at, ok := e.(*ast.IndexExpr); ok && typed.Same(at.X, loop.X) {
		e = at.Index
	}
	of := p.Var(e)
	return of != nil && (loop.Value != nil && of == p.Var(loop.Value) || loop.Key != nil && of == p.Var(loop.Key))
}

// keyParts returns the parts of an element that a condition compares with parameters, where it is
// made of such comparisons alone.
func keyParts(p *typed.Package, cond ast.Expr, loop *ast.RangeStmt) (parts []string, ok bool) {
	is, _ := ast.Unparen(cond).(*ast.BinaryExpr)
	if is == nil {
		return nil, false
	}
	if is.Op == token.LAND {
		a, first := keyParts(p, is.X, loop)
		b, second := keyParts(p, is.Y, loop)
		return append(a, b...), first && second
	}
	for _, sides := range [][2]ast.Expr{{is.X, is.Y}, {is.Y, is.X}} {
		part, isPart := ast.Unparen(sides[0]).(*ast.SelectorExpr)
		if is.Op == token.EQL && isPart && elementOf(p, part.X, loop) && p.Parameter(p.Var(sides[1])) > 0 {
			return []string{part.Sel.Name}, true
		}
	}
	return nil, false
}

// keyedScan is about a function that looks through a list of its receiver, and perhaps a list in
// each element, for the one that has what it is given, while nothing changes the list.
func keyedScan(v *account, o *operation) (r reading) {
	to := o.pkg.Reached(o.call)
	if to == nil || to.Object.Signature().Recv() == nil {
		return r
	}
	list, field := searched(to)
	in := &inputs{account: v, fields: make(map[string]bool)}
	if list == nil || !in.set(to.Package, field, nil) {
		return r
	}
	changes := false // of the keys
	ast.Inspect(to.Decl.Body.List[0], func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ReturnStmt:
			return false
		case *ast.SelectorExpr:
			key, ok := to.Package.Object(n).(*types.Var)
			changes = changes || ok && key.IsField() && key.Pkg() == to.Package.Types && !in.set(to.Package, key, nil)
		}
		return !changes
	})
	if changes {
		return r
	}
	r.of, r.least = v.among(o, o.callee), leastShare
	r.why = fmt.Sprintf("%s looks through %s in each call for the element that has what it is given, though nothing changes the list while the program runs: %s.", symbolname.Short(o.callee), types.ExprString(list), v.percent(r.of))
	r.remedy = fmt.Sprintf("Keep a map beside %s, from the key (in one spelling, if that does not matter) to the element, filled where the list is.", types.ExprString(list))
	return r
}

// searched returns the list of a receiver, and its field, that a method goes through for the
// element that equals a parameter, or has a part that does; nil where it does anything else.
func searched(fn *typed.Function) (list ast.Expr, field *types.Var) {
	p := fn.Package
	if len(fn.Decl.Body.List) == 0 {
		return nil, nil
	}
	outer, ok := fn.Decl.Body.List[0].(*ast.RangeStmt)
	if !ok || len(outer.Body.List) == 0 {
		return nil, nil
	}
	of, ok := p.Object(outer.X).(*types.Var)
	if !ok || !of.IsField() || p.Var(p.Base(outer.X)) != fn.Object.Signature().Recv() || typed.Element(p.TypeOf(outer.X)) == nil {
		return nil, nil
	}
	for _, st := range outer.Body.List {
		in := outer
		if inner, nested := st.(*ast.RangeStmt); nested && len(inner.Body.List) == 1 {
			if part, ok := ast.Unparen(inner.X).(*ast.SelectorExpr); !ok || !elementOf(p, part.X, outer) {
				return nil, nil
			}
			in, st = inner, inner.Body.List[0]
		}
		is, ok := st.(*ast.IfStmt)
		if !ok || is.Else != nil || len(is.Body.List) != 1 || !equalsParameter(p, is.Cond, in) {
			return nil, nil
		}
		if back, ok := is.Body.List[0].(*ast.ReturnStmt); !ok || len(back.Results) == 0 {
			return nil, nil
		}
	}
	return outer.X, of
}

// equalsParameter reports whether a condition is that the element of a loop's round, or a part of
// it, equals a parameter.
func equalsParameter(p *typed.Package, cond ast.Expr, loop *ast.RangeStmt) bool {
	var sides []ast.Expr
	switch cond := ast.Unparen(cond).(type) {
	case *ast.BinaryExpr:
		if cond.Op == token.EQL {
			sides = []ast.Expr{cond.X, cond.Y}
		}
	case *ast.CallExpr:
		if len(cond.Args) == 2 && slices.Contains([]string{"strings.EqualFold", "bytes.Equal", "bytes.EqualFold"}, p.Called(cond)) {
			sides = cond.Args
		}
	}
	if len(sides) != 2 {
		return false
	}
	is := func(e ast.Expr) bool {
		if part, ok := ast.Unparen(e).(*ast.SelectorExpr); ok && p.Info.Selections[part] != nil {
			e = part.X
		}
		return elementOf(p, e, loop)
	}
	given := func(e ast.Expr) bool { of := p.Var(e); return of != nil && p.Parameter(of) > 0 }
	return is(sides[0]) && given(sides[1]) || given(sides[0]) && is(sides[1])
}
