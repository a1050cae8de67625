// Command table measures what the tuning of every case brought, here and now,
// and prints it beside what was published.
//
// Of each case it compares the first stage with the last that was published,
// and with best, in rounds as package rounds of whet's proofs makes and judges
// them: slices in turns, one side of each comparison twice, so that the noise
// stands beside the ratio. Intervals hold with 95 % for all ratios of one case
// together. A case has its share of the budget and at least one pair, whatever
// that takes; a ratio whose rounds were too few for a verdict is printed and
// said to be not settled. Ctrl-C ends the measuring, and what was measured is
// printed.
//
// Benchmarks run in a process of their own for each slice. Commands are
// measured whole, by the CPU time, the wall time and the peak memory that the
// system accounts to them. Services answer over loopback to as many
// connections as the case says; on Linux, with two processors or more, server
// and generator have one each to themselves, and a server that answers a
// constant of the same size shows where the generator and the loopback end
// (drive.go).
//
// # When it misleads
//
// The ratios are of this machine, with whatever else it was doing. Both sides
// of a benchmark run as many iterations as fill a slice, not the same number:
// with one number the faster of two that differ tenfold would be timed for a
// few milliseconds. None of the cases' benchmarks costs more per operation the
// longer it runs; where one did, whet prove is the tool. A server with one
// processor cannot show what contended locks cost.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/term"
)

// Exit codes.
const (
	done        = 0
	failed      = 3
	misuse      = 2
	interrupted = 130
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	if role := os.Getenv(roleVariable); role != "" {
		os.Exit(play(ctx, role, os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// options are the command line.
type options struct {
	budget time.Duration
	name   string // of one case; "": all
	json   bool
	readme string // file whose table is written anew
}

// shortest is the least budget: below it the builds alone take all of it.
const shortest = time.Second

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	fs := flag.NewFlagSet("table", flag.ContinueOnError)
	fs.SetOutput(io.Discard) // errors are returned
	fs.DurationVar(&o.budget, "budget", 5*time.Minute, "`time` for everything, builds included; each case gets at least one pair")
	fs.StringVar(&o.name, "case", "", "measure this `case` alone: "+caseNames())
	fs.BoolVar(&o.json, "json", false, "print one JSON document")
	fs.StringVar(&o.readme, "readme", "", "also write the table into this `file`, between its markers")
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fs.SetOutput(stderr)
			fmt.Fprintln(stderr, "usage: table [flags]")
			fs.PrintDefaults()
		}
		return o, err
	}
	switch {
	case fs.NArg() > 0:
		return o, fmt.Errorf("%q is left over: all is said with flags", fs.Arg(0))
	case o.budget < shortest:
		return o, fmt.Errorf("-budget %v is too short to build anything: give at least %v", o.budget, shortest)
	case o.readme != "" && o.name != "":
		return o, errors.New("-readme writes the table of all cases: leave -case out")
	}
	return o, nil
}

// run measures and prints.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) (code int) {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return done
	}
	var chosen []study
	if err == nil {
		chosen, err = choose(o.name)
	}
	if err != nil {
		fmt.Fprintln(stderr, "table:", err)
		return misuse
	}
	b := &bench{deadline: time.Now().Add(o.budget), now: time.Now, say: func(string, ...any) {}}
	if f, ok := stderr.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		b.say = func(format string, args ...any) { fmt.Fprintf(stderr, format+"\n", args...) }
	}
	doc, err := b.measure(ctx, chosen)
	if doc != nil {
		doc.BudgetNs = int64(o.budget)
		err = errors.Join(err, publish(doc, o, stdout))
	}
	switch {
	case err != nil:
		fmt.Fprintln(stderr, "table:", err)
		return failed
	case doc.Interrupted:
		return interrupted
	}
	return done
}

// publish prints the document, and writes its table into the file that was
// asked for. What is not whole is not written there.
func publish(doc *document, o options, stdout io.Writer) error {
	write := doc.writeText
	if o.json {
		write = doc.writeJSON
	}
	if err := write(stdout); err != nil {
		return fmt.Errorf("print the table: %w", err)
	}
	if o.readme == "" {
		return nil
	}
	if doc.Interrupted {
		return fmt.Errorf("write the table into %s: it is not whole, and was left as it was", o.readme)
	}
	return doc.writeInto(o.readme)
}
