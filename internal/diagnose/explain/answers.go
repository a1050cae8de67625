package explain

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/typed"
)

// fewestAnswers is how many of a value's methods lead to a place at least for it to be worked
// out too often.
const fewestAnswers = 3

// questions are calls of one value's methods in one function, which all lead to a place.
type questions struct {
	operation // the first
	value     *types.Var
	methods   map[string]*question
}

type question struct {
	diagnose.Sets
	call *ast.CallExpr
}

// eachAnswer is about a function that asks a value for several things by a call each, where
// each goes through the same work to find its answer.
func eachAnswer(s *diagnose.Subject, at *diagnose.Spot) (j diagnose.Judgement) {
	v := look(s, at)
	if v.pkg == nil || v.decl == nil || v.all() < least && v.AllocShare(v.Cost.Allocs.Keep()) < leastBytes {
		return j
	}
	type asker struct {
		fn ast.Node // a declared function, or a literal
		of *types.Var
	}
	type step struct {
		line   diagnose.SourceLine
		callee string
	}
	type asked struct {
		*questions
		call *ast.CallExpr
	}
	steps, found, passes := make(map[step]asked), make(map[asker]*questions), make(map[step]bool)
	v.EachSample(func(c *hot.Classified, sample *callstack.Stacks, stack []callstack.FrameID) {
		if !v.Cost.Of(v.Subject, c).Has(sample.Index()) {
			return
		}
		by := ""
		var in step // of the frame before, the method's
		for _, id := range stack {
			f := c.Frame(id)
			k := step{diagnose.SourceLine{File: f.File, Line: f.Line}, by}
			if by != "" && in.callee != "" && v.Own(f) && !v.OfTest(f.File, f.Line) {
				a, known := steps[k]
				if !known {
					if o, of := v.answer(f, by); of != nil {
						key := asker{o.pkg.FunctionAround(o.call.Pos()), of}
						if found[key] == nil {
							found[key] = &questions{operation: *o, value: of, methods: make(map[string]*question)}
						}
						a = asked{found[key], o.call}
					}
					steps[k] = a
				}
				if _, known := passes[in]; a.questions != nil && !known {
					passes[in] = v.passesOn(in.line, in.callee)
				}
				if a.questions != nil && passes[in] {
					if a.methods[by] == nil {
						a.methods[by] = &question{call: a.call}
					}
					a.methods[by].Of(v.Subject, c).Add(sample.Index())
				}
			}
			if in = k; !v.Own(f) {
				in = step{}
			}
			by = f.Function
		}
	})
	for _, a := range found {
		a.together()
	}
	var most *questions
	for _, a := range found {
		if len(a.methods) >= fewestAnswers && (most == nil || cmp.Or(cmp.Compare(len(a.methods), len(most.methods)), cmp.Compare(most.call.Pos(), a.call.Pos())) > 0) {
			most = a
		}
	}
	if most == nil {
		return j
	}
	all, one := new(diagnose.Sets), 0.0
	for _, q := range most.methods {
		all.Join(&q.Sets)
		one = max(one, v.share(&q.Sets))
	}
	goes := &diagnose.Sets{CPU: diagnose.Portion(v.CPU, v.CPUColumn, &all.CPU, 1-1/float64(len(most.methods))), Allocs: diagnose.Portion(v.Allocs, v.AllocCol, &all.Allocs, 1-1/float64(len(most.methods)))}
	if max(v.share(goes), v.AllocShare(goes.Allocs.Keep())/2) < least || v.share(all) < v.all()/2 || one > v.share(all)/2 {
		return j
	}
	names := slices.Sorted(maps.Keys(most.methods))
	for i, name := range names {
		names[i] = name[strings.LastIndexByte(name, '.')+1:]
	}
	shown := strings.Join(names[:fewestAnswers], ", ")
	if len(names) > fewestAnswers {
		shown += ", …"
	}
	j.Cause = fmt.Sprintf("%s asks %s for %d things by a call each (%s), and each call does the work of %s anew: %s.",
		most.decl.Name.Name, most.value.Name(), len(names), shown, v.name(), v.percent(all))
	j.Claim = v.claimOf(&most.operation, all, j.Cause, fmt.Sprintf("Go through %s once, and take all the answers from that: a function that fills a struct of them.", most.value.Name()))
	if j.Claim != nil {
		j.Claim.Avoidable = goes.Samples()
	}
	return j
}

// together leaves out the methods that are not called where others are: a branch decides.
func (q *questions) together() {
	var kept []*ast.CallExpr
	for _, name := range slices.SortedFunc(maps.Keys(q.methods), func(a, b string) int { return cmp.Compare(q.methods[a].call.Pos(), q.methods[b].call.Pos()) }) {
		call := q.methods[name].call
		if slices.ContainsFunc(kept, func(other *ast.CallExpr) bool { return exclusive(q.pkg, other, call) }) {
			delete(q.methods, name)
			continue
		}
		kept = append(kept, call)
	}
}

// passesOn reports whether a method calls a function, on one of its lines, for its receiver and
// nothing else but functions: of all the methods that do, that does the same work.
func (v *account) passesOn(line diagnose.SourceLine, callee string) bool {
	pkg, call := v.site(&callstack.Frame{File: line.File, Line: line.Line}, callee)
	if call == nil {
		return false
	}
	d, _ := pkg.Declaration(call.Pos()).(*ast.FuncDecl)
	fn := (*types.Func)(nil)
	if d != nil {
		fn = pkg.Func(d)
	}
	if fn == nil || fn.Signature().Recv() == nil {
		return false
	}
	passed := false
	list := call.Args
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && pkg.Info.Selections[sel] != nil {
		list = append([]ast.Expr{sel.X}, list...)
	}
	for _, e := range list {
		if pkg.Var(addressed(e)) == fn.Signature().Recv() {
			passed = true
		} else if _, calls := typed.Under[*types.Signature](pkg.TypeOf(e)); !calls {
			return false
		}
	}
	return passed
}

// answer returns the call of a method at a frame, and the variable that it is called of: a
// method without arguments whose result is used, of a value that it cannot change, in no loop
// that the value is not of; nil where it is none.
func (v *account) answer(f *callstack.Frame, callee string) (*operation, *types.Var) {
	pkg, call := v.site(f, callee)
	if call == nil || len(call.Args) > 0 {
		return nil, nil
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	to := pkg.Reached(call)
	if !ok || to == nil || to.Object.Signature().Recv() == nil || to.Object.Signature().Results().Len() == 0 {
		return nil, nil
	}
	o := &operation{pkg: pkg, call: call, frame: *f, callee: callee}
	o.decl, _ = pkg.Declaration(call.Pos()).(*ast.FuncDecl)
	of := pkg.Var(sel.X)
	if _, alone := pkg.Parent(call).(*ast.ExprStmt); alone || o.decl == nil || of == nil || typed.Global(of) {
		return nil, nil
	}
	if loop := v.loop(o); loop != nil && (of.Pos() < loop.Pos() || loop.End() <= of.Pos()) {
		return nil, nil
	}
	if _, shared := typed.Under[*types.Pointer](to.Object.Signature().Recv().Type()); shared && !v.pure(callee, false) || !v.judge().ReadOnly(callee) {
		return nil, nil
	}
	for _, use := range pkg.Uses(of) { // it is the same value each time
		if pkg.Written(use) || v.mayChange(pkg, use) {
			return nil, nil
		}
	}
	return o, of
}

// mayChange reports whether a use of a variable hands a pointer to its value to something
// that may change it.
func (v *account) mayChange(p *typed.Package, use *ast.Ident) bool {
	_, pointer := typed.Under[*types.Pointer](p.TypeOf(use))
	switch around := p.Parent(use).(type) {
	case *ast.CallExpr:
		return pointer && !v.pure(p.Called(around), false)
	case *ast.SelectorExpr:
		call, ok := p.Parent(around).(*ast.CallExpr)
		if !ok || call.Fun != around || p.Function(call) == nil {
			return false
		}
		_, shared := typed.Under[*types.Pointer](p.Function(call).Signature().Recv().Type())
		return shared && !v.pure(p.Called(call), false)
	case *ast.AssignStmt, *ast.ValueSpec:
		return pointer
	}
	return false
}
