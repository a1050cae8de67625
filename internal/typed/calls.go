package typed

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// Calls are the calls in all files, in source order, by the name that frames
// have for the file: line directives count, as they do in profiles.
func (p *Program) Calls() map[string][]Call {
	found := make(map[string][]Call)
	for pkg := range p.Packages {
		if pkg.Types == nil {
			continue
		}
		for _, f := range pkg.Files {
			for _, d := range f.Decls {
				ast.PreorderStack(d, nil, func(n ast.Node, stack []ast.Node) bool {
					var c Call
					switch n := n.(type) {
					case *ast.CallExpr:
						c = pkg.call(n, stack)
					case *ast.RangeStmt:
						c = pkg.ranged(n)
					default:
						return true
					}
					file := ""
					file, c.Line = p.Line(n.Pos())
					c.In, c.InLoop = pkg.In(d), surroundings(n, stack).loop != nil
					found[file] = append(found[file], c)
					return true
				})
			}
		}
	}
	for _, list := range found {
		slices.SortStableFunc(list, func(a, b Call) int { return cmp.Compare(a.Line, b.Line) })
	}
	return found
}

// around is what encloses an expression.
type around struct {
	loop    ast.Node // innermost for statement, or nil
	literal bool     // a function literal lies between it and the declared function
}

// surroundings reads the nodes around n, the outermost first. Of a loop the first
// statement runs once, and so does what is ranged over.
func surroundings(n ast.Node, stack []ast.Node) (at around) {
	for _, outer := range slices.Backward(stack) {
		switch outer := outer.(type) {
		case *ast.FuncLit:
			at.literal = true
		case *ast.ForStmt:
			if at.loop == nil && n != outer.Init {
				at.loop = outer
			}
		case *ast.RangeStmt:
			if at.loop == nil && n != outer.X {
				at.loop = outer
			}
		}
		n = outer
	}
	return at
}

// ranged is what a range statement goes over: its underlying type, which says
// whether the number of rounds is known before the first.
func (p *Package) ranged(r *ast.RangeStmt) Call {
	_, end := p.program.Line(r.X.End())
	c := Call{EndLine: end, Callee: Range, Args: []string{"?"}, Basic: []bool{false}}
	if t := p.Info.TypeOf(r.X); t != nil {
		c.Args[0], c.Basic[0] = typeName(t.Underlying()), IsBasic(t.Underlying())
	}
	return c
}

func (p *Package) call(c *ast.CallExpr, stack []ast.Node) Call {
	_, end := p.program.Line(c.Rparen)
	call := Call{EndLine: end, Callee: p.Called(c), Args: []string{}, Basic: []bool{}}
	add := func(t types.Type, spread string) {
		call.Args = append(call.Args, typeName(t)+spread)
		call.Basic = append(call.Basic, spread == "" && IsBasic(t))
	}
	layout := func(t types.Type) {
		call.Pointee = append(call.Pointee, p.program.pointee(t))
		call.Plain = append(call.Plain, isPlain(t, maxNested))
	}
	for i, arg := range c.Args {
		t := p.Info.TypeOf(arg)
		if tuple, ok := t.(*types.Tuple); ok { // f(g())
			for v := range tuple.Variables() {
				add(v.Type(), "")
				layout(v.Type())
			}
			continue
		}
		spread := ""
		if c.Ellipsis != token.NoPos && i == len(c.Args)-1 {
			spread = "..."
		}
		add(t, spread)
		if p.Info.Types[arg].IsType() { // make(T, n)
			t = nil
		}
		layout(t)
	}
	if !slices.ContainsFunc(call.Pointee, func(n int64) bool { return n != 0 }) {
		call.Pointee = nil
	}
	if !slices.Contains(call.Plain, true) {
		call.Plain = nil
	}
	call.Format = p.constantFormat(c)
	call.Fixed = p.variables().arguments(c, surroundings(c, stack))
	call.Recv = p.variables().receiver(c)
	return call
}
