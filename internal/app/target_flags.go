package app

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/term"

	"whet/internal/capture/process"
	"whet/internal/cli"
	"whet/internal/dotwhet"
	"whet/internal/load/message"
	"whet/internal/printable"
	"whet/internal/recording"
	"whet/internal/tune"
)

// recordFunc records a target that was chosen.
type recordFunc func(context.Context) (tune.Outcome, error)

// targetFlags are the flags of the verbs that record a target of any kind.
type targetFlags struct {
	fs      *flag.FlagSet
	bench   tune.Options
	program tune.ProgramOptions
	service tune.ServiceOptions

	keep    int
	budget  time.Duration
	timeout time.Duration
	headers cli.HeaderList
	body    string
	verbose bool
	asJSON  bool
	// document: stdout is for one; what the target prints goes to stderr.
	document bool
}

// flagsOf names the flags that only some kinds of targets know.
var flagsOf = map[string][]string{
	"bench": {recording.TargetBenchmark}, "benchtime": {recording.TargetBenchmark}, "samples": {recording.TargetBenchmark},
	"run": {recording.TargetBenchmark}, "cpu": {recording.TargetBenchmark},
	"timeout": {recording.TargetBenchmark, recording.TargetService},
	"count":   {recording.TargetProgram},
	"c":       {recording.TargetService}, "d": {recording.TargetService}, "warmup": {recording.TargetService}, "ready": {recording.TargetService},
	"pprof": {recording.TargetService}, "H": {recording.TargetService}, "m": {recording.TargetService}, "body": {recording.TargetService},
	"insecure": {recording.TargetService}, "cacert": {recording.TargetService},
}

// targetNouns are the kinds of targets as people call them.
var targetNouns = map[string]string{recording.TargetBenchmark: "benchmarks", recording.TargetProgram: "programs", recording.TargetService: "services"}

func newTargetFlags(fs *flag.FlagSet) *targetFlags {
	t := &targetFlags{fs: fs, bench: tune.DefaultOptions(), program: tune.DefaultProgramOptions(), service: tune.DefaultServiceOptions(), headers: cli.HeaderList{}}
	b, l := &t.bench, &t.service.Load
	t.budget = b.Budget
	fs.StringVar(&b.Out, "o", "", "write the recording to `NAME.whet` (default: in .whet, named after module and package)")
	declareKeep(fs, &t.keep)
	fs.StringVar(&b.Tags, "tags", "", "build `tags`, comma-separated")
	fs.Var((*cli.StringList)(&b.Flags), "build", "pass a further `flag` to go build; may be given several times")
	fs.BoolVar(&b.NoBinary, "no-binary", false, "leave the binary out of the recording")
	fs.BoolVar(&b.NoSource, "no-source", false, "leave sources and the types of their imports out of the recording")
	cli.Duration(fs, &t.budget, "budget", "`time` for measuring, builds, tests and the report not included; for a service the load with its warm-up, instead of -d")
	cli.Duration(fs, &t.timeout, "timeout", "stop a benchmark process (default: the rest of the budget) or abandon a request (default 10s) after this `time`")
	fs.StringVar(&b.Bench, "bench", b.Bench, "benchmarks: measure those that match `regexp`, as in go test")
	fs.Var(cli.BenchTimeFlag{Text: &b.BenchTime}, "benchtime", "benchmarks: length of one run, a `time` like 1s or a count like 100x (default: whet chooses)")
	fs.IntVar(&b.Samples, "samples", b.Samples, "benchmarks: take this many CPU samples of the measured code for each")
	fs.StringVar(&b.Run, "run", "", "benchmarks: run only the tests that match `regexp` first; '^$' runs none")
	fs.StringVar(&b.CPU, "cpu", "", "benchmarks: set GOMAXPROCS to `n`")
	fs.IntVar(&t.program.Count, "count", t.program.Count, "programs: run `n` times and sum the profiles (default: until samples suffice, if a run has no side effects)")
	fs.IntVar(&l.Concurrency, "c", l.Concurrency, "services: run `n` clients, each with one request in flight")
	cli.Duration(fs, &l.Duration, "d", "services: measure this `time` under load")
	cli.Duration(fs, &l.Warmup, "warmup", "services: warm up this `time` under load before measuring")
	cli.Duration(fs, &t.service.Ready, "ready", "services: `time` to wait for the first answer")
	fs.StringVar(&t.service.Pprof, "pprof", "", "services: base `URL` of the profiles, with or without /debug/pprof/, or unix:/path of an agent's socket (default: that of the target)")
	fs.Var(&t.headers, "H", "services: send a `header`, as in 'Authorization: Bearer x'; may be given several times")
	fs.StringVar(&l.Method, "m", l.Method, "services: the request's `method`")
	fs.StringVar(&t.body, "body", "", "services: the request's body: `text|@file`")
	fs.BoolVar(&l.Insecure, "insecure", false, "services: accept any certificate")
	fs.StringVar(&l.CAFile, "cacert", "", "services: also trust the certificates in this PEM `file`")
	fs.BoolVar(&t.asJSON, "json", false, "print one JSON document")
	fs.BoolVar(&t.verbose, "v", false, "print the target's output (of benchmarks and servers to stderr); tune: print all warnings in full")
	return t
}

// recorder reads the operands and returns what records them. Its error is one
// of usage.
func (t *targetFlags) recorder(ctx context.Context, e *cli.Env, verb string, operands []string) (recordFunc, error) {
	var after []string // --
	dashes := slices.Index(operands, "--")
	if dashes >= 0 {
		operands, after = operands[:dashes], operands[dashes+1:]
	}
	if len(operands) == 0 {
		operands = []string{"."}
	}
	operand, err := cli.OneOperand(verb, "target", operands)
	if err == nil {
		err = checkKeep(verb, t.keep)
	}
	if err != nil {
		return nil, err
	}
	c := t.bench.Common
	c.Command, c.Version = e.Args, cli.Version()
	if t.verbose {
		c.Output = e.Stderr
	}
	kind := recording.TargetBenchmark
	operand, isURL := cli.AsURL(operand)
	c.Operand = operand
	switch {
	case isURL:
		kind = recording.TargetService
	case dashes >= 0:
		kind = recording.TargetProgram
	default:
		// Errors of flags come before any work.
		o := t.benchmarks(c, e.TargetArgs)
		if err := o.Validate(); err != nil {
			return nil, &cli.ExitError{Code: cli.ExitUsage, Err: err}
		}
		program, err := tune.IsProgram(ctx, c)
		if err != nil {
			return nil, cli.MeasuringError(err, "interrupted")
		}
		if program {
			kind = recording.TargetProgram
		}
	}
	if e.TargetArgs != nil && kind != recording.TargetBenchmark {
		return nil, cli.UsageError("%s: -args is for benchmarks: write -- before the command or the arguments of %s", verb, operand)
	}
	if err := t.check(verb, kind); err != nil {
		return nil, err
	}
	status := e.Status()
	c.Progress = func(p tune.Progress) { p.Show(status) }
	recorded := func(outcome tune.Outcome, err error) (tune.Outcome, error) {
		status.Clear()
		return outcome, err
	}
	switch kind {
	case recording.TargetService:
		o := t.service
		o.Common, o.Load.URL, o.Server = c, operand, after
		o.Pprof, _ = cli.AsURL(o.Pprof)
		if dashes >= 0 && len(after) == 0 {
			return nil, cli.UsageError("%s: name the command that starts the server after --", verb)
		}
		if t.timeout != 0 {
			o.Load.Timeout = t.timeout
		}
		if err := t.divideBudget(verb, &o); err != nil {
			return nil, err
		}
		o.Load.Header = http.Header(t.headers)
		if o.Load.Body, err = message.ReadBody(t.body); err != nil {
			return nil, &cli.ExitError{Code: cli.ExitUsage, Err: err}
		}
		if err := o.Validate(); err != nil {
			return nil, &cli.ExitError{Code: cli.ExitUsage, Err: err}
		}
		return func(ctx context.Context) (tune.Outcome, error) { return recorded(tune.RecordService(ctx, o)) }, nil
	case recording.TargetProgram:
		o := t.program
		o.Common, o.Args, o.Budget = c, after, t.budget
		quiet := process.NewBounded(0, lastOutput)
		switch {
		case t.document:
			o.Stdout, o.Stderr = e.Stderr, e.Stderr
		case t.verbose:
			o.Stdout, o.Stderr = e.Stdout, e.Stderr
		default:
			o.Stdout, o.Stderr = quiet, quiet
		}
		o.Stdin = e.Stdin
		if f, ok := e.Stdin.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
			o.Stdin = nil // a group in the background that reads a terminal is stopped
		}
		if err := o.Validate(); err != nil {
			return nil, &cli.ExitError{Code: cli.ExitUsage, Err: err}
		}
		return func(ctx context.Context) (tune.Outcome, error) {
			out, err := tune.RecordProgram(ctx, o)
			if out.Failed {
				printLast(e.Stderr, quiet)
			}
			return recorded(out, err)
		}, nil
	}
	o := t.benchmarks(c, e.TargetArgs)
	return func(ctx context.Context) (tune.Outcome, error) { return recorded(tune.Record(ctx, o)) }, nil
}

// What a program printed is in its recording, and does not stand before the result.
// Of one that fails the last of it tells why.
const (
	lastOutput = 4 << 10
	lastLines  = 10
)

// printLast writes the last lines of what a program printed.
func printLast(w io.Writer, b *process.Bounded) {
	_, tail, dropped := b.Parts()
	text := strings.TrimRight(string(tail), "\n")
	if text == "" {
		return
	}
	lines := strings.Split(text, "\n")
	if more := len(lines) - lastLines; more > 0 || dropped > 0 {
		lines = lines[max(more, 0):]
		fmt.Fprintf(w, "whet: the program's last lines (-v passes on its whole output):\n")
	} else {
		fmt.Fprintf(w, "whet: the program printed:\n")
	}
	for _, l := range lines {
		fmt.Fprintf(w, "  %s\n", printable.Message(l))
	}
}

// divideBudget makes a budget that was given the time under load and that of its pass for
// traces, the warm-up at most a fifth of it unless that was given too.
func (t *targetFlags) divideBudget(verb string, o *tune.ServiceOptions) error {
	given := make(map[string]bool)
	t.fs.Visit(func(f *flag.Flag) { given[f.Name] = true })
	switch {
	case !given["budget"]:
		return nil
	case given["d"]:
		return cli.UsageError("%s: choose -budget or -d: for a service, -budget is -d plus the warm-up", verb)
	}
	if !given["warmup"] {
		o.Load.Warmup = min(o.Load.Warmup, t.budget/5)
	}
	if o.Divide(t.budget - o.Load.Warmup); o.Load.Duration <= 0 {
		return cli.UsageError("%s: -budget %v leaves no time after a warm-up of %v", verb, t.budget, o.Load.Warmup)
	}
	return nil
}

func (t *targetFlags) benchmarks(c tune.Common, args []string) tune.Options {
	o := t.bench
	o.Common, o.Args, o.Budget, o.Timeout = c, args, t.budget, t.timeout
	return o
}

// check refuses flags that say nothing about a kind of target.
func (t *targetFlags) check(verb, kind string) error {
	var err error
	t.fs.Visit(func(f *flag.Flag) {
		kinds, some := flagsOf[f.Name]
		if err != nil || !some || slices.Contains(kinds, kind) {
			return
		}
		var nouns []string
		for _, k := range kinds {
			nouns = append(nouns, targetNouns[k])
		}
		err = cli.UsageError("%s: -%s is for %s, but the target is a %s", verb, f.Name, strings.Join(nouns, " and "), strings.TrimSuffix(targetNouns[kind], "s"))
	})
	return err
}

func recordCommand() *cli.Command {
	return &cli.Command{
		Name:     "record",
		Operands: "[TARGET] [-- COMMAND or ARGS…]",
		Short:    "make a recording as whet tune does, without the report",
		Long: `
Record measures a target as whet tune does and writes only the recording (NAME.whet).
whet diagnose, top, list and flame read it, here or on another machine.`,
		Examples: []string{
			"whet record -o before.whet ./internal/encode",
			"whet record ./cmd/convert -- -in big.json",
			"whet record http://localhost:8080/hello -d 60s -pprof http://localhost:6060",
		},
		Setup: func(fs *flag.FlagSet) cli.RunFunc {
			t := newTargetFlags(fs)
			return func(ctx context.Context, e *cli.Env, operands []string) error {
				t.document = t.asJSON
				record, err := t.recorder(ctx, e, "record", operands)
				if err != nil {
					return err
				}
				defer dotwhet.Tidy(e, t.bench.Out, t.keep)
				return runRecord(ctx, e, record, t.asJSON)
			}
		},
	}
}
