package bufferpercall

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
)

// Rule returns the rule.
func Rule() diagnose.Rule {
	return diagnose.Rule{
		ID:    "buffer-per-call",
		Title: "a buffer made for every call",
		Doc: diagnose.Doc{
			What:   "A function makes a buffer on the heap in each call and drops it when it returns: a slice to read into or work in, a bytes.Buffer, a strings.Builder whose text is only written, a bufio.Reader or Writer, one inside a csv.Reader or Writer, a Scanner's buffer, that of a json.Decoder for a text in memory, a compressor or decompressor, a hash's state.",
			Why:    "Its memory is allocated, cleared and collected for every call, and what grows is grown again each time. A gzip.Writer alone takes some 800 KB.",
			Silent: "For buffers that outlive the call (returned, stored, sent, given to a goroutine or to a function that may keep them) and wherever the source does not show that they do not; for a buffer that the compiler keeps on the stack; for one that is made once in ten iterations or less, as a pool's are; for buffers that the benchmark itself makes; for what read-growth or logging says already.",
			Fix:    "A sync.Pool, or a field of a value that one goroutine uses at a time; before the loop where a loop makes it.",
			Before: "var buf bytes.Buffer\nrender(&buf, page)\nw.Write(buf.Bytes())",
			After:  "buf := pool.Get().(*bytes.Buffer)\ndefer pool.Put(buf)\nbuf.Reset()\nrender(buf, page)\nw.Write(buf.Bytes())",
		},
		Evidence:   []diagnose.EvidenceKind{diagnose.EvidenceCPU, diagnose.EvidenceAllocs, diagnose.EvidenceSource, diagnose.EvidenceCalls},
		MinSamples: diagnose.MinCPUSamples,
		Find:       find,
	}
}

func find(s *diagnose.Subject) []diagnose.Claim {
	f := newFinder(s)
	diagnose.EachBase(s.CPU, s.CPUColumn, func(sample *callstack.Stacks, stack []callstack.FrameID) {
		b, allocates := f.buffer(s.CPU, stack)
		if b == nil {
			return
		}
		b.cpu.Add(sample.Index())
		if allocates || !b.kind.resets {
			b.avoidable.Add(sample.Index())
		}
	})
	diagnose.EachBase(s.Allocs, s.AllocCol, func(sample *callstack.Stacks, stack []callstack.FrameID) {
		if b, _ := f.buffer(s.Allocs, stack); b != nil {
			b.heap.Add(sample.Index())
			n, _ := s.Blocks(sample)
			b.blocks += n
			b.inside = b.inside || slices.ContainsFunc(stack, func(id callstack.FrameID) bool { return s.Allocs.Frame(id).Function == b.kind.inside })
		}
	})
	slices.SortFunc(f.order, func(a, b *buffer) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.First, b.First), cmp.Compare(a.name, b.name))
	})
	var claims []diagnose.Claim
	for _, b := range f.order {
		if b.cpu.Len()+b.heap.Len() > 0 && f.inCalls(b) && (b.inside || b.kind.inside == "" || s.Allocs == nil) {
			claims = append(claims, f.claim(b))
		}
	}
	return claims
}

// inCalls reports whether the buffer is made again and again. Without an
// allocation profile the CPU time says so.
func (f *finder) inCalls(b *buffer) bool {
	return f.s.Allocs == nil || f.s.MadeInCalls(b.blocks)
}

// buffer finds the buffer that a sample takes memory for: that of the innermost
// function of the user's own which has one.
func (f *finder) buffer(c *hot.Classified, stack []callstack.FrameID) (b *buffer, allocates bool) {
	for i, id := range stack {
		frame := c.Frame(id)
		allocates = allocates || strings.HasPrefix(frame.Function, "runtime.mallocgc")
		if !f.s.Own(frame) {
			continue
		}
		if f.s.Loops.InBenchmark(frame.File, frame.Line) {
			return nil, false
		}
		if b := f.at(c, frame, stack[:i]); b != nil {
			if b.function == "" || frame.Function < b.function {
				b.function = frame.Function
			}
			return b, allocates
		}
	}
	return nil, false
}

func (f *finder) claim(b *buffer) diagnose.Claim {
	s := f.s
	none := func(int) bool { return false }
	name := b.name
	if name == "" {
		name = b.call + "(…)"
	}
	c := diagnose.Claim{
		Place:      b.Place(b.function),
		Cost:       diagnose.Samples{CPU: b.cpu.Keep(), Allocs: b.heap.Keep()},
		Avoidable:  diagnose.Samples{CPU: none, Allocs: b.heap.Keep()},
		Confidence: finding.High,
		Why:        fmt.Sprintf("%s is %s that is made in each call and that nothing holds when the function returns.", name, b.kind.what),
		Remedy:     b.kind.remedy,
	}
	if b.kind == scratch || b.followed {
		c.Confidence = finding.Medium
	}
	if keep := b.avoidable.Keep(); keep != nil {
		c.Avoidable.CPU = keep
	}
	if b.Loop != nil && b.kind != builder {
		c.Why = fmt.Sprintf("%s is %s that is made anew in each round of a loop and that nothing holds afterwards.", name, b.kind.what)
	}
	if b.Loop != nil && b.kind != builder && !b.kind.perInput {
		c.Remedy = "Make it once before the loop. Where the function itself is called often: " + strings.ToLower(c.Remedy[:1]) + c.Remedy[1:]
	}
	if keep := c.Cost.CPU; keep != nil {
		text := fmt.Sprintf("%d of %d base samples make the buffer or its memory", s.CPUSamples(keep), s.BaseCPUSamples())
		if b.kind.resets {
			text += fmt.Sprintf(", %d of them in the allocator; setting it up stays with Reset", s.CPUSamples(c.Avoidable.CPU))
		}
		c.Evidence = append(c.Evidence, finding.Evidence{Kind: "cpu", Text: text})
	}
	if s.AllocShare(c.Cost.Allocs) > 0 {
		_, perOp := s.AllocBytes(c.Cost.Allocs)
		text := fmt.Sprintf("%s of the base's allocated bytes", quantity.Percent(s.AllocShare(c.Cost.Allocs)))
		if perOp > 0 {
			text += fmt.Sprintf(", %.0f bytes in %.1f blocks per %s", perOp, float64(b.blocks)/float64(s.AllocIterations), s.Iteration())
		}
		c.Evidence = append(c.Evidence, finding.Evidence{Kind: "allocs", Text: text})
	}
	return c
}
