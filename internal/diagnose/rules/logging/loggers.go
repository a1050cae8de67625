package logging

import (
	"go/types"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/symbolname"
	"whet/internal/typed"
)

// loggers knows which functions of one subject's program log. Names are read
// once, as stacks repeat them.
type loggers struct {
	s         *diagnose.Subject
	functions map[string]*function
	frames    map[*callstack.Frame]*line
}

// function is what is known of one by its name and by what it calls.
type function struct {
	symbolname.Name
	part     part
	emits    bool
	logger   bool // of a logging package
	homeMade bool // of the program's own
	handler  bool // part of a handler of log/slog
	logs     bool // writes or builds a log record: homeMade, or of a logging package and not one that only configures it
}

// line is a frame's.
type line struct {
	*function
	own bool       // the user's own, and not a benchmark's
	at  *statement // nil: not looked for
}

func newLoggers(s *diagnose.Subject) *loggers {
	return &loggers{s: s, functions: make(map[string]*function), frames: make(map[*callstack.Frame]*line)}
}

func (l *loggers) function(fn string) *function {
	known := l.functions[fn]
	if known == nil {
		sym := symbolname.Parse(fn)
		library := knownPackage(sym.Package)
		known = &function{Name: sym, part: partOf(fn), emits: emits(fn), logger: Package(sym.Package), homeMade: !library && shaped(sym) && l.records(fn)}
		known.logs = known.homeMade || library && !configures(sym.Name)
		known.handler = handles(l.s.FunctionOf(sym.Declared()))
		l.functions[fn] = known
	}
	return known
}

func (l *loggers) frame(c *hot.Classified, id callstack.FrameID) *line {
	f := c.Frame(id)
	known := l.frames[f]
	if known == nil {
		known = &line{function: l.function(f.Function), own: l.s.Own(f) && !l.s.Loops.InBenchmark(f.File, f.Line)}
		l.frames[f] = known
	}
	return known
}

// isLogger reports whether a function is part of a logger, seen from its callee,
// nil for none: the place to change is then further out.
func (f *function) isLogger(callee *function) bool {
	return f.homeMade || f.logger || f.handler || callee != nil && f.Receiver != "" && callee.Package == f.Package && callee.Receiver == f.Receiver
}

// handles reports whether a declared function is part of a handler of log/slog: what it
// calls of that package takes a record apart. It takes a slog.Record, or is a method of
// a type that has a method Handle which does.
func handles(fn *typed.Function) bool {
	if fn == nil || fn.Object == nil {
		return false
	}
	sig := fn.Object.Signature()
	if takesRecord(sig) {
		return true
	}
	if sig.Recv() == nil {
		return false
	}
	of, _, _ := types.LookupFieldOrMethod(sig.Recv().Type(), true, fn.Object.Pkg(), "Handle")
	method, ok := of.(*types.Func)
	return ok && takesRecord(method.Signature())
}

func takesRecord(sig *types.Signature) bool {
	for v := range sig.Params().Variables() {
		t := types.Unalias(v.Type())
		if to, ok := t.(*types.Pointer); ok {
			t = types.Unalias(to.Elem())
		}
		if named, ok := t.(*types.Named); ok && named.Obj().Name() == "Record" && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "log/slog" {
			return true
		}
	}
	return false
}

// records reports whether a function that is named like a logger is one: it
// takes ...any, or formats and writes, or hands on to a logger.
func (l *loggers) records(fn string) bool {
	var formats, writes, hands bool
	l.s.FunctionOf(fn).EachCall(4, func(c typed.Site) bool {
		callee := c.Callee()
		pkg := symbolname.Package(callee)
		hands = hands || knownPackage(pkg)
		formats = formats || pkg == "strconv" || partOf(callee) == format || strings.HasSuffix(callee, ".AppendFormat")
		writes = writes || strings.HasPrefix(callee, "fmt.Fprint") || ends(callee, ".Write", ".WriteString")
		return true
	})
	return formats && writes || hands || l.s.TakesAny(fn)
}
