package benchmarks

import (
	"context"
	"maps"
	"slices"
	"strings"

	"whet/internal/analyze/compare"
	"whet/internal/prove"
	"whet/internal/prove/sides"
	"whet/internal/quantity"
)

// sameOf reports for every package whether both sides are the same: the same test
// binary, byte for byte, built with the same flags and run with the same variables
// beside the same files. The rounds of such a package would compare a program with
// itself, in any layout: equal objects linked with one seed are equal again. It is
// therefore not measured, except with Options.AA. Notes on the others go to the result.
func sameOf(o *Options, pair *sides.Pair, data [][2]data, proof *prove.Proof) []bool {
	packages := pair.Packages()
	same := make([]bool, len(packages))
	binaries, n, why := 0, 0, ""
	settings := differingSettings(o)
	for i, p := range packages {
		if !p.Identical() {
			continue
		}
		binaries++
		differs := ""
		switch names := differing(data[i]); {
		case settings != "":
			differs = settings
		case len(names) > 0:
			differs = "the file " + names[0] + " beside " + p.ImportPath + " differs"
		case cut(data[i]):
			differs = "not all files beside " + p.ImportPath + " are compared: they exceed " + quantity.Bytes(dataBytes) + ", or links within links lead to them"
		case !o.AA:
			same[i] = true
			n++
			continue
		}
		if why == "" {
			why = differs
		}
	}
	subject := "both sides build to the same binary, byte for byte"
	if binaries < len(packages) || n > 0 && n < binaries {
		subject = quantity.Plural(binaries, "package") + " of " + quantity.Count(float64(len(packages))) + " build to the same binary on both sides"
	}
	switch {
	case binaries == 0 || n == len(packages): // the verdict says it
	case n == binaries:
		proof.Warn("%s and are not measured: -aa measures them anyway", subject)
	case n > 0:
		proof.Warn("%s; %d of them are not measured, and where they are %s", subject, n, why)
	case why != "":
		proof.Warn("%s, and are measured as %s", subject, why)
	default:
		proof.Warn("%s: any difference shown is noise", subject)
	}
	return same
}

// differingSettings returns what the sides are built or run with that is not the
// same; "": all is.
func differingSettings(o *Options) string {
	switch {
	case !maps.Equal(effective(o.Env[compare.Old]), effective(o.Env[compare.New])):
		return "their environments differ"
	case !slices.Equal(o.SideFlags[compare.Old], o.SideFlags[compare.New]):
		return "their build flags differ"
	}
	return ""
}

// effective are variables as a process sees them: of several of one name the
// last.
func effective(env []string) map[string]string {
	out := make(map[string]string, len(env))
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		out[name] = value
	}
	return out
}

// enterSame makes the rows of a package that is the same on both sides, from
// the names of its benchmarks. Nothing runs that shows their sub-benchmarks, or
// metrics of their own.
func (s *session) enterSame(ctx context.Context, pkg int) error {
	tops, err := s.runner.benchmarks(ctx, pkg, compare.New, s.o.Bench)
	if err != nil {
		return err
	}
	for _, top := range tops {
		s.enterUnmeasured(compare.SameBinary, pkg, top)
	}
	return nil
}

// enterUnmeasured makes the rows of one benchmark that is not measured.
func (s *session) enterUnmeasured(reason string, pkg int, top string) {
	for _, unit := range []string{compare.NsPerOp, compare.BytesPerOp, compare.AllocsPerOp} {
		s.unmeasured = append(s.unmeasured, compare.Unmeasured(reason, s.packages[pkg], top, unit))
	}
}

// sayWhyMeasured enters into the rows of what was measured why it was.
func (s *session) sayWhyMeasured() {
	for i := range s.Result.Benchmarks {
		row := &s.Result.Benchmarks[i]
		if pkg := slices.Index(s.packages, row.Package); pkg >= 0 && s.code != nil {
			top, _, _ := strings.Cut(row.Name, "/")
			row.WhyMeasured = s.code[pkg].why(top)
		}
	}
}

// addUnmeasured puts the rows that nothing was measured for among the others,
// by package.
func (s *session) addUnmeasured() {
	if len(s.unmeasured) == 0 {
		return
	}
	s.Result.Benchmarks = slices.Concat(s.Result.Benchmarks, s.unmeasured)
	slices.SortStableFunc(s.Result.Benchmarks, func(a, b compare.Row) int {
		return slices.Index(s.packages, a.Package) - slices.Index(s.packages, b.Package)
	})
}
