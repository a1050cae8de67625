package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"whet/internal/capture/process"
)

// programs are what is measured, built.
type programs struct {
	root string // of the module
	dir  string // of the binaries
}

// newPrograms finds the tree that is measured, and makes a temporary directory
// for what is built of it.
func newPrograms(ctx context.Context) (p *programs, err error) {
	p = new(programs)
	if p.root, err = moduleRoot(ctx); err != nil {
		return nil, err
	}
	if p.dir, err = os.MkdirTemp("", "casebook-table-"); err != nil {
		return nil, fmt.Errorf("make a directory for binaries: %w", err)
	}
	return p, nil
}

// build builds the test binaries of the benchmarks' stages, and the program
// that runs and serves the others.
func (p *programs) build(ctx context.Context, chosen []study) (err error) {
	// A build is one package list and several links: two at a time keep two
	// processors busy.
	var wg sync.WaitGroup
	slots := make(chan struct{}, 2)
	var mu sync.Mutex
	note := func(e error) {
		mu.Lock()
		defer mu.Unlock()
		err = errors.Join(err, e)
	}
	begin := func(args ...string) {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			// Ended by force it leaves its work behind, and here that is removed.
			_, e := tool(ctx, p.root, []string{"GOTMPDIR=" + p.dir}, "go", args...)
			note(e)
		})
	}
	// No symbol tables: they are a third of the time that linking takes, and
	// nothing that runs.
	const strip = "-ldflags=-s -w"
	casebook := false
	for _, s := range chosen {
		kinds := make(map[kind]bool)
		for _, m := range s.measures {
			kinds[m.kind] = s.measured(m.kind)
		}
		casebook = casebook || kinds[command] || kinds[service] || kinds[uploads]
		if !kinds[benchmarks] {
			continue
		}
		into := filepath.Join(p.dir, s.name) + string(filepath.Separator)
		if e := os.Mkdir(into, 0o755); e != nil {
			note(e)
			continue
		}
		args := []string{"test", "-c", strip, "-o", into}
		for _, stage := range s.stages {
			args = append(args, "./casebook/"+s.name+"/"+stage)
		}
		begin(args...)
	}
	if casebook {
		begin("build", strip, "-o", p.casebook(), "./casebook/cmd/casebook")
	}
	wg.Wait()
	if err != nil {
		return fmt.Errorf("build what is measured: %w", err)
	}
	return nil
}

// lab measures a group with what was built.
func (p *programs) lab(g *group) lab {
	switch g.kind {
	case command:
		return &commands{name: g.name, program: p.casebook()}
	case service, uploads:
		return newServices(g, p.casebook())
	}
	return &benches{name: g.name, programs: p}
}

func (p *programs) close() error {
	if err := os.RemoveAll(p.dir); err != nil {
		return fmt.Errorf("remove the binaries: %w", err)
	}
	return nil
}

// casebook is the program that serves and runs stages.
func (p *programs) casebook() string { return filepath.Join(p.dir, "casebook"+executable) }

// test is the test binary of a stage, and the directory that it runs in.
func (p *programs) test(name, stage string) (binary, dir string) {
	return filepath.Join(p.dir, name, stage+".test"+executable), filepath.Join(p.root, "casebook", name, stage)
}

var executable = func() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}()

// moduleRoot finds the tree that is measured: the one around the working
// directory.
func moduleRoot(ctx context.Context) (string, error) {
	out, err := tool(ctx, "", nil, "go", "list", "-m", "-f", "{{.Path}} {{.Dir}}")
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	var others []string // in a workspace there are several
	for line := range strings.Lines(out) {
		name, dir, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name == "whet" {
			return dir, nil
		}
		others = append(others, strconv.Quote(name))
	}
	return "", fmt.Errorf("find the module: this directory is of %s: run the table in a tree of whet", strings.Join(others, ", "))
}

// maxOutput bounds what a tool or a command may print.
const maxOutput = 1 << 20

// tool runs a tool, with further variables, and returns what it printed; an
// error holds what it said.
func tool(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	var stdout, stderr bytes.Buffer
	res, err := process.Run(ctx, process.Command{
		Path: name, Args: args, Dir: dir, Env: append(os.Environ(), env...), Stdout: &stdout, Stderr: &stderr, MaxOutput: maxOutput,
	})
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("%s %s: %w", name, args[0], ctx.Err())
	case err != nil:
		return "", fmt.Errorf("%s %s: %w", name, args[0], err)
	case !res.OK():
		return "", fmt.Errorf("%s %s: %s: %s", name, args[0], ending(res), lastLines(stderr.String(), 5))
	}
	return stdout.String(), nil
}

// ending says how a command ended that did not end well.
func ending(res *process.Result) string {
	switch res.Ending {
	case process.Cancelled:
		return "it was stopped"
	case process.TimedOut:
		return "it did not end in time, and was stopped"
	case process.Flooded:
		return "it printed too much, and was stopped"
	}
	return res.Status()
}

// lastLines is the end of what a program said, on one line.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(len(lines)-n, 0):], "; ")
}
