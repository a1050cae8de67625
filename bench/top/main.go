// Command top measures whet's views of profiles beside those of go tool pprof.
//
// It answers how long each takes, and how much memory, from start to exit on
// a profile of the Go compiler, which it makes first unless -profile names
// some; the view is top unless -view names others:
//
//	go run ./bench/top -turns 7 -profile big.pb.gz -profile big.pb.gz:alloc_space -diff before.pb.gz,after.pb.gz
//	go run ./bench/top -profile big.pb.gz -view top -view 'list=mallocgc$' -view merge
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
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"whet/bench/ledger"
	"whet/internal/format/profile"
	"whet/internal/quantity"
)

// Profile is a profile and what both tools took, turn by turn.
type Profile struct {
	Name    string      `json:"name"`
	Bytes   int64       `json:"bytes"`   // of a difference those of both
	Samples int         `json:"samples"` // likewise
	Whet    ledger.Runs `json:"whet"`
	Pprof   ledger.Runs `json:"pprof"`
}

type list []string

func (l *list) String() string     { return strings.Join(*l, ",") }
func (l *list) Set(s string) error { *l = append(*l, s); return nil }

func main() { ledger.Main("top", run) }

func run(ctx context.Context) error {
	var profiles, diffs, views list
	turns := flag.Int("turns", 21, "how often each tool reads each profile")
	out := ledger.Flags("top")
	flag.Var(&profiles, "profile", "measure this `file` instead of making some, with the sample type after a colon unless it is the profile's own; may be given several times")
	flag.Var(&views, "view", "measure this `view` of each profile: top, tree, tags, raw, list=RE, peek=RE, merge (with itself), base (minus itself); may be given several times")
	flag.Var(&diffs, "diff", "measure the difference of these two `files`, BEFORE,AFTER: whet diff beside pprof -top -diff_base; may be given several times")
	flag.Parse()
	return out.Tabulate(func() error {
		if *turns < 6 {
			return fmt.Errorf("-turns %d: 6 are the fewest with a 95 %% interval", *turns)
		}
		e := ledger.Begin[[]Profile]("bench/top")
		subjects, err := measure(ctx, profiles, views, diffs, *turns)
		if err != nil {
			return err
		}
		e.Samples = subjects
		return e.Save(out.Dir, "top")
	}, render)
}

// render makes the text of the README from the kept samples.
func render(dir string) (string, error) {
	e, err := ledger.Load[[]Profile](dir, "top")
	if err != nil {
		return "", err
	}
	t := ledger.Table{Head: []string{"profile", "samples", "whet", "pprof", "pprof/whet, time", "95 % interval", "whet CPU", "pprof CPU", "whet memory", "pprof memory", "pprof/whet, memory"}}
	for _, s := range e.Samples {
		ratio, interval := s.Pprof.Times(s.Whet)
		t.Rows = append(t.Rows, []string{
			fmt.Sprintf("%s (%s)", s.Name, quantity.Bytes(float64(s.Bytes))), quantity.Count(float64(s.Samples)),
			s.Whet.Wall(), s.Pprof.Wall(), ratio, interval, s.Whet.CPU(), s.Pprof.CPU(), s.Whet.Memory(), s.Pprof.Memory(), s.Pprof.Larger(s.Whet),
		})
	}
	turns := 0
	if len(e.Samples) > 0 {
		turns = len(e.Samples[0].Whet)
	}
	return fmt.Sprintf("%s\n%s; %d turns.\n", t.Markdown(), e.Caption(), turns), nil
}

func measure(ctx context.Context, profiles, views, diffs []string, turns int) ([]Profile, error) {
	tmp, err := os.MkdirTemp("", "whet-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	whet, pprof, err := ledger.Programs(ctx, tmp)
	if err != nil {
		return nil, err
	}
	if len(views) == 0 {
		views = []string{"top"}
	}
	var inputs []input
	for _, p := range profiles {
		in := input{file: p}
		if strings.Contains(filepath.Base(p), ":") {
			colon := strings.LastIndex(p, ":")
			in = input{file: p[:colon], index: p[colon+1:]}
		}
		for _, in.view = range views {
			inputs = append(inputs, in)
		}
	}
	for _, d := range diffs {
		before, after, ok := strings.Cut(d, ",")
		if !ok {
			return nil, fmt.Errorf("-diff %s: it names two files, BEFORE,AFTER", d)
		}
		inputs = append(inputs, input{file: after, base: before, view: "diff"})
	}
	if len(inputs) == 0 {
		if inputs, err = compile(ctx, tmp); err != nil {
			return nil, err
		}
	}
	subjects := make([]Profile, len(inputs))
	for i, in := range inputs {
		if subjects[i], err = subject(ctx, in, whet, pprof, filepath.Join(tmp, "out"), turns); err != nil {
			return nil, err
		}
	}
	// Profiles are read here only when all is measured: a process starts with
	// the peak memory of the one that starts it.
	for i, in := range inputs {
		for _, file := range []string{in.base, in.file} {
			if file == "" {
				continue
			}
			if err := subjects[i].describe(file); err != nil {
				return nil, err
			}
		}
	}
	return subjects, nil
}

// input is a profile, the sample type that is read of it, "" for its own, what it is
// compared with, "" for nothing, and the view.
type input struct{ file, index, base, view string }

func (s *Profile) describe(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	p, err := profile.Read(f, info.Size(), profile.DefaultLimits())
	if err != nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	s.Bytes += info.Size()
	s.Samples += p.Len()
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
		if err := command(ctx, "go", "build", "-gcflags="+c.pkg+"="+fmt.Sprintf(c.flags, dir), c.pkg); err != nil {
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
		out = append(out, input{file: file, index: c.index, view: "top"})
	}
	return out, nil
}

func subject(ctx context.Context, in input, whet, pprof, out string, turns int) (Profile, error) {
	s := Profile{Name: strings.TrimSuffix(filepath.Base(in.file), ".pb.gz")}
	view, argument, _ := strings.Cut(in.view, "=")
	ours, theirs, check := []string{view}, []string{"-" + view}, isTable
	switch view {
	case "diff":
		s.Name = "diff of " + strings.TrimSuffix(filepath.Base(in.base), ".pb.gz") + " and " + s.Name
		ours, theirs = append(ours, in.base), []string{"-top", "-diff_base=" + in.base}
	case "merge":
		s.Name += ", merge with itself"
		ours, theirs, check = append(ours, "-o", out, in.file), []string{"-proto", "-output", out, in.file}, wrote(out)
	case "base":
		s.Name += ", top minus itself"
		ours, theirs, check = []string{"top", "-base", in.file}, []string{"-top", "-base", in.file}, isAny
	case "list", "peek":
		ours, theirs = append(ours, argument), []string{"-" + in.view}
		fallthrough
	default:
		s.Name += ", " + in.view
	case "top":
	}
	if in.index != "" {
		s.Name += ", " + in.index
		ours, theirs = slices.Insert(ours, 1, "-sample_index="+in.index), append(theirs, "-sample_index="+in.index)
	}
	err := ledger.Turns(ctx, turns,
		ledger.Tool{Path: whet, Args: append(ours, in.file), Check: check, Runs: &s.Whet},
		ledger.Tool{Path: pprof, Args: append(theirs, in.file), Check: check, Runs: &s.Pprof})
	fmt.Fprintf(os.Stderr, "%s: %d turns\n", s.Name, len(s.Whet))
	return s, err
}

// wrote demands a file that is not empty, and takes it away.
func wrote(name string) func([]byte) error {
	return func([]byte) error {
		st, err := os.Stat(name)
		if err == nil && st.Size() == 0 {
			err = fmt.Errorf("%s is empty", name)
		}
		return errors.Join(err, os.Remove(name))
	}
}

// isAny demands that a tool printed something.
func isAny(out []byte) error {
	if len(out) == 0 {
		return errors.New("no output")
	}
	return nil
}

// isTable demands that a tool printed one.
func isTable(out []byte) error {
	if lines := bytes.Count(out, []byte("\n")); lines < 5 {
		return fmt.Errorf("%d lines of output are no table", lines)
	}
	return nil
}

func command(ctx context.Context, name string, args ...string) error {
	var errs bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stderr = &errs
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, bytes.TrimSpace(errs.Bytes()))
	}
	return nil
}
