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

// copiedUp is about a list that a function of the user's own makes in each call, and its
// caller, which a loop or the function itself calls again and again, only appends to another.
func copiedUp(v *account, o *operation) (r reading) {
	to, t := o.pkg.Reached(o.call), result(o)
	if to == nil || typed.Element(t) == nil || isText(t) || needsAll(to) || !grownOnly(to) || locks(o.pkg, o.decl) {
		return r
	}
	deeper := to.Decl == o.decl
	if deeper && o.pkg.Literal(o.call) != nil || !deeper && v.loop(o) == nil {
		return r
	}
	seen := o.pkg.Results(o.call)
	if len(seen) == 0 || slices.ContainsFunc(seen, func(e ast.Expr) bool { return !spread(o.pkg, e) && !o.pkg.Measured(e) }) || !slices.ContainsFunc(seen, func(e ast.Expr) bool { return spread(o.pkg, e) }) {
		return r
	}
	r.of = new(diagnose.Sets)
	lines := makes(v, to, t)
	if deeper {
		for _, e := range seen {
			lines[diagnose.SourceLine{File: o.frame.File, Line: v.LineAt(e.Pos())}] = true
		}
	}
	for at := range lines {
		r.of.Join(v.memoryOn(at))
	}
	if !deeper { // the list of the caller grows as before, and other callers may keep theirs
		r.of = common(r.of, o.of)
	}
	made, takes := symbolname.Short(o.callee), v.percent(r.of)+v.perCall(r.of)
	if deeper {
		r.why = fmt.Sprintf("%s makes a list in each call and copies into it those that the calls below it made, so that an element is copied once for each level above it: %s.", made, takes)
		r.remedy = fmt.Sprintf("Hand one list down: let %s append to a slice that its caller gives it, and return that. Where each call makes one call below it, a loop does the same in one list of the right length.", made)
		return r
	}
	r.why = fmt.Sprintf("%s makes a list in each round, and %s only appends it to another: %s.", made, o.decl.Name.Name, takes)
	r.remedy = fmt.Sprintf("Let %s append to the list of its caller: take that as an argument, and return it.", made)
	return r
}

// spread reports whether all that becomes of a list is that its elements are appended.
func spread(p *typed.Package, e ast.Expr) bool {
	call, ok := p.Parent(e).(*ast.CallExpr)
	return ok && p.Builtin(call) == "append" && call.Ellipsis.IsValid() && call.Args[len(call.Args)-1] == e
}

// grownOnly reports whether all that a function does with the list that it returns is to make
// it, append to it and set its elements: it may as well append to one that holds other elements.
func grownOnly(fn *typed.Function) bool {
	p, ok := fn.Package, true
	var fresh func(e ast.Expr) bool
	list := func(of *types.Var) bool {
		if p.Parameter(of) > 0 || typed.Global(of) || of.Kind() != types.LocalVar && of.Kind() != types.ResultVar {
			return false
		}
		return !slices.ContainsFunc(p.Uses(of), func(use *ast.Ident) bool {
			switch around := p.Parent(use).(type) {
			case *ast.AssignStmt:
				i := slices.Index(around.Lhs, ast.Expr(use))
				return i < 0 || len(around.Lhs) != len(around.Rhs) || !grownFrom(p, around.Rhs[i], of) && !fresh(around.Rhs[i])
			case *ast.CallExpr:
				_, returned := p.Parent(around).(*ast.ReturnStmt)
				return !grownFrom(p, around, of) || around.Args[0] != use || !returned && !setTo(p, around, of)
			case *ast.IndexExpr:
				st, set := p.Parent(around).(*ast.AssignStmt)
				return around.X != use || !set || !slices.Contains(st.Lhs, ast.Expr(around))
			case *ast.ReturnStmt:
				return false
			}
			return true
		})
	}
	fresh = func(e ast.Expr) bool {
		e = p.Converted(e)
		if p.Info.Types[e].IsNil() {
			return true
		}
		switch e := e.(type) {
		case *ast.CompositeLit:
			return true
		case *ast.CallExpr:
			to := p.Reached(e)
			return p.Builtin(e) == "make" || p.Builtin(e) == "append" && fresh(e.Args[0]) || to != nil && to.Decl == fn.Decl
		}
		return false
	}
	ast.Inspect(fn.Decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			if len(n.Results) == 0 {
				ok = ok && list(fn.Object.Signature().Results().At(0))
				break
			}
			e := n.Results[0]
			if call, is := ast.Unparen(e).(*ast.CallExpr); is && p.Builtin(call) == "append" && p.Var(call.Args[0]) != nil {
				e = call.Args[0]
			}
			of := p.Var(e)
			if of == nil {
				ok = ok && fresh(e)
				break
			}
			values, known := p.SetTo(of)
			ok = ok && known && list(of) && !slices.ContainsFunc(values, func(e ast.Expr) bool { return !fresh(e) && !grownFrom(p, e, of) })
		}
		return ok
	})
	return ok
}

// locks reports whether a function takes a lock: it hands its work to several goroutines.
func locks(p *typed.Package, d *ast.FuncDecl) (found bool) {
	ast.Inspect(d.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			name := p.Called(call)
			found = found || strings.HasPrefix(name, "sync.(*") && strings.HasSuffix(name, "Lock")
		}
		return !found
	})
	return found
}

// common returns the samples that are in both of two sets.
func common(a, b *diagnose.Sets) *diagnose.Sets {
	cpu, allocs := a.CPU.Without(&b.CPU), a.Allocs.Without(&b.Allocs)
	return &diagnose.Sets{CPU: a.CPU.Without(&cpu), Allocs: a.Allocs.Without(&allocs)}
}

// makes returns the lines on which a function makes or extends lists of a type.
func makes(v *account, fn *typed.Function, t types.Type) map[diagnose.SourceLine]bool {
	lines := make(map[diagnose.SourceLine]bool)
	ast.Inspect(fn.Decl.Body, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if !ok {
			return true
		}
		call, ok := e.(*ast.CallExpr)
		is := ok && (fn.Package.Builtin(call) == "make" || fn.Package.Builtin(call) == "append")
		if _, lit := e.(*ast.CompositeLit); lit || is {
			if of := fn.Package.TypeOf(e); of != nil && types.Identical(of.Underlying(), t.Underlying()) {
				lines[diagnose.SourceLine{File: fn.File, Line: v.LineAt(e.Pos())}] = true
			}
		}
		return true
	})
	return lines
}

// memoryOn returns the samples of a line that take memory or copy it, of the runtime alone.
func (v *account) memoryOn(at diagnose.SourceLine) *diagnose.Sets {
	sum := new(diagnose.Sets)
	for name, sets := range v.Costs()[at.File][at.Line] {
		switch {
		case strings.HasPrefix(name, "runtime."):
			sum.Join(sets)
		case name == "":
			sum.Join(&diagnose.Sets{Allocs: sets.Allocs})
		}
	}
	return sum
}

// textual are the packages of the library whose functions, but for methods and those that change
// a list in place, have no effect beside what they return.
var textual = []string{"strings", "strconv", "slices", "maps"}

// inPlace are how the names of those begin that change a list in place.
var inPlace = []string{"slices.Compact", "slices.Delete", "slices.Insert", "slices.Replace"}

// dropped is about a call for what it does beside its result, which it works out for nobody.
func dropped(v *account, o *operation) (r reading) {
	to := o.pkg.Reached(o.call)
	if _, alone := o.pkg.Parent(o.call).(*ast.ExprStmt); !alone || to == nil {
		return r
	}
	value, ok := onlyReturned(to).(*ast.CallExpr)
	if !ok || !v.spared(to.Package, value) {
		return r
	}
	r.of = new(diagnose.Sets)
	for _, sets := range v.Costs()[to.File][v.LineAt(value.Pos())] {
		r.of.Join(sets)
	}
	r.of = common(r.of, o.of) // other calls may use the result
	made := symbolname.Short(o.callee)
	r.why = fmt.Sprintf("%s makes its result (%s) in each call, and %s drops it: %s%s.", made, shorten(value), o.decl.Name.Name, v.percent(r.of), v.perCall(r.of))
	r.remedy = fmt.Sprintf("Leave the result out of %s, and what is kept only to make it: nothing uses it.", made)
	if to.Object.Exported() || slices.ContainsFunc(to.Package.Uses(to.Object), func(id *ast.Ident) bool { return !isDropped(to.Package, id) }) {
		r.remedy = fmt.Sprintf("Call a function here that does what %s does beside its result, and let the others, which use that, call both.", made)
	}
	return r
}

// isDropped reports whether a function's name is that of a call whose result is dropped.
func isDropped(p *typed.Package, id *ast.Ident) bool {
	call, ok := p.Parent(p.Operand(id)).(*ast.CallExpr)
	if !ok {
		return false
	}
	_, alone := p.Parent(call).(*ast.ExprStmt)
	return alone
}

// onlyReturned returns the expression that a function's only return gives, by itself or
// through a variable that nothing else uses; nil where there is none.
func onlyReturned(fn *typed.Function) ast.Expr {
	var value ast.Expr
	n := 0
	ast.Inspect(fn.Decl.Body, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			if n++; len(node.Results) == 1 {
				value = node.Results[0]
			}
		}
		return true
	})
	if n != 1 || value == nil {
		return nil
	}
	p := fn.Package
	if of := fn.Object.Signature().Results().At(0); len(p.Uses(of)) > 0 { // a deferred call may use it
		return nil
	}
	if of := p.Var(value); of != nil {
		values, known := p.SetTo(of)
		if !known || len(values) != 1 || len(p.Uses(of)) != 1 || p.Parameter(of) > 0 {
			return nil
		}
		value = values[0]
	}
	return ast.Unparen(value)
}

// spared reports whether a value takes work that may be left out: a conversion, or a call
// without effects, of what no call with effects gives.
func (v *account) spared(p *typed.Package, call *ast.CallExpr) bool {
	return p.Builtin(call) == "" && v.idle(p, call)
}

// idle reports whether to evaluate an expression has no effect, as far as the source shows.
func (v *account) idle(p *typed.Package, e ast.Expr) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			ok = false
		case *ast.UnaryExpr:
			ok = ok && n.Op != token.ARROW
		case *ast.CallExpr:
			ok = ok && v.withoutEffect(p, n)
		}
		return ok
	})
	return ok
}

// withoutEffect reports whether a call gives one value and does nothing else.
func (v *account) withoutEffect(p *typed.Package, call *ast.CallExpr) bool {
	if _, several := p.TypeOf(call).(*types.Tuple); several {
		return false
	}
	if x, _ := p.Conversion(call); x != nil {
		return true
	}
	name := p.Called(call)
	switch {
	case p.Builtin(call) != "":
		return name == "len" || name == "cap" || name == "min" || name == "max"
	case p.Reached(call) != nil:
		return v.pure(name, false)
	case slices.ContainsFunc(call.Args, func(arg ast.Expr) bool { _, calls := typed.Under[*types.Signature](p.TypeOf(arg)); return calls }):
		return false
	}
	return strings.HasPrefix(name, "fmt.Sprint") || slices.Contains(textual, symbolname.Package(name)) && symbolname.Parse(name).Receiver == "" && !slices.ContainsFunc(inPlace, beginning(name))
}
