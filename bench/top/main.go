// Command top measures whet top beside go tool pprof -top.
//
// It answers how long each takes, and how much memory, from start to exit on
// a profile of the Go compiler, which it makes first unless -profile names
// some:
//
//	go run ./bench/top -turns 7 -profile big.pb.gz -profile big.pb.gz:alloc_space
//
// (bench/bigprofile makes a large one). The heap profiles it makes are read for
// what was allocated: at the compiler's exit little is in use. Both run in
// turns, in an order drawn by lot.
//
// It misleads about work that the two do not share: whet top prints flat and
// cum of the measured code, pprof -top has more ways to filter.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"whet/bench/ledger"
	"whet/internal/capture/process"
	"whet/internal/format/profile"
	"whet/internal/quantity"
	"whet/internal/stat"
)

// Run is one process.
type Run struct {
	WallNs   int64 `json:"wall_ns"`
	CPUNs    int64 `json:"cpu_ns"`
	RSSBytes int64 `json:"rss_bytes"` // 0: unknown
}

// Subject is one profile and what both tools took, turn by turn.
type Subject struct {
	Name    string `json:"name"`
	Bytes   int64  `json:"bytes"`
	Samples int    `json:"samples"`
	Whet    []Run  `json:"whet"`
	Pprof   []Run  `json:"pprof"`
}

type list []string

func (l *list) String() string     { return strings.Join(*l, ",") }
func (l *list) Set(s string) error { *l = append(*l, s); return nil }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench/top:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	var profiles list
	turns := flag.Int("turns", 21, "how often each tool reads each profile")
	table := flag.Bool("table", false, "make the table from the kept samples, measure nothing")
	dir := flag.String("dir", "bench", "directory with README.md and results")
	flag.Var(&profiles, "profile", "measure this `file` instead of making some, with the sample type behind a colon unless it is the profile's own; may be given several times")
	flag.Parse()
	if !*table {
		if *turns < 6 {
			return fmt.Errorf("-turns %d: 6 are the fewest with a 95 %% interval", *turns)
		}
		e := ledger.Begin[[]Subject]("bench/top")
		subjects, err := measure(ctx, profiles, *turns)
		if err != nil {
			return err
		}
		e.Samples = subjects
		if err := e.Save(*dir, "top"); err != nil {
			return err
		}
	}
	text, err := render(*dir)
	if err != nil {
		return err
	}
	fmt.Println(text)
	return ledger.Publish(*dir, "top", text)
}

// render makes the text of the README from the kept samples.
func render(dir string) (string, error) {
	e, err := ledger.Load[[]Subject](dir, "top")
	if err != nil {
		return "", err
	}
	t := ledger.Table{Head: []string{"profile", "samples", "whet top", "pprof -top", "pprof/whet, time", "95 % interval", "whet CPU", "pprof CPU", "whet memory", "pprof memory", "pprof/whet, memory"}}
	for _, s := range e.Samples {
		of := func(runs []Run, f func(Run) int64) []float64 {
			out := make([]float64, len(runs))
			for i, r := range runs {
				out[i] = float64(f(r))
			}
			return out
		}
		wall, cpu, rss := func(r Run) int64 { return r.WallNs }, func(r Run) int64 { return r.CPUNs }, func(r Run) int64 { return r.RSSBytes }
		iv := stat.RatioInterval(of(s.Pprof, wall), of(s.Whet, wall), 0.95)
		t.Rows = append(t.Rows, []string{
			fmt.Sprintf("%s (%s)", s.Name, quantity.Bytes(float64(s.Bytes))), quantity.Count(float64(s.Samples)),
			quantity.Nanoseconds(stat.Median(of(s.Whet, wall))), quantity.Nanoseconds(stat.Median(of(s.Pprof, wall))),
			quantity.Ratio(iv.Center), quantity.Ratio(iv.Low) + " to " + quantity.Ratio(iv.High),
			quantity.Nanoseconds(stat.Median(of(s.Whet, cpu))), quantity.Nanoseconds(stat.Median(of(s.Pprof, cpu))),
			memory(of(s.Whet, rss)), memory(of(s.Pprof, rss)), memoryRatio(of(s.Pprof, rss), of(s.Whet, rss)),
		})
	}
	turns := 0
	if len(e.Samples) > 0 {
		turns = len(e.Samples[0].Whet)
	}
	return fmt.Sprintf("%s\n%s; %d turns.\n", t.Markdown(), e.Caption(), turns), nil
}

// memory is the median of peaks, unless one is unknown.
func memory(peaks []float64) string {
	if slices.Contains(peaks, 0) {
		return "–"
	}
	return quantity.Bytes(stat.Median(peaks))
}

// memoryRatio is the median of the ratios within a turn.
func memoryRatio(pprof, whet []float64) string {
	if slices.Contains(pprof, 0) || slices.Contains(whet, 0) {
		return "–"
	}
	return quantity.Ratio(stat.RatioInterval(pprof, whet, 0.95).Center)
}

func measure(ctx context.Context, profiles []string, turns int) ([]Subject, error) {
	tmp, err := os.MkdirTemp("", "whet-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	whet := filepath.Join(tmp, "whet")
	if err := command(ctx, nil, "go", "build", "-o", whet, "./cmd/whet"); err != nil {
		return nil, err
	}
	// pprof is built on first use; -n prints where it lies.
	var out bytes.Buffer
	if err := command(ctx, &out, "go", "tool", "-n", "pprof"); err != nil {
		return nil, err
	}
	pprof := strings.TrimSpace(out.String())
	if _, err := os.Stat(pprof); err != nil {
		return nil, fmt.Errorf("go tool -n pprof names no program: %w", err)
	}
	inputs := make([]input, len(profiles))
	for i, p := range profiles {
		if inputs[i].file = p; strings.Contains(filepath.Base(p), ":") {
			colon := strings.LastIndex(p, ":")
			inputs[i] = input{p[:colon], p[colon+1:]}
		}
	}
	if len(inputs) == 0 {
		if inputs, err = compile(ctx, tmp); err != nil {
			return nil, err
		}
	}
	subjects := make([]Subject, len(inputs))
	for i, in := range inputs {
		if subjects[i], err = subject(ctx, in, whet, pprof, turns); err != nil {
			return nil, err
		}
	}
	// Profiles are read here only when all is measured: a process starts with
	// the peak memory of the one that starts it.
	for i, in := range inputs {
		if err := subjects[i].describe(in.file); err != nil {
			return nil, err
		}
	}
	return subjects, nil
}

// input is a profile and the sample type that is read of it, "" for its own.
type input struct{ file, index string }

func (s *Subject) describe(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	p, err := profile.ReadPacked(f, info.Size(), profile.DefaultLimits())
	if err != nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	s.Bytes, s.Samples = info.Size(), p.Len()
	return nil
}

// compile profiles the Go compiler at work on packages of the standard
// library, whatever its cache holds: the directory's name is part of the flags.
// Given a directory, the compiler writes profiles in pprof's own format, named
// after the package.
func compile(ctx context.Context, tmp string) ([]input, error) {
	var out []input
	for _, c := range []struct{ name, pkg, flags, index string }{
		{"compile-cpu", "net/http", "-cpuprofile=%s", ""},
		{"compile-heap", "net/http", "-memprofile=%s -memprofilerate=4096", "alloc_space"},
		{"compile-heap-large", "net/http", "-memprofile=%s -memprofilerate=512", "alloc_space"},
	} {
		dir := filepath.Join(tmp, c.name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			return nil, err
		}
		if err := command(ctx, nil, "go", "build", "-gcflags="+c.pkg+"="+fmt.Sprintf(c.flags, dir), c.pkg); err != nil {
			return nil, err
		}
		files, err := filepath.Glob(filepath.Join(dir, "*prof"))
		if err != nil || len(files) != 1 {
			return nil, fmt.Errorf("the compiler left %d profiles of %s in %s, not one", len(files), c.pkg, dir)
		}
		file := filepath.Join(tmp, c.name+".pb.gz")
		if err := os.Rename(files[0], file); err != nil {
			return nil, err
		}
		out = append(out, input{file, c.index})
	}
	return out, nil
}

func subject(ctx context.Context, in input, whet, pprof string, turns int) (Subject, error) {
	s := Subject{Name: strings.TrimSuffix(filepath.Base(in.file), ".pb.gz")}
	if in.index != "" {
		s.Name += ", " + in.index
	}
	tools := []struct {
		path string
		args []string
		runs *[]Run
	}{{whet, []string{"top"}, &s.Whet}, {pprof, []string{"-top"}, &s.Pprof}}
	for i := range tools {
		if in.index != "" {
			tools[i].args = append(tools[i].args, "-sample_index="+in.index)
		}
		tools[i].args = append(tools[i].args, in.file)
	}
	// A first turn that does not count brings files into the page cache.
	for turn := -1; turn < turns; turn++ {
		for _, i := range rand.Perm(2) {
			r, err := once(ctx, tools[i].path, tools[i].args)
			if err != nil {
				return s, err
			}
			if turn >= 0 {
				*tools[i].runs = append(*tools[i].runs, r)
			}
		}
	}
	fmt.Fprintf(os.Stderr, "%s: %d turns\n", s.Name, turns)
	return s, nil
}

// once runs one process and demands that it printed a table.
func once(ctx context.Context, path string, args []string) (Run, error) {
	var out, errs bytes.Buffer
	res, err := process.Run(ctx, process.Command{Path: path, Args: args, Stdout: &out, Stderr: &errs, Timeout: 5 * time.Minute})
	if err == nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	if err != nil {
		return Run{}, err
	}
	if lines := bytes.Count(out.Bytes(), []byte("\n")); !res.OK() || lines < 5 {
		return Run{}, fmt.Errorf("%s %s: %s, %d lines of output: %s", filepath.Base(path), strings.Join(args, " "), res.Status(), lines, bytes.TrimSpace(errs.Bytes()))
	}
	return Run{WallNs: int64(res.End.Sub(res.Start)), CPUNs: int64(res.UserCPU + res.SystemCPU), RSSBytes: res.MaxRSSBytes}, nil
}

func command(ctx context.Context, out io.Writer, name string, args ...string) error {
	var errs bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdout, cmd.Stderr = out, &errs
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, bytes.TrimSpace(errs.Bytes()))
	}
	return nil
}
