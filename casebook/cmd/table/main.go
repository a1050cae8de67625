// Command table measures what the tuning of every case brought, here and now,
// and prints it beside what was published.
//
// Of each case it compares the first stage with the last that was published,
// and with best, in rounds as package rounds of whet's proofs runs and judges
// them; turns.go says what a round is here. One side of each comparison is
// measured twice in it, so that the noise stands beside the ratio. Each
// interval holds its ratio with at least 95 %; what all of a case promise
// together is less (package compare). Best reaches what is asked of it where its
// ratio is at least 0.9 of the figure and the lower end of the interval above
// 0.85 of it, and no more is allocated than is asked. A row is settled when its
// rounds answer that, or where nothing is asked, whether there is a difference.
//
// The budget goes to the cases by what they need for that, and each has at
// least one pair, whatever that takes. On the machine of the README's table 45
// seconds are for the benchmarks, and leave havlak, whose one pair takes fifteen
// of them, avatar, and the servers' memory open; ten minutes are for all. Ctrl-C
// ends the measuring, and what was measured is printed. A case that failed has a
// row that says why, and the exit code is 3.
//
// Benchmarks run in a process of their own for each slice. Commands are
// measured whole, by the CPU time, the wall time and the peak memory that the
// system accounts to them. Services answer over loopback to as many
// connections as the case says, which the engine of whet load drives in a closed
// loop; on Linux, with two processors or more, server and generator have one
// each to themselves, and a server that answers a constant of the same size
// shows where the generator and the loopback end (drive.go). Each run holds
// what the generator says of itself: what it used of its processor, and whether
// it was the bottleneck. A row where it was so in more than one run of ten is not
// settled. Late sends there are none: a closed loop has no plan.
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
	if os.Getenv(roleVariable) != "" {
		os.Exit(playGenerator(ctx, os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// options are the command line.
type options struct {
	budget time.Duration
	name   string // of one case; "": all
	only   string // "services", or "" for everything
	json   bool
	readme string // file whose table is written anew
}

// shortest is the least budget: below it the builds alone take all of it.
const shortest = time.Second

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	fs := flag.NewFlagSet("table", flag.ContinueOnError)
	fs.SetOutput(io.Discard) // errors are returned
	fs.DurationVar(&o.budget, "budget", 45*time.Second, "`time` for everything, builds included; each case gets at least one pair, and ten minutes settle all of them")
	fs.StringVar(&o.name, "case", "", "measure this `case` alone: "+caseNames())
	fs.StringVar(&o.only, "only", "", "measure `"+onlyServices+"` alone; with -readme the other rows of the file's table stay as they are")
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
		return o, fmt.Errorf("unexpected argument %q: use flags", fs.Arg(0))
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
		chosen, err = choose(o.name, o.only)
	}
	if err != nil {
		fmt.Fprintln(stderr, "table:", err)
		return misuse
	}
	if o.readme != "" {
		// What cannot be written is not measured for minutes first.
		if _, err := newDocument(time.Now()).into(o.readme, o.only != ""); err != nil {
			fmt.Fprintln(stderr, "table:", oneLine(err))
			return failed
		}
	}
	b := &bench{deadline: time.Now().Add(o.budget), now: time.Now, say: func(string, ...any) {}}
	if f, ok := stderr.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		b.say = func(format string, args ...any) { fmt.Fprintf(stderr, format+"\n", args...) }
	}
	doc, err := b.run(ctx, chosen)
	return finish(doc, err, o, stdout, stderr)
}

// finish prints what was measured, and what went wrong.
func finish(doc *document, err error, o options, stdout, stderr io.Writer) (code int) {
	if doc != nil {
		doc.BudgetNs = int64(o.budget)
		err = errors.Join(err, publish(doc, o, stdout, err == nil))
	}
	if err != nil {
		fmt.Fprintln(stderr, "table:", oneLine(err))
		code = failed
	}
	if doc != nil && doc.Interrupted || doc == nil && errors.Is(err, context.Canceled) {
		code = interrupted
	}
	return code
}

// publish prints the document, and writes its table into the file that was
// asked for. What is not whole is not written there.
func publish(doc *document, o options, stdout io.Writer, whole bool) error {
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
	if doc.Interrupted || !whole {
		return fmt.Errorf("write the table into %s: it is not whole, and was left as it was", o.readme)
	}
	return doc.writeInto(o.readme, o.only != "")
}
