package lockheld

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/cfg"

	"whet/internal/diagnose"
	"whet/internal/symbolname"
	"whet/internal/typed"
)

// section is a critical section: what runs between a Lock and its Unlocks.
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

// places returns the held lines as ranges.
func (s *section) places() (out []diagnose.Location) {
	for _, l := range slices.Sorted(maps.Keys(s.held)) {
		if n := len(out); n > 0 && out[n-1].EndLine == l-1 {
			out[n-1].EndLine = l
			continue
		}
		out = append(out, diagnose.Location{Function: s.function.Name, File: s.function.File, Line: l, EndLine: l})
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

// walker follows one declared function from its first statement to its last.
type walker struct {
	*typed.Package
	f        *diagnose.Function
	around   ast.Node // the function or literal at hand
	sections []*section
}

// sectionsOf returns the critical sections of a function and of the literals
// in it, in the order of their Lock statements.
func sectionsOf(f *diagnose.Function, pkg *typed.Package) []*section {
	w := &walker{Package: pkg, f: f}
	w.body(f.Node, f.Node.Body, nil)
	slices.SortStableFunc(w.sections, func(a, b *section) int { return cmp.Compare(a.lock.first, b.lock.first) })
	return w.sections
}

func (w *walker) lines(n ast.Node) lines { return lines{w.f.Line(n.Pos()), w.f.Line(n.End())} }

// body follows a function or a literal. Where ways meet, what is held on all of them
// is; the way back to the head of a loop is not looked at.
func (w *walker) body(fn ast.Node, body *ast.BlockStmt, st state) {
	outer := w.around
	w.around = fn
	blocks := w.Graph(body).Blocks
	before := map[*cfg.Block]state{blocks[0]: st}
	for _, b := range inOrder(blocks[0]) {
		st := before[b]
		if b.Kind == cfg.KindForBody {
			st.mark(lines{w.f.Line(b.Stmt.Pos()), w.f.Line(b.Stmt.Pos())}) // which may have no node in its head
		}
		for _, n := range b.Nodes {
			if n.Pos() < body.Rbrace { // but for the return that is not written
				st = w.node(n, st)
			}
		}
		for _, next := range b.Succs {
			if other, met := before[next]; met {
				before[next] = other.where(func(s *section) bool { return slices.Contains(st, s) })
			} else {
				before[next] = st
			}
		}
	}
	w.around = outer
}

// inOrder returns the blocks that are reached from one, each after those that lead to it
// but for the ways back.
func inOrder(first *cfg.Block) (order []*cfg.Block) {
	seen := make(map[*cfg.Block]bool)
	var follow func(*cfg.Block)
	follow = func(b *cfg.Block) {
		if seen[b] {
			return
		}
		seen[b] = true
		for _, next := range b.Succs {
			follow(next)
		}
		order = append(order, b)
	}
	follow(first)
	slices.Reverse(order)
	return order
}

// node notes what a statement, or an expression in the head of one, does under the
// locks held before it, and returns those held after it.
func (w *walker) node(n ast.Node, st state) state {
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
			return st.where(func(x *section) bool { return x != s })
		}
	case *ast.DeferStmt:
		w.deferred(n, st)
		return st
	case *ast.GoStmt:
		w.inspect(n, nil) // runs without the lock
		return st
	}
	switch around := w.Parent(n).(type) {
	case *ast.CommClause:
		if around.Comm == n {
			w.chosen(around, st)
			return st
		}
	case *ast.RangeStmt:
		if _, receives := typed.Under[*types.Chan](w.TypeOf(around.X)); receives {
			st.wait()
		}
	}
	w.hold(n, st)
	return st
}

// chosen reads a case of a select statement, which waits for one of them where it
// has no default.
func (w *walker) chosen(clause *ast.CommClause, st state) {
	all, _ := w.Parent(clause).(*ast.BlockStmt)
	if all != nil && !slices.ContainsFunc(all.List, func(c ast.Stmt) bool { return c.(*ast.CommClause).Comm == nil }) {
		st.wait()
	}
}

// hold notes that a node runs under the locks.
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
		case *ast.FuncLit:
			inner := st
			if call, ok := w.Parent(n).(*ast.CallExpr); !ok || keeps(w.name(call)) {
				inner = nil
				for _, s := range st { // its own lines inside its braces
					maps.DeleteFunc(s.held, func(l int, _ bool) bool { return w.f.Line(n.Body.Pos()) < l && l < w.f.Line(n.Body.End()) })
				}
			}
			w.body(n, n.Body, inner)
			return false
		}
		return true
	})
}

// deferred reads a defer statement. What it runs, runs when the function
// returns: under the lock only if the lock's own deferred Unlock was met
// before, since the last one runs first, or if it unlocks itself.
func (w *walker) deferred(n *ast.DeferStmt, st state) {
	if s := w.released(n.Call, st); s != nil {
		s.deferred = true
		s.unlocks = append(s.unlocks, w.lines(n))
		return
	}
	lit, literal := n.Call.Fun.(*ast.FuncLit)
	st = st.where(func(s *section) bool { return s.deferred || literal && w.unlocksIn(lit, s) })
	if !literal {
		w.hold(n, st)
		return
	}
	for _, s := range st {
		s.deferred = true
	}
	w.body(lit, lit.Body, st)
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
		if s.which == c.lock && (c.helper || s.read == c.read) {
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

// name returns the name of the function, method or builtin function that is called.
func (w *walker) name(call *ast.CallExpr) string {
	if obj := w.Object(call.Fun); obj != nil {
		return obj.Name()
	}
	return ""
}
