package benchmarks

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"whet/internal/analyze/compare"
	"whet/internal/quantity"
)

// maxSource bounds a test file that is read.
const maxSource = 4 << 20

// timerUse is a place that stops or starts the timer in every iteration.
type timerUse struct {
	function string // that holds the loop
	call     string // "StopTimer"
	file     string // base name
	line     int
}

// timerUses finds calls of StopTimer and StartTimer inside the loop over b.N, b.Loop or
// pb.Next of a test file. Each takes as long as a typical operation and stops the world
// to read the memory statistics, so that the code between them is measured with cold
// caches and an irregular collector. A file that does not parse has none: the compiler
// will report it.
func timerUses(name string, src []byte) []timerUse {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	var out []timerUse
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		seen := make(map[token.Pos]bool) // loops may lie in each other
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			body := benchmarkLoop(n)
			if body == nil {
				return true
			}
			ast.Inspect(body, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || len(call.Args) > 0 {
					return true
				}
				if sel, ok := call.Fun.(*ast.SelectorExpr); ok && (sel.Sel.Name == "StopTimer" || sel.Sel.Name == "StartTimer") && !seen[call.Pos()] {
					seen[call.Pos()] = true
					out = append(out, timerUse{fn.Name.Name, sel.Sel.Name, filepath.Base(name), fset.Position(call.Pos()).Line})
				}
				return true
			})
			return true
		})
	}
	return out
}

// benchmarkLoop returns the body of a loop over the iterations of a benchmark,
// nil for any other node: its head names b.N, or asks b.Loop or pb.Next.
func benchmarkLoop(n ast.Node) *ast.BlockStmt {
	counts := func(parts ...ast.Node) bool {
		found := false
		for _, part := range parts {
			ast.Inspect(part, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					if sel, ok := n.Fun.(*ast.SelectorExpr); ok && len(n.Args) == 0 {
						found = found || sel.Sel.Name == "Loop" || sel.Sel.Name == "Next"
					}
				case *ast.SelectorExpr:
					found = found || n.Sel.Name == "N"
				}
				return !found
			})
		}
		return found
	}
	switch l := n.(type) {
	case *ast.ForStmt:
		var head []ast.Node
		if l.Init != nil {
			head = append(head, l.Init)
		}
		if l.Cond != nil {
			head = append(head, l.Cond)
		}
		if counts(head...) {
			return l.Body
		}
	case *ast.RangeStmt:
		if counts(l.X) {
			return l.Body
		}
	}
	return nil
}

// watchTimers reads the test files of both sides and reports measured benchmarks that
// stop the timer inside their loop. A loop in a helper may belong to any of them: the
// warning then appears whichever is measured.
func (s *session) watchTimers() {
	for pkg, files := range s.tests {
		if s.same != nil && s.same[pkg] {
			continue
		}
		var uses [2][]timerUse
		for side := range compare.Sides {
			for _, file := range files[side] {
				// A file that is gone was there to be compiled; it says nothing.
				if src, err := readBounded(file, maxSource); err == nil {
					uses[side] = append(uses[side], timerUses(file, src)...)
				}
			}
		}
		in := func(side compare.Side, function string) bool {
			return slices.ContainsFunc(uses[side], func(u timerUse) bool { return u.function == function })
		}
		said := make(map[string]bool)
		for _, u := range slices.Concat(uses[compare.New], uses[compare.Old]) {
			if said[u.function] || strings.HasPrefix(u.function, "Benchmark") && !s.measures(pkg, u.function) {
				continue
			}
			said[u.function] = true
			d := compare.Disturbance{Kind: kindTimer, Benchmark: s.label(pkg, u.function)}
			whose := d.Benchmark
			for side := range compare.Sides {
				if !in(1-side, u.function) {
					d.Side = side.String()
					whose += " (" + d.Side + ")"
				}
			}
			d.Text = fmt.Sprintf("%s calls %s inside its loop (%s:%d): each call takes about a microsecond and disturbs caches and garbage collector; prepare the inputs before the loop",
				whose, u.call, u.file, u.line)
			s.Disturb(d)
		}
	}
}

// measures reports whether a top-level benchmark is measured.
func (s *session) measures(pkg int, top string) bool {
	for _, b := range s.subjects {
		if b.pkg == pkg && (b.name == top || strings.HasPrefix(b.name, top+"/")) {
			return true
		}
	}
	return false
}

// readBounded reads a regular file of a limited size: opening a pipe would wait for its
// writer.
func readBounded(name string, limit int64) ([]byte, error) {
	if st, err := os.Stat(name); err != nil {
		return nil, err
	} else if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("read %s: it is not a regular file", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("read %s: larger than %s", name, quantity.Bytes(float64(limit)))
	}
	return data, nil
}
