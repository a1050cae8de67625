package prove

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/format/benchmark"
	"whet/internal/gobench"
)

// side is one of the two programs.
type side int

const (
	sideOld side = iota
	sideNew
)

func (s side) String() string { return [...]string{"old", "new"}[s] }

// request is one process: the benchmark called bench or those that match
// pattern, for n iterations or, when n is 0, for d.
type request struct {
	bench, pattern string
	n              int64
	d              time.Duration
}

func (r request) benchTime() string {
	if r.n > 0 {
		return fmt.Sprintf("%dx", r.n)
	}
	return r.d.String()
}

// measured is what a process gave.
type measured struct {
	lines []benchmark.Line
	took  time.Duration
}

// runner runs benchmarks of either side. Tests replace it by one whose times
// are known.
type runner interface {
	benchmarks(ctx context.Context, s side, re string) ([]string, error)
	run(ctx context.Context, s side, r request) (measured, error)
}

// binaries is the runner of two test binaries.
type binaries struct {
	o    *Options
	bins [2]*gobench.Binary
}

func (b *binaries) benchmarks(ctx context.Context, s side, re string) ([]string, error) {
	return b.bins[s].Benchmarks(ctx, re)
}

func (b *binaries) run(ctx context.Context, s side, r request) (measured, error) {
	res, err := b.bins[s].Run(ctx, gobench.Run{
		Bench: r.bench, Pattern: r.pattern, BenchTime: r.benchTime(),
		CPU: b.o.CPU, Args: b.o.Args, Timeout: b.o.Timeout, Output: b.o.Output,
	})
	if res == nil {
		return measured{}, err
	}
	return measured{lines: res.Lines, took: res.End.Sub(res.Start)}, err
}

// build resolves and builds both sides in dir, alike: without the paths of
// their directories, and under names of the same length.
func (b *binaries) build(ctx context.Context, dir string, res *compare.Result, progress func(Event)) error {
	o := gobench.BuildOptions{Tags: b.o.Tags, Flags: append([]string{"-trimpath"}, b.o.Flags...)}
	for s, operand := range [...]string{b.o.Old, b.o.New} {
		progress(Event{Stage: "building " + side(s).String()})
		t, err := gobench.Resolve(ctx, b.o.Dir, operand, o)
		if err != nil {
			return fmt.Errorf("%v side: %w", side(s), err)
		}
		bin, err := gobench.Build(ctx, t, o, filepath.Join(dir, side(s).String()+".test"))
		if err != nil {
			return fmt.Errorf("%v side: %w", side(s), err)
		}
		b.bins[s] = bin
		sum, err := fileSHA256(bin.Path)
		if err != nil {
			return fmt.Errorf("%v side: %w", side(s), err)
		}
		*sideOf(res, side(s)) = compare.Side{
			Operand: operand, Package: t.ImportPath, Module: t.Module, GoVersion: bin.GoVersion,
			Revision: bin.Revision, Dirty: bin.Dirty, SHA256: sum, Tests: "not run",
		}
	}
	return nil
}

func sideOf(res *compare.Result, s side) *compare.Side {
	if s == sideOld {
		return &res.Old
	}
	return &res.New
}

// test runs both sides' tests. Only failing tests of new are an error: old is
// what is, right or wrong.
func (b *binaries) test(ctx context.Context, res *compare.Result, progress func(Event)) error {
	if b.o.Tests == 0 || b.o.Run == "^$" {
		return nil
	}
	for _, s := range []side{sideOld, sideNew} {
		progress(Event{Stage: "testing " + s.String()})
		t, err := b.bins[s].Test(ctx, b.o.Run, b.o.Tests)
		if err != nil {
			return fmt.Errorf("%v side: %w", s, err)
		}
		said, target := &sideOf(res, s).Tests, b.bins[s].Target.ImportPath
		switch {
		case t.TimedOut:
			*said = "not done in time"
			warn(res, "the tests of %s (%v) did not end within %v: whether they pass is not known", target, s, b.o.Tests)
		case !t.Ran:
			*said = "none"
			if s == sideNew {
				has := "has no tests"
				if b.o.Run != "" {
					has += fmt.Sprintf(" that match -run %q", b.o.Run)
				}
				warn(res, "%s (new) %s: that it still does the same is not known", target, has)
			}
		case t.Passed:
			*said = "passed"
		case s == sideNew:
			return &gobench.Error{Kind: gobench.KindTestFailed, Text: fmt.Sprintf("%s (new) is no candidate: its tests fail: %s", target, t.FirstFailure), Detail: t.Output}
		default:
			*said = "failed: " + t.FirstFailure
			warn(res, "the tests of %s (old) fail: %s", target, t.FirstFailure)
		}
	}
	return nil
}

// warnBuilds says what in the builds spoils the comparison.
func (b *binaries) warnBuilds(res *compare.Result) {
	old, new := b.bins[sideOld], b.bins[sideNew]
	if old.GoVersion != new.GoVersion {
		warn(res, "old is built with %s and new with %s: the ratio holds the toolchain's share too", old.GoVersion, new.GoVersion)
	}
	for _, c := range []struct {
		what     string
		old, new bool
	}{{"-race", old.Race, new.Race}, {"-cover", old.Cover, new.Cover}, {"-N or -l", old.Unoptimized, new.Unoptimized}} {
		switch {
		case c.old && c.new:
			warn(res, "both sides are built with %s: the ratio is not that of an ordinary build", c.what)
		case c.old || c.new:
			warn(res, "only one side is built with %s: the two cannot be compared", c.what)
		}
	}
	if res.Old.SHA256 == res.New.SHA256 {
		warn(res, "both sides build to the same binary, byte for byte: there is nothing to tell apart, and what is shown is noise")
	}
}

func fileSHA256(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("read %s: %w", filepath.Base(name), err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// warn adds a warning once.
func warn(res *compare.Result, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	for _, have := range res.Warnings {
		if have == text {
			return
		}
	}
	res.Warnings = append(res.Warnings, text)
}

// skipped reports whether a benchmark ended well without a result, as one that
// skips itself does.
func skipped(err error) bool {
	var ge *gobench.Error
	return errors.As(err, &ge) && ge.Kind == gobench.KindNoResult
}
