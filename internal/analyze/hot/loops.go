package hot

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"slices"

	"whet/internal/callstack"
)

// Where is the position of a source line relative to the measured loop of its function.
type Where uint8

const (
	NoLoop      Where = iota // not a benchmark function, or one that leaves the loop to another
	InLoop                   // inside the measured loop
	OutsideLoop              // in a benchmark function with a loop or sub-benchmarks, but outside
	Stopped                  // between StopTimer and StartTimer
)

// Loops knows the measured loops of benchmark functions.
type Loops struct {
	files map[string][]benchFunc
}

// benchFunc is a function or literal that has a *testing.B or *testing.PB
// in scope, as line ranges.
type benchFunc struct {
	first, last int
	loops       []lineRange
	stopped     []lineRange
	delegates   []lineRange // calls that are handed the *testing.B itself
	hasRun      bool        // calls b.Run or b.RunParallel

	reset int // line of the last ResetTimer in the function's own block; 0: none

	exact []lineRange // loops on b.Loop or pb.Next, while scanning
}

type lineRange struct{ first, last int }

func (r lineRange) has(line int) bool { return r.first <= line && line <= r.last }

// AddFile parses one source file under its name in the profile's frames. A file of
// assembly or C, which has no benchmarks, adds nothing; a file that does not parse adds
// nothing and returns the error.
func (l *Loops) AddFile(frameFile string, src []byte) error {
	if ext := path.Ext(frameFile); ext != "" && ext != ".go" {
		return nil
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
	if err != nil {
		return fmt.Errorf("parse %s: %w", frameFile, err)
	}
	s := scanner{fset: fset}
	for _, d := range file.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok && fd.Body != nil {
			s.function(fd.Type, fd.Body, nil)
		}
	}
	if l.files == nil {
		l.files = make(map[string][]benchFunc)
	}
	l.files[frameFile] = s.funcs
	return nil
}

// innermost returns the smallest benchmark function around a line. A literal
// on one line shares it with the function around it: start, the first line of
// the function that is meant (0: unknown), tells them apart.
func (l *Loops) innermost(file string, start, line int) *benchFunc {
	if l == nil {
		return nil
	}
	var best *benchFunc
	funcs := l.files[file]
	for i := range funcs {
		f := &funcs[i]
		if line < f.first || f.last < line {
			continue
		}
		if best == nil || f.first == start && best.first != start ||
			(f.first == start) == (best.first == start) && f.last-f.first <= best.last-best.first {
			best = f
		}
	}
	return best
}

// At returns the position of a frame's line relative to its function's measured loop.
func (l *Loops) At(frame *callstack.Frame) Where {
	line := frame.Line
	f := l.innermost(frame.File, frame.Start, line)
	switch {
	case f == nil:
		return NoLoop
	case slices.ContainsFunc(f.stopped, func(r lineRange) bool { return r.has(line) }):
		return Stopped
	case slices.ContainsFunc(f.loops, func(r lineRange) bool { return r.has(line) }):
		return InLoop
	case len(f.loops) > 0 || f.hasRun:
		return OutsideLoop
	case line < f.reset:
		return OutsideLoop // the loop is in a literal or a helper, but not before it
	case len(f.delegates) > 0 && !slices.ContainsFunc(f.delegates, func(r lineRange) bool { return r.has(line) }):
		return OutsideLoop // before or after the helper that has the loop
	}
	return NoLoop
}

// InBenchmark reports whether a line lies in a function that has a *testing.B
// or *testing.PB of its own: the benchmark, not the code it measures.
func (l *Loops) InBenchmark(file string, line int) bool {
	return l.innermost(file, 0, line) != nil
}

type scanner struct {
	fset  *token.FileSet
	funcs []benchFunc
}

func (s *scanner) lines(n ast.Node) lineRange {
	return lineRange{s.fset.Position(n.Pos()).Line, s.fset.Position(n.End()).Line}
}

// function scans one function; outer holds the names of benchmark variables
// visible from around it.
func (s *scanner) function(typ *ast.FuncType, body *ast.BlockStmt, outer map[string]bool) {
	names := make(map[string]bool, len(outer)+1)
	for n := range outer {
		names[n] = true
	}
	own := false
	r := lineRange{s.fset.Position(typ.Pos()).Line, s.fset.Position(body.End()).Line}
	for _, field := range typ.Params.List {
		b := isTestingB(field.Type)
		for _, n := range field.Names {
			if b {
				names[n.Name] = true
				own = true
			} else {
				delete(names, n.Name) // shadowed
			}
		}
	}
	at := -1
	// A literal inside a benchmark that is called in its loop or handed to a
	// goroutine hides its lines from the function around it, and decides only
	// if it has a loop of its own.
	if own || len(outer) > 0 {
		at = len(s.funcs)
		s.funcs = append(s.funcs, benchFunc{first: r.first, last: r.last})
	}
	s.body(body, names, at)
	if at >= 0 {
		s.funcs[at].settle()
	}
}

// settle decides which of the loops that were met are the measured ones.
func (f *benchFunc) settle() {
	if len(f.exact) > 0 {
		// b.Loop starts the timer itself: a loop up to b.N beside it prepares.
		f.loops = f.exact
	}
	if after := slices.DeleteFunc(slices.Clone(f.loops), func(r lineRange) bool { return r.last < f.reset }); len(after) > 0 {
		f.loops = after // a loop up to b.N before ResetTimer prepares
	}
}

func (s *scanner) body(body *ast.BlockStmt, names map[string]bool, at int) {
	bounds := make(map[string]bool)  // variables set from b.N
	aliases := make(map[string]bool) // those that are b.N
	if at >= 0 {
		for _, stmt := range body.List {
			if es, ok := stmt.(*ast.ExprStmt); ok && isCall(es.X, names, "ResetTimer") {
				s.funcs[at].reset = s.lines(stmt).first
			}
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			s.function(n.Type, n.Body, names)
			return false
		case *ast.AssignStmt:
			for i, rhs := range n.Rhs {
				if i < len(n.Lhs) && mentionsN(rhs, names, bounds) {
					if id, ok := n.Lhs[i].(*ast.Ident); ok {
						bounds[id.Name] = true
						aliases[id.Name] = isBound(rhs, names, nil)
					}
				}
			}
		case *ast.ForStmt:
			switch {
			case at < 0:
			case driven(n, func(e ast.Expr) bool { return isCall(e, names, "Loop", "Next") }):
				s.funcs[at].exact = append(s.funcs[at].exact, s.lines(n))
			case driven(n, func(e ast.Expr) bool { return mentionsN(e, names, bounds) }) || initMentionsN(n.Init, names, bounds):
				s.funcs[at].loops = append(s.funcs[at].loops, s.lines(n))
			}
			s.loopEnd(n.Body, names, at)
		case *ast.RangeStmt:
			if at >= 0 && mentionsN(n.X, names, bounds) {
				s.funcs[at].loops = append(s.funcs[at].loops, s.lines(n))
			}
			s.loopEnd(n.Body, names, at)
		case *ast.CallExpr:
			if at >= 0 {
				if isCall(n, names, "Run", "RunParallel") {
					s.funcs[at].hasRun = true
				}
				if handsOn(n, names) {
					for _, arg := range n.Args {
						id, ok := arg.(*ast.Ident)
						switch {
						case isBound(arg, names, aliases):
							s.funcs[at].loops = append(s.funcs[at].loops, s.lines(n))
						case ok && names[id.Name]:
							s.funcs[at].delegates = append(s.funcs[at].delegates, s.lines(n))
						}
					}
				}
			}
		case *ast.BlockStmt:
			if at >= 0 {
				s.stopped(n, names, at)
			}
		}
		return true
	})
}

// stopped notes the lines between StopTimer and the next StartTimer, which
// may stand in a block further in: the loop that starts the timer in each
// iteration. (ResetTimer does not start a stopped timer.)
func (s *scanner) stopped(block *ast.BlockStmt, names map[string]bool, at int) {
	from := 0
	close := func(before int) {
		if before > from {
			s.funcs[at].stopped = append(s.funcs[at].stopped, lineRange{from, before - 1})
		}
		from = 0
	}
	for _, stmt := range block.List {
		if es, ok := stmt.(*ast.ExprStmt); ok && isCall(es.X, names, "StopTimer") {
			from = s.lines(stmt).last + 1
			continue
		}
		if from == 0 {
			continue
		}
		if start := s.firstCall(stmt, names, "StartTimer"); start > 0 {
			close(start)
		}
	}
	if from > 0 {
		close(s.lines(block).last + 1)
	}
}

// loopEnd notes that a loop whose body ends with the timer stopped begins its
// next pass that way: the lines up to the first StartTimer are not measured.
func (s *scanner) loopEnd(body *ast.BlockStmt, names map[string]bool, at int) {
	if at < 0 {
		return
	}
	start, ends := 0, false
	for _, stmt := range body.List {
		es, ok := stmt.(*ast.ExprStmt)
		switch {
		case ok && isCall(es.X, names, "StopTimer"):
			if start == 0 {
				return // stopped in this pass before it is started
			}
			ends = true
		case s.firstCall(stmt, names, "StartTimer") > 0:
			if start == 0 {
				start = s.firstCall(stmt, names, "StartTimer")
			}
			ends = false
		}
	}
	if first := s.lines(body).first + 1; ends && start > first {
		s.funcs[at].stopped = append(s.funcs[at].stopped, lineRange{first, start - 1})
	}
}

// firstCall returns the line of the first call of a benchmark's method inside
// a statement, 0 when there is none. Literals do not count.
func (s *scanner) firstCall(stmt ast.Stmt, names map[string]bool, method string) int {
	line := 0
	ast.Inspect(stmt, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if line == 0 && isCall(n, names, method) {
				line = s.lines(n).first
			}
		}
		return line == 0
	})
	return line
}

// driven reports whether what holds for an expression that decides how often
// a for statement runs: in its condition, or, where it has none, in a condition
// that leaves it.
func driven(loop *ast.ForStmt, holds func(ast.Expr) bool) bool {
	found := false
	look := func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			if _, ok := n.(*ast.FuncLit); ok {
				return false
			}
			e, ok := n.(ast.Expr)
			found = found || ok && holds(e)
			return !found
		})
	}
	if loop.Cond != nil {
		look(loop.Cond)
		return found
	}
	for _, stmt := range loop.Body.List {
		if cond, ok := stmt.(*ast.IfStmt); ok {
			look(cond.Cond)
		}
	}
	return found
}

// handsOn reports whether a call may run the measured loop for its caller:
// not a method of the benchmark itself, a built-in function or a conversion.
func handsOn(call *ast.CallExpr, names map[string]bool) bool {
	switch fun := call.Fun.(type) {
	case *ast.SelectorExpr:
		id, ok := fun.X.(*ast.Ident)
		return !ok || !names[id.Name]
	case *ast.Ident:
		return types.Universe.Lookup(fun.Name) == nil
	case *ast.ArrayType, *ast.ParenExpr, *ast.MapType, *ast.InterfaceType:
		return false
	}
	return true
}

// isBound reports whether e is b.N, one of the variables that are, or a
// conversion of it.
func isBound(e ast.Expr, names, aliases map[string]bool) bool {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		return isN(e, names)
	case *ast.Ident:
		return aliases[e.Name]
	case *ast.CallExpr:
		id, ok := e.Fun.(*ast.Ident)
		if !ok || len(e.Args) != 1 {
			return false
		}
		_, conversion := types.Universe.Lookup(id.Name).(*types.TypeName)
		return conversion && isBound(e.Args[0], names, aliases)
	}
	return false
}

func isTestingB(t ast.Expr) bool {
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	sel, ok := t.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	pkg, ok := sel.X.(*ast.Ident)
	return ok && pkg.Name == "testing" && (sel.Sel.Name == "B" || sel.Sel.Name == "PB")
}

func isN(sel *ast.SelectorExpr, names map[string]bool) bool {
	id, ok := sel.X.(*ast.Ident)
	return ok && sel.Sel.Name == "N" && names[id.Name]
}

func mentionsN(e ast.Expr, names, bounds map[string]bool) bool {
	if e == nil {
		return false
	}
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.SelectorExpr:
			found = found || isN(n, names)
			return !found
		case *ast.Ident:
			found = found || bounds[n.Name]
		}
		return !found
	})
	return found
}

func initMentionsN(s ast.Stmt, names, bounds map[string]bool) bool {
	a, ok := s.(*ast.AssignStmt)
	return ok && slices.ContainsFunc(a.Rhs, func(e ast.Expr) bool { return mentionsN(e, names, bounds) })
}

// isCall reports whether e calls one of the methods on a benchmark variable.
func isCall(e ast.Expr, names map[string]bool, methods ...string) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !slices.Contains(methods, sel.Sel.Name) {
		return false
	}
	id, ok := sel.X.(*ast.Ident)
	return ok && names[id.Name]
}

// Has reports whether a file was added.
func (l *Loops) Has(frameFile string) bool {
	_, ok := l.files[frameFile]
	return ok
}
