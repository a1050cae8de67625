package explain

import (
	"go/ast"
	"go/token"
	"go/types"
	"iter"
	"slices"

	"whet/internal/diagnose"
	"whet/internal/typed"
)

// runsAgain reports whether a declared function runs while the program does its work: samples are in
// it, or in a loop or a function that calls it. What takes next to no time has no samples itself.
func (v *account) runsAgain(p *typed.Package, d *ast.FuncDecl) bool {
	type key struct{ of *ast.FuncDecl }
	return diagnose.Once(v.Subject, key{d}, func(*diagnose.Subject) bool { return v.ran(p, d) || v.calledInRun(p, d, mostCallers) })
}

// mostCallers bounds the callers that are followed.
const mostCallers = 3

// calledInRun reports whether something that runs again and again calls a declared function.
func (v *account) calledInRun(p *typed.Package, d *ast.FuncDecl, steps int) bool {
	type key struct {
		of    *ast.FuncDecl
		steps int
	}
	return steps > 0 && diagnose.Once(v.Subject, key{d, steps}, func(*diagnose.Subject) bool { return v.hasCallerInRun(p, d, steps) })
}

func (v *account) hasCallerInRun(p *typed.Package, d *ast.FuncDecl, steps int) bool {
	fn := p.Func(d)
	if fn == nil {
		return false
	}
	for q, use := range v.usesOf(p, fn) {
		by, ok := q.Declaration(use.Pos()).(*ast.FuncDecl)
		if !ok || by == d {
			continue
		}
		test := v.inTest(q, use)
		for around := range q.Repeats(use) {
			if test && ofBenchmark(around) || !test && v.onLines(q, around).Len() > 0 {
				return true
			}
		}
		if !test && v.ran(q, by) && !v.runsOnce(q, by, steps) || v.calledInRun(q, by, steps-1) {
			return true
		}
	}
	return false
}

// runsOnce reports whether a declared function runs once, as main does and what main calls outside
// of loops.
func (v *account) runsOnce(p *typed.Package, d *ast.FuncDecl, steps int) bool {
	if d.Recv == nil && (d.Name.Name == "init" || d.Name.Name == "main" && p.Name == "main") {
		return true
	}
	fn := p.Func(d)
	if fn == nil || steps == 0 {
		return false
	}
	called := false
	for q, use := range v.usesOf(p, fn) {
		e := q.Operand(use)
		call, ok := q.Parent(e).(*ast.CallExpr)
		by, inside := q.Declaration(use.Pos()).(*ast.FuncDecl)
		if !ok || call.Fun != e || !inside {
			return false
		}
		for range q.Repeats(use) {
			return false
		}
		if !v.inTest(q, use) && !v.runsOnce(q, by, steps-1) {
			return false
		}
		called = true
	}
	return called
}

// usesOf yields the uses of a field or a function of a package, in all packages that may have any.
func (v *account) usesOf(p *typed.Package, of types.Object) iter.Seq2[*typed.Package, *ast.Ident] {
	return func(yield func(*typed.Package, *ast.Ident) bool) {
		for _, use := range p.Uses(of) {
			if !yield(p, use) {
				return
			}
		}
		if !of.Exported() {
			return
		}
		for q := range v.Program.Packages {
			if q == p || q.Types == nil {
				continue
			}
			for _, use := range q.Uses(of) {
				if !yield(q, use) {
					return
				}
			}
		}
	}
}

// ofBenchmark reports whether a node is a loop whose rounds a benchmark measures.
func ofBenchmark(around ast.Node) (is bool) {
	var head ast.Expr
	switch loop := around.(type) {
	case *ast.ForStmt:
		head = loop.Cond
	case *ast.RangeStmt:
		head = loop.X
	}
	if head == nil {
		return false
	}
	ast.Inspect(head, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		is = is || ok && slices.Contains([]string{"N", "Loop", "Next"}, sel.Sel.Name)
		return !is
	})
	return is
}

// rounds returns the innermost loop around an operation whose rounds may come to it again; nil
// where there is none. What a round comes to before it leaves the loop, or what a variable from
// outside is set to where it was not set before, is done once.
func (v *account) rounds(o *operation) ast.Node {
	loop := v.loop(o)
	if loop == nil {
		return nil
	}
	p, set := o.pkg, []ast.Expr(nil)
	if st, ok := p.Parent(o.call).(*ast.AssignStmt); ok {
		set = st.Lhs
	}
	switched := false // a break leaves something else
	for in := ast.Node(o.call); in != loop && in != nil; in = p.Parent(in) {
		var list []ast.Stmt
		switch in := in.(type) {
		case *ast.ReturnStmt:
			return nil
		case *ast.BlockStmt:
			list = in.List
		case *ast.CaseClause:
			list, switched = in.Body, true
		case *ast.CommClause:
			list, switched = in.Body, true
		case *ast.IfStmt:
			if slices.ContainsFunc(set, func(e ast.Expr) bool {
				of := p.Var(e)
				return of != nil && of.Pos() < loop.Pos() && p.UsedIn(in.Cond, of)
			}) {
				return nil
			}
		}
		if len(list) == 0 {
			continue
		}
		switch last := list[len(list)-1].(type) {
		case *ast.ReturnStmt:
			return nil
		case *ast.BranchStmt:
			if last.Label != nil || last.Tok == token.BREAK && !switched || last.Tok == token.GOTO {
				return nil
			}
		}
	}
	return loop
}

// each returns an operation for each call of its function that its statement has, which samples do
// not tell apart.
func (v *account) each(o *operation) []*operation {
	all := []*operation{o}
	for _, site := range v.Sites(v.StatementOf(&o.frame, o.callee)) {
		if site.In == o.pkg && site.CallExpr != o.call && site.Callee() == o.pkg.Called(o.call) {
			other := *o
			other.call = site.CallExpr
			all = append(all, &other)
		}
	}
	return all
}

// settled reports whether nothing that a function calls may give another result the next time
// that the source does not show: no function values, as of a clock that a test replaces, no
// methods of the program's own interfaces, and no state of the library that others hold.
func (v *account) settled(fn *typed.Function) bool {
	ok := true
	fn.EachCall(mostComparing+1, func(s typed.Site) bool {
		p := s.In
		if x, _ := p.Conversion(s.CallExpr); x != nil || p.Builtin(s.CallExpr) != "" || !ok {
			return false
		}
		to := p.Function(s.CallExpr)
		if to == nil {
			_, literal := ast.Unparen(s.Fun).(*ast.FuncLit)
			ok = literal || ofLiterals(p, p.Var(s.Fun))
			return false
		}
		recv := to.Signature().Recv()
		sel, method := ast.Unparen(s.Fun).(*ast.SelectorExpr)
		switch {
		case recv == nil:
		case types.IsInterface(recv.Type()):
			ok = to.Pkg() == nil || v.Program.Standard(to.Pkg())
		case method && p.Reached(s.CallExpr) == nil && holdsState(recv.Type()):
			of := p.Var(p.Base(sel.X))
			parameter, _ := p.Named(of)
			ok = of == nil || !parameter && !typed.Global(of)
		}
		return true
	})
	return ok
}

// ofLiterals reports whether a variable is only set to function literals, which are in its function.
func ofLiterals(p *typed.Package, of *types.Var) bool {
	if of == nil || of.Kind() != types.LocalVar {
		return false
	}
	values, known := p.SetTo(of)
	return known && len(values) > 0 && !slices.ContainsFunc(values, func(e ast.Expr) bool { _, literal := ast.Unparen(e).(*ast.FuncLit); return !literal })
}

// stateless are packages of the library whose objects give the same each time.
var stateless = []string{"regexp", "net/url", "net/netip", "time", "reflect", "text/template", "html/template", "sync", "context", "go/ast", "go/token", "go/types"}

// holdsState reports whether a receiver is a pointer to what may change with each call.
func holdsState(t types.Type) bool {
	to, ok := types.Unalias(t).(*types.Pointer)
	if !ok {
		return false
	}
	named, ok := types.Unalias(to.Elem()).(*types.Named)
	return !ok || named.Obj().Pkg() == nil || !slices.Contains(stateless, named.Obj().Pkg().Path())
}
