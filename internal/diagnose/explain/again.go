package explain

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/symbolname"
	"whet/internal/typed"
)

// beginning reports whether a name begins with a text.
func beginning(name string) func(begin string) bool {
	return func(begin string) bool { return strings.HasPrefix(name, begin) }
}

// sorters are functions that compare each element of a list about log₂(n) times.
var sorters = []string{"sort.Slice", "sort.SliceStable", "slices.SortFunc", "slices.SortStableFunc", "slices.SortedFunc", "slices.SortedStableFunc"}

// inComparison is about what a comparison of two elements works out of one of them.
func inComparison(v *account, o *operation) (r reading) {
	of := v.comparedBy(o, mostComparing)
	if len(of) != 2 || o.pkg.UsedIn(o.call, of[0]) == o.pkg.UsedIn(o.call, of[1]) || o.pkg.Builtin(o.call) != "" {
		return r
	}
	r.of = v.among(o, o.callee)
	r.why = fmt.Sprintf("Each comparison computes %s again for the same elements: a sort compares each of n elements about log₂(n) times. That takes %s.", shorten(o.call), v.percent(r.of))
	r.remedy = fmt.Sprintf("Compute %s once for each element, before the sort: in a field of the element, or in a slice of keys that is sorted with it.", symbolname.Short(o.callee))
	return r
}

// mostComparing is how many functions a comparison may be handed on through.
const mostComparing = 3

// comparedBy returns the two parameters of the comparison around an operation: of a method
// Less(i, j int) bool, of a function handed to one that sorts, or of one that such a comparison
// hands its elements on to.
func (v *account) comparedBy(o *operation, steps int) (of []*types.Var) {
	lit := o.pkg.Literal(o.call)
	if lit != nil {
		if !sorts(o.pkg, lit) {
			return nil
		}
		return parameters(o.pkg, lit.Type.Params)
	}
	fn := o.pkg.Func(o.decl)
	if fn == nil {
		return nil
	}
	if o.decl.Recv != nil && o.decl.Name.Name == "Less" && fn.Signature().Params().Len() == 2 && typed.IsInteger(fn.Signature().Params().At(0).Type()) {
		return parameters(o.pkg, o.decl.Type.Params)
	}
	if v.belowSort(o) && slices.ContainsFunc(o.pkg.Uses(fn), func(use *ast.Ident) bool { return sorts(o.pkg, o.pkg.Operand(use)) }) {
		if o.decl.Recv != nil { // a.Compare(b) by T.Compare
			return parameters(o.pkg, o.decl.Recv, o.decl.Type.Params)
		}
		return parameters(o.pkg, o.decl.Type.Params)
	}
	for _, c := range v.operations() {
		if to := v.FunctionOf(c.callee); steps == 0 || to == nil || to.Decl != o.decl || c.decl == o.decl {
			continue
		}
		both := v.comparedBy(c, steps-1)
		if len(both) != 2 {
			return nil
		}
		handed := make([]*types.Var, 2)
		list, to := c.call.Args, parameters(o.pkg, o.decl.Type.Params)
		if o.decl.Recv != nil {
			list, to = handedTo(c.call), parameters(o.pkg, o.decl.Recv, o.decl.Type.Params)
		}
		for i, e := range list {
			a, b := c.pkg.UsedIn(e, both[0]), c.pkg.UsedIn(e, both[1])
			switch {
			case a && b || i >= len(to):
				return nil
			case a:
				handed[0] = to[i]
			case b:
				handed[1] = to[i]
			}
		}
		if handed[0] == nil || handed[1] == nil {
			return nil
		}
		return handed
	}
	return nil
}

// belowSort reports whether most of an operation's samples are below a function that sorts: what is
// handed to one may be called by others, too.
func (v *account) belowSort(o *operation) bool {
	type key struct{}
	sorting := diagnose.Once(v.Subject, key{}, func(s *diagnose.Subject) *diagnose.Sets {
		sum := new(diagnose.Sets)
		s.EachSample(func(c *hot.Classified, sample *callstack.Stacks, stack []callstack.FrameID) {
			if slices.ContainsFunc(stack, func(id callstack.FrameID) bool { return slices.ContainsFunc(sorters, beginning(c.Frame(id).Function)) }) {
				sum.Of(s, c).Add(sample.Index())
			}
		})
		return sum
	})
	shared := common(o.of, sorting)
	return max(v.share(shared), v.AllocShare(shared.Allocs.Keep())) > 0 && 2*v.share(shared) >= v.share(o.of) && 2*v.AllocShare(shared.Allocs.Keep()) >= v.AllocShare(o.of.Allocs.Keep())
}

// sorts reports whether an expression is handed to a function that sorts by it.
func sorts(p *typed.Package, e ast.Expr) bool {
	call, ok := p.Parent(e).(*ast.CallExpr)
	if !ok || call.Fun == e {
		return false
	}
	fn := p.Function(call)
	return fn != nil && slices.Contains(sorters, fn.FullName())
}

// parameters returns the variables of lists of parameters that have names.
func parameters(p *typed.Package, lists ...*ast.FieldList) (of []*types.Var) {
	for _, params := range lists {
		for _, field := range params.List {
			for _, name := range field.Names {
				if v := p.Var(name); v != nil {
					of = append(of, v)
				}
			}
		}
	}
	return of
}

// ofTypes are functions of package reflect whose result depends on a type alone.
var ofTypes = []string{"reflect.(*rtype).", "reflect.(*structType).", "reflect.StructTag.", "reflect.VisibleFields", "reflect.Value.NumField", "reflect.TypeAssert"}

// ofType is about what is asked of a type, whose answer never changes.
func ofType(v *account, o *operation) (r reading) {
	if !slices.ContainsFunc(ofTypes, beginning(o.callee)) {
		return r
	}
	all, asks := v.onLines(o.pkg, o.decl), new(diagnose.Sets)
	for line := v.LineAt(o.decl.Pos()); line <= v.LineAt(o.decl.End()); line++ {
		for name, sets := range v.Costs()[o.frame.File][line] {
			if slices.ContainsFunc(ofTypes, beginning(name)) {
				asks.Join(sets)
			}
		}
	}
	// Where asking is much of the function, what it does with the answers is of the type, too.
	if r.of = asks; v.share(asks) >= mostOf*v.share(all) {
		r.of = all
	}
	r.why = fmt.Sprintf("Each call of %s looks up a type's fields, tags or methods again, through %s, though the results are the same for each value of the type. That takes %s.",
		o.decl.Name.Name, symbolname.Short(o.callee), v.percent(r.of))
	r.remedy = "Analyze a type once, into a plan of the needed facts about each field (index, name, kind, tag contents), and keep the plan by reflect.Type, in a sync.Map or with other data computed for the type."
	return r
}

// ofCounters is about functions of package math that are given nothing but counters,
// lengths and constants: their results fit into a table.
func ofCounters(v *account, o *operation) (r reading) {
	if symbolname.Package(o.callee) != "math" || v.loop(o) == nil || len(o.call.Args) == 0 {
		return r
	}
	for _, arg := range o.call.Args {
		if !counted(o.pkg, arg, 6) {
			return r
		}
	}
	r.of = v.among(o, o.callee)
	r.why = fmt.Sprintf("%s depends only on counters and lengths: each call for the same length computes the same numbers. That takes %s.", shorten(o.call), v.percent(r.of))
	r.remedy = "Keep a table of the results, made once for each length (a package variable for known lengths, a map or a field for others), and index it in the loop."
	return r
}

// counted reports whether a number is built of counters, lengths, constants and integers
// that the caller hands in: not of integers that are read from data.
func counted(p *typed.Package, e ast.Expr, steps int) bool {
	e = ast.Unparen(e)
	if p.Info.Types[e].Value != nil {
		return true
	}
	if steps == 0 {
		return false
	}
	switch e := e.(type) {
	case *ast.Ident:
		v := p.Var(e)
		if v == nil || typed.Global(v) || !typed.IsNumber(v.Type()) {
			return false
		}
		if p.Parameter(v) > 0 {
			return typed.IsInteger(v.Type())
		}
		if def := p.Definition(v); def != nil {
			if loop, ok := p.Parent(def).(*ast.RangeStmt); ok {
				_, table := typed.Under[*types.Map](p.TypeOf(loop.X))
				return loop.Key == ast.Expr(def) && !table && typed.IsInteger(v.Type())
			}
		}
		values, known := p.SetTo(v)
		return known && len(values) > 0 && !slices.ContainsFunc(values, func(value ast.Expr) bool { return !counted(p, value, steps-1) })
	case *ast.BinaryExpr:
		return counted(p, e.X, steps) && counted(p, e.Y, steps)
	case *ast.UnaryExpr:
		return e.Op == token.SUB && counted(p, e.X, steps)
	case *ast.CallExpr:
		if x, to := p.Conversion(e); x != nil {
			return typed.IsNumber(to) && counted(p, x, steps-1)
		}
		return p.Builtin(e) == "len"
	}
	return false
}

// together are methods that each work out what one other gives at once.
var together = []struct {
	receiver string
	parts    []string
	whole    string
}{
	{"time.Time.", []string{"Year", "Month", "Day"}, "Date"},
	{"time.Time.", []string{"Hour", "Minute", "Second"}, "Clock"},
}

// takenApart is about a value that is asked for its parts one by one, each of which is
// worked out from all of it.
func takenApart(v *account, o *operation) (r reading) {
	sel, ok := ast.Unparen(o.call.Fun).(*ast.SelectorExpr)
	if !ok {
		return r
	}
	for _, t := range together {
		part, ok := strings.CutPrefix(o.pkg.Called(o.call), t.receiver)
		if !ok || !slices.Contains(t.parts, part) {
			continue
		}
		asked := make(map[string]bool)
		r.of = new(diagnose.Sets)
		ast.Inspect(o.decl.Body, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			other, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
			if name, of := strings.CutPrefix(o.pkg.Called(call), t.receiver); ok && of && slices.Contains(t.parts, name) && typed.Same(other.X, sel.X) {
				asked[name] = true
				for by, sets := range v.Costs()[o.frame.File][v.LineAt(call.Pos())] {
					if strings.HasPrefix(by, t.receiver+name) {
						r.of.Join(sets)
					}
				}
			}
			return true
		})
		if len(asked) < 2 {
			return reading{}
		}
		r.goes = &diagnose.Sets{CPU: diagnose.Portion(v.CPU, v.CPUColumn, &r.of.CPU, 1-1/float64(len(asked)))}
		r.why = fmt.Sprintf("The parts of %s are requested by %d calls, and each of them computes all parts: %s.", types.ExprString(sel.X), len(asked), v.percent(r.of))
		r.remedy = fmt.Sprintf("Make one call on %s: %s returns all parts together.", types.ExprString(sel.X), t.whole)
		return r
	}
	return r
}

// ofSettings is about a function of the user's own that is given nothing but constants,
// package variables and fields that nothing sets while the program runs.
func ofSettings(v *account, o *operation) (r reading) {
	to := o.pkg.Reached(o.call)
	if to == nil || len(o.call.Args) == 0 || o.pkg.Results(o.call) == nil || to.Object.Signature().Results().Len() == 0 || to.Object.Signature().Recv() != nil {
		return r
	}
	fields := 0
	for _, c := range v.each(o) {
		for _, arg := range c.call.Args {
			if c.pkg.Fixed(arg).Always() {
				continue
			}
			if !v.unset(c.pkg, arg) {
				return r
			}
			fields++
		}
	}
	if fields == 0 || !v.pure(typed.Symbol(to.Object), false) || !v.settled(to) {
		return r
	}
	r.of = v.among(o, o.callee)
	r.why = fmt.Sprintf("%s is computed in each call of %s from fields that are set only where the object is made: %s.", shorten(o.call), o.decl.Name.Name, v.percent(r.of))
	r.remedy = "Compute it where its inputs are set, or on first use, and keep it in a field beside them."
	return r
}

// unset reports whether an expression is a field, of a parameter or receiver that is a
// pointer, which is set where its object is made alone, in functions that no sample is in:
// a method that sets it may run often and be too short for one.
func (v *account) unset(p *typed.Package, e ast.Expr) bool {
	sel, ok := p.Converted(e).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	field, ok := p.Object(sel).(*types.Var)
	if !ok || !field.IsField() || field.Exported() || field.Pkg() != p.Types {
		return false
	}
	of := p.Var(sel.X)
	if of == nil || of.Kind() != types.RecvVar && p.Parameter(of) == 0 {
		return false
	}
	if _, shared := typed.Under[*types.Pointer](of.Type()); !shared { // each call may be about another element
		return false
	}
	content := v.changeable(field.Type())
	for _, use := range p.Uses(field) {
		if d, ok := p.Declaration(use.Pos()).(*ast.FuncDecl); content && ok && !v.seen(p, p.Operand(use), mostNames) && v.runsAgain(p, d) {
			return false
		}
		kv, _ := p.Parent(use).(*ast.KeyValueExpr)
		if kv != nil && kv.Key == use || p.Written(p.Operand(use)) {
			d, ok := p.Declaration(use.Pos()).(*ast.FuncDecl)
			if parameter, _ := p.Named(p.Var(p.Base(p.Operand(use)))); !ok || parameter || v.ran(p, d) {
				return false
			}
		}
	}
	return true
}

// ran reports whether a sample is in a declared function.
func (v *account) ran(p *typed.Package, d *ast.FuncDecl) bool {
	return v.onLines(p, d).Len() > 0
}

// fileOf returns the file of a node, as frames have it.
func (v *account) fileOf(p *typed.Package, n ast.Node) string {
	for _, f := range p.Files {
		if f.FileStart <= n.Pos() && n.Pos() < f.FileEnd {
			return p.Frame(f)
		}
	}
	return ""
}

// mostShown is how long an expression may be to be shown.
const mostShown = 60

// shorten returns a call for a sentence.
func shorten(call *ast.CallExpr) string {
	text := types.ExprString(call)
	if len(text) <= mostShown {
		return text
	}
	return types.ExprString(call.Fun) + "(…)"
}
