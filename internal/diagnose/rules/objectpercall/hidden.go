package objectpercall

import (
	"fmt"
	"slices"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/finding"
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
		remedy: "Use a png.Encoder with a BufferPool (two methods around a sync.Pool) and call its Encode: it then reuses the working memory. The compression itself remains.",
	},
	"math/rand.NewSource": {
		what:   "seeds a source in each call, which fills 607 words",
		remedy: "Make one source for each goroutine that draws, or use the functions of math/rand/v2, which need none; if the numbers must be repeatable, use its PCG, whose seed is two words.",
	},
	"golang.org/x/image/font/opentype.NewFace": {
		what:   "makes a face in each call, with its buffers",
		remedy: "Keep faces by size in a sync.Pool, or one for each goroutine: a face is not safe for concurrent use.",
	},
}

// object is a statement that calls such a function.
type object struct {
	diagnose.Statement
	function, callee string
	cost             diagnose.Sets
	// blocks are those of the largest size: one a call, or a few.
	blocks, size int64
}

// hidden claims the second sort.
func hidden(s *diagnose.Subject) (claims []diagnose.Claim) {
	at := make(map[diagnose.SourceLine]*object)
	s.EachSample(func(c *hot.Classified, sample *callstack.Stacks, stack []callstack.FrameID) {
		own := slices.IndexFunc(stack, func(id callstack.FrameID) bool { return s.Own(c.Frame(id)) })
		if own < 1 {
			return
		}
		frame, callee := c.Frame(stack[own]), c.Frame(stack[own-1]).Function
		if of, ok := states[callee]; !ok || s.Loops.InBenchmark(frame.File, frame.Line) || !builds(c, stack, of, c == s.Allocs) {
			return
		}
		st := s.StatementOf(frame, callee)
		o := at[st.At()]
		if o == nil {
			o = &object{Statement: st, function: frame.Function, callee: callee}
			at[st.At()] = o
		}
		o.cost.Of(s, c).Add(sample.Index())
		if c == s.CPU {
			return
		}
		switch n, size := s.Blocks(sample); {
		case size > o.size:
			o.blocks, o.size = n, size
		case size == o.size:
			o.blocks += n
		}
	})
	for _, o := range at {
		if s.Allocs == nil || s.MadeInCalls(o.blocks) {
			claims = append(claims, o.claim(s))
		}
	}
	return claims
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
	of, name, cost := states[o.callee], symbolname.Short(o.callee), o.cost.Samples()
	does := "are in " + name
	if of.by != nil {
		does = "allocate and clear the working memory of " + name + "; the call's actual work is not counted"
	}
	allocs := s.AllocEvidence(cost.Allocs)
	for i := range allocs {
		allocs[i].Text += fmt.Sprintf("; the largest block has %d bytes", o.size)
	}
	return diagnose.Claim{
		Place: o.Place(o.function), Cost: cost, Confidence: finding.High, Why: name + " " + of.what + ".", Remedy: of.remedy,
		Evidence: append(s.CPUEvidence(cost.CPU, does), allocs...),
	}
}
