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
		Title: "a buffer allocated in every call",
		Doc: diagnose.Doc{
			What:   "A function allocates a buffer on the heap in each call and drops it on return: a scratch slice or array, a bytes.Buffer, a strings.Builder whose string is only written, a bufio.Reader or Writer, the one inside a csv.Reader or Writer, the buffer of a Scanner or of a json.Decoder over data in memory, a compressor or decompressor, the state of a hash.",
			Why:    "Every call allocates and clears its memory, grows it again from the start, and leaves it to the garbage collector. A gzip.Writer alone takes some 800 KB.",
			Silent: "For buffers that outlive the call (returned, stored, sent, passed to a goroutine or to a function that may keep them) and wherever the source does not rule that out; for buffers that the compiler keeps on the stack; for those allocated in at most one of ten iterations, such as the buffers of a pool; for buffers of the benchmark itself; where read-growth or logging reports it already.",
			Fix:    "Allocate the buffer before the loop; if one goroutine at a time calls the method, in a field of the receiver; otherwise in a sync.Pool.",
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
	s, name, made := f.s, b.call+"(…)", "in each call and dropped on return"
	if b.v != nil {
		name = b.v.Name()
	}
	looped := b.Loop != nil && b.kind != builder
	if looped {
		made = "in each round of a loop and dropped afterwards"
	}
	c := diagnose.Claim{
		Place:      b.Place(b.function),
		Cost:       b.cost.Samples(),
		Avoidable:  diagnose.Samples{CPU: b.avoidable.Has, Allocs: b.cost.Allocs.Keep()},
		Confidence: finding.High,
		Why:        fmt.Sprintf("%s is %s, allocated %s.", name, b.kind.what, made),
		Remedy:     b.kind.remedy,
	}
	if b.kind == scratch || b.kind == array || b.followed {
		c.Confidence = finding.Medium
	}
	if b.kind == scratch && hashed(b.pkg, b.v) {
		c.Why = fmt.Sprintf("%s is a copy of other bytes, made in each call only to compute a checksum or a hash.", name)
		c.Remedy = "Do not copy: pass the parts one after the other to crc32.Update(sum, table, part) or to Write of a hash.Hash, with a few bytes in place of the part that differs."
	} else if looped && !b.kind.perInput {
		c.Remedy = "Allocate it once before the loop. If the function itself is called often: " + strings.ToLower(c.Remedy[:1]) + c.Remedy[1:]
	}
	does := "allocate the buffer"
	if b.kind.resets {
		does += fmt.Sprintf(", %d of them in the allocator; Reset still does the rest of the setup", s.CPUSamples(c.Avoidable.CPU))
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
