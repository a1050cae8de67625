package explain

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/analyze/places"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/quantity"
	"whet/internal/typed"
)

// taking returns the work of taking memory: the allocator's, the clearing that it asks for,
// and what it does of the collector's.
func (v *account) taking() *diagnose.Sets {
	sum := new(diagnose.Sets)
	for _, kind := range []places.Kind{places.Allocation, places.Cleared, places.Assist} {
		if of := v.kinds[kind]; of != nil {
			sum.Join(&diagnose.Sets{CPU: of.CPU})
		}
	}
	sum.Join(&diagnose.Sets{Allocs: v.Cost.Allocs})
	return sum
}

// leastBytes is the part of the base's bytes that a place takes at least.
const leastBytes = 0.2

// blocks returns the number of blocks of samples.
func (v *account) blocks(of *diagnose.Set) (n int64) {
	v.EachBlock(of, func(_ int, objects, _ int64) { n += objects })
	return n
}

// often reports whether a place takes memory again and again, and enough of it to be a
// cause.
func (v *account) often(of *diagnose.Sets) bool {
	return v.matters(of, leastShare) && v.AllocShare(of.Allocs.Keep()) >= leastBytes && v.MadeInCalls(v.blocks(&of.Allocs))
}

// perCall says how much memory an iteration takes: ", 96 B in 2 blocks an iteration".
func (v *account) perCall(of *diagnose.Sets) string {
	bytes, perOp := v.AllocBytes(of.Allocs.Keep())
	if perOp <= 0 || bytes <= 0 {
		return ""
	}
	n := float64(v.blocks(&of.Allocs)) / float64(v.AllocIterations)
	return fmt.Sprintf(", %s in %s for each %s", quantity.Bytes(perOp), countOf(n), v.Iteration())
}

func countOf(n float64) string {
	if text := quantity.Count(n); text != "1" {
		return text + " blocks"
	}
	return "1 block"
}

// stepGrowth is about what grows by appending or writing, step by step.
func stepGrowth(s *diagnose.Subject, at *diagnose.Spot) diagnose.Judgement {
	v := look(s, at)
	j := v.handedOn()
	if j.Claim != nil {
		return j
	}
	grows, most := v.below(func(fn string) bool {
		return fn == "runtime.growslice" || strings.HasPrefix(fn, "strings.(*Builder).") || strings.HasPrefix(fn, "bytes.(*Buffer).") || strings.HasPrefix(fn, "slices.Grow")
	})
	if most == "" || !v.matters(grows, leastShare) {
		return j
	}
	line := v.heaviest(&diagnose.Sets{CPU: grows.CPU})
	grows.Join(&diagnose.Sets{Allocs: v.lines[line].Allocs})
	outgrown, share, ok := v.Outgrown(&grows.Allocs)
	if !ok || share < mostOf || !v.often(grows) {
		return j
	}
	bytes, _ := v.AllocBytes(outgrown.Keep())
	all, _ := v.AllocBytes(grows.Allocs.Keep())
	why := fmt.Sprintf("The destination grows step by step, and growing takes %s%s: %s of its bytes are in blocks that were outgrown.",
		v.percent(grows), v.perCall(grows), quantity.Percent(float64(bytes)/float64(max(all, 1))))
	if v.ofCaller(line) {
		return diagnose.Judgement{Cause: why}
	}
	return diagnose.Judgement{Cause: why, Claim: v.claim(grows, why,
		"Allocate it with its length, as far as it is known or bounded there (the sum of the parts' lengths, the number of the items, the last call's length): make([]T, 0, n), Grow(n). Or reuse the memory in the next call: s = s[:0], Reset.")}
}

// ofCaller reports whether what a line appends to is handed in to an exported function:
// how long it is, its caller decides.
func (v *account) ofCaller(line int) (found bool) {
	for _, call := range v.Sites(v.Statement(v.File, line)) {
		if v.decl != nil && v.decl.Name.IsExported() && call.In.Builtin(call.CallExpr) == "append" && len(call.Args) > 0 {
			to := call.In.Var(call.Args[0])
			found = found || to != nil && call.In.Parameter(to) >= 0
		}
	}
	return found
}

// calledByOwn reports whether most of a place's time is below calls by the user's own
// code: a function that only tests and benchmarks call is what they are about.
func (v *account) calledByOwn() bool {
	by := new(diagnose.Sets)
	v.EachSample(func(c *hot.Classified, sample *callstack.Stacks, stack []callstack.FrameID) {
		if c != v.CPU || !v.Cost.CPU.Has(sample.Index()) {
			return
		}
		if f := v.caller(c, stack); f != nil && !v.OfTest(f.File, f.Line) {
			by.CPU.Add(sample.Index())
		}
	})
	return v.share(by) >= v.all()/2
}

// valueCloned is about functions that return a copy of what they are given.
func valueCloned(s *diagnose.Subject, at *diagnose.Spot) (j diagnose.Judgement) {
	v := look(s, at)
	if v.pkg == nil || v.decl == nil {
		return j
	}
	sets := v.taking()
	if moved := v.kinds[places.Moved]; moved != nil {
		sets.Join(&diagnose.Sets{CPU: moved.CPU})
	}
	if m := v.kinds[places.Map]; m != nil {
		sets.Join(&diagnose.Sets{CPU: m.CPU})
	}
	if !v.often(sets) {
		return j
	}
	of, added := copied(v.pkg, v.decl), false
	if of == "" {
		of, added = v.copiedByLoop()
	}
	if of == "" {
		return j
	}
	if added {
		sets = v.onLines(v.pkg, v.decl)
		why := fmt.Sprintf("%s copies all of %s to add to it, so that the copying in n successive calls grows with n²: %s%s.", v.decl.Name.Name, of, v.percent(sets), v.perCall(sets))
		return diagnose.Judgement{Cause: why, Claim: v.claim(sets, why,
			"Keep additions apart from the existing data: as a link to the previous value, which a lookup follows from the newest to the oldest. To add many at once, let one call take them all, and copy once.")}
	}
	why := fmt.Sprintf("%s copies all of %s, which takes %s%s.", v.decl.Name.Name, of, v.percent(sets), v.perCall(sets))
	if !v.calledByOwn() {
		return diagnose.Judgement{Cause: why}
	}
	return diagnose.Judgement{Cause: why, Claim: v.claim(sets, why,
		"Copy only the parts that will be changed, and only then; share the rest, which nobody writes. If the caller drops the original, let it pass that on; if it only reads, give it no copy.")}
}

// copiedByLoop names the collection, kept by a receiver or handed in, that a loop at the
// place puts into a new one of its type, element by element and unchanged; "" where it does
// not. added tells whether the function sets an element of the new one after that, and
// returns it or what it is a part of.
func (v *account) copiedByLoop() (name string, added bool) {
	var of, copy ast.Expr
	var after token.Pos
	ast.Inspect(v.decl.Body, func(n ast.Node) bool {
		loop, ok := n.(*ast.RangeStmt)
		if !ok || of != nil || len(loop.Body.List) != 1 {
			return of == nil
		}
		st, ok := loop.Body.List[0].(*ast.AssignStmt)
		if !ok || len(st.Lhs) != 1 || len(st.Rhs) != 1 {
			return true
		}
		element := v.pkg.Var(loop.Value)
		to, value := st.Lhs[0], st.Rhs[0]
		if call, ok := value.(*ast.CallExpr); ok && v.pkg.Builtin(call) == "append" && len(call.Args) == 2 {
			value = call.Args[1]
		} else if at, ok := to.(*ast.IndexExpr); ok {
			to = at.X
		} else {
			return true
		}
		from, into := v.pkg.TypeOf(loop.X), v.pkg.TypeOf(to)
		if element == nil || v.pkg.Var(value) != element || from == nil || into == nil || !types.Identical(from.Underlying(), into.Underlying()) {
			return true
		}
		if parameter, _ := v.pkg.Named(v.pkg.Var(v.pkg.Base(loop.X))); parameter {
			of, copy, after = loop.X, to, loop.End()
		}
		return of == nil
	})
	if of == nil {
		return "", false
	}
	sets, returns := false, false
	ast.Inspect(v.decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			at, ok := ast.Unparen(n.Lhs[0]).(*ast.IndexExpr)
			sets = sets || ok && n.Pos() > after && len(n.Lhs) == 1 && typed.Same(at.X, copy)
		case *ast.ReturnStmt:
			returns = returns || n.Pos() > after && slices.ContainsFunc(n.Results, func(e ast.Expr) bool {
				return v.pkg.UsedIn(e, v.pkg.Var(v.pkg.Base(copy)))
			})
		}
		return true
	})
	return types.ExprString(of), sets && returns
}

// copied names the parameter or receiver that a function returns a copy of; "" where
// it does none.
func copied(p *typed.Package, d *ast.FuncDecl) string {
	fn := p.Func(d)
	if fn == nil || fn.Signature().Results().Len() == 0 {
		return ""
	}
	to := fn.Signature().Results().At(0).Type()
	from := []*types.Var{fn.Signature().Recv()}
	for v := range fn.Signature().Params().Variables() {
		from = append(from, v)
	}
	for _, v := range from {
		if v == nil || !types.Identical(v.Type(), to) {
			continue
		}
		switch v.Type().Underlying().(type) {
		case *types.Slice, *types.Map, *types.Pointer, *types.Interface:
		default:
			continue
		}
		if copies(p, d, v) {
			return v.Name()
		}
	}
	return ""
}

// copies reports whether a function goes over a value, or takes all of it, and makes
// something of its type.
func copies(p *typed.Package, d *ast.FuncDecl, v *types.Var) (found bool) {
	makes, reads := false, false
	of := func(e ast.Expr) bool {
		e = ast.Unparen(e)
		if star, ok := e.(*ast.StarExpr); ok {
			e = star.X
		}
		return e != nil && p.Var(e) == v
	}
	// A type switch gives the value a name for each type.
	names := make(map[types.Object]bool)
	ast.Inspect(d.Body, func(n ast.Node) bool {
		if sw, ok := n.(*ast.TypeSwitchStmt); ok {
			if set, ok := sw.Assign.(*ast.AssignStmt); ok {
				if x, ok := set.Rhs[0].(*ast.TypeAssertExpr); ok && of(x.X) {
					for _, c := range sw.Body.List {
						if obj := p.Info.Implicits[c]; obj != nil {
							names[obj] = true
						}
					}
				}
			}
		}
		return true
	})
	is := func(e ast.Expr) bool { return of(e) || names[p.Object(ast.Unparen(e))] }
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.RangeStmt:
			reads = reads || is(n.X)
		case *ast.CallExpr:
			switch name := p.Builtin(n); {
			case name == "make" || name == "new":
				makes = true
			case name == "copy" && len(n.Args) == 2:
				reads = reads || is(n.Args[1])
			case name == "append" && n.Ellipsis.IsValid() && len(n.Args) > 0:
				reads, makes = reads || is(n.Args[len(n.Args)-1]), makes || !is(n.Args[0])
			case slices.Contains([]string{"slices.Clone", "maps.Clone", "bytes.Clone"}, p.Called(n)) && len(n.Args) == 1:
				found = found || is(n.Args[0])
			}
		case *ast.UnaryExpr:
			_, lit := n.X.(*ast.CompositeLit)
			makes = makes || n.Op == token.AND && lit
		case *ast.AssignStmt:
			reads = reads || slices.ContainsFunc(n.Rhs, func(e ast.Expr) bool {
				star, ok := ast.Unparen(e).(*ast.StarExpr)
				return ok && is(star.X)
			})
		}
		return true
	})
	return found || makes && reads
}

// memoryPerCall is about what is made anew in each call.
func memoryPerCall(s *diagnose.Subject, at *diagnose.Spot) (j diagnose.Judgement) {
	v := look(s, at)
	sets := v.taking()
	if !v.often(sets) {
		return j
	}
	line := v.heaviest(&diagnose.Sets{Allocs: sets.Allocs})
	what, e := v.made(line)
	j.Cause = fmt.Sprintf("Allocation takes %s there%s%s.", v.percent(sets), v.perCall(sets), what)
	if e == nil {
		return j
	}
	more := v.said(line, func(text string) bool {
		return strings.HasSuffix(text, " escapes to heap") || strings.HasPrefix(text, "moved to heap: ")
	})
	remedy := v.remedy(e)
	if len(more) == 0 || remedy == "" {
		return j
	}
	j.Claim = v.claim(sets, j.Cause, remedy, more[:1]...)
	return j
}

// made returns the expression of a line that takes memory, where there is one, and a
// clause that says what it is.
func (v *account) made(line int) (what string, made ast.Expr) {
	if v.pkg == nil || v.decl == nil {
		return "", nil
	}
	ast.Inspect(v.decl, func(n ast.Node) bool {
		if n == nil || made != nil {
			return false
		}
		e, ok := n.(ast.Expr)
		if !ok || v.LineAt(n.Pos()) != line {
			return true
		}
		switch e := e.(type) {
		case *ast.CallExpr:
			if name := v.pkg.Builtin(e); name == "make" || name == "new" {
				made = e
			}
		case *ast.UnaryExpr:
			if _, lit := ast.Unparen(e.X).(*ast.CompositeLit); lit && e.Op == token.AND {
				made = e
			}
		case *ast.CompositeLit:
			_, slice := typed.Under[*types.Slice](v.pkg.TypeOf(e))
			_, table := typed.Under[*types.Map](v.pkg.TypeOf(e))
			if slice || table {
				made = e
			}
		case *ast.FuncLit:
			made = e
		}
		return made == nil
	})
	if made == nil {
		return "", nil
	}
	if _, lit := made.(*ast.FuncLit); lit {
		return ": a function value is allocated " + v.when(made), made
	}
	t := v.pkg.TypeOf(made)
	return fmt.Sprintf(": a %s is allocated %s", types.TypeString(t, types.RelativeTo(v.pkg.Types)), v.when(made)), made
}

// when says when an expression of the place is evaluated.
func (v *account) when(e ast.Expr) string {
	if branch(v.pkg, e) == nil {
		return "in each call"
	}
	return "each time its branch is taken"
}

// branch returns what decides whether a call evaluates an expression, the innermost; nil
// where each call does, but for those that return before.
func branch(p *typed.Package, e ast.Expr) ast.Node {
	var in ast.Node = e
	for outer := p.Parent(in); outer != nil; in, outer = outer, p.Parent(outer) {
		switch outer := outer.(type) {
		case *ast.FuncLit:
			return nil // its calls
		case *ast.IfStmt:
			if in == outer.Body || in == outer.Else {
				return outer
			}
		case *ast.CaseClause, *ast.CommClause:
			return outer
		case *ast.BinaryExpr:
			if (outer.Op == token.LAND || outer.Op == token.LOR) && in == outer.Y {
				return outer
			}
		}
	}
	return nil
}

// remedy returns what takes an allocation away, by where the value goes; "" where it has to
// be new: an exported function returns it, or something keeps it.
func (v *account) remedy(e ast.Expr) string {
	p := v.pkg
	_, lit := e.(*ast.FuncLit)
	const again = "Reuse one between calls: keep it " + diagnose.Anywhere + ", and reset it."
	if lit {
		return "Let a method, or a function that takes the captured variables as arguments, do its work; or make it once and keep it."
	}
	if v.OfParameter(p.TypeOf(e), diagnose.Location{File: v.File, Line: v.LineAt(e.Pos())}) {
		return ""
	}
	var of *types.Var
	switch around := p.Parent(e).(type) {
	case *ast.ReturnStmt:
		return v.returned()
	case *ast.CallExpr:
		if p.Builtin(around) == "append" || !v.maySpare(e) {
			return ""
		}
		return again
	case *ast.AssignStmt, *ast.ValueSpec:
		to, values := typed.Sides(around)
		i := slices.Index(values, e)
		if i < 0 || len(to) != len(values) {
			return ""
		}
		of = p.Var(to[i])
		if _, name := to[i].(*ast.Ident); !name {
			return ""
		}
		// What a branch makes for a variable from before it may be made only where
		// that is too small.
		if in := branch(v.pkg, e); in != nil && of != nil && of.Pos() < in.Pos() {
			return ""
		}
	}
	if of == nil || typed.Global(of) {
		return ""
	}
	for _, id := range p.Uses(of) {
		use := ast.Expr(id)
		for part, ok := p.Parent(use).(*ast.SliceExpr); ok && part.X == use; part, ok = p.Parent(use).(*ast.SliceExpr) {
			use = part // it is the same memory
		}
		switch around := p.Parent(use).(type) {
		case *ast.ReturnStmt:
			return v.returned()
		case *ast.AssignStmt:
			if i := slices.Index(around.Rhs, use); i >= 0 {
				return ""
			}
		case *ast.KeyValueExpr, *ast.CompositeLit, *ast.SendStmt:
			return ""
		case *ast.CallExpr:
			if p.Builtin(around) == "append" && len(around.Args) > 0 && around.Args[0] != use {
				return ""
			}
		}
	}
	if !v.maySpare(e) {
		return ""
	}
	return again
}

// maySpare reports whether a value may not be needed after the call: an object whose
// address is handed on may be kept by what takes it, and has to end in the function.
func (v *account) maySpare(e ast.Expr) bool {
	if _, to := typed.Under[*types.Pointer](v.pkg.TypeOf(e)); !to {
		return true
	}
	ends, followed := v.pkg.ValueEnds(e)
	return ends && followed
}

func (v *account) returned() string {
	if v.decl.Name.IsExported() {
		return ""
	}
	return "Let the caller pass memory that it reuses: a slice to append to, a pointer to a value to fill. Return a small struct as a value, not its address."
}
