package bufferpercall

import (
	"fmt"
	"go/ast"
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
			What:   "A function makes a buffer on the heap in each call and drops it when it returns: a slice or an array to read into or work in, a bytes.Buffer, a strings.Builder whose text is only written, a bufio.Reader or Writer, one inside a csv.Reader or Writer, a Scanner's buffer, that of a json.Decoder for a text in memory, a compressor or decompressor, a hash's state.",
			Why:    "Its memory is allocated, cleared and collected for every call, and what grows is grown again each time. A gzip.Writer alone takes some 800 KB.",
			Silent: "For buffers that outlive the call (returned, stored, sent, given to a goroutine or to a function that may keep them) and wherever the source does not show that they do not; for a buffer that the compiler keeps on the stack; for one that is made once in ten iterations or less, as a pool's are; for buffers that the benchmark itself makes; for what read-growth or logging says already.",
			Fix:    "Made before the loop where a loop makes it; kept in a field of the receiver where one goroutine at a time calls the method; in a sync.Pool otherwise.",
			Before: "var buf bytes.Buffer\nrender(&buf, page)\nw.Write(buf.Bytes())",
			After:  "buf := pool.Get().(*bytes.Buffer)\ndefer pool.Put(buf)\nbuf.Reset()\nrender(buf, page)\nw.Write(buf.Bytes())",
		},
		Evidence:   []diagnose.EvidenceKind{diagnose.EvidenceCPU, diagnose.EvidenceAllocs, diagnose.EvidenceSource, diagnose.EvidenceCalls},
		MinSamples: diagnose.MinCPUSamples,
		Find:       find,
	}
}

func find(s *diagnose.Subject) []diagnose.Claim {
	f := &finder{s: s, functions: make(map[ast.Node][]*buffer)}
	s.EachSample(func(c *hot.Classified, sample *callstack.Stacks, stack []callstack.FrameID) {
		b, allocates := f.buffer(c, stack)
		if b == nil {
			return
		}
		b.cost.Of(s, c).Add(sample.Index())
		if c == s.Allocs {
			n, _ := s.Blocks(sample)
			b.blocks += n
			b.inside = b.inside || slices.ContainsFunc(stack, func(id callstack.FrameID) bool { return c.Frame(id).Function == b.kind.inside })
		} else if allocates || !b.kind.resets {
			b.avoidable.Add(sample.Index())
		}
	})
	var claims []diagnose.Claim
	for _, b := range f.order {
		// Without an allocation profile the CPU time says that it is made again and again.
		if b.cost.CPU.Len()+b.cost.Allocs.Len() > 0 && (s.Allocs == nil || s.MadeInCalls(b.blocks) && (b.inside || b.kind.inside == "")) {
			claims = append(claims, f.claim(b))
		}
	}
	return claims
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
			b.function = frame.Function
			return b, allocates
		}
	}
	return nil, false
}

func (f *finder) claim(b *buffer) diagnose.Claim {
	s, name, made := f.s, b.call+"(…)", "in each call and that nothing holds when the function returns"
	if b.v != nil {
		name = b.v.Name()
	}
	looped := b.Loop != nil && b.kind != builder
	if looped {
		made = "anew in each round of a loop and that nothing holds afterwards"
	}
	c := diagnose.Claim{
		Place:      b.Place(b.function),
		Cost:       b.cost.Samples(),
		Avoidable:  diagnose.Samples{CPU: b.avoidable.Has, Allocs: b.cost.Allocs.Keep()},
		Confidence: finding.High,
		Why:        fmt.Sprintf("%s is %s that is made %s.", name, b.kind.what, made),
		Remedy:     b.kind.remedy,
	}
	if b.kind == scratch || b.kind == array || b.followed {
		c.Confidence = finding.Medium
	}
	if b.kind == scratch && hashed(b.pkg, b.v) {
		c.Why = fmt.Sprintf("%s is a copy of other bytes, made in each call for a checksum or a hash alone.", name)
		c.Remedy = "Copy nothing: give the function the parts one after the other, those before and after what differs, crc32.Update(sum, table, part) or Write of a hash.Hash, with a few bytes for what stands in its place."
	} else if looped && !b.kind.perInput {
		c.Remedy = "Make it once before the loop. Where the function itself is called often: " + strings.ToLower(c.Remedy[:1]) + c.Remedy[1:]
	}
	does := "make the buffer or its memory"
	if b.kind.resets {
		does += fmt.Sprintf(", %d of them in the allocator; setting it up stays with Reset", s.CPUSamples(c.Avoidable.CPU))
	}
	c.Evidence = s.CPUEvidence(c.Cost.CPU, does)
	if share := s.AllocShare(c.Cost.Allocs); share > 0 {
		text := fmt.Sprintf("%s of the base's allocated bytes", quantity.Percent(share))
		if _, perOp := s.AllocBytes(c.Cost.Allocs); perOp > 0 {
			text += fmt.Sprintf(", %.0f bytes in %.1f blocks per %s", perOp, float64(b.blocks)/float64(s.AllocIterations), s.Iteration())
		}
		c.Evidence = append(c.Evidence, finding.Evidence{Kind: "allocs", Text: text})
	}
	return c
}
