package repeatedresult

import (
	"go/ast"
	"slices"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/diagnose/purity"
	"whet/internal/diagnose/syntax"
	"whet/internal/symbolname"
	"whet/internal/typed"
)

// result is a statement that computes one.
type result struct {
	diagnose.Statement
	function string // that the statement is in
	callee   string // that computes it
	args     []string
	text     bool // an argument is one, or is known to hold one
	// out: it does not qualify for all samples alike.
	out     bool
	below   map[string]bool // functions that were seen below it
	own     map[string]bool // those of them that are the user's
	through diagnose.Set    // all samples through the call
	cpu     diagnose.Set    // those that no outer result takes
	mem     diagnose.Set
}

// key is a statement and the function that it is seen to call.
type key struct {
	file   string
	line   int
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
			r.below[f.s.CPU.Frame(id).Function] = true
			if f.s.Own(f.s.CPU.Frame(id)) {
				r.own[f.s.CPU.Frame(id).Function] = true
			}
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

// outermost returns the first that qualifies.
func (f *finder) outermost(steps []step) *result {
	for _, r := range steps {
		if !r.out {
			return r.result
		}
	}
	return nil
}

// result judges a statement by its source, once.
func (f *finder) result(st diagnose.Statement, function, callee string) *result {
	k := key{st.File, st.First, callee}
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
	call, ok := ast.Unparen(assign.Rhs[0]).(*ast.CallExpr)
	name, isName := assign.Lhs[0].(*ast.Ident)
	if !ok || !isName || name.Name == "_" {
		return nil
	}
	typed := f.typed(st, callee)
	if typed == nil {
		return nil
	}
	r := &result{Statement: st, callee: callee, below: make(map[string]bool), own: make(map[string]bool)}
	if !r.arguments(f.s, typed) || !f.judge.Pure(callee, true) {
		return nil
	}
	fn := syntax.New(st.Func)
	if slices.ContainsFunc(call.Args, func(arg ast.Expr) bool { return isInput(fn, arg) }) {
		return nil
	}
	kind := f.returns(callee)
	if kind == unknown {
		return nil
	}
	d, ok := declared(fn, assign, name)
	u := &use{s: f.s, judge: f.judge, kind: kind}
	if !ok || !u.onlyRead(st.File, fn, d) || missed(fn, assign, call) {
		return nil
	}
	return r
}

// typed returns the statement's one call of a function, which may be known by an
// interface's method.
func (f *finder) typed(st diagnose.Statement, callee string) *typed.Call {
	calls, _ := f.s.StatementCalls(st)
	var found *typed.Call
	for i := range calls {
		if calls[i].Callee == callee || symbolname.Parse(calls[i].Callee).Receiver != "" && symbolname.Parse(calls[i].Callee).Name == symbolname.Parse(callee).Name {
			if found != nil {
				return nil
			}
			found = &calls[i]
		}
	}
	return found
}

// arguments reports whether they can be a key: all of them plain, but for a
// context, and not all of them the same in every call.
func (r *result) arguments(s *diagnose.Subject, c *typed.Call) bool {
	if len(c.Plain) != len(c.Args) {
		return false
	}
	varies := false
	for i, t := range c.Args {
		if t == "context.Context" {
			continue
		}
		if !c.Plain[i] {
			return false
		}
		varies = varies || i >= len(c.Fixed) || !c.Fixed[i].Always()
		r.args = append(r.args, t[strings.LastIndexByte(t, '/')+1:])
		r.text = r.text || holdsText(s, t)
	}
	return varies
}

// holdsText reports whether a plain type is a string or holds one: of a struct,
// as far as its declaration is at hand.
func holdsText(s *diagnose.Subject, t string) bool {
	t = t[strings.LastIndexByte(t, ']')+1:]
	if !strings.Contains(t, ".") {
		return t == "string" || strings.Contains(t, "{")
	}
	dot := strings.LastIndexByte(t, '.')
	fields := s.StructNamed(t[:dot], t[dot+1:])
	if fields == nil {
		return false
	}
	found := false
	ast.Inspect(fields, func(n ast.Node) bool {
		if field, ok := n.(*ast.Field); ok {
			id, basic := inner(field.Type).(*ast.Ident)
			found = found || !basic || !syntax.IsNumber(id.Name)
		}
		return !found
	})
	return found
}

// inner is the element of an array's type, or the type itself.
func inner(t ast.Expr) ast.Expr {
	for {
		a, ok := t.(*ast.ArrayType)
		if !ok {
			return t
		}
		t = a.Elt
	}
}

// pure reports whether a result depends on its arguments alone as far as the
// profile shows: nothing below asks for anything else, and the source of what is
// the user's own was judged, or is now.
func (f *finder) pure(r *result) bool {
	for fn := range r.below {
		if !purity.OfItsArguments(fn) {
			return false
		}
	}
	looked := f.judge.Follows(r.callee)
	for fn := range r.own {
		if !looked(fn) && !f.judge.Pure(fn, false) {
			return false
		}
	}
	return true
}
