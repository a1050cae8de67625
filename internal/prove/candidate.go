package prove

import (
	"context"
	"fmt"

	"whet/internal/analyze/compare"
	"whet/internal/gobench"
	"whet/internal/prove/sides"
)

// testBoth runs both sides' tests, package by package. Only failing tests of
// new are an error: old is what is, right or wrong. Those of a package that is
// the same on both sides can tell nothing of a change, and do not run.
func testBoth(ctx context.Context, o *Options, pair *sides.Pair, same []bool, res *Result) error {
	res.Old.Tests, res.New.Tests = notRun, notRun
	if o.Tests == 0 || o.Run == "^$" {
		return nil
	}
	for _, side := range both {
		for i, p := range pair.Packages() {
			if same[i] {
				continue
			}
			o.Progress(Event{Stage: "testing " + side.String()})
			t, err := pair.Test(ctx, side, i, o.Run, o.Tests, o.Race)
			if err != nil {
				return err
			}
			if err := enter(o, sideOf(res, side), res, side, importPath(p, side), t); err != nil {
				return err
			}
		}
	}
	return nil
}

// What is said of a side's tests.
const (
	notRun    = "not run"
	noTests   = "none"
	passed    = "passed"
	notInTime = "not done in time"
)

// enter adds the outcome of one package's tests to what is said of its side:
// the worst of all packages, and "passed" where one has tests.
func enter(o *Options, s *compare.Side, res *Result, side compare.Which, target string, t gobench.Tests) error {
	said := s.Tests
	switch {
	case t.TimedOut:
		said = notInTime
		warn(res, "the tests of %s (%v) did not end within %v: whether they pass is not known", target, side, o.Tests)
	case !t.Ran:
		if said == notRun {
			said = noTests
		}
		if side == compare.New {
			has := "has no tests"
			if o.Run != "" {
				has += fmt.Sprintf(" that match -run %q", o.Run)
			}
			warn(res, "%s (new) %s: that it still does the same is not known", target, has)
		}
	case t.Passed:
		if said == notRun || said == noTests {
			said = passed
		}
	case side == compare.New:
		return &gobench.Error{Kind: gobench.KindTestFailed, Text: fmt.Sprintf("%s (new) is no candidate: its tests fail: %s", target, t.FirstFailure), Detail: t.Output}
	default:
		said = "failed: " + t.FirstFailure
		warn(res, "the tests of %s (old) fail: %s", target, t.FirstFailure)
	}
	s.Tests = said
	return nil
}

func sideOf(res *Result, side compare.Which) *compare.Side {
	if side == compare.Old {
		return &res.Old
	}
	return &res.New
}

func importPath(p sides.Package, side compare.Which) string {
	if side == compare.Old && p.OldImportPath != "" {
		return p.OldImportPath
	}
	return p.ImportPath
}

// warn adds a warning once.
func warn(res *Result, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	for _, have := range res.Warnings {
		if have == text {
			return
		}
	}
	res.Warnings = append(res.Warnings, text)
}
