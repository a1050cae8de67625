package explain

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/quantity"
	"whet/internal/symbolname"
	"whet/internal/typed"
)

// buffers are the types of the library that grow as they are written to, by how the names
// of their methods begin.
var buffers = []string{"bytes.(*Buffer).", "strings.(*Builder)."}

// growing are what their methods and append do to grow, by the name of the function.
var growing = []string{"runtime.growslice", "bytes.growSlice", "bytes.(*Buffer).grow"}

// owner is a buffer that a function makes and others, which it is handed on to, write to.
type owner struct {
	pkg   *typed.Package
	of    *types.Var
	frame callstack.Frame // of its function
	way   []handOver      // the calls from the write, which is the first, to its function
	by    string          // the function of the library that writes, as frames have it
}

// handOver is a call that a buffer is the receiver or an argument of.
type handOver struct {
	pkg  *typed.Package
	call *ast.CallExpr
}

// ownerOf is who makes the buffer that grows at the innermost own frame of a stack; nil
// where that does not show.
func (v *account) ownerOf(c *hot.Classified, stack []callstack.FrameID) *owner {
	at := slices.IndexFunc(stack, func(id callstack.FrameID) bool { return v.Own(c.Frame(id)) })
	if at < 1 {
		return nil
	}
	f := c.Frame(stack[at])
	pkg, call := v.site(f, c.Frame(stack[at-1]).Function)
	if call == nil {
		return nil
	}
	var of *types.Var
	for _, e := range handedTo(call) {
		if x := pkg.Base(addressed(e)); isBuffer(pkg.TypeOf(e)) && pkg.Var(x) != nil {
			of = pkg.Var(x)
			break
		}
	}
	way, by := []handOver{{pkg, call}}, c.Frame(stack[at-1]).Function
	for of != nil && !typed.Global(of) {
		d, ok := pkg.Declaration(of.Pos()).(*ast.FuncDecl)
		if !ok {
			return nil
		}
		which := handed(pkg, d, of)
		if which < 0 {
			return &owner{pkg, of, *f, way, by}
		}
		name := c.Frame(stack[at]).Function
		if at++; at >= len(stack) {
			return nil
		}
		if f = c.Frame(stack[at]); !v.Own(f) || v.OfTest(f.File, f.Line) {
			return nil
		}
		if pkg, call = v.site(f, name); call == nil {
			return nil
		}
		way = append(way, handOver{pkg, call})
		list := call.Args
		if which == 0 {
			list = handedTo(call)
			which = 1
		}
		if which > len(list) {
			return nil
		}
		of = pkg.Var(pkg.Base(addressed(list[which-1])))
	}
	return nil
}

// handedTo returns a call's receiver, where it has one, and its arguments.
func handedTo(call *ast.CallExpr) (list []ast.Expr) {
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
		list = append(list, sel.X)
	}
	return append(list, call.Args...)
}

// addressed returns what an expression takes the address of, or the expression.
func addressed(e ast.Expr) ast.Expr {
	if x, ok := ast.Unparen(e).(*ast.UnaryExpr); ok && x.Op == token.AND {
		return x.X
	}
	return e
}

// handed returns which parameter of a declared function a variable is, counted from 1; 0: its
// receiver, -1: neither.
func handed(p *typed.Package, d *ast.FuncDecl, of *types.Var) int {
	fn := p.Func(d)
	if fn == nil {
		return -1
	}
	if fn.Signature().Recv() == of {
		return 0
	}
	for i := range fn.Signature().Params().Len() {
		if fn.Signature().Params().At(i) == of {
			return i + 1
		}
	}
	return -1
}

// isBuffer reports whether a type is one of those that grow as they are written to, or a
// pointer to one.
func isBuffer(t types.Type) bool {
	if to, ok := typed.Under[*types.Pointer](t); ok {
		t = to.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return false
	}
	name := named.Obj().Pkg().Path() + "." + named.Obj().Name()
	return name == "bytes.Buffer" || name == "strings.Builder"
}

// handedOn is about a buffer that is made without a size and grows in those that it is
// handed on to.
func (v *account) handedOn() (j diagnose.Judgement) {
	found := make(map[*types.Var]*owner)
	worth := make(map[*types.Var]*diagnose.Sets)
	v.eachGrowth(func(c *hot.Classified, index int, stack []callstack.FrameID) {
		if !v.Cost.Of(v.Subject, c).Has(index) {
			return
		}
		if o := v.ownerOf(c, stack); o != nil && len(o.way) > 1 {
			found[o.of] = o
			add(v.Subject, worth, o.of, diagnose.Work{Of: c, Index: index})
		}
	})
	var most *owner
	for of, o := range found {
		if most == nil || v.weight(worth[of]) > v.weight(worth[most.of]) || v.weight(worth[of]) == v.weight(worth[most.of]) && of.Pos() < most.of.Pos() {
			most = o
		}
	}
	if most == nil || !most.unsized() {
		return j
	}
	all := new(diagnose.Sets) // what grows in the function or below it, at this place and others
	var ways []*owner
	v.eachGrowth(func(c *hot.Classified, index int, stack []callstack.FrameID) {
		if o := v.ownerOf(c, stack); o != nil && o.of == most.of {
			all.Of(v.Subject, c).Add(index)
			if !slices.ContainsFunc(ways, func(known *owner) bool { return known.by == o.by && slices.Equal(known.way, o.way) }) {
				ways = append(ways, o)
			}
		}
	})
	_, _, grows := v.Outgrown(&all.Allocs)
	share := v.givenUp(&all.Allocs)
	if !grows || share < mostOf || v.share(all) < least || v.AllocShare(all.Allocs.Keep()) < leastBytes || !v.MadeInCalls(v.blocks(&all.Allocs)) || !v.writtenAgain(ways) {
		return j
	}
	function := symbolname.Elide(symbolname.Parse(most.frame.Function).Declared())
	j.Cause = fmt.Sprintf("%s is made in %s without a size, and grows step by step as functions write to it: %s%s; %s of its bytes are in blocks that were outgrown.",
		most.of.Name(), symbolname.Short(function), v.percent(all), v.perCall(all), quantity.Percent(share))
	line := v.LineAt(most.of.Pos())
	j.Claim = v.claimAt(most.frame.File, line, function, all, j.Cause, fmt.Sprintf(
		"Call Grow on %s where it is made, with the sum of the parts' lengths, or the last call's length. Or, if its content is copied or sent before the next call, keep one for all calls: Reset.", most.of.Name()))
	return j
}

// givenUp is the part of the bytes of one buffer's blocks that were given up for larger
// ones: of n blocks of a size as many as there are of the next.
func (v *account) givenUp(of *diagnose.Set) float64 {
	blocks := make(map[int64]int64)
	v.EachBlock(of, func(_ int, n, size int64) { blocks[size] += n })
	var gone, all int64
	larger := int64(0) // blocks of the next size
	for _, size := range slices.Backward(slices.Sorted(maps.Keys(blocks))) {
		n := blocks[size]
		gone += size * min(n, larger)
		all += size * n
		larger = n
	}
	return float64(gone) / float64(max(all, 1))
}

// writtenAgain reports whether a buffer may be written to more than once before it is done with:
// in a loop, by two calls of which one does not exclude the other, or by a function of the
// library that writes as it likes. What is written once has blocks of several sizes where its
// texts have several lengths, and none of them was given up.
func (v *account) writtenAgain(ways []*owner) bool {
	for i, w := range ways {
		if !writesOnce(w.by) || slices.ContainsFunc(w.way, func(h handOver) bool { return h.repeats(w.of) || v.twice(h) }) {
			return true
		}
		if slices.ContainsFunc(ways[:i], func(other *owner) bool { return !w.excludes(other) }) {
			return true
		}
	}
	return false
}

// writesOnce reports whether a function of the library writes to a buffer once in each call.
func writesOnce(name string) bool {
	if strings.HasPrefix(name, "fmt.Fprint") || name == "io.WriteString" {
		return true
	}
	return slices.ContainsFunc(buffers, func(b string) bool {
		method, ok := strings.CutPrefix(name, b)
		return ok && strings.HasPrefix(method, "Write") && method != "WriteTo"
	})
}

// repeats reports whether a call lies in a loop or a literal that the variable is declared
// outside of.
func (h handOver) repeats(of *types.Var) bool {
	for around := range h.pkg.Repeats(h.call) {
		return of.Pos() < around.Pos() || around.End() <= of.Pos()
	}
	return false
}

// twice reports whether a line calls a function more than once.
func (v *account) twice(h handOver) (found bool) {
	name, line := h.pkg.Called(h.call), v.LineAt(h.call.Pos())
	ast.Inspect(h.pkg.Declaration(h.call.Pos()), func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		found = found || ok && call != h.call && v.LineAt(call.Pos()) == line && h.pkg.Called(call) == name
		return !found
	})
	return found
}

// excludes reports whether a call of the buffer's function takes one of two ways at most.
func (o *owner) excludes(other *owner) bool {
	for n := 1; n <= min(len(o.way), len(other.way)); n++ {
		a, b := o.way[len(o.way)-n], other.way[len(other.way)-n]
		if a != b { // calls of two functions are those of one call through an interface
			return a.pkg != b.pkg || a.pkg.Declaration(a.call.Pos()) != b.pkg.Declaration(b.call.Pos()) || exclusive(a.pkg, a.call, b.call)
		}
	}
	return true
}

// exclusive reports whether of two nodes of a function a call runs one at most: they are in
// two branches of a statement, or the branch of the first ends with a return.
func exclusive(p *typed.Package, a, b ast.Node) bool {
	if a.Pos() > b.Pos() {
		a, b = b, a
	}
	in := a
	for outer := p.Parent(in); outer != nil; in, outer = outer, p.Parent(outer) {
		var list []ast.Stmt
		around := outer.Pos() <= b.Pos() && b.End() <= outer.End()
		switch outer := outer.(type) {
		case *ast.IfStmt:
			if around {
				return in == outer.Body
			}
		case *ast.BlockStmt:
			list = outer.List
		case *ast.CaseClause:
			list = outer.Body
		}
		if around {
			_, clause := in.(*ast.CaseClause)
			_, of := in.(*ast.CommClause)
			return clause || of
		}
		if n := len(list); n > 0 {
			if _, leaves := list[n-1].(*ast.ReturnStmt); leaves {
				return true
			}
		}
	}
	return false
}

// eachGrowth calls f for each sample of a buffer that grows.
func (v *account) eachGrowth(f func(c *hot.Classified, index int, stack []callstack.FrameID)) {
	v.EachSample(func(c *hot.Classified, sample *callstack.Stacks, stack []callstack.FrameID) {
		grows, of := c == v.Allocs, false
		for _, id := range stack {
			fn := c.Frame(id)
			if v.Own(fn) {
				break
			}
			grows = grows || slices.Contains(growing, fn.Function)
			of = of || slices.ContainsFunc(buffers, func(b string) bool { return strings.HasPrefix(fn.Function, b) })
		}
		if grows && of {
			f(c, sample.Index(), stack)
		}
	})
}

// weight returns what samples are of the base's time and of its bytes.
func (v *account) weight(of *diagnose.Sets) float64 {
	return v.share(of) + v.AllocShare(of.Allocs.Keep())
}

// unsized reports whether a variable's function makes it, and neither gives it a size nor
// takes it from somewhere.
func (o *owner) unsized() bool {
	values, known := o.pkg.SetTo(o.of)
	if !known || slices.ContainsFunc(values, func(e ast.Expr) bool { return !o.made(e) }) {
		return false
	}
	for _, use := range o.pkg.Uses(o.of) {
		sel, ok := o.pkg.Parent(use).(*ast.SelectorExpr)
		if ok && sel.X == use && slices.Contains([]string{"Grow", "Reset", "Truncate"}, sel.Sel.Name) {
			return false
		}
	}
	return true
}

// made reports whether an expression makes a value without a size: a literal without
// elements, new, NewBuffer of nothing, or a function of the user's own that returns
// such a literal.
func (o *owner) made(e ast.Expr) bool {
	switch e := ast.Unparen(addressed(e)).(type) {
	case *ast.CompositeLit:
		return !slices.ContainsFunc(e.Elts, func(x ast.Expr) bool {
			if kv, ok := x.(*ast.KeyValueExpr); ok {
				x = kv.Value
			}
			return isBuffer(o.pkg.TypeOf(x)) && !o.made(x)
		})
	case *ast.CallExpr:
		if o.pkg.Builtin(e) == "new" {
			return true
		}
		if o.pkg.Called(e) == "bytes.NewBuffer" && len(e.Args) == 1 {
			return o.pkg.Info.Types[e.Args[0]].IsNil()
		}
		to := o.pkg.Reached(e)
		if to == nil || len(to.Decl.Body.List) != 1 {
			return false
		}
		st, ok := to.Decl.Body.List[0].(*ast.ReturnStmt)
		if !ok || len(st.Results) != 1 {
			return false
		}
		_, lit := ast.Unparen(addressed(st.Results[0])).(*ast.CompositeLit)
		return lit && (&owner{pkg: to.Package}).made(st.Results[0])
	}
	return false
}
