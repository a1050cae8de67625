package gobench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"whet/internal/capture/process"
	"whet/internal/recording"
)

// Bounds on what the go command may print.
const (
	goStdoutKept = 16 << 20
	goStderrHead = 192 << 10
	goStderrTail = 64 << 10
)

// goCommand runs the go command in dir and returns what it printed. A GOROOT
// in env brings its own go command along.
func goCommand(ctx context.Context, dir string, env []string, args ...string) (stdout, stderr []byte, res *process.Result, err error) {
	env, remove := Scratch(env)
	defer remove()
	return goCommandIn(ctx, dir, env, args...)
}

// goCommandIn is goCommand with the work directory that env or the user chose.
func goCommandIn(ctx context.Context, dir string, env []string, args ...string) (stdout, stderr []byte, res *process.Result, err error) {
	name := "go"
	for _, e := range env {
		if root, ok := strings.CutPrefix(e, "GOROOT="); ok {
			name = filepath.Join(root, "bin", "go")
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return nil, nil, nil, newError(KindStart, "",
			"the go command is not in PATH: install Go 1.26 or newer from https://go.dev/dl/, or add the bin directory of your Go installation to PATH", err.Error())
	}
	out := process.NewBounded(goStdoutKept, 0)
	errs := process.NewBounded(goStderrHead, goStderrTail)
	res, err = process.Run(ctx, process.Command{
		Path: path, Args: args, Dir: dir, Env: environ(dir, env),
		Stdout: out, Stderr: errs,
	})
	if err != nil {
		if ctx.Err() != nil {
			return nil, nil, nil, fmt.Errorf("go %s: %w", args[0], context.Cause(ctx))
		}
		return nil, nil, nil, newError(KindStart, "", fmt.Sprintf("start go %s in %s: %v", args[0], dir, rootCause(err)), "")
	}
	if res.Ending == process.Cancelled {
		return nil, nil, nil, fmt.Errorf("go %s: %w", args[0], context.Cause(ctx))
	}
	return out.Bytes(), errs.Bytes(), res, nil
}

// Scratch adds a work directory for the go command to env, made in GOTMPDIR. A go
// command that is killed does not remove its work directory; remove does. If the
// directory cannot be made, the go command reports the error.
func Scratch(env []string) (with []string, remove func()) {
	parent := os.Getenv("GOTMPDIR")
	for _, e := range env {
		if given, ok := strings.CutPrefix(e, "GOTMPDIR="); ok {
			parent = given
		}
	}
	dir, err := os.MkdirTemp(parent, "whet-go-")
	if err != nil {
		return env, func() {}
	}
	return append(env[:len(env):len(env)], "GOTMPDIR="+dir), func() { os.RemoveAll(dir) }
}

// environ is our environment with more, and PWD as the go command sets it for
// what it runs.
func environ(dir string, more []string) []string {
	env := append(os.Environ(), more...)
	if dir != "" {
		env = append(env, "PWD="+dir)
	}
	return env
}

// rootCause strips the names that os/exec and os put before the reason.
func rootCause(err error) error {
	if ee, ok := errors.AsType[*exec.Error](err); ok {
		err = ee.Err
	}
	return recording.RootCause(err)
}

// troubles are what the go command says when it cannot work at all, and what
// to do about it: neither the package nor its name is to blame.
var troubles = []struct{ said, do string }{
	{"creating work dir", "set TMPDIR to a writable directory"},
	{"build cache is ", "set HOME, or set GOCACHE to a writable directory"},
	{"failed to initialize build cache", "set HOME, or set GOCACHE to a writable directory"},
	{"toolchain not available", "set GOTOOLCHAIN=local, or install that version of Go"},
	{"updates to go.mod needed", "run `go mod tidy` in the module"},
	{"updates to go.sum needed", "run `go mod tidy` in the module"},
	{"missing go.sum entry", "run `go mod tidy` in the module"},
	{"parsing $GOFLAGS", "fix GOFLAGS in the environment or in go env"},
}

// goTrouble recognises them; nil is any other complaint.
func goTrouble(what, said string) *Error {
	first := firstLine(said)
	for _, t := range troubles {
		if strings.Contains(first, t.said) {
			return newError(KindStart, "", fmt.Sprintf("%s: %s: %s", what, first, t.do), said)
		}
	}
	return nil
}

// firstLine returns the first line that says something: not a heading "# package",
// not what is being fetched, not blank.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "go: downloading ") {
			return strings.TrimPrefix(line, "go: ")
		}
	}
	return ""
}
