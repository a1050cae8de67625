package main

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"whet/bench/ledger"
)

// options are what the command line asks for.
type options struct {
	out      *ledger.Output
	keep     string
	whet     string
	only     *regexp.Regexp
	half     string
	diagnose bool
	again    bool
	record   bool
	rows     bool
	budget   time.Duration
}

func main() { ledger.Main("diagnosis", run) }

func parse() (o options, err error) {
	only := flag.String("case", "", "only the cases whose name matches this pattern")
	flag.StringVar(&o.half, "half", "", "only the cases of this part: "+strings.Join(halves, ", "))
	o.out = ledger.Flags("diagnosis")
	flag.StringVar(&o.keep, "keep", "", "keep recordings in this directory, and use those that lie there (default: a temporary one)")
	flag.StringVar(&o.whet, "whet", "", "the program to ask (default: built from this tree)")
	flag.BoolVar(&o.diagnose, "diagnose", false, "only read recordings that -keep holds, measure nothing")
	flag.BoolVar(&o.again, "again", false, "also the cases that have a row of this commit, and record anew what -keep holds")
	flag.BoolVar(&o.record, "record", false, "only record what -keep does not hold, and say how many samples each has: nothing is diagnosed")
	flag.BoolVar(&o.rows, "rows", false, "only name the rows that kept claims rest on, by recordings that -keep holds")
	flag.DurationVar(&o.budget, "budget", 20*time.Second, "whet's budget for each benchmark")
	flag.Parse()
	if o.only, err = regexp.Compile(*only); err != nil {
		return o, fmt.Errorf("-case: %w", err)
	}
	if o.half != "" && !slices.Contains(halves, o.half) {
		return o, fmt.Errorf("-half is one of %s, not %q", strings.Join(halves, ", "), o.half)
	}
	if (o.diagnose || o.record || o.rows) && o.keep == "" {
		return o, fmt.Errorf("-diagnose and -rows read recordings, -record makes them: -keep says where they are")
	}
	return o, nil
}

func run(ctx context.Context) error {
	o, err := parse()
	if err != nil {
		return err
	}
	return o.out.Tabulate(func() error { return measure(ctx, &o) }, func(dir string) (string, error) {
		text, spoke, err := render(dir)
		if err != nil {
			return "", err
		}
		return text, os.WriteFile(spokeFile(dir), []byte(spoke.text()), 0o644)
	})
}

func measure(ctx context.Context, o *options) error {
	all, err := cases()
	if err != nil {
		return err
	}
	rows, err := readRows(o.out.Dir)
	if err != nil {
		return err
	}
	l, err := newLab(ctx, o)
	if err != nil {
		return err
	}
	defer os.RemoveAll(l.tmp)
	commit, dirty := revision()
	for _, c := range all {
		old, kept := rows[c.Name]
		kept = kept && !o.record
		if !o.only.MatchString(c.Name) || o.half != "" && o.half != c.half() || !o.again && !o.rows && kept && !dirty && !old.Dirty && commit != "" && old.Commit == commit && old.Failure == "" {
			continue
		}
		_, err := os.Stat(l.recording(&c))
		have := err == nil
		if (o.diagnose || o.rows) && !have {
			continue
		}
		fmt.Fprintln(os.Stderr, c.Name)
		if o.record {
			fmt.Fprintln(os.Stderr, l.recordOnly(ctx, &c, o, have))
			continue
		}
		if o.rows {
			if err := l.nameRows(ctx, &c, old.Claims); err != nil {
				return err
			}
			if err := writeRows(o.out.Dir, all, rows); err != nil {
				return err
			}
			continue
		}
		row, err := l.judge(ctx, &c, o, have)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			row = &Row{Case: c.Name, Module: c.Module, Date: time.Now().UTC().Truncate(time.Second), Failure: l.plain(err)}
		}
		row.Commit, row.Dirty = commit, dirty
		rows[c.Name] = *row
		if err := writeRows(o.out.Dir, all, rows); err != nil {
			return err
		}
	}
	return nil
}

// judge records a case, unless that was done, and diagnoses it.
func (l *lab) judge(ctx context.Context, c *Case, o *options, have bool) (*Row, error) {
	if !o.diagnose && (o.again || !have) {
		if err := l.record(ctx, c, o.budget); err != nil {
			return nil, err
		}
	}
	return l.diagnose(ctx, c)
}

func newLab(ctx context.Context, o *options) (*lab, error) {
	tmp, err := os.MkdirTemp("", "whet-diagnosis-")
	if err != nil {
		return nil, err
	}
	l := &lab{tmp: tmp, recordings: tmp}
	if l.whet, err = filepath.Abs(cmp.Or(o.whet, filepath.Join(tmp, "whet"))); err == nil && o.keep != "" {
		l.recordings, err = filepath.Abs(o.keep)
	}
	if err == nil {
		err = os.MkdirAll(l.recordings, 0o755)
	}
	if err == nil && o.whet == "" {
		err = ledger.Build(ctx, "./cmd/whet", l.whet)
	}
	if err != nil {
		os.RemoveAll(tmp)
		return nil, fmt.Errorf("prepare: %w", err)
	}
	return l, nil
}

// plain returns an error without the directories of this machine.
func (l *lab) plain(err error) string {
	return strings.NewReplacer(l.tmp, "…", l.recordings, "…").Replace(err.Error())
}

// revision returns the commit of this tree, and whether it differs from it but for
// what this program writes.
func revision() (commit string, dirty bool) {
	out, err := exec.Command("git", "rev-parse", "HEAD").Output()
	if err != nil {
		return "", true
	}
	changed, err := exec.Command("git", "status", "--porcelain", "--untracked-files=no", "--", ":/", ":!/bench/results", ":!/bench/README.md").Output()
	return strings.TrimSpace(string(out)), err != nil || len(bytes.TrimSpace(changed)) > 0
}
