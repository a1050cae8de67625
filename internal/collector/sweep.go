package collector

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"whet/internal/capture/process"
	"whet/internal/cli"
	"whet/internal/format/benchmark"
	"whet/internal/quantity"
	"whet/internal/report/gc"
	"whet/internal/report/page"
	"whet/internal/search"
	"whet/internal/sweep"
)

// sweepFlags say what settings to try.
type sweepFlags struct {
	on       bool
	percents string
	limits   string
	rounds   int
	budget   time.Duration
	seed     uint64
}

func (f *sweepFlags) declare(fs *flag.FlagSet) {
	fs.BoolVar(&f.on, "sweep", false, "run the command after -- with each setting of GOGC and GOMEMLIMIT: time against peak memory")
	fs.StringVar(&f.percents, "gogc", "50,100,200,400,off", "with -sweep: the values of GOGC to try")
	fs.StringVar(&f.limits, "memlimit", "", "with -sweep: the `values` of GOMEMLIMIT to try, such as off,64MiB (default: off, and 1, 1.5 and 2 times the peak with Go's own setting)")
	fs.IntVar(&f.rounds, "rounds", 3, "with -sweep: how often to measure each setting")
	f.budget = 2 * time.Minute
	cli.Duration(fs, &f.budget, "budget", "with -sweep: end after this `time`")
	fs.Uint64Var(&f.seed, "seed", 0, "with -sweep: draw the order from this `number` (default: random)")
}

// outputKept bounds what is kept of a run's output: benchmarks in it, and its last words.
const outputKept = 256 << 10

// sweep runs a command with one setting after the other.
func (v *view) sweep(ctx context.Context, e *cli.Env, command []string) error {
	f := &v.sweeping
	o := sweep.Options{Rounds: f.rounds, Budget: f.budget}
	if f.rounds < 1 || f.rounds > 100 {
		return cli.UsageError("gc: -rounds %d: give a number from 1 to 100", f.rounds)
	}
	if f.budget <= 0 {
		return cli.UsageError("gc: -budget %v: give a time above zero", f.budget)
	}
	for word := range strings.SplitSeq(f.percents, ",") {
		n, err := strconv.Atoi(word)
		if word == "off" {
			n, err = sweep.Off, nil
		}
		if err != nil || n != sweep.Off && n < 1 {
			return cli.UsageError("gc: -gogc: %q is neither a number above zero nor off", word)
		}
		o.Percents = append(o.Percents, n)
	}
	if f.limits != "" {
		for word := range strings.SplitSeq(f.limits, ",") {
			n, err := quantity.ParseBytes(word)
			if word == "off" {
				n, err = sweep.Off, nil
			}
			if err != nil || n == 0 {
				return cli.UsageError("gc: -memlimit: %q is neither a size such as 64MiB nor off", word)
			}
			o.Limits = append(o.Limits, n)
		}
	}
	seed := f.seed
	if seed == 0 {
		seed = rand.Uint64()
	}
	o.Random = rand.New(rand.NewPCG(seed, seed))
	r := &runner{command: command, stdin: commandInput(e)}
	if r.stdin != nil {
		if _, err := r.again(); err != nil {
			return err
		}
	}
	status := e.Status()
	defer status.Clear()
	spent := time.Duration(0)
	if len(o.Limits) == 0 {
		status.Set("running %s with Go's own setting", command[0])
		first, err := r.run(ctx, sweep.Setting{Percent: 100, LimitBytes: sweep.Off})
		if err != nil {
			return err
		}
		spent, o.Limits = first.Took, limitsOf(first.PeakBytes)
	}
	o.Budget = max(o.Budget-spent, time.Millisecond)
	o.Progress = func(p search.Progress, s sweep.Setting) {
		status.Set("%s: %s; %s, about %v left", p.Stage, gc.Variables(s), quantity.Plural(p.Runs, "run"), p.Left.Round(time.Second))
	}
	if err := o.Validate(); err != nil {
		return cli.UsageError("gc: -sweep: %w", err)
	}
	found, err := sweep.Find(ctx, o, r.run)
	status.Clear()
	if err != nil {
		return err
	}
	if len(found.Points) == 0 {
		if found.Interrupted {
			return &cli.ExitError{Code: cli.ExitInterrupted, Err: errors.New("interrupted before a run was complete")}
		}
		return fmt.Errorf("gc: -sweep: no run fits into %v: raise -budget", f.budget)
	}
	if !slices.ContainsFunc(found.Points, func(p sweep.Point) bool { return p.PeakBytes > 0 }) {
		found.Warnings = append(found.Warnings, "the system does not report the command's peak memory: there is no front")
	}
	s := &gc.Sweep{Command: strings.Join(command, " "), PerOperation: r.perOperation, Result: found}
	if err := v.emit(ctx, e, command[0], func(w io.Writer) error { return v.writeSweep(w, s, e) }); err != nil {
		return err
	}
	if found.Interrupted {
		return &cli.ExitError{Code: cli.ExitInterrupted}
	}
	return nil
}

// emit writes a result also where the user interrupted.
func (v *view) emit(ctx context.Context, e *cli.Env, name string, write func(io.Writer) error) error {
	out := v.outputOf(name)
	if out == "" || out == "-" {
		return write(e.Stdout)
	}
	if err := cli.WriteResult(ctx, out, write); err != nil {
		return err
	}
	_, err := fmt.Fprintln(e.Stdout, e.Path(out))
	return err
}

func (v *view) writeSweep(w io.Writer, s *gc.Sweep, e *cli.Env) error {
	switch {
	case v.asJSON:
		return gc.WriteSweepJSON(w, s)
	case v.html:
		return gc.WriteSweepHTML(w, s)
	case v.svg:
		return gc.WriteSweepSVG(w, s)
	}
	return gc.WriteSweepText(w, s, page.TextOptions{Width: e.Width, Color: e.Color && v.toTerminal()})
}

// limitsOf returns the limits to try of a program with such a peak, in whole MiB.
func limitsOf(peak int64) []int64 {
	out := []int64{sweep.Off}
	for _, times := range []float64{1, 1.5, 2} {
		if mebibytes := int64(math.Ceil(float64(peak) * times / (1 << 20))); mebibytes > 0 {
			out = append(out, mebibytes<<20)
		}
	}
	return out
}

// runner runs a command with settings.
type runner struct {
	command      []string
	stdin        io.Reader
	perOperation bool
}

// again gives the command its input from the beginning.
func (r *runner) again() (io.Reader, error) {
	s, ok := r.stdin.(io.Seeker)
	if !ok {
		return nil, nil
	}
	if _, err := s.Seek(0, io.SeekStart); err != nil {
		return nil, nil // a pipe: there is nothing to read again
	}
	return r.stdin, nil
}

// run runs it once.
func (r *runner) run(ctx context.Context, s sweep.Setting) (sweep.Run, error) {
	variable := func(name string, v int64) string {
		if v == sweep.Off {
			return name + "=off"
		}
		return name + "=" + strconv.FormatInt(v, 10)
	}
	out, errs := process.NewBounded(outputKept, outputKept), process.NewBounded(0, 8<<10)
	stdin, err := r.again()
	if err != nil {
		return sweep.Run{}, err
	}
	res, err := process.Run(ctx, process.Command{
		Path: r.command[0], Args: r.command[1:], Env: append(os.Environ(), variable("GOGC", int64(s.Percent)), variable("GOMEMLIMIT", s.LimitBytes)),
		Stdin: stdin, Stdout: out, Stderr: errs, Memory: true,
	})
	if err != nil {
		return sweep.Run{}, cannotRun(ctx, r.command[0], err)
	}
	if ctx.Err() != nil {
		return sweep.Run{}, ctx.Err()
	}
	if !res.OK() {
		return sweep.Run{}, fmt.Errorf("gc: %s with %s %s: %s%s", r.command[0], variable("GOGC", int64(s.Percent)), variable("GOMEMLIMIT", s.LimitBytes), res.Status(), said(errs.Bytes(), out.Bytes()))
	}
	run := sweep.Run{Time: res.Exited.Sub(res.Start), PeakBytes: res.MaxRSSBytes, Took: res.End.Sub(res.Start)}
	if ns, ok := perOperation(out.Bytes()); ok {
		r.perOperation = true
		run.Time = ns
	} else if r.perOperation {
		return sweep.Run{}, fmt.Errorf("gc: %s printed benchmarks before but none now", r.command[0])
	}
	return run, nil
}

func said(outputs ...[]byte) string {
	for _, output := range outputs {
		if words := process.LastWords(output); words != "" {
			return ": " + words
		}
	}
	return ""
}

// perOperation returns the geometric mean of the times that benchmarks in an output took.
func perOperation(output []byte) (time.Duration, bool) {
	sum, n := 0.0, 0
	for _, l := range benchmark.Parse(output) {
		if !l.NoTime && l.NsPerOp > 0 {
			sum += math.Log(l.NsPerOp)
			n++
		}
	}
	if n == 0 {
		return 0, false
	}
	return max(time.Duration(math.Exp(sum/float64(n))), 1), true
}
