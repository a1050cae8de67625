package why

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/gobench"
)

// Side is a side's test binary of a benchmark, and the settings of its build, which the
// compiler gets too.
type Side struct {
	Binary *gobench.Binary
	Build  gobench.BuildOptions
}

// Benchmark is one that both sides have.
type Benchmark struct {
	Package  string // as the change shall name it
	Name     string // "BenchmarkX/sub=1"
	Old, New Side
	// NsPerOp and AllocsPerOp are those of the side that has more of them.
	NsPerOp     float64
	AllocsPerOp float64
}

// Options of an explanation.
type Options struct {
	Benchmarks []Benchmark // those that matter most first
	Most       int         // no more than these many are explained
	Samples    int         // of the measured code, wanted of each side's CPU profile
	// Budget bounds the profiling of all benchmarks together; the time of the compiler
	// is not included.
	Budget  time.Duration
	Timeout time.Duration // of one process; 0: only the plan's own
	CPU     string        // GOMAXPROCS, "" is the machine's
	Args    []string      // the user's, for the test binaries
	Output  io.Writer     // receives the output of the benchmarks; nil discards it
	Scratch string        // directory for the profiles while they are taken; "" is the system's

	Now      func() time.Time
	Progress func(stage, benchmark string)
}

// DefaultOptions returns the options for interactive use.
func DefaultOptions() Options {
	return Options{Most: 5, Samples: 500, Budget: time.Minute, Now: time.Now, Progress: func(string, string) {}}
}

// Validate reports an error if the options are invalid.
func (o *Options) Validate() error {
	switch {
	case o.Most < 1:
		return fmt.Errorf("explain %d benchmarks: give at least 1", o.Most)
	case o.Samples < 1:
		return fmt.Errorf("profile %d samples: give at least 1", o.Samples)
	case o.Budget <= 0:
		return fmt.Errorf("a budget of %v is too short for a profile", o.Budget)
	case o.Now == nil || o.Progress == nil:
		return errors.New("explain: no clock or progress: start from DefaultOptions")
	}
	for _, b := range o.Benchmarks {
		if b.Old.Binary == nil || b.New.Binary == nil {
			return fmt.Errorf("explain %s: a side has no binary", b.Name)
		}
	}
	return nil
}

// Explain profiles both sides of the benchmarks and compares them. A benchmark that
// cannot be profiled has a change with a warning. The error is that of the context,
// together with the changes so far, or of the scratch directory.
func Explain(ctx context.Context, o Options) ([]compare.Change, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(o.Scratch, "whet-why-")
	if err != nil {
		return nil, fmt.Errorf("make room for profiles: %w", err)
	}
	defer os.RemoveAll(dir)
	e := &explainer{o: o, dir: dir, deadline: o.Now().Add(o.Budget), pairs: make(map[[2]*gobench.Binary]*pair)}
	chosen := o.Benchmarks[:min(len(o.Benchmarks), o.Most)]
	var changes []compare.Change
	for i, b := range chosen {
		share := e.deadline.Sub(o.Now()) / time.Duration(len(chosen)-i)
		c, err := e.explain(ctx, &b, share)
		if err != nil {
			return changes, err
		}
		changes = append(changes, c)
	}
	return changes, nil
}

// explainer has the data that the benchmarks of one call share.
type explainer struct {
	o        Options
	dir      string
	deadline time.Time
	pairs    map[[2]*gobench.Binary]*pair
}

// pairOf returns the relation of a package's two sides.
func (e *explainer) pairOf(b *Benchmark) *pair {
	key := [2]*gobench.Binary{b.Old.Binary, b.New.Binary}
	if e.pairs[key] == nil {
		e.pairs[key] = newPair(b.Old, b.New)
	}
	return e.pairs[key]
}

func (e *explainer) explain(ctx context.Context, b *Benchmark, share time.Duration) (compare.Change, error) {
	c := compare.Change{Package: b.Package, Benchmark: b.Name, ConfidenceRatio: 1 - alpha, Warnings: []string{}}
	p := e.pairOf(b)
	d := newDiffer(p)
	e.o.Progress("profiling", b.Name)
	if err := e.profile(ctx, b, d, share, &c); err != nil {
		return c, err
	}
	d.fill(&c)
	e.o.Progress("asking the compiler", b.Name)
	if err := p.addDecisions(ctx, d, &c); err != nil {
		return c, err
	}
	return c, nil
}

// warn adds a warning once.
func warn(c *compare.Change, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	for _, have := range c.Warnings {
		if have == text {
			return
		}
	}
	c.Warnings = append(c.Warnings, text)
}

// limit returns the time after which a process that should take about d is taken to
// hang.
func (e *explainer) limit(d time.Duration) time.Duration {
	return cmp.Or(e.o.Timeout, max(10*d, 30*time.Second))
}
