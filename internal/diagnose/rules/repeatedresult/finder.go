package repeatedresult

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/diagnose/purity"
	"whet/internal/symbolname"
	"whet/internal/typed"
)

// result is a statement that computes one.
type result struct {
	diagnose.Statement
	function string // that the statement is in
	callee   string // that computes it
	args     []string
	text     bool // an argument is one, or holds one
	// out: it does not qualify for all samples alike.
	out           bool
	below         map[string]bool // functions that were seen below it; true: the user's
	through       diagnose.Set    // all samples through the call
	diagnose.Sets                 // those that no outer result takes
}

// key is a statement and the function that it is seen to call.
type key struct {
	at     diagnose.SourceLine
	callee string
}

type finder struct {
	s     *diagnose.Subject
	judge *purity.Judge
	at    map[key]*result // nil: none
	order []*result
}

// step is a result on a stack, at the index of its statement's frame.
type step struct {
	*result
	at int
}

// pass enters a CPU sample.
func (f *finder) pass(sample *callstack.Stacks, stack []callstack.FrameID) {
	for _, r := range f.onStack(f.s.CPU, stack) {
		r.through.Add(sample.Index())
		for _, id := range stack[:r.at-1] {
			frame := f.s.CPU.Frame(id)
			r.below[frame.Function] = f.s.Own(frame)
		}
	}
}

// onStack returns the results on a stack, the outermost first. Behind a frame in
// a loop there are none: how often they are computed is not known.
func (f *finder) onStack(c *hot.Classified, stack []callstack.FrameID) (out []step) {
	var seen []string
	for at := len(stack) - 1; at > 0; at-- {
		frame := c.Frame(stack[at])
		if !f.s.Own(frame) || f.s.Loops.InBenchmark(frame.File, frame.Line) {
			continue
		}
		callee := c.Frame(stack[at-1])
		st := f.s.StatementOf(frame, callee.Function)
		if st.Known && st.Loop != nil || slices.Contains(seen, frame.Function) {
			break
		}
		seen = append(seen, frame.Function)
		if !f.s.Own(callee) || strings.HasSuffix(frame.File, "_test.go") {
			continue
		}
		if r := f.result(st, frame.Function, callee.Function); r != nil {
			out = append(out, step{r, at})
		}
	}
	return out
}

// result judges a statement by its source, once.
func (f *finder) result(st diagnose.Statement, function, callee string) *result {
	k := key{st.At(), callee}
	r, known := f.at[k]
	if !known {
		if r = f.read(st, callee); r != nil {
			r.function = function
			f.order = append(f.order, r)
		}
		f.at[k] = r
	}
	return r
}

// read returns the result that a statement computes by calling a function; nil
// where it is none, or may not be kept.
func (f *finder) read(st diagnose.Statement, callee string) *result {
	assign, ok := st.Node.(*ast.AssignStmt)
	if !ok || len(assign.Rhs) != 1 {
		return nil
	}
	// The call may be known by an interface's method.
	calls := slices.DeleteFunc(f.s.Sites(st), func(c typed.Site) bool {
		by := symbolname.Parse(c.Callee())
		return c.Callee() != callee && (by.Receiver == "" || by.Name != symbolname.Parse(callee).Name)
	})
	if len(calls) != 1 || calls[0].CallExpr != ast.Unparen(assign.Rhs[0]) {
		return nil
	}
	call, fn := calls[0], f.s.FunctionOf(callee)
	r := &result{Statement: st, callee: callee, below: make(map[string]bool)}
	v := call.In.Var(assign.Lhs[0])
	if v == nil || v.Name() == "_" || typed.Global(v) || !r.arguments(call) || !f.judge.Pure(callee, true) || fn.Object.Signature().Results().Len() == 0 {
		return nil
	}
	u := &use{Package: call.In, judge: f.judge, kind: returned(fn.Object.Signature().Results().At(0).Type())}
	if u.kind == unknown || !u.onlyRead(v) || missed(assign, call) {
		return nil
	}
	return r
}

// arguments reports whether they can be a key: all of them plain, but for a
// context, and not all of them the same in every call, nor the whole of what was
// read.
func (r *result) arguments(c typed.Site) bool {
	varies := false
	for i, arg := range c.Args {
		t := c.In.TypeOf(arg)
		name := types.TypeString(t, func(p *types.Package) string { return p.Path() })
		if name == "context.Context" {
			continue
		}
		if !typed.Plain(t) || isInput(c.In, arg, 8) {
			return false
		}
		varies = varies || !c.FixedAt(i).Always()
		r.args = append(r.args, name[strings.LastIndexByte(name, '/')+1:])
		r.text = r.text || holdsText(t)
	}
	return varies
}

// holdsText reports whether a plain type is a string or holds one.
func holdsText(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Array:
		return holdsText(t.Elem())
	case *types.Struct:
		return slices.ContainsFunc(slices.Collect(t.Fields()), func(f *types.Var) bool { return holdsText(f.Type()) })
	}
	return typed.IsString(t)
}

// pure reports whether a result depends on its arguments alone as far as the
// profile shows: nothing below asks for anything else, and the source of what is
// the user's own was judged, or is now.
func (f *finder) pure(r *result) bool {
	looked := f.judge.Follows(r.callee)
	for fn, own := range r.below {
		if !purity.OfItsArguments(fn) || own && !looked(fn) && !f.judge.Pure(fn, false) {
			return false
		}
	}
	return true
}
