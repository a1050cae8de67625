package read

import (
	"fmt"
	"time"

	"whet/internal/diagnose"
	"whet/internal/recording"
)

// pool returns the sum of the benchmarks that have too few samples each, and enough
// together; nil: there is no need for one, or it would not do. Benchmarks that
// measure others' code alone are not in it.
func (a *Reading) pool() *diagnose.Subject {
	var of []*diagnose.Subject
	sum := int64(0)
	for _, s := range a.subjects {
		n := s.BaseCPUSamples()
		if n >= diagnose.MinCPUSamples || s.Kind != recording.TargetBenchmark || s.Lone {
			return nil
		}
		if n > 0 && s.MeasuresModule() {
			of, sum = append(of, s), sum+n
		}
	}
	if len(of) < 2 || sum < diagnose.MinCPUSamples {
		return nil
	}
	first := of[0]
	pool := &diagnose.Subject{
		Benchmark: fmt.Sprintf("%d benchmarks", len(of)), Kind: first.Kind, Package: first.Package, Module: first.Module, Modules: first.Modules,
		BytesPerOp: -1, AllocsPerOp: -1, Procs: first.Procs,
		Source: a.sources, Loops: a.loops, Program: a.types, Decisions: a.decisions,
	}
	cpuKnown, allocsKnown := true, true
	parts := make(map[string][]recording.Artifact)
	for _, s := range of {
		pool.Pool = append(pool.Pool, s.Benchmark)
		cpuKnown, allocsKnown = cpuKnown && s.CPUIterations > 0, allocsKnown && s.AllocIterations > 0
		pool.CPUIterations += s.CPUIterations
		pool.AllocIterations += s.AllocIterations
		for _, kind := range []string{recording.KindCPU, recording.KindAllocs} {
			for _, artifact := range a.rec.Find(kind, s.Benchmark) {
				if artifact.Part == "" {
					parts[kind] = append(parts[kind], artifact)
				}
			}
		}
	}
	if !cpuKnown {
		pool.CPUIterations = 0
	}
	if !allocsKnown {
		pool.AllocIterations = 0
	}
	for kind, artifacts := range parts {
		p := a.readSegments(artifacts)
		if p == nil {
			return nil
		}
		if kind == recording.KindCPU {
			p = withoutPreemption(p)
		}
		column, err := p.TypeIndex(columns[kind])
		if err != nil {
			return nil // which was warned of
		}
		if c := a.classify(p); kind == recording.KindCPU {
			pool.CPU, pool.CPUColumn, pool.CPUPeriod = c, column, time.Duration(p.Period)
		} else {
			pool.Allocs, pool.AllocCol = c, column
		}
	}
	return pool
}
