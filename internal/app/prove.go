package app

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"
	"time"

	"whet/internal/prove"
	"whet/internal/report"
)

func proveCommand() *command {
	return &command{
		name:     "prove",
		operands: "OLD NEW",
		short:    "is it faster? two packages' benchmarks in turns, with statistics",
		long: `
Prove builds the test binaries of two packages, runs their tests, and measures the benchmarks
they have in common in short slices, the sides taking turns in an order drawn by lot. It
prints the ratio old/new with its interval (above 1 is faster), the machine's own noise
measured in the same run, allocations as package testing counts them, and a verdict.

Exit code 0: nothing is slower; 1: something is; 4: it cannot tell.`,
		examples: []string{
			"whet prove ./encode/old ./encode/new",
			"whet prove -budget 1m -bench Large ./encode/old ./encode/new",
			"whet prove -json ./encode/old ./encode/new > proof.json",
		},
		setup: func(fs *flag.FlagSet) runFunc {
			o := prove.DefaultOptions()
			fs.StringVar(&o.Bench, "bench", o.Bench, "compare the benchmarks that match `regexp`, as in go test")
			fs.DurationVar(&o.Budget, "budget", o.Budget, "`time` for measuring; builds and tests come on top")
			fs.DurationVar(&o.Timeout, "timeout", o.Timeout, "stop a benchmark process after this `time`")
			fs.Float64Var(&o.Alpha, "alpha", o.Alpha, "chance, over the whole run, that any interval misses the truth")
			margin := percentFlag{&o.Margin}
			fs.Var(margin, "margin", "differences below this `share` hardly matter: 2% or 0.02")
			fs.Var(roundsFlag{&o.Rounds}, "rounds", "measure `n` rounds instead of what the budget allows")
			fs.StringVar(&o.Run, "run", "", "run only the tests that match `regexp` first; '^$' runs none")
			fs.Uint64Var(&o.Seed, "seed", o.Seed, "draw the order from this `seed`, 0 draws one")
			fs.StringVar(&o.Tags, "tags", o.Tags, "build `tags`, comma-separated")
			fs.StringVar(&o.CPU, "cpu", o.CPU, "GOMAXPROCS of the benchmarks, `n`")
			fs.StringVar(&o.Out, "o", "", "write a recording to `NAME.whet`")
			fs.Var((*stringList)(&o.Flags), "build", "pass a further `flag` to go build; may be given several times")
			asJSON := fs.Bool("json", false, "print one JSON document")
			verbose := fs.Bool("v", false, "pass on what the benchmarks print, to stderr")
			return func(ctx context.Context, e *env, operands []string) error {
				if len(operands) != 2 {
					return usageError("prove takes two packages, OLD and NEW, not %d: whet help prove has examples", len(operands))
				}
				o.Old.Operand, o.New.Operand, o.Args = operands[0], operands[1], e.targetArgs
				o.Command, o.Version = e.args, Version()
				if *verbose {
					o.Output = e.stderr
				}
				if err := o.Validate(); err != nil {
					return &exitError{exitUsage, err}
				}
				return runProve(ctx, e, o, *asJSON)
			}
		},
	}
}

// roundsFlag is a number of rounds that somebody asked for: none is not one.
type roundsFlag struct{ n *int }

func (r roundsFlag) String() string { return "" }

func (r roundsFlag) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return errors.New("give a whole number of rounds above 0, or leave -rounds out to let the budget decide")
	}
	*r.n = n
	return nil
}

func runProve(ctx context.Context, e *env, o prove.Options, asJSON bool) error {
	status := e.status()
	o.Progress = status.proveProgress
	result, err := prove.Run(ctx, o)
	status.clear()
	if err != nil {
		return measuringError(err, "interrupted before there was anything to compare")
	}
	if asJSON {
		err = report.WriteProveJSON(e.stdout, result)
	} else {
		err = report.WriteProveText(e.stdout, result, report.TextOptions{Width: e.width, Color: e.color})
		if err == nil && result.Recording != "" {
			_, err = fmt.Fprintf(e.stdout, "\nrecording  %s\n", e.path(result.Recording))
		}
	}
	if err != nil {
		return err
	}
	switch code := result.ExitCode(); code {
	case exitDone:
		return nil
	case exitFailed, exitInterrupted:
		// Not a verdict but trouble: it has its line on stderr like any other.
		return &exitError{code, errors.New(result.Verdict.Text)}
	default:
		return &exitError{code: code} // the verdict says it all
	}
}

// proveProgress shows where a proof stands.
func (s *statusLine) proveProgress(p prove.Event) {
	if p.Plan != "" {
		s.line("plan: %s", oneLine(p.Plan))
		return
	}
	parts := []string{p.Stage}
	if p.Rounds > 0 {
		parts = append(parts, fmt.Sprintf("round %d of %d", p.Round, p.Rounds))
	}
	if p.Benchmark != "" {
		parts = append(parts, strings.TrimPrefix(p.Benchmark, "Benchmark"))
	}
	if p.Left > 0 {
		parts = append(parts, fmt.Sprintf("at most %v left", p.Left.Round(time.Second)))
	}
	s.set("%s", strings.Join(parts, " · "))
}
