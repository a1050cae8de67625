package objectpercall

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/finding"
	"whet/internal/quantity"
	"whet/internal/symbolname"
)

// state is what a function builds inside for each call.
type state struct {
	what string
	// by are the beginnings of the names of the functions that take its memory;
	// nil: all that the function does builds it.
	by     []string
	remedy string
}

var states = map[string]state{
	"image/png.Encode": {
		what:   "makes an encoder in each call: a compressor, a buffer and the rows to filter, some 800 KB",
		by:     []string{"compress/", "image/png.", "bufio.NewWriterSize"},
		remedy: "Use a png.Encoder with a BufferPool (two methods over a sync.Pool) and call its Encode: the working memory is then kept from call to call. The compressing itself stays.",
	},
	"math/rand.NewSource": {
		what:   "seeds a source in each call, which fills 607 words",
		remedy: "Make the source once for each goroutine that draws, or use the functions of math/rand/v2, which need none, or its PCG where the numbers must be repeatable: it is seeded with two words.",
	},
	"golang.org/x/image/font/opentype.NewFace": {
		what:   "makes a face in each call, with its buffers",
		remedy: "Keep faces by size in a sync.Pool or one for each goroutine: a face is not safe for concurrent use.",
	},
}

// object is a statement that calls such a function.
type object struct {
	diagnose.Statement
	function, callee string
	cpu, mem         diagnose.Set
	// blocks are those of the largest size: one a call, or a few.
	blocks, size int64
}

// hidden claims the second sort.
func hidden(s *diagnose.Subject) []diagnose.Claim {
	at := make(map[diagnose.SourceLine]*object)
	walk := func(c *hot.Classified, col int, add func(o *object, sample *callstack.Stacks)) {
		diagnose.EachBase(c, col, func(sample *callstack.Stacks, stack []callstack.FrameID) {
			frame, st, callee := calls(s, c, stack)
			if frame == nil || !builds(c, stack, states[callee], c == s.Allocs) {
				return
			}
			k := st.At()
			o := at[k]
			if o == nil {
				o = &object{Statement: st, function: frame.Function, callee: callee}
				at[k] = o
			}
			add(o, sample)
		})
	}
	walk(s.CPU, s.CPUColumn, func(o *object, sample *callstack.Stacks) { o.cpu.Add(sample.Index()) })
	walk(s.Allocs, s.AllocCol, func(o *object, sample *callstack.Stacks) {
		o.mem.Add(sample.Index())
		n, size := s.Blocks(sample)
		switch {
		case size > o.size:
			o.blocks, o.size = n, size
		case size == o.size:
			o.blocks += n
		}
	})
	var claims []diagnose.Claim
	for _, o := range at {
		if s.Allocs == nil || s.MadeInCalls(o.blocks) {
			claims = append(claims, o.claim(s))
		}
	}
	slices.SortFunc(claims, func(a, b diagnose.Claim) int { return cmp.Compare(a.Place.Line, b.Place.Line) })
	return claims
}

// calls finds the innermost own frame of a stack that calls a function of the
// table; nil for none, and for one that the benchmark itself calls.
func calls(s *diagnose.Subject, c *hot.Classified, stack []callstack.FrameID) (frame *callstack.Frame, st diagnose.Statement, callee string) {
	for at := 1; at < len(stack); at++ {
		callee = c.Frame(stack[at-1]).Function
		if _, ok := states[callee]; !ok {
			continue
		}
		frame = c.Frame(stack[at])
		if !s.Own(frame) || s.Loops.InBenchmark(frame.File, frame.Line) {
			return nil, st, ""
		}
		return frame, s.StatementOf(frame, callee), callee
	}
	return nil, st, ""
}

// builds reports whether a sample takes memory for a state, or does anything
// where that is all the function does.
func builds(c *hot.Classified, stack []callstack.FrameID, of state, allocated bool) bool {
	if of.by == nil {
		return true
	}
	allocates := allocated
	for _, id := range stack {
		fn := c.Frame(id).Function
		if !diagnose.OfRuntime(fn) {
			return allocates && slices.ContainsFunc(of.by, func(prefix string) bool { return strings.HasPrefix(fn, prefix) })
		}
		allocates = allocates || strings.HasPrefix(fn, "runtime.mallocgc")
	}
	return false
}

func (o *object) claim(s *diagnose.Subject) diagnose.Claim {
	of := states[o.callee]
	name := symbolname.Short(o.callee)
	c := diagnose.Claim{
		Place:      o.Place(o.function),
		Cost:       diagnose.Samples{CPU: o.cpu.Keep(), Allocs: o.mem.Keep()},
		Confidence: finding.High,
		Why:        name + " " + of.what + ".",
		Remedy:     of.remedy,
	}
	if keep := c.Cost.CPU; keep != nil {
		c.Evidence = append(c.Evidence, finding.Evidence{Kind: "cpu", Text: fmt.Sprintf("%d of %d base samples %s", s.CPUSamples(keep), s.BaseCPUSamples(), o.does(name))})
	}
	if share := s.AllocShare(c.Cost.Allocs); share > 0 {
		_, perOp := s.AllocBytes(c.Cost.Allocs)
		c.Evidence = append(c.Evidence, finding.Evidence{Kind: "allocs", Text: fmt.Sprintf("%s of the base's allocated bytes%s; the largest block has %d bytes", quantity.Percent(share), s.PerIteration(perOp), o.size)})
	}
	return c
}

func (o *object) does(name string) string {
	if states[o.callee].by == nil {
		return "are in " + name
	}
	return "get and clear the memory that " + name + " works in; its work itself is not counted"
}
