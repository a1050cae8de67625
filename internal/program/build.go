package program

import (
	"context"
	"errors"
	"fmt"
	"go/version"
	"os"
	"path/filepath"
	"strings"

	"whet/internal/gobench"
)

// oldest is the first version of Go whose exit hooks and language the agent
// can use.
const oldest = "go1.26"

// Build builds the main package at out with the agent in it; on Windows the
// name gets the ending .exe. Binary.Path is where it is.
func Build(ctx context.Context, t *gobench.Target, o gobench.BuildOptions, out string) (*gobench.Binary, error) {
	if t.ImportPath != "command-line-arguments" && t.Name != "main" {
		return nil, &gobench.Error{Kind: gobench.KindUsage, Text: fmt.Sprintf(
			"%s is package %s, not a program: name a main package, or write a benchmark in this one", t.ImportPath, t.Name)}
	}
	return withAgent(t, o, importFile, func(o gobench.BuildOptions, overlay string) (*gobench.Binary, error) {
		return gobench.BuildProgram(ctx, t, o, overlay, out)
	})
}

// BuildTests builds the package's test binary at out with the agent in it.
func BuildTests(ctx context.Context, t *gobench.Target, o gobench.BuildOptions, out string) (*gobench.Binary, error) {
	return withAgent(t, o, importFile+"_test", func(o gobench.BuildOptions, overlay string) (*gobench.Binary, error) {
		o.Flags = append(o.Flags[:len(o.Flags):len(o.Flags)], "-overlay="+overlay) // the last one counts, and holds the user's own
		return gobench.Build(ctx, t, o, out)
	})
}

// withAgent has a package built with an overlay that adds the agent, imported
// by a file of the given name.
func withAgent(t *gobench.Target, o gobench.BuildOptions, importer string, build func(o gobench.BuildOptions, overlay string) (*gobench.Binary, error)) (*gobench.Binary, error) {
	if err := check(t); err != nil {
		return nil, err
	}
	scratch, err := os.MkdirTemp("", "whet-program-")
	if err != nil {
		return nil, fmt.Errorf("build %s: make a work directory: %w: set TMPDIR to a writable directory", t.ImportPath, err)
	}
	defer os.RemoveAll(scratch)

	goroot := t.GOROOT
	if inside(goroot, t.GOMODCACHE) {
		// A toolchain that was fetched. The go command refuses overlays in the
		// module cache; it goes by the name, so give it another one.
		goroot = filepath.Join(scratch, "go")
		if err := os.Symlink(t.GOROOT, goroot); err != nil {
			return nil, &gobench.Error{Kind: gobench.KindStart, Text: fmt.Sprintf(
				"build %s: whet cannot add its agent to a Go toolchain in the module cache: install %s and set GOTOOLCHAIN=local", t.ImportPath, t.GOVERSION), Detail: err.Error()}
		}
		o.Env = append(o.Env[:len(o.Env):len(o.Env)], "GOROOT="+goroot, "GOTOOLCHAIN=local")
	}
	if t.GOMODCACHE == "" {
		// Without a home directory: the go command takes every file of an
		// overlay to lie below no name. There is nothing to be had from a cache.
		o.Env = append(o.Env[:len(o.Env):len(o.Env)], "GOMODCACHE="+filepath.Join(scratch, "mod"), "GOPROXY=off")
	}
	overlay, err := writeOverlay(t, o, importer, goroot, scratch)
	if err != nil {
		return nil, err
	}
	bin, err := build(o, overlay)
	var ge *gobench.Error
	if errors.As(err, &ge) && strings.Contains(ge.Text+ge.Detail, "cover: ") && strings.Contains(ge.Text+ge.Detail, agentDir) {
		return nil, &gobench.Error{Kind: gobench.KindUsage, Text: fmt.Sprintf(
			"%s cannot be built with both -cover and whet's agent (the cover command does not see the agent's files): leave -cover out", t.ImportPath), Detail: ge.Detail}
	}
	return bin, err
}

// check refuses what no overlay can add an agent to.
func check(t *gobench.Target) error {
	refuse := func(format string, args ...any) error {
		return &gobench.Error{Kind: gobench.KindUsage, Text: fmt.Sprintf(format, args...)}
	}
	// The first word: experiments follow it.
	goVersion, _, _ := strings.Cut(t.GOVERSION, " ")
	switch {
	case t.ImportPath == "command-line-arguments":
		return refuse("%s is a list of files: give the directory of its package", t.Operand)
	case t.Module != "std" && t.Module != "cmd" && strings.Contains(filepath.ToSlash(t.Dir), "/vendor/"):
		return refuse("%s is vendored, where whet cannot add its agent: name the package in its own module", t.ImportPath)
	case t.ModuleVersion != "", inside(t.Dir, t.GOMODCACHE):
		return refuse("%s lies in the module cache, where whet cannot add its agent: clone its repository and name the package there", t.ImportPath)
	case version.IsValid(goVersion) && version.Compare(goVersion, oldest) < 0:
		return refuse("%s is built with %s, and whet's agent needs %s or newer: set GOTOOLCHAIN=%s.0, or install a newer Go", t.ImportPath, goVersion, oldest, oldest)
	}
	return nil
}

// inside reports whether a path lies in a directory.
func inside(path, dir string) bool {
	if path == "" || dir == "" {
		return false
	}
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
