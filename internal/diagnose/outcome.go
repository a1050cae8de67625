package diagnose

import (
	"cmp"
	"fmt"
	"slices"

	"whet/internal/finding"
	"whet/internal/quantity"
	"whet/internal/recording"
)

// Outcome is the kind of result of the measurement.
type Outcome string

const (
	OutcomeFindings Outcome = "findings"        // a rule found a cause
	OutcomePlaces   Outcome = "places"          // no rule found a cause: look there first
	OutcomeFloor    Outcome = "floor"           // one line of own instructions: only another algorithm or fewer calls help
	OutcomeSpread   Outcome = "spread"          // no place accounts for Threshold
	OutcomeFew      Outcome = "too-few-samples" // to rank places or to apply rules
	OutcomeInvalid  Outcome = "invalid"         // the measurement is not valid
)

// floorShare is what one line has to hold, of the base and of its own cost in
// instructions of its own, to be called a floor. The bar is high, since the
// word ends a search: a loop of several lines, or one call in a hundred, may
// still hide a cheaper way.
const floorShare = 0.95

// outcome decides, and says in a clause what the verdict's line leaves open; ""
// where findings say it.
func (l *ledger) outcome(kind VerdictKind, findings, below []finding.Finding, places []finding.HotPlace, all []entry) (Outcome, string) {
	switch {
	case l.nothingMeasured():
		return OutcomeInvalid, ""
	case len(findings) > 0:
		return OutcomeFindings, ""
	case kind == TooFewSamples && (l.accounts[cpuTime].total > 0 || l.accounts[allocBytes].total+l.accounts[waitTime].total == 0):
		return OutcomeFew, ""
	case len(places) == 0:
		return OutcomeSpread, l.spread()
	}
	first := &places[0]
	where := named(first)
	open := "no rule found a cause"
	if len(below) > 0 {
		open = "no finding reaches " + quantity.Percent(Threshold)
	}
	switch {
	case l.accounts[cpuTime].total == 0:
		return OutcomePlaces, fmt.Sprintf("look first at %s, with %s of %s", where, quantity.Percent(first.WorthRatio), l.untimed())
	case kind != CPUBound && kind != AllocationBound:
		return OutcomePlaces, open + "; the costliest place is " + named(costliest(places))
	case l.floor(all):
		return OutcomeFloor, fmt.Sprintf("%s accounts for %s, %s: only another algorithm or fewer calls help", where, quantity.Percent(first.WorthRatio), l.ofItsOwn(&all[0]))
	}
	return OutcomePlaces, fmt.Sprintf("%s: look first at %s, worth %s of the time", open, where, quantity.Percent(first.WorthRatio))
}

// untimed names what worth is a share of where no CPU time was recorded.
func (l *ledger) untimed() string {
	if l.accounts[allocBytes].total == 0 {
		return "the delay"
	}
	return "the bytes"
}

// nothingMeasured reports whether no subject has a profile of its base, or no
// request of a service was answered.
func (l *ledger) nothingMeasured() bool {
	return !slices.ContainsFunc(l.subjects, func(c *charges) bool {
		if c.Kind == recording.TargetService && c.Run != nil && c.Run.Requests == 0 && c.Run.Concurrency > 0 {
			return false
		}
		return c.CPU != nil || c.Allocs != nil || c.Mutex != nil || c.Block != nil
	})
}

// floor reports whether one line holds nearly all, in instructions of its own,
// and nothing grew meanwhile.
func (l *ledger) floor(all []entry) bool {
	if len(all) != 1 || slices.ContainsFunc(l.subjects, func(c *charges) bool { return c.Run != nil && len(c.Run.Growth) > 0 }) {
		return false
	}
	line := &all[0].lines[0]
	if line.at.Line <= 0 { // a whole function, or more: nobody knows of how many lines
		return false
	}
	return ratio(line.callees[""][cpuTime], l.accounts[cpuTime].total) >= floorShare && line.sum[allocBytes] == 0 && line.sum[waitTime] == 0
}

// ofItsOwn says what a floor does. That it calls nothing and allocates nothing
// appears only where the profiles show it.
func (l *ledger) ofItsOwn(e *entry) string {
	if e.callees[""][cpuTime] == e.sum[cpuTime] && !slices.ContainsFunc(l.subjects, func(c *charges) bool { return c.Allocs == nil }) {
		return "calls nothing and allocates nothing"
	}
	return "nearly all of it in its own instructions"
}

// named returns where a place is, as far as the profile tells.
func named(p *finding.HotPlace) string {
	switch {
	case p.File == "":
		return brief(p.Function)
	case p.Line <= 0:
		return fmt.Sprintf("%s in %s", brief(p.Function), brief(p.File))
	}
	return fmt.Sprintf("%s:%d", brief(p.File), p.Line)
}

// spread says what there is instead of a place that matters.
func (l *ledger) spread() string {
	var largest entry
	for _, e := range l.clusters() {
		if e.worth > largest.worth || e.worth == largest.worth && compareLines(e.at, largest.at) < 0 {
			largest = e
		}
	}
	of := "CPU time"
	if l.accounts[cpuTime].total == 0 { // the verdict then speaks of time
		of = l.untimed()
	}
	text := "no place accounts for " + quantity.Percent(Threshold) + " of " + of
	if largest.worth > 0 {
		p := l.place(&largest)
		text += fmt.Sprintf("; the largest, %s, accounts for %s", named(&p), quantity.Percent(p.WorthRatio))
	}
	if share := ratio(l.accounts[cpuTime].tests, l.accounts[cpuTime].total); share >= Threshold {
		text += fmt.Sprintf("; %s is the benchmark's own work", quantity.Percent(share))
	}
	if own := l.accounts[cpuTime].split("cpu", 0).Packages; len(own) > 0 && own[0].Ratio >= Threshold && own[0].Package != "" {
		text += fmt.Sprintf("; %s is in %s itself", quantity.Percent(own[0].Ratio), brief(own[0].Package))
	}
	return text
}

// ownWork warns of benchmarks that measure themselves: their own body, the code
// of tests, and what these call.
func (l *ledger) ownWork() []string {
	worst, names := "", 0
	most, least := 0.0, 1.0
	for _, c := range l.subjects {
		of := c.of[cpuTime]
		if of == nil || c.BaseCPUSamples() < MinCPUSamples {
			continue
		}
		if share := ratio(of.Tests, of.Total); share >= Threshold {
			names++
			if share > most {
				worst, most = c.Benchmark, share
			}
			least = min(least, share)
		}
	}
	switch names {
	case 0:
		return nil
	case 1:
		return []string{fmt.Sprintf("%s: %s of the base is the benchmark's own work and test code, which findings and places leave out", worst, quantity.Percent(most))}
	}
	return []string{fmt.Sprintf("%s to %s of the base of %s is the benchmarks' own work and test code, which findings and places leave out: most in %s",
		quantity.Percent(least), quantity.Percent(most), quantity.Plural(names, "benchmark"), worst)}
}

// costliest returns the place of the most worth: of those that are worth about the
// same, the first stands first for another reason.
func costliest(places []finding.HotPlace) *finding.HotPlace {
	most := slices.MaxFunc(places, func(a, b finding.HotPlace) int { return cmp.Compare(a.WorthRatio, b.WorthRatio) })
	return &most
}
