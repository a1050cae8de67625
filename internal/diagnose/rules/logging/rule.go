package logging

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/symbolname"
)

// Rule returns the rule.
func Rule() diagnose.Rule {
	return diagnose.Rule{
		ID:    "logging",
		Title: "logging in a hot path",
		Doc: diagnose.Doc{
			What:   "A log statement spends CPU time or allocated bytes on formatting, reflection and allocation, or on building the arguments of a record whose level is off.",
			Why:    "Every record goes through reflection, maps and fmt, and its arguments are evaluated before the logger can check the level.",
			Silent: "When the logger only appends and writes bytes (its share alone is no fault); when the avoidable part is below the threshold; when the benchmark calls a logger directly or measures the logger's own package; in a handler of log/slog, which formats records that other code logs; for CPU time, below the minimum of samples; without type information, for a logger that is off, which leaves no trace in the profile.",
			Fix:    "Use typed fields and a logger that appends bytes, log a sample of the records, or log outside the hot path; if the level is off, check it before building the arguments.",
			Before: "log.WithFields(logrus.Fields{\"user\": id, \"n\": n}).Info(\"seen\")",
			After:  "logger.Info().Int(\"user\", id).Int(\"n\", n).Msg(\"seen\") // zerolog",
		},
		Evidence:   []diagnose.EvidenceKind{diagnose.EvidenceCPU, diagnose.EvidenceAllocs, diagnose.EvidenceSource, diagnose.EvidenceCalls},
		MinSamples: diagnose.MinCPUSamples,
		Covers:     []string{"fmt-format", "string-copy", "buffer-per-call", "slice-growth", "collection-per-call"},
		Find:       find,
	}
}

// statement is a statement of the user's own, and what the samples show of it.
type statement struct {
	diagnose.Statement
	called    string           // the outermost call of a call statement
	weight    map[string]int64 // CPU, then bytes, by function logged through; empty: it logs nothing
	pure      bool             // the whole statement is a log call
	function  string
	emitted   bool          // some sample shows the record rendered or written
	cost      diagnose.Sets // everything of the statement
	avoidable diagnose.Sets // rendering, reflection, allocation below the logger or in its arguments
	arguments diagnose.Sets // built before the logger was called
	text      diagnose.Sets // of these, the message or an argument made into text
	format    diagnose.Sets
	alloc     diagnose.Sets
}

type finder struct {
	*loggers
	at map[diagnose.SourceLine]*statement
}

func find(s *diagnose.Subject) (claims []diagnose.Claim) {
	if Package(s.Package) {
		return nil
	}
	f := &finder{loggers: newLoggers(s), at: make(map[diagnose.SourceLine]*statement)}
	// The source shows which statements log, except through func values and where
	// types are missing: there the samples show it, so read all of them.
	s.EachSample(func(c *hot.Classified, _ *callstack.Stacks, stack []callstack.FrameID) { f.attribute(c, stack) })
	s.EachSample(f.take)
	for _, st := range f.at {
		if c, ok := f.claim(st); ok {
			claims = append(claims, c)
		}
	}
	return claims
}

// take charges a sample to the log statement that it passes through.
func (f *finder) take(c *hot.Classified, sample *callstack.Stacks, stack []callstack.FrameID) {
	at, st := f.attribute(c, stack)
	if st == nil {
		return
	}
	add := func(to *diagnose.Sets) { to.Of(f.s, c).Add(sample.Index()) }
	viaLogger := at > 0 && f.frame(c, stack[at-1]).logs
	builds := !viaLogger && f.builds(c, stack, at)
	if !viaLogger && !st.pure && !builds {
		return // the rest of a statement that also logs
	}
	add(&st.cost)
	if viaLogger {
		column := f.s.CPUColumn
		if c == f.s.Allocs {
			column = f.s.AllocCol
		}
		st.weight[c.Frame(stack[at-1]).Function] += sample.Value(column)
	}
	st.function = c.Frame(stack[at]).Function
	var has [numbers + 1]bool
	for j := at - 1; j >= 0; j-- {
		below := f.frame(c, stack[j])
		has[below.part] = true
		st.emitted = st.emitted || viaLogger && below.emits
	}
	if has[sink] || !viaLogger && !builds {
		return // the record being written, or work of others in its arguments
	}
	if builds {
		add(&st.arguments)
		if f.buildsText(c, sample, stack, at, st) {
			add(&st.text)
		}
	}
	// The allocation profile names the allocating function only; all of its
	// samples are allocations.
	switch {
	case has[alloc] || c == f.s.Allocs:
		add(&st.alloc)
	case has[format], builds && at > 0: // strconv in an argument: it is built for the record
		add(&st.format)
	default:
		return
	}
	add(&st.avoidable)
}

// attribute finds the log statement a stack passes through: the outermost, at
// the index of the user's own frame.
func (f *finder) attribute(c *hot.Classified, stack []callstack.FrameID) (int, *statement) {
	for i := len(stack) - 1; i >= 0; i-- {
		here := f.frame(c, stack[i])
		if !here.own {
			continue
		}
		var callee *function
		if i > 0 {
			callee = f.frame(c, stack[i-1]).function
		}
		logs := callee != nil && callee.logs
		if logs && callee.homeMade && serves(c, stack[:i-1]) || here.isLogger(callee) {
			continue // a logger that is benchmarked, or the inside of one
		}
		frame := c.Frame(stack[i])
		if logs {
			fn := c.Frame(stack[i-1]).Function
			st := f.statement(f.s.StatementOf(frame, fn))
			st.add(fn)
			return i, st
		}
		if here.at == nil {
			here.at = f.statement(f.s.Statement(frame.File, frame.Line))
		}
		if len(here.at.weight) > 0 {
			return i, here.at
		}
	}
	return 0, nil
}

// serves reports whether a handler runs below: middleware logs a request and
// serves it, and only the first is logging.
func serves(c *hot.Classified, stack []callstack.FrameID) bool {
	return slices.ContainsFunc(stack, func(id callstack.FrameID) bool {
		return strings.HasSuffix(c.Frame(id).Function, ".ServeHTTP")
	})
}

// builds reports whether the own frame at index at builds an argument itself,
// by the runtime or the standard library. In the allocation profile the
// runtime's frames are left out, so that a leaf there builds.
func (f *finder) builds(c *hot.Classified, stack []callstack.FrameID, at int) bool {
	if at == 0 {
		return c == f.s.Allocs
	}
	callee := f.frame(c, stack[at-1])
	switch callee.part {
	case format, alloc, numbers:
		return true
	}
	first, _, _ := strings.Cut(callee.Package, "/")
	return (first == "strings" || first == "bytes") && !f.s.Own(c.Frame(stack[at-1]))
}

// statement returns what is known of a statement, at first by its own calls.
func (f *finder) statement(at diagnose.Statement) *statement {
	st := f.at[at.At()]
	if st == nil {
		st = &statement{Statement: at, called: calledName(at.Node), weight: make(map[string]int64)}
		f.at[at.At()] = st
		for _, c := range f.s.Sites(at) {
			if fn := c.Callee(); f.function(fn).logs {
				st.add(fn)
			}
		}
	}
	return st
}

func (st *statement) add(callee string) {
	st.weight[callee] += 0
	st.pure = st.pure || st.called != "" && symbolname.Parse(callee).Name == st.called
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
	name := types.ExprString(call.Fun)
	return name[strings.LastIndexByte(name, '.')+1:]
}
