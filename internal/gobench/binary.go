package gobench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"whet/internal/capture/process"
	"whet/internal/quantity"
)

// Bounds on what is kept of a test binary's output, and on what it may print.
const (
	keptHead  = 256 << 10
	keptTail  = 256 << 10
	maxOutput = 1 << 30
)

// listLimit bounds the listing of benchmarks, which runs TestMain.
const listLimit = time.Minute

// command prepares a run of the test binary as go test would start it: in the
// package's directory, with the toolchain's bin directory first in PATH.
func (b *Binary) command(args []string, timeout time.Duration) process.Command {
	t := b.Target
	env := environ(t.Dir, b.Env)
	if t.GOROOT != "" {
		path := filepath.Join(t.GOROOT, "bin")
		if old := os.Getenv("PATH"); old != "" {
			path += string(os.PathListSeparator) + old
		}
		name := "PATH"
		if runtime.GOOS == "plan9" {
			name = "path"
		}
		env = append(env, name+"="+path)
	}
	limit := b.outputLimit
	if limit == 0 {
		limit = maxOutput
	}
	return process.Command{
		Path: b.Path, Args: args, Dir: t.Dir, Env: env,
		MaxOutput: limit, Timeout: timeout, Dump: true,
	}
}

// run runs the command. Its error is the context's, or of KindStart.
func (b *Binary) run(ctx context.Context, what string, c process.Command) (*process.Result, error) {
	res, err := process.Run(ctx, c)
	if ctx.Err() != nil && (err != nil || res.Ending == process.Cancelled) {
		return res, fmt.Errorf("%s: %w", what, context.Cause(ctx))
	}
	if errors.Is(err, syscall.ENOEXEC) {
		return nil, newError(KindStart, "", fmt.Sprintf("%s: built for %s, which this machine cannot run: unset GOOS and GOARCH", what, b.system()), "")
	}
	if err != nil {
		return nil, newError(KindStart, "", fmt.Sprintf("%s: start the test binary %s: %v", what, b.Path, rootCause(err)), "")
	}
	return res, nil
}

// system returns the one the binary was built for, "linux/amd64".
func (b *Binary) system() string {
	goos, goarch := "another system", "another processor"
	for _, s := range b.Settings {
		if v, ok := strings.CutPrefix(s, "GOOS="); ok {
			goos = v
		}
		if v, ok := strings.CutPrefix(s, "GOARCH="); ok {
			goarch = v
		}
	}
	return goos + "/" + goarch
}

// Benchmarks returns the top-level benchmarks that the pattern re, as for
// -bench, selects, in the order of the source. "" selects all.
func (b *Binary) Benchmarks(ctx context.Context, re string) ([]string, error) {
	first, err := firstLevel(re)
	if err != nil {
		return nil, err
	}
	names, err := b.list(ctx, first)
	if err != nil || len(names) > 0 {
		return names, err
	}
	all := names
	if re != "" && re != "." {
		if all, err = b.list(ctx, "^Benchmark"); err != nil {
			return nil, err
		}
	}
	if len(all) == 0 {
		return nil, newError(KindNoBenchmarks, "", fmt.Sprintf(
			"%s has no benchmarks: write a func BenchmarkX(b *testing.B) in one of its _test.go files", b.Target.ImportPath), "")
	}
	return nil, newError(KindNoBenchmarks, "", fmt.Sprintf(
		"no benchmark of %s matches -bench %s; it has %s", b.Target.ImportPath, re, quantity.Some(all, 5)), "")
}

func (b *Binary) list(ctx context.Context, re string) ([]string, error) {
	if re == "" {
		re = "." // an empty -test.list lists nothing: it runs the tests
	}
	c := b.command([]string{"-test.list=" + re, "-test.run=^$"}, listLimit)
	out, errs := process.NewBounded(4<<20, 0), process.NewBounded(keptHead, keptTail)
	c.Stdout, c.Stderr = out, errs
	what := "list the benchmarks of " + b.Target.ImportPath
	res, err := b.run(ctx, what, c)
	if err != nil {
		return nil, err
	}
	text, said := string(out.Bytes()), string(errs.Bytes())
	if !res.OK() {
		e := ending(processFailure{target: b.Target, res: res, stdout: text, stderr: said, limit: listLimit, what: "the test binary of " + b.Target.ImportPath})
		e.Text = shortLine(what+": "+e.Text, maxText)
		return nil, e
	}
	var names []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if isBenchmarkFunc(line) {
			names = append(names, line)
		}
	}
	return names, nil
}

// isBenchmarkFunc tells the names of a listing from what TestMain prints.
func isBenchmarkFunc(s string) bool {
	if !strings.HasPrefix(s, "Benchmark") {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == ':' || r == '/' })
}
