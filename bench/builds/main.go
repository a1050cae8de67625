// Command builds measures one build of whet beside another: what reading
// profiles, driving a load and proving cost.
//
// It answers how a change of whet's own code shows from outside. Both builds
// do the same work in turns, in an order drawn by lot, from start to exit:
//
//	go run ./bench/builds -old whet.old -new whet.new -profile big.pb.gz
//
// A load is a fixed number of requests to bench/load/server, with the generator
// and the server on a processor each; a proof is a fixed number of rounds of two
// stages of a case. It needs Linux's taskset.
//
// It misleads about a proof's own time: nearly all of it is that of the go
// command and of the benchmarks, which both builds run alike.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"whet/bench/ledger"
)

// Work is what both builds did, turn by turn.
type Work struct {
	Name string      `json:"name"`
	Old  ledger.Runs `json:"old"`
	New  ledger.Runs `json:"new"`
}

func main() { ledger.Main("builds", run) }

func run(ctx context.Context) error {
	before := flag.String("old", "", "whet before, a `program`")
	after := flag.String("new", "", "whet after")
	turns := flag.Int("turns", 9, "how often each build does each work")
	out := ledger.Flags("builds")
	var profiles []string
	flag.Func("profile", "read this `file`; may be given several times", func(s string) error {
		profiles = append(profiles, s)
		return nil
	})
	flag.Parse()
	return out.Tabulate(func() error {
		if *before == "" || *after == "" || len(profiles) == 0 {
			return errors.New("name the two builds of whet with -old and -new, and a profile with -profile")
		}
		if *turns < 6 {
			return fmt.Errorf("-turns %d: 6 are the fewest with a 95 %% interval", *turns)
		}
		e := ledger.Begin[[]Work]("bench/builds")
		// What was measured is kept, whatever becomes of the rest.
		keep := func(w Work) error {
			e.Samples = append(e.Samples, w)
			return e.Save(out.Dir, "builds")
		}
		return measure(ctx, *before, *after, profiles, *turns, keep)
	}, render)
}

// render makes the text of the README from the kept samples.
func render(dir string) (string, error) {
	e, err := ledger.Load[[]Work](dir, "builds")
	if err != nil {
		return "", err
	}
	t := ledger.Table{Head: []string{"work", "time before", "time after", "before/after", "95 % interval", "CPU before", "CPU after", "before/after", "95 % interval", "memory before", "memory after", "turns"}}
	for _, w := range e.Samples {
		time, interval := w.Old.Times(w.New)
		cpu, cpuInterval := w.Old.CPUTimes(w.New)
		t.Rows = append(t.Rows, []string{w.Name, w.Old.Wall(), w.New.Wall(), time, interval,
			w.Old.CPU(), w.New.CPU(), cpu, cpuInterval, w.Old.Memory(), w.New.Memory(), fmt.Sprint(len(w.New))})
	}
	return t.Markdown() + "\n" + e.Caption() + ".", nil
}

func measure(ctx context.Context, before, after string, profiles []string, turns int, keep func(Work) error) error {
	tmp, err := os.MkdirTemp("", "whet-builds-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	url, stop, err := serve(ctx, tmp)
	if err != nil {
		return err
	}
	defer stop()
	type task struct {
		name   string
		pinned bool
		args   []string
	}
	var tasks []task
	for _, p := range profiles {
		name := filepath.Base(p)
		tasks = append(tasks,
			task{"top " + name, false, []string{"top", p}},
			task{"top -cum -lines " + name, false, []string{"top", "-cum", "-lines", p}},
			task{"flame " + name, false, []string{"flame", "-o", "-", p}},
			task{"diagnose " + name, false, []string{"diagnose", p}})
	}
	tasks = append(tasks,
		task{"load, 300,000 requests, 64 connections", true, []string{"load", "-json", "-c", "64", "-n", "300000", url}},
		task{"load, 5,000 requests a second for 4 s", true, []string{"load", "-json", "-rate", "5000", "-d", "4s", url}},
		task{"prove, 14 rounds of two benchmarks", false, []string{"prove", "-json", "-no-pool", "-rounds", "14", "-bench", "Reused|Fresh", "-run", "^$", "./casebook/visits/original", "./casebook/visits/best"}})
	for _, t := range tasks {
		w := Work{Name: t.name}
		tool := func(path string, runs *ledger.Runs) ledger.Tool {
			args := t.args
			if t.pinned {
				path, args = "taskset", append([]string{"-c", generator, path}, args...)
			}
			return ledger.Tool{Path: path, Args: args, Check: said, Runs: runs}
		}
		if err := ledger.Turns(ctx, turns, tool(before, &w.Old), tool(after, &w.New)); err != nil {
			return err
		}
		if err := keep(w); err != nil {
			return err
		}
		ratio, interval := w.Old.Times(w.New)
		fmt.Fprintf(os.Stderr, "%s: %s, %s\n", t.name, ratio, interval)
	}
	return nil
}

// Processors of a load's two sides.
const generator, target = "1", "0"

// serve starts the server that loads are sent to.
func serve(ctx context.Context, tmp string) (url string, stop func(), err error) {
	server := filepath.Join(tmp, "server")
	if err := ledger.Build(ctx, "./bench/load/server", server); err != nil {
		return "", nil, err
	}
	cmd := exec.CommandContext(ctx, "taskset", "-c", target, server, "-answer", "whet is whetting\n")
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop = func() { // the end of its input ends it
		stdin.Close()
		io.Copy(io.Discard, stdout)
		cmd.Wait()
	}
	url, err = bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		stop()
		return "", nil, fmt.Errorf("the server says no address: %w", err)
	}
	return strings.TrimSpace(url), stop, nil
}

// said demands that a build printed something.
func said(out []byte) error {
	if len(out) == 0 {
		return errors.New("it printed nothing")
	}
	return nil
}
