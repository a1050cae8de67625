package logging

import (
	"cmp"
	"fmt"
	"strings"

	"whet/internal/diagnose"
	"whet/internal/finding"
	"whet/internal/quantity"
	"whet/internal/symbolname"
)

// offSamples is how many CPU samples of a statement must show no rendering and
// no write before its level is taken to be off.
const offSamples = 20

func (f *finder) claim(st *statement) (diagnose.Claim, bool) {
	s := f.s
	off := !st.emitted && s.CPUSamples(st.cpu.cost.Keep()) >= offSamples
	if off {
		// Nothing that was done for this record was of use.
		st.cpu.avoidable, st.allocs.avoidable = st.cpu.cost, st.allocs.cost
	}
	if st.cpu.avoidable.Len() == 0 && st.allocs.avoidable.Len() == 0 {
		return diagnose.Claim{}, false
	}
	st.logger = st.through()
	c := diagnose.Claim{
		Place:      st.Place(st.function),
		Cost:       diagnose.Samples{CPU: st.cpu.cost.Keep(), Allocs: st.allocs.cost.Keep()},
		Avoidable:  diagnose.Samples{CPU: st.cpu.avoidable.Keep(), Allocs: st.allocs.avoidable.Keep()},
		Confidence: finding.High,
	}
	pkg := symbolname.Package(st.logger)
	name := symbolname.Short(st.logger)
	if off {
		c.Confidence = finding.Medium
		c.Why = fmt.Sprintf("No sample shows a record of %s being rendered or written, so its level is off, yet its arguments are built for every call.", name)
		c.Remedy = offRemedy(pkg)
		if f.mostlyText(st) {
			c.Remedy = stopBuilding(pkg) + " " + c.Remedy
		}
	} else {
		why, remedy := renders(pkg, name), onRemedy(pkg, st.logger)
		if f.mostlyText(st) {
			why = fmt.Sprintf("Most of what is avoidable here is text that is built before %s is called (fmt, strconv, concatenation), copied into the record and thrown away. ", name) + why
			remedy = stopBuilding(pkg) + " Then: " + remedy
			if pkg == "log/slog" || pkg == "log" {
				remedy = stopBuilding(pkg) // which says the rest too
			}
		}
		c.Why = why
		c.Remedy = remedy + " Or log a sample of the records, or move the record out of the hot path."
	}
	c.Evidence = f.evidence(st)
	return c, true
}

func (f *finder) evidence(st *statement) []finding.Evidence {
	s := f.s
	var out []finding.Evidence
	if keep := st.cpu.cost.Keep(); keep != nil {
		text := fmt.Sprintf("%d of %d base samples pass through the statement; %s of the base's CPU time is avoidable",
			s.CPUSamples(keep), s.BaseCPUSamples(), quantity.Percent(s.CPUShare(st.cpu.avoidable.Keep())))
		var parts []string
		for _, p := range []struct {
			set  *diagnose.Set
			name string
		}{{&st.cpu.alloc, "allocating"}, {&st.cpu.format, "formatting and reflection"}} {
			if share := s.CPUShare(p.set.Keep()); share > 0 {
				parts = append(parts, fmt.Sprintf("%s %s", p.name, quantity.Percent(share)))
			}
		}
		if len(parts) > 0 {
			text += " (" + strings.Join(parts, ", ") + ")"
		}
		out = append(out, finding.Evidence{Kind: "cpu", Text: text})
	}
	if keep := st.allocs.cost.Keep(); s.AllocShare(keep) > 0 {
		bytes, perOp := s.AllocBytes(keep)
		text := fmt.Sprintf("it allocates %d bytes", bytes)
		if perOp > 0 {
			text = fmt.Sprintf("it allocates %s bytes per %s", quantity.Count(perOp), s.Iteration())
		}
		text += fmt.Sprintf(", %s of the base's", quantity.Percent(s.AllocShare(keep)))
		out = append(out, finding.Evidence{Kind: "allocs", Text: text})
	}
	if keep := st.cpu.arguments.Keep(); keep != nil {
		out = append(out, finding.Evidence{Kind: "source", Text: fmt.Sprintf("arguments built before %s is called take %s of the base's CPU time",
			symbolname.Short(st.logger), quantity.Percent(s.CPUShare(keep)))})
	}
	return out
}

// through names the function that most of the statement's cost goes through.
func (st *statement) through() string {
	best := ""
	for fn, w := range st.weight {
		switch c := cmp.Compare(w, st.weight[best]); {
		case best == "", c > 0, c == 0 && fn < best:
			best = fn
		}
	}
	return best
}
