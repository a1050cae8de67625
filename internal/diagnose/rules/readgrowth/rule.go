package readgrowth

import (
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
		Title: "a growing buffer for an input of known size",
		Doc: diagnose.Doc{
			What:   "io.ReadAll, or ReadFrom of an unsized bytes.Buffer, reads an input of known or bounded size: a body with a Content-Length, a file, a reader over memory.",
			Why:    "Neither knows the size. ReadAll reads into pieces and copies them into one block at the end; a full Buffer moves to a block twice as large. Either takes about twice the memory and copies the input once more.",
			Silent: "For readers of unknown size (a decompressor, a pipe, an io.Reader passed by the caller), for which only a reused buffer helps; for inputs that fit into the first block; for buffers that are sized or reused, which do not grow; in the sampled profile of a service or a program, for all but the copying if too few blocks were sampled to tell which were outgrown; for the reading itself; for json.NewDecoder, which need not read to the end.",
			Fix:    "Use a buffer of the known size (up to a bound, if a client states it) or a reused one, os.ReadFile for a file by name, or read the input as a stream.",
			Before: "data, err := io.ReadAll(r.Body)",
			After:  "buf := pool.Get().(*bytes.Buffer)\nbuf.Reset()\nif n := r.ContentLength; 0 < n && n <= limit { buf.Grow(int(n) + bytes.MinRead) }\n_, err := buf.ReadFrom(io.LimitReader(r.Body, limit))",
		},
		Evidence:   []diagnose.EvidenceKind{diagnose.EvidenceCPU, diagnose.EvidenceAllocs, diagnose.EvidenceSource, diagnose.EvidenceCalls},
		MinSamples: diagnose.MinCPUSamples,
		Covers:     []string{"buffer-per-call"},
		Find:       find,
	}
}

// readStatement is a statement that reads a whole input, with the samples that
// allocate its buffer and copy it, and the memory they take.
type readStatement struct {
	diagnose.Statement
	diagnose.Sets
	input
	function string
	via      string // readAll or readFrom
	dropped  bool   // the buffer is the function's own and ends with it
	copying  diagnose.Set
}

type finder struct {
	s  *diagnose.Subject
	at map[diagnose.SourceLine]*readStatement // nil: of no interest
}

func find(s *diagnose.Subject) (claims []diagnose.Claim) {
	f := &finder{s: s, at: make(map[diagnose.SourceLine]*readStatement)}
	s.EachSample(func(c *hot.Classified, sample *callstack.Stacks, stack []callstack.FrameID) {
		r, copies := f.reading(c, stack)
		if r == nil {
			return
		}
		r.Of(s, c).Add(sample.Index())
		if copies && c == s.CPU {
			r.copying.Add(sample.Index())
		}
	})
	for _, r := range f.at {
		if r == nil {
			continue
		}
		if c, ok := f.claim(r); ok {
			claims = append(claims, c)
		}
	}
	return claims
}

const (
	readAll  = "io.ReadAll"
	readFrom = "bytes.(*Buffer).ReadFrom"
)

// reading finds the statement whose growing memory a sample belongs to, and whether
// the sample copies what was read.
func (f *finder) reading(c *hot.Classified, stack []callstack.FrameID) (r *readStatement, copies bool) {
	name := func(id callstack.FrameID) string { return c.Frame(id).Function }
	skip := func(i int, functions ...string) int {
		for i < len(stack) && slices.Contains(functions, name(stack[i])) {
			i++
		}
		return i
	}
	i := slices.IndexFunc(stack, func(id callstack.FrameID) bool { return !diagnose.OfRuntime(name(id)) })
	if i < 0 {
		return nil, false
	}
	copies = slices.ContainsFunc(stack[:i], func(id callstack.FrameID) bool { return strings.HasPrefix(name(id), "runtime.memmove") })
	grows := skip(i, "bytes.growSlice", "bytes.growSlice.func1", "bytes.(*Buffer).grow")
	own := skip(grows+1, "io/ioutil.ReadAll", "io.Copy", "io.CopyN", "io.CopyBuffer", "io.copyBuffer")
	if own >= len(stack) || !f.s.Own(c.Frame(stack[own])) {
		return nil, false
	}
	via, frame := name(stack[grows]), c.Frame(stack[own])
	if via != readAll && via != readFrom {
		return nil, false
	}
	at := f.s.Statement(frame.File, frame.Line)
	r, ok := f.at[at.At()]
	if !ok {
		if in, dropped, known := inputOf(f.s, at); known {
			r = &readStatement{Statement: at, input: in, dropped: dropped && via == readFrom, via: via, function: frame.Function}
		}
		f.at[at.At()] = r
	}
	if r != nil {
		r.function = min(r.function, frame.Function)
	}
	return r, copies
}

func (f *finder) claim(r *readStatement) (diagnose.Claim, bool) {
	s := f.s
	given, share, grows := s.Outgrown(&r.Allocs)
	if p, ps, pieces := f.pieces(r); pieces {
		given, share, grows = p, ps, true
	}
	// Where blocks are counted, those of a reading that grows show it. A sample
	// may have too few of them, or of too many inputs: then the copying alone
	// says that there was more than one block.
	untold := !grows && s.SampledAllocs() && len(f.blocks(r)) > 1
	if r.Allocs.Len() > 0 && !grows && !untold {
		return diagnose.Claim{}, false // the first block was enough
	}
	memory, spared := given, diagnose.Set{}
	if grows {
		if r.dropped { // a buffer that is reused spares the last block too
			memory, share = r.Allocs, 1
		}
		rest := r.CPU.Without(&r.copying)
		spared = diagnose.Portion(s.CPU, s.CPUColumn, &rest, share)
	}
	spared.Join(&r.copying)
	if spared.Len() == 0 && !grows {
		return diagnose.Claim{}, false
	}
	reads := "io.ReadAll reads it into pieces and copies these together at the end"
	if r.via == readFrom {
		reads = "the buffer moves to a larger block each time it is full"
	}
	c := diagnose.Claim{
		Place:      r.Place(r.function),
		Cost:       r.Samples(),
		Avoidable:  diagnose.Samples{CPU: spared.Has, Allocs: memory.Has},
		Confidence: r.confidence,
		Why:        fmt.Sprintf("The whole input is read and %s, although %s.", reads, r.known),
		Remedy:     strings.ReplaceAll(remedies[r.via][r.sort], "{size}", r.size),
		Evidence:   s.CPUEvidence(r.CPU.Keep(), fmt.Sprintf("allocate room for the input, %d of them copy it", s.CPUSamples(r.copying.Keep()))),
	}
	if s.AllocShare(c.Cost.Allocs) > 0 {
		_, perOp := s.AllocBytes(c.Cost.Allocs)
		_, extra := s.AllocBytes(given.Keep())
		text := fmt.Sprintf("%s of the base's allocated bytes are buffers for the input", quantity.Percent(s.AllocShare(c.Cost.Allocs)))
		switch {
		case untold:
			text += "; the sampled blocks do not show how many were outgrown, so only the copying counts as avoidable"
		case perOp > 0:
			text += fmt.Sprintf(", %.0f bytes per %s, of which %.0f were outgrown", perOp, s.Iteration(), extra)
		}
		c.Evidence = append(c.Evidence, finding.Evidence{Kind: "allocs", Text: text})
	}
	return c, true
}
