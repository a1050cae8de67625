package tune

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"whet/internal/capture"
	"whet/internal/capture/host"
	"whet/internal/capture/process"
	"whet/internal/dotwhet"
	"whet/internal/format/metrics"
	"whet/internal/gobench"
	"whet/internal/program"
	"whet/internal/record"
	"whet/internal/recording"
)

// ProgramOptions configure the measurement of a program that ends. Start from
// DefaultProgramOptions.
type ProgramOptions struct {
	Common

	Args   []string
	Count  int           // how often to run it; 0: until there are samples enough
	Budget time.Duration // after which a run is stopped; its results so far are kept

	Stdin io.Reader // of the program; nil: nothing
	// Stdout and Stderr receive the program's output; nil: discarded. The recording has
	// a bounded copy.
	Stdout, Stderr io.Writer
}

// DefaultProgramOptions returns the default options of whet tune for a program.
func DefaultProgramOptions() ProgramOptions {
	return ProgramOptions{Common: Common{Dir: ".", Now: time.Now}, Budget: 60 * time.Second}
}

// Validate reports the first option that cannot be used.
func (o *ProgramOptions) Validate() error {
	switch {
	case o.Operand == "":
		return errors.New("no program to measure: name its package, as in whet tune ./cmd/x -- args")
	case o.Count < 0 || o.Count > maxCount:
		return fmt.Errorf("-count %d: give a number from 1 to %d, or 0 to let whet choose", o.Count, maxCount)
	case o.Budget < time.Second:
		return fmt.Errorf("-budget %v is too short to measure anything: give at least 1s", o.Budget)
	}
	return nil
}

const maxCount = 1000

// IsProgram reports whether an operand is a program and not a package with
// benchmarks: a main package that has none.
func IsProgram(ctx context.Context, c Common) (bool, error) {
	t, err := gobench.Resolve(ctx, c.Dir, c.Operand, gobench.BuildOptions{Tags: c.Tags, Flags: c.Flags})
	if gobench.KindUsage.Of(err) && isPattern(c.Operand) {
		return false, nil // it matches several packages
	}
	if err != nil {
		return false, err
	}
	if t.Name != "main" {
		return false, nil
	}
	for _, name := range t.TestFiles {
		if data, err := os.ReadFile(name); err == nil && bytes.Contains(data, []byte("\nfunc Benchmark")) {
			return false, nil
		}
	}
	return true, nil
}

// Rates of the sampled instruments in a program or service: a wait of 10 µs is
// in the block profile with certainty, shorter ones by their length; every
// tenth contention is in the mutex profile.
const (
	blockRate     = 10 * time.Microsecond
	mutexFraction = 10
)

// programRecorder is a run of RecordProgram.
type programRecorder struct {
	session
	o       ProgramOptions
	result  record.Program
	taken   instrumentData
	samples int64 // of the base in the CPU profiles; without Count
	failed  bool  // a run ended by itself, and not with 0
}

// RecordProgram builds a main package with the agent in it, runs it to its end and
// writes the recording. Errors are as for Record.
func RecordProgram(ctx context.Context, o ProgramOptions) (Outcome, error) {
	if err := o.Validate(); err != nil {
		return Outcome{}, err
	}
	r := &programRecorder{session: newSession(o.Common), o: o}
	if err := r.resolve(ctx, o.Operand); err != nil {
		return Outcome{}, err
	}
	if err := r.create(recording.TargetProgram, dotwhet.Name(r.target.Family(), r.target.ImportPath)); err != nil {
		return Outcome{}, err
	}
	defer r.w.Discard()
	err := r.record(ctx)
	out, err := r.measured(ctx, err, len(r.result.Runs) > 0)
	out.Failed = r.failed
	return out, err
}

func (r *programRecorder) record(ctx context.Context) error {
	r.progress(Progress{Stage: "building the program"})
	err := r.addBinary(binaryName(r.target), func(name string) (*gobench.Binary, error) {
		return program.Build(ctx, r.target, r.build, name)
	})
	if err != nil {
		return err
	}
	r.describe(r.o.Args)
	r.w.Manifest.Plan = recording.Plan{BudgetNs: int64(r.o.Budget), Instruments: []string{
		recording.KindCPU, recording.KindAllocs, recording.KindHeap, recording.KindBlock, recording.KindMutex, recording.KindGoroutine,
		recording.KindThreads, recording.KindTrace, recording.KindMetrics, recording.KindGC}}
	r.addDiff(ctx)
	r.addDecisions(ctx, false)
	r.result.Args = r.o.Args
	r.deadline = r.c.Now().Add(r.o.Budget)
	machine := host.Start()
	if r.o.Count == 0 {
		err = r.repeat(ctx)
	}
	for i := 0; i < r.o.Count && err == nil && r.left() > 0; i++ {
		_, err = r.run(ctx, i)
	}
	if n := len(r.result.Runs); err == nil && n > 0 && len(r.taken.profiles) == 0 {
		if last := &r.result.Runs[n-1]; last.ExitCode != 0 || last.Signal != "" {
			err = fmt.Errorf("the program ended (%s) before anything was measured", last.Ending)
		}
	}
	if done := len(r.result.Runs); err == nil && done < r.o.Count {
		r.w.Warn("the budget of %v ran out after %d of %d runs: raise -budget", r.o.Budget, done, r.o.Count)
	}
	var during recording.Host
	machine.Stop(&during)
	r.result.MachineBusyRatio = during.BusyRatio
	record.Programs.Set(&r.w.Manifest, &r.result)
	r.store(&r.taken)
	r.w.AddOutput(r.out.Bytes())
	r.addSources(ctx, err != nil)
	return err
}

// run runs the program once, and reports whether it ended well with all that the
// agent had to write. A run that the user did not ask for shows nothing, and has
// no trace and no log of the collector.
func (r *programRecorder) run(ctx context.Context, i int) (whole bool, err error) {
	progress := Progress{Stage: "running the program"}
	unasked := r.o.Count == 0 && i > 0
	switch {
	case r.o.Count > 1:
		progress.Stage = fmt.Sprintf("run %d of %d", i+1, r.o.Count)
		r.out.begin(progress.Stage)
	case unasked:
		progress = Progress{Stage: fmt.Sprintf("run %d", i+1), Samples: int(r.samples), Wanted: enoughSamples}
	}
	r.progress(progress)
	a, err := program.NewAgent(program.Options{Serve: true, Continuous: true, Trace: !unasked, BlockRate: blockRate, MutexFraction: mutexFraction})
	if err != nil {
		return false, err
	}
	defer a.Remove()
	c := process.Command{Path: r.bin.Path, Args: r.o.Args, Dir: r.c.Dir, Grace: grace, Scheduling: true}
	if !unasked {
		c.Stdin, c.Stdout, c.Stderr = r.o.Stdin, r.out.to(r.o.Stdout), r.out.to(r.o.Stderr)
	}
	p, err := start(c, a.Env())
	if err != nil {
		return false, fmt.Errorf("run %s: %w", r.c.Operand, err)
	}
	ending := r.await(ctx, p, a, progress)
	res := p.stop()
	if res == nil {
		return false, fmt.Errorf("run %s: the system does not report how it ended", r.c.Operand)
	}
	r.failed = r.failed || ending == "" && !res.OK()
	run := newRun(&r.session, res, ending)
	began, written, why := r.adopt(&r.taken, a, run.StartNs, run.EndNs)
	switch {
	case why != "":
		run.AgentMissing = why
		r.w.Warn("the program left no profiles: %s", why)
	case !written && ending == "":
		r.w.Warn("the program ended (%s) without notice to its agent (panic, kill or exec): up to the last 10 s of data are missing", run.Ending)
	case ending == "" && !res.OK():
		r.w.Warn("the program ended with %s: if that is a failure, the figures describe a failing run", run.Ending)
	}
	if !unasked {
		r.addGC(p.gc, "", began)
	}
	if run.MaxRSSBytes == nil {
		run.MaxRSSBytes = metrics.Peak(r.taken.rows, run.StartNs, run.EndNs)
	}
	r.result.Runs = append(r.result.Runs, run)
	return why == "" && written && ending == "" && res.OK(), ctx.Err()
}

// await waits for the program's end. When the budget or the user ends it, its agent
// first writes the recording so far.
func (r *programRecorder) await(ctx context.Context, p *running, a *program.Agent, progress Progress) (ending string) {
	limit := time.NewTimer(r.left())
	defer limit.Stop()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-p.Done():
			return ""
		case <-tick.C:
			r.progress(progress)
			continue
		case <-limit.C:
			ending = fmt.Sprintf("stopped when the budget of %v ran out", r.o.Budget)
			r.w.Warn("the program was stopped when the budget of %v ran out: raise -budget to measure a whole run", r.o.Budget)
		case <-ctx.Done():
			ending = "interrupted"
		}
		// The recording so far is needed even after ctx has ended.
		r.flush(context.WithoutCancel(ctx), a)
		p.stop()
		return ending
	}
}

// flush makes the agent write its recording. If it cannot, its earlier files remain: a
// program may be stopped before its agent responds.
func (r *programRecorder) flush(ctx context.Context, a *program.Agent) {
	ctx, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	target, err := capture.Find(ctx, capture.TargetOptions{Socket: a.Socket(), Token: a.Token()})
	if err == nil {
		defer target.Close()
		err = target.Flush(ctx)
	}
	if err != nil {
		r.w.Warn("its profiles may lack the last seconds before the stop: %v", err)
	}
}

// newRun records the result of a process; stopped is the reason that whet ended it.
func newRun(s *session, res *process.Result, stopped string) record.Execution {
	run := record.Execution{
		StartNs: s.w.Since(res.Start), EndNs: s.w.Since(res.End),
		UserCPUNs: int64(res.UserCPU), SystemCPUNs: int64(res.SystemCPU),
		ExitCode: res.ExitCode, Signal: res.Signal, OutputBytes: res.OutputBytes,
		Ending: res.Status(), Scheduling: scheduling(res.Scheduling),
	}
	if stopped != "" {
		run.Ending = stopped
	}
	if res.MaxRSSBytes > 0 {
		run.MaxRSSBytes = &res.MaxRSSBytes
	}
	return run
}

// scheduling returns the part of it that the recording keeps.
func scheduling(s *process.Scheduling) *recording.Scheduling {
	if s == nil {
		return nil
	}
	return &recording.Scheduling{WallNs: int64(s.Wall), CPUNs: int64(s.CPU), RunDelayNs: int64(s.RunDelay), ChildrenNs: int64(s.Children)}
}
