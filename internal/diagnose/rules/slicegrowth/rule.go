package slicegrowth

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/finding"
	"whet/internal/quantity"
	"whet/internal/typed"
)

// Rule returns the rule.
func Rule() diagnose.Rule {
	return diagnose.Rule{
		ID:    "slice-growth",
		Title: "a slice grows although its length is known",
		Doc: diagnose.Doc{
			What:   "A slice grows by append in a loop whose number of rounds is known beforehand: the length of the ranged value, or the limit of a counter. It may append in the branches of an if or switch, the same number of elements in each.",
			Why:    "append moves a full slice into a new block, 1.25 to 2 times as large. Up to the final size each element is copied about once more, and the outgrown blocks, about as much memory as the last one, are left to the garbage collector.",
			Silent: "For slices that reuse a buffer (x[:0], a field), whose growth ends soon; where the final size is unknown (a scanner, a channel, an iterator, a queue that grows while it is read, appended parts of unknown length), where only a reused buffer helps; for a first block that is large enough; for the last block, which is needed anyway; for all but the copying, where a condition decides which elements are appended, or branches append different numbers; where the type of the ranged value was not recorded.",
			Fix:    "Call make([]T, 0, n) before the loop, or slices.Grow if the slice comes from the caller.",
			Before: "var out []string\nfor _, u := range users { out = append(out, u.Name) }",
			After:  "out := make([]string, 0, len(users))\nfor _, u := range users { out = append(out, u.Name) }",
		},
		Evidence:   []diagnose.EvidenceKind{diagnose.EvidenceCPU, diagnose.EvidenceAllocs, diagnose.EvidenceSource, diagnose.EvidenceCalls},
		MinSamples: diagnose.MinCPUSamples,
		// A size that is known is the better advice.
		Outranks: []string{"collection-per-call"},
		Find:     find,
	}
}

// slice is a variable that grows in a loop, by one or more statements.
type slice struct {
	diagnose.Statement // the first that appends
	growth
	function           string
	cpu, copying, heap diagnose.Set
}

// line is what grows at a line.
type line struct {
	*slice      // nil where the rule has nothing to say about it; several lines may have one
	mixed  bool // the statement allocates in other ways too
}

type finder struct {
	s     *diagnose.Subject
	at    map[diagnose.SourceLine]line
	known map[variable]*slice
}

func find(s *diagnose.Subject) (claims []diagnose.Claim) {
	f := &finder{s: s, at: make(map[diagnose.SourceLine]line), known: make(map[variable]*slice)}
	diagnose.EachBase(s.CPU, s.CPUColumn, func(sample *callstack.Stacks, stack []callstack.FrameID) {
		at, copies := growslice(s.CPU, stack)
		if at < 0 || !s.Own(s.CPU.Frame(stack[at])) {
			return
		}
		if l := f.line(s.CPU.Frame(stack[at])); l.slice != nil {
			l.cpu.Add(sample.Index())
			if copies {
				l.copying.Add(sample.Index())
			}
		}
	})
	diagnose.EachBase(s.Allocs, s.AllocCol, func(sample *callstack.Stacks, stack []callstack.FrameID) {
		// The allocation profile leaves the runtime's own frames out.
		leaf := s.Allocs.Frame(stack[0])
		if !s.Own(leaf) {
			return
		}
		if l := f.line(leaf); l.slice != nil && !l.mixed {
			l.heap.Add(sample.Index())
		}
	})
	for _, sl := range f.known {
		if c, ok := f.claim(sl); ok {
			claims = append(claims, c)
		}
	}
	return claims
}

// growslice finds the frame that appends: the caller of the runtime's
// growslice, -1 for none. copies: the sample moves elements.
func growslice(c *hot.Classified, stack []callstack.FrameID) (at int, copies bool) {
	grows := false
	for i, id := range stack {
		fn := c.Frame(id).Function
		if !diagnose.OfRuntime(fn) {
			if grows {
				return i, copies
			}
			break
		}
		name := strings.TrimPrefix(fn, "runtime.")
		grows = strings.HasPrefix(name, "growslice") // growsliceBuf may call growslice
		copies = copies || name == "memmove" || strings.HasPrefix(name, "typedmemmove") || strings.HasPrefix(name, "bulkBarrierPreWrite")
	}
	return -1, false
}

// line returns what grows at a frame's line.
func (f *finder) line(frame *callstack.Frame) line {
	key := diagnose.SourceLine{File: frame.File, Line: frame.Line}
	l, ok := f.at[key]
	if !ok {
		st := f.s.Statement(frame.File, frame.Line)
		if g, grows := growthOf(f.s, st); grows {
			if l.slice = f.known[g.variable]; l.slice == nil {
				l.slice = &slice{Statement: st, growth: g, function: frame.Function}
				f.known[g.variable] = l.slice
			}
			if st.First < l.First {
				l.Statement = st
			}
			l.mixed = allocatesOtherwise(f.s, st)
		}
		f.at[key] = l
	}
	if l.slice != nil {
		l.function = min(l.function, frame.Function)
	}
	return l
}

func (f *finder) claim(sl *slice) (diagnose.Claim, bool) {
	s := f.s
	none := func(int) bool { return false }
	c := diagnose.Claim{
		Place:      sl.Place(sl.function),
		Cost:       diagnose.Samples{CPU: sl.cpu.Keep()},
		Avoidable:  diagnose.Samples{CPU: none, Allocs: none},
		Confidence: sl.confidence(),
	}
	outgrown, share, grows := s.Outgrown(&sl.heap)
	if sl.heap.Len() > 0 && !grows {
		return c, false // one block, or not a slice's growth
	}
	var avoidable diagnose.Set
	if grows {
		c.Cost.Allocs = sl.heap.Keep()
		if sl.exact {
			c.Avoidable.Allocs = outgrown.Keep()
			rest := sl.cpu.Without(&sl.copying)
			avoidable = diagnose.Portion(s.CPU, s.CPUColumn, &rest, share)
		}
	}
	avoidable.Join(&sl.copying)
	if keep := avoidable.Keep(); keep != nil {
		c.Avoidable.CPU = keep
	}
	if avoidable.Len() == 0 && (!grows || !sl.exact) {
		return c, false
	}
	c.Why = fmt.Sprintf("%s grows by append from %s, and each time it is full its elements move to a new block, although %s.", sl.name, sl.from, sl.known())
	c.Remedy = sl.remedy()
	if keep := c.Cost.CPU; keep != nil {
		c.Evidence = append(c.Evidence, finding.Evidence{Kind: "cpu", Text: fmt.Sprintf("%d of %d base samples grow the slice, %d of them copy its elements",
			s.CPUSamples(keep), s.BaseCPUSamples(), s.CPUSamples(sl.copying.Keep()))})
	}
	if s.AllocShare(c.Cost.Allocs) > 0 {
		_, perOp := s.AllocBytes(c.Cost.Allocs)
		_, given := s.AllocBytes(outgrown.Keep())
		text := fmt.Sprintf("%s of the base's allocated bytes are its blocks", quantity.Percent(s.AllocShare(c.Cost.Allocs)))
		if perOp > 0 {
			text += fmt.Sprintf(", %.0f bytes per %s, of which %.0f were outgrown", perOp, s.Iteration(), given)
		}
		c.Evidence = append(c.Evidence, finding.Evidence{Kind: "allocs", Text: text})
	}
	return c, true
}

func (g *growth) confidence() finding.Confidence {
	if g.exact && !g.param && !g.sum {
		return finding.High
	}
	return finding.Medium
}

// known says what the final size is.
func (g *growth) known() string {
	switch {
	case g.sum && g.parts:
		return "the appended parts exist before the loop, so that a first pass can add up their lengths"
	case g.sum:
		return "a first pass can count the elements"
	case !g.exact:
		return "there can be at most " + g.size(" times ", " and ")
	}
	return "its length is known before the loop: " + g.size(" times ", " and ")
}

func (g *growth) remedy() string {
	size := g.size("*", "+")
	text := fmt.Sprintf("Make it with that capacity before the loop: make(%s, 0, %s).", g.typ, size)
	if g.first > 0 {
		text += " The elements of the literal are appended first."
	}
	if g.param {
		text = fmt.Sprintf("Make room once before the loop: %s = slices.Grow(%s, %s).", g.name, g.name, size)
	}
	if g.sum {
		text = "Count first, in a loop that only adds lengths to n. " + text
	}
	if !g.exact {
		text += " If few elements pass the condition, that takes more memory than growth does: then append to a reused buffer."
	} else {
		text += " If the slice is not kept, a reused buffer (x[:0]) saves the last block too."
	}
	return text
}

// allocatesOtherwise reports whether a statement that appends may allocate
// anything but the slice's blocks, which the allocation profile does not tell
// apart.
func allocatesOtherwise(s *diagnose.Subject, st diagnose.Statement) bool {
	return allocates(s.PackageOf(st.File), st) || slices.ContainsFunc(s.Sites(st), func(c typed.Site) bool {
		switch c.In.Builtin(c.CallExpr) {
		case "append":
			return makesElements(c)
		case "make", "new":
			return true
		case "":
			x, to := c.In.Conversion(c.CallExpr)
			if to == nil {
				return c.In.Function(c.CallExpr) == nil
			}
			from := c.In.TypeOf(x)
			return typed.IsString(to) && typed.Element(from) != nil || typed.Element(to) != nil && typed.IsString(from)
		}
		return false
	})
}

// makesElements reports whether what is appended may have to be made first: it is
// converted, perhaps into an interface, which boxes it.
func makesElements(c typed.Site) bool {
	element := typed.Element(c.In.TypeOf(c.Args[0]))
	return element == nil || len(c.Args) < 2 || c.Ellipsis == token.NoPos && slices.ContainsFunc(c.Args[1:], func(arg ast.Expr) bool {
		t := c.In.TypeOf(arg)
		return !c.In.Info.Types[arg].IsNil() && (t == nil || !types.Identical(t, element))
	})
}

// allocates reports whether a statement itself holds an expression that may need
// memory beside calls: a literal of a slice or map, a pointer to a literal, a
// function literal, joined strings.
func allocates(pkg *typed.Package, st diagnose.Statement) (found bool) {
	st.Head(func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			found = true
		case *ast.CompositeLit:
			_, slice := typed.Under[*types.Slice](pkg.TypeOf(n))
			_, mapped := typed.Under[*types.Map](pkg.TypeOf(n))
			found = found || slice || mapped
		case *ast.UnaryExpr:
			_, lit := ast.Unparen(n.X).(*ast.CompositeLit)
			found = found || lit && n.Op == token.AND
		}
		found = found || pkg.Joins(n)
		return !found
	})
	return found
}
