package suite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"whet/internal/analyze/machine"
	"whet/internal/callstack"
	"whet/internal/dotwhet"
	"whet/internal/format/benchmark"
	"whet/internal/history"
	"whet/internal/record"
	"whet/internal/recording"
	"whet/internal/report/bench"
)

// finish makes the recording of what there is, adds to the history, and returns
// the result.
func (r *runner) finish(ctx context.Context, err error) (*bench.Page, error) {
	interrupted := ctx.Err() != nil
	if interrupted {
		err = context.Cause(ctx)
	}
	r.res.Host = r.w.Manifest.Host
	r.describe()
	for _, p := range r.pkgs {
		r.store(p)
	}
	r.w.AddOutput(r.out.Bytes())
	if odd := r.odd(); r.o.History != "" && odd != "" {
		r.warn("built with %s: the results were not added to the history", odd)
	} else if r.o.History != "" && !interrupted && r.measured() {
		// What somebody stopped may have been stopped for what it showed.
		path, historyErr := history.Append(r.o.History, r.entry(ctx))
		r.res.History = path
		err = errors.Join(err, historyErr)
	}
	err = r.w.Ending(err)
	switch {
	case interrupted:
		r.res.Partial = "interrupted"
	case err == nil && r.over:
		r.res.Partial = fmt.Sprintf("the budget of %v ended", r.o.Budget)
	default:
		r.res.Partial = record.Partial(err)
	}
	if !r.measured() && err != nil {
		return nil, err // nothing to keep
	}
	r.res.ElapsedNs = r.w.Now()
	path, finishErr := r.w.Finish(r.res.Partial)
	r.res.Recording = path
	r.res.Warnings = append(r.doubts(), r.w.Manifest.Warnings...)
	for _, p := range r.pkgs {
		r.res.Packages = append(r.res.Packages, p.result())
	}
	return r.res, errors.Join(err, finishErr)
}

// odd says what makes the binaries others than an ordinary build's, "" when
// nothing does.
func (r *runner) odd() string {
	for _, p := range r.pkgs {
		switch {
		case p.bin.Race:
			return "the race detector"
		case p.bin.Cover:
			return "coverage counters"
		case p.bin.Unoptimized:
			return "optimisation or inlining off"
		}
	}
	return ""
}

// doubts say why the figures may mislead; the recording's page finds them out
// for itself.
func (r *runner) doubts() []string {
	var out []string
	if odd := r.odd(); odd != "" {
		out = append(out, fmt.Sprintf("built with %s: times of an ordinary build differ", odd))
	}
	doubts := machine.Observation{Host: &r.res.Host, Elapsed: time.Duration(r.res.ElapsedNs)}.Doubts(machine.Figures())
	return append(out, machine.Texts(doubts)...)
}

func (r *runner) measured() bool {
	return slices.ContainsFunc(r.pkgs, func(p *pkg) bool { return len(p.rows) > 0 })
}

// recorded returns a benchmark's name in the recording: with its package where there
// are several.
func (r *runner) recorded(b *row) string {
	if len(r.pkgs) == 1 {
		return b.name
	}
	return b.p.target.ImportPath + "." + b.name
}

// describe fills the manifest. Facts of a build that the packages do not share
// are left open.
func (r *runner) describe() {
	m := &r.w.Manifest
	if cpu := r.o.processors()[0]; cpu != "" {
		fmt.Sscan(cpu, &m.Host.GOMAXPROCS)
	}
	m.Plan = recording.Plan{BudgetNs: int64(r.o.Budget), BenchTime: r.o.BenchTime, Instruments: r.o.Profiles}
	first := r.pkgs[0]
	if m.DefaultName != "" && len(r.pkgs) > 1 {
		m.DefaultName = dotwhet.Name(first.target.Family(), first.target.Family()) + "-bench"
	} else if m.DefaultName != "" {
		m.DefaultName = dotwhet.Name(first.target.Family(), first.target.ImportPath) + "-bench"
	}
	m.Build = record.Build(first.target, first.bin, r.build(), r.o.Args)
	b := &m.Build
	b.Dirty = first.dirty
	if len(r.pkgs) > 1 {
		b.Package, b.BuildID = "", ""
	}
	for _, p := range r.pkgs {
		if p.target.Module != b.Module {
			b.Module, b.ModuleVersion = "", ""
		}
		if p.bin.Revision != b.Revision || !equal(p.dirty, b.Dirty) {
			b.VCS, b.Revision, b.Dirty = "", "", nil
		}
		for _, own := range p.target.Own {
			if !slices.Contains(b.OwnModules, own.Path) {
				b.OwnModules = append(b.OwnModules, own.Path)
			}
		}
	}
	all := []record.Benchmark{} // never null in the manifest
	for _, p := range r.pkgs {
		for _, b := range p.rows {
			all = append(all, r.manifest(b))
		}
	}
	for _, f := range r.res.Failures {
		all = append(all, record.Benchmark{Name: strings.TrimSuffix(f.Package+"."+f.Benchmark, "."), Failure: f.Text})
	}
	record.Benchmarks.Set(m, &all)
}

func equal(a, b *bool) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }

// manifest returns a benchmark's entry: its middle sample.
func (r *runner) manifest(b *row) record.Benchmark {
	sorted := slices.Clone(b.lines)
	slices.SortStableFunc(sorted, func(x, y benchmark.Line) int { return cmp.Compare(x.NsPerOp, y.NsPerOp) })
	out := record.NewBenchmark(r.recorded(b), sorted[(len(sorted)-1)/2])
	out.Parallel, out.CPUIterations, out.MutexIterations, out.AllocIterations = b.parallel, b.cpuCalls, b.mutexCalls, b.allocCalls
	for _, p := range b.profiles {
		out.Profiled = out.Profiled || p.Kind == recording.KindCPU
	}
	return out
}

// store keeps a package's results, and the sources of what its profiles name.
func (r *runner) store(p *pkg) {
	var lines []benchmark.Line
	var profiles []string
	for _, b := range p.rows {
		lines = append(lines, b.lines...)
		for _, short := range b.profiles {
			profiles = append(profiles, short.Path)
		}
	}
	r.w.AddResults("bench/"+p.slug+".txt", p.target.ImportPath, lines)
	files := r.w.ReadProfiles(profiles, func(string, *callstack.Frames) {})
	r.w.AddSources(p.frames, files, "its lines may differ from the measured ones; run whet bench again")
}

// entry returns the run as the history keeps it.
func (r *runner) entry(ctx context.Context) *history.Entry {
	e := &history.Entry{Host: r.res.Host, Name: r.o.Host, Date: r.origin, Tool: r.o.Version, Flags: r.w.Manifest.Build.Flags}
	for _, p := range r.pkgs {
		one := history.Package{ImportPath: p.target.ImportPath, Revision: p.bin.Revision, Dirty: p.dirty, GoVersion: p.bin.GoVersion}
		if at, ok := p.bin.CommitTime(ctx); ok {
			one.Committed = at
		}
		for _, b := range p.rows {
			one.Lines = append(one.Lines, b.lines...)
		}
		e.Packages = append(e.Packages, one)
	}
	return e
}

// result returns the package for the report.
func (p *pkg) result() bench.Package {
	out := bench.Package{ImportPath: p.target.ImportPath, GoVersion: p.bin.GoVersion, Revision: p.bin.Revision, Dirty: p.dirty}
	for _, b := range p.rows {
		row := bench.Row{Name: b.name, Procs: b.procs, Profiles: b.profiles}
		for _, l := range b.lines {
			s := bench.Sample{Iterations: l.N}
			add := func(unit string, v *float64) {
				if v != nil {
					s.Values = append(s.Values, benchmark.Metric{Unit: unit, Value: *v})
				}
			}
			if !l.NoTime {
				add("ns/op", &l.NsPerOp)
			}
			for _, m := range l.Metrics {
				add(m.Unit, &m.Value)
			}
			add("B/op", l.BytesPerOp)
			add("allocs/op", l.AllocsPerOp)
			row.Samples = append(row.Samples, s)
		}
		out.Benchmarks = append(out.Benchmarks, row)
	}
	return out
}

// tee passes output on to two writers, of which the second may be nil.
type tee struct{ kept, shown io.Writer }

func (t tee) Write(b []byte) (int, error) {
	_, _ = t.kept.Write(b) // it never fails
	if t.shown != nil {
		return t.shown.Write(b)
	}
	return len(b), nil
}
