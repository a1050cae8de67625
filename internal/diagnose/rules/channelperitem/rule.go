package channelperitem

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"

	"whet/internal/diagnose"
	"whet/internal/finding"
	"whet/internal/quantity"
)

// least is the share of the processors' time that handing over must take.
const least = 0.1

// Rule returns the rule.
func Rule() diagnose.Rule {
	return diagnose.Rule{
		ID:    "channel-per-item",
		Title: "items sent one by one on an unbuffered channel",
		Doc: diagnose.Doc{
			What:   "A loop sends one item in each round on an unbuffered channel, and handing the items over takes a tenth of the processors' time or more: the waits at both ends, the channel operations, and the scheduler's work for them.",
			Why:    "Sender and receiver meet for each item: one of them is parked, the scheduler looks for another goroutine, and the parked one is woken again. That takes a microsecond or more, often longer than the work on the item.",
			Silent: "Where no execution trace or CPU profile was recorded, or type information is missing; for buffered channels, which dear-handoff covers; where the channel may be made elsewhere than the source shows; where the work on the items outweighs the hand-off; for sends in a select statement.",
			Fix:    "Send slices of some hundred items. Or make the channel buffered, so that the two wait for each other only when it is full or empty, unless the sender relies on each item being received. If the receiver does little, let the sender do it.",
			Before: "lines := make(chan string)\n…\nfor s.Scan() {\n\tlines <- s.Text()\n}",
			After:  "batches := make(chan []string, 4)\n…\nfor s.Scan() {\n\tif batch = append(batch, s.Text()); len(batch) == 256 {\n\t\tbatches <- batch\n\t\tbatch = make([]string, 0, 256)\n\t}\n}",
		},
		Evidence:   []diagnose.EvidenceKind{diagnose.EvidenceTrace, diagnose.EvidenceCPU, diagnose.EvidenceSource, diagnose.EvidenceCalls},
		Essential:  []diagnose.EvidenceKind{diagnose.EvidenceTrace, diagnose.EvidenceCPU},
		MinSamples: diagnose.MinCPUSamples,
		Find:       func(s *diagnose.Subject) []diagnose.Claim { return Claims(s).claims },
	}
}

// Found is the claims of the rule with their locations.
type Found struct {
	claims []diagnose.Claim
	Ends   []diagnose.Location // of the channels, both
}

// channel is one that is waited at.
type channel struct {
	name        string
	makes       []*ast.CallExpr
	sends, ends []*diagnose.LocationWait
}

// Claims returns the claims of the rule for a subject, computed once.
func Claims(s *diagnose.Subject) *Found {
	type key struct{}
	return diagnose.Once(s, key{}, find)
}

func find(s *diagnose.Subject) *Found {
	var channels []*channel
	for _, w := range s.OwnWaits() {
		pkg := s.PackageOf(w.Place.File)
		st := s.Statement(w.Place.File, w.Place.Line)
		if w.State != "channel" || pkg == nil || st.Node == nil {
			continue
		}
		e, sends := channelOf(pkg, st.Node)
		if e == nil {
			continue
		}
		made, known := makes(pkg, e, maxSteps)
		if !known || !without(pkg, e, made) {
			continue
		}
		i := slices.IndexFunc(channels, func(c *channel) bool {
			return slices.ContainsFunc(c.makes, func(m *ast.CallExpr) bool { return slices.Contains(made, m) })
		})
		if i < 0 {
			i = len(channels)
			channels = append(channels, &channel{makes: made})
		}
		c := channels[i]
		c.ends = append(c.ends, w)
		if sends && st.Loop != nil {
			c.name = types.ExprString(e)
			c.sends = append(c.sends, w)
		}
	}
	out := &Found{}
	for _, c := range channels {
		if len(c.sends) == 0 {
			continue
		}
		send := slices.MaxFunc(c.sends, func(a, b *diagnose.LocationWait) int { return int(a.Count - b.Count) })
		h := s.HandOff(c.ends)
		if h.Share() < least {
			continue
		}
		for _, w := range c.ends {
			out.Ends = append(out.Ends, w.Place)
		}
		out.claims = append(out.claims, diagnose.Claim{
			Place: send.Place, Cost: diagnose.Samples{CPU: h.Samples}, Wait: h.Share(), Confidence: finding.High,
			Why:      fmt.Sprintf("Each item sent on %s, which is unbuffered, parks a goroutine and wakes another: %s of the processors' time goes into handing items over.", c.name, quantity.Percent(h.Share())),
			Remedy:   fmt.Sprintf("Send slices of some hundred items on %s. Or, unless a sender relies on each item being received, make it buffered for as many. If the receiver does little with an item, do that in the sending loop.", c.name),
			Evidence: h.Evidence(s),
		})
	}
	return out
}
