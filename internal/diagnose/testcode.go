package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/quantity"
)

// OfTest reports whether a line is a test's or a benchmark's: it lies in a
// _test.go file, or in a function that has a *testing.B. No change of it makes
// the module faster, so it is never a finding.
func (s *Subject) OfTest(file string, line int) bool {
	return strings.HasSuffix(file, "_test.go") || s.Loops.InBenchmark(file, line)
}

// withoutTests drops the claims about code of tests and benchmarks. Of each that
// would be a finding a warning is left, with its share: what it costs is in all
// figures of the benchmark.
func (s *Subject) withoutTests(ws []weighedClaim) (rest []weighedClaim, warnings []string) {
	rest = slices.DeleteFunc(ws, func(w weighedClaim) bool {
		p := &w.claim.Place
		if !s.OfTest(p.File, p.Line) {
			return false
		}
		if w.above {
			costs := "costs " + w.cost.text()
			if w.claim.Leak != nil {
				costs = "leaks: " + leakText(w.claim.Leak)
			}
			warnings = append(warnings, fmt.Sprintf("%s: %s at %s (%s) %s: it is test code, so no change of the package removes it", s.Benchmark, w.rule.ID, s.At(*p), p.Function, costs))
		}
		return true
	})
	return rest, warnings
}

// text returns the largest of the shares, for people.
func (s shares) text() string {
	switch most := max(s.time(), s.bytes()); {
	case most == s.bytes():
		return quantity.Percent(s.alloc) + " of the bytes"
	case most == s.cpu:
		return quantity.Percent(s.cpu) + " of CPU time"
	}
	return quantity.Percent(s.delay) + " of lock delay and CPU time"
}

// testLocks warns of waits for locks that tests and benchmarks have: the place
// that waits longest, and the share of all of them.
func (s *Subject) testLocks() string {
	tests := s.lockPlaces(s.Mutex, s.MutexCol, true)
	if s.CPU == nil || len(tests) == 0 {
		return ""
	}
	d := s.shorterDelay(true)
	share := d / (d + float64(s.baseTotal(s.CPU, s.CPUColumn)))
	if !(share >= Threshold) {
		return ""
	}
	at, function := s.lockAt(&tests[0])
	return fmt.Sprintf("%s: waiting for the test's own lock at %s (%s) takes %s of lock delay and CPU time: no change of the package removes it",
		s.Benchmark, at, function, quantity.Percent(share))
}

// MeasuresModule reports whether a benchmark measures code of the user's: a
// stack of its base in twenty or more passes through a function of the module
// outside tests. Without CPU time, bytes decide; a benchmark without
// either may measure anything. Programs and services are the user's as a whole.
func (s *Subject) MeasuresModule() bool {
	if !s.isBenchmark() {
		return true
	}
	for _, of := range []func(*Subject) (*hot.Classified, int){byCPU, byAllocs} {
		c, column := of(s)
		base := s.baseTotal(c, column)
		if base == 0 {
			continue
		}
		own := baseSum(c, column, baseWhere(c, column, func(stack []callstack.FrameID) bool {
			return slices.ContainsFunc(stack, func(id callstack.FrameID) bool {
				f := c.Frame(id)
				return s.Own(f) && !s.OfTest(f.File, f.Line)
			})
		}))
		return float64(own) >= Threshold*float64(base)
	}
	return true
}

// ofModule leaves out the subjects that measure only others' code, as a benchmark
// of the standard library beside that of the package: conclusions about the package
// do not apply to them. If all do, all stay.
func ofModule(subjects []*Subject) (kept []*Subject, warnings []string) {
	for _, s := range subjects {
		if s.MeasuresModule() {
			kept = append(kept, s)
		} else {
			warnings = append(warnings, s.Benchmark+" runs almost no code of the module: the verdict covers the other benchmarks, and its tables follow theirs")
		}
	}
	if len(kept) == 0 {
		return subjects, nil
	}
	return kept, warnings
}
