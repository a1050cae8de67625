package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"whet/bench/ledger"
	"whet/internal/analyze/compare"
	"whet/internal/prove/benchmarks"
)

// bench measures trials.
type bench struct {
	tmp  string // for programs and binaries
	burn string // the other load's program
}

func newBench(ctx context.Context) (*bench, error) {
	tmp, err := os.MkdirTemp("", "whet-proof-")
	if err != nil {
		return nil, err
	}
	b := &bench{tmp: tmp}
	if b.burn, err = buildLoad(ctx, tmp); err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

func (b *bench) close() { os.RemoveAll(b.tmp) }

// trial puts the question of a cell once, to programs, an order and a load drawn by lot.
func (b *bench) trial(ctx context.Context, c cell, loaded bool) (t *Trial, err error) {
	t = &Trial{Question: c.question, Seed: 1 + uint64(rand.Uint32()), Loaded: loaded}
	dir, err := os.MkdirTemp(b.tmp, "trial-")
	if err != nil {
		return t, err
	}
	defer os.RemoveAll(dir)
	p, err := writeSides(dir, c.question, t.Seed)
	if err != nil {
		return t, err
	}
	rng := rand.New(rand.NewPCG(t.Seed, 1))
	first, pattern := rng.IntN(2) == 0, c.pattern(rng)
	if loaded {
		l, err := startLoad(ctx, b.burn, rng)
		if err != nil {
			return t, err
		}
		defer func() {
			if e := l.stop(); err == nil {
				err = e
			}
		}()
	}
	blocks := func() error {
		t.Blocks, err = measureBlocks(ctx, p)
		if err == nil {
			t.Blocks.First = first
		}
		return err
	}
	if c.blocks && first {
		if err := blocks(); err != nil {
			return t, err
		}
	}
	if err := t.prove(ctx, p, options(c.question, pattern)); err != nil {
		return t, err
	}
	if c.blocks && !first {
		return t, blocks()
	}
	return t, nil
}

// options returns a user's defaults but for the budget, the rounds of identical
// sides, and, for small slowdowns, the benchmarks and the margin.
func options(q question, pattern string) benchmarks.Options {
	o := benchmarks.DefaultOptions()
	o.Bench, o.Margin, o.AA = pattern, q.margin(), true
	o.Budget, o.Rounds = q.budget()
	return o
}

// prove asks whet prove.
func (t *Trial) prove(ctx context.Context, p pair, o benchmarks.Options) error {
	o.Dir, o.Old, o.New, o.Seed = p.old, p.old, p.new, t.Seed
	start := time.Now()
	res, err := benchmarks.Run(ctx, o)
	if err != nil {
		return err
	}
	switch {
	case res.Interrupted:
		return context.Canceled
	case len(res.Failures) > 0 || res.Trouble != "":
		return fmt.Errorf("whet prove: %s", res.Verdict.Text)
	}
	t.At = Origin{Date: start.UTC().Truncate(time.Second), Load: res.Host.LoadStart, Steal: res.Host.StealRatio}
	t.BudgetNs, t.ElapsedNs, t.MeasureNs = int64(o.Budget), int64(time.Since(start)), res.ElapsedNs
	t.Planned, t.Needed, t.SameBytes = res.RoundsPlanned, res.RoundsNeeded, res.Old.SHA256 == res.New.SHA256
	if t.Question == same && !t.SameBytes {
		return fmt.Errorf("one package was built twice to two binaries: there is no trial of the same binary")
	}
	if t.Question != same && t.Question != tree && t.SameBytes {
		return fmt.Errorf("what was to differ did not: both sides are the same binary")
	}
	for _, r := range res.Benchmarks {
		t.Rows = append(t.Rows, newRow(r))
	}
	return nil
}

func newRow(r compare.Row) Row {
	row := Row{
		Name: strings.TrimPrefix(r.Name, "Benchmark"), Metric: r.Metric, Verdict: r.Verdict,
		Ratio: digits(r.Ratio), Low: digits(r.RatioLow), High: digits(r.RatioHigh), P: digits(r.PValue),
		Rounds: r.Rounds, Turns: r.Turns, Iterations: r.Iterations, Old: digits(r.Old), New: digits(r.New),
	}
	if r.NoiseRatio != nil {
		noise := digits(*r.NoiseRatio)
		row.Noise = &noise
	}
	return row
}

// String returns a trial in one line.
func (t *Trial) String() string {
	load := "alone"
	if t.Loaded {
		load = "beside other load"
	}
	count := make(map[compare.Verdict]int)
	for _, r := range t.Rows {
		if r.Metric == compare.NsPerOp {
			count[r.Verdict]++
		}
	}
	return fmt.Sprintf("%s, %s, %v: %d faster, %d slower, %d no change, %d cannot tell",
		t.Question, load, time.Duration(t.ElapsedNs).Round(time.Second), count[compare.Faster], count[compare.Slower], count[compare.NoChange], count[compare.CannotTell])
}

// origin returns what all trials of one run share.
func origin() Origin {
	e := ledger.Begin[struct{}]("bench/proof")
	return Origin{
		Date: e.Date, Commit: e.Commit[:min(len(e.Commit), 12)], Dirty: e.Dirty,
		Go: goVersion(), System: e.Host.OS + "/" + e.Host.Arch, CPU: e.Host.CPU, Cores: e.Host.Cores,
	}
}

// goVersion is that of the go command, which builds the sides.
func goVersion() string {
	out, err := exec.Command("go", "env", "GOVERSION").Output()
	if err != nil {
		return runtime.Version()
	}
	return strings.TrimSpace(string(out))
}

// add takes over what the trial does not know by itself.
func (o *Origin) add(run Origin) {
	o.Commit, o.Dirty, o.Go, o.System, o.CPU, o.Cores = run.Commit, run.Dirty, run.Go, run.System, run.CPU, run.Cores
}
