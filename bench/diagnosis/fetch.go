package main

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// drivers are code of ours that is put into a module's copy: small servers, so
// that what it serves can be put under load, and benchmarks where the author's
// do not compile with the version before.
//
//go:embed drivers
var drivers embed.FS

// driverPackage is where a server lies in the copy.
const driverPackage = "whetdriver"

// lab is where modules are copied to and recordings are made.
type lab struct {
	tmp        string // copies of modules, whet itself
	whet       string
	recordings string
}

// command runs one command in dir and returns its standard output. A failure
// carries the last line it printed.
func command(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	// A copy stands alone, and may fetch what its tests import.
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
		return nil, fmt.Errorf("%s %s: %w: %s", filepath.Base(name), args[0], err, lines[len(lines)-1])
	}
	return stdout.Bytes(), nil
}

// download returns the directory of a module in the module cache.
func download(ctx context.Context, dir, module, version string) (string, error) {
	out, err := command(ctx, dir, "go", "mod", "download", "-json", module+"@"+version)
	var got struct{ Dir, Error string }
	if e := json.Unmarshal(out, &got); err == nil {
		err = e
	}
	if err == nil && got.Dir == "" {
		err = errors.New(got.Error)
	}
	if err != nil {
		return "", fmt.Errorf("fetch %s@%s: %w", module, version, err)
	}
	return got.Dir, nil
}

// checkout copies the version before into a directory of its own, and adds
// what the case needs: tests of the version after, inputs, a driver.
func (l *lab) checkout(ctx context.Context, c *Case) (string, error) {
	from, err := download(ctx, l.tmp, c.Module, c.Before)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(l.tmp, c.Name)
	if err := copyTree(dir, from); err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); errors.Is(err, fs.ErrNotExist) {
		err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module "+strings.TrimSuffix(c.Module, "+incompatible")+"\n\ngo 1.20\n"), 0o644)
		if err != nil {
			return "", err
		}
	}
	if len(c.Tests) > 0 {
		after, err := download(ctx, l.tmp, c.Module, c.After)
		if err != nil {
			return "", err
		}
		for _, t := range c.Tests {
			to := filepath.Join(dir, filepath.FromSlash(t))
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				return "", err
			}
			if err := copyFile(to, filepath.Join(after, filepath.FromSlash(t))); err != nil {
				return "", err
			}
		}
		if err := language(ctx, dir, after); err != nil {
			return "", err
		}
	}
	for _, in := range c.Inputs {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(in.Path)), in.text(), 0o644); err != nil {
			return "", err
		}
	}
	if c.Driver != "" {
		name, to := "main.go.txt", filepath.Join(dir, driverPackage, "main.go")
		if c.Kind != kindService {
			name, to = "bench_test.go.txt", filepath.Join(dir, filepath.FromSlash(c.Package), "whetdriver_test.go")
		}
		code, err := drivers.ReadFile("drivers/" + c.Driver + "/" + name)
		if err != nil {
			return "", err
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(to, code, 0o644); err != nil {
			return "", err
		}
	}
	return dir, nil
}

var goDirective = regexp.MustCompile(`(?m)^go (\S+)$`)

// language sets the language version of the copy to that of the version after,
// in which its tests are written.
func language(ctx context.Context, dir, after string) error {
	data, err := os.ReadFile(filepath.Join(after, "go.mod"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if m := goDirective.FindSubmatch(data); m != nil {
		_, err = command(ctx, dir, "go", "mod", "edit", "-go="+string(m[1]))
	}
	return err
}

func (in *Input) text() []byte {
	var b bytes.Buffer
	b.WriteString(in.Head)
	for i := range in.Times {
		fmt.Fprintf(&b, in.Each, i)
	}
	b.WriteString(in.Tail)
	return b.Bytes()
}

// copyTree copies a module, which the module cache keeps read-only, so that it
// can be written to.
func copyTree(to, from string) error {
	return filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		}
		if !d.Type().IsRegular() {
			return nil
		}
		return copyFile(filepath.Join(to, rel), name)
	})
}

func copyFile(to, from string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o644)
}
