package repeatedresult

import (
	"fmt"
	"slices"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/diagnose/purity"
	"whet/internal/finding"
	"whet/internal/quantity"
	"whet/internal/recording"
	"whet/internal/symbolname"
)

// Rule returns the rule.
func Rule() diagnose.Rule {
	return diagnose.Rule{
		ID:    "repeated-result",
		Title: "an expensive result computed again in every call",
		Doc: diagnose.Doc{
			What:   "A statement calls one of the program's own functions, which takes a quarter of the CPU time or more and at least 50 µs, with comparable arguments (numbers, strings, arrays and structs of them, beside a context), and only reads the result. As far as the source and the profile show, the same arguments give the same result.",
			Why:    "When the same arguments come back, the function computes a result that was already available.",
			Silent: "When an argument is a slice, map, pointer or function, or a string read as a whole (a body), or all of them are constants; when the result is changed, kept, returned or sent, for example after a cache miss; when the function changes state, takes a lock, reads variables that other code changes, hashes, uses random numbers, the time, files, connections or a database, or its source is not available; in loops, whose rounds a profile does not count; for calls by the benchmark itself; in a program that runs and ends, where the number of calls is unknown.",
			Fix:    "If the same arguments come back often, use a cache that is bounded in bytes and keyed by everything that determines the result; otherwise make the computation cheaper.",
			Before: "page, err := render(ctx, chart{Kind: kind, Year: year})\nif err != nil {\n\treturn err\n}\nw.Write(page)",
			After:  "c := chart{Kind: kind, Year: year}\npage, ok := h.pages.Get(c) // bounded, in bytes\nif !ok {\n\tpage, err = h.flights.Do(c, func() ([]byte, error) { return render(ctx, c) })\n\t…\n\th.pages.Add(c, page)\n}\nw.Write(page)",
		},
		Evidence:   []diagnose.EvidenceKind{diagnose.EvidenceCPU, diagnose.EvidenceAllocs, diagnose.EvidenceSource, diagnose.EvidenceCalls},
		Essential:  []diagnose.EvidenceKind{diagnose.EvidenceCPU},
		MinSamples: diagnose.MinCPUSamples,
		Find:       find,
	}
}

const (
	// dearShare is the share of the base's CPU time from which a result is worth
	// a cache with all that belongs to it.
	dearShare = 0.25
	// dearCall, in nanoseconds of CPU time, is a hundred times what a look-up
	// under a lock takes.
	dearCall = 50_000
	// dearSamples is how many it takes to say so.
	dearSamples = 10
)

func find(s *diagnose.Subject) []diagnose.Claim {
	// Each run of a program is one iteration, and may call but once.
	if s.CPUIterations <= 0 || s.Kind == recording.TargetProgram {
		return nil
	}
	f := &finder{s: s, judge: purity.New(s), at: make(map[key]*result)}
	diagnose.EachBase(s.CPU, s.CPUColumn, f.pass)
	for _, r := range f.order {
		r.out = !f.dear(&r.through) || !f.pure(r)
	}
	s.EachSample(func(c *hot.Classified, sample *callstack.Stacks, stack []callstack.FrameID) {
		on := f.onStack(c, stack)
		if i := slices.IndexFunc(on, func(r step) bool { return !r.out }); i >= 0 {
			on[i].Of(s, c).Add(sample.Index())
		}
	})
	var claims []diagnose.Claim
	for _, r := range f.order {
		if !r.out && f.dear(&r.CPU) {
			claims = append(claims, f.claim(r))
		}
	}
	return claims
}

// dear reports whether samples are enough of the base, and of an iteration.
func (f *finder) dear(set *diagnose.Set) bool {
	keep := set.Keep()
	return f.s.CPUSamples(keep) >= dearSamples && f.s.CPUShare(keep) >= dearShare && f.perCall(set) >= dearCall
}

// perCall returns a set's CPU time of an iteration, in nanoseconds.
func (f *finder) perCall(set *diagnose.Set) float64 {
	return float64(f.s.CPU.Sum(f.s.CPUColumn, set.Has)) / float64(f.s.CPUIterations)
}

func (f *finder) claim(r *result) diagnose.Claim {
	s := f.s
	name := symbolname.Short(r.callee)
	per := quantity.Nanoseconds(f.perCall(&r.CPU))
	c := diagnose.Claim{
		Place:      r.Place(r.function),
		Cost:       r.Samples(),
		Confidence: finding.Medium,
		Why: fmt.Sprintf("%s takes %s of CPU time per %s, depends on its arguments alone as far as the source and the profile show, and is computed in every %s.",
			name, per, s.Iteration(), s.Iteration()),
		Remedy: "Count the distinct arguments. If they come back, keep the results in a cache that is bounded in bytes and keyed by everything that determines the result (all of the arguments, not a part), and let concurrent misses of one key wait for one computation. If each is new, make the computation itself cheaper.",
	}
	if s.Kind != recording.TargetService || r.text {
		c.Confidence = finding.Low // a benchmark chooses its arguments; texts have no bound
	}
	if s.Run != nil && s.Run.SameRequest {
		c.Why += " This load sent the same request each time: the benefit of a cache depends on how often your users repeat theirs."
	}
	c.Evidence = append(s.CPUEvidence(c.Cost.CPU, fmt.Sprintf("are in %s, %s per %s", name, per, s.Iteration())), s.AllocEvidence(c.Cost.Allocs)...)
	c.Evidence = append(c.Evidence, finding.Evidence{Kind: "source", Text: "its arguments are plain values: " + strings.Join(r.args, ", ") + "; the calling function only reads the result"})
	return c
}
