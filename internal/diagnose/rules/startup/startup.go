package startup

import (
	"fmt"

	"whet/internal/analyze/gc"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/finding"
	"whet/internal/format/gctrace"
	"whet/internal/quantity"
	"whet/internal/symbolname"
)

// Rule returns the rule.
func Rule() diagnose.Rule {
	return diagnose.Rule{
		ID:    "startup",
		Title: "work before main begins",
		Doc: diagnose.Doc{
			What:   "A package of the program initializes for 1 ms or more, or allocates 1 MiB or more, before main begins: it computes tables, unpacks embedded files, or compiles regular expressions in package variables. The finding is at the statement that allocates the most of it, or else takes the most CPU time.",
			Why:    "Every run pays for it, even one that only prints its usage or never needs the result; memory that is kept is marked in every collection.",
			Silent: "For benchmarks and services, whose start is not measured; where no profile has a sample of the initialization, so that its line is unknown; for packages of other modules.",
			Fix:    "Do the work on first use, in sync.OnceValue; write tables that never change as constants, which the linker lays out.",
			Before: "var word = regexp.MustCompile(pattern)",
			After:  "var word = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })",
		},
		Evidence: []diagnose.EvidenceKind{diagnose.EvidenceAllocs, diagnose.EvidenceCPU, diagnose.EvidenceSource},
		Find:     find,
	}
}

func find(s *diagnose.Subject) []diagnose.Claim {
	if s.Run == nil || s.Run.WallNs <= 0 || s.AllocIterations < 1 {
		return nil
	}
	var out []diagnose.Claim
	for _, i := range gc.Costly(s.Inits) {
		place, how := where(s, i.Package)
		if how == "" {
			continue
		}
		// Every run of the program does it.
		share := min(float64(i.Wall)*float64(s.AllocIterations)/float64(s.Run.WallNs), 1)
		out = append(out, diagnose.Claim{
			Place: place, Wait: share, Confidence: finding.Medium,
			Why:    fmt.Sprintf("Before main begins, package %s initializes for %s, %s of a run, and allocates %s in %s.", i.Package, quantity.Nanoseconds(float64(i.Wall)), quantity.Percent(share), quantity.Bytes(float64(i.Bytes)), quantity.Plural(int(i.Allocs), "object")),
			Remedy: "Do this on first use: in sync.OnceValue, or in the function that needs it.",
			Evidence: []finding.Evidence{
				{Kind: "init", Text: evidence(&i)},
				{Kind: "profile", Text: how},
			},
		})
	}
	return out
}

func evidence(i *gctrace.Init) string {
	return fmt.Sprintf("the runtime (inittrace) reports %s from %s on, %s and %s for package %s", quantity.Nanoseconds(float64(i.Wall)), quantity.Nanoseconds(float64(i.At)), quantity.Bytes(float64(i.Bytes)), quantity.Plural(int(i.Allocs), "allocation"), i.Package)
}

// where returns the statement of a package's initialization that allocates the most, or else
// takes the most CPU time; how is what says so, "" where nothing does.
func where(s *diagnose.Subject, pkg string) (at diagnose.Location, how string) {
	if s.Allocs != nil {
		if at, n, all := heaviest(s, s.Allocs.Frames, s.AllocCol, pkg); n > 0 {
			return at, fmt.Sprintf("of %s allocated in the package's initialization, this statement allocates %s", quantity.Bytes(float64(all)), quantity.Bytes(float64(n)))
		}
	}
	if s.CPU != nil {
		if at, n, all := heaviest(s, s.CPU.Frames, s.CPUColumn, pkg); n > 0 {
			return at, fmt.Sprintf("of %s of CPU time sampled in the package's initialization, this statement takes %s", quantity.Nanoseconds(float64(all)), quantity.Nanoseconds(float64(n)))
		}
	}
	return at, ""
}

// heaviest returns the place in a package's initialization, in its own code, that most of a
// column is below.
func heaviest(s *diagnose.Subject, p *callstack.Frames, column int, pkg string) (at diagnose.Location, most, all int64) {
	sums := make(map[diagnose.Location]int64)
	for sample := p.Stacks(nil, column); sample.Next(); {
		n := sample.Value(column)
		for k := len(sample.Stack) - 1; k >= 0; k-- { // from the root
			f := p.Frame(sample.Stack[k])
			if !initializes(f.Function, pkg) {
				continue
			}
			if s.Own(f) {
				st := s.Statement(f.File, f.Line)
				place := st.Place(f.Function)
				sums[place] += n
				all += n
				if sums[place] > most {
					at, most = place, sums[place]
				}
			}
			break
		}
	}
	return at, most, all
}

// initializes reports whether a function is one that the runtime calls for a package: of
// its variables, or a func init.
func initializes(function, pkg string) bool {
	if symbolname.Package(function) != pkg {
		return false
	}
	rest := function[len(pkg):]
	return rest == ".init" || len(rest) > 6 && rest[:6] == ".init."
}
