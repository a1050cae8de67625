package logging

import (
	"go/ast"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/symbolname"
)

// loggers knows which functions of one subject's program log.
type loggers struct {
	s        *diagnose.Subject
	homeMade map[string]bool
	names    map[string]*loggerName // of functions, read once: stacks repeat them
	frames   map[*callstack.Frame]*loggerName
}

// loggerName is what a function's name says.
type loggerName struct {
	symbolname.Name
	logger   bool // of a logging package
	homeMade bool // of the program's own
	logs     bool // writes or builds a log record: homeMade, or of a logging package and not one that only configures it
}

// name is asked once confirm is done.
func (l *loggers) name(fn string) *loggerName {
	n, ok := l.names[fn]
	if !ok {
		sym := symbolname.Parse(fn)
		n = &loggerName{sym, Package(sym.Package), l.homeMade[fn], l.homeMade[fn] || knownPackage(sym.Package) && !configures(sym.Name)}
		l.names[fn] = n
	}
	return n
}

// frame is name of a frame's function.
func (l *loggers) frame(f *callstack.Frame) *loggerName {
	n, ok := l.frames[f]
	if !ok {
		n = l.name(f.Function)
		l.frames[f] = n
	}
	return n
}

func newLoggers(s *diagnose.Subject) *loggers {
	l := &loggers{s: s, homeMade: make(map[string]bool), names: make(map[string]*loggerName), frames: make(map[*callstack.Frame]*loggerName)}
	l.confirm()
	return l
}

// logs reports whether a call of fn writes or builds a log record.
func (l *loggers) logs(fn string) bool {
	return l.name(fn).logs
}

// isLogger reports whether a function is part of a logger, seen from its callee,
// nil for none: the place to change is then further out.
func (sym *loggerName) isLogger(c *loggerName) bool {
	if sym.homeMade || sym.logger {
		return true
	}
	if c == nil || sym.Receiver == "" {
		return false
	}
	return c.Package == sym.Package && c.Receiver == sym.Receiver
}

// below is what was seen under a function.
type below struct{ format, write, logger bool }

// confirm decides which functions that are shaped like a logger are one: they
// format and write, or hand on to a logger, or take ...any.
func (l *loggers) confirm() {
	seen := make(map[string]*below)
	note := func(fn string) *below {
		b := seen[fn]
		if b == nil {
			sym := symbolname.Parse(fn)
			if knownPackage(sym.Package) || !shaped(sym) {
				b = &below{} // remembered as none; never confirmed
				seen[fn] = nil
				return b
			}
			b = &below{}
			seen[fn] = b
		}
		return b
	}
	known := make(map[string]below) // names are read once: stacks repeat them
	does := func(fn string) below {
		b, ok := known[fn]
		if !ok {
			b.add(fn)
			known[fn] = b
		}
		return b
	}
	walk := func(c *hot.Classified, col int) {
		diagnose.EachBase(c, col, func(sample *callstack.Stacks, stack []callstack.FrameID) {
			var under below
			for _, id := range stack {
				fn := c.Frame(id).Function
				if b, ok := seen[fn]; !ok || b != nil {
					b = note(fn)
					b.merge(under)
				}
				under.merge(does(fn))
			}
		})
	}
	walk(l.s.CPU, l.s.CPUColumn)
	walk(l.s.Allocs, l.s.AllocCol)
	callees := make(map[string][]string)
	for _, calls := range l.s.Calls {
		for _, c := range calls {
			callees[c.In] = append(callees[c.In], c.Callee)
			note(c.Callee)
		}
	}
	for fn, b := range seen {
		if b == nil {
			continue
		}
		reach(callees, fn, 4, b, make(map[string]bool))
		if b.format && b.write || b.logger || l.s.TakesAny(fn) {
			l.homeMade[fn] = true
		}
	}
}

func (b *below) merge(o below) {
	b.format = b.format || o.format
	b.write = b.write || o.write
	b.logger = b.logger || o.logger
}

// add notes what a function that is met below does.
func (b *below) add(fn string) {
	switch pkg := symbolname.Package(fn); {
	case knownPackage(pkg):
		b.logger = true
	case strings.HasPrefix(fn, "fmt.Fprint"):
		b.format, b.write = true, true
	case pkg == "fmt", pkg == "strconv", pkg == "reflect", pkg == "encoding/json", partOf(fn) == format:
		b.format = true
	case strings.HasSuffix(fn, ".AppendFormat"):
		b.format = true
	}
	if strings.HasSuffix(fn, ".Write") || strings.HasSuffix(fn, ".WriteString") || fn == "io.WriteString" {
		b.write = true
	}
}

// reach follows the recorded calls of fn, depth levels down.
func reach(callees map[string][]string, fn string, depth int, b *below, seen map[string]bool) {
	if depth == 0 || seen[fn] {
		return
	}
	seen[fn] = true
	for _, callee := range callees[fn] {
		b.add(callee)
		reach(callees, callee, depth-1, b, seen)
	}
}

// calledName returns the name of the function that a call statement calls
// last: Info in logger.WithField("a", b).Info("text"). It is "" for any other
// statement.
func calledName(st ast.Stmt) string {
	var e ast.Expr
	switch st := st.(type) {
	case *ast.ExprStmt:
		e = st.X
	case *ast.DeferStmt:
		e = st.Call
	case *ast.GoStmt:
		e = st.Call
	}
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return ""
	}
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		return fun.Name
	case *ast.SelectorExpr:
		return fun.Sel.Name
	}
	return ""
}
