package gobench

import (
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Open describes a test binary given by the user, from the information in it. It runs
// in the directory of its package, if the module around workDir has that, and otherwise
// in workDir, with env in its environment.
func Open(ctx context.Context, file, workDir string, env []string) (*Binary, error) {
	notOne := func(why string) error {
		return newError(KindUsage, "", fmt.Sprintf("%s is not a test binary%s: build one with `go test -c`", file, why), "")
	}
	st, err := os.Stat(file)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, newError(KindUsage, "", fmt.Sprintf("no file %s", file), "")
	case err != nil:
		return nil, newError(KindStart, "", fmt.Sprintf("look at %s: %v", file, rootCause(err)), "")
	case !st.Mode().IsRegular():
		return nil, notOne("")
	}
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		return nil, notOne(", nor a program built with Go")
	}
	// The go command gives its test programs the path of the package and this
	// ending.
	importPath, ok := strings.CutSuffix(info.Path, ".test")
	if !ok {
		return nil, notOne(fmt.Sprintf(" but the program %s", info.Path))
	}
	if workDir, err = filepath.Abs(workDir); err != nil {
		return nil, fmt.Errorf("open %s: %w", file, err)
	}
	t := &Target{ImportPath: importPath, Module: info.Main.Path, ModuleVersion: info.Main.Version, WorkDir: workDir, Dir: workDir}
	if err := t.askEnv(ctx, BuildOptions{Env: env}); err != nil {
		return nil, err
	}
	found, err := Resolve(ctx, workDir, importPath, BuildOptions{Env: env})
	if err == nil {
		t.Dir = found.Dir
	} else if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	b := &Binary{Path: file, Target: t, GoVersion: info.GoVersion, BuildID: gnuBuildID(file), Env: env}
	for _, s := range info.Settings {
		b.Settings = append(b.Settings, s.Key+"="+s.Value)
	}
	b.Race, b.Cover, b.Unoptimized = spoilt(b.Settings, nil, "")
	return b, nil
}
