// Command proof is the suite that whet prove has to pass: questions whose
// answers are known, because they were planted, put to prove's own runner.
//
// It answers: how often are identical sides called different; how many
// slowdowns of 3 % and of 1 % are found, in how much benchmark time; is a
// slowdown ever called "no change"; do the intervals cover the truth; and what
// do go test -count=10 and benchstat say of the same sides. Its input are
// programs that it writes anew for each trial (package mix), and random numbers
// for what is simulated. In every second trial another process keeps one core
// busy.
//
// It measures until -for is over or the suite is complete. Every trial is kept
// when it ends, so that an interrupted run goes on where it was; -restart drops
// what is kept.
//
// It misleads about programs of other kinds than the eight of the mix, and
// about other machines. The trials of one table may have been measured by
// different revisions: the caption names them all.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"whet/bench/ledger"
)

func main() { ledger.Main("proof", run) }

func run(ctx context.Context) error {
	total := flag.Duration("for", time.Hour, "measure for at most this `time`")
	part := flag.String("only", "", "a `part` of the suite: "+strings.Join(only, ", "))
	restart := flag.Bool("restart", false, "drop the kept samples first")
	out := ledger.Flags("proof")
	flag.Parse()
	return out.Tabulate(func() error {
		if *restart {
			if err := os.Remove(samplesFile(out.Dir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		return measure(ctx, out.Dir, *part, time.Now().Add(*total))
	}, func(dir string) (string, error) {
		s, _, err := readSamples(dir)
		if err != nil {
			return "", err
		}
		return render(s), nil
	})
}

// intervals is the number simulated for each line of the coverage table: the
// Monte Carlo error of 95 % is then 0.2 %.
const intervals = 10000

// measure adds trials to what is kept until the suite is complete, the time is
// over or the user interrupts. A trial that was interrupted does not count.
func measure(ctx context.Context, dir, part string, end time.Time) error {
	cells, err := chosen(part)
	if err != nil {
		return err
	}
	kept, _, err := readSamples(dir)
	if err != nil {
		return err
	}
	where := origin()
	if part == "coverage" || part == "" && kept.Simulated == nil {
		seed := uint64(rand.Uint32())
		cases, err := simulate(ctx, seed, intervals, func(s string) { fmt.Fprintln(os.Stderr, s) })
		if err != nil {
			return err
		}
		if err := keep(dir, line{Simulated: &Simulated{At: where, Seed: seed, Cases: cases}}); err != nil {
			return err
		}
	}
	fmt.Fprintf(os.Stderr, "what is missing takes up to %v\n", left(cells, kept.Trials))
	b, err := newBench(ctx)
	if err != nil {
		return err
	}
	defer b.close()
	for ctx.Err() == nil {
		c, loaded, ok := next(cells, kept.Trials)
		if !ok || time.Now().Add(c.longest()).After(end) {
			break
		}
		t, err := b.trial(ctx, c, loaded)
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return fmt.Errorf("%s, seed %d: %w", c.question, t.Seed, err)
		}
		t.At.add(where)
		kept.Trials = append(kept.Trials, *t)
		if err := keep(dir, line{Trial: t}); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "%3d %s\n", len(kept.Trials), t)
	}
	return nil
}
