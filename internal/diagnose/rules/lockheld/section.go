package lockheld

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"whet/internal/diagnose"
	"whet/internal/symbolname"
	"whet/internal/typed"
)

// section is one critical section: what runs between a Lock and its Unlocks.
type section struct {
	which    lock
	read     bool // RLock
	function *diagnose.Function
	pkg      *typed.Package
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
func (s *section) places() (out []diagnose.Place) {
	for _, l := range slices.Sorted(maps.Keys(s.held)) {
		if n := len(out); n > 0 && out[n-1].EndLine == l-1 {
			out[n-1].EndLine = l
			continue
		}
		out = append(out, diagnose.Place{Function: s.function.Name, File: s.function.File, Line: l, EndLine: l})
	}
	return out
}

// state are the sections whose lock is held at a statement, outer ones first.
type state []*section

func (st state) where(is func(*section) bool) (out state) {
	for _, s := range st {
		if is(s) {
			out = append(out, s)
		}
	}
	return out
}

func (st state) without(s *section) state { return st.where(func(x *section) bool { return x != s }) }

// walker follows one declared function from its first statement to its last.
type walker struct {
	*typed.Package
	f        *diagnose.Function
	around   ast.Node
	sections []*section
}

// sectionsOf returns the critical sections of a function and of the literals
// in it, in the order of their Lock statements.
func sectionsOf(f *diagnose.Function, pkg *typed.Package) []*section {
	w := &walker{Package: pkg, f: f, around: f.Node}
	w.block(f.Node.Body.List, nil)
	return w.sections
}

func (w *walker) lines(n ast.Node) lines { return lines{w.f.Line(n.Pos()), w.f.Line(n.End())} }

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
		call, _ := n.X.(*ast.CallExpr)
		if c := changeOf(w.Package, call); c != nil && !c.unlocks {
			s := &section{which: c.lock, read: c.read, function: w.f, pkg: w.Package, lock: w.lines(n), held: make(map[int]bool), around: w.around}
			w.sections = append(w.sections, s)
			return append(slices.Clone(st), s)
		}
		if s := w.released(call, st); s != nil {
			s.unlocks = append(s.unlocks, w.lines(n))
			return st.without(s)
		}
		w.hold(n, st)
	case *ast.DeferStmt:
		w.deferred(n, st)
	case *ast.GoStmt:
		w.inspect(n, nil) // runs without the lock
	case *ast.BlockStmt:
		return w.block(n.List, st)
	case *ast.LabeledStmt:
		return w.statement(n.Stmt, st)
	case *ast.IfStmt:
		st = w.statement(n.Init, st)
		w.hold(n.Cond, st)
		if n.Else == nil {
			return w.branches(st, false, n.Body.List)
		}
		return w.branches(st, true, n.Body.List, []ast.Stmt{n.Else})
	case *ast.ForStmt:
		w.header(n, n.Body, st, n.Init, n.Cond, n.Post)
		return w.branches(st, false, n.Body.List)
	case *ast.RangeStmt:
		w.header(n, n.Body, st, n.X)
		if t := w.TypeOf(n.X); t != nil {
			if _, receives := t.Underlying().(*types.Chan); receives {
				st.wait()
			}
		}
		return w.branches(st, false, n.Body.List)
	case *ast.SwitchStmt:
		w.header(n, n.Body, st, n.Init, n.Tag)
		return w.clauses(n.Body, st)
	case *ast.TypeSwitchStmt:
		w.header(n, n.Body, st, n.Init, n.Assign)
		return w.clauses(n.Body, st)
	case *ast.SelectStmt:
		if !slices.ContainsFunc(n.Body.List, func(c ast.Stmt) bool { return c.(*ast.CommClause).Comm == nil }) {
			st.wait()
		}
		return w.clauses(n.Body, st)
	case nil:
	default:
		w.hold(n, st)
	}
	return st
}

// branches follows each of several ways through st: what is held afterwards is held
// whichever way was taken. exhaustive: one of them is.
func (w *walker) branches(st state, exhaustive bool, list ...[]ast.Stmt) state {
	var after []state
	if !exhaustive {
		after = append(after, st)
	}
	for _, b := range list {
		if out := w.block(b, st); !w.ends(b) {
			after = append(after, out)
		}
	}
	if len(after) == 0 {
		return st
	}
	return after[0].where(func(s *section) bool {
		return !slices.ContainsFunc(after, func(other state) bool { return !slices.Contains(other, s) })
	})
}

func (w *walker) clauses(body *ast.BlockStmt, st state) state {
	var list [][]ast.Stmt
	exhaustive := false
	for _, c := range body.List {
		switch c := c.(type) {
		case *ast.CaseClause:
			exhaustive = exhaustive || c.List == nil
			for _, e := range c.List {
				w.hold(e, st)
			}
			list = append(list, c.Body)
		case *ast.CommClause:
			exhaustive = true
			list = append(list, c.Body)
		}
	}
	return w.branches(st, exhaustive, list...)
}

// header notes a compound statement's line up to its body.
func (w *walker) header(n ast.Stmt, body *ast.BlockStmt, st state, parts ...ast.Node) {
	st.mark(lines{w.f.Line(n.Pos()), w.f.Line(body.Lbrace)})
	for _, p := range parts {
		w.inspect(p, st)
	}
}

func (w *walker) hold(n ast.Node, st state) {
	st.mark(w.lines(n))
	w.inspect(n, st)
}

func (st state) mark(at lines) {
	for _, s := range st {
		for l := at.first; l <= at.last; l++ {
			s.held[l] = true
		}
	}
}

// inspect looks into an expression or a simple statement: for receiving, and
// for literals, whose bodies run under the lock only if they are called here.
func (w *walker) inspect(n ast.Node, st state) {
	if n == nil {
		return
	}
	called := make(map[ast.Node]bool)
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				st.wait()
			}
		case *ast.CallExpr:
			if takesJob(w.Called(n)) {
				st.wait()
			}
			if !keeps(w.name(n)) {
				called[n.Fun] = true
				for _, arg := range n.Args {
					called[arg] = true
				}
			}
		case *ast.FuncLit:
			inner := st
			if !called[n] {
				inner = nil
				for _, s := range st { // its own lines inside its braces
					maps.DeleteFunc(s.held, func(l int, _ bool) bool { return w.f.Line(n.Body.Pos()) < l && l < w.f.Line(n.Body.End()) })
				}
			}
			w.literal(n, inner)
			return false
		}
		return true
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
	lit, ok := n.Call.Fun.(*ast.FuncLit)
	if !ok {
		w.hold(n, st.where(func(s *section) bool { return s.deferred }))
		return
	}
	// A literal that unlocks may do something under the lock before.
	inner := append(st.where(func(s *section) bool { return s.deferred }), st.where(func(s *section) bool { return !s.deferred && w.unlocksIn(lit, s) })...)
	out := w.literal(lit, inner)
	for _, s := range inner {
		s.deferred = s.deferred || !slices.Contains(out, s)
	}
}

func (w *walker) unlocksIn(lit *ast.FuncLit, s *section) (found bool) {
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		found = found || ok && w.released(call, state{s}) == s
		return !found
	})
	return found
}

// released returns the innermost held section whose lock a call releases.
func (w *walker) released(call *ast.CallExpr, st state) *section {
	c := changeOf(w.Package, call)
	if c == nil || !c.unlocks {
		return nil
	}
	for _, s := range slices.Backward(st) {
		if s.which == c.lock && (c.helper || s.read == c.read) || c.helper && (s.which.within(c.lock) || c.lock.within(s.which)) {
			return s
		}
	}
	return nil
}

// wait notes that a goroutine waits for a job while it holds the locks: those
// who wait for the locks then have nothing to do either.
func (st state) wait() {
	for _, s := range st {
		s.waits = true
	}
}

// takesJob knows by what workers that share a lock take turns to wait for work:
// a listener, a packet connection, a condition, a shared scanner.
func takesJob(callee string) bool {
	switch sym := symbolname.Parse(callee); sym.Package {
	case "net":
		return strings.HasPrefix(sym.Name, "Accept") || strings.HasPrefix(sym.Name, "ReadFrom") || strings.HasPrefix(sym.Name, "ReadMsg")
	case "bufio":
		return sym.Receiver == "Scanner" && sym.Name == "Scan"
	case "sync":
		return sym.Receiver == "Cond" && sym.Name == "Wait"
	}
	return false
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

// name is that of the function, method or builtin function that is called.
func (w *walker) name(call *ast.CallExpr) string {
	if obj := w.Object(call.Fun); obj != nil {
		return obj.Name()
	}
	return ""
}

// ends reports whether control does not go on behind a list of statements.
func (w *walker) ends(list []ast.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	switch n := list[len(list)-1].(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
		return true
	case *ast.BlockStmt:
		return w.ends(n.List)
	case *ast.IfStmt:
		return n.Else != nil && w.ends(n.Body.List) && w.ends([]ast.Stmt{n.Else})
	case *ast.ExprStmt:
		if call, ok := n.X.(*ast.CallExpr); ok {
			name := w.name(call)
			return name == "panic" || name == "Exit" || strings.HasPrefix(name, "Fatal") || strings.HasPrefix(name, "Panic")
		}
	}
	return false
}
