package tune

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"whet/internal/capture/host"
	"whet/internal/gobench"
	"whet/internal/recording"
)

// testLimit bounds the package's own tests: they are run so that nobody tunes
// code that is broken, not to prove it right.
const testLimit = 10 * time.Second

// Outcome is what Record leaves behind.
type Outcome struct {
	Path string // of the recording; "" when there was nothing to keep
	// Failures are benchmarks that could not be measured, a line each. The
	// others were.
	Failures []string
}

// recorder is one run of Record.
type recorder struct {
	o      Options
	origin time.Time
	target *gobench.Target
	build  gobench.BuildOptions
	bin    *gobench.Binary
	w      *recording.Writer
	frames *frameNames
	out    *outputKeeper

	full       error         // the first thing that a full disk kept from being stored
	deadline   time.Time     // end of the budget
	turn       time.Duration // the longest run of the step at hand
	failures   []failure
	resultless []string // why benchmarks ended well without a result, a line each
}

// failure is a benchmark that could not be measured, and why in one line.
type failure struct{ benchmark, text string }

// Record measures a package and writes the recording. When it fails or is
// interrupted after something was measured, the recording is kept, marked
// partial, and Outcome.Path names it beside the error.
func Record(ctx context.Context, o Options) (Outcome, error) {
	if err := o.Validate(); err != nil {
		return Outcome{}, err
	}
	r := &recorder{o: o, origin: o.Now(), out: newOutputKeeper(o.Output)}
	r.build = gobench.BuildOptions{Tags: o.Tags, Flags: o.Flags}
	r.progress(Progress{Stage: "looking at the package"})
	t, err := gobench.Resolve(ctx, o.Dir, o.Operand, r.build)
	if err != nil {
		return Outcome{}, err
	}
	r.target = t
	if r.o.Out == "" {
		r.o.Out = filepath.Join(o.Dir, defaultName(t.ImportPath))
	}
	r.w, err = recording.Create(r.o.Out, r.origin)
	if err != nil {
		return Outcome{}, err
	}
	defer r.w.Discard()
	meter := host.Start()
	err = r.record(ctx)
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	meter.Stop(&r.w.Manifest.Host)
	return r.finish(err)
}

// record runs the stations. What it had when it returns an error is kept.
func (r *recorder) record(ctx context.Context) error {
	if err := r.buildBinary(ctx); err != nil {
		return err
	}
	r.describe()
	if diff := r.bin.Diff(ctx); len(diff) > 0 {
		r.keep(r.w.Write(recording.Artifact{Path: "build/changes.diff", Kind: recording.KindDiff, StartNs: r.now(), EndNs: r.now()}, diff))
	}
	if err := r.runTests(ctx); err != nil {
		return err
	}
	names, err := r.bin.Benchmarks(ctx, r.o.Bench)
	if err != nil {
		return err
	}
	err = r.measure(ctx, names)
	// Whatever was measured becomes readable: an interrupted run keeps its
	// sources too, which takes a moment, but asks the compiler nothing.
	r.addOutput()
	r.addSources()
	if err == nil {
		r.addCompiler(ctx)
	}
	return err
}

func (r *recorder) since(t time.Time) int64 { return int64(t.Sub(r.origin)) }

func (r *recorder) now() int64 { return r.since(r.o.Now()) }

func (r *recorder) progress(p Progress) {
	if r.o.Progress == nil {
		return
	}
	if !r.deadline.IsZero() {
		p.Left = max(r.deadline.Sub(r.o.Now()), 0)
	}
	r.o.Progress(p)
}

func (r *recorder) buildBinary(ctx context.Context) error {
	r.progress(Progress{Stage: "building the test binary"})
	const rel = "build/target.test"
	name, err := r.w.File(rel)
	if err != nil {
		return err
	}
	start := r.o.Now()
	r.bin, err = gobench.Build(ctx, r.target, r.build, name)
	if err != nil {
		return err
	}
	r.frames = newFrameNames(r.target, r.bin, start)
	if r.o.NoBinary {
		return nil // it is removed at the end
	}
	return r.w.Add(recording.Artifact{Path: rel, Kind: recording.KindBinary, StartNs: r.since(start), EndNs: r.now()})
}

// describe fills the manifest with what is known before measuring.
func (r *recorder) describe() {
	m := &r.w.Manifest
	m.Tool, m.Kind, m.Target, m.Command = r.o.Version, "benchmark", r.o.Operand, r.o.Command
	m.Host = host.Facts(nil)
	if n, err := strconv.Atoi(r.o.CPU); err == nil {
		m.Host.GOMAXPROCS = n // -cpu
	}
	flags := []string{}
	if r.o.Tags != "" {
		flags = append(flags, "-tags="+r.o.Tags)
	}
	flags = append(flags, r.o.Flags...)
	m.Build = recording.Build{
		GoVersion: r.bin.GoVersion, Package: r.target.ImportPath, Module: r.target.Module, ModuleVersion: r.target.ModuleVersion,
		Flags: flags, Args: append([]string{}, r.o.Args...), BuildID: r.bin.BuildID,
		VCS: r.bin.VCS, Revision: r.bin.Revision, Dirty: r.bin.Dirty,
		Race: r.bin.Race, Cover: r.bin.Cover, Unoptimized: r.bin.Unoptimized, Settings: r.bin.Settings,
	}
	for _, m := range r.target.Own {
		r.w.Manifest.Build.OwnModules = append(r.w.Manifest.Build.OwnModules, m.Path)
	}
	benchTime := r.o.BenchTime
	if benchTime == "" {
		benchTime = cpuRun.String()
	}
	m.Plan = recording.Plan{BudgetNs: int64(r.o.Budget), BenchTime: benchTime, MinSamples: r.o.Samples,
		Instruments: []string{recording.KindCPU, recording.KindAllocs, recording.KindBlock, recording.KindMutex, recording.KindTrace}}
}

// runTests runs the package's own tests, as go test does before benchmarks.
func (r *recorder) runTests(ctx context.Context) error {
	if r.o.Run == "^$" {
		return nil
	}
	r.progress(Progress{Stage: "running the tests"})
	tests, err := r.bin.Test(ctx, r.o.Run, testLimit)
	if err != nil {
		return err
	}
	switch {
	case tests.TimedOut:
		r.w.Warn("the tests took longer than %v and were not waited for: run go test yourself", testLimit)
	case !tests.Passed:
		r.out.Write([]byte(tests.Output))
		r.addOutput()
		return &gobench.Error{Kind: gobench.KindTestFailed, Text: fmt.Sprintf("the tests of %s fail (%s): mend them first, or leave them out with -run '^$'", r.target.ImportPath, tests.FirstFailure)}
	}
	return nil
}

// addOutput keeps what the target printed.
func (r *recorder) addOutput() {
	if data := r.out.Bytes(); len(data) > 0 {
		r.keep(r.w.Write(recording.Artifact{Path: "target/output.txt", Kind: recording.KindOutput, EndNs: r.now()}, data))
	}
}

// keep turns a failure to store something extra into a warning. A full disk is
// more than that, and said once: nothing that follows will be stored either.
func (r *recorder) keep(err error) {
	switch {
	case err == nil:
	case !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EDQUOT):
		r.w.Warn("%v", err)
	case r.full == nil:
		r.full = err
	}
}

// finish names the recording. A run that failed or was stopped keeps what it
// measured; one that measured nothing leaves nothing.
func (r *recorder) finish(err error) (Outcome, error) {
	if err == nil {
		r.keep(r.addFindings())
	}
	if err == nil && r.full != nil {
		err = fmt.Errorf("%w: parts of the recording are missing; make room where it goes (-o)", r.full)
	}
	partial := ""
	switch {
	case errors.Is(err, context.Canceled):
		partial = "interrupted"
	case err != nil:
		partial = err.Error()
	}
	var ge *gobench.Error
	if r.bin == nil || errors.As(err, &ge) && ge.Kind == gobench.KindNoBenchmarks {
		return Outcome{}, err // not even built, or nothing to run: there is nothing to keep
	}
	if r.o.NoBinary {
		if name, nameErr := r.w.File("build/target.test"); nameErr == nil {
			os.Remove(name)
		}
	}
	path, finishErr := r.w.Finish(time.Duration(r.now()), partial)
	if finishErr != nil {
		return Outcome{}, errors.Join(err, finishErr)
	}
	outcome := Outcome{Path: path}
	for _, f := range r.failures {
		outcome.Failures = append(outcome.Failures, f.text)
	}
	return outcome, err
}

// slug makes a file name from a benchmark's name.
func slug(i int, name string) string {
	name = strings.TrimPrefix(name, "Benchmark")
	name = strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_':
			return c
		}
		return '-'
	}, name)
	return fmt.Sprintf("%02d-%.60s", i+1, name)
}
