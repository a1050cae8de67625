package explain

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/symbolname"
	"whet/internal/typed"
)

// operation is a call in the user's own code that a place's cost comes through: at the
// place's own line, or on the way to it.
type operation struct {
	pkg    *typed.Package
	call   *ast.CallExpr
	decl   *ast.FuncDecl // around it
	frame  callstack.Frame
	callee string         // as frames have it
	of     *diagnose.Sets // all samples of the base below it, the place's and others
	part   float64        // of the place's samples
	depth  int            // calls between it and the place's line, at least
}

// leastPart is what a call takes of a place's samples at least to be one of its
// operations.
const leastPart = 0.1

// operations returns the calls that a part of the place's cost comes through, those nearest
// to its line first.
func (v *account) operations() []*operation {
	type key struct{ at *diagnose.Spot }
	return diagnose.Once(v.Subject, key{v.Spot}, func(*diagnose.Subject) []*operation { return v.calling() })
}

func (v *account) calling() (out []*operation) {
	type step struct {
		line   diagnose.SourceLine
		callee string
	}
	type through struct {
		frame callstack.Frame
		depth int
		here  diagnose.Sets
	}
	steps := make(map[step]*through)
	v.EachSample(func(c *hot.Classified, sample *callstack.Stacks, stack []callstack.FrameID) {
		if !v.Cost.Of(v.Subject, c).Has(sample.Index()) {
			return
		}
		by, depth := "", 0
		for _, id := range stack {
			f := c.Frame(id)
			if v.Own(f) && !v.OfTest(f.File, f.Line) {
				if by != "" {
					k := step{diagnose.SourceLine{File: f.File, Line: f.Line}, by}
					if steps[k] == nil {
						steps[k] = &through{frame: *f, depth: depth}
					}
					steps[k].depth = min(steps[k].depth, depth)
					steps[k].here.Of(v.Subject, c).Add(sample.Index())
				}
				depth++
			}
			by = f.Function
		}
	})
	for k, t := range steps {
		part := v.partOf(&t.here)
		if part < leastPart {
			continue
		}
		pkg, call := v.site(&t.frame, k.callee)
		if call == nil {
			continue
		}
		o := &operation{pkg: pkg, call: call, frame: t.frame, callee: k.callee, of: v.Costs()[k.line.File][k.line.Line][k.callee], part: part, depth: t.depth}
		o.decl, _ = pkg.Declaration(call.Pos()).(*ast.FuncDecl)
		if o.decl != nil && o.of != nil {
			out = append(out, o)
		}
	}
	slices.SortFunc(out, func(a, b *operation) int {
		return cmp.Or(cmp.Compare(a.depth, b.depth), cmp.Compare(b.part, a.part), cmp.Compare(a.frame.File, b.frame.File), cmp.Compare(a.call.Pos(), b.call.Pos()))
	})
	return out
}

// partOf returns what samples are of the place, of its time or of its bytes.
func (v *account) partOf(of *diagnose.Sets) float64 {
	if all := v.all(); all > 0 {
		return v.share(of) / all
	}
	if all := v.AllocShare(v.Cost.Allocs.Keep()); all > 0 {
		return v.AllocShare(of.Allocs.Keep()) / all
	}
	return 0
}

// site returns the call of a function at a frame, as the source has it; of several that are
// written alike the first.
func (v *account) site(f *callstack.Frame, callee string) (*typed.Package, *ast.CallExpr) {
	name := symbolname.Parse(callee).Name
	for _, exact := range []bool{true, false} {
		for _, site := range v.Sites(v.StatementOf(f, callee)) {
			if called := site.Callee(); called == callee || !exact && called != "" && symbolname.Parse(called).Name == name {
				return site.In, site.CallExpr
			}
		}
	}
	return nil, nil
}

// claimOf claims samples of an operation, where it stands.
func (v *account) claimOf(o *operation, of *diagnose.Sets, why, remedy string) *diagnose.Claim {
	return v.claimAt(o.frame.File, o.frame.Line, v.functionOf(o), of, why, remedy)
}

// functionOf returns the declared function around an operation, as the linker names it.
func (v *account) functionOf(o *operation) string {
	return symbolname.Elide(symbolname.Parse(o.frame.Function).Declared())
}

// loop returns the innermost loop around an operation; nil where there is none.
func (v *account) loop(o *operation) ast.Node {
	for around := range o.pkg.Repeats(o.call) {
		if _, literal := around.(*ast.FuncLit); literal {
			return nil
		}
		return around
	}
	return nil
}

// use is what becomes of a value at one place that sees it.
type use uint8

const (
	otherUse use = iota
	compared     // with ==, <, or by a function that compares
	measured     // by len
	first        // its first element, or whether there is one
	ranged       // gone over
	keyed        // a key is looked up
	key          // it is a key
	written      // to a writer or a buffer, or appended
	returned
)

// uses returns what becomes of a call's first result; nil where that does not show.
func (o *operation) uses() (out []use) {
	for _, e := range o.pkg.Results(o.call) {
		out = append(out, useOf(o.pkg, e))
	}
	return out
}

// comparing and writing are functions that do no more with what they are given, by name.
var (
	comparing = []string{"Equal", "EqualFold", "Compare", "DeepEqual", "HasPrefix", "HasSuffix", "Contains"}
	writing   = []string{"Write", "WriteString", "Fprint", "Fprintf", "Fprintln", "append"}
)

func useOf(p *typed.Package, e ast.Expr) use {
	switch around := p.Parent(e).(type) {
	case *ast.ParenExpr:
		return useOf(p, around)
	case *ast.ReturnStmt:
		return returned
	case *ast.BinaryExpr:
		switch around.Op {
		case token.EQL, token.NEQ, token.LSS, token.GTR, token.LEQ, token.GEQ:
			return compared
		}
	case *ast.SwitchStmt:
		return compared
	case *ast.RangeStmt:
		switch {
		case around.X != e:
		case leaves(around.Body):
			return first
		default:
			return ranged
		}
	case *ast.IndexExpr:
		if around.X != e {
			if _, table := typed.Under[*types.Map](p.TypeOf(around.X)); table {
				return key
			}
			break
		}
		if _, table := typed.Under[*types.Map](p.TypeOf(e)); table {
			return keyed
		}
		if v := p.Info.Types[around.Index].Value; v != nil && v.String() == "0" {
			return first
		}
	case *ast.CallExpr:
		switch name := p.Builtin(around); {
		case name == "len":
			return measured
		case name == "append":
			return written
		case name != "":
			return otherUse
		}
		if x, _ := p.Conversion(around); x != nil {
			return useOf(p, around)
		}
		if fn := p.Function(around); fn != nil && slices.Contains(around.Args, e) {
			switch {
			case slices.Contains(comparing, fn.Name()):
				return compared
			case slices.Contains(writing, fn.Name()):
				return written
			}
		}
	}
	return otherUse
}

// leaves reports whether the first round of a loop is its last.
func leaves(body *ast.BlockStmt) bool {
	goesOn := false
	ast.Inspect(body, func(n ast.Node) bool {
		st, ok := n.(*ast.BranchStmt)
		goesOn = goesOn || ok && st.Tok == token.CONTINUE
		return !goesOn
	})
	if len(body.List) == 0 || goesOn {
		return false
	}
	switch last := body.List[len(body.List)-1].(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return last.Tok == token.BREAK && last.Label == nil
	}
	return false
}

// only reports whether all of some uses, of which there is one at least, are of some
// kinds, and one is of the first of these.
func only(uses []use, must use, others ...use) bool {
	return slices.Contains(uses, must) && !slices.ContainsFunc(uses, func(u use) bool { return u != must && !slices.Contains(others, u) })
}
