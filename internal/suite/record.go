package suite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"whet/internal/callstack"
	"whet/internal/format/benchmark"
	"whet/internal/format/profile"
	"whet/internal/history"
	"whet/internal/quantity"
	"whet/internal/recording"
	"whet/internal/report"
)

// finish makes the recording of what there is, adds to the history, and returns
// the result.
func (r *runner) finish(ctx context.Context, err error) (*report.Bench, error) {
	interrupted := ctx.Err() != nil
	if interrupted {
		err = context.Cause(ctx)
	}
	r.describe()
	r.storeResults()
	r.storeSources()
	if data := r.out.Bytes(); len(data) > 0 {
		r.keep(r.w.Write(recording.Artifact{Path: "target/output.txt", Kind: recording.KindOutput, EndNs: r.now()}, data))
	}
	if odd := r.odd(); r.o.History != "" && odd != "" {
		r.warn("built with %s: the results were not added to the history", odd)
	} else if r.o.History != "" && !interrupted && r.measured() {
		// What somebody stopped may have been stopped for what it showed.
		path, historyErr := history.Append(r.o.History, r.entry(ctx))
		r.res.History = path
		err = errors.Join(err, historyErr)
	}
	if err == nil && r.full != nil {
		err = fmt.Errorf("%w: %w", r.full, errFull)
	}
	switch {
	case interrupted:
		r.res.Partial = "interrupted"
	case err != nil:
		r.res.Partial = err.Error()
	case r.over:
		r.res.Partial = fmt.Sprintf("the budget of %v ended", r.o.Budget)
	}
	if !r.measured() && err != nil {
		return nil, err // nothing to keep
	}
	r.res.ElapsedNs = r.now()
	path, finishErr := r.w.Finish(time.Duration(r.res.ElapsedNs), r.res.Partial)
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
		out = append(out, fmt.Sprintf("built with %s: times are not those of an ordinary build", odd))
	}
	h := &r.res.Host
	if s := h.StealRatio; s != nil && *s > 0.05 {
		out = append(out, fmt.Sprintf("the hypervisor took %s of the processors' time while measuring: times are too long and uneven", quantity.Percent(*s)))
	}
	if l := h.LoadStart; l != nil && *l > float64(h.Cores) {
		out = append(out, fmt.Sprintf("the machine was busy when measuring began (load %.1f on %d cores): times are too long and uneven", *l, h.Cores))
	}
	return out
}

func (r *runner) measured() bool {
	return slices.ContainsFunc(r.pkgs, func(p *pkg) bool { return len(p.rows) > 0 })
}

// recorded is a benchmark's name in the recording: with its package where there
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
	m.Tool, m.Kind, m.Target, m.Command = r.o.Version, recording.TargetBenchmark, strings.Join(r.o.Packages, " "), recording.CommandLine(r.o.Command)
	m.Host = r.res.Host
	if cpu := r.o.processors()[0]; cpu != "" {
		fmt.Sscan(cpu, &m.Host.GOMAXPROCS)
	}
	m.Plan = recording.Plan{BudgetNs: int64(r.o.Budget), BenchTime: r.o.BenchTime, Instruments: r.o.Profiles}
	first := r.pkgs[0]
	b := &m.Build
	*b = recording.Build{GoVersion: first.bin.GoVersion, Module: first.target.Module, ModuleVersion: first.target.ModuleVersion,
		Args: r.o.Args, VCS: first.bin.VCS, Revision: first.bin.Revision, Dirty: first.dirty,
		Race: first.bin.Race, Cover: first.bin.Cover, Unoptimized: first.bin.Unoptimized, Settings: first.bin.Settings}
	if r.o.Tags != "" {
		b.Flags = append(b.Flags, "-tags="+r.o.Tags)
	}
	b.Flags = append(b.Flags, r.o.Flags...)
	if len(r.pkgs) == 1 {
		b.Package, b.BuildID = first.target.ImportPath, first.bin.BuildID
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
	for _, p := range r.pkgs {
		for _, b := range p.rows {
			m.Benchmarks = append(m.Benchmarks, r.manifest(b))
		}
	}
	for _, f := range r.res.Failures {
		m.Benchmarks = append(m.Benchmarks, recording.Benchmark{Name: strings.TrimSuffix(f.Package+"."+f.Benchmark, "."), Failure: f.Text})
	}
}

func equal(a, b *bool) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }

// manifest is a benchmark's entry: its middle sample.
func (r *runner) manifest(b *row) recording.Benchmark {
	sorted := slices.Clone(b.lines)
	slices.SortStableFunc(sorted, func(x, y benchmark.Line) int {
		switch {
		case x.NsPerOp < y.NsPerOp:
			return -1
		case x.NsPerOp > y.NsPerOp:
			return 1
		}
		return 0
	})
	l := sorted[(len(sorted)-1)/2]
	out := recording.Benchmark{Name: r.recorded(b), Procs: b.procs, Iterations: l.N, NsPerOp: l.NsPerOp, BytesPerOp: l.BytesPerOp, AllocsPerOp: l.AllocsPerOp,
		Parallel: b.parallel, CPUIterations: b.cpuCalls, MutexIterations: b.mutexCalls, AllocIterations: b.allocCalls}
	for _, metric := range l.Metrics {
		out.Metrics = append(out.Metrics, recording.Metric{Unit: metric.Unit, Value: metric.Value})
	}
	for _, p := range b.profiles {
		out.Profiled = out.Profiled || p.Kind == recording.KindCPU
	}
	return out
}

// storeResults keeps each package's results in Go benchmark format.
func (r *runner) storeResults() {
	for _, p := range r.pkgs {
		if len(p.rows) == 0 {
			continue
		}
		var text bytes.Buffer
		w := benchmark.NewWriter(&text)
		for _, s := range r.settings(p) {
			w.Set(s.Key, s.Value)
		}
		for _, b := range p.rows {
			for _, l := range b.lines {
				w.Write(l)
			}
		}
		r.keep(r.w.Write(recording.Artifact{Path: "bench/" + p.slug + ".txt", Kind: recording.KindBench, EndNs: r.now()}, text.Bytes()))
	}
}

// storeSources copies every file that a profile's frames name into the
// recording.
func (r *runner) storeSources() {
	kept := make(map[string]bool)
	for _, p := range r.pkgs {
		files := make(map[string]bool)
		for _, b := range p.rows {
			for _, short := range b.profiles {
				data, err := os.ReadFile(filepath.Join(r.w.Dir(), filepath.FromSlash(short.Path)))
				var prof *callstack.Profile
				if err == nil {
					prof, err = profile.Read(data, profile.DefaultLimits())
				}
				if err != nil {
					r.keep(fmt.Errorf("%s: %w", short.Path, err))
					continue
				}
				for i := range prof.NumFrames() {
					files[prof.Frame(callstack.FrameID(i)).File] = true
				}
			}
		}
		finder := p.finder()
		for _, file := range slices.Sorted(maps.Keys(files)) {
			if _, ok := finder.Find(file); !ok || kept[file] {
				continue // generated, as _testmain.go, or kept with another package
			}
			data, err := finder.Read(file)
			if err != nil {
				r.warn("%v: it was not kept", err)
				continue
			}
			kept[file] = true
			display, module := finder.Display(file)
			s := recording.Source{Frame: file, Path: display, Module: module}
			if modified, ok := finder.Modified(file); ok && modified.After(p.built) {
				s.Differs = "it was changed after the build began"
				r.warn("%s was changed after the build began: its lines may not be those that were measured; run whet bench again", display)
			}
			r.keep(r.w.AddSource(s, data))
		}
	}
}

// keep turns a failure to store something extra into a warning. A full disk is
// more than that, and said once.
func (r *runner) keep(err error) {
	switch {
	case err == nil:
	case !isFull(err):
		r.warn("%v", err)
	case r.full == nil:
		r.full = err
	}
}

func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// entry is the run as the history keeps it.
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

// result is the package for the report.
func (p *pkg) result() report.BenchPackage {
	out := report.BenchPackage{ImportPath: p.target.ImportPath, GoVersion: p.bin.GoVersion, Revision: p.bin.Revision, Dirty: p.dirty}
	for _, b := range p.rows {
		row := report.BenchRow{Name: b.name, Procs: b.procs, Profiles: b.profiles}
		for _, l := range b.lines {
			s := report.BenchSample{Iterations: l.N}
			add := func(unit string, v *float64) {
				if v != nil {
					s.Values = append(s.Values, recording.Metric{Unit: unit, Value: *v})
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

// slug makes a file name of any name; the number keeps it apart from others.
func slug(i int, name string) string {
	name = strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_':
			return c
		}
		return '-'
	}, name)
	return fmt.Sprintf("%02d-%.60s", i+1, name)
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
