package gobench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"whet/internal/quantity"
)

// Target is a Go package resolved from the user's operand.
type Target struct {
	ImportPath, Name, Dir string
	// Module is "std" for packages of GOROOT; ModuleVersion is "" for modules
	// that are directories of the user's.
	Module, ModuleDir, ModuleVersion string
	// Own are the modules whose source the user owns: the main modules, all
	// of a workspace; those replaced by a directory; and the target's.
	Own []OwnModule
	// Workspace is the directory of the go.work, from which the files of modules in it
	// are named; "" where there is none.
	Workspace string
	// GoFiles and TestFiles are absolute; GoFiles include those that use cgo.
	GoFiles, TestFiles []string

	// WorkDir and Operand are the go command's directory and argument for this package.
	WorkDir, Operand string
	// GOROOT, GOMODCACHE, GOFLAGS and GOVERSION are the go command's values there.
	GOROOT, GOMODCACHE, GOFLAGS, GOVERSION string

	work string // the go.work
}

// OwnModule is a module's path and its directory.
type OwnModule struct{ Path, Dir string }

// BuildOptions are the user's wishes for the build.
type BuildOptions struct {
	Tags  string
	Flags []string // further flags of go build, as given
	Env   []string // extra KEY=value for the go command
	// Work is a directory of Build's own: it empties it, the go command works in it, and
	// what that makes stays there. "": it works elsewhere, and nothing stays.
	Work string
}

func (o BuildOptions) flags() []string {
	var out []string
	if o.Tags != "" {
		out = append(out, "-tags="+o.Tags)
	}
	return append(out, o.Flags...)
}

// goListPackage has the fields of go list -json that are used.
type goListPackage struct {
	Dir, ImportPath, Name string
	Standard              bool
	Module                *struct {
		Path, Version, Dir string
		Main               bool
		Replace            *struct{ Path, Version, Dir string }
	}
	GoFiles, CgoFiles, TestGoFiles, XTestGoFiles []string
	Error                                        *struct{ Pos, Err string }
}

// Resolve asks the go command which package operand is, as seen from the
// directory dir. An operand that is "." or "..", or begins with "./", "../" or
// a root, is a directory; anything else a package path. A pattern has to match
// one package, and is then asked for by that package's own name.
func Resolve(ctx context.Context, dir, operand string, o BuildOptions) (*Target, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("resolve %s: %w", operand, err)
	}
	workDir, ask, err := where(dir, operand, `"."`)
	if err != nil {
		return nil, err
	}
	all, said, err := goList(ctx, workDir, operand, o, ask)
	if err != nil {
		return nil, withBelow(ctx, dir, operand, o, err)
	}
	if len(all) > 1 {
		return nil, severalPackages(operand, all)
	}
	p := all[0]
	if p.Error != nil && (p.Name == "" || p.Dir == "") {
		return nil, withBelow(ctx, dir, operand, o, listFailed(operand, p.Error.Err, ""))
	}
	if p.Name == "" || p.Dir == "" {
		return nil, newError(KindNoPackage, "", fmt.Sprintf("no Go package in %s", operand), said)
	}
	if strings.Contains(operand, "...") { // a pattern with one match is that package
		if ask = p.ImportPath; IsPath(operand) {
			workDir, ask = p.Dir, "."
		}
	}
	t := &Target{WorkDir: workDir, Operand: ask}
	if err := t.askEnv(ctx, o); err != nil {
		return nil, err
	}
	t.describe(p)
	return t, t.ownModules(ctx, o)
}

// goList asks the go command for the packages that ask matches; operand is what
// the user called them.
func goList(ctx context.Context, dir, operand string, o BuildOptions, ask ...string) (all []goListPackage, said string, err error) {
	args := []string{"list", "-e", "-find", "-json=Dir,ImportPath,Name,Standard,Module,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles,Error"}
	args = append(args, listFlags(o)...)
	stdout, stderr, res, err := goCommand(ctx, dir, o.Env, append(append(args, "--"), ask...)...)
	if err != nil {
		return nil, "", err
	}
	dec := json.NewDecoder(bytes.NewReader(stdout))
	for {
		var p goListPackage
		if err := dec.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			if res.OK() {
				return nil, "", fmt.Errorf("resolve %s: read the answer of go list: %w", operand, err)
			}
			break
		}
		all = append(all, p)
	}
	if !res.OK() || len(all) == 0 {
		return nil, "", listFailed(operand, string(stderr), res.Status())
	}
	return all, string(stderr), nil
}

// describe sets what go list said of the package.
func (t *Target) describe(p goListPackage) {
	t.ImportPath, t.Name, t.Dir = p.ImportPath, p.Name, p.Dir
	t.GoFiles = absolute(p.Dir, p.GoFiles, p.CgoFiles)
	t.TestFiles = absolute(p.Dir, p.TestGoFiles, p.XTestGoFiles)
	switch m := p.Module; {
	case p.Standard:
		t.Module, t.ModuleDir = "std", filepath.Join(t.GOROOT, "src")
		if strings.HasPrefix(p.ImportPath, "cmd/") {
			t.Module, t.ModuleDir = "cmd", filepath.Join(t.ModuleDir, "cmd")
		}
	case m != nil && m.Replace != nil:
		t.Module, t.ModuleDir, t.ModuleVersion = m.Path, m.Replace.Dir, m.Replace.Version
	case m != nil:
		t.Module, t.ModuleDir, t.ModuleVersion = m.Path, m.Dir, m.Version
	}
	if t.Module != "" && t.ModuleDir == "" {
		// A vendored module has no directory of its own: its root lies in the
		// vendor directory, as far up as the import path goes beyond it.
		rel := strings.Trim(strings.TrimPrefix(t.ImportPath, t.Module), "/")
		t.ModuleDir = t.Dir
		if rel != "" {
			t.ModuleDir = strings.TrimSuffix(t.Dir, string(filepath.Separator)+filepath.FromSlash(rel))
		}
	}
}

// listFlags returns those of the build flags that decide which files a package
// has. go list knows all build flags, but none of go test's own, like -cover
// and -vet.
func listFlags(o BuildOptions) []string {
	var out []string
	for i := 0; i < len(o.Flags); i++ {
		f := o.Flags[i]
		name, _, hasValue := strings.Cut(strings.TrimLeft(f, "-"), "=")
		switch name {
		case "tags", "mod", "modfile", "overlay", "compiler":
			out = append(out, f)
			if !hasValue && i+1 < len(o.Flags) {
				i++
				out = append(out, o.Flags[i])
			}
		case "race", "msan", "asan":
			out = append(out, f)
		}
	}
	if o.Tags != "" {
		out = append(out, "-tags="+o.Tags)
	}
	return out
}

// IsPath reports whether an operand is written as a path: it is . or .., or
// begins with ./, ../ or a root.
func IsPath(operand string) bool {
	if operand == "." || operand == ".." || filepath.IsAbs(operand) {
		return true
	}
	slashed := operand
	if runtime.GOOS == "windows" {
		slashed = filepath.ToSlash(operand)
	}
	return strings.HasPrefix(slashed, "./") || strings.HasPrefix(slashed, "../") || strings.HasPrefix(slashed, "/")
}

func absolute(dir string, lists ...[]string) []string {
	var out []string
	for _, name := range slices.Concat(lists...) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

func (t *Target) askEnv(ctx context.Context, o BuildOptions) error {
	stdout, stderr, res, err := goCommand(ctx, t.WorkDir, o.Env, "env", "-json", "GOROOT", "GOMODCACHE", "GOFLAGS", "GOVERSION", "GOWORK")
	if err != nil {
		return err
	}
	var env struct{ GOROOT, GOMODCACHE, GOFLAGS, GOVERSION, GOWORK string }
	if err := json.Unmarshal(stdout, &env); err != nil || !res.OK() {
		return newError(KindStart, "", "go env: "+firstLine(string(stderr)), string(stderr))
	}
	t.GOROOT, t.GOMODCACHE, t.GOFLAGS, t.GOVERSION = env.GOROOT, env.GOMODCACHE, env.GOFLAGS, env.GOVERSION
	if env.GOWORK != "off" {
		t.work = env.GOWORK
	}
	return nil
}

const hasNoGoFiles = " has no Go files"

// withBelow names in the error of a directory without Go files the packages below
// it that have benchmarks.
func withBelow(ctx context.Context, dir, operand string, o BuildOptions, err error) error {
	e, ok := errors.AsType[*Error](err)
	if !ok || !strings.HasPrefix(e.Text, operand+hasNoGoFiles) {
		return err
	}
	root := operand
	if !filepath.IsAbs(root) {
		root = filepath.Join(dir, root)
	}
	targets, _, listErr := Benchmarked(ctx, root, "./...", o)
	if listErr != nil || len(targets) == 0 {
		return err
	}
	var names []string
	for _, t := range targets {
		name := t.ImportPath
		if rel, relErr := filepath.Rel(root, t.Dir); relErr == nil {
			name = strings.TrimSuffix(operand, "/") + "/" + filepath.ToSlash(rel)
		}
		names = append(names, name)
	}
	return newError(e.Kind, "", fmt.Sprintf("%s%s; below it %s have benchmarks: name one of them, or %s/... for the costliest",
		operand, hasNoGoFiles, quantity.Some(names, 5), strings.TrimSuffix(operand, "/")), e.Detail)
}

// listFailed turns what go list said into an error.
func listFailed(operand, said, status string) *Error {
	first := firstLine(said)
	if e := goTrouble("look at "+operand, said); e != nil {
		return e
	}
	switch {
	case strings.Contains(said, "go.mod file not found"), strings.Contains(said, "cannot find main module"), strings.Contains(said, "does not contain main module"):
		return newError(KindNoModule, "", fmt.Sprintf(
			"%s is not in a Go module (no go.mod in its directory or above): run `go mod init NAME` in the root of your code", operand), said)
	case strings.Contains(said, "not one of the workspace modules"), strings.Contains(said, "does not contain modules listed in go.work"):
		return newError(KindNoModule, "", fmt.Sprintf(
			"%s is in a module that go.work does not list: add it with `go work use`, or set GOWORK=off", operand), said)
	case strings.Contains(said, "no Go files in"):
		return newError(KindNoPackage, "", fmt.Sprintf("%s%s: name the directory of a package", operand, hasNoGoFiles), said)
	case strings.Contains(said, "build constraints exclude all Go files"):
		return newError(KindNoPackage, "", fmt.Sprintf("build constraints exclude all Go files of %s here: set -tags, GOOS or CGO_ENABLED to match", operand), said)
	case strings.Contains(said, "no required module provides package"):
		return newError(KindNoPackage, "", fmt.Sprintf("no required module provides package %s: check its name, or add it with `go get %s`", operand, operand), said)
	case strings.Contains(said, "is not in std"):
		return newError(KindNoPackage, "", fmt.Sprintf("no package %s: write a directory as ./%s", operand, operand), said)
	case strings.Contains(said, "matched no packages"), first == "" && status == "exit status 0":
		return noMatch(operand, said)
	}
	if first == "" {
		first = "go list ended with " + status
	}
	return newError(KindNoPackage, "", fmt.Sprintf("resolve %s: %s", operand, first), said)
}

func noMatch(operand, said string) *Error {
	return newError(KindNoPackage, "", fmt.Sprintf("%s matches no package with Go files to build: name the directory of a package", operand), said)
}

func severalPackages(operand string, all []goListPackage) *Error {
	var names []string
	for i, p := range all {
		if i == 3 {
			names = append(names, "…")
			break
		}
		names = append(names, p.ImportPath)
	}
	return newError(KindUsage, "", fmt.Sprintf("%s matches %d packages (%s): name one of them", operand, len(all), strings.Join(names, ", ")), "")
}
