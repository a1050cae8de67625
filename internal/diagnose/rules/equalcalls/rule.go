package equalcalls

import (
	"fmt"

	"whet/internal/diagnose"
	"whet/internal/finding"
	"whet/internal/quantity"
)

const (
	// least is how many equal waits a request has on average.
	least = 8
	// share of the requests' time that these take.
	share = 0.1
	// requests that must have them: one may be a special one.
	requests = 3
)

// Rule returns the rule.
func Rule() diagnose.Rule {
	return diagnose.Rule{
		ID:    "equal-calls",
		Title: "many equal calls to another service or a database in one request",
		Doc: diagnose.Doc{
			What:   "In each request a statement waits eight times or more, one after the other, for replies to outgoing requests of an HTTP client, database/sql or gRPC, and that takes a tenth of the requests' time or more.",
			Why:    "Each call waits a full round trip, however little it asks for, so the request time grows with the number of items.",
			Silent: "Where no execution trace was recorded, or it holds fewer than three complete requests; for concurrent calls in goroutines, however many; for long replies read piece by piece; for programs that serve no HTTP requests; for clients that the trace does not identify.",
			Fix:    "Fetch all items in one call: WHERE id IN (…), a join, an endpoint that takes a list. If there is none, make the calls concurrently with a limit, or cache replies.",
			Before: "for _, id := range order.Items {\n\tprice, err := prices.Get(ctx, id)\n\t…\n}",
			After:  "all, err := prices.GetAll(ctx, order.Items)",
		},
		Evidence:  []diagnose.EvidenceKind{diagnose.EvidenceTrace, diagnose.EvidenceSource},
		Essential: []diagnose.EvidenceKind{diagnose.EvidenceTrace},
		Find:      find,
	}
}

// waitingStatement is the waits of one statement in the requests of one handler.
type waitingStatement struct {
	place               diagnose.Location
	requests, count, ns int64
}

func find(s *diagnose.Subject) (out []diagnose.Claim) {
	for i := range s.Trace.Requests {
		r := &s.Trace.Requests[i]
		for _, c := range places(s, r) {
			part := float64(c.ns) / float64(max(r.Ns, 1))
			if c.requests < requests || c.count < least*c.requests || part < share {
				continue
			}
			each := float64(c.count) / float64(c.requests)
			out = append(out, diagnose.Claim{
				Place: c.place, Wait: min(part, 1), Confidence: finding.Medium,
				Why:    fmt.Sprintf("A request in %s waits here %.0f times for a reply, one after the other: %s of its time.", r.Handler, each, quantity.Percent(part)),
				Remedy: "Fetch all of them in one call; if there is no such call, make the calls concurrently with a limit, or cache replies.",
				Evidence: []finding.Evidence{{Kind: "trace", Text: fmt.Sprintf("%s with equal stacks in %s that lie completely in %s of the trace, of %s each on average",
					quantity.Plural(int(c.count), "wait"), quantity.Plural(int(c.requests), "request"), quantity.Nanoseconds(float64(s.Trace.SpanNs)), quantity.Nanoseconds(float64(c.ns)/float64(c.count)))}},
			})
		}
	}
	return out
}

// places adds calls up by the statement that repeats them: the innermost of the user's
// own in a loop, else the innermost.
func places(s *diagnose.Subject, r *diagnose.TraceRequests) (out []*waitingStatement) {
	for i := range r.Calls {
		c := &r.Calls[i]
		var at *diagnose.Location
		for j := range c.Stack {
			f := &c.Stack[j]
			if !s.Own(f) {
				continue
			}
			st := s.Statement(f.File, f.Line)
			if p := st.Place(f.Function); at == nil || st.Loop != nil {
				at = &p
			}
			if st.Loop != nil {
				break
			}
		}
		if at == nil {
			continue
		}
		var sum *waitingStatement
		for _, o := range out {
			if o.place == *at {
				sum = o
			}
		}
		if sum == nil {
			sum = &waitingStatement{place: *at}
			out = append(out, sum)
		}
		// Whether it is the same requests that wait at two stacks is not known: each of
		// them has at least as many waits as this says.
		sum.requests = min(sum.requests+c.Requests, r.Count)
		sum.count += c.Count
		sum.ns += c.Ns
	}
	return out
}
