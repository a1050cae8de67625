package lockheld

import (
	"cmp"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"

	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/symbolname"
	"whet/internal/typed"
)

// operation is a call under the lock that needs no lock.
type operation struct {
	work work
	name string // what is called there, or at the end of the program's own calls
	via  string // the program's own function that leads to it, "" for a direct call
	line int
	runs bool // samples of the CPU profile show it
}

// lockedWork is the work of a section while it holds its lock.
type lockedWork struct {
	held    diagnose.Set // base samples of the CPU profile
	heavy   [writes + 1]diagnose.Set
	byLine  map[int]*operation
	ordered []*operation // by line
}

// under reads the calls and the CPU samples of a section.
func (f *finder) under(c *contendedSection) *lockedWork {
	u := &lockedWork{byLine: make(map[int]*operation)}
	for _, at := range c.places() {
		for _, call := range f.s.Program.Sites(at.File, at.Line, at.EndLine) {
			if w := workOfCall(call); w != cheap {
				u.note(call.Line(), w, call.Callee(), "")
			} else if w, name := reach(call.In.Reached(call.CallExpr)); w != cheap {
				u.note(call.Line(), w, name, call.Callee())
			}
		}
	}
	diagnose.EachBase(f.s.CPU, f.s.CPUColumn, func(sample *callstack.Stacks, stack []callstack.FrameID) { f.sampled(u, c, sample.Index(), stack) })
	u.ordered = slices.SortedFunc(maps.Values(u.byLine), func(a, b *operation) int { return cmp.Compare(a.line, b.line) })
	return u
}

// ownCallsDown is how many of the program's own functions a call under the
// lock is followed through.
const ownCallsDown = 4

// reach finds the work that a function of the program's own does; nil: its source is
// not at hand.
func reach(fn *typed.Function) (best work, name string) {
	fn.EachCall(ownCallsDown, func(c typed.Site) bool {
		w, callee := workOfCall(c), c.Callee()
		if w > best || w == best && w != cheap && makes(name) {
			best, name = w, callee
		}
		return w == cheap
	})
	return best, name
}

func (u *lockedWork) note(line int, w work, name, via string) *operation {
	op := u.byLine[line]
	if op == nil {
		op = &operation{line: line}
		u.byLine[line] = op
	}
	if w > op.work || w == op.work && !makes(name) {
		op.work, op.name, op.via = w, name, via
	}
	return op
}

// makes reports whether a function only makes what does the work: a remedy
// names the one that works, if there is one.
func makes(fn string) bool {
	name := symbolname.Parse(fn).Name
	return strings.HasPrefix(name, "New") || strings.HasPrefix(name, "With")
}

// sampled puts one CPU sample to what it does under the lock.
func (f *finder) sampled(u *lockedWork, c *contendedSection, i int, stack []callstack.FrameID) {
	at := slices.IndexFunc(stack, func(id callstack.FrameID) bool {
		frame := f.s.CPU.Frame(id)
		return frame.File == c.function.File && c.held[frame.Line]
	})
	if at < 0 {
		return
	}
	below := at - 1
	for below >= 0 && strings.Contains(f.s.CPU.Frame(stack[below]).Function, ".deferwrap") {
		below--
	}
	if below >= 0 {
		if fn := f.s.CPU.Frame(stack[below]).Function; isLock(fn) || isUnlock(fn) {
			return // a deferred Unlock runs on the line that returns
		}
	}
	u.held.Add(i)
	line := f.s.CPU.Frame(stack[at]).Line
	for _, id := range slices.Backward(stack[:at]) {
		fn := f.s.CPU.Frame(id).Function
		w := workOf(fn)
		if w == cheap {
			continue
		}
		u.heavy[w].Add(i)
		op := f.operationAt(u, c, line)
		if op == nil {
			op = u.note(line, w, fn, "")
		}
		op.runs = true
		return
	}
}

// operationAt returns the operation of the statement around a line: a call over
// several lines is charged to any of them.
func (f *finder) operationAt(u *lockedWork, c *contendedSection, line int) *operation {
	op, st := u.byLine[line], f.s.Statement(c.function.File, line)
	for l := st.First; op == nil && l <= st.Last; l++ {
		op = u.byLine[l]
	}
	return op
}

// guardsWriter reports whether a section does what the remedy asks for of a
// lock that guards a writer: one Write of what was made ready before, on a
// writer that is kept beside the lock, and besides at most what follows an
// error.
func (c *contendedSection) guardsWriter(u *lockedWork) bool {
	writes, looped := 0, false
	allowed := make(map[int]bool) // lines of such a Write, and of what follows an error
	ast.Inspect(c.function.Node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			looped = looped || c.held[c.function.Line(n.Pos())]
		case *ast.IfStmt:
			if cond, ok := n.Cond.(*ast.BinaryExpr); ok && c.pkg.Info.Types[cond.Y].IsNil() {
				for l := c.function.Line(n.Body.Lbrace) + 1; l <= c.function.Line(n.Body.Rbrace); l++ {
					allowed[l] = true
				}
			}
		case *ast.CallExpr:
			if line := c.function.Line(n.Pos()); c.held[line] && c.besideLock(n) {
				writes++
				allowed[line] = true
			}
		}
		return true
	})
	return writes == 1 && !looped && !slices.ContainsFunc(u.ordered, func(op *operation) bool { return !allowed[op.line] })
}

// besideLock reports whether a call is x.w.Write where the lock is x.mu.
func (c *contendedSection) besideLock(call *ast.CallExpr) bool {
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || method.Sel.Name != "Write" || c.pkg.Var(c.pkg.Base(method.X)) != c.which.root {
		return false
	}
	owner := c.which.text[:max(strings.LastIndexByte(c.which.text, '.'), 0)]
	field, ok := strings.CutPrefix(types.ExprString(method.X), cmp.Or(owner, c.which.text)+".") // which may be embedded
	return ok && !strings.Contains(field, ".")
}
