package collectorassists

import (
	"fmt"
	"strings"

	"whet/internal/diagnose"
	"whet/internal/finding"
	"whet/internal/quantity"
)

// requests that must lie whole in the trace.
const requests = 10

// Rule returns the rule.
func Rule() diagnose.Rule {
	return diagnose.Rule{
		ID:    "collector-assists",
		Title: "requests that assist the garbage collector",
		Doc: diagnose.Doc{
			What:   "Requests spend part of their time marking memory for the garbage collector, or waiting for it, because they allocate faster than its workers mark. The finding is at the statement with most of these assists.",
			Why:    "The garbage collector's workers use a quarter of the processors. When they fall behind, allocating goroutines must assist: the request that allocates waits until it has marked its share.",
			Silent: "Where no execution trace or CPU profile was recorded; for programs that serve no HTTP requests; for fewer than ten requests; where no sample shows the assisting statement.",
			Fix:    "Allocate less there: reuse buffers, allocate one block for many values. Make collections rarer with GOGC=200 or more, bounded by GOMEMLIMIT.",
			Before: "rows := []*Row{}\nfor s.Next() {\n\trows = append(rows, &Row{…}) // a block each\n}",
			After:  "rows := make([]Row, 0, n) // one block\nfor s.Next() {\n\trows = append(rows, Row{…})\n}",
		},
		Evidence:   []diagnose.EvidenceKind{diagnose.EvidenceTrace, diagnose.EvidenceCPU, diagnose.EvidenceSource},
		Essential:  []diagnose.EvidenceKind{diagnose.EvidenceTrace, diagnose.EvidenceCPU},
		MinSamples: diagnose.MinCPUSamples,
		Find:       find,
	}
}

func find(s *diagnose.Subject) (out []diagnose.Claim) {
	var count, ns, assists int64
	for i := range s.Trace.Requests {
		r := &s.Trace.Requests[i]
		count += r.Count
		ns += r.Ns
		assists += r.AssistNs
	}
	if count < requests || assists == 0 {
		return nil
	}
	share := float64(assists) / float64(ns)
	at := s.OwnSamples(func(function string) bool { return strings.HasPrefix(function, "runtime.gcAssistAlloc") })
	var all int64
	for i := range at {
		all += s.CPUSamples(at[i].Keep())
	}
	for i := range at {
		p := &at[i]
		part := share * float64(s.CPUSamples(p.Keep())) / float64(all)
		if part < diagnose.Threshold {
			continue
		}
		out = append(out, diagnose.Claim{
			Place: p.Place, Cost: diagnose.Samples{CPU: p.Keep()}, Wait: part, Confidence: finding.Medium,
			Why:    fmt.Sprintf("Before they get memory, requests spend %s of their time assisting the garbage collector or waiting for it.", quantity.Percent(share)),
			Remedy: "Allocate less here: reuse memory, or allocate one block for many values. GOGC=200 or more makes collections rarer, and GOMEMLIMIT bounds the heap.",
			Evidence: append([]finding.Evidence{{Kind: "trace", Text: fmt.Sprintf("%s of assists in %s of %s that lie completely in the trace",
				quantity.Nanoseconds(float64(assists)), quantity.Nanoseconds(float64(ns)), quantity.Plural(int(count), "request"))}}, s.CPUEvidence(p.Keep(), "assist the garbage collector here")...),
		})
	}
	return out
}
