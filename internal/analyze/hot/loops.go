package hot

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
)

// Where says how a source line lies to the measured loop of its function.
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

// benchFunc is one function or literal that has a *testing.B or *testing.PB
// in scope, as line ranges.
type benchFunc struct {
	first, last int
	loops       []lineRange
	stopped     []lineRange
	hasRun      bool // calls b.Run or b.RunParallel
}

type lineRange struct{ first, last int }

func (r lineRange) has(line int) bool { return r.first <= line && line <= r.last }

// AddFile parses one source file under the name that the profile's frames
// have for it. A file that does not parse adds nothing and returns the error.
func (l *Loops) AddFile(frameFile string, src []byte) error {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
	if err != nil {
		return err
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

// innermost returns the smallest benchmark function around a line.
func (l *Loops) innermost(file string, line int) *benchFunc {
	if l == nil {
		return nil
	}
	var best *benchFunc
	funcs := l.files[file]
	for i := range funcs {
		f := &funcs[i]
		if f.first <= line && line <= f.last && (best == nil || f.last-f.first <= best.last-best.first) {
			best = f
		}
	}
	return best
}

// At says how a line lies to its function's measured loop.
func (l *Loops) At(file string, line int) Where {
	f := l.innermost(file, line)
	switch {
	case f == nil:
		return NoLoop
	case slices.ContainsFunc(f.stopped, func(r lineRange) bool { return r.has(line) }):
		return Stopped
	case slices.ContainsFunc(f.loops, func(r lineRange) bool { return r.has(line) }):
		return InLoop
	case len(f.loops) > 0 || f.hasRun:
		return OutsideLoop
	}
	return NoLoop
}

// InBenchmark reports whether a line lies in a function that has a *testing.B
// or *testing.PB of its own: the benchmark, not the code it measures.
func (l *Loops) InBenchmark(file string, line int) bool {
	return l.innermost(file, line) != nil
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
	if own {
		r := s.lines(body)
		r.first = s.fset.Position(typ.Pos()).Line
		at = len(s.funcs)
		s.funcs = append(s.funcs, benchFunc{first: r.first, last: r.last})
	} else if len(names) > 0 {
		// A literal inside a benchmark, called in its loop or handed to a
		// goroutine: its frames decide nothing, so it only hides its lines
		// from the function around it.
		r := s.lines(body)
		at = len(s.funcs)
		s.funcs = append(s.funcs, benchFunc{first: r.first, last: r.last})
	}
	s.body(body, names, at)
}

func (s *scanner) body(body *ast.BlockStmt, names map[string]bool, at int) {
	bounds := make(map[string]bool) // variables set from b.N
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
					}
				}
			}
		case *ast.ForStmt:
			if at >= 0 && (mentionsN(n.Cond, names, bounds) || isCall(n.Cond, names, "Loop", "Next") || initMentionsN(n.Init, names, bounds)) {
				s.funcs[at].loops = append(s.funcs[at].loops, s.lines(n))
			}
		case *ast.RangeStmt:
			if at >= 0 && mentionsN(n.X, names, bounds) {
				s.funcs[at].loops = append(s.funcs[at].loops, s.lines(n))
			}
		case *ast.CallExpr:
			if at >= 0 {
				if isCall(n, names, "Run", "RunParallel") {
					s.funcs[at].hasRun = true
				}
				for _, arg := range n.Args {
					if sel, ok := arg.(*ast.SelectorExpr); ok && isN(sel, names) {
						s.funcs[at].loops = append(s.funcs[at].loops, s.lines(n))
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

// stopped notes the lines between StopTimer and the next StartTimer (or
// ResetTimer does not count: it does not start a stopped timer) in one block.
func (s *scanner) stopped(block *ast.BlockStmt, names map[string]bool, at int) {
	from := 0
	for _, stmt := range block.List {
		es, ok := stmt.(*ast.ExprStmt)
		if !ok {
			continue
		}
		r := s.lines(stmt)
		switch {
		case isCall(es.X, names, "StopTimer"):
			from = r.last + 1
		case isCall(es.X, names, "StartTimer") && from > 0:
			if r.first-1 >= from {
				s.funcs[at].stopped = append(s.funcs[at].stopped, lineRange{from, r.first - 1})
			}
			from = 0
		}
	}
	if from > 0 {
		end := s.lines(block).last
		s.funcs[at].stopped = append(s.funcs[at].stopped, lineRange{from, end})
	}
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
