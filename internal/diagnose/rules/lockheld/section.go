package lockheld

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"whet/internal/diagnose"
	"whet/internal/symbolname"
)

// section is one critical section: what runs between a Lock and its Unlocks.
type section struct {
	key      string // the locked expression: "s.mu", "s" for an embedded lock
	read     bool   // RLock
	function *diagnose.Function
	lock     lines
	unlocks  []lines
	deferred bool
	held     map[int]bool // lines
	waits    bool         // for a job while the lock is held: see walker.wait
	around   ast.Node     // the function or literal that locks
}

// lines are a statement's, both inclusive.
type lines struct{ first, last int }

func (l lines) has(line int) bool { return l.first <= line && line <= l.last }

// places are the held lines as ranges.
func (s *section) places() []diagnose.Place {
	var sorted []int
	for l := range s.held {
		sorted = append(sorted, l)
	}
	slices.Sort(sorted)
	var out []diagnose.Place
	for _, l := range sorted {
		if n := len(out); n > 0 && out[n-1].EndLine == l-1 {
			out[n-1].EndLine = l
			continue
		}
		out = append(out, diagnose.Place{Function: s.function.Name, File: s.function.File, Line: l, EndLine: l})
	}
	return out
}

func (s *section) unlockLines() map[int]bool {
	out := make(map[int]bool)
	for _, u := range s.unlocks {
		out[u.first] = true
	}
	return out
}

// state are the sections whose lock is held at a statement, outer ones first.
type state []*section

func (st state) without(s *section) state {
	return slices.DeleteFunc(slices.Clone(st), func(x *section) bool { return x == s })
}

// and is what is held whichever way was taken.
func (st state) and(other state) state {
	return slices.DeleteFunc(slices.Clone(st), func(x *section) bool { return !slices.Contains(other, x) })
}

// walker follows one declared function from its first statement to its last.
type walker struct {
	helpers  *helpers
	f        *diagnose.Function
	around   ast.Node
	sections []*section
}

// sectionsOf returns the critical sections of a function and of the literals
// in it, in the order of their Lock statements.
func sectionsOf(f *diagnose.Function, h *helpers) []*section {
	w := &walker{helpers: h, f: f, around: f.Node}
	w.block(f.Node.Body.List, nil)
	return w.sections
}

func (w *walker) lines(n ast.Node) lines {
	return lines{w.f.Line(n.Pos()), w.f.Line(n.End())}
}

func (w *walker) block(list []ast.Stmt, st state) state {
	for _, n := range list {
		st = w.statement(n, st)
	}
	return st
}

// statement notes what a statement does under the locks held before it, and
// returns those held after it.
func (w *walker) statement(n ast.Stmt, st state) state {
	switch n := n.(type) {
	case *ast.ExprStmt:
		if call, ok := n.X.(*ast.CallExpr); ok {
			if key, read, ok := w.helpers.acquires(w.f, call); ok {
				s := &section{key: key, read: read, function: w.f, lock: w.lines(n), held: make(map[int]bool), around: w.around}
				w.sections = append(w.sections, s)
				return append(slices.Clone(st), s)
			}
			if s := w.released(call, st); s != nil {
				s.unlocks = append(s.unlocks, w.lines(n))
				return st.without(s)
			}
		}
		w.hold(n, w.lines(n), st)
	case *ast.DeferStmt:
		w.deferred(n, st)
	case *ast.GoStmt:
		w.literals(n, nil) // runs without the lock
	case *ast.BlockStmt:
		return w.block(n.List, st)
	case *ast.LabeledStmt:
		return w.statement(n.Stmt, st)
	case *ast.IfStmt:
		if n.Init != nil {
			st = w.statement(n.Init, st)
		}
		w.hold(n.Cond, w.lines(n.Cond), st)
		branches := [][]ast.Stmt{n.Body.List}
		if n.Else != nil {
			branches = append(branches, []ast.Stmt{n.Else})
		}
		return w.branches(branches, n.Else != nil, st)
	case *ast.ForStmt:
		w.header(n, n.Body, st, n.Init, n.Cond, n.Post)
		return w.branches([][]ast.Stmt{n.Body.List}, false, st)
	case *ast.RangeStmt:
		w.header(n, n.Body, st, n.X)
		if w.helpers.ranges(w.f, n) {
			w.wait(st)
		}
		return w.branches([][]ast.Stmt{n.Body.List}, false, st)
	case *ast.SwitchStmt:
		w.header(n, n.Body, st, n.Init, n.Tag)
		return w.clauses(n.Body, st)
	case *ast.TypeSwitchStmt:
		w.header(n, n.Body, st, n.Init, n.Assign)
		return w.clauses(n.Body, st)
	case *ast.SelectStmt:
		if !slices.ContainsFunc(n.Body.List, func(c ast.Stmt) bool { return c.(*ast.CommClause).Comm == nil }) {
			w.wait(st)
		}
		return w.clauses(n.Body, st)
	case nil:
	default:
		w.hold(n, w.lines(n), st)
	}
	return st
}

// branches follows each of several ways through st. exhaustive: one of them is
// taken.
func (w *walker) branches(list [][]ast.Stmt, exhaustive bool, st state) state {
	var after []state
	if !exhaustive {
		after = append(after, st)
	}
	for _, b := range list {
		if out := w.block(b, st); !ends(b) {
			after = append(after, out)
		}
	}
	if len(after) == 0 {
		return st
	}
	out := after[0]
	for _, other := range after[1:] {
		out = out.and(other)
	}
	return out
}

func (w *walker) clauses(body *ast.BlockStmt, st state) state {
	var list [][]ast.Stmt
	exhaustive := false
	for _, c := range body.List {
		switch c := c.(type) {
		case *ast.CaseClause:
			exhaustive = exhaustive || c.List == nil
			for _, e := range c.List {
				w.hold(e, w.lines(e), st)
			}
			list = append(list, c.Body)
		case *ast.CommClause:
			exhaustive = true
			list = append(list, c.Body)
		}
	}
	return w.branches(list, exhaustive, st)
}

// header notes a compound statement's line up to its body.
func (w *walker) header(n ast.Stmt, body *ast.BlockStmt, st state, parts ...ast.Node) {
	w.mark(lines{w.f.Line(n.Pos()), w.f.Line(body.Lbrace)}, st)
	for _, p := range parts {
		if p != nil && !isNil(p) {
			w.inspect(p, st)
		}
	}
}

// isNil knows an interface that holds a nil expression or statement.
func isNil(n ast.Node) bool {
	switch n := n.(type) {
	case ast.Expr:
		return n == nil
	case ast.Stmt:
		return n == nil
	}
	return false
}

func (w *walker) hold(n ast.Node, at lines, st state) {
	w.mark(at, st)
	w.inspect(n, st)
}

func (w *walker) mark(at lines, st state) {
	for _, s := range st {
		for l := at.first; l <= at.last; l++ {
			s.held[l] = true
		}
	}
}

// inspect looks into an expression or a simple statement: for receiving, and
// for literals, whose bodies run under the lock only if they are called here.
func (w *walker) inspect(n ast.Node, st state) {
	called := make(map[ast.Node]bool)
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				w.wait(st)
			}
		case *ast.CallExpr:
			name := calledName(n)
			if callee, known := w.helpers.callee(w.f, n); takesJob(callee, name, known) {
				w.wait(st)
			}
			if !keeps(name) {
				called[n.Fun] = true
				for _, arg := range n.Args {
					called[arg] = true
				}
			}
		case *ast.FuncLit:
			inner := st
			if !called[n] {
				inner = nil
				w.unmark(w.lines(n.Body), st)
			}
			w.literal(n, inner)
			return false
		}
		return true
	})
}

// unmark takes the lines strictly inside a literal's braces back.
func (w *walker) unmark(at lines, st state) {
	for _, s := range st {
		for l := at.first + 1; l < at.last; l++ {
			delete(s.held, l)
		}
	}
}

func (w *walker) literals(n ast.Node, st state) {
	ast.Inspect(n, func(n ast.Node) bool {
		lit, ok := n.(*ast.FuncLit)
		if ok {
			w.literal(lit, st)
		}
		return !ok
	})
}

func (w *walker) literal(lit *ast.FuncLit, st state) state {
	outer := w.around
	w.around = lit
	out := w.block(lit.Body.List, st)
	w.around = outer
	return out
}

// deferred reads a defer statement. What it runs, runs when the function
// returns: under the lock only if the lock's own deferred Unlock was met
// before, since the last one runs first.
func (w *walker) deferred(n *ast.DeferStmt, st state) {
	if s := w.released(n.Call, st); s != nil {
		s.deferred = true
		s.unlocks = append(s.unlocks, w.lines(n))
		return
	}
	late := slices.DeleteFunc(slices.Clone(st), func(s *section) bool { return !s.deferred })
	lit, ok := n.Call.Fun.(*ast.FuncLit)
	if !ok {
		w.hold(n, w.lines(n), late)
		return
	}
	// A literal that unlocks may do something under the lock before.
	inner := late
	for _, s := range st {
		if !s.deferred && w.unlocksIn(lit, s) {
			inner = append(slices.Clone(inner), s)
		}
	}
	out := w.literal(lit, inner)
	for _, s := range inner {
		if !slices.Contains(out, s) {
			s.deferred = true
		}
	}
}

func (w *walker) unlocksIn(lit *ast.FuncLit, s *section) bool {
	found := false
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && w.released(call, state{s}) == s {
			found = true
		}
		return !found
	})
	return found
}

// released returns the innermost held section whose lock a call releases.
func (w *walker) released(call *ast.CallExpr, st state) *section {
	key, read, helper, ok := w.helpers.releases(w.f, call)
	if !ok {
		return nil
	}
	for i := len(st) - 1; i >= 0; i-- {
		s := st[i]
		if s.key == key && (helper || s.read == read) || helper && (within(s.key, key) || within(key, s.key)) {
			return s
		}
	}
	return nil
}

// within reports whether a is a field of b: "s.mu" of "s".
func within(a, b string) bool { return strings.HasPrefix(a, b+".") }

// wait notes that a goroutine waits for a job while it holds the lock: those
// who wait for the lock then have nothing to do either.
func (w *walker) wait(st state) {
	for _, s := range st {
		s.waits = true
	}
}

// takesJob knows by what workers that share a lock take turns to wait for work:
// a listener, a packet connection, a condition, a shared scanner.
func takesJob(callee, name string, known bool) bool {
	if known {
		sym := symbolname.Parse(callee)
		switch sym.Package {
		case "net":
			return strings.HasPrefix(name, "Accept") || strings.HasPrefix(name, "ReadFrom") || strings.HasPrefix(name, "ReadMsg")
		case "bufio":
			return sym.Receiver == "Scanner" && name == "Scan"
		case "sync":
			return sym.Receiver == "Cond" && name == "Wait"
		}
		return false
	}
	return strings.HasPrefix(name, "Accept") || name == "Scan" || name == "Wait"
}

// keeps reports whether a function is known to run its argument later or on
// another goroutine.
func keeps(name string) bool {
	switch name {
	case "Go", "AfterFunc", "OnceFunc", "OnceValue", "OnceValues", "append", "Cleanup", "AddCleanup", "SetFinalizer":
		return true
	}
	return strings.HasPrefix(name, "Handle")
}

// ends reports whether control does not go on behind a list of statements.
func ends(list []ast.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	switch n := list[len(list)-1].(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
		return true
	case *ast.BlockStmt:
		return ends(n.List)
	case *ast.IfStmt:
		return n.Else != nil && ends(n.Body.List) && ends([]ast.Stmt{n.Else})
	case *ast.ExprStmt:
		call, ok := n.X.(*ast.CallExpr)
		if !ok {
			return false
		}
		name := calledName(call)
		return name == "panic" || name == "Exit" || strings.HasPrefix(name, "Fatal") || strings.HasPrefix(name, "Panic")
	}
	return false
}

func calledName(call *ast.CallExpr) string {
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		return fun.Name
	case *ast.SelectorExpr:
		return fun.Sel.Name
	}
	return ""
}

// receiver is the expression that a method is called on, "" for a function.
func receiver(call *ast.CallExpr) string {
	if sel, ok := call.Fun.(*ast.SelectorExpr); ok {
		return types.ExprString(sel.X)
	}
	return ""
}
