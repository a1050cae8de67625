package repeated

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"whet/internal/diagnose"
	"whet/internal/finding"
	"whet/internal/quantity"
	"whet/internal/recording"
	"whet/internal/symbolname"
	"whet/internal/typed"
)

const (
	// minCalls is how often something must have been done to be repeated.
	minCalls = 10
	// rare: what is done less than once in so many iterations costs little or
	// is a cache's miss.
	rare = 100
	// onceAtMost, in nanoseconds of CPU time, is more than one call of the
	// functions looked for takes.
	onceAtMost = 100_000_000
	// minPasses is how many passes of its loop a call must be seen in for each
	// iteration before it is worth taking out of the loop.
	minPasses = 4
)

// tinyBlock, in bytes: smaller blocks without pointers share one of this size,
// so that their number is less than that of the allocations.
const tinyBlock = 16

// kind is a kind of block: what is allocated on one path below the place, in
// one size.
type kind struct {
	path string
	size int64
}

// count sets the number of calls: that which most of the place's kinds of block
// agree on. What is allocated once, for a cache inside the function called, can
// be most of the kinds though it is next to nothing; it is left out where CPU
// time shows that the place is busy.
func (p *CallSite) count() {
	s := p.subject
	if s.Kind != "" && s.Kind != recording.TargetBenchmark {
		return // sampled
	}
	if p.calls, p.agreed = p.counted(0); !p.often() && p.busy() {
		p.calls, p.agreed = p.counted(max(2, s.AllocIterations/rare))
	}
}

// counted returns the number that most of the place's kinds of block agree on,
// and whether at least half of them do, of those with at least so many blocks.
// Numbers agree that differ by a fiftieth at most.
func (p *CallSite) counted(least int64) (calls int64, agreed bool) {
	var counts, tiny []int64
	for k, n := range p.blocks {
		switch {
		case n < least:
		case k.size > tinyBlock:
			counts = append(counts, n)
		default:
			tiny = append(tiny, n)
		}
	}
	if len(counts) == 0 {
		counts = tiny
	}
	slices.Sort(counts)
	most := 0
	for i, j := 0, 0; i < len(counts); i++ {
		for j < len(counts) && counts[j]*50 <= counts[i]*51 {
			j++
		}
		if j-i > most {
			most, calls = j-i, counts[i]
		}
	}
	return calls, 2*most >= len(counts)
}

// often: so many calls are no set-up, and no misses of a cache. A list's
// elements make so many different calls.
func (p *CallSite) often() bool {
	return p.calls >= minCalls*int64(max(p.Of, 1)) && p.calls*rare >= p.subject.AllocIterations
}

// busy: the place takes more CPU time than a single call can.
func (p *CallSite) busy() bool {
	s := p.subject
	period := max(s.CPUPeriod.Nanoseconds(), 1e7)
	return s.CPUSamples(p.Cost.CPU)*period >= onceAtMost*int64(max(p.Of, 1))
}

// Repeated reports whether the place does its work again and again. bulk is set
// if a single call may take any time, such as reading a file.
func (p *CallSite) Repeated(bulk bool) bool {
	s := p.subject
	if p.calls > 0 {
		return p.often() && (p.By != typed.FixedLoop || p.passes() >= minPasses)
	}
	if p.By == typed.FixedLoop && !p.inMain() {
		return false // whether the loop makes more than one pass is not known
	}
	if bulk && s.Kind == recording.TargetProgram && p.At.Loop == nil {
		return false
	}
	return p.busy()
}

// inMain: the loop is entered once.
func (p *CallSite) inMain() bool { return p.Function == "main.main" && p.At.Loop != nil }

// passes returns how often the call is made for each iteration; 0: not known.
func (p *CallSite) passes() float64 {
	if p.subject.AllocIterations <= 0 {
		return 0
	}
	return float64(p.calls) / float64(p.subject.AllocIterations)
}

// Spared returns the part of some samples that goes away with the place's repeated
// calls. Moved out of its loop a call is still made each time the loop is
// entered: of k calls in an iteration one remains.
func (p *CallSite) Spared(of *diagnose.Sets) diagnose.Samples {
	s := p.subject
	if k := p.passes(); p.By == typed.FixedLoop && k > 1 {
		of = &diagnose.Sets{CPU: diagnose.Portion(s.CPU, s.CPUColumn, &of.CPU, 1-1/k), Allocs: diagnose.Portion(s.Allocs, s.AllocCol, &of.Allocs, 1-1/k)}
	}
	return of.Samples()
}

// Confidence returns the confidence of the evidence: a constant in the call itself is
// certain, a variable that the source never changes nearly so.
func (p *CallSite) Confidence() finding.Confidence {
	switch {
	case p.By == typed.FixedLoop && p.again:
		return finding.Low // the passes may be those of another loop
	case p.By == typed.FixedConst && !p.Handed:
		return finding.High
	}
	return finding.Medium
}

// Reason returns a clause on why the call does the same each time.
func (p *CallSite) Reason() string {
	switch {
	case p.Handed && p.By == typed.FixedElement:
		return "its callers pass the elements of a constant list"
	case p.Handed:
		return "its callers pass constants"
	case p.By == typed.FixedVar:
		return "its arguments are constants and package variables that the package sets only in their declarations"
	case p.By == typed.FixedElement:
		return fmt.Sprintf("its arguments are the %d elements of a constant list", p.Of)
	case p.By == typed.FixedLoop:
		return "its arguments do not change in the surrounding loop"
	}
	return "its arguments are constants"
}

// Evidence returns the place's figures.
func (p *CallSite) Evidence() []finding.Evidence {
	s := p.subject
	what := "are in " + strings.Join(p.ShortNames(), ", ")
	if p.Avoidable.CPU != nil && s.CPUShare(p.Avoidable.CPU) < s.CPUShare(p.Cost.CPU) {
		what += fmt.Sprintf("; %s of the base's CPU time is avoidable", quantity.Percent(s.CPUShare(p.Avoidable.CPU)))
	}
	out := append(s.CPUEvidence(p.Cost.CPU, what), s.AllocEvidence(p.Cost.Allocs)...)
	if n := p.calls; n > 0 && p.agreed && s.AllocIterations > 0 {
		out = append(out, finding.Evidence{Kind: "allocs", Text: fmt.Sprintf("about %s in %s, by the number of blocks of most sizes", quantity.Plural(int(n), "call"), quantity.Plural(int(s.AllocIterations), s.Iteration()))})
	}
	text := p.Reason()
	if len(p.Values) > 0 {
		text += ": " + quoted(p.Values)
	}
	return append(out, finding.Evidence{Kind: "source", Text: text})
}

// ShortNames returns the functions without the path of their package.
func (p *CallSite) ShortNames() []string {
	out := make([]string, len(p.Names))
	for i, n := range p.Names {
		out[i] = symbolname.Short(n)
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
		if strconv.CanBackquote(v) {
			parts = append(parts, "`"+v+"`")
		} else {
			parts = append(parts, strconv.Quote(v))
		}
	}
	if more := len(values) - maxValues; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, ", ")
}
