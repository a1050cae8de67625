package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// programs are what is measured, built.
type programs struct {
	root string // of the module
	dir  string // of the binaries
}

// build builds the test binaries of the benchmarks' stages, and the program
// that runs and serves the others, in a temporary directory.
func build(ctx context.Context, chosen []study) (_ *programs, err error) {
	p := new(programs)
	if p.root, err = moduleRoot(ctx); err != nil {
		return nil, err
	}
	if p.dir, err = os.MkdirTemp("", "casebook-table-"); err != nil {
		return nil, fmt.Errorf("make a directory for binaries: %w", err)
	}
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
			_, e := runGo(ctx, p.root, []string{"GOTMPDIR=" + p.dir}, args...)
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
			kinds[m.kind] = true
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
		return nil, errors.Join(fmt.Errorf("build what is measured: %w", err), p.close())
	}
	return p, nil
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
	out, err := goTool(ctx, "", "list", "-m", "-f", "{{.Path}} {{.Dir}}")
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	name, dir, ok := strings.Cut(strings.TrimSpace(out), " ")
	if !ok || name != "whet" {
		return "", fmt.Errorf("find the module: this directory is of %q: run the table in a tree of whet", name)
	}
	return dir, nil
}

// goTool runs the go command; an error holds what it said.
func goTool(ctx context.Context, dir string, args ...string) (string, error) {
	return runGo(ctx, dir, nil, args...)
}

// runGo runs the go command with further variables.
func runGo(ctx context.Context, dir string, env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	inGroup(cmd)
	cmd.WaitDelay = 5 * time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("go %s: %w: %s", args[0], err, lastLines(stderr.String(), 5))
	}
	return stdout.String(), nil
}

// lastLines is the end of what a program said, on one line.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(len(lines)-n, 0):], "; ")
}
