package logging

import (
	"cmp"
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
			What:   "A log statement spends a share of the CPU time or of the allocated bytes on formatting, reflection and allocation, or on building the arguments of a record whose level is off.",
			Why:    "A record goes through reflection, maps and fmt for every call, and its arguments are evaluated before the logger can look at the level.",
			Silent: "When the logger only appends and writes bytes (the share alone is no fault); when the avoidable part is below the threshold; when a logger is itself what the benchmark calls or its package is the one under test; below the minimum of samples, for CPU time. A logger that is off can only be seen with typed calls, because nothing of it is in the profile.",
			Fix:    "Use typed fields and a logger that appends bytes, log a sample of the records, or log outside the hot path; where the level is off, ask whether it is enabled before the arguments are built.",
			Before: "log.WithFields(logrus.Fields{\"user\": id, \"n\": n}).Info(\"seen\")",
			After:  "logger.Info().Int(\"user\", id).Int(\"n\", n).Msg(\"seen\") // zerolog",
		},
		Evidence:   []diagnose.EvidenceKind{diagnose.EvidenceCPU, diagnose.EvidenceAllocs, diagnose.EvidenceSource, diagnose.EvidenceCalls},
		MinSamples: diagnose.MinCPUSamples,
		Covers:     []string{"fmt-format", "string-copy", "buffer-per-call", "slice-growth", "collection-per-call"},
		Find:       find,
	}
}

// statement collects the samples of one log statement.
type statement struct {
	diagnose.Statement
	function string
	called   string // the outermost call of a call statement
	pure     bool   // the whole statement is a log call
	logger   string
	weight   map[string]int64 // CPU, then bytes, by function logged through

	cpu, allocs samplesOf
	emitted     bool // some sample shows the record rendered or written
}

// samplesOf are the sets of one profile.
type samplesOf struct {
	cost      diagnose.Set // everything of the statement
	avoidable diagnose.Set // rendering, reflection, allocation below the logger or in its arguments
	arguments diagnose.Set // built before the logger was called
	text      diagnose.Set // of these, the message or an argument made into text
	format    diagnose.Set
	alloc     diagnose.Set
}

type finder struct {
	*loggers
	spots map[diagnose.SourceLine]*spot
	lines map[*callstack.Frame]*spot // the same by frame: stacks repeat them
	order []*statement
}

// spot is what is known of a statement: nil where none is known to log.
type spot struct{ *statement }

func find(s *diagnose.Subject) []diagnose.Claim {
	if Package(s.Package) {
		return nil
	}
	f := &finder{loggers: newLoggers(s), spots: make(map[diagnose.SourceLine]*spot), lines: make(map[*callstack.Frame]*spot)}
	// Statements are found first: an argument's sample may come before the
	// sample that shows what the statement is.
	f.discover(s.CPU, s.CPUColumn)
	f.discover(s.Allocs, s.AllocCol)
	f.walk(s.CPU, s.CPUColumn, func(st *statement) *samplesOf { return &st.cpu })
	f.walk(s.Allocs, s.AllocCol, func(st *statement) *samplesOf { return &st.allocs })
	slices.SortFunc(f.order, func(a, b *statement) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.First, b.First))
	})
	var claims []diagnose.Claim
	for _, st := range f.order {
		if c, ok := f.claim(st); ok {
			claims = append(claims, c)
		}
	}
	return claims
}

func (f *finder) discover(c *hot.Classified, col int) {
	diagnose.EachBase(c, col, func(_ *callstack.Stacks, stack []callstack.FrameID) { f.attribute(c, stack) })
}

func (f *finder) walk(c *hot.Classified, col int, of func(*statement) *samplesOf) {
	diagnose.EachBase(c, col, func(sample *callstack.Stacks, stack []callstack.FrameID) {
		at, st := f.attribute(c, stack)
		if st == nil {
			return
		}
		set := of(st)
		viaLogger := at > 0 && f.logs(c.Frame(stack[at-1]).Function)
		if !viaLogger && !st.pure && !f.builds(c, stack, at) {
			return // the rest of a statement that also logs
		}
		set.cost.Add(sample.Index())
		if viaLogger {
			st.weight[c.Frame(stack[at-1]).Function] += sample.Value(col)
		}
		if fn := c.Frame(stack[at]).Function; st.function == "" || fn < st.function {
			st.function = fn
		}
		var has [numbers + 1]bool
		for j := at - 1; j >= 0; j-- {
			fn := c.Frame(stack[j]).Function
			has[partOf(fn)] = true
			st.emitted = st.emitted || viaLogger && emits(fn)
		}
		switch {
		case has[sink]:
			return // the record being written
		case viaLogger, f.builds(c, stack, at):
			if !viaLogger {
				set.arguments.Add(sample.Index())
				if buildsText(c, sample, stack, at, st) {
					set.text.Add(sample.Index())
				}
			}
			// The allocation profile names the allocating function only; all
			// of its samples are allocations.
			isAlloc := has[alloc] || c == f.s.Allocs
			switch {
			case isAlloc:
				set.alloc.Add(sample.Index())
			case has[format]:
				set.format.Add(sample.Index())
			default:
				if viaLogger || at == 0 {
					return
				}
				set.format.Add(sample.Index()) // strconv in an argument: it is built for the record
			}
			set.avoidable.Add(sample.Index())
		}
	})
}

// attribute finds the log statement a stack passes through: the outermost, at
// the index of the user's own frame.
func (f *finder) attribute(c *hot.Classified, stack []callstack.FrameID) (int, *statement) {
	for i := len(stack) - 1; i >= 0; i-- {
		frame := c.Frame(stack[i])
		if !f.s.Own(frame) {
			continue
		}
		var callee *loggerName
		if i > 0 {
			callee = f.frame(c.Frame(stack[i-1]))
		}
		logs := callee != nil && callee.logs
		if logs && callee.homeMade && serves(c, stack[:i-1]) {
			continue
		}
		inBenchmark := f.s.Loops.InBenchmark(frame.File, frame.Line)
		switch {
		case inBenchmark || f.frame(frame).isLogger(callee):
			continue // a logger that is benchmarked, or the inside of one
		case logs:
			fn := c.Frame(stack[i-1]).Function
			return i, f.statement(f.s.StatementOf(frame, fn), fn)
		}
		if st := f.lookup(frame); st != nil {
			return i, st
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
	fn := c.Frame(stack[at-1]).Function
	switch partOf(fn) {
	case format, alloc, numbers:
		return true
	}
	first, _, _ := strings.Cut(symbolname.Package(fn), "/")
	return (first == "strings" || first == "bytes") && !f.s.Own(c.Frame(stack[at-1]))
}

// lookup returns the log statement at a frame's line if the typed calls know
// one there, also one whose logger never shows in the profile.
func (f *finder) lookup(frame *callstack.Frame) *statement {
	if known := f.lines[frame]; known != nil {
		return known.statement
	}
	at := f.s.Statement(frame.File, frame.Line)
	if f.spots[at.At()] == nil {
		calls, _ := f.s.StatementCalls(at)
		for _, c := range calls {
			if f.logs(c.Callee) {
				f.statement(at, c.Callee)
				break
			}
		}
	}
	f.lines[frame] = f.spot(at)
	return f.lines[frame].statement
}

func (f *finder) spot(at diagnose.Statement) *spot {
	known := f.spots[at.At()]
	if known == nil {
		known = &spot{}
		f.spots[at.At()] = known
	}
	return known
}

// statement returns what is known of a statement that calls the logging
// function callee.
func (f *finder) statement(at diagnose.Statement, callee string) *statement {
	known := f.spot(at)
	st := known.statement
	if st == nil {
		st = &statement{Statement: at, called: calledName(at.Node), weight: make(map[string]int64)}
		calls, _ := f.s.StatementCalls(at)
		for _, c := range calls {
			if f.logs(c.Callee) {
				st.add(c.Callee)
			}
		}
		known.statement = st
		f.order = append(f.order, st)
	}
	st.add(callee)
	return st
}

func (st *statement) add(callee string) {
	st.weight[callee] += 0
	st.pure = st.pure || st.called != "" && symbolname.Parse(callee).Name == st.called
}
