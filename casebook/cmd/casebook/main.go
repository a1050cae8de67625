// Command casebook serves one stage of a case, as a program of its own, so that
// it can be put under load and profiled from outside. A case that is a command
// runs and ends.
//
// It answers what a benchmark of the same stage cannot: what the stage costs
// with connections, scheduling and contended locks around it. Profiles are
// served on an address of their own, with the block and mutex profiles on,
// whose rates are the usual compromise: a wait of 10 µs and every tenth
// contention are sampled. Set both to 0 to measure the stage without them.
//
// It misleads where the log goes to a file or a terminal: then what the system
// takes to write it counts too. By default the log is built and dropped, so its
// cost is the program's own.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

// Exit codes.
const (
	done        = 0
	misuse      = 2
	failed      = 3
	interrupted = 130 // a command; to be told to end is how a service ends
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}

// options are the command line.
type options struct {
	name, stage     string
	addr, pprofAddr string
	blockRate       time.Duration
	mutexFraction   int
	log             string
	downstream      string
	sink            string
	printStats      bool

	given []string // names of the flags that were given
}

// run serves until ctx is done or a signal comes, or runs a command.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) (code int) {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return done
	}
	var of study
	var chosen stage
	if err == nil {
		of, chosen, err = find(o.name, o.stage)
	}
	if err == nil {
		err = useless(o, of.name, chosen)
	}
	if err != nil {
		fmt.Fprintln(stderr, "casebook:", err)
		return misuse
	}
	log, err := openLog(o.log, stderr)
	if err == nil {
		e := environment{log: log, downstream: o.downstream, sink: o.sink, printStats: o.printStats, stdout: stdout}
		if chosen.run != nil {
			err = runCommand(ctx, chosen, e)
		} else {
			err = serve(ctx, o, of.paths, chosen, e)
		}
		err = errors.Join(err, log.Close())
	}
	if err != nil {
		fmt.Fprintln(stderr, "casebook:", oneLine(err))
		if chosen.run != nil && errors.Is(err, context.Canceled) {
			return interrupted
		}
		return failed
	}
	return done
}

// oneLine is an error's text on one line.
func oneLine(err error) string {
	return strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
}

// serve makes the stage's handler and serves it until the end.
func serve(ctx context.Context, o options, paths []string, chosen stage, e environment) error {
	h, closer, err := chosen.serve(e)
	if err != nil {
		return fmt.Errorf("make stage %s: %w", chosen.name, err)
	}
	err = listenAndServe(ctx, o, paths, h, e.stdout)
	if closer != nil {
		err = errors.Join(err, closer.Close())
	}
	return err
}

// runCommand runs a stage that ends by itself. A signal asks it to end before
// that, a second one ends the program at once.
func runCommand(ctx context.Context, chosen stage, e environment) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	defer context.AfterFunc(ctx, stop)()
	if err := chosen.run(ctx, e); err != nil {
		return fmt.Errorf("run stage %s: %w", chosen.name, err)
	}
	return nil
}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	fs := flag.NewFlagSet("casebook", flag.ContinueOnError)
	fs.SetOutput(io.Discard) // errors are returned
	fs.StringVar(&o.name, "case", "", "the `case`: "+caseNames())
	fs.StringVar(&o.stage, "stage", "", "the `stage` of its tuning, as its directory is called")
	fs.StringVar(&o.addr, "addr", ":8080", "`address` of the service; without a host it is that of this machine alone, port 0 is a free one")
	fs.StringVar(&o.pprofAddr, "pprof-addr", ":6060", "`address` of the profiles; empty: none")
	fs.DurationVar(&o.blockRate, "block-rate", 10*time.Microsecond, "`wait` that makes one sample of the block profile; 0: no block profile")
	fs.IntVar(&o.mutexFraction, "mutex-fraction", 10, "one in `n` contentions is a sample of the mutex profile; 0: no mutex profile")
	fs.StringVar(&o.log, "log", "discard", "where the log goes: a `file`, stderr, or discard, which leaves its cost to the program alone")
	fs.StringVar(&o.downstream, "downstream", "", "`URL` of the service that gateway calls; without one it has a stub on a port of its own")
	fs.StringVar(&o.sink, "sink", "", "`URL` that ingest passes documents on to; without one they are checked and dropped")
	fs.BoolVar(&o.printStats, "print-stats", false, "print each record of stats")
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fs.SetOutput(stderr)
			fmt.Fprintln(stderr, "usage: casebook -case CASE -stage STAGE [flags]")
			fs.PrintDefaults()
		}
		return o, err
	}
	fs.Visit(func(f *flag.Flag) { o.given = append(o.given, f.Name) })
	switch {
	case fs.NArg() > 0:
		return o, fmt.Errorf("unexpected argument %q: use flags", fs.Arg(0))
	case o.blockRate < 0:
		return o, fmt.Errorf("-block-rate %v: it may not be negative", o.blockRate)
	case o.mutexFraction < 0:
		return o, fmt.Errorf("-mutex-fraction %d: it may not be negative", o.mutexFraction)
	}
	return o, nil
}

// onlyFor names the case that a flag is for.
var onlyFor = map[string]string{"downstream": "gateway", "sink": "ingest", "print-stats": "stats"}

// useless reports the first flag that the stage has no use for: whoever gave it
// expects something that will not happen.
func useless(o options, name string, chosen stage) error {
	for _, given := range o.given {
		if owner, ok := onlyFor[given]; ok && owner != name {
			return fmt.Errorf("-%s is of no use to %s: it is for %s", given, name, owner)
		}
		if chosen.run != nil && given != "case" && given != "stage" {
			return fmt.Errorf("-%s is of no use to %s: it is a command that ends, and serves nothing", given, name)
		}
		if o.pprofAddr == "" && (given == "block-rate" || given == "mutex-fraction") {
			return fmt.Errorf("-%s is of no use without profiles: give -pprof-addr an address", given)
		}
	}
	return nil
}

// keep lets a writer of others stay open.
type keep struct{ io.Writer }

func (keep) Close() error { return nil }

func openLog(name string, stderr io.Writer) (io.WriteCloser, error) {
	switch name {
	case "discard":
		return keep{io.Discard}, nil
	case "stderr":
		return keep{stderr}, nil
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open the log: %w", err)
	}
	return f, nil
}
