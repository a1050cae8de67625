package ledger

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"whet/internal/capture/process"
	"whet/internal/quantity"
	"whet/internal/stat"
)

// Run is a process, or a pipeline of several, from start to exit.
type Run struct {
	WallNs   int64 `json:"wall_ns"`
	CPUNs    int64 `json:"cpu_ns"`
	RSSBytes int64 `json:"rss_bytes"` // peak, of a pipeline that of its largest process; 0: unknown
}

// Runs are the runs of one tool, turn by turn.
type Runs []Run

func (r Runs) of(f func(Run) int64) []float64 {
	out := make([]float64, len(r))
	for i := range r {
		out[i] = float64(f(r[i]))
	}
	return out
}

func wall(r Run) int64 { return r.WallNs }
func cpu(r Run) int64  { return r.CPUNs }
func rss(r Run) int64  { return r.RSSBytes }

// Wall prints the median time.
func (r Runs) Wall() string { return quantity.Nanoseconds(stat.Median(r.of(wall))) }

// CPU prints the median processor time.
func (r Runs) CPU() string { return quantity.Nanoseconds(stat.Median(r.of(cpu))) }

// Memory prints the median of the peaks, unless one is unknown.
func (r Runs) Memory() string {
	if slices.Contains(r.of(rss), 0) {
		return "–"
	}
	return quantity.Bytes(stat.Median(r.of(rss)))
}

// Times is by how much r takes longer than other: the median of the ratios
// within a turn, with its 95 % interval.
func (r Runs) Times(other Runs) (ratio, interval string) { return r.ratio(other, wall) }

// CPUTimes is by how much more processor time r takes, likewise.
func (r Runs) CPUTimes(other Runs) (ratio, interval string) { return r.ratio(other, cpu) }

func (r Runs) ratio(other Runs, f func(Run) int64) (ratio, interval string) {
	iv := stat.RatioInterval(r.of(f), other.of(f), 0.95)
	return quantity.Ratio(iv.Center), quantity.Ratio(iv.Low) + " to " + quantity.Ratio(iv.High)
}

// Larger is by how much more memory r takes than other.
func (r Runs) Larger(other Runs) string {
	if slices.Contains(r.of(rss), 0) || slices.Contains(other.of(rss), 0) {
		return "–"
	}
	return quantity.Ratio(stat.RatioInterval(r.of(rss), other.of(rss), 0.95).Center)
}

// Tool is a program that takes its turn.
type Tool struct {
	Path  string
	Args  []string
	Fresh func() []string           // in place of Args, where a turn's are its own; nil: Args
	Check func(stdout []byte) error // of what it printed
	Runs  *Runs
}

// Turns runs the tools one after the other, in an order drawn by lot each time.
// A first turn that does not count brings files into the page cache.
//
// It is to be called before much memory was used: a process starts with the
// peak memory of the one that starts it.
func Turns(ctx context.Context, turns int, tools ...Tool) error {
	for turn := -1; turn < turns; turn++ {
		for _, i := range rand.Perm(len(tools)) {
			r, err := tools[i].once(ctx)
			if err != nil {
				return err
			}
			if turn >= 0 {
				*tools[i].Runs = append(*tools[i].Runs, r)
			}
		}
	}
	return nil
}

func (t *Tool) once(ctx context.Context) (Run, error) {
	var out, errs bytes.Buffer
	args := t.Args
	if t.Fresh != nil {
		args = t.Fresh()
	}
	res, err := process.Run(ctx, process.Command{Path: t.Path, Args: args, Stdout: &out, Stderr: &errs, Timeout: 15 * time.Minute})
	if err == nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	if err != nil {
		return Run{}, err
	}
	if !res.OK() {
		return Run{}, fmt.Errorf("%s %s: %s: %s", filepath.Base(t.Path), strings.Join(args, " "), res.Status(), bytes.TrimSpace(errs.Bytes()))
	}
	if err := t.Check(out.Bytes()); err != nil {
		return Run{}, fmt.Errorf("%s %s: %w: %s", filepath.Base(t.Path), strings.Join(args, " "), err, bytes.TrimSpace(errs.Bytes()))
	}
	return Run{WallNs: int64(res.End.Sub(res.Start)), CPUNs: int64(res.UserCPU + res.SystemCPU), RSSBytes: res.MaxRSSBytes}, nil
}

// Programs builds whet into dir and finds pprof.
func Programs(ctx context.Context, dir string) (whet, pprof string, err error) {
	whet = filepath.Join(dir, "whet")
	if err := Build(ctx, "./cmd/whet", whet); err != nil {
		return "", "", err
	}
	pprof, err = Pprof(ctx)
	return whet, pprof, err
}

// Build builds a program of this repository without cgo, as make build does.
func Build(ctx context.Context, pkg, path string) error {
	_, err := output(ctx, []string{"CGO_ENABLED=0"}, "go", "build", "-o", path, pkg)
	return err
}

// Pprof finds the program pprof, which the go command builds on first use.
func Pprof(ctx context.Context) (string, error) {
	out, err := output(ctx, nil, "go", "tool", "-n", "pprof")
	if err != nil {
		return "", err
	}
	pprof := strings.TrimSpace(out)
	if _, err := os.Stat(pprof); err != nil {
		return "", fmt.Errorf("go tool -n pprof names no program: %w", err)
	}
	return pprof, nil
}

func output(ctx context.Context, env []string, name string, args ...string) (string, error) {
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdout, cmd.Stderr, cmd.Env = &out, &errs, append(cmd.Environ(), env...)
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, bytes.TrimSpace(errs.Bytes()))
	}
	return out.String(), nil
}
