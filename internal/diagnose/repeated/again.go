package repeated

import (
	"fmt"
	"slices"
	"strings"

	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/finding"
	"whet/internal/format/compiler"
	"whet/internal/quantity"
	"whet/internal/recording"
)

const (
	// minCalls is how often something must have been done to be repeated.
	minCalls = 10
	// rare: what is done less than once in so many iterations costs little or
	// is a cache's miss.
	rare = 100
	// onceAtMost, in nanoseconds of CPU time, is more than one call of the
	// functions looked for takes.
	onceAtMost = 200e6
	// minPasses is how many passes of its loop a call must be seen in for each
	// iteration before it is worth taking out of the loop.
	minPasses = 4
)

// Calls estimates how often the place was passed through from its counted
// allocations; 0 where it cannot be known.
func (p *Place) Calls() int64 { return p.calls }

func (p *Place) counted() int64 {
	s := p.subject
	if s.Allocs == nil || s.Kind != "" && s.Kind != recording.TargetBenchmark {
		return 0
	}
	blocks := make(map[callstack.StackID]int64)
	for i := range s.Allocs.Class {
		if keep := p.Cost.Allocs; keep != nil && keep(i) {
			n, _ := s.Blocks(i)
			blocks[s.Allocs.StackID(i)] += n
		}
	}
	counts := make([]int64, 0, len(blocks))
	for _, n := range blocks {
		counts = append(counts, n)
	}
	if len(counts) == 0 {
		return 0
	}
	slices.Sort(counts)
	return counts[len(counts)/4]
}

// Repeated reports whether the place does its work again and again. bulk says
// that a single call may take any time, as it does for reading a file.
func (p *Place) Repeated(bulk bool) bool {
	s := p.subject
	if n := p.calls; n > 0 {
		// A list's elements make so many different calls.
		return n >= minCalls*int64(max(p.Of, 1)) && n*rare >= s.AllocIterations && (p.By != compiler.FixedLoop || p.passes() >= minPasses)
	}
	if p.By == compiler.FixedLoop && !p.inMain() {
		return false // whether the loop makes more than one pass is not known
	}
	if bulk && s.Kind == recording.TargetProgram && p.At.Loop == nil {
		return false
	}
	return float64(s.CPUSamples(p.Cost.CPU))*float64(max(s.CPUPeriod.Nanoseconds(), 1e7)) >= onceAtMost*float64(max(p.Of, 1))
}

// inMain: the loop is entered once.
func (p *Place) inMain() bool { return p.Function == "main.main" && p.At.Loop != nil }

// passes is how often the call is made for each iteration; 0: not known.
func (p *Place) passes() float64 {
	if p.subject.AllocIterations <= 0 {
		return 0
	}
	return float64(p.calls) / float64(p.subject.AllocIterations)
}

// avoid makes the avoidable sets. Taken out of its loop a call is still made
// once for each time the loop is entered: of k calls in an iteration one stays.
func (p *Place) avoid() {
	if p.By == compiler.FixedLoop {
		if k := p.passes(); k > 1 {
			s := p.subject
			if s.CPU != nil {
				p.cpu.avoidable = diagnose.Portion(s.CPU, s.CPUColumn, &p.cpu.avoidable, 1-1/k)
			}
			if s.Allocs != nil {
				p.mem.avoidable = diagnose.Portion(s.Allocs, s.AllocCol, &p.mem.avoidable, 1-1/k)
			}
		}
	}
	none := func(int) bool { return false }
	p.Avoidable = diagnose.Samples{CPU: p.cpu.avoidable.Keep(), Allocs: p.mem.avoidable.Keep()}
	if p.Avoidable.CPU == nil && p.Avoidable.Allocs == nil {
		p.Avoidable = diagnose.Samples{CPU: none, Allocs: none}
	}
}

// Confidence is how far the evidence carries: a constant in the call itself is
// certain, a variable that nobody is seen to change nearly so.
func (p *Place) Confidence() finding.Confidence {
	switch {
	case p.By == compiler.FixedLoop && p.again:
		return finding.Low // the passes may be those of another loop
	case p.By == compiler.FixedConst && !p.Handed && p.Typed:
		return finding.High
	}
	return finding.Medium
}

// Reason says in words why the call does the same each time.
func (p *Place) Reason() string {
	switch {
	case p.Handed && p.By == compiler.FixedElement:
		return "its callers give it the elements of a list of constants"
	case p.Handed:
		return "its callers give it constants"
	case p.By == compiler.FixedVar:
		return "its arguments are constants and package variables that their package sets only where it declares them"
	case p.By == compiler.FixedElement:
		return fmt.Sprintf("its arguments are the %d elements of a list of constants", p.Of)
	case p.By == compiler.FixedLoop:
		return "its arguments do not change in the loop around it"
	}
	return "its arguments are constants"
}

// Evidence is the place's figures.
func (p *Place) Evidence() []finding.Evidence {
	s := p.subject
	var out []finding.Evidence
	names := strings.Join(p.ShortNames(), ", ")
	if keep := p.Cost.CPU; keep != nil {
		text := fmt.Sprintf("%d of %d base samples are in %s", s.CPUSamples(keep), s.BaseCPUSamples(), names)
		if p.Avoidable.CPU != nil && s.CPUShare(p.Avoidable.CPU) < s.CPUShare(keep) {
			text += fmt.Sprintf("; %s of the base's CPU time is avoidable", quantity.Percent(s.CPUShare(p.Avoidable.CPU)))
		}
		out = append(out, finding.Evidence{Kind: "cpu", Text: text})
	}
	if keep := p.Cost.Allocs; s.AllocShare(keep) > 0 {
		_, perOp := s.AllocBytes(keep)
		text := quantity.Percent(s.AllocShare(keep)) + " of the base's allocated bytes"
		if perOp > 0 {
			text += fmt.Sprintf(", %.0f per %s", perOp, s.Iteration())
		}
		out = append(out, finding.Evidence{Kind: "allocs", Text: text})
	}
	if n := p.calls; n > 0 && s.AllocIterations > 0 {
		out = append(out, finding.Evidence{Kind: "allocs", Text: fmt.Sprintf("by the blocks counted, about %d calls in %d iterations", n, s.AllocIterations)})
	}
	text := p.Reason()
	if len(p.Values) > 0 {
		text += ": " + quoted(p.Values)
	}
	return append(out, finding.Evidence{Kind: "source", Text: text})
}

// ShortNames are the functions without the path of their package.
func (p *Place) ShortNames() []string {
	out := make([]string, len(p.Names))
	for i, n := range p.Names {
		out[i] = n[strings.LastIndexByte(n, '/')+1:]
	}
	return out
}

const (
	maxQuoted = 60 // bytes of a value that are shown
	maxValues = 3
)

func quoted(values []string) string {
	var parts []string
	for _, v := range values[:min(len(values), maxValues)] {
		if len(v) > maxQuoted {
			v = strings.ToValidUTF8(v[:maxQuoted], "") + "…"
		}
		parts = append(parts, fmt.Sprintf("%q", v))
	}
	if more := len(values) - maxValues; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, ", ")
}
