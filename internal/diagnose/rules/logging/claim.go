package logging

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"whet/internal/diagnose"
	"whet/internal/finding"
	"whet/internal/quantity"
	"whet/internal/symbolname"
)

// offSamples is the number of CPU samples of a statement that must show no rendering and
// no write before its level is taken to be off.
const offSamples = 20

func (f *finder) claim(st *statement) (c diagnose.Claim, ok bool) {
	s := f.s
	c = diagnose.Claim{Place: st.Place(st.function), Cost: st.cost.Samples(), Avoidable: st.avoidable.Samples(), Confidence: finding.High}
	if len(st.weight) == 0 {
		return c, false
	}
	// The function that most of the cost goes through.
	logger := slices.MinFunc(slices.Collect(maps.Keys(st.weight)), func(a, b string) int {
		return cmp.Or(cmp.Compare(st.weight[b], st.weight[a]), cmp.Compare(a, b))
	})
	name, l := symbolname.Short(logger), libraryOf(logger)
	// Package log has no levels: what is dear there is what the record needs.
	off := !st.emitted && l.path != "log" && s.CPUSamples(c.Cost.CPU) >= offSamples
	if off {
		// Nothing that was done for this record was of use.
		c.Avoidable = c.Cost
	}
	if c.Avoidable.CPU == nil && c.Avoidable.Allocs == nil {
		return c, false
	}
	stop := stopBuilding + l.values
	text := f.mostlyText(st, c.Avoidable)
	switch {
	case off:
		c.Confidence = finding.Medium
		c.Why = fmt.Sprintf("No sample shows %s formatting or writing a record, so its level is off, yet its arguments are built in every call.", name)
		c.Remedy = l.off + " Until then a faster logger gains nothing."
		if text {
			c.Remedy = stop + " " + c.Remedy
		}
	default:
		c.Why, c.Remedy = fmt.Sprintf(l.renders, name), l.on
		if text {
			c.Why = fmt.Sprintf("Most of the avoidable cost is text that is built before %s is called (fmt, strconv, concatenation), copied into the record and dropped. ", name) + c.Why
			c.Remedy = stop
			if l.path != "log/slog" && l.path != "log" { // of which that says the rest too
				c.Remedy += " Then: " + l.on
			}
		}
		c.Remedy += " Or log a sample of the records, or move the record out of the hot path."
	}
	c.Evidence = st.evidence(s, c, name)
	return c, true
}

func (st *statement) evidence(s *diagnose.Subject, c diagnose.Claim, name string) []finding.Evidence {
	does := fmt.Sprintf("pass through the statement; %s of the base's CPU time is avoidable", quantity.Percent(s.CPUShare(c.Avoidable.CPU)))
	var parts []string
	if share := s.CPUShare(st.alloc.CPU.Keep()); share > 0 {
		parts = append(parts, "allocating "+quantity.Percent(share))
	}
	if share := s.CPUShare(st.format.CPU.Keep()); share > 0 {
		parts = append(parts, "formatting and reflection "+quantity.Percent(share))
	}
	if len(parts) > 0 {
		does += " (" + strings.Join(parts, ", ") + ")"
	}
	out := s.CPUEvidence(c.Cost.CPU, does)
	if share := s.AllocShare(c.Cost.Allocs); share > 0 {
		bytes, perOp := s.AllocBytes(c.Cost.Allocs)
		text := fmt.Sprintf("it allocates %d bytes", bytes)
		if perOp > 0 {
			text = fmt.Sprintf("it allocates %s bytes per %s", quantity.Count(perOp), s.Iteration())
		}
		out = append(out, finding.Evidence{Kind: "allocs", Text: text + fmt.Sprintf(", %s of the base's", quantity.Percent(share))})
	}
	if keep := st.arguments.CPU.Keep(); keep != nil {
		out = append(out, finding.Evidence{Kind: "source", Text: fmt.Sprintf("arguments built before %s is called take %s of the base's CPU time", name, quantity.Percent(s.CPUShare(keep)))})
	}
	return out
}
