package explain

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"whet/internal/diagnose"
	"whet/internal/diagnose/purity"
	"whet/internal/recording"
	"whet/internal/symbolname"
	"whet/internal/typed"
)

// steadyWork is about a call whose inputs are the same again and again: constants, fields that
// are set before the run, facts of a type, or what a loop does not change, in the function of
// the call or in those that call it.
func (v *account) steadyWork() (j diagnose.Judgement) {
	if v.pkg == nil || v.decl == nil {
		return j
	}
	for _, o := range slices.Backward(v.operations()) { // the outermost takes all of it away
		if max(v.share(o.of), v.AllocShare(o.of.Allocs.Keep())/2) < least || !v.repeatable(o) {
			continue
		}
		for _, across := range []bool{false, true} {
			in := &inputs{account: v, across: across, fields: make(map[string]bool)}
			why, remedy := in.say(o)
			if why == "" {
				continue
			}
			j.Cause = why
			j.Claim = v.claimOf(o, o.of, why, remedy)
			return j
		}
		if j = v.severalTimes(o); j.Cause != "" {
			return j
		}
	}
	return j
}

// computes are the packages of the library whose functions depend on their arguments alone, as
// far as they are called with values.
var computes = []string{"strings", "strconv", "regexp", "net/url", "net/netip", "path", "html", "unicode", "math", "net/textproto", "mime"}

// computing are functions of others that do.
var computing = []string{"time.LoadLocation", "time.ParseDuration", "net.ParseCIDR", "net.ParseIP", "path/filepath.Clean", "path/filepath.Match", "path/filepath.Ext", "path/filepath.Base", "net/http.CanonicalHeaderKey", "net/http.DetectContentType"}

// repeatable reports whether a call of the same inputs gives what an earlier one gave, which may
// be kept: its result is only read.
func (v *account) repeatable(o *operation) bool {
	if o.pkg.Builtin(o.call) != "" || !v.onlyLooked(o) {
		return false
	}
	if to := v.FunctionOf(o.callee); to != nil {
		return to.Object != nil && to.Object.Signature().Results().Len() > 0 && takesWork(to) && v.steadyJudge().Pure(o.callee, false) && v.settled(to)
	}
	name := o.pkg.Called(o.call)
	if symbolname.Parse(name).Receiver != "" {
		return false
	}
	return slices.Contains(computes, symbolname.Package(name)) || slices.Contains(computing, name)
}

// steadyJudge is a judge that leaves out what functions which only enter things did before the run.
func (v *account) steadyJudge() *purity.Judge {
	type key struct{}
	return diagnose.Once(v.Subject, key{}, func(s *diagnose.Subject) *purity.Judge {
		return purity.New(s).Without(func(fn *typed.Function) bool { return v.onlyEnters(fn) })
	})
}

// onlyEnters reports whether a function did not run, and would show samples if it had: it takes
// memory, for something that it adds to a list or a table.
func (v *account) onlyEnters(fn *typed.Function) (enters bool) {
	ast.Inspect(fn.Decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if fn.Package.Builtin(n) == "append" && len(n.Args) > 0 {
				_, part := ast.Unparen(n.Args[0]).(*ast.SliceExpr)
				enters = enters || !part // else it is filled anew
			}
		case *ast.AssignStmt:
			at, ok := ast.Unparen(n.Lhs[0]).(*ast.IndexExpr)
			if ok {
				_, table := typed.Under[*types.Map](fn.Package.TypeOf(at.X))
				enters = enters || table
			}
		}
		return !enters
	})
	return enters && !v.runsAgain(fn.Package, fn.Decl)
}

// takesWork reports whether a function loops or calls something: to keep the result of any other
// is no gain.
func takesWork(fn *typed.Function) (works bool) {
	ast.Inspect(fn.Decl.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			x, _ := fn.Package.Conversion(call)
			works = works || x == nil && fn.Package.Builtin(call) == ""
		}
		works = works || n != nil && typed.LoopBody(n) != nil
		return !works
	})
	return works
}

// inputs follows what a call is given to where it comes from.
type inputs struct {
	*account
	across bool // what a loop does not change counts as steady
	fields map[string]bool
	types  bool // a fact about a type is among them
	object bool // an object that was made before
	loop   ast.Node
	loopIn *operation
}

// deepest bounds the steps from an input to its origin.
const deepest = 8

// say returns why a call does its work again, and what to do; "" where its inputs vary.
func (in *inputs) say(o *operation) (why, remedy string) {
	for _, c := range in.each(o) {
		list := slices.Clone(c.call.Args)
		if sel, ok := ast.Unparen(c.call.Fun).(*ast.SelectorExpr); ok && c.pkg.Info.Selections[sel] != nil {
			list = append(list, sel.X)
		}
		for _, e := range list {
			if !in.steady(c, e, deepest) {
				return "", ""
			}
		}
	}
	takes := in.percent(o.of)
	switch {
	case in.loop != nil:
		file, line := in.fileOf(in.loopIn.pkg, in.loop), in.LineAt(in.loop.Pos())
		return fmt.Sprintf("%s is computed again in each round of the loop at %s, which does not change its inputs: %s.", shorten(o.call), in.At(diagnose.Location{File: file, Line: line}), takes),
			fmt.Sprintf("Call %s once, before the loop, and hand its result on.", symbolname.Short(o.callee))
	case in.across || in.Kind == recording.TargetProgram && in.loopOf(o) == nil:
		return "", "" // it may have been called once
	case in.types && len(in.fields) > 0:
		return fmt.Sprintf("%s is computed in each call of %s from facts about a type, and from fields that are set only where the object is made: %s.", shorten(o.call), o.decl.Name.Name, takes),
			"Keep the results in a field of the object: in a map by reflect.Type, or a sync.Map if goroutines share it."
	case in.types:
		return fmt.Sprintf("%s is computed in each call of %s from facts about a type, which are the same for all its values: %s.", shorten(o.call), o.decl.Name.Name, takes),
			"Keep the result with the type: in a plan made once for each reflect.Type, in a sync.Map or with other data computed for the type."
	case len(in.fields) > 0 || in.object:
		if in.object && !in.givenMore(o) {
			return "", "" // the object is what the benchmark is about
		}
		return fmt.Sprintf("%s is computed in each call of %s from fields that are set only where the object is made: %s.", shorten(o.call), o.decl.Name.Name, takes),
			"Compute it where its inputs are set, or on first use, and keep it in a field beside them."
	}
	if in.FunctionOf(o.callee) != nil && !in.pure(o.callee, false) {
		return "", "" // something is entered into what it reads, before the run
	}
	return fmt.Sprintf("%s is computed in each call of %s from constants: %s.", shorten(o.call), o.decl.Name.Name, takes),
		"Compute it once, in a package variable or with sync.OnceValue, if nobody changes it."
}

// loopOf returns a loop around an operation or a call on the way to it.
func (in *inputs) loopOf(o *operation) ast.Node {
	for _, by := range in.operations() {
		if loop := in.rounds(by); by.depth >= o.depth && loop != nil {
			return loop
		}
	}
	return nil
}

// givenMore reports whether the outermost function on the way is given something beside its
// object: what that is made for, and not the object itself, is the input of a run.
func (in *inputs) givenMore(o *operation) bool {
	list := in.operations()
	fn := o.pkg.Func(o.decl)
	for _, by := range list {
		if by.depth > o.depth {
			fn = by.pkg.Func(by.decl)
		}
	}
	if fn == nil {
		return false
	}
	n := fn.Signature().Params().Len()
	return fn.Signature().Recv() != nil && n > 0 || n > 1
}

// steady reports whether an expression has the same value in the next call.
func (in *inputs) steady(o *operation, e ast.Expr, steps int) bool {
	p := o.pkg
	e = p.Converted(e)
	if steps == 0 {
		return false
	}
	if p.Fixed(e).Always() {
		of := p.Var(e)
		return of == nil || !in.changeable(of.Type()) || in.untouched(p, of)
	}
	if in.ofType(p, e) {
		in.types = true
		return true
	}
	switch e := e.(type) {
	case *ast.StarExpr:
		return in.steady(o, e.X, steps)
	case *ast.UnaryExpr:
		return e.Op != token.ARROW && in.steady(o, e.X, steps)
	case *ast.BinaryExpr:
		return in.steady(o, e.X, steps) && in.steady(o, e.Y, steps)
	case *ast.IndexExpr: // one of the elements
		return (!in.across || in.steady(o, e.Index, steps-1)) && in.steady(o, e.X, steps-1)
	case *ast.SelectorExpr:
		field, ok := p.Object(e).(*types.Var)
		if !ok || !field.IsField() {
			return false
		}
		if loop := in.around(o); loop != nil && in.unchanged(o, e, loop) {
			return true
		}
		if !in.set(p, field, e.X) || !in.steady(o, e.X, steps-1) {
			return false
		}
		in.fields[field.Name()] = true
		return true
	case *ast.CallExpr:
		return in.given(o, e, steps)
	case *ast.Ident:
		of := p.Var(e)
		if of == nil || typed.Global(of) {
			return false
		}
		if loop := in.around(o); loop != nil && in.unchanged(o, e, loop) {
			return true
		}
		if parameter, _ := p.Named(of); parameter {
			return in.handed(o, of, steps)
		}
		return in.local(o, of, steps)
	}
	return false
}

// given is steady of a call.
func (in *inputs) given(o *operation, call *ast.CallExpr, steps int) bool {
	for _, arg := range call.Args {
		if !in.steady(o, arg, steps-1) {
			return false
		}
	}
	switch name := o.pkg.Called(call); {
	case o.pkg.Builtin(call) != "":
		return o.pkg.Builtin(call) == "len"
	case o.pkg.Reached(call) != nil:
		if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && o.pkg.Info.Selections[sel] != nil && !in.steady(o, sel.X, steps-1) {
			return false
		}
		return in.steadyJudge().Pure(name, false) && in.settled(o.pkg.Reached(call))
	default:
		return symbolname.Parse(name).Receiver == "" && slices.Contains(computes, symbolname.Package(name))
	}
}

// local is steady of a local variable.
func (in *inputs) local(o *operation, of *types.Var, steps int) bool {
	values, known := o.pkg.SetTo(of)
	if !known || len(values) == 0 || in.across && in.ranged(o.pkg, of) || received(o.pkg, of) || in.changeable(of.Type()) && !in.untouched(o.pkg, of) {
		return false
	}
	_, shared := typed.Under[*types.Pointer](of.Type()) // what is set of its object, set tells
	for _, use := range o.pkg.Uses(of) {
		st, set := o.pkg.Parent(use).(*ast.AssignStmt)
		set = set && slices.Contains(st.Lhs, ast.Expr(use)) && (st.Tok == token.ASSIGN || st.Tok == token.DEFINE)
		if !set && (in.plain(o.pkg, use) || !shared && o.pkg.Written(use)) {
			return false
		}
	}
	return !slices.ContainsFunc(values, func(e ast.Expr) bool {
		return ast.Unparen(e) != ast.Expr(o.call) && (o.pkg.UsedIn(e, of) || !in.steady(o, e, steps-1))
	})
}

// handed is steady of a parameter or receiver.
func (in *inputs) handed(o *operation, of *types.Var, steps int) bool {
	i := handed(o.pkg, o.decl, of)
	if i < 0 || slices.ContainsFunc(o.pkg.Uses(of), func(use *ast.Ident) bool {
		return o.pkg.Parent(use) != nil && o.pkg.Written(use) && in.plain(o.pkg, use)
	}) {
		return false
	}
	if to, ok := typed.Under[*types.Pointer](of.Type()); ok && i == 0 && !in.across && in.before(to.Elem()) {
		in.object = true
		return true
	}
	if slices.ContainsFunc(callsTo(o.pkg, o.decl, o.pkg.Func(o.decl)), func(call *ast.CallExpr) bool { return o.pkg.Var(handedFor(call, i)) != of }) {
		return false // a recursion hands on something else
	}
	by := in.callsOf(o)
	for _, c := range by {
		for _, c := range in.each(c) {
			e := handedFor(c.call, i)
			if e == nil || o.pkg.Func(o.decl).Signature().Variadic() || !in.steady(c, e, steps-1) {
				return false
			}
		}
	}
	return len(by) > 0
}

// plain reports whether a name itself is set where it stands, and not what it refers to.
func (in *inputs) plain(p *typed.Package, use *ast.Ident) bool {
	switch around := p.Parent(use).(type) {
	case *ast.AssignStmt:
		return slices.Contains(around.Lhs, ast.Expr(use))
	case *ast.UnaryExpr, *ast.IncDecStmt, *ast.RangeStmt:
		return true
	}
	return false
}

// around returns the innermost loop around an operation, where loops count.
func (in *inputs) around(o *operation) ast.Node {
	if !in.across {
		return nil
	}
	return in.rounds(o)
}

// unchanged reports whether a loop neither declares nor sets what an expression is read from.
func (in *inputs) unchanged(o *operation, e ast.Expr, loop ast.Node) bool {
	of := o.pkg.Var(o.pkg.Base(e))
	if of == nil || typed.Global(of) || loop.Pos() <= of.Pos() && of.Pos() < loop.End() {
		return false
	}
	content := in.changeable(o.pkg.TypeOf(e))
	for _, use := range o.pkg.Uses(of) {
		inside := loop.Pos() <= use.Pos() && use.Pos() < loop.End()
		if !o.pkg.Written(use) {
			if inside && content && o.pkg.Var(e) != nil && !in.seen(o.pkg, use, mostNames) {
				return false
			}
			continue
		}
		lit := o.pkg.Literal(use) // what it sets it may set in each round
		_, address := o.pkg.Parent(use).(*ast.UnaryExpr)
		if inside || address || lit != nil && (of.Pos() < lit.Pos() || lit.End() <= of.Pos()) {
			return false
		}
	}
	for part := e; part != nil; part = o.pkg.Container(part) {
		if field, ok := o.pkg.Object(part).(*types.Var); ok && field.IsField() && !in.set(o.pkg, field, nil) {
			return false
		}
		if at, ok := ast.Unparen(part).(*ast.IndexExpr); ok && !o.pkg.Fixed(at.Index).Always() {
			return false
		}
	}
	in.loop, in.loopIn = loop, o
	return true
}

// set reports whether a field is set only where objects are made or something is entered into
// them, and not while the program runs. Others may set what is exported, but for a part of an
// unexported field, which base ends with.
func (in *inputs) set(p *typed.Package, field *types.Var, base ast.Expr) bool {
	if field.Pkg() != p.Types {
		return false
	}
	if field.Exported() && base != nil {
		around, ok := p.Object(p.Converted(base)).(*types.Var)
		if !ok || around.Exported() || !around.IsField() && !in.ranged(p, around) {
			return false
		}
	}
	content := in.changeable(field.Type())
	for p, use := range in.usesOf(p, field) {
		e := p.Operand(use)
		if call, ok := p.Parent(e).(*ast.CallExpr); ok && slices.Contains([]string{"delete", "clear", "copy"}, p.Builtin(call)) && call.Args[0] == e {
			return false
		}
		written := p.Written(e)
		if !written && (!content || in.seen(p, e, mostNames)) {
			continue
		}
		d, ok := p.Declaration(use.Pos()).(*ast.FuncDecl)
		if !ok || in.runsAgain(p, d) {
			return false
		}
		if !written {
			continue
		}
		fn := in.Program.FuncOf(p.Symbol(d))
		if parameter, _ := p.Named(p.Var(p.Base(e))); parameter && (fn == nil || !in.onlyEnters(fn)) {
			return false
		}
	}
	return true
}

// ranged reports whether a variable is an element that a loop goes over.
func (in *inputs) ranged(p *typed.Package, of *types.Var) bool {
	def := p.Definition(of)
	if def == nil {
		return false
	}
	loop, ok := p.Parent(def).(*ast.RangeStmt)
	return ok && (loop.Value == ast.Expr(def) || loop.Key == ast.Expr(def))
}

// ofType reports whether an expression is a fact about a type.
func (in *inputs) ofType(p *typed.Package, e ast.Expr) bool {
	for {
		switch t := p.TypeOf(e); {
		case t == nil:
			return false
		case slices.Contains([]string{"reflect.Type", "reflect.StructTag", "reflect.StructField"}, types.TypeString(t, nil)):
			return true
		}
		switch x := e.(type) {
		case *ast.CallExpr:
			sel, ok := ast.Unparen(x.Fun).(*ast.SelectorExpr)
			if !ok || p.Info.Selections[sel] == nil || symbolname.Package(p.Called(x)) != "reflect" {
				return false
			}
			e = sel.X
		case *ast.SelectorExpr:
			e = x.X
		default:
			return false
		}
	}
}
