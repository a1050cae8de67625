package benchmarks

import (
	"context"
	"fmt"

	"whet/internal/analyze/compare"
	"whet/internal/gobench"
	"whet/internal/prove"
	"whet/internal/prove/sides"
)

// testBoth runs both sides' tests, package by package. Only failing tests of new are an
// error: old is the reference, right or wrong. Tests of a package that is the same on
// both sides say nothing about a change, and do not run.
func testBoth(ctx context.Context, o *Options, pair *sides.Pair, same []bool, p *prove.Proof) error {
	p.Result.Old.Tests, p.Result.New.Tests = notRun, notRun
	if o.Tests == 0 || o.Run == "^$" {
		return nil
	}
	for side := range compare.Sides {
		for i, pkg := range pair.Packages() {
			if same[i] {
				continue
			}
			o.Tell(prove.Event{Stage: "testing " + side.String()})
			t, err := pair.Test(ctx, side, i, o.Run, o.Tests, o.Race)
			if err != nil {
				return err
			}
			if err := enter(o, p, side, importPath(pkg, side), t); err != nil {
				return err
			}
		}
	}
	return nil
}

// The outcomes of a side's tests.
const (
	notRun    = "not run"
	noTests   = "none"
	passed    = "passed"
	notInTime = "not done in time"
)

// enter adds the outcome of one package's tests to that of its side:
// the worst of all packages, and "passed" where one has tests.
func enter(o *Options, p *prove.Proof, side compare.Side, target string, t gobench.Tests) error {
	s := [2]*compare.Program{&p.Result.Old, &p.Result.New}[side]
	said := s.Tests
	switch {
	case t.TimedOut:
		said = notInTime
		p.Warn("the tests of %s (%v) did not end within %v: their result is unknown", target, side, o.Tests)
	case !t.Ran:
		if said == notRun {
			said = noTests
		}
		if side == compare.New {
			has := "has no tests"
			if o.Run != "" {
				has += fmt.Sprintf(" that match -run %q", o.Run)
			}
			p.Warn("%s (new) %s: nothing checks that it still works", target, has)
		}
	case t.Passed:
		if said == notRun || said == noTests {
			said = passed
		}
	case side == compare.New:
		return &gobench.Error{Kind: gobench.KindTestFailed, Text: fmt.Sprintf("%s (new) was not measured: its tests fail: %s", target, t.FirstFailure), Detail: t.Output}
	default:
		said = "failed: " + t.FirstFailure
		p.Warn("the tests of %s (old) fail: %s", target, t.FirstFailure)
	}
	s.Tests = said
	return nil
}

func importPath(p sides.Package, side compare.Side) string {
	if side == compare.Old && p.OldImportPath != "" {
		return p.OldImportPath
	}
	return p.ImportPath
}
