package suite

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"whet/internal/capture/host"
	"whet/internal/capture/process"
	"whet/internal/dotwhet"
	"whet/internal/format/benchmark"
	"whet/internal/gobench"
	"whet/internal/history"
	"whet/internal/quantity"
	"whet/internal/record"
	"whet/internal/recording"
	benchreport "whet/internal/report/bench"
	"whet/internal/worktree"
)

// keepOutput bounds the copy of what the benchmarks print.
const keepOutput = 256 << 10

// testLimit bounds a package's own tests, where -run asks for some.
const testLimit = 10 * time.Minute

// runner is a run of a suite.
type runner struct {
	o        Options
	origin   time.Time
	w        *record.Recorder
	scratch  string // of the binaries
	res      *benchreport.Page
	pkgs     []*pkg
	out      *process.Bounded
	deadline time.Time // zero: none
	over     bool      // the budget is
}

// pkg is a package that is measured.
type pkg struct {
	listed gobench.ListedPackage
	target *gobench.Target
	bin    *gobench.Binary
	frames *record.Frames
	names  []string // top-level benchmarks
	slug   string
	rows   []*row
	took   time.Duration
	failed map[string]bool // top-level benchmarks that are not run again
	dirty  *bool           // without the history's own files
}

// row is a benchmark with one number of processors.
type row struct {
	p         *pkg
	name, cpu string
	procs     int
	slug      string
	lines     []benchmark.Line
	profiles  []benchreport.Profile
	// Calls of the loop that each profile covers; parallel: its work ran on
	// several goroutines.
	cpuCalls, allocCalls, mutexCalls int64
	parallel                         bool
}

// Run measures and records. After a failure or an interrupt, the measurements so far
// are in the recording, marked partial, and in the result beside the error; the result
// is nil if there were none.
func Run(ctx context.Context, o Options) (*benchreport.Page, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	r := &runner{o: o, origin: o.Now(), res: &benchreport.Page{BenchTime: o.BenchTime, Planned: o.Count}, out: process.NewBounded(keepOutput, 0)}
	r.progress(Progress{Stage: "looking at the packages"})
	listed, err := gobench.List(ctx, o.Dir, o.Packages, r.build())
	if err != nil {
		return nil, err
	}
	if o.History != "" {
		if err := history.TryDir(o.History); err != nil {
			return nil, err
		}
	}
	path, name := o.Out, ""
	if path == "" {
		name = "bench" // until the packages are known
		if path, err = dotwhet.New(o.Dir, name); err != nil {
			return nil, err
		}
	}
	r.w, err = record.Create(record.Run{Path: path, Default: name, Kind: recording.TargetBenchmark, Target: strings.Join(o.Packages, " "), Command: o.Command, Version: o.Version, Origin: r.origin, Now: o.Now})
	if err != nil {
		return nil, err
	}
	defer r.w.Discard()
	// One that the next run removes where this one is killed.
	scratch, err := worktree.NewScratch("")
	if err != nil {
		return nil, fmt.Errorf("%w: set TMPDIR to a writable directory", err)
	}
	defer scratch.Close()
	r.scratch = scratch.Dir
	if err := r.prepare(ctx, listed); err != nil {
		return nil, err
	}
	r.w.Meter = host.Start()
	err = r.measure(ctx)
	r.w.Measured()
	return r.finish(ctx, err)
}

func (r *runner) build() gobench.BuildOptions {
	return gobench.BuildOptions{Tags: r.o.Tags, Flags: r.o.Flags}
}

// prepare builds what has benchmarks.
func (r *runner) prepare(ctx context.Context, listed []gobench.ListedPackage) error {
	for i, l := range listed {
		r.progress(Progress{Stage: "building", Package: l.ImportPath, Done: i, Total: len(listed)})
		if l.Err == nil && !l.Benchmarks {
			r.res.Without++
			continue
		}
		p := &pkg{listed: l, slug: record.Slug(len(r.pkgs), l.ImportPath), failed: make(map[string]bool)}
		err := r.prepareOne(ctx, p, i)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		switch {
		case gobench.KindNoBenchmarks.Of(err):
			r.res.Without++
		case err != nil:
			r.fail(l.ImportPath, "", err)
			if r.o.Lines != nil {
				r.o.Lines.Ended(l.ImportPath, failedHow(err), 0)
			}
		default:
			r.pkgs = append(r.pkgs, p)
		}
	}
	switch {
	case len(r.pkgs) > 0:
		return nil
	case len(r.res.Failures) > 0:
		text := r.res.Failures[0].Text
		if n := len(r.res.Failures) - 1; n > 0 {
			text += fmt.Sprintf(" (and %s more)", quantity.Plural(n, "package"))
		}
		return &gobench.Error{Kind: gobench.KindFailed, Text: "no benchmark could be measured: " + text}
	case len(listed) == 1:
		return &gobench.Error{Kind: gobench.KindNoBenchmarks, Text: fmt.Sprintf("no benchmark of %s matches -bench %s", listed[0].ImportPath, r.o.Bench)}
	}
	return &gobench.Error{Kind: gobench.KindNoBenchmarks, Text: fmt.Sprintf("no benchmark in %d packages matches -bench %s", len(listed), r.o.Bench)}
}

// failedHow returns what go test says after the name of a package.
func failedHow(err error) string {
	switch {
	case gobench.KindCompile.Of(err):
		return "[build failed]"
	case gobench.KindTestFailed.Of(err):
		return "[tests failed]"
	}
	return "[setup failed]"
}

func (r *runner) prepareOne(ctx context.Context, p *pkg, i int) (err error) {
	if p.listed.Err != nil {
		return p.listed.Err
	}
	if p.target, err = gobench.Resolve(ctx, r.o.Dir, p.listed.Operand, r.build()); err != nil {
		return err
	}
	built := r.o.Now()
	// Profiles name the binary's file: it is called as go test calls it.
	dir := filepath.Join(r.scratch, strconv.Itoa(i))
	if err := os.Mkdir(dir, 0o755); err != nil {
		return fmt.Errorf("make a work directory: %w", err)
	}
	if p.bin, err = gobench.Build(ctx, p.target, r.build(), filepath.Join(dir, path.Base(p.target.ImportPath)+".test")); err != nil {
		return err
	}
	p.frames = record.NewFrames(p.target, p.bin, built)
	if p.names, err = p.bin.Benchmarks(ctx, r.o.Bench); err != nil {
		return err
	}
	p.dirty = p.bin.Dirty
	if r.o.History != "" {
		dir, err := filepath.Abs(r.o.History)
		if err != nil {
			return fmt.Errorf("history %s: %w", r.o.History, err)
		}
		p.dirty = p.bin.DirtyBut(ctx, dir)
	}
	if r.o.Run == noTests {
		return nil
	}
	r.progress(Progress{Stage: "running the tests", Package: p.target.ImportPath})
	tests, err := p.bin.Test(ctx, r.o.Run, testLimit)
	switch {
	case err != nil:
		return err
	case tests.TimedOut:
		return &gobench.Error{Kind: gobench.KindTestFailed, Text: fmt.Sprintf("the tests of %s took longer than %v: choose some with -run ('^$' runs none)", p.target.ImportPath, testLimit)}
	case !tests.Passed:
		return &gobench.Error{Kind: gobench.KindTestFailed, Text: fmt.Sprintf("the tests of %s fail (%s): its benchmarks were not measured", p.target.ImportPath, tests.FirstFailure)}
	}
	return nil
}

// measure runs the rounds, then the profilers.
func (r *runner) measure(ctx context.Context) error {
	if r.o.Budget > 0 {
		r.deadline = r.o.Now().Add(r.o.Budget)
	}
	cpus := r.o.processors()
	perRound := 0
	for _, p := range r.pkgs {
		perRound += len(p.names) * len(cpus)
	}
	done := 0
	for round := range r.o.Count {
		for _, p := range r.pkgs {
			for _, name := range p.names {
				for _, cpu := range cpus {
					if r.spent() {
						r.warnBudget(done, perRound*r.o.Count)
						r.endPackages(p, round)
						return nil
					}
					r.progress(Progress{Stage: fmt.Sprintf("round %d of %d", round+1, r.o.Count), Package: p.target.ImportPath, Benchmark: name, Done: done, Total: perRound * r.o.Count})
					done++
					if p.failed[name] {
						continue
					}
					if err := r.time(ctx, p, name, cpu); err != nil {
						return err
					}
				}
			}
			if round == r.o.Count-1 {
				r.ended(p)
			}
		}
		r.res.Rounds = round + 1
	}
	return r.profileAll(ctx)
}

// endPackages ends the packages that the budget left unfinished: in the last
// round those from p on, before it all.
func (r *runner) endPackages(p *pkg, round int) {
	open := round < r.o.Count-1
	for _, q := range r.pkgs {
		if open = open || q == p; open {
			r.ended(q)
		}
	}
}

func (r *runner) ended(p *pkg) {
	if r.o.Lines == nil {
		return
	}
	failed := ""
	if len(p.failed) > 0 {
		failed = "failed"
	}
	r.o.Lines.Ended(p.target.ImportPath, failed, p.took)
}

func (r *runner) spent() bool {
	r.over = r.over || !r.deadline.IsZero() && !r.o.Now().Before(r.deadline)
	return r.over
}

func (r *runner) warnBudget(done, all int) {
	r.warn("the budget of %v ran out after %d of %d timing runs, before any profile: raise -budget, or choose with -bench", r.o.Budget, done, all)
}

// time runs one top-level benchmark once with all its sub-benchmarks.
func (r *runner) time(ctx context.Context, p *pkg, name, cpu string) error {
	run := gobench.Run{Bench: name, BenchTime: r.o.BenchTime, CPU: cpu}
	if strings.Contains(r.o.Bench, "/") {
		run.Pattern = gobench.Below(r.o.Bench, name)
	}
	res, err := r.run(ctx, p, run)
	if res != nil {
		p.took += res.End.Sub(res.Start)
		for _, l := range res.Lines {
			r.sample(p, cpu, l)
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		r.failBenchmark(p, name, err)
	}
	return nil
}

// run starts one benchmark process with the options common to all.
func (r *runner) run(ctx context.Context, p *pkg, run gobench.Run) (*gobench.Result, error) {
	run.Args, run.Timeout = r.o.Args, r.o.Timeout
	run.Output = tee{r.out, r.o.Output}
	return p.bin.Run(ctx, run)
}

// sample adds a result to its row.
func (r *runner) sample(p *pkg, cpu string, l benchmark.Line) {
	var at *row
	for _, have := range p.rows {
		if have.name == l.Name && have.procs == l.Procs {
			at = have
		}
	}
	if at == nil {
		at = &row{p: p, name: l.Name, cpu: cpu, procs: l.Procs, slug: record.Slug(len(p.rows), strings.TrimPrefix(l.Name, "Benchmark"))}
		p.rows = append(p.rows, at)
	}
	at.lines = append(at.lines, l)
	if r.o.Lines != nil {
		r.o.Lines.Result(record.Settings(&r.w.Manifest.Host, p.target.ImportPath), l)
	}
}

// failBenchmark notes a benchmark that is not run again. One that skips itself
// is no failure.
func (r *runner) failBenchmark(p *pkg, name string, err error) {
	if gobench.KindNoResult.Of(err) {
		r.warn("%s: %v", p.target.ImportPath, err)
		p.names = slices.DeleteFunc(slices.Clone(p.names), func(n string) bool { return n == name })
		return
	}
	p.failed[name] = true
	r.fail(p.target.ImportPath, name, err)
}

func (r *runner) fail(pkg, bench string, err error) {
	text := err.Error()
	if !strings.Contains(text, pkg) {
		text = pkg + ": " + text
	}
	r.res.Failures = append(r.res.Failures, benchreport.Failure{Package: pkg, Benchmark: bench, Text: text})
}

func (r *runner) warn(format string, args ...any) { r.w.Warn(format, args...) }

func (r *runner) progress(p Progress) {
	if r.o.Progress == nil {
		return
	}
	if !r.deadline.IsZero() {
		p.Left = max(r.deadline.Sub(r.o.Now()), 0)
	}
	r.o.Progress(p)
}
