package sides

import (
	"fmt"
	"slices"
	"strings"

	"whet/internal/analyze/compare"
	"whet/internal/gobench"
	"whet/internal/quantity"
)

// match pairs the packages of both sides. Two package directories are a pair whatever
// their names; otherwise packages are matched by import path, and if no path is on both
// sides, as after a module was renamed, by the path within the module.
func (p *Pair) match() ([][2]*gobench.Target, error) {
	old, new := p.sides[compare.Old], p.sides[compare.New]
	if err := p.leaveOut(); err != nil {
		return nil, err
	}
	for _, s := range p.sides {
		if len(s.targets) == 0 {
			return nil, refuse(gobench.KindNoBenchmarks, "%s (%v): no package has benchmarks: write a func BenchmarkX(b *testing.B) in a file x_test.go", s.spec.Operand, s.which)
		}
	}
	if old.single() && new.single() {
		return [][2]*gobench.Target{{old.targets[0], new.targets[0]}}, nil
	}
	byPath := func(t *gobench.Target) string { return t.ImportPath }
	pairs, only := pairBy(old.targets, new.targets, byPath)
	if len(pairs) == 0 {
		inModule := func(t *gobench.Target) string { return strings.TrimPrefix(t.ImportPath, t.Module) }
		if renamed, rest := pairBy(old.targets, new.targets, inModule); len(renamed) > 0 {
			pairs, only = renamed, rest
		}
	}
	if len(pairs) == 0 {
		return nil, refuse(gobench.KindNoBenchmarks, "no package with benchmarks exists on both sides: old has %s, new %s", quantity.Some(only[compare.Old], 3), quantity.Some(only[compare.New], 3))
	}
	p.only = only
	return pairs, nil
}

// single reports whether the operand is one package.
func (s *side) single() bool { return s.kind == packageDir || s.kind == testBinary }

// pairBy pairs those with the same key, in the order of new, and returns the
// import paths of the rest.
func pairBy(old, new []*gobench.Target, key func(*gobench.Target) string) (pairs [][2]*gobench.Target, only [2][]string) {
	left := make(map[string]*gobench.Target)
	for _, t := range old {
		left[key(t)] = t
	}
	for _, t := range new {
		k := key(t)
		if o := left[k]; o != nil {
			pairs = append(pairs, [2]*gobench.Target{o, t})
			delete(left, k)
			continue
		}
		only[compare.New] = append(only[compare.New], t.ImportPath)
	}
	for _, t := range old {
		if left[key(t)] == t {
			only[compare.Old] = append(only[compare.Old], t.ImportPath)
		}
	}
	return pairs, only
}

// leaveOut deals with packages that the go command cannot read: a new side that
// breaks one is an error, one that was broken before is left out.
func (p *Pair) leaveOut() error {
	old, new := p.sides[compare.Old], p.sides[compare.New]
	for _, b := range new.broken {
		if !slices.ContainsFunc(old.broken, func(o gobench.Broken) bool { return o.ImportPath == b.ImportPath }) {
			return &gobench.Error{Kind: b.Err.Kind, Text: fmt.Sprintf("%s (%v): %s: %s", new.spec.Operand, new.which, b.ImportPath, b.Err.Text), Detail: b.Err.Detail}
		}
	}
	for _, b := range old.broken {
		p.warn(fmt.Sprintf("%s is left out: it is broken in old: %s", b.ImportPath, b.Err.Text))
	}
	return nil
}
