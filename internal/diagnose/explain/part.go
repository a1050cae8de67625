package explain

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"whet/internal/diagnose"
	"whet/internal/quantity"
	"whet/internal/symbolname"
	"whet/internal/typed"
)

// firstAlone is about a function of the user's own that makes all of a list, of which the
// caller takes the first element.
func firstAlone(v *account, o *operation) (r reading) {
	if typed.Element(result(o)) == nil || v.FunctionOf(o.callee) == nil || !only(o.uses(), first, measured, compared) {
		return r
	}
	for _, e := range o.pkg.Results(o.call) { // len asks for more than whether there is one
		if useOf(o.pkg, e) == measured && !againstZero(o.pkg, e) {
			return r
		}
	}
	r.of = o.of
	r.why = fmt.Sprintf("%s makes a whole list, and %s uses only its first element: making the list takes %s.", symbolname.Short(o.callee), o.decl.Name.Name, v.percent(r.of))
	r.remedy = fmt.Sprintf("Stop at the first: add a variant of %s that returns it as soon as it is found, or an iterator that the caller can leave.", symbolname.Short(o.callee))
	return r
}

// againstZero reports whether the length of an expression is compared with 0.
func againstZero(p *typed.Package, e ast.Expr) bool {
	around, ok := p.Parent(p.Parent(e)).(*ast.BinaryExpr)
	if !ok {
		return false
	}
	value := p.Info.Types[around.Y].Value
	return value != nil && value.String() == "0"
}

// result returns the type of a call's first result, nil where it has none.
func result(o *operation) types.Type {
	t := o.pkg.TypeOf(o.call)
	if tuple, ok := t.(*types.Tuple); ok {
		if tuple.Len() == 0 {
			return nil
		}
		return tuple.At(0).Type()
	}
	return t
}

// seldom is how many times as many samples work must hold as what needs it.
const seldom = 20

// unread is about work whose result is put into a field that next to nothing reads while
// the program runs.
func unread(v *account, o *operation) (r reading) {
	field := o.keptIn()
	if field == nil || field.Exported() || field.Pkg() != o.pkg.Types {
		return r
	}
	readers := make(map[ast.Node]bool)
	for _, use := range o.pkg.Uses(field) {
		d, ok := o.pkg.Declaration(use.Pos()).(*ast.FuncDecl)
		kv, _ := o.pkg.Parent(use).(*ast.KeyValueExpr)
		switch {
		case v.inTest(o.pkg, use):
		case kv != nil && kv.Key == use || o.pkg.Written(o.pkg.Operand(use)) || measuredOnly(o.pkg, use):
		case !ok || d == o.decl && branch(o.pkg, use) == nil:
			return r
		case d == o.decl: // the branch alone: the function itself runs
			readers[use] = true
		default:
			readers[d] = true
		}
	}
	if len(readers) == 0 {
		return r
	}
	read, some := new(diagnose.Sets), ""
	for n := range readers {
		read.Join(v.onLines(o.pkg, n))
		if d, ok := n.(*ast.FuncDecl); ok && (some == "" || d.Name.Name < some) {
			some = d.Name.Name
		}
	}
	if some == "" {
		return r
	}
	if seldom*v.share(read) > v.share(o.of) {
		return r
	}
	r.of = o.of
	r.why = fmt.Sprintf("%s is computed each time for the field %s, but %s and other readers of the field almost never ran: %s of the time here, %s there.",
		shorten(o.call), field.Name(), some, quantity.Percent(v.share(r.of)), quantity.Percent(v.share(read)))
	r.remedy = fmt.Sprintf("If %s is as rarely read in other runs, keep its inputs, and compute it on first use: a flag tells whether it is up to date, and a new input clears the flag.", field.Name())
	return r
}

func measuredOnly(p *typed.Package, use *ast.Ident) bool { return p.Measured(p.Operand(use)) }

// keptIn returns the field that an operation's result is put into, and nothing else sees; nil
// where there is none.
func (o *operation) keptIn() (field *types.Var) {
	seen := o.pkg.Results(o.call)
	if seen == nil { // it is put into something other than a variable
		seen = []ast.Expr{o.call}
	}
	for _, e := range seen {
		var to ast.Expr
		switch around := o.pkg.Parent(e).(type) {
		case *ast.AssignStmt:
			if i := slices.Index(around.Rhs, e); i >= 0 && len(around.Lhs) == len(around.Rhs) && around.Tok == token.ASSIGN {
				to = around.Lhs[i]
			}
		case *ast.KeyValueExpr:
			to = around.Key
		}
		of, ok := o.pkg.Object(to).(*types.Var)
		if to == nil || !ok || !of.IsField() || field != nil && field != of {
			return nil
		}
		field = of
	}
	return field
}

// beforeCheck is about a call whose result a return leaves unused that is nearly always
// taken.
func beforeCheck(v *account, o *operation) (r reading) {
	if o.pkg.Builtin(o.call) != "" || !v.movable(o) {
		return r
	}
	name, exit := v.exit(o.pkg, o.decl, o.call, o.of)
	if name == "" {
		return r
	}
	r.of = o.of
	r.why = fmt.Sprintf("%s is computed for %s before line %d decides whether it is needed, which it hardly ever is: %s.", shorten(o.call), name, exit, v.percent(r.of))
	r.remedy = fmt.Sprintf("Decide first, and compute %s after line %d, where it is used.", name, exit)
	if symbolname.Package(o.pkg.Called(o.call)) == "time" {
		r.why = fmt.Sprintf("%s is made for each wait in line %d, and almost nothing runs after it expired: %s.", name, exit, v.percent(r.of))
		r.remedy = fmt.Sprintf("First try, in a select with a default, whether line %d has to wait, and make %s only then; or keep one timer, and Reset it.", exit, name)
	}
	return r
}

// movable reports whether a call may be made later, or not at all.
func (v *account) movable(o *operation) bool {
	switch name := o.pkg.Called(o.call); {
	case name == "time.NewTimer" || name == "time.After":
		return true
	case o.pkg.Reached(o.call) != nil:
		return v.pure(name, false) || v.judge().Harmless(name)
	}
	return false
}

// madeBeforeCheck is about memory that is taken before a check which nearly always leaves
// it unused.
func madeBeforeCheck(s *diagnose.Subject, at *diagnose.Spot) (j diagnose.Judgement) {
	v := look(s, at)
	if v.pkg == nil || v.decl == nil {
		return j
	}
	all, on := v.taking(), make(map[int]*diagnose.Sets)
	v.EachWork(v.Spot, func(w diagnose.Work) {
		if all.Of(s, w.Of).Has(w.Index) {
			add(s, on, w.Line, w)
		}
	})
	for _, line := range slices.Sorted(maps.Keys(on)) {
		sets := on[line]
		if v.share(sets) < least || !v.MadeInCalls(v.blocks(&sets.Allocs)) {
			continue
		}
		_, e := v.made(line)
		if e == nil {
			continue
		}
		name, exit := v.exit(v.pkg, v.decl, e, &v.Cost)
		if name == "" {
			continue
		}
		j.Cause = fmt.Sprintf("%s is allocated on the heap before line %d decides whether it is needed, and calls that return there leave it to the garbage collector%s.", name, exit, v.perCall(sets))
		j.Claim = v.claim(sets, j.Cause, fmt.Sprintf("Check first, with a value on the stack or with its parts as the key, and make %s only if line %d does not return.", name, exit))
		return j
	}
	return j
}

// exit returns the variable that an expression is the first value of, and the line of an if or
// a select after it that leaves it unused, where next to no sample is in what comes later
// and needs it; "" where there is none.
func (v *account) exit(p *typed.Package, d *ast.FuncDecl, value ast.Expr, work *diagnose.Sets) (name string, line int) {
	st, ok := p.Parent(value).(ast.Stmt)
	if !ok {
		return "", 0
	}
	to, values := typed.Sides(typed.Specification(st))
	if len(to) == 0 || len(values) != 1 || values[0] != value {
		return "", 0
	}
	of := p.Var(to[0])
	if of == nil || typed.Global(of) || p.Definition(of) != to[0] || len(to) > 1 { // an error of the same call decides
		return "", 0
	}
	rest := following(p, st)
	for i, next := range rest {
		switch next := next.(type) {
		case *ast.IfStmt:
			if len(next.Body.List) == 0 || next.Else != nil || p.UsedIn(next.Body, of) || !escapes(next.Body) {
				break
			}
			if !onlyKeys(p, next.Init, of) || !onlyKeys(p, next.Cond, of) || !needs(p, rest[i+1:], of) {
				break
			}
			if v.asksFirst(p, next, value) {
				return "", 0
			}
			if slices.ContainsFunc(rest[:i], func(between ast.Stmt) bool { return disturbs(p, between, value, true) }) || disturbs(p, next.Init, value, false) {
				return "", 0
			}
			// What puts a new value into a table costs no less than the look-up that
			// did not find it.
			later := v.share(v.in(p, rest[i+1:]...))
			if seldom*later <= v.share(work) || looksUp(p, next) && later < v.share(v.in(p, next)) {
				return of.Name(), v.LineAt(next.Pos())
			}
		case *ast.SelectStmt:
			var in []ast.Stmt
			for _, c := range next.Body.List {
				if p.UsedIn(c, of) {
					in = append(in, c)
				}
			}
			if !v.lasting(p, value) {
				return "", 0
			}
			if len(in) == 1 && len(next.Body.List) > 1 && works(in[0].(*ast.CommClause).Body) && seldom*v.share(v.in(p, in[0].(*ast.CommClause).Body...)) <= v.share(work) {
				return of.Name(), v.LineAt(next.Pos())
			}
		case *ast.DeferStmt:
			continue // it runs in any case
		}
		if !onlyKeys(p, next, of) {
			return "", 0
		}
	}
	return "", 0
}

// lasting reports whether a value is the same later: it is none that a function reads from what
// others may change, or from the clock.
func (v *account) lasting(p *typed.Package, value ast.Expr) bool {
	call, ok := value.(*ast.CallExpr)
	return !ok || p.Reached(call) == nil || v.pure(p.Called(call), false)
}

// asksFirst reports whether the head of an if calls what may change a value that is computed before.
func (v *account) asksFirst(p *typed.Package, st *ast.IfStmt, value ast.Expr) (calls bool) {
	if v.lasting(p, value) {
		return false
	}
	for _, n := range []ast.Node{st.Init, st.Cond} {
		if n == nil {
			continue
		}
		ast.Inspect(n, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				x, _ := p.Conversion(call)
				calls = calls || x == nil && p.Builtin(call) == "" && !v.pure(p.Called(call), false)
			}
			return !calls
		})
	}
	return calls
}

// following returns the statements after one in its block.
func following(p *typed.Package, st ast.Stmt) []ast.Stmt {
	var list []ast.Stmt
	switch around := p.Parent(st).(type) {
	case *ast.BlockStmt:
		list = around.List
	case *ast.CaseClause:
		list = around.Body
	}
	return list[slices.Index(list, st)+1:]
}

// escapes reports whether a block ends by leaving what is around it.
func escapes(b *ast.BlockStmt) bool {
	switch last := b.List[len(b.List)-1].(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return last.Tok == token.CONTINUE || last.Tok == token.BREAK
	}
	return false
}

// onlyKeys reports whether all that a node does with a variable is to compare it or what
// it points to, or to look it up.
func onlyKeys(p *typed.Package, n ast.Node, of *types.Var) bool {
	ok := true
	if n == nil || n == ast.Stmt(nil) || n == ast.Expr(nil) {
		return ok
	}
	ast.Inspect(n, func(n ast.Node) bool {
		id, is := n.(*ast.Ident)
		if !is || p.Var(id) != of {
			return ok
		}
		e := ast.Expr(id)
		for {
			around, part := p.Parent(e).(ast.Expr)
			if !part {
				break
			}
			if star, deref := around.(*ast.StarExpr); deref {
				e = star
				continue
			}
			if sel, field := around.(*ast.SelectorExpr); field && sel.X == e {
				if _, call := p.Parent(sel).(*ast.CallExpr); !call {
					e = sel
					continue
				}
			}
			break
		}
		switch around := p.Parent(e).(type) {
		case *ast.IndexExpr:
			ok = ok && around.Index == e && !p.Written(around)
		case *ast.BinaryExpr:
		default:
			ok = false
		}
		return ok
	})
	return ok
}

// needs reports whether statements use a variable, and call something or set an element:
// what would have samples if it ran often.
func needs(p *typed.Package, list []ast.Stmt, of *types.Var) bool {
	return works(list) && slices.ContainsFunc(list, func(st ast.Stmt) bool { return p.UsedIn(st, of) })
}

// works reports whether statements call something or set an element.
func works(list []ast.Stmt) (found bool) {
	for _, st := range list {
		ast.Inspect(st, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				found = true
			case *ast.AssignStmt:
				found = found || slices.ContainsFunc(n.Lhs, func(e ast.Expr) bool { _, index := e.(*ast.IndexExpr); return index })
			}
			return !found
		})
	}
	return found
}

// disturbs reports whether a statement may change what a value is made of: it sets a
// variable that is used there, or, where calls count, calls something beside a builtin
// function before a value that a call gives.
func disturbs(p *typed.Package, st ast.Stmt, value ast.Expr, calls bool) (found bool) {
	if st == nil {
		return false
	}
	if _, later := st.(*ast.DeferStmt); later {
		return false
	}
	_, called := value.(*ast.CallExpr)
	ast.Inspect(st, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			v := p.Var(n)
			found = found || v != nil && p.UsedIn(value, v) && p.Written(n)
		case *ast.CallExpr:
			x, _ := p.Conversion(n)
			found = found || calls && called && x == nil && p.Builtin(n) == ""
		}
		return !found
	})
	return found
}

// in returns the samples on the lines of statements.
func (v *account) in(p *typed.Package, list ...ast.Stmt) *diagnose.Sets {
	sum := new(diagnose.Sets)
	for _, st := range list {
		sum.Join(v.onLines(p, st))
	}
	return sum
}

// onLines returns the samples on the lines of a node.
func (v *account) onLines(p *typed.Package, n ast.Node) *diagnose.Sets {
	sum, lines := new(diagnose.Sets), v.Costs()[v.fileOf(p, n)]
	for line := v.LineAt(n.Pos()); line <= v.LineAt(n.End()); line++ {
		for _, sets := range lines[line] {
			sum.Join(sets)
		}
	}
	return sum
}

// looksUp reports whether the head of an if asks a map for a key.
func looksUp(p *typed.Package, st *ast.IfStmt) bool {
	set, ok := st.Init.(*ast.AssignStmt)
	if !ok || len(set.Rhs) != 1 {
		return false
	}
	at, ok := set.Rhs[0].(*ast.IndexExpr)
	if !ok {
		return false
	}
	_, table := typed.Under[*types.Map](p.TypeOf(at.X))
	return table
}

// onlyRead is about a value that a function makes and its caller only looks at.
func onlyRead(v *account, o *operation) (r reading) {
	to := v.FunctionOf(o.callee)
	t := result(o)
	if to == nil || to.Object == nil || t == nil || v.AllocShare(o.of.Allocs.Keep()) < leastBytes/2 {
		return r
	}
	_, list := typed.Under[*types.Slice](t)
	_, table := typed.Under[*types.Map](t)
	whole := needsAll(to)
	text := typed.IsString(t) || list && isCharacter(typed.Element(t))
	made := symbolname.Short(o.callee)
	switch uses := o.uses(); {
	case text && only(uses, compared, measured):
		r.why, r.remedy = fmt.Sprintf("%s builds a string that %s only compares and drops", made, o.decl.Name.Name),
			"Compare the sources of the strings: first what is cheap and mostly differs (lengths, kinds, the first parts), then part by part, up to the first difference; build the strings only if that does not decide."
	case (text || list || table) && only(uses, measured):
		r.why, r.remedy = fmt.Sprintf("%s builds a result of which %s only takes the length", made, o.decl.Name.Name),
			"Count the elements instead of collecting them."
	case text && only(uses, key, compared, measured):
		r.why, r.remedy = fmt.Sprintf("%s builds a string that is only a key of a map in %s", made, o.decl.Name.Name),
			"Use a struct of the parts as the key, or build the key in a buffer that is reused: m[string(b)] looks it up without a copy, and only a new entry needs a string of its own."
	case table && !whole && only(uses, keyed, measured):
		r.why, r.remedy = fmt.Sprintf("%s fills a map in each call, in which %s only looks up keys", made, o.decl.Name.Name),
			"Keep the map between calls, beside its source; for one or two keys iterate over the elements instead."
	case text && only(uses, written, measured):
		r.why, r.remedy = fmt.Sprintf("%s builds a separate string, which %s only writes", made, o.decl.Name.Name),
			fmt.Sprintf("Let %s write or append to its caller's destination: one buffer for all, of the right size.", made)
	case list && !text && !whole && only(uses, ranged, measured):
		r.why, r.remedy = fmt.Sprintf("%s builds a list of all elements, over which %s only iterates once", made, o.decl.Name.Name),
			"Pass each element on as it is found: with an iterator (iter.Seq), or a function called for each; or reuse the memory of the last list."
	default:
		return r
	}
	r.of = o.of
	r.why += fmt.Sprintf(": %s.", v.percent(r.of))
	return r
}

// needsAll reports whether a function needs all elements before the first is used: it
// sorts them, or holds a lock while it collects them.
func needsAll(fn *typed.Function) (found bool) {
	ast.Inspect(fn.Decl.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if to := fn.Package.Function(call); to != nil {
				name := to.FullName()
				found = found || strings.HasPrefix(name, "sort.") || strings.HasPrefix(name, "slices.Sort") ||
					strings.HasPrefix(name, "(*sync.") && strings.HasSuffix(name, "Lock")
			}
		}
		return !found
	})
	return found
}
