package benchmarks

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"whet/internal/analyze/compare"
	"whet/internal/gobench"
	"whet/internal/prove"
	"whet/internal/quantity"
)

// discover runs every top-level benchmark of both sides of every package once,
// which shows their sub-benchmarks, and pairs them by name.
func (s *session) discover(ctx context.Context) error {
	var seen [2][]string // by side, of all packages
	var empty error      // of a side without benchmarks
	for pkg := range s.packages {
		if s.same != nil && s.same[pkg] {
			if err := s.enterSame(ctx, pkg); gobench.KindNoBenchmarks.Of(err) {
				empty = cmp.Or(empty, fmt.Errorf("%v side: %w", compare.New, err))
			} else if err != nil {
				return fmt.Errorf("%v side: %w", compare.New, err)
			}
			continue
		}
		var names [2][]string
		for side := range compare.Sides {
			found, err := s.list(ctx, pkg, side)
			switch {
			case gobench.KindNoBenchmarks.Of(err): // of many packages not all have one that matches
				empty = cmp.Or(empty, fmt.Errorf("%v side: %w", side, err))
			case err != nil:
				return fmt.Errorf("%v side: %w", side, err)
			}
			names[side] = found
			seen[side] = append(seen[side], found...)
		}
		s.match(pkg, names)
	}
	s.saySameCode()
	switch {
	case len(s.subjects) > 0, len(s.unmeasured) > 0 && len(s.Result.Failures) == 0:
		return nil
	case len(s.Result.Failures) > 0:
		f := s.Result.Failures[0]
		return fmt.Errorf("nothing to compare: %s of the %s side: %s", f.Name, f.Side, f.Text)
	case empty != nil:
		return empty
	}
	return fmt.Errorf("nothing to compare: the sides have no benchmark of the same name (old: %s; new: %s)", cmp.Or(quantity.Some(seen[compare.Old], 3), "none"), cmp.Or(quantity.Some(seen[compare.New], 3), "none"))
}

// saySameCode says how many benchmarks are not measured, where others are.
func (s *session) saySameCode() {
	n := len(slices.DeleteFunc(slices.Clone(s.unmeasured), func(r compare.Row) bool {
		return r.Reason != compare.SameCode || r.Metric != compare.NsPerOp
	}))
	switch {
	case n == 1 && len(s.subjects) > 0:
		s.Warn("1 benchmark runs the same code on both sides and is not measured: -aa measures it anyway")
	case n > 1 && len(s.subjects) > 0:
		s.Warn("%d benchmarks run the same code on both sides and are not measured: -aa measures them anyway", n)
	}
}

// match makes subjects of the names that both sides have.
func (s *session) match(pkg int, names [2][]string) {
	// A benchmark that failed on one side is not missing there.
	failed := func(name string, side compare.Side) bool {
		return slices.ContainsFunc(s.Result.Failures, func(f compare.Failure) bool {
			return f.Side == side.String() && (f.Name == s.label(pkg, name) || strings.HasPrefix(s.label(pkg, name), f.Name+"/"))
		})
	}
	for _, name := range names[compare.Old] {
		switch {
		case slices.Contains(names[compare.New], name):
			s.subjects = append(s.subjects, &benchmarkPair{pkg: pkg, name: name})
		case !failed(name, compare.New):
			s.Result.OnlyOld = append(s.Result.OnlyOld, s.label(pkg, name))
		}
	}
	for _, name := range names[compare.New] {
		if !slices.Contains(names[compare.Old], name) && !failed(name, compare.Old) {
			s.Result.OnlyNew = append(s.Result.OnlyNew, s.label(pkg, name))
		}
	}
}

// label names a benchmark without its package.
func (s *session) label(pkg int, name string) string {
	if len(s.packages) == 1 {
		return name
	}
	return s.packages[pkg] + "." + name
}

// list returns the names, sub-benchmarks included, that one side of a package
// runs.
func (s *session) list(ctx context.Context, pkg int, side compare.Side) ([]string, error) {
	tops, err := s.runner.benchmarks(ctx, pkg, side, s.o.Bench)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, top := range tops {
		if s.code != nil && s.code[pkg].Verdicts[top].Same {
			if side == compare.New {
				s.enterUnmeasured(compare.SameCode, pkg, top)
			}
			continue
		}
		s.o.Tell(prove.Event{Stage: "looking at " + side.String(), Benchmark: s.label(pkg, top), Left: s.Left()})
		if s.Left() <= 0 {
			return nil, fmt.Errorf("the budget of %v ran out before every benchmark ran once: raise -budget, or choose with -bench", s.o.Budget)
		}
		m, err := s.runner.run(ctx, processSpec{pkg: pkg, side: side, bench: top, pattern: gobench.Below(s.o.Bench, top), n: 1})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for _, l := range m.lines {
			switch {
			case l.NoTime:
				s.Warn("%s (%v) reports no time per operation and is not compared", s.label(pkg, l.Name), side)
			case !slices.Contains(names, l.Name):
				names = append(names, l.Name)
			}
		}
		if err != nil && !gobench.KindNoResult.Of(err) { // one that skips itself ended well
			s.Fail(s.label(pkg, top), side, err)
		}
	}
	return names, nil
}
