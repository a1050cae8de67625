package readgrowth

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
		ID:    "read-growth",
		Title: "an input of known size read by growth",
		Doc: diagnose.Doc{
			What:   "io.ReadAll, or ReadFrom of a bytes.Buffer that is not sized, reads an input whose size is known or bounded: a body with a Content-Length, a file, a reader over memory.",
			Why:    "Neither asks for the size. ReadAll reads into pieces and copies them into one block at the end, a Buffer moves to a block twice as large each time it is full: about twice the memory and one more copy of everything.",
			Silent: "For readers whose size nothing tells (a decompressor, a pipe, an io.Reader that the caller hands over), where only a buffer that is reused helps; for inputs so small that the first block holds them; for buffers that are sized or reused, which do not grow; in the sampled profile of a service or a program, about all but the copying where too few blocks were caught to tell which were given up; for the reading itself; for json.NewDecoder, which need not read to the end.",
			Fix:    "A buffer of the known size (up to a bound, where a client states it), one that is reused, os.ReadFile for a file by name, or reading the input as a stream.",
			Before: "data, err := io.ReadAll(r.Body)",
			After:  "buf := pool.Get().(*bytes.Buffer)\nbuf.Reset()\nif n := r.ContentLength; 0 < n && n <= limit { buf.Grow(int(n) + bytes.MinRead) }\n_, err := buf.ReadFrom(io.LimitReader(r.Body, limit))",
		},
		Evidence:   []diagnose.EvidenceKind{diagnose.EvidenceCPU, diagnose.EvidenceAllocs, diagnose.EvidenceSource, diagnose.EvidenceCalls},
		MinSamples: diagnose.MinCPUSamples,
		Covers:     []string{"buffer-per-call"},
		Find:       find,
	}
}

// reading is one statement that reads an input whole.
type reading struct {
	diagnose.Statement
	function           string
	via                string // io.ReadAll or bytes.(*Buffer).ReadFrom
	input              input
	dropped            bool // what is read into is the function's own and ends with it
	cpu, copying, heap diagnose.Set
}

type finder struct {
	s     *diagnose.Subject
	at    map[diagnose.SourceLine]*reading // nil: of no interest
	order []*reading
}

func find(s *diagnose.Subject) []diagnose.Claim {
	f := &finder{s: s, at: make(map[diagnose.SourceLine]*reading)}
	diagnose.EachBase(s.CPU, s.CPUColumn, func(sample *callstack.Stacks, stack []callstack.FrameID) {
		if r, below := f.reading(s.CPU, stack); r != nil {
			r.cpu.Add(sample.Index())
			if strings.HasPrefix(below, "runtime.memmove") {
				r.copying.Add(sample.Index())
			}
		}
	})
	diagnose.EachBase(s.Allocs, s.AllocCol, func(sample *callstack.Stacks, stack []callstack.FrameID) {
		if r, _ := f.reading(s.Allocs, stack); r != nil {
			r.heap.Add(sample.Index())
		}
	})
	slices.SortFunc(f.order, func(a, b *reading) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.First, b.First))
	})
	var claims []diagnose.Claim
	for _, r := range f.order {
		if c, ok := f.claim(r); ok {
			claims = append(claims, c)
		}
	}
	return claims
}

// reading finds the statement whose growing memory a sample belongs to, and the
// function that the growing code calls directly ("" for itself).
func (f *finder) reading(c *hot.Classified, stack []callstack.FrameID) (*reading, string) {
	name := func(i int) string { return c.Frame(stack[i]).Function }
	i := 0
	for i < len(stack) && diagnose.OfRuntime(name(i)) {
		i++
	}
	below := ""
	if i > 0 {
		below = name(i - 1)
		// Go's memmove may be called through a helper of the runtime's.
		for j := range i {
			if strings.HasPrefix(name(j), "runtime.memmove") {
				below = name(j)
			}
		}
	}
	via := ""
	for ; i < len(stack); i++ {
		switch fn := name(i); fn {
		case "bytes.growSlice", "bytes.growSlice.func1", "bytes.(*Buffer).grow":
			continue
		case readAll, readFrom:
			via = fn
		default:
			return nil, ""
		}
		break
	}
	if via == "" {
		return nil, ""
	}
	for i++; i < len(stack); i++ {
		switch name(i) {
		case "io/ioutil.ReadAll", "io.Copy", "io.CopyN", "io.CopyBuffer", "io.copyBuffer":
			continue
		}
		break
	}
	if i == len(stack) || !f.s.Own(c.Frame(stack[i])) {
		return nil, ""
	}
	return f.statement(c.Frame(stack[i]), via), below
}

const (
	readAll  = "io.ReadAll"
	readFrom = "bytes.(*Buffer).ReadFrom"
)

func (f *finder) statement(frame *callstack.Frame, via string) *reading {
	at := f.s.Statement(frame.File, frame.Line)
	r, ok := f.at[at.At()]
	if !ok {
		if in, known := inputOf(f.s, at); known {
			r = &reading{Statement: at, input: in, via: via, dropped: via == readFrom && dropsBuffer(f.s, at)}
			f.order = append(f.order, r)
		}
		f.at[at.At()] = r
	}
	if r != nil && (r.function == "" || frame.Function < r.function) {
		r.function = frame.Function
	}
	return r
}

func (f *finder) claim(r *reading) (diagnose.Claim, bool) {
	s := f.s
	none := func(int) bool { return false }
	c := diagnose.Claim{
		Place:      r.Place(r.function),
		Cost:       diagnose.Samples{CPU: r.cpu.Keep()},
		Avoidable:  diagnose.Samples{CPU: none, Allocs: none},
		Confidence: r.input.confidence,
	}
	given, share, grows := s.Outgrown(&r.heap)
	if p, ps, pieces := f.pieces(r); pieces {
		given, share, grows = p, ps, true
	}
	// Where blocks are counted, those of a reading that grows show it. A sample
	// may have too few of them, or of too many inputs: then the copying alone
	// says that there was more than one block.
	untold := !grows && s.SampledAllocs() && f.sizes(r) > 1
	if r.heap.Len() > 0 && !grows && !untold {
		return c, false // the first block was enough
	}
	var avoidable diagnose.Set
	if grows {
		c.Cost.Allocs, c.Avoidable.Allocs = r.heap.Keep(), given.Keep()
		if r.dropped {
			// A buffer that is reused spares the last block too.
			c.Avoidable.Allocs, share = r.heap.Keep(), 1
		}
		rest := r.cpu.Without(&r.copying)
		avoidable = diagnose.Portion(s.CPU, s.CPUColumn, &rest, share)
	}
	avoidable.Join(&r.copying)
	if untold {
		c.Cost.Allocs = r.heap.Keep()
	}
	if keep := avoidable.Keep(); keep != nil {
		c.Avoidable.CPU = keep
	}
	if avoidable.Len() == 0 && !grows {
		return c, false
	}
	reads := "io.ReadAll reads into pieces that it copies together at the end"
	if r.via == readFrom {
		reads = "the buffer moves to a larger block each time it is full"
	}
	c.Why = fmt.Sprintf("The input is read whole and %s, although %s.", reads, r.input.known)
	c.Remedy = r.input.remedy(r.via)
	if keep := c.Cost.CPU; keep != nil {
		c.Evidence = append(c.Evidence, finding.Evidence{Kind: "cpu", Text: fmt.Sprintf("%d of %d base samples make room for the input, %d of them copy it",
			s.CPUSamples(keep), s.BaseCPUSamples(), s.CPUSamples(r.copying.Keep()))})
	}
	if s.AllocShare(c.Cost.Allocs) > 0 {
		_, perOp := s.AllocBytes(c.Cost.Allocs)
		_, extra := s.AllocBytes(given.Keep())
		text := fmt.Sprintf("%s of the base's allocated bytes are read into", quantity.Percent(s.AllocShare(c.Cost.Allocs)))
		switch {
		case untold:
			text += "; how many of its blocks were given up for others the sampled ones do not tell, so that only the copying counts as avoidable"
		case perOp > 0:
			text += fmt.Sprintf(", %.0f bytes per %s, of which %.0f were given up for another block", perOp, s.Iteration(), extra)
		}
		c.Evidence = append(c.Evidence, finding.Evidence{Kind: "allocs", Text: text})
	}
	return c, true
}
