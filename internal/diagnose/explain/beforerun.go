package explain

import (
	"go/ast"
	"go/types"
	"strings"

	"whet/internal/diagnose"
	"whet/internal/typed"
)

// before reports whether objects of a type of the program's own were made before the run: no
// line that makes one has a sample, and no loop of a benchmark makes one.
func (in *inputs) before(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return false
	}
	if _, ok := typed.Under[*types.Struct](t); !ok {
		return false
	}
	type key struct{ of string }
	name := named.Obj().Pkg().Path() + "." + named.Obj().Name()
	return diagnose.Once(in.Subject, key{name}, func(*diagnose.Subject) bool { return !in.madeInRun(name) })
}

func (in *inputs) madeInRun(name string) (found bool) {
	is := func(p *typed.Package, e ast.Expr) bool {
		t := p.TypeOf(e)
		if t == nil {
			return false
		}
		if to, ok := t.(*types.Pointer); ok {
			t = to.Elem()
		}
		if of := typed.Element(t); of != nil {
			t = of
		}
		if st, ok := typed.Under[*types.Struct](t); ok { // as a part
			for field := range st.Fields() {
				if isNamed(field.Type(), name) {
					return true
				}
			}
		}
		return isNamed(t, name)
	}
	known := false
	for p := range in.Program.Packages {
		if p.Types == nil {
			continue
		}
		known = known || p.Path == name[:strings.LastIndexByte(name, '.')]
		for fn := range p.Functions {
			ast.Inspect(fn.Decl.Body, func(n ast.Node) bool {
				if spec, ok := n.(*ast.ValueSpec); ok && spec.Type != nil && len(spec.Values) == 0 && is(p, spec.Type) {
					found = found || in.makesInRun(fn)
				}
				e, ok := n.(ast.Expr)
				if !ok {
					return !found
				}
				call, ok := e.(*ast.CallExpr)
				_, lit := e.(*ast.CompositeLit)
				if !lit && (!ok || p.Builtin(call) != "new" && p.Builtin(call) != "make") || !is(p, e) {
					return !found
				}
				line := in.LineAt(e.Pos())
				if in.OfTest(fn.File, line) {
					for range p.Repeats(e) {
						found = true
					}
				}
				if lit, ok := e.(*ast.CompositeLit); ok && len(lit.Elts) == 0 {
					if _, none := p.Parent(e).(*ast.ReturnStmt); none {
						return !found // beside an error
					}
				}
				found = found || len(in.Costs()[fn.File][line]) > 0 || in.makesInRun(fn)
				return !found
			})
		}
	}
	return found || !known
}

// makesInRun reports whether a function that makes objects does so while the program does its work.
func (in *inputs) makesInRun(fn *typed.Function) bool {
	p := fn.Package
	if in.inTest(p, fn.Decl) {
		return in.calledInRun(p, fn.Decl, mostCallers)
	}
	return in.ran(p, fn.Decl) && !in.runsOnce(p, fn.Decl, mostCallers) || in.calledInRun(p, fn.Decl, mostCallers)
}

// received reports whether a variable is what a loop gets from a channel or an iterator.
func received(p *typed.Package, of *types.Var) bool {
	for _, id := range append([]*ast.Ident{p.Definition(of)}, p.Uses(of)...) {
		loop, ok := p.Parent(id).(*ast.RangeStmt)
		if !ok || loop.X == ast.Expr(id) {
			continue
		}
		_, channel := typed.Under[*types.Chan](p.TypeOf(loop.X))
		if _, iterator := typed.Under[*types.Signature](p.TypeOf(loop.X)); channel || iterator {
			return true
		}
	}
	return false
}

// isNamed reports whether a type is the one of a name, by the path of its package.
func isNamed(t types.Type, name string) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path()+"."+named.Obj().Name() == name
}
