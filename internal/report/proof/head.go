package proof

import (
	"cmp"
	"fmt"
	"strings"

	"whet/internal/analyze/compare"
	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/page"
)

// title names the two sides as the user did.
func title(r *compare.Result) (old, new string) {
	return printable.Line(cmp.Or(r.Old.Operand, r.Old.Package, "old")), printable.Line(cmp.Or(r.New.Operand, r.New.Package, "new"))
}

// told returns what tells a side from the other beside what the user typed and beside
// its package: " (1a2b3c4d5e6f, with GOGC=50)".
func told(r *compare.Result, side *compare.Program) string {
	said := marks(r, side)
	if len(said) == 0 {
		return ""
	}
	return " (" + strings.Join(said, ", ") + ")"
}

// briefFacts returns what was measured and where, a line each.
func briefFacts(r *compare.Result) []string {
	var measured []string
	if r.RoundsPlanned > 0 {
		s := proveRounds(r) + " in " + measuredIn(r)
		if r.Earlier > 0 {
			s += fmt.Sprintf(", with %s of earlier runs", quantity.Plural(r.Earlier, "round"))
		}
		measured = append(measured, s+ended(r))
	}
	if s := tests(r); s != "" {
		measured = append(measured, s)
	}
	facts := []string{proveMachine(r)}
	if len(measured) > 0 {
		facts = append([]string{strings.Join(measured, "; ")}, facts...)
	}
	return facts
}

// ended says why budget was left, "" where none was.
func ended(r *compare.Result) string {
	if why := r.Ended(); why != "" {
		return " (of " + quantity.Nanoseconds(float64(r.BudgetNs)) + ": " + why + ")"
	}
	return ""
}

// tests says how the tests of both sides went, "" where there are none.
func tests(r *compare.Result) string {
	switch {
	case r.Kind == compare.KindCommands || r.Kind == compare.KindService || r.Old.Tests == "" && r.New.Tests == "":
		return ""
	case r.Old.Tests == r.New.Tests:
		if r.New.Tests == "none" {
			return "no tests on either side"
		}
		return "tests " + printable.Line(r.New.Tests) + " on both sides"
	}
	return "tests: old " + printable.Line(r.Old.Tests) + ", new " + printable.Line(r.New.Tests)
}

// proveFacts returns the lines of the verbose head.
func proveFacts(r *compare.Result) []page.Fact {
	facts := append(sides(r), page.Fact{Name: "machine", Value: proveMachine(r)})
	if r.RoundsPlanned > 0 {
		facts = append(facts, page.Fact{Name: "plan", Value: plan(r)})
		if s := pooled(r); s != "" {
			facts = append(facts, page.Fact{Name: "pooled", Value: s})
		}
		if r.Stepped > 0 {
			facts = append(facts, page.Fact{Name: "steps", Value: quantity.Plural(r.Stepped, "benchmark") + " with processes that alternate, on one processor each (GOMAXPROCS=1)"})
		}
		wrong := "the chance of any false difference is " + quantity.Percent(r.AlphaRatio)
		if r.NoChangeAlphaRatio > 0 { // 0: of an older version, which had one for both
			wrong += `, of any false "no change" ` + quantity.Percent(r.NoChangeAlphaRatio)
		}
		facts = append(facts, page.Fact{Name: "figures", Value: fmt.Sprintf(
			"above 1 is better; ratios and their intervals from the rounds' pairs (Hodges–Lehmann, signed-rank test), p adjusted for looks (alpha spending) and rows (Holm): %s; margin %s; noise is a side against itself, the half-width at %s; n is rounds",
			wrong, quantity.Percent(r.MarginRatio), confidence(compare.NoiseConfidence))})
	}
	if s := tests(r); s != "" {
		facts = append(facts, page.Fact{Name: "tests", Value: strings.TrimPrefix(s, "tests ")})
	}
	return facts
}

func proveMachine(r *compare.Result) string {
	var machine []string
	if r.Host.CPU != "" {
		machine = append(machine, printable.Line(r.Host.CPU))
	}
	machine = append(machine, quantity.Plural(r.Host.Cores, "core"), fmt.Sprintf("GOMAXPROCS %d", r.Host.GOMAXPROCS), printable.Line(r.Host.OS)+"/"+printable.Line(r.Host.Arch))
	switch old, new := printable.Line(r.Old.GoVersion), printable.Line(r.New.GoVersion); {
	case old == new && new != "":
		machine = append(machine, new)
	case old != new:
		machine = append(machine, cmp.Or(old, "unknown")+" against "+cmp.Or(new, "unknown"))
	}
	return strings.Join(machine, ", ")
}

// plan returns how the rounds were made.
func plan(r *compare.Result) string {
	what := "a process each"
	if r.Kind == compare.KindService {
		what = "one period of load each"
	}
	turns := "of"
	if r.TurnsPlanned > 1 {
		turns = fmt.Sprintf("of up to %d turns of", r.TurnsPlanned)
	}
	s := fmt.Sprintf("%s %s old, new and one of them again, %s of about %s, in random order (seed %d)",
		proveRounds(r), turns, what, quantity.Nanoseconds(float64(r.SliceNs)), r.Seed)
	looks := 0
	for i := range r.Benchmarks {
		looks = max(looks, r.Benchmarks[i].Looks)
	}
	if looks > 0 {
		s += "; " + quantity.Plural(looks, "look")
	}
	if r.Layouts > 1 {
		s += fmt.Sprintf("; %d layouts of the code", r.Layouts)
	}
	return s + "; measured in " + measuredIn(r) + ended(r)
}

// measuredIn returns what the rounds took, and what of the budget went before them.
func measuredIn(r *compare.Result) string {
	s := quantity.Nanoseconds(float64(r.ElapsedNs))
	if r.CalibratedNs > 0 && r.CalibratedNs*10 >= r.BudgetNs {
		s += ", after " + quantity.Nanoseconds(float64(r.CalibratedNs)) + " of calibration"
	}
	return s
}

// proveRounds is "40 rounds", "12 of 40 rounds" where it ended early, or "40
// rounds (up to 55 where others left time)".
func proveRounds(r *compare.Result) string {
	planned := quantity.Plural(r.RoundsPlanned, "round")
	if r.RoundsMeasured < r.RoundsPlanned {
		return fmt.Sprintf("%d of %s", r.RoundsMeasured, planned)
	}
	most := 0
	for i := range r.Benchmarks {
		most = max(most, r.Benchmarks[i].Rounds-r.Benchmarks[i].RoundsEarlier)
	}
	if most > r.RoundsPlanned {
		planned += fmt.Sprintf(" (up to %d where others left time)", most)
	}
	return planned
}

// pooled says which rounds of earlier runs count.
func pooled(r *compare.Result) string {
	if r.Run <= 1 && r.Earlier == 0 {
		return ""
	}
	return fmt.Sprintf("run %d of the same question: %s of earlier runs count too, and this run spends only its own share of the error probability",
		max(r.Run, 1), quantity.Plural(r.Earlier, "round"))
}

// sides tells the sides apart beyond what the user typed: by package, by
// revision, by what they were built and run with.
func sides(r *compare.Result) []page.Fact {
	if r.Old.Package == r.New.Package && len(marks(r, &r.Old))+len(marks(r, &r.New)) == 0 {
		return nil
	}
	var facts []page.Fact
	for _, s := range []struct {
		name string
		side *compare.Program
	}{{"old", &r.Old}, {"new", &r.New}} {
		said := marks(r, s.side)
		if s.side.Package != "" {
			said = append([]string{printable.Line(s.side.Package)}, said...)
		}
		if len(said) > 0 {
			facts = append(facts, page.Fact{Name: s.name, Value: strings.Join(said, ", ")})
		}
	}
	return facts
}

// marks returns a side's revision, where the two differ in it, and its variables and
// build flags.
func marks(r *compare.Result, side *compare.Program) (said []string) {
	if r.Old.Revision != r.New.Revision || changed(r.Old.Dirty) != changed(r.New.Dirty) {
		revision := "revision unknown"
		if side.Revision != "" {
			revision = "revision " + printable.Line(side.Revision[:min(len(side.Revision), 12)])
		}
		if changed(side.Dirty) {
			revision += " with changes"
		}
		said = append(said, revision)
	}
	if len(side.Env) > 0 {
		said = append(said, "with "+printable.Line(strings.Join(side.Env, " ")))
	}
	if len(side.Flags) > 0 {
		said = append(said, "built with "+printable.Line(strings.Join(side.Flags, " ")))
	}
	return said
}

func changed(dirty *bool) bool { return dirty != nil && *dirty }

// confidence prints a probability near 1 with the digits that tell.
func confidence(p float64) string {
	s := strings.TrimRight(fmt.Sprintf("%.4f", p*100), "0")
	return strings.TrimSuffix(s, ".") + " %"
}
