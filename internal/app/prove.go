package app

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/capture/process"
	"whet/internal/cli"
	"whet/internal/load/message"
	"whet/internal/prove"
	"whet/internal/prove/benchmarks"
	"whet/internal/prove/command"
	"whet/internal/prove/service"
	"whet/internal/prove/sides"
	"whet/internal/report/page"
	proofreport "whet/internal/report/proof"
)

func proveCommand() *cli.Command {
	return &cli.Command{
		Name:     "prove",
		Operands: "[OLD [NEW]]",
		Short:    "test whether a new version is faster: two versions, measured alternately",
		Long: `
Prove measures two versions of a program alternately and reports whether the new one is faster, by
what ratio (old/new: above 1 is faster), and with what confidence.

Benchmarks: OLD and NEW are git revisions, directories (with a go.mod the whole tree, else one
package), test binaries, or "." for the working tree with uncommitted changes. One operand is
OLD, and NEW the working tree; with no operand, and for "." alone, OLD is HEAD. Equal binaries
on both sides are "no change" at once, and so are benchmarks that reach only the same code (-aa
measures them anyway). Prove builds both sides alike, runs their tests first, and measures each
benchmark in rounds: short slices, each a process of its own, in random order and with a random
layout of the code.

Commands: with -cmd the operands are two command lines; wall time, CPU time and peak memory.

Services: with -url OLD_URL NEW_URL two running services, or with -url URL two command lines that
start one there ({port} means a free port); both get the same load alternately.

A repeated question about benchmarks adds to the earlier rounds and says so; -no-pool
starts afresh.

-format go prints every slice for "whet compare -col side" or benchstat.

Exit code 0: nothing is slower; 1: something is slower; 3: something failed; 4: nothing is slower,
but prove cannot tell for something. Time and allocations per operation decide (for commands wall
time, for services the median response time). -require faster turns 0 into 1 when nothing is
faster.`,
		Examples: []string{
			"whet prove",
			"whet prove -bench Encode HEAD~3 HEAD",
			"whet prove -pkg ./internal/... -why v1.4.0 .",
			"whet prove ./encode/old ./encode/new",
			"whet prove -new-env GOGC=400 HEAD HEAD",
			"whet prove -old-flags -pgo=off -new-flags -pgo=cpu.pprof . .",
			"whet prove -require faster -format markdown main . > comment.md",
			"whet prove -cmd './convert.old big.json' './convert.new big.json'",
			"whet prove -url http://localhost:8080/hello http://localhost:8081/hello",
			"whet prove -url 'http://127.0.0.1:{port}/hello' './old -addr :{port}' './new -addr :{port}'",
		},
		Setup: func(fs *flag.FlagSet) cli.RunFunc {
			p := newProveFlags(fs)
			return func(ctx context.Context, e *cli.Env, operands []string) error {
				return p.run(ctx, e, operands)
			}
		},
	}
}

// proveFlags are those of whet prove, whatever it compares.
type proveFlags struct {
	fs      *flag.FlagSet
	shared  prove.Options // by every kind
	timeout time.Duration

	bench  benchmarks.Options
	pin    processorList
	why    bool
	noPool bool

	cmd     bool
	command command.Options

	url     string
	service service.Options
	headers cli.HeaderList
	body    string

	require string
	format  string
	asJSON  bool
	verbose bool
}

// The kinds of things that prove compares, as people call them.
const (
	proveBenchmarks = "benchmarks"
	proveCommands   = "commands (-cmd)"
	proveServices   = "services (-url)"
)

// proveFlagsOf names the flags that only some kinds know.
var proveFlagsOf = map[string]string{
	"bench": proveBenchmarks, "pkg": proveBenchmarks, "run": proveBenchmarks, "race": proveBenchmarks, "tags": proveBenchmarks, "build": proveBenchmarks,
	"old-flags": proveBenchmarks, "new-flags": proveBenchmarks, "cpu": proveBenchmarks, "pin": proveBenchmarks, "layouts": proveBenchmarks, "aa": proveBenchmarks,
	"why": proveBenchmarks, "no-pool": proveBenchmarks, "o": proveBenchmarks,
	"same-output": proveCommands,
	"rate":        proveServices, "slice": proveServices, "c": proveServices, "H": proveServices, "m": proveServices, "body": proveServices, "insecure": proveServices,
	"cacert": proveServices, "pprof": proveServices, "ready": proveServices, "same-answers": proveServices, "answers-only": proveServices,
	"requests": proveServices, "ignore-fields": proveServices, "compare-headers": proveServices,
}

func newProveFlags(fs *flag.FlagSet) *proveFlags {
	p := &proveFlags{
		fs: fs, shared: prove.DefaultOptions(), bench: benchmarks.DefaultOptions(), command: command.DefaultOptions(),
		service: service.DefaultOptions(), headers: cli.HeaderList{},
	}
	s, b, v, l := &p.shared, &p.bench, &p.service, &p.service.Load
	cli.Duration(fs, &s.Budget, "budget", "`time` for measuring, builds and tests not included")
	fs.Float64Var(&s.Alpha, "alpha", s.Alpha, "chance of any false verdict of faster or slower in the whole run")
	fs.Var(cli.PercentFlag{Share: &s.Margin}, "margin", "ignore differences below this `share`: 2% or 0.02")
	fs.Var(roundsFlag{&s.Rounds}, "rounds", "plan `n` rounds instead of as many as the budget allows")
	fs.Uint64Var(&s.Seed, "seed", s.Seed, "draw order and layouts from this `seed`; 0 means a random seed")
	cli.Duration(fs, &p.timeout, "timeout", "stop a process (default 1m) or abandon a request (default 10s) after this `time`")
	fs.Var((*cli.StringList)(&s.Env[compare.Old]), "old-env", "set `KEY=value` in the environment of old's build and processes; may be given several times")
	fs.Var((*cli.StringList)(&s.Env[compare.New]), "new-env", "set `KEY=value` in the environment of new's build and processes")
	fs.StringVar(&p.require, "require", "", "with `faster`: exit 1 when no benchmark is faster or slower (and 4, as always, when prove cannot tell)")
	fs.StringVar(&p.format, "format", "text", "print `text`, markdown for a pull request, go (every slice in the Go benchmark format, both sides) or json")
	fs.BoolVar(&p.asJSON, "json", false, "print one JSON document")
	fs.BoolVar(&p.verbose, "v", false, "copy the output of both sides to stderr; print the figures for the verdicts")

	fs.StringVar(&b.Bench, "bench", b.Bench, "benchmarks: compare those that match `regexp`, as in go test")
	fs.StringVar(&b.Packages, "pkg", "", "benchmarks: measure the packages that match `pattern` in either tree (default ./...)")
	fs.StringVar(&b.Run, "run", "", "benchmarks: run only the tests that match `regexp` first; '^$' runs none")
	fs.BoolVar(&b.Race, "race", false, "benchmarks: run the tests with the race detector")
	fs.StringVar(&b.Tags, "tags", "", "benchmarks: build `tags`, comma-separated")
	fs.Var((*cli.StringList)(&b.Flags), "build", "benchmarks: pass a further `flag` to go build; may be given several times")
	fs.Var((*cli.StringList)(&b.SideFlags[compare.Old]), "old-flags", "benchmarks: pass a further `flag` to go build for old only; may be given several times")
	fs.Var((*cli.StringList)(&b.SideFlags[compare.New]), "new-flags", "benchmarks: pass a further `flag` to go build for new only")
	fs.StringVar(&b.CPU, "cpu", "", "benchmarks: set GOMAXPROCS to `n`")
	fs.Var(&p.pin, "pin", "benchmarks: run on these `processors` only, as in 0,1 (changes GOMAXPROCS)")
	fs.BoolVar(&b.Layouts, "layouts", b.Layouts, "benchmarks: link again for each round, with the functions in random order")
	fs.BoolVar(&b.AA, "aa", false, "benchmarks: also measure equal binaries and equal code, which shows the noise")
	fs.BoolVar(&p.why, "why", false, "benchmarks: profile the changed ones, and name the functions and compiler decisions that explain the change")
	fs.BoolVar(&p.noPool, "no-pool", false, "benchmarks: neither use the rounds of earlier runs of this comparison nor keep these")
	fs.StringVar(&b.Out, "o", "", "benchmarks: write a recording to `NAME.whet`")

	fs.BoolVar(&p.cmd, "cmd", false, "compare two commands that run to their end")
	fs.BoolVar(&p.command.SameOutput, "same-output", false, "commands: require the same output on stdout")

	fs.StringVar(&p.url, "url", "", "compare two services: the `URL` of old, or of the service that both command lines start")
	fs.Float64Var(&v.Rate, "rate", 0, "services: send `n` requests a second to each (default: half the throughput of the slower one)")
	cli.Duration(fs, &v.Span, "slice", "services: `time` under load in one slice (default: 1s, longer at a low rate)")
	fs.IntVar(&l.Concurrency, "c", l.Concurrency, "services: use at most `n` connections")
	fs.Var(&p.headers, "H", "services: send a `header`, as in 'Authorization: Bearer x'; may be given several times")
	fs.StringVar(&l.Method, "m", l.Method, "services: the request's `method`")
	fs.StringVar(&p.body, "body", "", "services: the request's body: `text|@file`")
	fs.BoolVar(&l.Insecure, "insecure", false, "services: accept any certificate")
	fs.StringVar(&l.CAFile, "cacert", "", "services: also trust the certificates in this PEM `file`")
	fs.Var((*cli.StringList)(&v.Pprof), "pprof", "services: base `URL` of the profiles (once for both, or twice), to count allocated bytes per request")
	cli.Duration(fs, &v.Ready, "ready", "services: `time` to wait for the first answer")
	fs.BoolVar(&v.SameAnswers, "same-answers", false, "services: first send both the same requests; exit with code 1 when answers differ")
	fs.BoolVar(&v.AnswersOnly, "answers-only", false, "services: with -same-answers, compare answers and measure nothing")
	fs.StringVar(&v.Requests, "requests", "", "services: with -same-answers, replay the requests in this `file`: METHOD PATH [HEADERS as JSON] [BODY], one a line")
	fs.Var(commaList{&v.Ignore}, "ignore-fields", "services: `fields` of JSON answers that may differ, as in id,items.*.time")
	fs.Var(commaList{&v.Headers}, "compare-headers", "services: compare these headers of answers too, a `list` of names")
	return p
}

// processorList is a list of processors like 0,2.
type processorList []int

func (l *processorList) String() string { return "" }

func (l *processorList) Set(s string) error {
	for part := range strings.SplitSeq(s, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 0 || slices.Contains(*l, n) {
			return fmt.Errorf("%q is not a list of processors like 0,2", s)
		}
		*l = append(*l, n)
	}
	return nil
}

// commaList is a list of names like a,b.
type commaList struct{ names *[]string }

func (l commaList) String() string {
	if l.names == nil {
		return ""
	}
	return strings.Join(*l.names, ",")
}

func (l commaList) Set(s string) error {
	*l.names = nil
	for name := range strings.SplitSeq(s, ",") {
		if name = strings.TrimSpace(name); name != "" {
			*l.names = append(*l.names, name)
		}
	}
	return nil
}

// roundsFlag is a number of rounds that somebody asked for: none is not one.
type roundsFlag struct{ n *int }

func (r roundsFlag) String() string { return "" }

func (r roundsFlag) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return errors.New("give a whole number above 0, or leave -rounds out to let the budget decide")
	}
	*r.n = n
	return nil
}

// run compares what the operands name.
func (p *proveFlags) run(ctx context.Context, e *cli.Env, operands []string) error {
	given := make(map[string]bool)
	p.fs.Visit(func(f *flag.Flag) { given[f.Name] = true })
	kind := proveBenchmarks
	switch {
	case p.cmd && given["url"]:
		return cli.UsageError("prove: choose -cmd (two commands) or -url (two services)")
	case p.cmd:
		kind = proveCommands
	case given["url"]:
		kind = proveServices
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if of := proveFlagsOf[name]; of != "" && of != kind {
			return cli.UsageError("prove: -%s is for %s, but these are %s", name, of, kind)
		}
	}
	switch {
	case p.asJSON && given["format"] && p.format != "json":
		return cli.UsageError("prove: choose -json or -format %s", p.format)
	case !slices.Contains([]string{"text", "markdown", "go", "json"}, p.format):
		return cli.UsageError("prove: -format %q: want text, markdown, go or json", p.format)
	case p.require != "" && p.require != string(compare.Faster):
		return cli.UsageError("prove: -require %q: want faster", p.require)
	case e.TargetArgs != nil && kind != proveBenchmarks:
		return cli.UsageError("prove: -args is for benchmarks: put the arguments into the command lines")
	}
	if p.asJSON {
		p.format = "json"
	}
	if i := slices.Index(operands, "--"); i >= 0 { // what follows is no flag
		operands = slices.Delete(operands, i, i+1)
	}
	if p.verbose {
		p.shared.Output = e.Stderr
	}
	status := e.Status()
	p.shared.Progress = func(ev prove.Event) {
		if ev.Warning != "" {
			status.Clear()
			e.Warn([]string{ev.Warning})
			return
		}
		round := ""
		if ev.Rounds > 0 {
			round = fmt.Sprintf("round %d of %d", ev.Round, ev.Rounds)
		}
		status.Step(ev.Plan, ev.Left, ev.Stage, round, strings.TrimPrefix(ev.Benchmark, "Benchmark"))
	}
	var measure proof
	var err error
	switch kind {
	case proveBenchmarks:
		measure, err = p.benchmarks(e, operands)
	case proveCommands:
		measure, err = p.commandLines(operands)
	case proveServices:
		measure, err = p.services(operands)
	}
	if err != nil {
		return err
	}
	if err := measure.validate(); err != nil {
		return &cli.ExitError{Code: cli.ExitUsage, Err: err}
	}
	result, err := measure.run(ctx)
	status.Clear()
	if err != nil {
		return cli.MeasuringError(err, "interrupted before there was anything to compare")
	}
	result.Require = compare.Verdict(p.require)
	result.Summarize()
	if err := p.print(e, result); err != nil {
		return err
	}
	switch code := result.ExitCode(); code {
	case cli.ExitDone:
		return nil
	case cli.ExitFailed, cli.ExitInterrupted:
		// Not a verdict but trouble: it has its line on stderr like any other.
		return &cli.ExitError{Code: code, Err: errors.New(result.Verdict.Text)}
	default:
		return &cli.ExitError{Code: code} // the verdict says it all
	}
}

// proof measures two sides and judges them.
type proof struct {
	validate func() error
	run      func(context.Context) (*compare.Result, error)
}

func (p *proveFlags) benchmarks(e *cli.Env, operands []string) (m proof, err error) {
	o := &p.bench
	if len(operands) > 2 {
		return m, cli.UsageError("prove takes two sides, OLD and NEW, not %d: whet help prove has examples", len(operands))
	}
	o.Options = p.shared
	o.Old, o.New = sides.Operands(o.Dir, operands)
	o.Pin, o.Args, o.Command, o.Version = p.pin, e.TargetArgs, e.Args, cli.Version()
	if p.timeout != 0 {
		o.Timeout = p.timeout
	}
	if !p.noPool {
		// Where there is no such directory each run stands for itself.
		if dir, err := os.UserCacheDir(); err == nil {
			o.Cache = filepath.Join(dir, "whet", "prove")
		}
	}
	if err := process.CheckPin(p.pin); err != nil {
		return m, cli.UsageError("prove: -pin: %w", err)
	}
	if p.why {
		o.Explain = p.explain
	}
	return proof{o.Validate, func(ctx context.Context) (*compare.Result, error) { return benchmarks.Run(ctx, *o) }}, nil
}

func (p *proveFlags) commandLines(operands []string) (m proof, err error) {
	if len(operands) != 2 {
		return m, cli.UsageError("prove -cmd takes two command lines, each one argument in quotes, not %d", len(operands))
	}
	o := &p.command
	o.Options = p.shared
	o.Old, o.New = operands[0], operands[1]
	if p.timeout != 0 {
		o.Timeout = p.timeout
	}
	return proof{o.Validate, func(ctx context.Context) (*compare.Result, error) { return command.Run(ctx, *o) }}, nil
}

func (p *proveFlags) services(operands []string) (m proof, err error) {
	o := &p.service
	o.Options = p.shared
	switch len(operands) {
	case 1:
		o.Old, _ = cli.AsURL(p.url)
		o.New, _ = cli.AsURL(operands[0])
	case 2:
		o.URL, _ = cli.AsURL(p.url)
		o.Old, o.New = operands[0], operands[1]
	default:
		return m, cli.UsageError("prove -url URL takes one more operand, the URL of new, or two command lines, not %d operands", len(operands))
	}
	for i := range o.Pprof {
		o.Pprof[i], _ = cli.AsURL(o.Pprof[i])
	}
	o.Load.Header = http.Header(p.headers)
	if p.timeout != 0 {
		o.Load.Timeout = p.timeout
	}
	body, err := message.ReadBody(p.body)
	if err != nil {
		return m, &cli.ExitError{Code: cli.ExitUsage, Err: err}
	}
	o.Load.Body = body
	return proof{o.Validate, func(ctx context.Context) (*compare.Result, error) { return service.Run(ctx, *o) }}, nil
}

// print writes the result as it was asked for.
func (p *proveFlags) print(e *cli.Env, r *compare.Result) error {
	switch p.format {
	case "json":
		return proofreport.WriteJSON(e.Stdout, r)
	case "markdown":
		return proofreport.WriteMarkdown(e.Stdout, r)
	case "go":
		return compare.WriteBenchmarks(e.Stdout, r, r.Series, "")
	}
	if err := proofreport.WriteText(e.Stdout, r, page.TextOptions{Width: e.Width, Color: e.Color, Verbose: p.verbose}); err != nil {
		return err
	}
	if r.Recording != "" {
		if _, err := fmt.Fprintf(e.Stdout, "\nrecording  %s\n", e.Path(r.Recording)); err != nil {
			return err
		}
	}
	return nil
}
