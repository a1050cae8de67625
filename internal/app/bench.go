package app

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"whet/internal/cli"
	"whet/internal/dotwhet"
	"whet/internal/format/benchmark"
	"whet/internal/quantity"
	"whet/internal/report/bench"
	"whet/internal/report/page"
	"whet/internal/suite"
)

func benchCommand() *cli.Command {
	return &cli.Command{
		Name:     "bench",
		Operands: "PACKAGE...",
		Short:    "run benchmarks of many packages into one recording, and keep a history",
		Long: `
Bench builds the test binaries of all matching packages, runs their benchmarks in
rounds (-count), each in a process of its own, and then profiles them, in further processes, so
that no profiler affects a timing. It prints results as go test does, and writes one recording,
which every verb opens: -benchmark selects from it by name or package.

With -history it also adds the results to a directory, by host and revision. With
-show it runs nothing and plots a benchmark over the revisions, with the changes of level beyond
chance.

Bench reports each package that fails to build or to run and goes on with the others; it then
exits with code 3.`,
		Examples: []string{
			"whet bench ./...",
			"whet bench -bench Encode -count 5 -cpu 1,2 -o encode.whet ./encode/... ./internal/wire",
			"whet top -kind allocs -benchmark BenchmarkEncode encode.whet",
			"whet bench -format go -profiles none -count 10 ./... > new.txt",
			"whet bench -count 5 -history ../bench-history ./...",
			"whet bench -history ../bench-history -show 'Encode|Decode'",
			"whet bench -history ../bench-history -show Encode -unit allocs/op -o encode.svg",
		},
		Setup: func(fs *flag.FlagSet) cli.RunFunc {
			b := newBenchFlags(fs)
			return func(ctx context.Context, e *cli.Env, operands []string) error {
				given := make(map[string]bool)
				fs.Visit(func(f *flag.Flag) { given[f.Name] = true })
				if given["show"] {
					return b.show(ctx, e, operands, given)
				}
				for _, name := range []string{"unit", "alpha"} {
					if given[name] {
						return cli.UsageError("bench: -%s needs -show", name)
					}
				}
				return b.run(ctx, e, operands)
			}
		},
	}
}

type benchFlags struct {
	o        suite.Options
	s        suite.ShowOptions
	out      string
	profiles string
	format   string
	json     bool
	verbose  bool
	keep     int
}

func newBenchFlags(fs *flag.FlagSet) *benchFlags {
	b := &benchFlags{o: suite.DefaultOptions(), s: suite.DefaultShowOptions()}
	o := &b.o
	fs.StringVar(&o.Bench, "bench", o.Bench, "run the benchmarks that match `regexp`, as in go test")
	fs.Var(cli.BenchTimeFlag{Text: &o.BenchTime}, "benchtime", "run each for this `time`, or for a number of iterations such as 100x")
	fs.IntVar(&o.Count, "count", o.Count, "run each `n` times, in rounds over all of them")
	fs.StringVar(&o.CPU, "cpu", o.CPU, "`list` of GOMAXPROCS values to run each with; profiles are taken with the first")
	fs.Bool("benchmem", true, "accepted for compatibility: allocations are always counted")
	fs.StringVar(&o.Run, "run", o.Run, "first run the tests that match `regexp`; a package that fails them is not measured")
	fs.StringVar(&o.Tags, "tags", o.Tags, "build `tags`, comma-separated")
	fs.Var((*cli.StringList)(&o.Flags), "build", "pass a further `flag` to go build; may be given several times")
	cli.Duration(fs, &o.Timeout, "timeout", "stop a process (one benchmark with its sub-benchmarks) after this `time`; 0 means never")
	cli.Duration(fs, &o.Budget, "budget", "start no process after this `time`, builds not included (default: no limit)")
	fs.StringVar(&b.profiles, "profiles", strings.Join(o.Profiles, ","), "`kinds` to take: cpu, allocs, block, mutex, or none")
	declareKeep(fs, &b.keep)
	fs.StringVar(&b.out, "o", "", "write the recording to `NAME.whet` (default: in .whet, named after the module); with -show the plots to NAME.svg")
	fs.StringVar(&o.History, "history", "", "add the results to the history in `directory`, or show it")
	fs.StringVar(&o.Host, "host", "", "in the history, call this machine `name` (machines of one make share the default name)")
	fs.StringVar(&b.s.Match, "show", "", "plot the benchmarks of the history that match `regexp` over revisions")
	fs.StringVar(&b.s.Unit, "unit", b.s.Unit, "with -show: the `unit` to show, or all")
	fs.Float64Var(&b.s.Alpha, "alpha", b.s.Alpha, "with -show: the chance of any false change in the whole history")
	fs.StringVar(&b.format, "format", "text", "print as go test does (`text`), or in the full Go benchmark format (go)")
	fs.BoolVar(&b.json, "json", false, "print one JSON document")
	fs.BoolVar(&b.verbose, "v", false, "copy the benchmarks' output to stderr")
	return b
}

// run runs the benchmarks.
func (b *benchFlags) run(ctx context.Context, e *cli.Env, operands []string) error {
	o := &b.o
	switch {
	case slices.Contains(operands, "--"):
		return cli.UsageError("bench: write arguments of test binaries after -args")
	case b.format != "text" && b.format != "go":
		return cli.UsageError("bench: -format %q: want text or go", b.format)
	case b.json && b.format != "text":
		return cli.UsageError("bench: choose -json or -format")
	}
	o.Packages, o.Args, o.Command, o.Version = operands, e.TargetArgs, e.Args, cli.Version()
	o.Out = b.out
	o.Profiles = nil
	if b.profiles != "none" {
		for kind := range strings.SplitSeq(b.profiles, ",") {
			if kind = strings.TrimSpace(kind); !slices.Contains(o.Profiles, kind) {
				o.Profiles = append(o.Profiles, kind)
			}
		}
	}
	if b.verbose {
		o.Output = e.Stderr
	}
	if err := errors.Join(checkKeep("bench", b.keep), o.Validate()); err != nil {
		return &cli.ExitError{Code: cli.ExitUsage, Err: err}
	}
	status := e.Status()
	o.Progress = func(p suite.Progress) { benchProgress(status, p) }
	lines := bench.NewLines(e.Stdout, b.format == "go")
	if !b.json {
		o.Lines = statusClearer{lines, status}
	}
	res, err := suite.Run(ctx, *o)
	status.Clear()
	if res == nil {
		return cli.MeasuringError(err, "interrupted before anything was measured")
	}
	err = errors.Join(err, lines.Err(), b.print(e, res))
	dotwhet.Tidy(e, b.out, b.keep)
	switch {
	case err != nil:
		return cli.KeptError(err, "what was measured", res.Recording)
	case len(res.Failures) > 0:
		more := ""
		if n := len(res.Failures) - 1; n > 0 {
			more = fmt.Sprintf(" (and %d more)", n)
		}
		return fmt.Errorf("some benchmarks could not be measured: %s%s", res.Failures[0].Text, more)
	}
	return nil
}

// print writes what follows the lines.
func (b *benchFlags) print(e *cli.Env, res *bench.Page) error {
	if b.json {
		return bench.WriteJSON(e.Stdout, res)
	}
	to, color := e.Stdout, e.Color
	if b.format == "go" { // stdout carries the format and nothing else
		to, color = e.Stderr, false
	}
	if err := bench.WriteText(to, res, page.TextOptions{Width: e.Width, Color: color}); err != nil {
		return err
	}
	_, err := fmt.Fprintf(to, "recording  %s\n", e.Path(res.Recording))
	if err == nil && res.History != "" {
		_, err = fmt.Fprintf(to, "history    %s\n", e.Path(res.History))
	}
	return err
}

// statusClearer clears the status line before a result is written.
type statusClearer struct {
	*bench.Lines
	status *cli.StatusLine
}

func (c statusClearer) Result(settings []benchmark.Setting, l benchmark.Line) {
	c.status.Clear()
	c.Lines.Result(settings, l)
}

func (c statusClearer) Ended(pkg, failed string, took time.Duration) {
	c.status.Clear()
	c.Lines.Ended(pkg, failed, took)
}

// show plots a history.
func (b *benchFlags) show(ctx context.Context, e *cli.Env, operands []string, given map[string]bool) error {
	switch {
	case len(operands) > 0:
		return cli.UsageError("bench: -show runs no benchmarks: omit %s or -show", strings.Join(operands, " "))
	case b.o.History == "":
		return cli.UsageError("bench: -show needs -history")
	case b.out != "" && !strings.HasSuffix(b.out, ".svg"):
		return cli.UsageError("bench: with -show, -o names a picture NAME.svg, not %q", b.out)
	}
	for _, name := range []string{"bench", "benchtime", "count", "cpu", "run", "tags", "build", "timeout", "budget", "profiles", "format", "host", "keep"} {
		if given[name] {
			return cli.UsageError("bench: -show runs no benchmarks: omit -%s", name)
		}
	}
	b.s.History = b.o.History
	h, err := suite.Show(ctx, b.s)
	if err != nil {
		return cli.MeasuringError(err, "interrupted")
	}
	if b.out != "" {
		if err := cli.WriteFile(ctx, b.out, func(w io.Writer) error { return bench.WriteSVG(w, h) }); err != nil {
			return err
		}
	}
	if b.json {
		return bench.WriteHistoryJSON(e.Stdout, h)
	}
	err = bench.WriteHistory(e.Stdout, h, page.TextOptions{Width: e.Width, Color: e.Color})
	if err == nil && b.out != "" {
		_, err = fmt.Fprintf(e.Stdout, "picture    %s\n", e.Path(b.out))
	}
	return err
}

// benchProgress shows where a suite stands.
func benchProgress(s *cli.StatusLine, p suite.Progress) {
	parts := []string{p.Stage}
	if p.Total > 0 {
		parts = append(parts, fmt.Sprintf("%s of %s", quantity.Count(float64(p.Done+1)), quantity.Count(float64(p.Total))))
	}
	if p.Benchmark != "" {
		p.Package += "." + p.Benchmark
	}
	s.Step("", p.Left, append(parts, p.Package)...)
}
